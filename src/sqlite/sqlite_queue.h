#ifndef REEVE_SQLITE_SQLITE_QUEUE_H
#define REEVE_SQLITE_SQLITE_QUEUE_H

#include "sqlite/sqlite_db.h"

#include <pthread.h>

/* names: queue_ */

/* Inside of the SQLite driver: calls on their way between the loop and the threads.
 *
 * A call becomes a request with a copy of its arguments. It goes into the queue of a thread, is
 * carried out there, and comes back through the queue of finished ones, which store_run empties. Every
 * queue has its own lock; a request belongs to one side at a time. */

enum request_kind {
    REQUEST_LIST,
    REQUEST_TXN,
    REQUEST_COMPACT,
    REQUEST_EVENTS,
    REQUEST_EVENTS_BEFORE,
    REQUEST_EVENTS_DROP,
    REQUEST_HISTORY,
    REQUEST_AUDIT,
    REQUEST_CHANGES,
    REQUEST_BACKUP,
};

struct request {
    struct request *next;
    struct arena *arena; /* everything of the request lives in it */
    enum request_kind kind;
    store_done *done;
    void *arg;
    struct store_range range;
    struct store_txn txn;
    struct text key; /* cluster, key, prefix, path of a backup */
    uint64_t number; /* revision, number */
    uint64_t limit;
    struct sqlite_drop drop;
    struct store_watch *watch;
    struct sqlite_changes changes;
    struct sqlite_result result;
    struct store_answer answer;
    bool has_room; /* txn that is OK: no larger one lacks room any more */
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct request *first;
    struct request *last;
    bool is_ending;
};

/* Make an empty one; end it when it is empty. */
void queue_init(struct queue *queue);
void queue_fini(struct queue *queue);

/* Put a chain of requests at the end. */
void queue_put(struct queue *queue, struct request *first, struct request *last);

/* How long to wait where nothing is there. */
enum { QUEUE_NOT = 0, QUEUE_EVER = -1 };

/* Take all that is there, in order; NULL where nothing came within the time, or the queue ends. */
struct request *queue_take(struct queue *queue, int wait_ms);

/* Nothing more will be put; wakes who waits. */
void queue_end(struct queue *queue);
bool queue_is_ending(struct queue *queue);

#endif
