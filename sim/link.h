#ifndef REEVE_SIM_LINK_H
#define REEVE_SIM_LINK_H

#include "state/store.h"

/* names: link_ */

/* A manager's way to the one store there truly is: a store of its own, whose calls and answers take their time,
 * get lost, or meet an outage, on virtual time. What it carries out, it carries out in the truth. */
struct link;

/* What becomes of one call. */
struct link_fate {
    uint64_t there_ms; /* until it reaches the truth */
    uint64_t back_ms;  /* until the answer is back */
    bool is_lost;      /* it never reaches it; the answer is UNKNOWN */
    bool is_unheard;   /* it reaches it; the answer is UNKNOWN */
    bool is_refused;   /* it is turned away, without effect */
};

struct link_options {
    struct store *truth;
    uint64_t (*now_ms)(void *arg);
    struct link_fate (*fate)(void *arg, const struct store_txn *txn); /* NULL: it only reads */
    uint64_t (*watch_delay_ms)(void *arg);
    void *arg;
};

/* Open. It is a store like any other; store_close ends it. */
struct store *link_open(struct link_options options);

/* When it has something to do next; UINT64_MAX: nothing. */
uint64_t link_due(const struct store *store);

/* Carry calls that have reached the truth there; to be followed by a run of the truth. */
void link_carry(struct store *store);

/* The manager has died: from now on nothing of its calls reaches the truth, and all is answered UNKNOWN. */
void link_cut(struct store *store);

/* The store that it leads to is another one's life now. What was answered already is still on its way to the
 * manager; nothing else reaches any store, and all of it is answered UNKNOWN. */
void link_sever(struct store *store, struct store *truth);

/* Its watches lose their way: each is told LOST. */
void link_lose_watches(struct store *store);

#endif
