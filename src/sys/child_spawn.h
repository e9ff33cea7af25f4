#ifndef REEVE_SYS_CHILD_SPAWN_H
#define REEVE_SYS_CHILD_SPAWN_H

#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "sys/child.h"

/* names: child_ */

/* Inside of child.h: make the process. */
struct child_spawned {
    pid_t pid;
    int pid_fd;       /* FD_NONE: the kernel has none */
    const char *step; /* child_spawn_for only: what failed, a constant text */
    int number;       /* its errno */
};

/* Start the program of the options with these descriptors as its 0, 1 and 2, and wait until it runs or
 * could not be started (R0533). The descriptors stay the caller's. */
MUST_CHECK bool child_spawn(const struct child_options *options, const int standard[static 3],
                            struct child_spawned *out, struct err *err);

/* The same without a launcher, as a child of `parent`, which is this process or its parent. False:
 * `out` says what failed; a pid that is not 0 has ended and has to be waited for by its parent. */
MUST_CHECK bool child_spawn_for(pid_t parent, const struct child_options *options,
                                const int standard[static 3], struct child_spawned *out);

/* R0533: the program could not be started. Returns false. */
MUST_CHECK bool child_spawn_error(const char *path, const char *step, int number, struct err *err);

#endif
