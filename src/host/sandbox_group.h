#ifndef REEVE_HOST_SANDBOX_GROUP_H
#define REEVE_HOST_SANDBOX_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"
#include "base/macros.h"

/* public names start with: sandbox_ */

/* A control group for one process and its children. Its limits apply to all of their memory,
 * including files in their /tmp. The process that starts them uses this module. Supports cgroup
 * versions 1 and 2, and both together. */

enum { SANDBOX_GROUPS = 2, SANDBOX_GROUP_WHY_BYTES = 160 };

struct sandbox_group {
    pid_t pid;
    bool is_launched;                               /* the launcher has created the group, and must
                                                     * remove it */
    char folders[SANDBOX_GROUPS][LIMIT_PATH_BYTES]; /* paths for the limits of memory and of
                                                     * processes; empty: none */
    char why[SANDBOX_GROUP_WHY_BYTES];              /* description of the state, for display */
};

struct sandbox_group_options {
    uint64_t memory_bytes;
    uint64_t processes_max;
    pid_t pid; /* process id; the process must not have children yet */
};

/* Creates a group below the caller's group, moves the process into it, and sets the limits that can
 * be set. Removes groups of managers that have ended. If this process has a launcher, the launcher
 * does all this. */
void sandbox_group_give(const struct sandbox_group_options *options, struct sandbox_group *out);

/* Removes the group after its processes have ended. Returns false while one of them is still
 * ending; the caller must then call it again. */
MUST_CHECK bool sandbox_group_remove(struct sandbox_group *group);

/* The same functions in the launcher: calls for struct launcher_options, with these numbers. */
enum { SANDBOX_CALL_GROUP_GIVE, SANDBOX_CALL_GROUP_REMOVE };
void sandbox_group_give_serve(void *data, size_t bytes);
void sandbox_group_remove_serve(void *data, size_t bytes);

#endif
