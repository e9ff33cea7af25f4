#ifndef REEVE_ETCD_ETCD_COUNTER_H
#define REEVE_ETCD_ETCD_COUNTER_H

#include "etcd/etcd_parts.h"

/* public names start with: etcd_ */

/* Internal to etcd_txn.c: the counters that a transaction changes, and their cache. If two
 * transactions of this process need the same counter, they run one after the other: in parallel,
 * one of them would always fail. */

/* A counter that a transaction changes. */
struct etcd_move {
    enum etcd_counts counts;
    struct text of;   /* the cluster or key that the counter belongs to */
    struct text name; /* name of the counter */
    struct text full;
    struct etcd_slot *slot;
    /* true: another counter of this transaction uses the same slot, so this counter is not
     * cached */
    bool is_slot_shared;
    uint64_t revision; /* etcd's revision that the counter must have */
    struct etcd_counter value;
    struct etcd_counter next; /* value after the transaction */
    bool is_moved;            /* false: the key to delete does not exist, so the counter does not
                               * change */
};

struct etcd_moves {
    struct store_txn txn; /* a copy */
    struct etcd_move *counters;
    size_t count;
    unsigned tries;
    struct arena_mark mark; /* start of the arena memory of the current attempt */
};

/* Adds a counter to a transaction. The array of the transaction must have room for it. */
struct etcd_move *etcd_move_add(struct etcd_job *job, struct etcd_moves *moves,
                                enum etcd_counts counts, struct text of);

/* Returns the transaction's counter of a cluster or key; NULL: none. */
struct etcd_move *etcd_move_find(const struct etcd_moves *moves, enum etcd_counts counts,
                                 struct text of);

/* Reserves all counters of a transaction and fills in cached values. If one of them is in use,
 * returns false and reserves none. */
MUST_CHECK bool etcd_moves_take(const struct etcd_job *job, struct etcd_moves *moves);

/* Releases the counters of a transaction. If is_known, their values are cached; otherwise they are
 * dropped from the cache. */
void etcd_moves_give(const struct etcd_job *job, const struct etcd_moves *moves, bool is_known);

/* Reads the values of the counters from etcd's answer: its failure branch has one part for each.
 * Returns false if a value is damaged. */
MUST_CHECK bool etcd_moves_read(struct etcd_moves *moves, const struct message_done *done);

#endif
