#ifndef REEVE_DAEMON_STORE_MONITOR_H
#define REEVE_DAEMON_STORE_MONITOR_H

#include "state/store.h"
#include "sys/clock.h"
#include "sys/log.h"

/* A store that takes no changes: a full disk, above all. It is logged when that begins and when it ends, not once a
 * request: where a disk is all but full small changes are taken while large ones are not, and that is one problem, which ends
 * when nothing was refused for a while. The end says what it was, for the log may be on the same disk. And while it lasts something small is written now and then, so that its end is seen where nobody else
 * writes, because the manager reports itself as not ready. */
struct store_monitor {
    struct log *log;
    struct store *store;
    struct clock clock;
    uint64_t tried_ms;
    uint64_t refusals;   /* those that were seen */
    uint64_t refused_ms; /* when it took nothing last, as far as was seen */
    uint64_t began_ms;
    struct err why; /* it began */
    bool is_reported;
    bool is_trying;
};

/* Check the state of the store; to be called about once a second. */
void store_monitor_check(struct store_monitor *store_monitor);

#endif
