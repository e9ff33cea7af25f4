#ifndef REEVE_SYS_CHILD_SPAWN_H
#define REEVE_SYS_CHILD_SPAWN_H

#include <sys/types.h>

#include "base/err.h"
#include "base/macros.h"
#include "sys/child.h"

/* public names start with: child_ */

/* Creates the process; internal to child.h. */
struct child_spawned {
    pid_t pid;
    int pid_fd;       /* FD_NONE: the kernel does not provide it */
    const char *step; /* set by child_spawn_for() only: the step that failed, as a constant text */
    int number;       /* errno of that step */
};

/* Start the program of the options with `standard` as its descriptors 0, 1 and 2. Returns when the
 * program runs, or when the start has failed (R0533). The caller keeps the descriptors. */
MUST_CHECK bool child_spawn(const struct child_options *options, const int standard[static 3],
                            struct child_spawned *out, struct err *err);

/* Like child_spawn(), but without the launcher, and for a child of `parent`, which is this process
 * or its parent. On failure `out` has the step and the errno. If its pid is not 0, that process has
 * ended, and `parent` must wait for it. */
MUST_CHECK bool child_spawn_for(pid_t parent, const struct child_options *options,
                                const int standard[static 3], struct child_spawned *out);

/* Sets R0533: the program could not be started. Returns false. */
MUST_CHECK bool child_spawn_error(const char *path, const char *step, int number, struct err *err);

#endif
