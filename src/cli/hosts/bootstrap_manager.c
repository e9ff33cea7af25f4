/* reeve bootstrap manager HOST: makes a bare Debian the first manager, by the operator's own ssh.
 * Each step leaves a marker on the host, so an interrupted run can be repeated safely. */
#include "cli/hosts/bootstrap_manager.h"
#include "cli/hosts/manager_program.h"
#include "cli/hosts/manager_setup.h"
#include "cli/args/command.h"
#include "client/token.h"
#include "session/script.h"
#include "sys/clock.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: bootstrap_manager manager_ */

enum {
    MANAGER_PORT = 8420,
    MANAGER_FREE_KIB_MIN = 512 * 1024,
    /* largest tolerated clock difference in s; a larger difference breaks certificates and
     * leases */
    MANAGER_CLOCK_S = 5,
    MANAGER_STEP_MS = 60 * 1000,
    MANAGER_PACKAGES_MS = 20 * 60 * 1000,
    MANAGER_PACKAGE_BYTES = 256 * 1024 * 1024,
    MANAGER_START_S = 60,
};

/* The packages, in the order in which apt receives them. The third package is sent only if the
 * folder has it, because only plugins for clouds and containers need it. */
static const char *const package_names[] = { "reeve", "reeved", "reeve-plugins" };

struct package {
    struct text path;
    struct text file; /* name of the package file without the folder */
    struct text version;
};

struct setup {
    struct command *command;
    struct ssh_host host;
    const char *context;
    struct text account; /* the manager's user account for the operator */
    struct package packages[ARRAY_COUNT(package_names)];
    size_t package_count;
    struct manager_store store;   /* no endpoints: the embedded store */
    struct manager_member member; /* no group: the host becomes no member */
};

static bool manager_fail(const struct setup *setup, const struct err *err)
{
    err_list_add(&setup->command->errors, err);
    return false;
}

void manager_say(const struct ssh_host *host, const char *step, struct text result)
{
    if (!args_has(&host->command->args, FLAG_COMMON_QUIET)) {
        command_say(host->command, arena_printf(host->command->arena, "%s  %-10s %.*s\n",
                                                host->name, step, TEXT_ARG(result)));
    }
}

/* ---- steps on the host ---- */

bool manager_step(const struct ssh_host *host, const char *const *words, uint64_t deadline_ms,
                  struct program_answer *out)
{
    struct arena *arena = host->command->arena;
    struct err err;
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, "exec sh -c ");
    buf_add(&buf, manager_program_files[0].bytes);
    buf_add_string(&buf, " reeve");
    for (size_t i = 0; words[i] != NULL; i++) {
        buf_add_string(&buf, " ");
        script_quote_add(&buf, text_from(words[i]));
    }
    if (ssh_host_run(host, ssh_host_root_line(arena, buf_text(&buf)), TEXT(""), deadline_ms, out,
                     &err) &&
        ssh_host_judge(host, words[0], out, &err)) {
        return true;
    }
    err_list_add(&host->command->errors, &err);
    return false;
}

bool manager_put(const struct ssh_host *host, const char *step, const char *path, struct text bytes)
{
    struct arena *arena = host->command->arena;
    struct program_answer answer;
    char digest[DIGEST_TEXT_BYTES];
    struct text line;
    struct err err;

    digest_sha256(bytes, digest);
    line = script_put(arena, text_from(path), 0600, text_from(digest));
    if (ssh_host_run(host, ssh_host_root_line(arena, line), bytes, MANAGER_PACKAGES_MS, &answer,
                     &err) &&
        ssh_host_judge(host, step, &answer, &err)) {
        return true;
    }
    err_list_add(&host->command->errors, &err);
    return false;
}

struct text manager_value(const struct program_answer *answer, const char *name)
{
    struct text rest = answer->out;
    size_t length = strlen(name);

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_slice(rest, 0, end);

        if (line.length > length && text_is(text_slice(line, 0, length), name) &&
            line.data[length] == ' ') {
            return text_trim(text_slice(line, length + 1, SIZE_MAX));
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return TEXT("");
}

static int64_t host_number(const struct program_answer *answer, const char *name)
{
    int64_t number;

    return text_parse_int64(manager_value(answer, name), &number) ? number : 0;
}

/* ---- the packages of this version ---- */

/* Splits NAME_VERSION_ARCH.deb. */
MUST_CHECK static bool package_name_split(struct text file, struct text *out_name,
                                          struct text *out_version)
{
    size_t first = text_find_byte(file, '_');
    struct text rest = text_slice(file, first == SIZE_MAX ? file.length : first + 1, SIZE_MAX);
    size_t second = text_find_byte(rest, '_');

    *out_name = text_slice(file, 0, first);
    *out_version = text_slice(rest, 0, second);
    return first != SIZE_MAX && second != SIZE_MAX && text_has_suffix(file, TEXT(".deb"));
}

/* Find the newest set of packages in a folder: the packages of the version that was built last. */
static bool manager_packages_find(struct setup *setup, const char *folder)
{
    struct arena *arena = setup->command->arena;
    struct text version = TEXT("");
    time_t newest = 0;
    const struct dirent *entry;
    DIR *dir = opendir(folder);

    if (dir == NULL) {
        return false;
    }
    for (int is_second = 0; is_second < 2; is_second++) {
        rewinddir(dir);
        while ((entry = readdir(dir)) != NULL) {
            struct text path = arena_printf(arena, "%s/%s", folder, entry->d_name);
            struct text name;
            struct text its;
            struct stat state;

            if (!package_name_split(text_from(entry->d_name), &name, &its) ||
                stat(path.data, &state) != 0) {
                continue;
            }
            if (is_second == 0 && text_is(name, "reeved") && state.st_mtime >= newest) {
                newest = state.st_mtime;
                version = arena_text(arena, its);
            }
            for (size_t i = 0; is_second == 1 && i < ARRAY_COUNT(package_names); i++) {
                if (text_is(name, package_names[i]) && text_is_equal(its, version)) {
                    setup->packages[i] = (struct package){
                        .path = path,
                        .file = arena_text(arena, text_from(entry->d_name)),
                        .version = version,
                    };
                }
            }
        }
    }
    closedir(dir);
    for (size_t i = 0; i < ARRAY_COUNT(package_names); i++) {
        if (setup->packages[i].path.length > 0) {
            setup->packages[setup->package_count++] = setup->packages[i];
        }
    }
    return setup->packages[0].path.length > 0 && setup->package_count >= 2;
}

static bool packages_take(struct setup *setup)
{
    const char *flag = args_value(&setup->command->args, FLAG_BOOTSTRAP_PACKAGES);
    char path[LIMIT_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    char *slash;
    struct err err;

    if (flag == NULL && length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
        *slash = '\0';
        if (manager_packages_find(setup,
                                  arena_printf(setup->command->arena, "%s/deb", path).data)) {
            return true;
        }
        flag = "/usr/share/reeve/packages";
    }
    if (flag != NULL && manager_packages_find(setup, flag)) {
        return true;
    }
    err_set(&err, CODE_R0852,
            "there are no packages of reeve and reeved with the same version in '%s'",
            flag == NULL ? "" : flag);
    err_hint(&err, "make deb builds them in a checkout; --packages DIR names their folder");
    return manager_fail(setup, &err);
}

static bool package_send(const struct setup *setup, const struct package *package)
{
    struct text bytes;
    struct err err;

    if (!file_read(setup->command->arena, package->path.data, MANAGER_PACKAGE_BYTES, &bytes,
                   &err)) {
        return manager_fail(setup, &err);
    }
    return manager_put(&setup->host, "packages",
                       arena_printf(setup->command->arena, "/var/tmp/reeve-bootstrap/%.*s",
                                    TEXT_ARG(package->file))
                           .data,
                       bytes);
}

static bool packages_install(struct setup *setup, const struct program_answer *look)
{
    static const char *const incoming[] = { "incoming", NULL };
    struct arena *arena = setup->command->arena;
    struct text version = setup->packages[0].version;
    const char *words[ARRAY_COUNT(package_names) + 3] = { "packages",
                                                          arena_string(arena, version) };
    struct program_answer answer;

    if (text_is_equal(manager_value(look, "packages_done"), version)) {
        manager_say(&setup->host, "packages",
                    arena_printf(arena, "%.*s is installed", TEXT_ARG(version)));
        return true;
    }
    if (!manager_step(&setup->host, incoming, MANAGER_STEP_MS, &answer)) {
        return false;
    }
    for (size_t i = 0; i < setup->package_count; i++) {
        words[i + 2] = setup->packages[i].file.data;
        if (!package_send(setup, &setup->packages[i])) {
            return false;
        }
    }
    if (!manager_step(&setup->host, words, MANAGER_PACKAGES_MS, &answer)) {
        return false;
    }
    manager_say(&setup->host, "packages",
                arena_printf(arena, "%zu packages of %.*s are installed", setup->package_count,
                             TEXT_ARG(version)));
    return true;
}

/* ---- before anything is changed ---- */

/* Adds one reason why the host cannot become a manager. One run reports all reasons. */
static void preflight_fault(const struct setup *setup, size_t *faults, const char *hint,
                            struct text what)
{
    struct err *err = err_list_set(&setup->command->errors, (struct place){ 0 }, CODE_R0851,
                                   "%s: %.*s", setup->host.name, TEXT_ARG(what));

    (void)!err_hint(err, "%s", hint);
    (*faults)++;
}

/* Return the architecture of a package, from NAME_VERSION_ARCH.deb. */
static struct text package_arch(const struct package *package)
{
    struct text name;
    struct text version;
    bool is_split = package_name_split(package->file, &name, &version);
    size_t start = name.length + version.length + 2;

    assert(is_split);
    return text_slice(package->file, start, package->file.length - start - strlen(".deb"));
}

static bool manager_preflight(struct setup *setup, struct program_answer *out)
{
    struct arena *arena = setup->command->arena;
    const char *words[] = { "look", arena_printf(arena, "%d", MANAGER_PORT).data, NULL };
    int64_t before_s = clock_wall_ms(clock_system()) / 1000;
    struct text arch = package_arch(&setup->packages[0]);
    size_t faults = 0;
    int64_t after_s;
    int64_t ahead_s;
    bool is_ours;

    if (!manager_step(&setup->host, words, MANAGER_STEP_MS, out)) {
        return false;
    }
    after_s = clock_wall_ms(clock_system()) / 1000;
    ahead_s = host_number(out, "clock");
    ahead_s = ahead_s > after_s ? ahead_s - after_s : ahead_s < before_s ? ahead_s - before_s : 0;
    is_ours = manager_value(out, "packages_done").length > 0;
    if (!text_is(manager_value(out, "id"), "debian") || host_number(out, "release") < 12 ||
        manager_value(out, "apt").length == 0) {
        preflight_fault(setup, &faults, "a manager needs Debian 12 or 13",
                        arena_printf(arena, "the host runs '%.*s' %.*s",
                                     TEXT_ARG(manager_value(out, "id")),
                                     TEXT_ARG(manager_value(out, "release"))));
    }
    if (!text_is_equal(manager_value(out, "arch"), arch)) {
        preflight_fault(
            setup, &faults, "build the packages on a computer of that architecture: make deb",
            arena_printf(arena,
                         "the architecture of the host is %.*s, but the packages are for %.*s",
                         TEXT_ARG(manager_value(out, "arch")), TEXT_ARG(arch)));
    }
    if (host_number(out, "free") < MANAGER_FREE_KIB_MIN) {
        preflight_fault(setup, &faults, "free some room in /var",
                        arena_printf(arena, "/var has %lld MiB left, but %d MiB are needed",
                                     (long long)host_number(out, "free") / 1024,
                                     MANAGER_FREE_KIB_MIN / 1024));
    }
    if (ahead_s > MANAGER_CLOCK_S || ahead_s < -MANAGER_CLOCK_S) {
        preflight_fault(
            setup, &faults, "set the clock of both, for example by systemd-timesyncd",
            arena_printf(arena,
                         "the clock of the host differs from that of this computer by %lld s",
                         (long long)ahead_s));
    }
    if (!is_ours &&
        (manager_value(out, "running").length > 0 || manager_value(out, "store").length > 0)) {
        struct text at = manager_value(out, "listens");

        preflight_fault(
            setup, &faults,
            "connect to that manager: reeve context login URL; or make another host a manager",
            arena_printf(arena, "the host has a manager already, %s%.*s",
                         at.length > 0 ? "at " : "which listens only at its unix socket",
                         TEXT_ARG(at)));
    } else if (!is_ours && manager_value(out, "port").length > 0) {
        preflight_fault(setup, &faults, "stop the program that listens at this port",
                        arena_printf(arena, "port %d is in use", MANAGER_PORT));
    }
    if (faults == 0) {
        manager_say(&setup->host, "preflight",
                    arena_printf(arena, "Debian %.*s, %.*s, %lld MiB free",
                                 TEXT_ARG(manager_value(out, "release")), TEXT_ARG(arch),
                                 (long long)host_number(out, "free") / 1024));
    }
    return faults == 0;
}

/* ---- configuration, start, login ---- */

/* True if the host is given as an IP address; *out_is_six: it is an IPv6 address. */
static bool host_is_address(const char *host, bool *out_is_six)
{
    unsigned char room[16];

    *out_is_six = inet_pton(AF_INET6, host, room) == 1;
    return *out_is_six || inet_pton(AF_INET, host, room) == 1;
}

static bool manager_configure(const struct setup *setup)
{
    struct arena *arena = setup->command->arena;
    bool is_six;
    const char *words[] = { "configure",
                            setup->host.name,
                            host_is_address(setup->host.name, &is_six) ? "IP" : "DNS",
                            arena_printf(arena, "%d", MANAGER_PORT).data,
                            NULL,
                            NULL };
    struct program_answer answer;

    words[4] = is_six ? "[::]" : "0.0.0.0";
    if (!manager_step(&setup->host, words, MANAGER_STEP_MS, &answer)) {
        return false;
    }
    manager_say(&setup->host, "configure",
                text_is(manager_value(&answer, "kept"), "listen")
                    ? TEXT("the listeners stay as they are")
                    : arena_printf(arena, "listens at port %d with a self-signed certificate",
                                   MANAGER_PORT));
    return true;
}

static bool manager_start(const struct setup *setup, struct text *out_certificate)
{
    const char *words[] = { "start",
                            arena_printf(setup->command->arena, "%d", MANAGER_START_S).data, NULL };
    struct program_answer answer;

    if (!manager_step(&setup->host, words, (MANAGER_START_S + 60) * 1000, &answer)) {
        return false;
    }
    *out_certificate = answer.out;
    manager_say(&setup->host, "start", TEXT("the manager is ready"));
    return true;
}

/* Stores the certificate of the manager in the user's folder, where the context finds it. */
static bool certificate_keep(const struct setup *setup, struct text certificate,
                             const char **out_path)
{
    struct arena *arena = setup->command->arena;
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    AUTO(fd) folder = FD_NONE;
    struct text path;
    struct err err;

    if (base == NULL && home == NULL) {
        err_set(&err, CODE_R0012, "there is no folder for your configuration: HOME is not set");
        return manager_fail(setup, &err);
    }
    path = base != NULL ? arena_printf(arena, "%s/reeve", base)
                        : arena_printf(arena, "%s/.config/reeve", home);
    *out_path = arena_printf(arena, "%.*s/%s.crt", TEXT_ARG(path), setup->context).data;
    if (!token_folder_make(arena, path.data, &err) || !folder_open(path.data, &folder, &err) ||
        !file_replace(folder, arena_printf(arena, "%s.crt", setup->context).data, certificate, 0644,
                      &err)) {
        return manager_fail(setup, &err);
    }
    return true;
}

bool manager_self_run(struct command *command, const char *const *words, struct text input,
                      const char *step)
{
    struct program_answer answer;
    struct err err;

    if (!program_run_self(command, words, input, MANAGER_PACKAGES_MS, &answer, &err)) {
        err_list_add(&command->errors, &err);
        return false;
    }
    return answer.code == 0 ||
           err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0852,
                                 "the step '%s' failed: %.*s", step,
                                 TEXT_ARG(program_last_line(command->arena, answer.said))),
                    "the manager runs; on its host: sudo reeve doctor");
}

static bool manager_login(const struct setup *setup, struct text certificate)
{
    struct arena *arena = setup->command->arena;
    struct text account = setup->account;
    const char *words[] = { "token", arena_string(arena, account), "reeve bootstrap manager",
                            NULL };
    struct program_answer answer;
    const char *ca;
    const char *url;
    bool is_six;

    (void)host_is_address(setup->host.name, &is_six);
    url = arena_printf(arena, is_six ? "https://[%s]:%d" : "https://%s:%d", setup->host.name,
                       MANAGER_PORT)
              .data;
    if (!certificate_keep(setup, certificate, &ca) ||
        !manager_step(&setup->host, words, MANAGER_STEP_MS, &answer) ||
        !manager_self_run(setup->command,
                          (const char *const[]){ "context", "login", url, "--ca", ca, "--context",
                                                 setup->context, "--token-file", "-", NULL },
                          answer.out, "login")) {
        return false;
    }
    manager_say(&setup->host, "login",
                arena_printf(arena, "you are %.*s; context %s is in use: %s", TEXT_ARG(account),
                             setup->context, url));
    return true;
}

static bool repository_push(const struct setup *setup)
{
    const char *folder = args_value(&setup->command->args, FLAG_BOOTSTRAP_REPO);
    struct arena *arena = setup->command->arena;
    struct text path;
    const char *name;
    const char *slash;

    if (folder == NULL) {
        return true;
    }
    path = text_from(folder);
    while (path.length > 1 && path.data[path.length - 1] == '/') {
        path.length--;
    }
    name = arena_string(arena, path);
    slash = strrchr(name, '/');
    name = slash == NULL ? name : slash + 1;
    if (!manager_self_run(setup->command,
                          (const char *const[]){ "config", "push", folder, "--name", name,
                                                 "--context", setup->context, NULL },
                          TEXT(""), "repository")) {
        return false;
    }
    manager_say(&setup->host, "repository",
                arena_printf(arena, "configuration %s is pushed", name));
    return true;
}

/* ---- the command ---- */

/* The host must be a name or an address, because it becomes an argument of ssh and a part of a URL
 * and of a certificate. */
static bool manager_host_check(struct command *command, const char *host)
{
    size_t plain =
        strspn(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-");

    if (host[0] != '\0' && host[0] != '-' && host[plain] == '\0' && plain < 254) {
        return true;
    }
    err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                          "'%s' is not a host name or an address", host),
             "reeve bootstrap manager 10.0.0.5 --user admin");
    return false;
}

/* Return the user name of the operator at the new manager: the name of the local account. */
static struct text account_name(struct arena *arena)
{
    const struct passwd *user = getpwuid(getuid());

    return user == NULL ? TEXT("admin") : arena_text(arena, text_from(user->pw_name));
}

enum exit_code bootstrap_manager(struct command *command)
{
    const char *host = command->args.argument_count == 2 ? command->args.words[1] : "";
    const char *context = args_value(&command->args, FLAG_COMMON_CONTEXT);
    struct setup setup = {
        .command = command,
        .host = { .command = command,
                  .name = host,
                  .user = args_value(&command->args, FLAG_BOOTSTRAP_USER),
                  .key = args_value(&command->args, FLAG_BOOTSTRAP_KEY),
                  .port = args_value(&command->args, FLAG_BOOTSTRAP_PORT) },
        .context = context == NULL ? host : context,
        .account = account_name(command->arena),
    };
    struct program_answer look;
    struct text certificate;

    if (!manager_host_check(command, host)) {
        return EXIT_CODE_USAGE;
    }
    if (!ssh_host_open(&setup.host)) {
        return EXIT_CODE_FAILED;
    }
    if (!manager_store_read(command, &setup.store) ||
        !manager_member_read(&setup.host, &setup.member)) {
        return EXIT_CODE_USAGE;
    }
    if (!packages_take(&setup) || !manager_preflight(&setup, &look) ||
        !manager_store_hold(&setup.host, &setup.store, &look) || !packages_install(&setup, &look) ||
        !manager_store_send(&setup.host, &setup.store) || !manager_configure(&setup) ||
        !manager_start(&setup, &certificate) || !manager_login(&setup, certificate) ||
        !repository_push(&setup) ||
        !manager_member_adopt(&setup.host, &setup.member, setup.context, &look)) {
        return exit_of_errors(&command->errors, command->is_strict);
    }
    buf_printf(&command->notes, "next: reeve status\n");
    return EXIT_CODE_DONE;
}
