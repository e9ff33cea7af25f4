#ifndef REEVE_HOST_CONFINE_H
#define REEVE_HOST_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "host/sandbox.h"

/* Gives up privileges of the manager before it serves requests. The process switches to a separate
 * user, drops its capabilities, can write only in the listed folders, and can make only the listed
 * system calls. Its launcher (sys/launcher.h) performs the operations that need more.
 *
 * As in a plugin's sandbox, every protection is tried, and some may not be available; the report
 * lists them. */

enum { CONFINE_FOLDERS_MAX = 16 };

struct confine_options {
    bool is_user_changed; /* false: the process keeps its user */
    uid_t user;
    gid_t group;
    const char *folders[CONFINE_FOLDERS_MAX]; /* absolute paths of the folders in which the process
                                               * may write */
    size_t folder_count;
    /* folder in which the process may create and remove only sockets; NULL: none */
    const char *socket_folder;
};

/* Gives up the privileges permanently. The process must have only one thread. The report has the
 * parts user, capabilities, noNewPrivileges, landlock and seccomp. Fails with R0567 if the user
 * cannot be changed; the process must then exit. */
MUST_CHECK bool confine_enter(const struct confine_options *options, struct sandbox_report *report,
                              struct err *err);

#endif
