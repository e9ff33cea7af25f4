#ifndef REEVE_SIM_LINK_H
#define REEVE_SIM_LINK_H

#include "state/store.h"

/* names: link_ */

/* A manager's connection to the one real store: a store driver whose calls and answers are delayed,
 * lost, or meet an outage, in virtual time. It executes calls in the real store (the truth). */
struct link;

/* The fate of one call. */
struct link_fate {
    uint64_t there_ms; /* delay until it reaches the truth */
    uint64_t back_ms;  /* delay of the answer */
    bool is_lost;      /* It never reaches the truth; the answer is UNKNOWN. */
    bool is_unheard;   /* It reaches the truth; the answer is UNKNOWN. */
    bool is_refused;   /* refused, without effect */
};

struct link_options {
    struct store *truth;
    uint64_t (*now_ms)(void *arg);
    struct link_fate (*fate)(void *arg, const struct store_txn *txn); /* NULL: read-only */
    uint64_t (*watch_delay_ms)(void *arg);
    void *arg;
};

/* Open a link. It is used like any other store; store_close closes it. */
struct store *link_open(struct link_options options);

/* The time of its next event; UINT64_MAX: none. */
uint64_t link_due(const struct store *store);

/* Execute the calls that have reached the truth. Run the truth afterwards. */
void link_carry(struct store *store);

/* The manager has crashed: from now on no call of it reaches the truth, and all are answered
 * UNKNOWN. */
void link_cut(struct store *store);

/* The truth is now another incarnation of the store. Answers already sent still reach the manager.
 * Nothing else reaches any store: all other calls are answered UNKNOWN. */
void link_sever(struct store *store, struct store *truth);

/* All its watches are lost: each receives LOST. */
void link_lose_watches(struct store *store);

#endif
