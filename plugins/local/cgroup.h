#ifndef LOCAL_CGROUP_H
#define LOCAL_CGROUP_H

#include "machine.h"

#include <stdbool.h>
#include <sys/types.h>

/* Control groups of version 1, version 2, both, or none, depending on what is mounted. A machine's
 * group is reeve-local/ID in each hierarchy. */

enum cgroup_version { CGROUP_VERSION_NONE, CGROUP_VERSION_1, CGROUP_VERSION_2 };

enum cgroup_controller {
    CGROUP_MEMORY,
    CGROUP_CPU,
    CGROUP_PIDS,
    CGROUP_DEVICES,
    CGROUP_CONTROLLER_COUNT
};

enum { CGROUP_MOUNTS_MAX = 24, CGROUP_TASKS_MAX = 8192, CGROUP_PERIOD_US = 100000 };

/* The control groups of this computer. Paths live in the arena of cgroup_read. */
struct cgroups {
    enum cgroup_version version[CGROUP_CONTROLLER_COUNT];
    const char *path[CGROUP_CONTROLLER_COUNT]; /* hierarchy of the controller; NULL: none */
    const char *mounts[CGROUP_MOUNTS_MAX];     /* all hierarchies */
    size_t mount_count;
};

/* Reads the mounted hierarchies. */
void cgroup_read(struct arena *arena, struct cgroups *out);

/* Returns whether this computer can enforce a limit of the machine. */
bool cgroup_has(const struct cgroups *cgroups, enum cgroup_controller controller);

/* Creates the machine's groups with its limits and permitted devices, and moves a process into
 * them. Only for the plain runtime, because liblxc creates groups without this function. Missing
 * controllers are skipped. On failure errno is set. */
bool cgroup_enter(struct work *work, const struct machine *machine, pid_t pid);

/* Removes the machine's groups. They must have no processes. */
void cgroup_remove(struct work *work, const char *id);

/* Removes the parent groups if no machine of any folder uses them. */
void cgroup_tidy(struct work *work);

#endif
