#ifndef REEVE_ETCD_ETCD_PARTS_H
#define REEVE_ETCD_ETCD_PARTS_H

#include "base/map.h"
#include "etcd/etcd_key.h"
#include "etcd/etcd_link.h"
#include "etcd/etcd_message.h"

#include <stdatomic.h>

/* private to src/etcd */
/* public names start with: etcd_ */

/* Declarations that etcd.c, etcd_open.c, etcd_read.c, etcd_event.c, etcd_txn.c and etcd_watch.c
 * share.
 *
 * The store's revisions begin with its creation: store revision = etcd's revision - base. Values
 * and reports contain the store's revisions; messages of etcd contain etcd's revisions. */

/* A call of the port until its `done`. All of its data lives in its arena. */
struct etcd_job {
    struct etcd_job *next; /* list of ready or held jobs */
    struct etcd_store *store;
    struct arena *arena;
    store_done *done;
    void *arg;
    enum outcome outcome;
    struct store_answer answer;
    void (*got)(struct etcd_job *job, const struct etcd_reply *reply);
    void *state;     /* belongs to the file that handles the job */
    void *wanted;    /* the request, while a scan uses `state` */
    struct text key; /* the requested key, for an answer that needs it */
    uint64_t due_ms; /* for a rejected job: time at which it ends */
};

struct etcd_jobs {
    struct etcd_job *first;
    struct etcd_job *last;
};

struct etcd_slot; /* a cached counter (etcd_counter.c) */

/* Determines whether etcd answers (etcd_health.c). */
struct etcd_health {
    uint64_t good_ms; /* time of the last answer of etcd's quorum */
    uint64_t bad_ms;  /* time of the first failed call since good_ms; 0: no call has failed */
    struct err bad;   /* error of the latest failed call */
    struct err full;  /* if is_full: the error that etcd returned */
    uint64_t ping_ms; /* time of the next ping */
    uint64_t size_ms; /* time of the next request for the size */
    bool is_pinging;
    bool is_sizing;
};

struct etcd_store {
    struct store store;
    struct arena *memory;
    struct etcd_link *link;
    struct text prefix;
    struct text meta_key;
    uint64_t base;    /* etcd's revisions minus those of the store, modulo 2^64 */
    uint64_t meta;    /* etcd's revision of the metadata, which each transaction compares */
    uint64_t copied;  /* etcd's revision of the last value that was copied from another engine;
                       * without such values, of the first metadata */
    uint64_t etcd_id; /* cluster id of the etcd that was opened */
    uint64_t revision;
    uint64_t compacted;
    uint64_t bytes;
    unsigned char incarnation[16];
    unsigned char move[ETCD_MOVE_ID_BYTES]; /* id of a move that opening this store completes */
    bool has_move;
    unsigned call_timeout_ms;
    bool is_open;  /* base, etcd_id and incarnation are known */
    bool is_full;  /* the latest write was rejected for lack of space */
    bool is_other; /* the etcd that answers now is not the one that was opened */
    struct etcd_health health;
    struct etcd_finder *finder; /* the thread that opens the store; NULL: the store is open */
    /* Only in the store of a finder's thread: set when opening must stop. NULL: opening is never
     * interrupted. */
    const atomic_bool *is_stopped;
    struct etcd_jobs refused; /* calls that will be rejected after a pause, because the store is not
                               * open */
    uint64_t page;            /* number of items per page, estimated from the size of the latest
                               * items; 0: unknown */
    struct pool *jobs;
    struct etcd_jobs ready; /* jobs that ended without a call; the next run reports them */
    struct etcd_jobs held;  /* transactions that wait until a counter is free */
    struct etcd_slot *slots;

    struct etcd_stream *stream; /* stream of all watches; NULL: not open */
    uint64_t stream_after_ms;   /* the next stream is not opened before this time */
    unsigned back_off_ms;
    struct pool *watch_pool;
    struct map watches; /* the watches by id */
    bool is_watch_due;  /* a watch must be created or removed */
    int64_t last_watch_id;
};

/* ---- etcd.c ---- */

/* Creates the job of a call. */
struct etcd_job *etcd_job_new(struct etcd_store *store, store_done *done, void *arg);

/* Sends a message for the job. `got` is always called later, with the answer or the failure. */
void etcd_job_send(struct etcd_job *job, const char *method, struct buf *message,
                   void (*got)(struct etcd_job *job, const struct etcd_reply *reply));

/* etcd_job_end ends the job immediately; call it only within store_run. etcd_job_end_later ends it
 * in the next run, for calls of the port that have not returned yet. */
void etcd_job_end(struct etcd_job *job, enum outcome outcome);
void etcd_job_end_later(struct etcd_job *job, enum outcome outcome);

/* End the job because of a failed reply, or because of a damaged value. */
void etcd_job_fail(struct etcd_job *job, const struct etcd_reply *reply);
void etcd_job_damaged(struct etcd_job *job, struct text key);
void etcd_job_not_understood(struct etcd_job *job);

/* True if the store is open. Otherwise the job is rejected after a pause, with the reason why the
 * store is not open. Every call of the port calls this first. */
MUST_CHECK bool etcd_job_is_open(struct etcd_job *job);

/* Append a job to a list, and remove the first job from a list. */
void etcd_jobs_add(struct etcd_jobs *jobs, struct etcd_job *job);
struct etcd_job *etcd_jobs_take(struct etcd_jobs *jobs);

/* Reads the value and the revisions of a key from an item. Returns false if the value is
 * damaged. */
struct etcd_revisions {
    uint64_t revision;
    uint64_t created;
};
MUST_CHECK bool etcd_item_read(const struct etcd_store *store, enum etcd_section section,
                               struct text name, const struct message_item *item,
                               struct etcd_revisions *out, struct text *payload);

/* Returns the newest revision of the copied values; 0 if there are none. Earlier revisions can be
 * neither read nor watched. */
uint64_t etcd_copied_revision(const struct etcd_store *store);

/* Appends a compare of an object's revision to a transaction. */
void etcd_compare_add(struct etcd_store *store, struct buf *message, struct text full,
                      uint64_t revision);

/* Returns whether an object has this revision. It was read after its compare failed. */
bool etcd_compare_is_met(const struct etcd_store *store, const struct message_found *found,
                         uint64_t revision);

/* Checks the header of an answer. Returns false if another etcd answers, in which case the job has
 * ended. */
MUST_CHECK bool etcd_job_header(struct etcd_job *job, const struct message_header *header);

/* Like etcd_job_header, but without a job. If a different etcd answers, that is recorded in the
 * store. */
MUST_CHECK bool etcd_header_is_ours(struct etcd_store *store, const struct message_header *header);

/* etcd_store_twin creates a store with the same options, which another thread opens.
 * etcd_store_take takes over the results of that opening. etcd_store_free frees a store. */
struct etcd_store *etcd_store_twin(const struct etcd_store *store, const atomic_bool *is_stopped);
void etcd_store_take(struct etcd_store *store, const struct etcd_store *found);
void etcd_store_free(struct etcd_store *store);

/* ---- etcd_read.c ---- */

/* A read of a range of keys at one revision, page by page. */
struct etcd_scan {
    struct text start;
    struct text end; /* empty: only `start` */
    uint64_t limit;  /* maximum number of items */
    uint64_t at;     /* etcd's revision; 0: the newest, set by the first page */
    bool has_keys_only;
    uint64_t bytes_max; /* after this many bytes, no further page is read; 0: no limit */
    void (*found)(struct etcd_job *job, struct etcd_scan *scan); /* called when the scan is
                                                                  * complete */

    struct message_item *items;
    size_t count;
    bool has_more;

    size_t room;
    uint64_t page;
    uint64_t bytes;
    unsigned tries;
    bool is_newest;
    struct text first; /* the initial value of `start` */
};

/* Begins a scan. Until `found` is called, job->state is the scan. A failed call ends the job. */
void etcd_scan_begin(struct etcd_job *job, const struct etcd_scan *wanted);

void etcd_list(struct store *store, const struct store_range *range, store_done *done, void *arg);
void etcd_history(struct store *store, struct text key, store_done *done, void *arg);

/* ---- etcd_event.c ---- */

/* Maximum number of events in one revision of etcd. In a copied store (etcd_move.c), one revision
 * of etcd can have the events of several revisions of the store. */
enum { ETCD_REVISION_EVENTS = 2 * LIMIT_STORE_TXN_OPERATIONS };

void etcd_events(struct store *store, struct text cluster, uint64_t after_number, size_t limit,
                 store_done *done, void *arg);
void etcd_events_before(struct store *store, struct text cluster, uint64_t before_number,
                        size_t limit, store_done *done, void *arg);
void etcd_events_drop(struct store *store, uint64_t before_ms, uint64_t rows_max, store_done *done,
                      void *arg);

/* ---- etcd_txn.c ---- */

void etcd_txn(struct store *store, const struct store_txn *txn, store_done *done, void *arg);

/* ---- etcd_counter.c ---- */

void etcd_counters_init(struct etcd_store *store);
void etcd_counters_fini(struct etcd_store *store);

/* ---- etcd_watch.c ---- */

struct store_watch *etcd_watch(struct store *store, struct text prefix, uint64_t from_revision,
                               store_watch_seen *seen, void *arg);
void etcd_watch_close(struct store *store, struct store_watch *watch);
void etcd_watches_run(struct etcd_store *store);
void etcd_watches_init(struct etcd_store *store);
void etcd_watches_fini(struct etcd_store *store);

/* If a watch lags behind, writes a key that makes etcd send a message to it. Reopens the stream if
 * a watch is stalled. */
void etcd_watches_check(struct etcd_store *store, uint64_t now_ms);

/* True if the name is that of a nudge key (etcd_watch.c) and not of an object. */
bool etcd_name_is_nudge(struct text name);

/* ---- etcd_health.c ---- */

/* Records the result of a call to the quorum. */
void etcd_health_note(struct etcd_store *store, const struct etcd_reply *reply);

/* Records whether etcd rejected a write for lack of space. */
void etcd_health_note_write(struct etcd_store *store, const struct etcd_reply *reply);

/* Sends the requests that are due: a ping, or a request for the size of the database. */
void etcd_health_run(struct etcd_store *store, uint64_t now_ms);

/* Sets in *out whether the store is writable and, if not, the reason. */
void etcd_health_status(const struct etcd_store *store, struct store_status *out);

/* ---- etcd_finder.c ---- */

/* Starts the thread that tries to open the store until it succeeds. `err` is the latest failure. */
void etcd_finder_start(struct etcd_store *store, const unsigned char incarnation[16],
                       const struct err *err);

/* Takes over the results of the thread. Returns true if the store is open now. */
bool etcd_finder_run(struct etcd_store *store);

/* Stops the thread. */
void etcd_finder_stop(struct etcd_store *store);

/* Returns the error of the latest attempt to open the store. */
void etcd_finder_err(const struct etcd_store *store, struct err *out);

/* ---- etcd_open.c ---- */

/* Makes a call and waits for its end. Returns false if the outcome is not OK. */
MUST_CHECK bool etcd_call_wait(struct etcd_store *store, const char *method, struct buf *message,
                               struct text *out, struct err *err);

/* Sends a transaction and waits for its end. Returns false if the outcome is not OK. */
MUST_CHECK bool etcd_txn_wait(struct etcd_store *store, struct buf *message,
                              struct message_header *header, struct message_txn_answer *answer,
                              struct err *err);

/* Reads the metadata. *out_found is false if there is no store. */
MUST_CHECK bool etcd_meta_find(struct etcd_store *store, struct arena *arena, struct etcd_meta *out,
                               uint64_t *out_revision, bool *out_found, struct err *err);

/* Creates a store with these options, without opening it. */
MUST_CHECK bool etcd_store_make(const struct etcd_options *options, struct etcd_store **out,
                                struct err *err);

/* True if the error is temporary: opening may succeed later with the same options. */
bool etcd_open_is_temporary(const struct err *err);

/* Finds or creates the store, and tests the connection. */
MUST_CHECK bool etcd_store_find(struct etcd_store *store, const unsigned char incarnation[16],
                                struct err *err);

#endif
