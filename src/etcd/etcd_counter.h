#ifndef REEVE_ETCD_ETCD_COUNTER_H
#define REEVE_ETCD_ETCD_COUNTER_H

#include "etcd/etcd_parts.h"

/* public names start with: etcd_ */

/* Internal to etcd_txn.c: the counters that a transaction changes, and their cache. If two
 * transactions of this process need the same counter, they run one after the other; in parallel one
 * of them would always fail. */

/* A counter that a transaction changes. */
struct etcd_move {
    enum etcd_counts counts;
    struct text of;   /* the cluster or key to which it belongs */
    struct text name; /* name of the counter */
    struct text full;
    struct etcd_slot *slot;
    /* The counter shares its slot with another counter of this transaction, so it is not cached. */
    bool is_slot_shared;
    uint64_t revision; /* expected revision */
    struct etcd_counter value;
    struct etcd_counter next; /* value after the transaction */
    bool is_moved;            /* false: the key to delete does not exist, so nothing changes */
};

struct etcd_moves {
    struct store_txn txn; /* a copy */
    struct etcd_move *counters;
    size_t count;
    unsigned tries;
    struct arena_mark mark; /* start of the memory of an attempt */
};

/* Adds a counter to a transaction, whose array has room for it. */
struct etcd_move *etcd_move_add(struct etcd_job *job, struct etcd_moves *moves,
                                enum etcd_counts counts, struct text of);

/* Returns the counter of a cluster or key, or NULL. */
struct etcd_move *etcd_move_find(const struct etcd_moves *moves, enum etcd_counts counts,
                                 struct text of);

/* Reserves all counters of a transaction and fills in cached values. Returns false and reserves
 * none if one of them is in use. */
MUST_CHECK bool etcd_moves_take(const struct etcd_job *job, struct etcd_moves *moves);

/* Releases the counters of a transaction. Known values are cached; unknown values are dropped. */
void etcd_moves_give(const struct etcd_job *job, const struct etcd_moves *moves, bool is_known);

/* Reads the values of the counters from the failure branch of etcd's answer, which has one part for
 * each. Returns false if a value is damaged. */
MUST_CHECK bool etcd_moves_read(struct etcd_moves *moves, const struct message_done *done);

#endif
