#ifndef REEVE_BOOTSTRAP_RUN_TASKS_H
#define REEVE_BOOTSTRAP_RUN_TASKS_H

/* The tasks of a run on a node, as a set of bits. For example, a run that only delivers the facts
 * of a new member has no keys and no stages. */
enum {
    RUN_WITH_KEYS = 1,
    RUN_WITH_FACTS = 2,
    RUN_WITH_STAGES = 4,
    /* Exclusive: removes everything that reeve has written on the node and restores what it had
     * replaced. The event at the end of the run lists files that were kept because their owner is
     * unknown. */
    RUN_WITH_RELEASE = 8,
    /* Exclusive: reads the boot id of the machine, and reboots the machine if the boot id is still
     * the one in the request. The event at the end of the run has "BOOT SECONDS": the boot id and
     * the age of the first process. */
    RUN_WITH_REBOOT = 16,
    /* Exclusive: compares the files of the node with its baseline. The end of the run has the
     * verdict. */
    RUN_WITH_VERIFY = 32,
    /* Exclusive: writes the baseline of the node. */
    RUN_WITH_BASELINE = 64,
    /* Runs the `cleanup` hooks of the stages, before a release if the run has one. */
    RUN_WITH_CLEANUP = 128,
    /* Exclusive: runs the hooks `drain` or `undrain` of the stages. */
    RUN_WITH_DRAIN = 256
};

#endif
