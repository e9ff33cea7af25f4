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
    pid_t pid;
    bool is_launched;                               /* the launcher has made it, and removes it */
    char folders[SANDBOX_GROUPS][LIMIT_PATH_BYTES]; /* empty: none; memory, pids */
    char why[SANDBOX_GROUP_WHY_BYTES];              /* how it stands, in words */
};

struct sandbox_group_options {
    uint64_t memory_bytes;
    uint64_t processes_max;
    pid_t pid; /* of the process; to be called before it is told to begin anything */
};

/* Put the process into a group of its own below the group that we are in, with what can be made of
 * it. What managers that are dead left behind goes. Where this process has a launcher, that does it. */
void sandbox_group_give(const struct sandbox_group_options *options, struct sandbox_group *out);

/* Take it away; its processes have ended. Is it gone? Not while one of them still goes: to be tried again then. */
MUST_CHECK bool sandbox_group_remove(struct sandbox_group *group);

/* The same in the launcher: calls for struct launcher_options, at these numbers. */
enum { SANDBOX_CALL_GROUP_GIVE, SANDBOX_CALL_GROUP_REMOVE };
void sandbox_group_give_serve(void *data, size_t bytes);
void sandbox_group_remove_serve(void *data, size_t bytes);

#endif
