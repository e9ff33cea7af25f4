#ifndef REEVE_SQLITE_SQLITE_STORE_H
#define REEVE_SQLITE_SQLITE_STORE_H

#include "base/stock.h"
#include "sqlite/sqlite_queue.h"

#include <stdatomic.h>

/* names: sqlite_ */

/* Inside of the SQLite driver: the store, and what its parts do for each other.
 *
 *   sqlite.c         the port: calls, answers, opening and closing
 *   sqlite_watch.c   watches
 *   sqlite_thread.c  the threads, and the connections they work with
 *   sqlite_room.c    whether the disk has room again */

struct sqlite_store {
    struct store store;
    struct arena *memory;
    int lock_file;
    int wake; /* eventfd: something has finished */
    struct sqlite_opening opening;
    struct queue writes;
    struct queue reads;
    struct queue backups;
    struct queue finished;
    pthread_t writer;
    pthread_t reader;
    pthread_t reconciler; /* makes backups */

    /* The connections: the writer thread opens them anew where the disk has failed, with `connecting`
     * held; the reader holds it while it reads. */
    pthread_mutex_t connecting;
    struct sqlite_db *writer_db; /* NULL: nothing is written now, problem says why */
    struct sqlite_db *reader_db; /* NULL: nothing is read either */
    struct err problem;
    uint64_t tried_ms; /* when they were last opened */

    /* The writer's: bytes of the largest transaction that was refused for want of room; 0: there is
     * room. The store counts as full until so much can be written again, although small transactions
     * may be taken meanwhile: else its state would flap with the size of what is written. */
    uint64_t room_wanted;

    pthread_mutex_t copying;     /* held by the reconciler while it has a connection */
    atomic_bool copy_is_to_stop; /* the writer's: it waits for it */

    /* The loop's. */
    struct pool *requests;
    struct stock arenas; /* of requests */
    struct pool *watch_pool;
    struct store_watch *watches;
    uint64_t audit_noted_ms; /* the writer's: when the head of the chain was written to its file */
    uint64_t audit_written;  /* and how many events it had */
    char audit_fault[160];   /* as it was opened */
    struct sqlite_figures figures; /* as of the newest answer */
    bool is_salvaging;             /* a damaged store is opened to be read, as far as it is sound */
    struct store_damage damage;
    bool is_over;       /* the threads have ended: what is asked from now on is refused */
    struct err refusal; /* why nothing is written; code NONE: it is */
    struct err
        no_room; /* of the newest transaction that had no room, which a small one may have had since */
    uint64_t no_rooms; /* how many */
};

/* ---- sqlite.c ---- */

/* A request to be filled and put into a queue. */
struct request *sqlite_request_new(struct sqlite_store *sqlite, enum request_kind kind,
                                   store_done *done, void *arg);

/* To the readers. */
void sqlite_read_put(struct sqlite_store *sqlite, struct request *request);

/* Hand a chain of requests back to the loop. */
void sqlite_requests_finish(struct sqlite_store *sqlite, struct request *first);

/* ---- sqlite_watch.c ---- */

/* Room for all watches of a store. */
struct pool *sqlite_watch_pool_new(void);

struct store_watch *sqlite_watch_open(struct store *store, struct text prefix,
                                      uint64_t from_revision, store_watch_seen *seen, void *arg);
void sqlite_watch_close(struct store *store, struct store_watch *watch);

/* Close all. */
void sqlite_watches_end(struct sqlite_store *sqlite);

/* A read for a watch has come back. */
void sqlite_watch_finish(struct sqlite_store *sqlite, const struct request *request);

/* A write was made: watches that have seen all before it are told of it, and need not read it. */
void sqlite_watches_report(struct sqlite_store *sqlite, const struct request *request);

/* Ask again where there is something new, and free what is closed. */
void sqlite_watches_turn(struct sqlite_store *sqlite);

/* ---- sqlite_thread.c ---- */

/* Open the connections. False: neither can be. A store that can be read only has problem. */
MUST_CHECK bool sqlite_connect(struct sqlite_store *sqlite, struct err *err);
void sqlite_disconnect(struct sqlite_store *sqlite);

/* ---- sqlite_room.c ---- */

/* After a group was written: learn from its results whether there is room (room_wanted), and note it
 * in each of its requests. Called by the writer alone. */
void sqlite_room_learn(struct sqlite_store *sqlite, struct request *first);

/* ---- sqlite_thread.c, threads ---- */

/* Start the threads; stop them when each has done what it was given. */
void sqlite_threads_start(struct sqlite_store *sqlite);
void sqlite_threads_stop(struct sqlite_store *sqlite);

#endif
