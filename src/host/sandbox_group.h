#ifndef REEVE_HOST_SANDBOX_GROUP_H
#define REEVE_HOST_SANDBOX_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"
#include "base/macros.h"

/* names: sandbox_ */

/* A control group for one process and what it begins: bounds that hold however memory is come by, files in its /tmp
 * among it. For who starts the process; of either version, or of both, as the machine has mounted them. */

enum { SANDBOX_GROUPS = 2, SANDBOX_GROUP_WHY_BYTES = 160 };

struct sandbox_group {
    char folders[SANDBOX_GROUPS][LIMIT_PATH_BYTES]; /* empty: none; memory, pids */
    char why[SANDBOX_GROUP_WHY_BYTES];              /* how it stands, in words */
};

struct sandbox_group_options {
    uint64_t memory_bytes;
    uint64_t processes_max;
    uint64_t number; /* nobody else's in this process */
};

/* Make what can be made, below the group that we are in. What managers that are dead left behind goes. */
void sandbox_group_make(const struct sandbox_group_options *options, struct sandbox_group *out);

/* Have this process in it. To be done before it is told to begin anything. */
void sandbox_group_add(struct sandbox_group *group, pid_t pid);

/* Take it away; its processes have ended. Is it gone? Not while one of them still goes: to be tried again then. */
MUST_CHECK bool sandbox_group_remove(struct sandbox_group *group);

#endif
