#ifndef REEVE_BOOTSTRAP_RUN_TASKS_H
#define REEVE_BOOTSTRAP_RUN_TASKS_H

/* The tasks of a run on a node, as a set of bits. For example, a run that only delivers the facts
 * of a new member has no tasks for keys and stages. */
enum {
    RUN_WITH_KEYS = 1,
    RUN_WITH_FACTS = 2,
    RUN_WITH_STAGES = 4,
    /* Exclusive: removes everything that reeve has written on the node, and restores what reeve had
     * replaced. The event at the end of the run lists files that were kept because their owner is
     * unknown. */
    RUN_WITH_RELEASE = 8,
    /* Exclusive: reads the boot id of the machine, and reboots the machine if the boot id equals
     * the one in the request. The event at the end of the run has "BOOT SECONDS": the boot id, and
     * the age of the first process in seconds. */
    RUN_WITH_REBOOT = 16,
    /* Exclusive: compares the files of the node with its baseline. The event at the end of the run
     * has the verdict. */
    RUN_WITH_VERIFY = 32,
    /* Exclusive: writes the baseline of the node. */
    RUN_WITH_BASELINE = 64,
    /* Runs the hooks `cleanup` of the stages. If the run also releases the machine, the hooks run
     * first. */
    RUN_WITH_CLEANUP = 128,
    /* Exclusive: runs the hooks `drain` or `undrain` of the stages. */
    RUN_WITH_DRAIN = 256
};

#endif
