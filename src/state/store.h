#ifndef REEVE_STATE_STORE_H
#define REEVE_STATE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/outcome.h"
#include "base/text.h"

/* The store port: revisions, watches and leases that lose nothing. The engine and the API call it,
 * src/store/ implements it (memory, sqlite, etcd); one contract suite runs against every driver.
 *
 * - One global 64-bit revision. A transaction that changes anything takes the next one; all its puts
 *   and deletes are at that one. Reads are at one revision and say which.
 * - Every call is asynchronous and ends in exactly one `done`, never before the call has returned.
 *   What a caller hands in may go away when the call returns; what `done` is handed is valid until it
 *   returns. All calls and all `done` are on one thread, the one that runs store_run.
 * - OUTCOME_REFUSED: it did not happen; the answer says why. OUTCOME_UNKNOWN: it may have; read again.
 * - Limits (limits.h) are checked by every driver in the same way, before anything is sent.
 *
 * Keys are /TENANT/KIND/ID/{spec,status,base}; the store itself only knows that they are bytes in
 * order and that those that end in /spec have a history. */
struct store;

/* One key as it stood at a revision. */
struct store_item {
    struct text key;
    struct text value;
    uint64_t create_revision; /* when it last began to exist */
    uint64_t revision;        /* of its newest change */
};

/* The key's newest change must be this one; 0 = it must not exist. */
struct store_compare {
    struct text key;
    uint64_t revision;
};

/* One change. A delete of a key that does not exist changes nothing. */
struct store_op {
    struct text key;
    struct text value; /* of a put */
    bool is_delete;
};

/* One event, numbered per cluster without gap, from 1 on, in the transaction that carries it. */
struct store_event {
    struct text cluster; /* TENANT/ID, or TENANT/ for what belongs to no cluster */
    struct text body;
    uint64_t number;   /* given by the store; ignored on the way in */
    uint64_t revision; /* given by the store; ignored on the way in */
    uint64_t time_ms;  /* since 1970, given by the caller; retention by age goes by it */
};

/* All compares hold, and everything below happens at one revision; or nothing happens. A key stands
 * at most once among the ops. */
struct store_txn {
    const struct store_compare *compares;
    size_t compare_count;
    const struct store_op *ops;
    size_t op_count;
    const struct store_event *events;
    size_t event_count;
};

/* A stretch of keys, in byte order. */
struct store_range {
    struct text prefix;
    struct text after;    /* only keys above this one; empty = from the first */
    size_t limit;         /* at most so many; 0 = all that LIMIT_STORE_LIST allows */
    uint64_t at_revision; /* 0 = the newest */
    bool is_exact;        /* only the key that is the prefix itself */
};

/* What every done is handed. Parts that the call does not give are zero. */
/* The head of the chain of events (sqlite/sqlite_audit.h). */
enum { STORE_AUDIT_LINK_BYTES = 32 };
struct store_audit_head {
    uint64_t id;      /* of the newest event; its revision and place */
    uint64_t written; /* events in the chain, ever */
    uint64_t dropped; /* of them, because of their age or number */
    unsigned char link[STORE_AUDIT_LINK_BYTES];
};

/* How the chain stands. */
struct store_audit {
    struct store_audit_head head;
    const char *line;  /* the head as one line, to be kept elsewhere */
    const char *fault; /* what is wrong with the chain; empty: nothing */
};

struct store_answer {
    uint64_t
        revision;   /* txn: its own (of the store where nothing changed); reads: what was read at */
    struct err err; /* where the outcome is not OK: R0501 and on */
    size_t failed_compare;            /* txn refused by a compare: index of the first that failed */
    const struct store_item *items;   /* get, list, history */
    const struct store_event *events; /* events */
    const struct store_audit *audit;  /* audit */
    size_t count;
    bool has_more; /* list, events: the limit cut it short */
};

typedef void store_done(void *arg, enum outcome outcome, const struct store_answer *answer);

/* One change as a watcher sees it. */
struct store_change {
    struct store_item item; /* of a delete: key, and revision of the delete */
    bool is_delete;
};

/* How a watch goes on. */
enum store_watch_state {
    STORE_WATCH_CHANGES, /* `changes` of one revision, complete; revisions rise, none is left out */
    STORE_WATCH_COMPACTED, /* the revision asked for is gone: list again; the watch has ended */
    STORE_WATCH_LOST,      /* the store cannot tell any more: list again; the watch has ended */
};

typedef void store_watch_seen(void *arg, enum store_watch_state state, uint64_t revision,
                              const struct store_change *changes, size_t count);

struct store_watch;

/* Events of one cluster that are missing between others. */
struct store_damage_events {
    struct text cluster;
    uint64_t lost;
};

/* What a damaged store cannot show. All texts live as long as the store. */
enum { STORE_DAMAGE_NAMED = 100 };
struct store_damage {
    bool is_damaged;
    uint64_t revision;        /* as of which the rest is shown */
    uint64_t objects;         /* keys that are shown */
    const struct text *names; /* the first of the keys that are not */
    size_t named;
    uint64_t keys; /* how many are not */
    const struct store_damage_events *gaps;
    size_t gap_count;
    uint64_t events;    /* how many are lost, as far as others tell it */
    bool is_list_cut;   /* there may be more keys, which nothing names any more */
    bool is_events_cut; /* there may be more events */
};

/* What a store is and how it stands. */
struct store_status {
    const char *driver; /* "memory", "sqlite", "etcd" */
    uint64_t revision;
    uint64_t compacted_revision; /* reads and watches below this one are refused */
    uint64_t bytes;
    unsigned char incarnation[16]; /* of this life of the store: new after a restore */
    bool is_writable;              /* false: read-only, full or damaged; reads go on */
    struct err problem;            /* where it is not: why, and what to do */
    /* Not writable until the process ends: the store is damaged, or its folder was read-only when it was
     * opened. Nothing may act on what it shows. */
    bool is_held;
    const struct store_damage *damage; /* NULL: none is known */
    uint64_t
        refusals; /* transactions not taken for want of room since it was opened: a small one may be taken next */
    struct err refusal; /* the newest of them */
    const char *
        audit_fault; /* what was wrong with the chain of events when it was opened; NULL: nothing was, or it has none */
};

/* Who wants to know all that a store holds takes it while it is checked at its opening, which reads each row anyway: a
 * driver that does so is handed this when it is opened. All is called within the opening.
 *
 * What `change` was told holds only where `end` was called, and the store has the revision that `begin` was told: else
 * something is damaged, or more was written since; then list. `begin` may come again: what was told before is void. */
struct store_reading {
    void (*begin)(void *arg, uint64_t compacted_revision, uint64_t revision);
    /* in order of revisions: every change above the compacted revision, and of the others at least those that say how
     * all stood at it */
    void (*change)(void *arg, const struct store_change *change);
    void (*end)(void *arg);
    void *arg;
};

/* What a driver gives. The functions are the calls below. */
struct store_driver {
    const char *name;
    void (*close)(struct store *store);
    int (*descriptor)(const struct store *store);
    size_t (*run)(struct store *store);
    void (*status)(const struct store *store, struct store_status *out);
    void (*list)(struct store *store, const struct store_range *range, store_done *done, void *arg);
    void (*txn)(struct store *store, const struct store_txn *txn, store_done *done, void *arg);
    struct store_watch *(*watch)(struct store *store, struct text prefix, uint64_t from_revision,
                                 store_watch_seen *seen, void *arg);
    void (*watch_close)(struct store *store, struct store_watch *watch);
    void (*compact)(struct store *store, uint64_t revision, store_done *done, void *arg);
    void (*events)(struct store *store, struct text cluster, uint64_t after_number, size_t limit,
                   store_done *done, void *arg);
    void (*events_before)(struct store *store, struct text cluster, uint64_t before_number,
                          size_t limit, store_done *done, void *arg);
    void (*events_drop)(struct store *store, uint64_t before_ms, uint64_t rows_max,
                        store_done *done, void *arg);
    void (*history)(struct store *store, struct text key, store_done *done, void *arg);
    void (*audit)(struct store *store, bool is_deep, store_done *done,
                  void *arg); /* NULL: no chain */
};

/* First member of every driver's store. */
struct store {
    const struct store_driver *driver;
};

/* End the store. Calls that are under way end first, each with its done (UNKNOWN where it must be).
 * NULL is allowed. */
void store_close(struct store *store);

/* A descriptor that is readable while store_run has something to do; -1: the driver has none, run it
 * whenever a call was made (memory). */
int store_descriptor(const struct store *store);

/* Run the done functions and watches that are due. Returns how many. */
size_t store_run(struct store *store);

/* How it stands now. */
void store_status(const struct store *store, struct store_status *out);

/* Read keys in byte order at one revision: the newest that is committed, or one that is not yet
 * compacted (else REFUSED, R0503). */
void store_list(struct store *store, const struct store_range *range, store_done *done, void *arg);

/* Read one key: a list of at most one. */
void store_get(struct store *store, struct text key, uint64_t at_revision, store_done *done,
               void *arg);

/* Change. REFUSED by a compare: R0502 with failed_compare; by a limit: R0504. OK is said after the
 * change is durable. A transaction without effect is OK and takes no revision. */
void store_txn(struct store *store, const struct store_txn *txn, store_done *done, void *arg);

/* Be told of every change below a prefix from this revision on, in order, each revision at once. The
 * first call of `seen` comes after this has returned. The store frees the watch when it has ended or
 * is closed. */
struct store_watch *store_watch(struct store *store, struct text prefix, uint64_t from_revision,
                                store_watch_seen *seen, void *arg);

/* End a watch; `seen` is not called any more. */
void store_watch_close(struct store *store, struct store_watch *watch);

/* Forget what was before a revision. The newest of every key stays, and so do the last
 * LIMIT_STORE_HISTORY of keys that end in /spec. */
void store_compact(struct store *store, uint64_t revision, store_done *done, void *arg);

/* Events of a cluster above a number, in order. An empty cluster: of all, in order of revision, and
 * `after_number` is a revision. */
void store_events(struct store *store, struct text cluster, uint64_t after_number, size_t limit,
                  store_done *done, void *arg);

/* The newest events of a cluster below a number, in ascending order; 0: the newest of all. `has_more`
 * says that older ones exist. An empty cluster: of all, and `before_number` is a revision. */
void store_events_before(struct store *store, struct text cluster, uint64_t before_number,
                         size_t limit, store_done *done, void *arg);

/* Drop events that are older than a time, and the oldest where there are more than rows_max; the
 * newest of a cluster always stays, so that its numbers go on. */
void store_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max, store_done *done,
                       void *arg);

/* The revisions of a key that are still known, newest first; a delete has an empty value. */
void store_history(struct store *store, struct text key, store_done *done, void *arg);

/* Does the driver keep a chain of events? */
bool store_has_audit(const struct store *store);

/* Verify that chain, as far as events are kept; where `is_deep`, also that each event is what was written. OK: the answer says what was
 * found. Only where store_has_audit. */
void store_audit(struct store *store, bool is_deep, store_done *done, void *arg);

/* Does a transaction keep the limits? Drivers ask this first. False: *err is R0504. */
MUST_CHECK bool store_txn_check(const struct store_txn *txn, struct err *err);

#endif
