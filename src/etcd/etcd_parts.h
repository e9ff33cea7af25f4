#ifndef REEVE_ETCD_ETCD_PARTS_H
#define REEVE_ETCD_ETCD_PARTS_H

#include "base/map.h"
#include "etcd/etcd_key.h"
#include "etcd/etcd_link.h"
#include "etcd/etcd_message.h"

#include <stdatomic.h>

/* private to src/etcd */
/* public names start with: etcd_ */

/* Internals of the etcd driver, shared by etcd.c, etcd_open.c, etcd_read.c, etcd_event.c,
 * etcd_txn.c and etcd_watch.c only.
 *
 * The store's revisions begin with its creation: store revision = etcd's revision - base. Stored
 * and reported revisions are the store's; revisions in messages are etcd's. */

/* A call of the port until its `done`. All its data lives in the arena of the call. */
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
    void *wanted;    /* the request, stored here while a scan uses `state` */
    struct text key; /* the requested key, for an answer that needs it */
    uint64_t due_ms; /* next job in the list of refused jobs */
};

struct etcd_jobs {
    struct etcd_job *first;
    struct etcd_job *last;
};

struct etcd_slot; /* a cached counter; see etcd_counter.c */

/* Determines whether etcd answers (etcd_health.c). */
struct etcd_health {
    uint64_t good_ms; /* time of the last answer of etcd's quorum */
    uint64_t bad_ms;  /* time of the first failed call since then; 0: no call failed */
    struct err bad;   /* the newest failed call's error */
    struct err full;  /* if is_full: the error that etcd returned */
    uint64_t ping_ms; /* when the next ping is due */
    uint64_t size_ms; /* when the size is read next */
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
    uint64_t copied;  /* etcd's revision of the last value that was copied from another engine; of
                      * the first metadata, if none was */
    uint64_t etcd_id; /* cluster id of the etcd that was opened */
    uint64_t revision;
    uint64_t compacted;
    uint64_t bytes;
    unsigned char incarnation[16];
    unsigned char move[ETCD_MOVE_ID_BYTES]; /* the move that may be completed by opening */
    bool has_move;
    unsigned call_timeout_ms;
    bool is_open;  /* base, etcd_id and incarnation are known */
    bool is_full;  /* the newest write was rejected for lack of space */
    bool is_other; /* the etcd that answers is not the one that was opened */
    struct etcd_health health;
    struct etcd_finder *finder; /* the thread that opens the store; NULL: the store is open */
    /* For the store of a finder's thread: set when the opening must end. NULL: it is not
     * interrupted. */
    const atomic_bool *is_stopped;
    struct etcd_jobs refused; /* calls that wait for their rejection while the store is not open */
    uint64_t page;            /* items of a page, by the size of those read last; 0: unknown */
    struct pool *jobs;
    struct etcd_jobs ready; /* jobs that ended before they were sent; the next run reports them */
    struct etcd_jobs held;  /* transactions that wait for a counter */
    struct etcd_slot *slots;

    struct etcd_stream *stream; /* stream of all watches; NULL: not open */
    uint64_t stream_after_ms;   /* the stream is not opened before this time */
    unsigned back_off_ms;
    struct pool *watch_pool;
    struct map watches; /* the watches by id */
    bool is_watch_due;  /* a watch must be created or dropped */
    int64_t last_watch_id;
};

/* ---- etcd.c ---- */

/* Begins a call. */
struct etcd_job *etcd_job_new(struct etcd_store *store, store_done *done, void *arg);

/* Sends a message for the job. `got` is always called, with the answer or the failure. */
void etcd_job_send(struct etcd_job *job, const char *method, struct buf *message,
                   void (*got)(struct etcd_job *job, const struct etcd_reply *reply));

/* etcd_job_end ends the job now, from within store_run. etcd_job_end_later ends it in the next run,
 * because the call of the port has not returned yet. */
void etcd_job_end(struct etcd_job *job, enum outcome outcome);
void etcd_job_end_later(struct etcd_job *job, enum outcome outcome);

/* End the job because of a failed reply, or because of a damaged value. */
void etcd_job_fail(struct etcd_job *job, const struct etcd_reply *reply);
void etcd_job_damaged(struct etcd_job *job, struct text key);
void etcd_job_not_understood(struct etcd_job *job);

/* True if the store is open. Otherwise the job is rejected after a pause, with the reason why the
 * store is not open. Every call of the port begins with this. */
MUST_CHECK bool etcd_job_is_open(struct etcd_job *job);

/* Lists of jobs. */
void etcd_jobs_add(struct etcd_jobs *jobs, struct etcd_job *job);
struct etcd_job *etcd_jobs_take(struct etcd_jobs *jobs);

/* Reads the value of a key and the revisions of the key. Returns false if the value is damaged. */
struct etcd_revisions {
    uint64_t revision;
    uint64_t created;
};
MUST_CHECK bool etcd_item_read(const struct etcd_store *store, enum etcd_section section,
                               struct text name, const struct message_item *item,
                               struct etcd_revisions *out, struct text *payload);

/* Returns the newest revision of the copied values; 0: there are none. Nothing before it can be
 * read or watched. */
uint64_t etcd_copied_revision(const struct etcd_store *store);

/* Adds a compare for the revision of an object. */
void etcd_compare_add(struct etcd_store *store, struct buf *message, struct text full,
                      uint64_t revision);

/* Returns true if an object that was read for a failed compare has this revision. */
bool etcd_compare_is_met(const struct etcd_store *store, const struct message_found *found,
                         uint64_t revision);

/* Checks the header of an answer. Returns false if another etcd answers, in which case the job has
 * ended. */
MUST_CHECK bool etcd_job_header(struct etcd_job *job, const struct message_header *header);

/* The same check without a job. Records in the store that a different etcd answers. */
MUST_CHECK bool etcd_header_is_ours(struct etcd_store *store, const struct message_header *header);

/* etcd_store_twin makes a store with the options of another store, for another thread to open.
 * etcd_store_take takes over the results of that opening. etcd_store_free frees a store. */
struct etcd_store *etcd_store_twin(const struct etcd_store *store, const atomic_bool *is_stopped);
void etcd_store_take(struct etcd_store *store, const struct etcd_store *found);
void etcd_store_free(struct etcd_store *store);

/* ---- etcd_read.c ---- */

/* Reads a range of keys at one revision, page by page. */
struct etcd_scan {
    struct text start;
    struct text end; /* empty: only `start` */
    uint64_t limit;  /* maximum number of items */
    uint64_t at;     /* etcd's revision; 0: the newest, set by the first page */
    bool has_keys_only;
    uint64_t bytes_max; /* no further page after this many bytes; 0: unlimited */
    void (*found)(struct etcd_job *job, struct etcd_scan *scan); /* called when complete */

    struct message_item *items;
    size_t count;
    bool has_more;

    size_t room;
    uint64_t page;
    uint64_t bytes;
    unsigned tries;
    bool is_newest;
    struct text first; /* initial `start` */
};

/* Begins a scan. job->state is the scan until `found`. A failed reply ends the job. */
void etcd_scan_begin(struct etcd_job *job, const struct etcd_scan *wanted);

void etcd_list(struct store *store, const struct store_range *range, store_done *done, void *arg);
void etcd_history(struct store *store, struct text key, store_done *done, void *arg);

/* ---- etcd_event.c ---- */

/* The maximal number of events that have one revision of etcd. Copies of events (etcd_move.c) have
 * one revision for several of the store. */
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

/* Writes the key that makes etcd send a message to watches that lag behind, and opens the stream
 * of a stalled watch again. */
void etcd_watches_check(struct etcd_store *store, uint64_t now_ms);

/* True if the name belongs to a nudge and not to an object. */
bool etcd_name_is_nudge(struct text name);

/* ---- etcd_health.c ---- */

/* Records the result of a call of the quorum. */
void etcd_health_note(struct etcd_store *store, const struct etcd_reply *reply);

/* Records whether etcd rejected a write for lack of space. */
void etcd_health_note_write(struct etcd_store *store, const struct etcd_reply *reply);

/* Sends the due requests: a ping, or the request for the size of the database. */
void etcd_health_run(struct etcd_store *store, uint64_t now_ms);

/* Fills in whether the store is writable, and the reason if it is not. */
void etcd_health_status(const struct etcd_store *store, struct store_status *out);

/* ---- etcd_finder.c ---- */

/* Opens the store in a thread, again and again, until it succeeds. `err` is the failure so far. */
void etcd_finder_start(struct etcd_store *store, const unsigned char incarnation[16],
                       const struct err *err);

/* Takes the results of the thread. Returns true if the store is open now. */
bool etcd_finder_run(struct etcd_store *store);

/* Stops the thread. */
void etcd_finder_stop(struct etcd_store *store);

/* The newest error of the attempts to open the store. */
void etcd_finder_err(const struct etcd_store *store, struct err *out);

/* ---- etcd_open.c ---- */

/* Makes a call and waits for its end. Returns false if the result was not OK. */
MUST_CHECK bool etcd_call_wait(struct etcd_store *store, const char *method, struct buf *message,
                               struct text *out, struct err *err);

/* The same for a transaction. */
MUST_CHECK bool etcd_txn_wait(struct etcd_store *store, struct buf *message,
                              struct message_header *header, struct message_txn_answer *answer,
                              struct err *err);

/* Reads the metadata. *out_found is false if there is no store. */
MUST_CHECK bool etcd_meta_find(struct etcd_store *store, struct arena *arena, struct etcd_meta *out,
                               uint64_t *out_revision, bool *out_found, struct err *err);

/* Makes a store with options, without opening it. */
MUST_CHECK bool etcd_store_make(const struct etcd_options *options, struct etcd_store **out,
                                struct err *err);

/* True if opening may succeed later without a change of the options. */
bool etcd_open_is_temporary(const struct err *err);

/* Finds or creates the store, and tests the connection. */
MUST_CHECK bool etcd_store_find(struct etcd_store *store, const unsigned char incarnation[16],
                                struct err *err);

#endif
