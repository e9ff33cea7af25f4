#ifndef LOCAL_CGROUP_H
#define LOCAL_CGROUP_H

#include "machine.h"

#include <stdbool.h>
#include <sys/types.h>

/* Control groups by what is mounted: version 1, version 2, both, none. A machine's group is reeve-local/ID in
 * each hierarchy. */

enum cgroup_version { CGROUP_VERSION_NONE, CGROUP_VERSION_1, CGROUP_VERSION_2 };

enum cgroup_controller {
    CGROUP_MEMORY,
    CGROUP_CPU,
    CGROUP_PIDS,
    CGROUP_DEVICES,
    CGROUP_CONTROLLER_COUNT
};

enum { CGROUP_MOUNTS_MAX = 24, CGROUP_TASKS_MAX = 8192, CGROUP_PERIOD_US = 100000 };

/* What this computer has. Paths live in the arena that it was read into. */
struct cgroups {
    enum cgroup_version version[CGROUP_CONTROLLER_COUNT];
    const char *path[CGROUP_CONTROLLER_COUNT]; /* of the hierarchy that has it; NULL: none */
    const char *mounts[CGROUP_MOUNTS_MAX];     /* all hierarchies */
    size_t mount_count;
};

/* Look at what is mounted. */
void cgroup_read(struct arena *arena, struct cgroups *out);

/* Does a limit of this machine hold on this computer? */
bool cgroup_has(const struct cgroups *cgroups, enum cgroup_controller controller);

/* Make the machine's groups by hand, with its limits and the devices that it may use, and put a process into them
 * (the plain runtime; liblxc does it by itself). What is not mounted is left out. False, errno tells. */
bool cgroup_enter(struct work *work, const struct machine *machine, pid_t pid);

/* Remove the machine's groups. Nothing may run in them any more. */
void cgroup_remove(struct work *work, const char *id);

/* Remove the current state above them, if no machine of any folder has any. */
void cgroup_tidy(struct work *work);

#endif
