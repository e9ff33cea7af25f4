#include "host/sandbox_parts.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tests each part of the sandbox: tries the operations that the part must prevent. This is
 * necessary because a kernel or a container may accept a setting without applying it. It runs
 * inside a profile. */

static bool nothing_to_try(void)
{
    return true;
}

static bool is_nobody(void)
{
    return getuid() == SANDBOX_INSIDE;
}

static bool is_sandbox_probe_first(void)
{
    return getpid() == 1 && getppid() == 0;
}

static bool is_own_tree(void)
{
    struct stat status;

    return stat("/root", &status) != 0 && stat("/etc/shadow", &status) != 0 &&
           mkdir("/usr/reeve-probe", 0700) != 0;
}

static bool is_not_root(void)
{
    struct stat status;

    /* in a user namespace of root, root's files appear to belong to this user */
    return stat("/usr", &status) != 0 || status.st_uid != getuid();
}

static bool has_no_capability(void)
{
    return prctl(PR_CAPBSET_READ, 0, 0, 0, 0) == 0 && chroot("/") != 0 && errno == EPERM;
}

static bool gets_no_privilege(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static bool reads_listed_only(void)
{
    AUTO(fd) version = open("/proc/version", O_RDONLY | O_CLOEXEC);
    AUTO(fd) top = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return version < 0 && top < 0 && (errno == EACCES || errno == EPERM);
}

static bool calls_listed_only(void)
{
    errno = 0;
    return syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0) < 0 && errno == EPERM;
}

static bool writes_no_core(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0;
}

static bool has_few_threads(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_max != RLIM_INFINITY;
}

static bool is_not_dumped(void)
{
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
}

static bool ends_with_parent(void)
{
    int number = 0;

    return prctl(PR_GET_PDEATHSIG, &number, 0, 0, 0) == 0 && number == SIGKILL;
}

static bool (*const tries[SANDBOX_PART_COUNT])(void) = {
    [SANDBOX_USER] = is_nobody,
    [SANDBOX_PROCESSES] = is_sandbox_probe_first,
    [SANDBOX_FILES] = is_own_tree,
    [SANDBOX_MESSAGES] = nothing_to_try,
    [SANDBOX_NAME] = nothing_to_try,
    [SANDBOX_NETWORK] = nothing_to_try,
    [SANDBOX_IDENTITY] = is_not_root,
    [SANDBOX_CAPABILITIES] = has_no_capability,
    [SANDBOX_PRIVILEGES] = gets_no_privilege,
    [SANDBOX_LANDLOCK] = reads_listed_only,
    [SANDBOX_SCOPES] = nothing_to_try,
    [SANDBOX_CALLS] = calls_listed_only,
    [SANDBOX_LIMITS] = writes_no_core,
    [SANDBOX_THREADS] = has_few_threads,
    [SANDBOX_DUMPS] = is_not_dumped,
    [SANDBOX_DEATH] = ends_with_parent,
};

static void parts_try(struct sandbox_report *report)
{
    for (int part = 0; part < SANDBOX_PART_COUNT; part++) {
        if (report->parts[part].state == SANDBOX_IN_FORCE && !tries[part]()) {
            sandbox_miss(report, (enum sandbox_part)part, "the part was set up, but has no effect",
                         0);
        }
    }
}

static _Noreturn void child_run(enum sandbox_profile profile, int out)
{
    struct sandbox_options options = sandbox_options_of(profile);
    struct sandbox_report report;
    struct err err;

    options.descriptors = &out;
    options.descriptor_count = 1;
    if (!sandbox_enter(&options, &report, &err)) {
        _exit(1);
    }
    parts_try(&report);
    _exit(write(out, &report, sizeof(report)) == (ssize_t)sizeof(report) ? 0 : 1);
}

bool sandbox_probe(enum sandbox_profile profile, struct sandbox_report *report, struct err *err)
{
    struct sandbox_report reported;
    ssize_t got;
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        err_set(err, CODE_R0567, "a pipe cannot be created: %s", strerror(errno));
        return false;
    }
    child = fork();
    if (child == 0) {
        child_run(profile, ends[1]);
    }
    close(ends[1]);
    got = child < 0 ? -1 : read(ends[0], &reported, sizeof(reported));
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (got != (ssize_t)sizeof(reported)) {
        err_set(err, CODE_R0567, "the process that tests the sandbox ended without a result");
        return false;
    }
    *report = reported;
    return true;
}
