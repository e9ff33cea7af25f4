#ifndef REEVE_ETCD_ETCD_MESSAGE_H
#define REEVE_ETCD_ETCD_MESSAGE_H

#include "etcd/etcd_wire.h"

/* public names start with: message_ */

/* The messages of etcd's v3 API that the driver uses, by their documented field numbers.
 *
 * Requests are appended to a buffer. Answers are untrusted. A reading function returns false if the
 * bytes are not a valid message, exceed the caller's limits, or have an impossible revision. Texts
 * in an answer are slices of the message; arrays live in the arena. */

/* A key in an answer. */
struct message_item {
    struct text key;
    struct text value;
    uint64_t create_revision;
    uint64_t revision; /* revision of its newest change */
};

/* The header of every answer. */
struct message_header {
    uint64_t etcd_id; /* cluster id of etcd, the same for all members */
    uint64_t revision;
};

/* A range of keys. */
struct message_range {
    struct text key;
    struct text end;           /* first key after the range; empty: the range is only `key` */
    uint64_t limit;            /* maximum number of keys; 0: no limit */
    uint64_t revision;         /* revision to read; 0: the newest */
    uint64_t min_mod_revision; /* only keys changed at this revision or later */
    uint64_t max_mod_revision; /* only keys changed at this revision or earlier; 0: no limit */
    bool has_keys_only;
    bool is_by_revision;  /* ordered by the newest change instead of by key */
    bool is_newest_first; /* newest change first; only with is_by_revision */
};

struct message_found {
    const struct message_item *items;
    size_t count;
    bool has_more;
};

/* Result of one operation of a transaction; only ranges return data. */
struct message_done {
    bool is_range;
    struct message_found found;
};

struct message_txn_answer {
    bool has_succeeded;
    const struct message_done *done; /* one per operation of the executed branch */
    size_t count;
};

/* One change of a watched key. For a deletion, only key and revision are set. */
struct message_event {
    bool is_delete;
    struct message_item item;
};

struct message_watch_answer {
    struct message_header header;
    int64_t watch_id;
    bool is_created;
    bool is_canceled;
    uint64_t compact_revision;
    struct text reason;
    const struct message_event *events;
    size_t count;
};

/* ---- requests ---- */

/* Appends a RangeRequest. */
void message_range_add(struct buf *buf, const struct message_range *range);

/* Append a part of a TxnRequest. All compares come before the operations. An operation belongs to a
 * branch: success or failure of the compares. */
enum message_branch { MESSAGE_BRANCH_SUCCESS = 2, MESSAGE_BRANCH_FAILURE = 3 };
void message_compare_add(struct buf *buf, struct text key, uint64_t revision);
void message_txn_range_add(struct buf *buf, enum message_branch branch,
                           const struct message_range *range);
void message_txn_put_add(struct buf *buf, struct text key, struct text value);
void message_txn_delete_add(struct buf *buf, struct text key);

/* Appends the deletion of all keys from `key` up to, but not including, `end`. */
void message_txn_delete_range_add(struct buf *buf, struct text key, struct text end);

/* Appends compares that succeed if the key was last changed at `revision_max` or earlier, and its
 * value is greater than `above` and less than `below`. */
void message_compare_value_add(struct buf *buf, struct text key, uint64_t revision_max,
                               struct text above, struct text below);

/* Appends a CompactionRequest. */
void message_compact_add(struct buf *buf, uint64_t revision);

/* Append WatchRequests. */
void message_watch_add(struct buf *buf, int64_t watch_id, struct text key, struct text end,
                       uint64_t from_revision);
void message_watch_cancel_add(struct buf *buf, int64_t watch_id);

/* ---- answers ---- */

/* Reads a RangeResponse with at most `limit` items. */
MUST_CHECK bool message_found_read(struct arena *arena, struct text bytes, size_t limit,
                                   struct message_header *header, struct message_found *out);

/* Reads a TxnResponse of at most `limit` operations; each range has at most `limit` items. */
MUST_CHECK bool message_txn_read(struct arena *arena, struct text bytes, size_t limit,
                                 struct message_header *header, struct message_txn_answer *out);

/* Read the header (field 1) of any other answer. message_status_read also reads the size of the
 * database on disk from a StatusResponse. */
MUST_CHECK bool message_header_read(struct text bytes, struct message_header *header);
MUST_CHECK bool message_status_read(struct text bytes, struct message_header *header,
                                    uint64_t *out_bytes);

/* Reads a WatchResponse with at most `limit` events. */
MUST_CHECK bool message_watch_read(struct arena *arena, struct text bytes, size_t limit,
                                   struct message_watch_answer *out);

#endif
