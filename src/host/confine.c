#include "host/confine.h"

#include "host/sandbox_parts.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The capabilities that the manager keeps, and those that it keeps until it has changed its user.
 * The order matters: the user is changed before capabilities are dropped, and the system call
 * filter comes last. */

#define KEPT  (1u << CAP_NET_BIND_SERVICE)
#define UNTIL (KEPT | 1u << CAP_SETUID | 1u << CAP_SETGID)

static bool capabilities_keep(uint32_t kept)
{
    struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3] = {
        { .effective = kept, .permitted = kept },
    };

    return syscall(SYS_capset, &head, left) == 0;
}

MUST_CHECK static bool user_change(const struct confine_options *options, struct err *err)
{
    if (setgroups(0, NULL) == 0 && setresgid(options->group, options->group, options->group) == 0 &&
        setresuid(options->user, options->user, options->user) == 0) {
        return true;
    }
    return err_set(err, CODE_R0567, "the manager cannot become user %u: %s",
                   (unsigned)options->user, strerror(errno));
}

/* Drops the capabilities, and empties the bounding set, so that no program can get a capability
 * back. An ordinary user has no capabilities. */
MUST_CHECK static bool rights_give_up(const struct confine_options *options,
                                      struct sandbox_report *report, struct err *err)
{
    bool is_root = geteuid() == 0;
    bool is_dropped = sandbox_drop(is_root ? UNTIL : 0);

    if (options->is_user_changed && !user_change(options, err)) {
        return false;
    }
    if (options->is_user_changed || !is_root) {
        sandbox_note(report, SANDBOX_IDENTITY);
    } else {
        sandbox_miss(report, SANDBOX_IDENTITY,
                     "the manager runs as user 0: see 'user' in reeved.yaml", 0);
    }
    if (is_dropped && (!is_root || capabilities_keep(KEPT))) {
        sandbox_note(report, SANDBOX_CAPABILITIES);
    } else {
        sandbox_miss(report, SANDBOX_CAPABILITIES, "the capabilities cannot be dropped", errno);
    }
    return true;
}

bool confine_enter(const struct confine_options *options, struct sandbox_report *report,
                   struct err *err)
{
    struct rlimit none = { 0, 0 };

    assert(options->folder_count <= CONFINE_FOLDERS_MAX);
    *report = (struct sandbox_report){ 0 };
    setrlimit(RLIMIT_CORE, &none);
    if (!rights_give_up(options, report, err)) {
        return false;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        sandbox_note(report, SANDBOX_PRIVILEGES);
    } else {
        sandbox_miss(report, SANDBOX_PRIVILEGES, "the kernel refuses", errno);
    }
#ifdef __SANITIZE_ADDRESS__
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* dumpable, because the leak checker traces its own
                                         * threads */
#endif
    sandbox_rule_manager(options->folders, options->folder_count, options->socket_folder, report);
    sandbox_filter_manager(report);
    return true;
}
