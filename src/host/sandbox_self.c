#include "base/limits.h"
#include "host/sandbox_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- descriptors ---- */

static bool is_sandbox_self_kept(const struct sandbox_options *options, int fd)
{
    for (size_t i = 0; i < options->descriptor_count; i++) {
        if (options->descriptors[i] == fd) {
            return true;
        }
    }
    return fd <= STDERR_FILENO;
}

bool sandbox_close(const struct sandbox_options *options, struct err *err)
{
    int highest = STDERR_FILENO;

    for (size_t i = 0; i < options->descriptor_count; i++) {
        highest = options->descriptors[i] > highest ? options->descriptors[i] : highest;
    }
    for (int fd = 0; fd < highest; fd++) {
        if (!is_sandbox_self_kept(options, fd)) {
            close(fd);
        }
    }
    if (syscall(SYS_close_range, (unsigned)highest + 1, ~0u, 0) != 0) {
        err_set(err, CODE_R0567, "open descriptors cannot be closed: %s", strerror(errno));
        return err_hint(err, "a plugin's process needs Linux 5.9 or later");
    }
    return true;
}

/* ---- limits ---- */

/* Sets a soft and hard limit, unless the current limit is lower. */
static bool limit_set(__rlimit_resource_t resource, uint64_t most)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0) {
        return false;
    }
    limit.rlim_max = most < limit.rlim_max ? (rlim_t)most : limit.rlim_max;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit) == 0;
}

/* Sets the limit for core files. The profile host sets no hard limits, because the machines that
 * its plugin creates are child processes, and would inherit them. */
static bool core_limit(const struct sandbox_options *options)
{
    struct rlimit limit;

    if (options->profile != SANDBOX_HOST) {
        return limit_set(RLIMIT_CORE, 0);
    }
    if (getrlimit(RLIMIT_CORE, &limit) != 0) {
        return false;
    }
    limit.rlim_cur = 0;
    return setrlimit(RLIMIT_CORE, &limit) == 0;
}

/* Sets the limit of threads. The kernel counts threads per user, so the limit would not work for
 * root, or for a user id that other processes share. */
static void threads_limit(const struct sandbox_options *options,
                          const struct sandbox_identity *identity, struct sandbox_report *report)
{
    if (options->without[SANDBOX_THREADS]) {
        return;
    }
    if (!identity->is_moved && !sandbox_has(report, SANDBOX_USER)) {
        sandbox_miss(report, SANDBOX_THREADS, "the limit would count all processes of the user", 0);
    } else if (!limit_set(RLIMIT_NPROC, options->threads_max)) {
        sandbox_miss(report, SANDBOX_THREADS, "the kernel rejected the limit", errno);
    } else {
        sandbox_note(report, SANDBOX_THREADS);
    }
}

void sandbox_limit(const struct sandbox_options *options, const struct sandbox_identity *identity,
                   struct sandbox_report *report)
{
    bool is_set;

    if (options->profile != SANDBOX_HOST) {
        threads_limit(options, identity, report);
    }
    if (options->without[SANDBOX_LIMITS]) {
        return;
    }
    is_set = core_limit(options);
    if (options->profile != SANDBOX_HOST) {
        is_set =
            is_set && (options->address_bytes == 0 || limit_set(RLIMIT_AS, options->address_bytes));
        is_set =
            is_set && (options->data_bytes == 0 || limit_set(RLIMIT_DATA, options->data_bytes));
        is_set =
            is_set && (options->file_bytes == 0 || limit_set(RLIMIT_FSIZE, options->file_bytes)) &&
            /* not for the profile keys, which locks its keys in memory */
            (options->profile == SANDBOX_KEYS || limit_set(RLIMIT_MEMLOCK, 0)) &&
            limit_set(RLIMIT_NOFILE, options->descriptors_max) && limit_set(RLIMIT_MSGQUEUE, 0) &&
            limit_set(RLIMIT_RTPRIO, 0) && limit_set(RLIMIT_NICE, 0);
    }
    if (is_set) {
        sandbox_note(report, SANDBOX_LIMITS);
    } else {
        sandbox_miss(report, SANDBOX_LIMITS, "the kernel rejected a limit", errno);
    }
}

/* ---- privileges ---- */

bool sandbox_drop(uint32_t kept)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3] = {
        { .effective = kept, .permitted = kept },
    };

    /* removing a capability from the bounding set requires CAP_SETPCAP; a process without it needs
     * no change, because it cannot run programs */
    for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++) {
        (void)!prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
    }
    (void)!prctl(PR_SET_SECUREBITS, SECURE_ALL_BITS | SECURE_ALL_LOCKS, 0, 0, 0);
    (void)!prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, left) == 0;
}

/* Sets no_new_privs, except in the profile host: machines would inherit it, and sudo in them would
 * fail. */
void sandbox_strip(const struct sandbox_options *options, struct sandbox_report *report)
{
    assert(options->profile != SANDBOX_HOST);
    if (!options->without[SANDBOX_CAPABILITIES]) {
        if (sandbox_drop(0)) {
            sandbox_note(report, SANDBOX_CAPABILITIES);
        } else {
            sandbox_miss(report, SANDBOX_CAPABILITIES, "the capabilities cannot be dropped", errno);
        }
    }
    if (!options->without[SANDBOX_PRIVILEGES]) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
            sandbox_note(report, SANDBOX_PRIVILEGES);
        } else {
            sandbox_miss(report, SANDBOX_PRIVILEGES, "the kernel refuses", errno);
        }
    }
}

void sandbox_hide(const struct sandbox_options *options, struct sandbox_report *report)
{
    if (options->without[SANDBOX_DUMPS]) {
        return;
    }
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0) {
        sandbox_note(report, SANDBOX_DUMPS);
    } else {
        sandbox_miss(report, SANDBOX_DUMPS, "the kernel refuses", errno);
    }
}
