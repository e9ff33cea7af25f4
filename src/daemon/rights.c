#include "base/limits.h"
#include "daemon/daemon_parts.h"
#include "host/confine.h"
#include "host/sandbox_group.h"
#include "sys/fd.h"
#include "sys/process.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* the account that the packages of reeve create for the manager */
#define ACCOUNT "reeved"

enum { DEPTH_MAX = 32 };

/* The user to which the manager switches. */
struct choice {
    uid_t user;
    gid_t group;
    bool is_named; /* true: the configuration names the user, so the manager does not start if it
                    * cannot switch */
    const char *stays_root;
};

/* ---- which user ---- */

MUST_CHECK static bool user_named_find(const char *name, struct choice *out, struct err *err)
{
    int64_t number;

    if (account_user_find(name, &out->user, &out->group)) {
        return true;
    }
    if (text_parse_int64(text_from(name), &number) && number >= 0 && number < UINT32_MAX) {
        out->user = (uid_t)number;
        out->group = (gid_t)number;
        return true;
    }
    err_set(err, CODE_R0553, "there is no user '%s' on this machine", name);
    return err_hint(err, "adduser --system --group %s, or name another user: user in reeved.yaml",
                    name);
}

/* Returns true if this user can access the folder of the store and run reeve's programs. The
 * calling process has already switched to this user. */
static bool user_is_able(const struct choice *choice, const char *data, const char *program)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(setgroups(0, NULL) == 0 &&
                      setresgid(choice->group, choice->group, choice->group) == 0 &&
                      setresuid(choice->user, choice->user, choice->user) == 0 &&
                      access(data, R_OK | X_OK) == 0 && access(program, X_OK) == 0
                  ? 0
                  : 1);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Chooses the user: that of the configuration, otherwise the owner of the folder of the store,
 * otherwise the account of the packages. */
MUST_CHECK static bool user_choose(const struct rights_options *options, struct choice *out,
                                   struct err *err)
{
    const struct config *config = options->config;
    struct stat status;

    *out = (struct choice){ 0 };
    if (geteuid() != 0) {
        out->user = geteuid();
        out->group = getegid();
        return true;
    }
    if (config->user != NULL) {
        out->is_named = true;
        if (!user_named_find(config->user, out, err)) {
            return false;
        }
    } else if (stat(config->data, &status) == 0 && status.st_uid != 0) {
        out->user = status.st_uid;
        out->group = status.st_gid;
    } else if (!account_user_find(ACCOUNT, &out->user, &out->group)) {
        out->stays_root = "there is no account '" ACCOUNT "'";
        return true;
    }
    if (out->user != 0 && out->group == options->admins) {
        err_set(
            err, CODE_R0553,
            "the user of the manager is in the group '%s', whose members are admins of the manager",
            config->socket_group);
        return err_hint(err, "give the user a separate group: adduser --system --group " ACCOUNT);
    }
    return true;
}

/* ---- its files ---- */

MUST_CHECK static bool give_refuse(const char *path, int number, struct err *err)
{
    err_set(err, CODE_R0553, "%s: its owner cannot be changed to the manager's user: %s", path,
            strerror(number));
    return err_hint(err, "change its owner with chown, or name another folder: --data DIR");
}

/* Gives the files in this folder that root owns to the manager's user, for example after a restore.
 * The folders of plugins keep their users. A file with several hard links is skipped, because it
 * may not belong to reeve. */
static void rights_entries_give(int folder, const struct choice *choice, unsigned depth)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;

    while (listing != NULL && depth < DEPTH_MAX && (entry = readdir(listing)) != NULL) {
        AUTO(fd) below = FD_NONE;
        struct stat status;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (status.st_uid == 0 && (S_ISDIR(status.st_mode) || status.st_nlink == 1)) {
            (void)!fchownat(folder, entry->d_name, choice->user, choice->group,
                            AT_SYMLINK_NOFOLLOW);
        } else if (status.st_uid != choice->user) {
            continue;
        }
        below = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0 && strcmp(entry->d_name, "plugins") != 0) {
            rights_entries_give(below, choice, depth + 1);
        }
    }
    if (listing != NULL) {
        closedir(listing);
    }
}

MUST_CHECK static bool folder_give(const char *path, const struct choice *choice, struct err *err)
{
    AUTO(fd) folder = FD_NONE;

    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        int number = errno;

        err_set(err, CODE_R0553, "%s: %s", path, strerror(number));
        return err_hint(
            err,
            number == ENOENT
                ? "create the parent folder, or name another folder: --data DIR"
                : "run reeved as a user with write access, or name another folder: --data DIR, and --socket PATH");
    }
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (choice->user == 0 || geteuid() != 0 || folder < 0) {
        return true; /* opening the store reports the error later */
    }
    if (fchown(folder, choice->user, choice->group) != 0) {
        /* a read-only store is also served */
        return errno == EROFS || give_refuse(path, errno, err);
    }
    rights_entries_give(folder, choice, 0);
    return true;
}

/* Creates a folder outside of the store's folder, because the manager cannot create it later. */
static void folder_elsewhere(const char *path, const struct choice *choice)
{
    if (path != NULL && mkdir(path, 0700) == 0 && choice->user != 0) {
        (void)!chown(path, choice->user, choice->group);
    }
}

/* ---- the launcher ---- */

static const char *program_path(const struct rights_options *options, const char *name)
{
    return arena_string(
        options->arena,
        arena_printf(options->arena, "%.*s/%s", TEXT_ARG(process_folder(options->arena)), name));
}

/* Returns a path beside the folder of the store. `data` is the path of that folder, with or without
 * a trailing slash. */
static const char *beside_data(const struct rights_options *options, const char *data,
                               const char *what)
{
    struct text path = text_from(data);

    while (path.length > 1 && path.data[path.length - 1] == '/') {
        path.length--;
    }
    return arena_string(options->arena,
                        arena_printf(options->arena, "%.*s.%s", TEXT_ARG(path), what));
}

static const char *absolute(const struct rights_options *options, const char *path)
{
    char resolved[PATH_MAX];

    return path != NULL && realpath(path, resolved) != NULL
               ? arena_string(options->arena, arena_text(options->arena, text_from(resolved)))
               : NULL;
}

static void file_list(struct launcher_options *launcher, const char *path)
{
    if (path != NULL && launcher->file_count < LAUNCHER_FILES_MAX) {
        launcher->files[launcher->file_count++] = path;
    }
}

static void launcher_fill(const struct rights_options *options, struct launcher_options *out)
{
    const struct config *config = options->config;
    const char *folder = absolute(options, config->data);

    folder = folder != NULL ? folder : config->data;
    *out = (struct launcher_options){
        .programs = { { program_path(options, "reeve-host"), { "reeve-host", "serve" }, folder },
                      { program_path(options, "reeve-signer"),
                        { "reeve-signer", "serve", "serve-new",
                          beside_data(options, folder, "signer.key"),
                          beside_data(options, folder, "signer.log") },
                        NULL },
                      { program_path(options, "reeve-session"),
                        { "reeve-session", "serve" },
                        folder },
                      { program_path(options, "reeve-fetch"),
                        { "reeve-fetch", "serve", "redfish", "ipmi" },
                        NULL },
                      { program_path(options, "reeve-playbook"),
                        { "reeve-playbook", "serve" },
                        NULL },
                      { program_path(options, "reeve-store"),
                        { "reeve-store", "detach" },
                        folder } },
        .program_count = 6,
        .calls = { [SANDBOX_CALL_GROUP_GIVE] = sandbox_group_give_serve,
                   [SANDBOX_CALL_GROUP_REMOVE] = sandbox_group_remove_serve },
        .socket = config->socket,
    };
    file_list(out, options->config_path);
    file_list(out, config->secret_key != NULL ? config->secret_key
                                              : beside_data(options, config->data, "key"));
    file_list(out, config->fetch.ca);
    for (size_t i = 0; i < config->listener_count; i++) {
        file_list(out, config->listeners[i].certificate);
        file_list(out, config->listeners[i].key);
    }
}

/* ---- giving up privileges ---- */

static void folder_allow(struct confine_options *confine, const char *path)
{
    if (path != NULL) {
        assert(confine->folder_count < CONFINE_FOLDERS_MAX);
        confine->folders[confine->folder_count++] = path;
    }
}

MUST_CHECK static bool user_check(const struct rights_options *options, struct choice *choice,
                                  struct err *err)
{
    const char *program = program_path(options, "reeve-session");

    if (geteuid() != 0 || choice->user == 0 ||
        user_is_able(choice, options->config->data, program)) {
        return true;
    }
    if (choice->is_named) {
        err_set(err, CODE_R0553, "user '%s' cannot reach the folder '%s' or the programs beside %s",
                options->config->user, options->config->data, program);
        return err_hint(err, "give the user access to the folders above them: chmod a+x");
    }
    choice->user = 0;
    choice->group = 0;
    choice->stays_root = "its account cannot reach the folder of the store or the programs";
    return true;
}

bool rights_give_up(const struct rights_options *options, struct rights *out, struct err *err)
{
    const struct config *config = options->config;
    struct confine_options confine = { 0 };
    struct choice choice;
    char *socket;

    *out = (struct rights){ 0 };
    if (!user_choose(options, &choice, err) || !folder_give(config->data, &choice, err)) {
        return false;
    }
    if (!user_check(options, &choice, err)) {
        return false;
    }
    if (choice.stays_root != NULL && !folder_give(config->data, &choice, err)) {
        return false;
    }
    folder_elsewhere(config->backups.folder, &choice);
    folder_elsewhere(config->fetch.folder, &choice);
    launcher_fill(options, &out->launcher);
    if (!launcher_start(&out->launcher, err)) {
        return false;
    }
    confine.is_user_changed = geteuid() == 0 && choice.user != 0;
    confine.user = choice.user;
    confine.group = choice.group;
    folder_allow(&confine, absolute(options, config->data));
    folder_allow(&confine, absolute(options, config->backups.folder));
    folder_allow(&confine, absolute(options, config->fetch.folder));
    socket = arena_string(options->arena, arena_text(options->arena, text_from(config->socket)));
    confine.socket_folder = absolute(options, dirname(socket));
    account_user_name(choice.user, out->user);
    out->stays_root = choice.stays_root;
    /* the store may write temporary files only in its own folder */
    setenv("SQLITE_TMPDIR", confine.folders[0] != NULL ? confine.folders[0] : config->data, 1);
    return confine_enter(&confine, &out->report, err);
}

struct doc rights_doc(const struct rights *rights, struct arena *arena)
{
    static const enum sandbox_part parts[] = { SANDBOX_CAPABILITIES, SANDBOX_LANDLOCK,
                                               SANDBOX_PRIVILEGES, SANDBOX_CALLS };
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        doc_builder_put(&builder, sandbox_part_name(parts[i]),
                        doc_text(sandbox_part_words(arena, &rights->report, parts[i]), NULL));
    }
    doc_builder_put(&builder, "user", doc_text(arena_text(arena, text_from(rights->user)), NULL));
    if (rights->stays_root != NULL) {
        doc_builder_put(&builder, "why", doc_text(text_from(rights->stays_root), NULL));
    }
    return doc_builder_map(&builder, NULL);
}
