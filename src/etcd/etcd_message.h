#ifndef REEVE_ETCD_ETCD_MESSAGE_H
#define REEVE_ETCD_ETCD_MESSAGE_H

#include "etcd/etcd_wire.h"

/* names: message_ */

/* The messages of etcd's v3 API that the driver uses, by their documented field numbers.
 *
 * Requests are appended to a buffer. Answers come from outside and are never trusted: a function
 * that reads one is false where the bytes are no such message, hold more than the caller allows, or
 * a number that no revision can be. Texts in an answer are slices of the message; arrays live in the
 * arena. */

/* A key as etcd tells it. */
struct message_item {
    struct text key;
    struct text value;
    uint64_t create_revision;
    uint64_t revision; /* of its newest change */
};

/* What every answer begins with. */
struct message_header {
    uint64_t etcd_id; /* of the set of etcd members, the same for all of them */
    uint64_t revision;
};

/* A stretch of keys. */
struct message_range {
    struct text key;
    struct text end;           /* the first key above the stretch; empty = `key` alone */
    uint64_t limit;            /* 0 = none */
    uint64_t revision;         /* 0 = newest */
    uint64_t min_mod_revision; /* only keys that changed at this one or later */
    uint64_t max_mod_revision; /* and at this one or before; 0 = no bound */
    bool keys_only;
    bool by_revision;     /* in order of their newest change, not of the keys */
    bool is_newest_first; /* of by_revision */
};

struct message_found {
    const struct message_item *items;
    size_t count;
    bool has_more;
};

/* What one operation of a transaction gave; only ranges give anything that counts. */
struct message_done {
    bool is_range;
    struct message_found found;
};

struct message_txn_answer {
    bool has_succeeded;
    const struct message_done *done; /* one for each operation of the branch that was taken */
    size_t count;
};

/* One change of a watched key; of a delete: key and revision. */
struct message_event {
    bool is_delete;
    struct message_item item;
};

struct message_watch_answer {
    struct message_header header;
    int64_t watch_id;
    bool is_created;
    bool is_canceled;
    bool is_fragment; /* more of the same follows */
    uint64_t compact_revision;
    struct text reason;
    const struct message_event *events;
    size_t count;
};

/* ---- requests ---- */

/* A RangeRequest. */
void message_range_add(struct buf *buf, const struct message_range *range);

/* Parts of a TxnRequest: compares first, then operations, each of the branch they belong to. */
enum message_branch { MESSAGE_BRANCH_SUCCESS = 2, MESSAGE_BRANCH_FAILURE = 3 };
void message_compare_add(struct buf *buf, struct text key, uint64_t revision);
void message_txn_range_add(struct buf *buf, enum message_branch branch,
                           const struct message_range *range);
void message_txn_put_add(struct buf *buf, struct text key, struct text value);
void message_txn_delete_add(struct buf *buf, struct text key);

/* A CompactionRequest. */
void message_compact_add(struct buf *buf, uint64_t revision);

/* WatchRequests. */
void message_watch_add(struct buf *buf, int64_t watch_id, struct text key, struct text end,
                       uint64_t from_revision);
void message_watch_cancel_add(struct buf *buf, int64_t watch_id);

/* ---- answers ---- */

/* A RangeResponse with at most `limit` items. */
MUST_CHECK bool message_found_read(struct arena *arena, struct text bytes, size_t limit,
                                   struct message_header *header, struct message_found *out);

/* A TxnResponse of at most `limit` operations, each range with at most so many items. */
MUST_CHECK bool message_txn_read(struct arena *arena, struct text bytes, size_t limit,
                                 struct message_header *header, struct message_txn_answer *out);

/* Any other answer: its header (field 1). A StatusResponse also gives its size on disk. */
MUST_CHECK bool message_header_read(struct text bytes, struct message_header *header);
MUST_CHECK bool message_status_read(struct text bytes, struct message_header *header,
                                    uint64_t *out_bytes);

/* A WatchResponse with at most `limit` events. */
MUST_CHECK bool message_watch_read(struct arena *arena, struct text bytes, size_t limit,
                                   struct message_watch_answer *out);

#endif
