#ifndef REEVE_SIM_LINK_H
#define REEVE_SIM_LINK_H

#include "state/store.h"

/* public names start with: link_ */

/* A manager's connection to the real store ("the truth"). It is a store driver in virtual time that
 * executes calls in the real store. Calls and answers may be delayed, lost, or affected by an
 * outage. */
struct link;

/* The fault that applies to one call. */
struct link_fate {
    uint64_t there_ms; /* delay until the call reaches the truth */
    uint64_t back_ms;  /* delay of the answer */
    bool is_lost;      /* The call never reaches the truth; the answer is UNKNOWN. */
    bool is_unheard;   /* The call reaches the truth; the answer is UNKNOWN. */
    bool is_refused;   /* The call is rejected, without effect. */
};

struct link_options {
    struct store *truth;
    uint64_t (*now_ms)(void *arg);
    /* NULL: the link is read-only */
    struct link_fate (*fate)(void *arg, const struct store_txn *txn);
    uint64_t (*watch_delay_ms)(void *arg);
    void *arg;
};

/* Open a link. The caller uses it like any other store; store_close closes it. */
struct store *link_open(struct link_options options);

/* Return the time of the link's next event; UINT64_MAX: there is none. */
uint64_t link_due(const struct store *store);

/* Execute the calls that have reached the real store. Call store_run for the real store
 * afterwards. */
void link_carry(struct store *store);

/* Handles a crash of the manager: from now on, no call reaches the real store, and all pending
 * calls are answered UNKNOWN. */
void link_cut(struct store *store);

/* Replaces the real store by another incarnation. Answers that were already sent still reach the
 * manager. All other pending calls reach no store and are answered UNKNOWN. */
void link_sever(struct store *store, struct store *truth);

/* Ends all watches of the link: each receives LOST. */
void link_lose_watches(struct store *store);

#endif
