/* reeve bootstrap manager HOST: makes a bare Debian the first manager, by the operator's own ssh.
 * Each step leaves a marker on the host, so an interrupted run can be repeated safely. */
#include "cli/act/bootstrap_parts.h"
#include "cli/act/manager_program.h"
#include "cli/args/command.h"
#include "client/token.h"
#include "session/script.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/loop.h"

#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    MANAGER_ANSWER_BYTES = 256 * 1024,
    MANAGER_SSH_FAILED = 255, /* the exit code of ssh for its own failures */
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
    const char *host; /* the host as given to ssh, without a user */
    const char *user;
    const char *key;
    const char *port;
    const char *context;
    struct text account; /* the manager's user account for the operator */
    struct package packages[ARRAY_COUNT(package_names)];
    size_t package_count;
    const char *ssh;
};

/* The output and the exit code of one step on the host. */
struct host_answer {
    struct loop *loop;
    struct arena *arena;
    struct text out;
    struct text said;
    int code;
    bool is_late;
    bool is_ended;
};

static bool manager_fail(const struct setup *setup, const struct err *err)
{
    err_list_add(&setup->command->errors, err);
    return false;
}

/* Report a completed step immediately, because the next one may take minutes. */
static void manager_say(const struct setup *setup, const char *step, struct text result)
{
    if (!args_has(&setup->command->args, FLAG_COMMON_QUIET)) {
        command_say(setup->command, arena_printf(setup->command->arena, "%s  %-10s %.*s\n",
                                                 setup->host, step, TEXT_ARG(result)));
    }
}

/* ---- programs ---- */

/* Return the path of a program in PATH. NULL: it is not installed. */
static const char *manager_program_find(struct arena *arena, const char *name)
{
    const char *value = getenv("PATH");
    struct text rest = text_from(value == NULL ? "/usr/local/bin:/usr/bin:/bin" : value);

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, ':');
        struct text path = arena_printf(arena, "%.*s/%s", TEXT_ARG(text_slice(rest, 0, end)), name);

        if (path.data[0] == '/' && access(path.data, X_OK) == 0) {
            return path.data;
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
    }
    return NULL;
}

static void on_manager_ended(void *arg, const struct child_end *end)
{
    struct host_answer *answer = arg;

    answer->out = arena_text(answer->arena, end->output[CHILD_OUT]);
    answer->said = arena_text(answer->arena, end->output[CHILD_ERROR]);
    answer->code = end->code;
    answer->is_late = end->is_late;
    answer->is_ended = true;
}

/* Run a program with this input until it ends. */
MUST_CHECK static bool manager_child_run(const struct setup *setup, const char *const *argv,
                                         struct text input, uint64_t deadline_ms,
                                         struct host_answer *out, struct err *err)
{
    struct arena *arena = setup->command->arena;
    extern char **environ;
    struct child_options options = {
        .path = argv[0],
        .argv = argv,
        .envp = (const char *const *)environ,
        .folder = ".",
        .input = input,
        .deadline_ms = deadline_ms,
        .grace_ms = 1000,
        .output_max = MANAGER_ANSWER_BYTES,
        .done = on_manager_ended,
        .arg = out,
        .is_killed_with_parent = true,
    };
    struct child *child;

    *out = (struct host_answer){ .arena = arena };
    if (!loop_open(&out->loop, err)) {
        return false;
    }
    if (!child_start(out->loop, &options, &child, err)) {
        loop_close(out->loop);
        return false;
    }
    while (!out->is_ended) {
        loop_run_once(out->loop, deadline_ms);
    }
    loop_close(out->loop);
    return true;
}

/* Return the last line of a program's output, for a message. */
static struct text manager_last_line(struct arena *arena, struct text said)
{
    struct text last = TEXT("");

    while (said.length > 0) {
        size_t end = text_find_byte(said, '\n');
        struct text line = text_trim(text_slice(said, 0, end));

        last = line.length > 0 ? line : last;
        said = end == SIZE_MAX ? TEXT("") : text_slice(said, end + 1, SIZE_MAX);
    }
    return script_plain(arena, last);
}

/* ---- steps on the host ---- */

/* Run a command line of the host's shell by ssh. */
MUST_CHECK static bool host_command(const struct setup *setup, const char *line, struct text input,
                                    uint64_t deadline_ms, struct host_answer *out, struct err *err)
{
    const char *argv[16];
    size_t count = 0;

    argv[count++] = setup->ssh;
    argv[count++] = "-o";
    argv[count++] = "BatchMode=yes";
    argv[count++] = "-o";
    argv[count++] = "ConnectTimeout=20";
    if (setup->port != NULL) {
        argv[count++] = "-p";
        argv[count++] = setup->port;
    }
    if (setup->key != NULL) {
        argv[count++] = "-i";
        argv[count++] = setup->key;
    }
    if (setup->user != NULL) {
        argv[count++] = "-l";
        argv[count++] = setup->user;
    }
    argv[count++] = "--";
    argv[count++] = setup->host;
    argv[count++] = line;
    argv[count] = NULL;
    assert(count < ARRAY_COUNT(argv));
    return manager_child_run(setup, argv, input, deadline_ms, out, err);
}

/* Return the command line that runs a script as root: directly, or by sudo without a password. */
static const char *host_line(struct arena *arena, struct text script)
{
    static const char enter[] =
        "if [ \"$(id -u)\" = 0 ]; then exec sh -c \"$1\"; fi; "
        "sudo -n true 2>/dev/null || { echo \"$(id -un) may not become root by sudo -n\" >&2; exit 77; }; "
        "exec sudo -n sh -c \"$1\"";
    struct buf buf;

    buf_init(&buf, arena);
    buf_add_string(&buf, "exec sh -c ");
    script_quote_add(&buf, text_from(enter));
    buf_add_string(&buf, " reeve ");
    script_quote_add(&buf, script);
    return arena_string(arena, buf_text(&buf));
}

MUST_CHECK static bool host_judge(const struct setup *setup, const char *step,
                                  const struct host_answer *answer, struct err *err)
{
    struct text line = manager_last_line(setup->command->arena, answer->said);

    if (answer->code == 0) {
        return true;
    }
    if (answer->is_late) {
        return err_set(err, CODE_R0852, "%s: the step '%s' took too long", setup->host, step);
    }
    err_set(err, CODE_R0852, "%s: the step '%s' failed: %.*s", setup->host, step, TEXT_ARG(line));
    if (answer->code == MANAGER_SSH_FAILED) {
        return err_hint(
            err,
            "ssh must work without questions, and the host key must be known; test it: ssh %s%s%s true",
            setup->user == NULL ? "" : setup->user, setup->user == NULL ? "" : "@", setup->host);
    }
    return err_hint(err,
                    "fix the cause and run the same command again: it continues where it stopped");
}

/* Run one step of the program on the host. `words` has the step's name and arguments and ends with
 * NULL. */
MUST_CHECK static bool host_step(const struct setup *setup, const char *const *words,
                                 uint64_t deadline_ms, struct host_answer *out)
{
    struct arena *arena = setup->command->arena;
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
    if (!host_command(setup, host_line(arena, buf_text(&buf)), TEXT(""), deadline_ms, out, &err) ||
        !host_judge(setup, words[0], out, &err)) {
        return manager_fail(setup, &err);
    }
    return true;
}

/* Return the value of a line "NAME VALUE" of the host's answer. Empty: there is no such line. */
static struct text manager_host_value(const struct host_answer *answer, const char *name)
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

static int64_t host_number(const struct host_answer *answer, const char *name)
{
    int64_t number;

    return text_parse_int64(manager_host_value(answer, name), &number) ? number : 0;
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
    struct arena *arena = setup->command->arena;
    struct host_answer answer;
    char digest[DIGEST_TEXT_BYTES];
    struct text bytes;
    struct text line;
    struct err err;

    if (!file_read(arena, package->path.data, MANAGER_PACKAGE_BYTES, &bytes, &err)) {
        return manager_fail(setup, &err);
    }
    digest_sha256(bytes, digest);
    line = script_put(arena,
                      arena_printf(arena, "/var/tmp/reeve-bootstrap/%.*s", TEXT_ARG(package->file)),
                      0600, text_from(digest));
    if (!host_command(setup, host_line(arena, line), bytes, MANAGER_PACKAGES_MS, &answer, &err) ||
        !host_judge(setup, "packages", &answer, &err)) {
        return manager_fail(setup, &err);
    }
    return true;
}

static bool packages_install(struct setup *setup, const struct host_answer *look)
{
    static const char *const incoming[] = { "incoming", NULL };
    struct arena *arena = setup->command->arena;
    struct text version = setup->packages[0].version;
    const char *words[ARRAY_COUNT(package_names) + 3] = { "packages",
                                                          arena_string(arena, version) };
    struct host_answer answer;

    if (text_is_equal(manager_host_value(look, "packages_done"), version)) {
        manager_say(setup, "packages", arena_printf(arena, "%.*s is installed", TEXT_ARG(version)));
        return true;
    }
    if (!host_step(setup, incoming, MANAGER_STEP_MS, &answer)) {
        return false;
    }
    for (size_t i = 0; i < setup->package_count; i++) {
        words[i + 2] = setup->packages[i].file.data;
        if (!package_send(setup, &setup->packages[i])) {
            return false;
        }
    }
    if (!host_step(setup, words, MANAGER_PACKAGES_MS, &answer)) {
        return false;
    }
    manager_say(setup, "packages",
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
                                   "%s: %.*s", setup->host, TEXT_ARG(what));

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

static bool manager_preflight(struct setup *setup, struct host_answer *out)
{
    struct arena *arena = setup->command->arena;
    const char *words[] = { "look", arena_printf(arena, "%d", MANAGER_PORT).data, NULL };
    int64_t before_s = clock_wall_ms(clock_system()) / 1000;
    struct text arch = package_arch(&setup->packages[0]);
    size_t faults = 0;
    int64_t after_s;
    int64_t ahead_s;
    bool is_ours;

    if (!host_step(setup, words, MANAGER_STEP_MS, out)) {
        return false;
    }
    after_s = clock_wall_ms(clock_system()) / 1000;
    ahead_s = host_number(out, "clock");
    ahead_s = ahead_s > after_s ? ahead_s - after_s : ahead_s < before_s ? ahead_s - before_s : 0;
    is_ours = manager_host_value(out, "packages_done").length > 0;
    if (!text_is(manager_host_value(out, "id"), "debian") || host_number(out, "release") < 12 ||
        manager_host_value(out, "apt").length == 0) {
        preflight_fault(setup, &faults, "a manager needs Debian 12 or 13",
                        arena_printf(arena, "the host runs '%.*s' %.*s",
                                     TEXT_ARG(manager_host_value(out, "id")),
                                     TEXT_ARG(manager_host_value(out, "release"))));
    }
    if (!text_is_equal(manager_host_value(out, "arch"), arch)) {
        preflight_fault(
            setup, &faults, "build the packages on a computer of that architecture: make deb",
            arena_printf(arena,
                         "the architecture of the host is %.*s, but the packages are for %.*s",
                         TEXT_ARG(manager_host_value(out, "arch")), TEXT_ARG(arch)));
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
    if (!is_ours && (manager_host_value(out, "running").length > 0 ||
                     manager_host_value(out, "store").length > 0)) {
        struct text at = manager_host_value(out, "listens");

        preflight_fault(
            setup, &faults,
            "connect to that manager: reeve context login URL; or make another host a manager",
            arena_printf(arena, "the host has a manager already, %s%.*s",
                         at.length > 0 ? "at " : "which listens only at its unix socket",
                         TEXT_ARG(at)));
    } else if (!is_ours && manager_host_value(out, "port").length > 0) {
        preflight_fault(setup, &faults, "stop the program that listens at this port",
                        arena_printf(arena, "port %d is in use", MANAGER_PORT));
    }
    if (faults == 0) {
        manager_say(setup, "preflight",
                    arena_printf(arena, "Debian %.*s, %.*s, %lld MiB free",
                                 TEXT_ARG(manager_host_value(out, "release")), TEXT_ARG(arch),
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
                            setup->host,
                            host_is_address(setup->host, &is_six) ? "IP" : "DNS",
                            arena_printf(arena, "%d", MANAGER_PORT).data,
                            NULL,
                            NULL };
    struct host_answer answer;

    words[4] = is_six ? "[::]" : "0.0.0.0";
    if (!host_step(setup, words, MANAGER_STEP_MS, &answer)) {
        return false;
    }
    manager_say(setup, "configure",
                text_is(manager_host_value(&answer, "kept"), "listen")
                    ? TEXT("the listeners stay as they are")
                    : arena_printf(arena, "listens at port %d with a self-signed certificate",
                                   MANAGER_PORT));
    return true;
}

static bool manager_start(const struct setup *setup, struct text *out_certificate)
{
    const char *words[] = { "start",
                            arena_printf(setup->command->arena, "%d", MANAGER_START_S).data, NULL };
    struct host_answer answer;

    if (!host_step(setup, words, (MANAGER_START_S + 60) * 1000, &answer)) {
        return false;
    }
    *out_certificate = answer.out;
    manager_say(setup, "start", TEXT("the manager is ready"));
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

/* Run this program with other arguments. */
static bool self_run(const struct setup *setup, const char *const *words, struct text input,
                     const char *step)
{
    struct arena *arena = setup->command->arena;
    char path[LIMIT_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    const char *argv[12];
    struct host_answer answer;
    size_t count = 0;
    struct err err;

    path[length > 0 ? length : 0] = '\0';
    argv[count++] = path;
    for (; words[count - 1] != NULL; count++) {
        assert(count + 1 < ARRAY_COUNT(argv));
        argv[count] = words[count - 1];
    }
    argv[count] = NULL;
    if (!manager_child_run(setup, argv, input, MANAGER_PACKAGES_MS, &answer, &err)) {
        return manager_fail(setup, &err);
    }
    if (answer.code != 0) {
        err_set(&err, CODE_R0852, "the step '%s' failed: %.*s", step,
                TEXT_ARG(manager_last_line(arena, answer.said)));
        err_hint(&err, "the manager runs; on its host: sudo reeve doctor");
        return manager_fail(setup, &err);
    }
    return true;
}

static bool manager_login(const struct setup *setup, struct text certificate)
{
    struct arena *arena = setup->command->arena;
    struct text account = setup->account;
    const char *words[] = { "token", arena_string(arena, account), "reeve bootstrap manager",
                            NULL };
    struct host_answer answer;
    const char *ca;
    const char *url;
    bool is_six;

    (void)host_is_address(setup->host, &is_six);
    url =
        arena_printf(arena, is_six ? "https://[%s]:%d" : "https://%s:%d", setup->host, MANAGER_PORT)
            .data;
    if (!certificate_keep(setup, certificate, &ca) ||
        !host_step(setup, words, MANAGER_STEP_MS, &answer) ||
        !self_run(setup,
                  (const char *const[]){ "context", "login", url, "--ca", ca, "--context",
                                         setup->context, "--token-file", "-", NULL },
                  answer.out, "login")) {
        return false;
    }
    manager_say(setup, "login",
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
    if (!self_run(setup,
                  (const char *const[]){ "config", "push", folder, "--name", name, "--context",
                                         setup->context, NULL },
                  TEXT(""), "repository")) {
        return false;
    }
    manager_say(setup, "repository", arena_printf(arena, "configuration %s is pushed", name));
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
        .host = host,
        .user = args_value(&command->args, FLAG_BOOTSTRAP_USER),
        .key = args_value(&command->args, FLAG_BOOTSTRAP_KEY),
        .port = args_value(&command->args, FLAG_BOOTSTRAP_PORT),
        .context = context == NULL ? host : context,
        .account = account_name(command->arena),
        .ssh = manager_program_find(command->arena, "ssh"),
    };
    struct host_answer look;
    struct text certificate;

    if (!manager_host_check(command, host)) {
        return EXIT_CODE_USAGE;
    }
    if (setup.ssh == NULL) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0714,
                              "ssh is not installed on this computer"),
                 "apt install openssh-client");
        return EXIT_CODE_FAILED;
    }
    if (!packages_take(&setup) || !manager_preflight(&setup, &look) ||
        !packages_install(&setup, &look) || !manager_configure(&setup) ||
        !manager_start(&setup, &certificate) || !manager_login(&setup, certificate) ||
        !repository_push(&setup)) {
        return exit_of_errors(&command->errors, command->is_strict);
    }
    buf_printf(&command->notes, "next: reeve status\n");
    return EXIT_CODE_DONE;
}
