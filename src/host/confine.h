#ifndef REEVE_HOST_CONFINE_H
#define REEVE_HOST_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "host/sandbox.h"

/* The rights that the manager gives up before it serves anybody: it becomes a user of its own,
 * loses its capabilities, writes in listed folders only and makes listed system calls only. What
 * needs more goes through its launcher (sys/launcher.h).
 *
 * As in the sandbox of a plugin, every part is tried and may be missing; the report says so. */

enum { CONFINE_FOLDERS_MAX = 16 };

struct confine_options {
    bool becomes_user; /* false: it stays who it is */
    uid_t user;
    gid_t group;
    const char *folders[CONFINE_FOLDERS_MAX]; /* that it may write in; absolute */
    size_t folder_count;
    const char *socket_folder; /* in which it only removes and makes sockets; NULL: none */
};

/* Give them up, by a process with one thread, for ever. In the report are the parts user,
 * capabilities, noNewPrivileges, landlock and seccomp. R0567: the user cannot be changed; the
 * process must end then. */
MUST_CHECK bool confine_enter(const struct confine_options *options, struct sandbox_report *report,
                              struct err *err);

#endif
