#ifndef REEVE_ETCD_ETCD_MOVE_H
#define REEVE_ETCD_ETCD_MOVE_H

#include "etcd/etcd.h"
#include "state/dump.h"

/* Copies of a whole store to and from etcd (docs/decisions/0191). All functions block.
 *
 * A copied object keeps its revision: the value of its key begins with that revision. The metadata
 * record up to which revision of etcd the values are copies. They also record how later revisions
 * of etcd are converted, so that the store's revisions continue after those of the copy.
 *
 * The state in the metadata decides whether the store can be opened. Every transaction of the
 * driver compares the revision of the metadata, so a change of the state stops the writes of all
 * managers. */
struct etcd_move;

enum { ETCD_MOVE_PLACE_BYTES = 512 };

/* Identifies one move. */
struct etcd_move_id {
    unsigned char bytes[16];
};

/* States of the store at a prefix. */
enum etcd_move_state {
    ETCD_MOVE_NONE,     /* there is no store */
    ETCD_MOVE_ACTIVE,   /* managers use it, or may start to use it */
    ETCD_MOVE_ARRIVING, /* a store is being copied to this prefix, or was copied and is not in use
                         * yet */
    ETCD_MOVE_FROZEN,   /* it is being copied, or was copied, to another engine */
    ETCD_MOVE_MOVED,    /* it was moved to another engine */
};
struct etcd_move_found {
    enum etcd_move_state state;
    struct etcd_move_id id; /* id of the newest move */
    unsigned char incarnation[16];
    char place[ETCD_MOVE_PLACE_BYTES]; /* the origin of the store, or its new location */
};

/* Connects and reads the state. Fails with the errors of etcd_open, except those about moves. */
MUST_CHECK bool etcd_move_open(const struct etcd_options *options, struct etcd_move **out,
                               struct etcd_move_found *out_found, struct err *err);

/* Disconnects. Nothing in etcd is changed. NULL is allowed. */
void etcd_move_close(struct etcd_move *move);

/* Passes the content at the newest revision to a sink. */
MUST_CHECK bool etcd_move_dump(struct etcd_move *move, const struct store_dump_sink *sink,
                               struct store_dump_head *out, struct err *err);

/* ---- to etcd ---- */

/* Begins to copy a store to this prefix; `place` is its origin. First removes the remains of an
 * earlier copy, and those of a store of the same installation that was moved away. With `replaces`
 * it also removes a store that is in use. Fails with R0523 if there is a store, and with R0592 if
 * the keys below the prefix are not those of a store. */
MUST_CHECK bool etcd_move_arrive(struct etcd_move *move, const struct store_dump_head *head,
                                 const struct etcd_move_id *id, struct text place, bool replaces,
                                 struct err *err);

/* Returns the sink that receives the content: rows first, then events in order of their
 * revisions. */
struct store_dump_sink etcd_move_sink(struct etcd_move *move);

/* Completes the copy. It can now be dumped, but managers cannot use it yet. */
MUST_CHECK bool etcd_move_arrived(struct etcd_move *move, struct err *err);

/* Lets managers use the copy. */
MUST_CHECK bool etcd_move_activate(struct etcd_move *move, struct err *err);

/* ---- from etcd ---- */

/* Fails with R0588 if a manager sends heartbeats. *out_managers is the number of managers of the
 * store, without the manager with the id `manager`. Takes a few seconds. */
MUST_CHECK bool etcd_move_check(struct etcd_move *move, struct text manager, size_t *out_managers,
                                struct err *err);

/* Stops all writes to the store until it is opened again. */
MUST_CHECK bool etcd_move_freeze(struct etcd_move *move, const struct etcd_move_id *id,
                                 struct text place, struct err *err);

/* Marks the frozen store as moved to the place of etcd_move_freeze. Fails with R0592 if the store
 * was opened in the meantime. */
MUST_CHECK bool etcd_move_leave(struct etcd_move *move, struct err *err);

#endif
