#ifndef LOCAL_RUN_H
#define LOCAL_RUN_H

#include "machine.h"

#include <stdbool.h>
#include <sys/types.h>

/* names: run_ runtime */

/* A way to run a machine's first process in namespaces of its own. Two of them: liblxc where it is there, plain
 * namespaces where not. What a machine was begun with, it stays with. */
struct runtime {
    const char *name; /* as the rows and meta.json say it */
    /* Can it be used here? Asked once, by start. */
    bool (*is_there)(void);
    /* Start the machine, whose layers, network and volumes stand. The process outlives ours. */
    int32_t (*start)(struct work *work, const struct machine *machine, pid_t *out_init);
    /* The machine's first process by other means than what was noted: 0, there is none. May be NULL. */
    pid_t (*find)(struct work *work, const struct machine *machine);
    /* The first process has ended: wait for whoever watched it. May be NULL. */
    void (*settle)(struct work *work, const struct machine *machine);
    /* The machine is listed no more: remove what is kept of its name. May be NULL. */
    void (*forget)(struct work *work, const char *id);
    /* The same for all that somebody who was killed has left. May be NULL. */
    void (*sweep)(struct work *work);
    /* No machine of this folder is left: remove what is kept for all of them. May be NULL. */
    void (*tidy)(struct work *work);
};

extern const struct runtime run_lxc;
extern const struct runtime run_plain;

/* The runtime to use for new machines by the settings. NULL: there is none as it is wanted. */
const struct runtime *run_choose(enum settings_isolation isolation);

/* Note which process is the machine's first one. False: it cannot be, and is logged. */
bool run_note(struct work *work, const struct machine *machine, pid_t init);

/* The init process of the machine, if it runs: 0, it certainly does not. */
pid_t run_init_of(struct work *work, const struct machine *machine);

/* Run it, if it does not. */
int32_t run_start(struct work *work, const struct machine *machine);

/* The machine is listed no more: remove what is kept of its name. */
void run_forget(struct work *work, const char *id);

/* The same for all that somebody who was killed has left. */
void run_sweep(struct work *work);

/* No machine of this folder is left: remove what is kept for all of them. */
void run_tidy(struct work *work);

/* End it: SIGTERM, and SIGKILL after a grace. When this answers OK nothing of it runs any more. */
int32_t run_stop(struct work *work, const struct machine *machine);

#endif
