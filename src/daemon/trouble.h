#ifndef REEVE_DAEMON_TROUBLE_H
#define REEVE_DAEMON_TROUBLE_H

#include "engine/store.h"
#include "sys/clock.h"
#include "sys/log.h"

/* A store that takes no changes: a full disk, above all. It is logged when that begins and when it ends, not once a
 * request; and while it lasts something small is written now and then, so that its end is seen where nobody else
 * writes, because he is told that this manager is not ready. */
struct trouble {
    struct log *log;
    struct store *store;
    struct clock clock;
    uint64_t tried_ms;
    bool is_told;
    bool is_trying;
};

/* Look how the store stands; to be called every second or so. */
void trouble_look(struct trouble *trouble);

#endif
