#ifndef LOCAL_RUN_H
#define LOCAL_RUN_H

#include "machine.h"

#include <stdbool.h>
#include <sys/types.h>

/* public names start with: run_ runtime */

/* A runtime runs a machine's first process in separate namespaces. There are two: liblxc, if it is
 * installed, and plain namespaces. A machine keeps the runtime with which it was created. */
struct runtime {
    const char *name; /* name, as in the rows and in meta.json */
    /* Returns whether this computer supports the runtime. Called once, at the start of the
     * plugin. */
    bool (*is_there)(void);
    /* Starts the machine; its layers, network and volumes must be set up. The process outlives the
     * plugin. */
    int32_t (*start)(struct work *work, const struct machine *machine, pid_t *out_init);
    /* Finds the machine's first process if none is recorded. Returns 0 if there is none. May be
     * NULL. */
    pid_t (*find)(struct work *work, const struct machine *machine);
    /* Called when the first process has ended: waits for its monitor process. May be NULL. */
    void (*settle)(struct work *work, const struct machine *machine);
    /* Called when the machine is no longer listed: removes remaining data under its name. May be
     * NULL. */
    void (*forget)(struct work *work, const char *id);
    /* Same as `forget`, for the data of all machines that killed processes have left. May be
     * NULL. */
    void (*sweep)(struct work *work);
    /* Called when no machine of this folder is left: removes shared data. May be NULL. */
    void (*tidy)(struct work *work);
};

extern const struct runtime run_lxc;
extern const struct runtime run_plain;

/* Chooses the runtime of new machines by the settings. NULL: the requested runtime is not
 * available. */
const struct runtime *run_choose(enum settings_isolation isolation);

/* Records the machine's first process. On failure it logs the error and returns false. */
bool run_note(struct work *work, const struct machine *machine, pid_t init);

/* Returns the machine's init process. 0: it is certainly not running. */
pid_t run_init_of(struct work *work, const struct machine *machine);

/* Starts the machine unless it is running. */
int32_t run_start(struct work *work, const struct machine *machine);

/* Removes remaining data under the machine's name. Call it when the machine is no longer listed. */
void run_forget(struct work *work, const char *id);

/* Same as run_forget, for the data of all machines that killed processes have left. */
void run_sweep(struct work *work);

/* Removes shared data. Call it when no machine of this folder is left. */
void run_tidy(struct work *work);

/* Stops the machine: sends SIGTERM, and SIGKILL after a grace period. After OK, none of its
 * processes runs. */
int32_t run_stop(struct work *work, const struct machine *machine);

#endif
