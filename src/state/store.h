#ifndef REEVE_STATE_STORE_H
#define REEVE_STATE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/outcome.h"
#include "base/text.h"

/* The store port: keys with revisions, transactions, watches and events. The engine and the API
 * call it; src/store/ implements it (memory, sqlite, etcd). One conformance suite runs against
 * every driver.
 *
 * - One global 64-bit revision. A transaction that changes anything takes the next revision, and
 *   all its puts and deletes have that revision. Each read is at one revision and returns it.
 * - Every call is asynchronous and ends in exactly one `done`, never before the call has returned.
 *   The arguments of a call must be valid until it returns; those of `done` are valid until it
 *   returns. All calls, and all calls of `done`, are made on the one thread that runs store_run.
 * - OUTCOME_REFUSED: the call had no effect; the answer has the reason. OUTCOME_UNKNOWN: the call
 *   may have had its effect; read again.
 * - Every driver checks the limits (limits.h) in the same way, before it sends anything.
 *
 * Keys are /TENANT/KIND/ID/{spec,status,base}. The store only relies on their byte order, and on
 * the history of keys that end in /spec. */
struct store;

/* One key at a revision. */
struct store_item {
    struct text key;
    struct text value;
    uint64_t create_revision; /* revision at which the key was last created */
    uint64_t revision;        /* revision of its newest change */
};

/* Compares the revision of the latest change of a key with `revision`; 0: the key must not
 * exist. */
struct store_compare {
    struct text key;
    uint64_t revision;
};

/* One change. A delete of a key that does not exist changes nothing. */
struct store_op {
    struct text key;
    struct text value; /* the value of a put; unused for a delete */
    bool is_delete;
};

/* One event. The events of each cluster are numbered from 1 without gaps. The number is assigned in
 * the transaction that carries the event. */
struct store_event {
    struct text cluster; /* TENANT/ID, or TENANT/ for events without a cluster */
    struct text body;
    uint64_t number;   /* set by the store; ignored as input */
    uint64_t revision; /* set by the store; ignored as input */
    uint64_t time_ms;  /* since 1970, set by the caller; used for retention by age */
};

/* If all compares succeed, all changes below are made at one revision; otherwise none is made. Each
 * key occurs at most once among the ops. */
struct store_txn {
    const struct store_compare *compares;
    size_t compare_count;
    const struct store_op *ops;
    size_t op_count;
    const struct store_event *events;
    size_t event_count;
};

/* A range of keys, in byte order. */
struct store_range {
    struct text prefix;
    struct text after;    /* only keys above this one; empty: from the first key on */
    size_t limit;         /* maximal number of keys; 0: LIMIT_STORE_LIST */
    uint64_t at_revision; /* the revision at which keys are read; 0: the newest */
    bool is_exact;        /* only the key that equals the prefix */
    /* Return no further keys after this many bytes of keys and values; 0: unlimited. */
    size_t bytes;
};

/* The head of the event chain (sqlite/sqlite_audit.h). */
enum { STORE_AUDIT_LINK_BYTES = 32 };
struct store_audit_head {
    uint64_t id;      /* id of the newest event: its revision and position */
    uint64_t written; /* number of events ever written to the chain */
    uint64_t dropped; /* number of events removed by retention */
    unsigned char link[STORE_AUDIT_LINK_BYTES];
};

/* The state of the chain. */
struct store_audit {
    struct store_audit_head head;
    const char *line;  /* the head as one line, for storage elsewhere */
    const char *fault; /* the fault of the chain; empty: none */
};

/* The arguments of every `done`. Fields that a call does not set are zero. */
struct store_answer {
    /* txn: the revision of the transaction, or the store's revision if no key changed. Reads: the
     * revision of the read. */
    uint64_t revision;
    struct err err; /* if the outcome is not OK: R0501 and above */
    /* txn that a compare refused: index of the first compare that failed */
    size_t failed_compare;
    const struct store_item *items;   /* get, list, history */
    const struct store_event *events; /* events */
    const struct store_audit *audit;  /* audit */
    size_t count;
    bool has_more; /* list, events: a limit has cut the result */
};

typedef void store_done(void *arg, enum outcome outcome, const struct store_answer *answer);

/* One change as a watch receives it. */
struct store_change {
    struct store_item item; /* for a delete only the key and the revision of the delete */
    bool is_delete;
};

/* The state of a watch. */
enum store_watch_state {
    /* `changes` has all changes of one revision. Revisions increase, and none is left out. Without
     * changes, no key below the prefix has changed up to this revision. A revision need not change
     * any key of the store. */
    STORE_WATCH_CHANGES,
    /* The requested revision is compacted. List again; the watch has ended. */
    STORE_WATCH_COMPACTED,
    /* The store cannot report further changes. List again; the watch has ended. */
    STORE_WATCH_LOST,
};

typedef void store_watch_seen(void *arg, enum store_watch_state state, uint64_t revision,
                              const struct store_change *changes, size_t count);

struct store_watch;

/* A gap in the events of one cluster. */
struct store_damage_events {
    struct text cluster;
    uint64_t lost;
};

/* The unreadable content of a damaged store. All texts live as long as the store. */
enum { STORE_DAMAGE_NAMED = 100 };
struct store_damage {
    bool is_damaged;
    uint64_t revision;        /* the revision at which the rest of the data is readable */
    uint64_t objects;         /* number of readable keys */
    const struct text *names; /* the first unreadable keys, at most STORE_DAMAGE_NAMED */
    size_t named;
    uint64_t keys; /* number of unreadable keys */
    const struct store_damage_events *gaps;
    size_t gap_count;
    uint64_t events;    /* number of lost events, as far as gaps in their numbers show */
    bool is_list_cut;   /* further keys may be unreadable without any trace */
    bool is_events_cut; /* Further events may be lost. */
};

/* The identity and state of a store. */
struct store_status {
    const char *driver; /* "memory", "sqlite", "etcd" */
    uint64_t revision;
    uint64_t compacted_revision; /* reads and watches below this revision are rejected */
    uint64_t bytes;
    /* Identifies the incarnation of the store: a restore gives it a new one. */
    unsigned char incarnation[16];
    bool is_writable;   /* false: read-only, full, damaged or unreachable; reads may continue */
    struct err problem; /* if it is not writable: the reason and the remedy */
    /* Age of the newest answer that is certain to include the writes of all other processes, in ms.
     * 0: only this process uses the store. */
    uint64_t linearizable_age_ms;
    /* The store is not writable until the process ends, because it is damaged or its folder was
     * read-only when it was opened. No component may act on its content. */
    bool is_held;
    const struct store_damage *damage; /* NULL: no damage is known */
    /* Number of transactions since opening that were refused for lack of space. A smaller
     * transaction may still succeed. */
    uint64_t refusals;
    struct err refusal; /* the newest error of these transactions */
    /* The error of the event chain at opening. NULL: no error, or no chain. */
    const char *audit_fault;
};

/* Receives the content of a store while it is opened, because the check at opening reads each row
 * anyway. A driver that supports this interface gets it when the store is opened, and makes all
 * calls before the opening ends.
 *
 * The changes that were passed to `change` are valid only if `end` was called and the store still
 * has the revision passed to `begin`. Otherwise data is damaged or newer: list the store. `begin`
 * may be called again, which voids all earlier calls. */
struct store_reading {
    void (*begin)(void *arg, uint64_t compacted_revision, uint64_t revision);
    /* Called in order of revisions, for every change above the compacted revision. For earlier
     * changes it is called at least for those that form the state at the compacted revision. */
    void (*change)(void *arg, const struct store_change *change);
    void (*end)(void *arg);
    void *arg;
    /* Progress of the migration of a store from an earlier format: the number of migrated rows.
     * Called before the first row, during the migration, and with `is_over` after the last row.
     * NULL: not needed. */
    void (*migrating)(void *arg, uint64_t done, uint64_t rows, bool is_over);
    void *migrating_arg;
};

/* The interface of a driver. The functions are the calls below. */
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
    /* NULL: the driver has no event chain. */
    void (*audit)(struct store *store, bool is_deep, store_done *done, void *arg);
};

/* First member of every driver's store. */
struct store {
    const struct store_driver *driver;
};

/* Closes the store. Before that, each running call ends with a call of its `done` (with
 * OUTCOME_UNKNOWN if necessary). NULL is allowed. */
void store_close(struct store *store);

/* Return a descriptor that is readable while store_run has work. -1: the driver has none (memory),
 * and the caller must call store_run after every call. */
int store_descriptor(const struct store *store);

/* Call the `done` functions and watches that are due. Returns their number. */
size_t store_run(struct store *store);

/* Sets *out to the current status. */
void store_status(const struct store *store, struct store_status *out);

/* Read keys in byte order at one revision: the newest committed one, or one that is not compacted
 * (else REFUSED, R0503). */
void store_list(struct store *store, const struct store_range *range, store_done *done, void *arg);

/* Read one key: a list with at most one item. */
void store_get(struct store *store, struct text key, uint64_t at_revision, store_done *done,
               void *arg);

/* Executes a transaction. Fails with R0502 and failed_compare if a compare fails, with R0504 if a
 * limit is exceeded. OK is reported only after the change is durable. A transaction without effect
 * is OK and takes no revision. */
void store_txn(struct store *store, const struct store_txn *txn, store_done *done, void *arg);

/* Receives every change below a prefix from this revision on, in order. All changes of a revision
 * come in one call. The first call of `seen` comes after this function has returned. The store
 * frees the watch when it has ended or is closed. */
struct store_watch *store_watch(struct store *store, struct text prefix, uint64_t from_revision,
                                store_watch_seen *seen, void *arg);

/* Close a watch; `seen` is no longer called. */
void store_watch_close(struct store *store, struct store_watch *watch);

/* Compact the store: drop the changes before a revision. It keeps the latest value of every key,
 * and the last LIMIT_STORE_HISTORY values of keys that end in /spec. */
void store_compact(struct store *store, uint64_t revision, store_done *done, void *arg);

/* Read the events of a cluster above a number, in order. With an empty cluster, read those of all
 * clusters in order of revision; `after_number` is then a revision. */
void store_events(struct store *store, struct text cluster, uint64_t after_number, size_t limit,
                  store_done *done, void *arg);

/* Reads the newest events of a cluster below a number, in ascending order; with 0 the newest of all
 * events. `has_more` means that older events exist. With an empty cluster, reads the events of all
 * clusters; `before_number` is then a revision. */
void store_events_before(struct store *store, struct text cluster, uint64_t before_number,
                         size_t limit, store_done *done, void *arg);

/* Drops the events that are older than a time, and the oldest events above rows_max. The newest
 * event of each cluster is kept, so that later events continue its numbers. */
void store_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max, store_done *done,
                       void *arg);

/* Read the kept revisions of a key, newest first. A delete has an empty value. */
void store_history(struct store *store, struct text key, store_done *done, void *arg);

/* True if the driver has an event chain. */
bool store_has_audit(const struct store *store);

/* Verifies the event chain as far as events are kept; with `is_deep` also verifies that each event
 * is unchanged. OK: the answer has the result. Requires store_has_audit. */
void store_audit(struct store *store, bool is_deep, store_done *done, void *arg);

/* True if the transaction is within the limits. Drivers call this first. Fails with R0504. */
MUST_CHECK bool store_txn_check(const struct store_txn *txn, struct err *err);

#endif
