#ifndef REEVE_ETCD_ETCD_COUNTER_H
#define REEVE_ETCD_ETCD_COUNTER_H

#include "etcd/etcd_parts.h"

/* names: etcd_ */

/* Inside of etcd_txn.c: the counters that a transaction moves, and what is remembered of them. Two
 * transactions of this process that need one counter take turns: together they would only make each
 * other wrong. */

/* A counter that a transaction moves. */
struct etcd_move {
    enum etcd_counts counts;
    struct text of;   /* cluster or key */
    struct text name; /* of the counter */
    struct text full;
    struct etcd_slot *slot;
    bool shares_slot;  /* with another one of this transaction: it is not remembered */
    uint64_t revision; /* how we believe it stands */
    struct etcd_counter value;
    struct etcd_counter next; /* how it shall stand */
    bool is_moved;            /* a delete of what does not exist moves nothing */
};

struct etcd_moves {
    struct store_txn txn; /* a copy */
    struct etcd_move *counters;
    size_t count;
    unsigned tries;
    struct arena_mark mark; /* what an attempt makes lies behind it */
};

/* Add a counter to a transaction; there is room for it. */
struct etcd_move *etcd_move_add(struct etcd_job *job, struct etcd_moves *moves,
                                enum etcd_counts counts, struct text of);

/* The counter of a cluster or key, or NULL. */
struct etcd_move *etcd_move_find(const struct etcd_moves *moves, enum etcd_counts counts,
                                 struct text of);

/* Take all counters that a transaction needs, filled with what is remembered, or none: false. */
MUST_CHECK bool etcd_moves_take(const struct etcd_job *job, struct etcd_moves *moves);

/* Give them back, to be remembered as they stand; or, where nobody knows that, to be forgotten. */
void etcd_moves_give(const struct etcd_job *job, const struct etcd_moves *moves, bool is_known);

/* How they stand, as etcd's other branch tells, one answer each. False: the values are damaged. */
MUST_CHECK bool etcd_moves_read(struct etcd_moves *moves, const struct message_done *done);

#endif
