#ifndef REEVE_POWER_POWER_RUNNER_H
#define REEVE_POWER_POWER_RUNNER_H

#include "power/power.h"

/* public names start with: power_runner_ */

/* Carries out the orders of machines with power control, and reads the states of their power.
 *
 * Several managers may do so for the same machines. An order is taken by a write that compares the
 * record, so one manager carries it out; when that manager ends, another one takes the order after
 * POWER_HOLD_MS. Calls to BMCs are made by the port, never by this code. */
struct power_runner;

struct power_answer {
    enum power_fault fault;
    struct text why;        /* with a fault: what happened, in a sentence */
    enum power_state state; /* of POWER_CALL_STATUS */
};

struct power_runner_options {
    struct store *store;
    struct cache *cache;
    uint64_t (*now_ms)(void *arg); /* monotonic */
    int64_t (*wall_ms)(void *arg);
    /* Makes one call to the BMC of a record, with its own deadline. `is_uefi`: the machine starts
     * by UEFI. `done` is called once, later; its arguments are valid during the call. */
    void (*call)(void *arg, struct text tenant, const struct power *power, enum power_call call,
                 bool is_uefi, void (*done)(void *done_arg, const struct power_answer *answer),
                 void *done_arg);
    /* True if the machine of a member has begun a requested reboot and does not answer since
     * *out_since_ms (wall clock), so that only its BMC can complete it. NULL: not asked. */
    bool (*is_reboot_silent)(void *arg, struct text tenant, struct text row, int64_t *out_since_ms);
    void (*wake)(void *arg); /* called when power_runner_run may have work */
    const char *session;     /* id of this process */
    uint32_t times;          /* divisor of times; 1 in production */
    void *arg;
};

struct power_runner *power_runner_new(const struct power_runner_options *options);

/* power_runner_close stops the runner; calls in progress are ignored. Call it before the cache is
 * freed, and power_runner_free after the store and the port have answered all calls. Both accept
 * NULL. */
void power_runner_close(struct power_runner *runner);
void power_runner_free(struct power_runner *runner);

/* Do the due work. Call it after cache_run. Returns when to call it again, in ms from now;
 * UINT64_MAX: after the next change. */
uint64_t power_runner_run(struct power_runner *runner);

#endif
