#ifndef REEVE_SQLITE_SQLITE_STORE_H
#define REEVE_SQLITE_SQLITE_STORE_H

#include "base/stock.h"
#include "sqlite/sqlite_queue.h"

#include <stdatomic.h>

/* public names start with: sqlite_ */

/* Internal to the SQLite driver: the store, and the functions that its files share.
 *
 *   sqlite.c         the port: calls, answers, opening and closing
 *   sqlite_watch.c   watches
 *   sqlite_thread.c  threads and their connections
 *   sqlite_room.c    detects whether a full disk has space again */

struct sqlite_store {
    struct store store;
    struct arena *memory;
    int lock_file;
    int wake; /* eventfd: a request has finished */
    struct sqlite_opening opening;
    struct queue writes;
    struct queue reads;
    struct queue backups;
    struct queue finished;
    pthread_t writer;
    pthread_t reader;
    pthread_t backups_thread;

    /* The connections. After a disk failure, the writer thread reopens them and holds `connecting`
     * meanwhile. The reader holds it while it reads. */
    pthread_mutex_t connecting;
    struct sqlite_db *writer_db; /* NULL: writes are not possible; `problem` has the reason */
    struct sqlite_db *reader_db; /* NULL: reads are not possible */
    struct err problem;
    uint64_t tried_ms; /* time of the last attempt to open the connections */

    /* Writer only: size in bytes of the largest transaction that was rejected for lack of space; 0:
     * there is space. The store counts as full until a transaction of this size can be written
     * again, even if smaller ones succeed in the meantime. Otherwise its state would alternate with
     * the size of the writes. */
    uint64_t room_wanted;

    pthread_mutex_t copying;     /* held by the backup thread while it uses a connection */
    atomic_bool copy_is_to_stop; /* set by the writer, which then waits for the end of the copy */

    /* the following members are used on the loop thread only */
    struct pool *requests;
    struct stock arenas; /* memory for requests */
    struct pool *watch_pool;
    struct store_watch *watches;
    uint64_t audit_noted_ms;       /* writer only: time of the last write of the head to its file */
    uint64_t audit_written;        /* number of events at that time */
    char audit_fault[160];         /* error in the chain that was found when the store was opened;
                                    * empty: none */
    struct sqlite_figures figures; /* numbers of the latest answer */
    bool is_salvaging;             /* the store is damaged: its intact data is open for reading */
    struct store_damage damage;
    bool is_over;       /* the threads have ended; new requests are rejected */
    struct err refusal; /* why writes are rejected; code NONE: they are not rejected */
    /* The newest transaction that was rejected for lack of space; a smaller one may have succeeded
     * since then. */
    struct err no_room;
    uint64_t no_rooms; /* number of rejected transactions so far */
};

/* ---- sqlite.c ---- */

/* Returns a new request, which the caller fills and queues. */
struct request *sqlite_request_new(struct sqlite_store *sqlite, enum request_kind kind,
                                   store_done *done, void *arg);

/* Queues a request for the reader. */
void sqlite_read_put(struct sqlite_store *sqlite, struct request *request);

/* Passes a chain of requests back to the loop. */
void sqlite_requests_finish(struct sqlite_store *sqlite, struct request *first);

/* ---- sqlite_watch.c ---- */

/* Allocates the pool of a store's watches. */
struct pool *sqlite_watch_pool_new(void);

struct store_watch *sqlite_watch_open(struct store *store, struct text prefix,
                                      uint64_t from_revision, store_watch_seen *seen, void *arg);
void sqlite_watch_close(struct store *store, struct store_watch *watch);

/* Closes all watches. */
void sqlite_watches_end(struct sqlite_store *sqlite);

/* Called when a read for a watch has finished. */
void sqlite_watch_finish(struct sqlite_store *sqlite, const struct request *request);

/* Called when a write has finished. Watches that have reported all earlier changes get its changes
 * directly, without a read. */
void sqlite_watches_report(struct sqlite_store *sqlite, const struct request *request);

/* Starts reads for watches with new changes, and frees closed watches. */
void sqlite_watches_turn(struct sqlite_store *sqlite);

/* ---- sqlite_thread.c ---- */

/* sqlite_connect opens the connections. If the store is only readable, it sets `problem`. It
 * returns false if no connection can be opened. sqlite_disconnect closes them. */
MUST_CHECK bool sqlite_connect(struct sqlite_store *sqlite, struct err *err);
void sqlite_disconnect(struct sqlite_store *sqlite);

/* ---- sqlite_room.c ---- */

/* Called by the writer after each group. Updates room_wanted from the results of the group, and
 * sets has_room of its requests. */
void sqlite_room_learn(struct sqlite_store *sqlite, struct request *first);

/* ---- sqlite_thread.c, threads ---- */

/* sqlite_threads_start starts the threads. sqlite_threads_stop stops them after they have completed
 * their requests. */
void sqlite_threads_start(struct sqlite_store *sqlite);
void sqlite_threads_stop(struct sqlite_store *sqlite);

#endif
