#ifndef REEVE_DAEMON_KEEP_H
#define REEVE_DAEMON_KEEP_H

#include "engine/control.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/random.h"

/* The controller of this process: engine/control.h with the system behind its ports, and the providers that
 * are in the tree. reeved keeps every cluster with it, reeve-controller makes one pass. */
struct keep;

/* In the folder of a manager's store: the address of its socket, for reeve-controller. */
#define KEEP_ADDRESS_FILE "manager"

struct keep_options {
    struct store *store;
    struct cache *cache;
    struct clock clock;
    struct random random;
    struct log *log;
    const char *folder; /* of the store; machines of the plugin `file` are below it */
    uint32_t haste;     /* windows are so many times shorter; 1 in earnest */
    bool is_single;     /* no pass but those that are asked for */
    bool is_dry;        /* passes decide, and nothing follows */
    bool simulates;     /* machines of the plugin `sim` are made, in memory */
};

MUST_CHECK bool keep_open(const struct keep_options *options, struct keep **out, struct err *err);

/* Carry on, after cache_run. Returns in how many milliseconds it wants to be called again at the latest. */
uint64_t keep_run(struct keep *keep);

/* The controller; NULL while it has not begun, for the cache is not there yet. */
struct control *keep_control(struct keep *keep);

/* Make one pass over a cluster (TENANT/ID); `done` is told its report (daemon/report.h) as JSON, empty where this
 * ends before. False: there is nothing to be kept. */
bool keep_pass(struct keep *keep, struct text cluster, bool is_dry,
               void (*done)(void *arg, struct text report), void *arg);

/* Begin to end: calls that are under way are answered. Then cache and store end, then keep_free. */
void keep_close(struct keep *keep);

/* NULL is allowed. */
void keep_free(struct keep *keep);

#endif
