#include "base/limits.h"
#include "host/relay.h"
#include "host/sandbox_parts.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* User ids that no other software uses. systemd does not assign ids of the first range. If a
 * container does not map that range, ids of the second range are used, which is for dynamic service
 * users. */
enum { OWN_FIRST = 0x70000000, OWN_COUNT = 0x0fffffff, SMALL_FIRST = 61184, SMALL_COUNT = 4336 };

/* ---- identity ---- */

static bool has_capabilities(void)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
    uint32_t wanted = 1u << CAP_SYS_ADMIN | 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_CHOWN;

    return syscall(SYS_capget, &head, data) == 0 && (data[0].effective & wanted) == wanted;
}

static bool is_mapped(uid_t uid)
{
    FILE *file = fopen("/proc/self/uid_map", "re");
    unsigned long inside;
    unsigned long outside;
    unsigned long count;
    bool is_found = false;

    while (file != NULL && fscanf(file, "%lu %lu %lu", &inside, &outside, &count) == 3) {
        is_found = is_found || (uid >= inside && uid - inside < count);
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_found;
}

static bool is_sandbox_spaces_own(uid_t uid)
{
    return (uid >= OWN_FIRST && uid - OWN_FIRST < OWN_COUNT) ||
           (uid >= SMALL_FIRST && uid - SMALL_FIRST < SMALL_COUNT);
}

/* Returns the owner of the parent folder, which is the manager's user. A plugin must not run as
 * this user. */
static uid_t above_owner(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    char above[LIMIT_PATH_BYTES];
    struct stat status;

    snprintf(above, sizeof(above), "%.*s/.", slash == NULL ? 0 : (int)(slash - folder), folder);
    return stat(above, &status) == 0 ? status.st_uid : 0;
}

uid_t sandbox_user_of(const char *name)
{
    uint32_t hash = 2166136261u;

    for (const char *c = name; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    if (is_mapped(OWN_FIRST) && is_mapped(OWN_FIRST + OWN_COUNT - 1)) {
        return OWN_FIRST + hash % OWN_COUNT;
    }
    return is_mapped(SMALL_FIRST) ? SMALL_FIRST + hash % SMALL_COUNT : 0;
}

/* Chooses the user: the current owner of the folder, or a user id that is derived from the name of
 * the folder or the profile, so that two plugins rarely get the same id. */
static uid_t own_choose(const struct sandbox_options *options)
{
    const char *name =
        options->folder != NULL ? options->folder : sandbox_profile_name(options->profile);
    const char *folder = options->folder;
    struct stat status;

    if (folder != NULL && stat(folder, &status) == 0 && is_sandbox_spaces_own(status.st_uid) &&
        is_mapped(status.st_uid) && status.st_uid != above_owner(folder)) {
        return status.st_uid;
    }
    return sandbox_user_of(name);
}

void sandbox_identify(const struct sandbox_options *options, struct sandbox_identity *out,
                      struct sandbox_report *report)
{
    *out = (struct sandbox_identity){
        .uid = geteuid(),
        .gid = getegid(),
        .is_root = has_capabilities(),
        .parent = getppid(),
        .waiter = FD_NONE,
        .self = FD_NONE,
    };
    if (options->profile == SANDBOX_HOST || options->without[SANDBOX_IDENTITY]) {
        return;
    }
    if (!out->is_root) {
        sandbox_miss(report, SANDBOX_IDENTITY,
                     "the manager is not root, so it cannot use "
                     "another user",
                     0);
        return;
    }
    out->own = own_choose(options);
    if (out->own == 0) {
        sandbox_miss(report, SANDBOX_IDENTITY, "this container has no free user id", 0);
    }
}

/* ---- namespaces ---- */

static bool file_fill(int folder, const char *name, const char *text)
{
    AUTO(fd) file = openat(folder, name, O_WRONLY | O_CLOEXEC);

    return file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Enters a new user namespace, in which the user is SANDBOX_INSIDE. Outside, the user stays the
 * same. `self` is a descriptor of /proc/self. */
static bool user_leave(int self, uid_t uid, gid_t gid)
{
    char uids[64];
    char gids[64];

    snprintf(uids, sizeof(uids), "%d %u 1\n", SANDBOX_INSIDE, uid);
    snprintf(gids, sizeof(gids), "%d %u 1\n", SANDBOX_INSIDE, gid);
    return unshare(CLONE_NEWUSER) == 0 && file_fill(self, "setgroups", "deny") &&
           file_fill(self, "uid_map", uids) && file_fill(self, "gid_map", gids);
}

static void part_leave(const struct sandbox_options *options, struct sandbox_report *report,
                       enum sandbox_part part, int flag)
{
    if (options->without[part]) {
        return;
    }
    if (unshare(flag) != 0) {
        sandbox_miss(report, part, "the kernel refuses", errno);
    } else {
        sandbox_note(report, part);
    }
}

/* Ends the process on a signal with the exit code SIGNALLED plus the signal. Without this handler,
 * abort() and raise() would have no effect: the kernel does not deliver unhandled signals that the
 * first process of a pid namespace sends to itself. */
enum { SIGNALLED = 128 };

static void signal_end(int number)
{
    _exit(SIGNALLED + number);
}

static void signals_end(void)
{
    static const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    struct sigaction ends = { .sa_handler = signal_end };

    for (size_t i = 0; i < ARRAY_COUNT(fatal); i++) {
        struct sigaction before;

        if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
            sigaction(fatal[i], &ends, NULL);
        }
    }
}

/* Returns the signal that ended the process, from its wait status; 0: none. */
static int signal_of(int status)
{
    if (WIFSIGNALED(status)) {
        return WTERMSIG(status);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) > SIGNALLED ? WEXITSTATUS(status) - SIGNALLED
                                                                : 0;
}

/* Drops capabilities of the waiting process. Two are still needed: when it ends, the process inside
 * is killed, for which the kernel checks permissions; and with a relay it starts processes that
 * switch users. */
static void waiter_strip(const struct sandbox_options *options, bool is_root)
{
    uint32_t kept = 1u << CAP_KILL;

    if (options->relay != NULL) {
        kept |= 1u << CAP_SETUID | 1u << CAP_SETGID;
    }
    prctl(PR_SET_NAME, "reeve-host-wait", 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)!sandbox_drop(is_root ? kept : 0);
}

/* Waits outside the sandbox, and exits with the status of the process inside. Closes all
 * descriptors, except those of a relay. */
static _Noreturn void inside_wait(const struct sandbox_options *options,
                                  const struct sandbox_identity *identity, pid_t inside,
                                  int relay_socket)
{
    int status = 0;

    if (options->relay != NULL) {
        status = sandbox_relay(options, identity, inside, relay_socket, waiter_strip);
    } else {
        (void)!syscall(SYS_close_range, 0u, ~0u, 0);
        waiter_strip(options, identity->is_root);
        while (waitpid(inside, &status, 0) < 0 && errno == EINTR) {
        }
    }
    if (signal_of(status) != 0) {
        signal(signal_of(status), SIG_DFL);
        raise(signal_of(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Creates the process inside the sandbox, because only a new process can be in a new pid namespace.
 * It executes no other program, because the code to load is in its memory. The caller has one
 * thread, so fork is safe. */
MUST_CHECK static bool inside_make(const struct sandbox_options *options,
                                   struct sandbox_identity *identity, struct sandbox_report *report,
                                   struct err *err)
{
    int pair[2] = { FD_NONE, FD_NONE };
    pid_t inside;

    if (options->relay != NULL &&
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_set(err, CODE_R0567, "the socket of the relay cannot be created: %s",
                       strerror(errno));
    }
    identity->waiter = (int)syscall(SYS_pidfd_open, getpid(), 0);
    inside = fork();
    if (inside < 0) {
        err_set(err, CODE_R0567, "a process cannot be created: %s", strerror(errno));
        return err_hint(err, "raise the limit of processes (TasksMax= of the service)");
    }
    if (inside > 0) {
        fd_cleanup(&pair[1]);
        inside_wait(options, identity, inside, pair[0]);
    }
    fd_cleanup(&pair[0]);
    if (options->relay != NULL) {
        sandbox_network_leave(pair[1], report);
    }
    fd_cleanup(&pair[1]);
    signals_end();
    /* the first process of the namespace inherits orphans; this reaps them automatically */
    signal(SIGCHLD, SIG_IGN);
    return true;
}

bool sandbox_leave(const struct sandbox_options *options, struct sandbox_identity *identity,
                   struct sandbox_report *report, struct err *err)
{
    assert(options->profile != SANDBOX_HOST);
    if (!identity->is_root && !options->without[SANDBOX_USER]) {
        AUTO(fd) self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (user_leave(self, identity->uid, identity->gid)) {
            sandbox_note(report, SANDBOX_USER);
        } else {
            sandbox_miss(report, SANDBOX_USER,
                         "ordinary users may not create a user namespace on this machine", errno);
        }
    }
    part_leave(options, report, SANDBOX_FILES, CLONE_NEWNS);
    part_leave(options, report, SANDBOX_MESSAGES, CLONE_NEWIPC);
    part_leave(options, report, SANDBOX_NAME, CLONE_NEWUTS);
    if (options->profile == SANDBOX_KEYS) {
        part_leave(options, report, SANDBOX_NETWORK, CLONE_NEWNET);
    }
    part_leave(options, report, SANDBOX_PROCESSES, CLONE_NEWPID);
    if (sandbox_has(report, SANDBOX_NAME)) {
        (void)!sethostname("plugin", 6);
    }
    if (sandbox_has(report, SANDBOX_PROCESSES) && !inside_make(options, identity, report, err)) {
        return false;
    }
    if (options->relay != NULL && !sandbox_has(report, SANDBOX_PROCESSES)) {
        sandbox_miss(report, SANDBOX_NETWORK, "the relay needs a process namespace", 0);
    }
    /* /proc of the original file tree */
    identity->self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return true;
}

/* ---- switching users ---- */

static bool own_become(uid_t own)
{
    return setgroups(0, NULL) == 0 && setresgid(own, own, own) == 0 &&
           setresuid(own, own, own) == 0;
}

/* Switches to the separate user. In the separate tree, all users can access the path to the folder.
 * Without that tree, the path belongs to the manager, and another user could not reach the
 * folder. */
static void identity_become(const struct sandbox_options *options,
                            struct sandbox_identity *identity, struct sandbox_report *report)
{
    if (options->folder != NULL && !sandbox_has(report, SANDBOX_FILES)) {
        sandbox_miss(report, SANDBOX_IDENTITY,
                     "without a mount namespace the folder of the plugin belongs to the manager",
                     0);
    } else if (options->folder != NULL && !sandbox_give(options->folder, identity->own)) {
        sandbox_miss(report, SANDBOX_IDENTITY,
                     "the owner of the folder of the plugin cannot be changed", errno);
    } else if (!own_become(identity->own)) {
        sandbox_miss(report, SANDBOX_IDENTITY, "the kernel refuses", errno);
    } else {
        sandbox_note(report, SANDBOX_IDENTITY);
        identity->is_moved = true;
        identity->uid = identity->own;
        identity->gid = identity->own;
    }
}

void sandbox_become(const struct sandbox_options *options, struct sandbox_identity *identity,
                    struct sandbox_report *report)
{
    if (identity->own != 0) {
        identity_become(options, identity, report);
    }
    if (identity->is_root && !options->without[SANDBOX_USER]) {
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* otherwise root owns /proc/self/uid_map and gid_map */
        if (user_leave(identity->self, identity->uid, identity->gid)) {
            sandbox_note(report, SANDBOX_USER);
        } else {
            sandbox_miss(report, SANDBOX_USER, "the kernel refuses", errno);
        }
    }
    fd_cleanup(&identity->self); /* closed, because it gives access to the original file tree */
    identity->self = FD_NONE;
}

/* A change of the user clears the parent death signal. So the signal is set after that, and then it
 * is checked whether the parent has ended already. */
void sandbox_bind(const struct sandbox_options *options, struct sandbox_identity *identity,
                  struct sandbox_report *report)
{
    struct pollfd waiter = { .fd = identity->waiter, .events = POLLIN };
    bool is_outside = !sandbox_has(report, SANDBOX_PROCESSES);

    if (!options->without[SANDBOX_DEATH]) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0) {
            sandbox_note(report, SANDBOX_DEATH);
        } else {
            sandbox_miss(report, SANDBOX_DEATH, "the kernel refuses", errno);
        }
        if ((is_outside && getppid() != identity->parent) || poll(&waiter, 1, 0) > 0) {
            _exit(0);
        }
    }
    fd_cleanup(&identity->waiter);
    identity->waiter = FD_NONE;
}
