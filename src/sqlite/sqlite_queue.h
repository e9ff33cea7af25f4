#ifndef REEVE_SQLITE_SQLITE_QUEUE_H
#define REEVE_SQLITE_SQLITE_QUEUE_H

#include "sqlite/sqlite_db.h"

#include <pthread.h>

/* public names start with: queue_ */

/* Internal to the SQLite driver: requests between the loop and the threads.
 *
 * A call becomes a request with a copy of its arguments. The request goes into the queue of a
 * thread, which executes it. It returns through the queue of finished requests, which store_run
 * empties. Every queue has its own lock; at any time, only one thread uses a request. */

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
    struct arena *arena; /* arena with all data of the request */
    enum request_kind kind;
    store_done *done;
    void *arg;
    struct store_range range;
    struct store_txn txn;
    struct text key; /* cluster, key, prefix, or path of a backup */
    uint64_t number; /* revision or number */
    uint64_t limit;
    struct sqlite_drop drop;
    struct store_watch *watch;
    struct sqlite_changes changes;
    struct sqlite_result result;
    struct store_answer answer;
    bool has_room; /* for a successful txn: all larger transactions that were rejected would have
                    * space now */
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct request *first;
    struct request *last;
    bool is_ending;
};

/* queue_init initializes an empty queue. queue_fini frees a queue that is empty. */
void queue_init(struct queue *queue);
void queue_fini(struct queue *queue);

/* Appends a chain of requests to the queue. */
void queue_put(struct queue *queue, struct request *first, struct request *last);

/* Values of wait_ms: do not wait, or wait without a limit. */
enum { QUEUE_NOT = 0, QUEUE_EVER = -1 };

/* Removes and returns all requests in order. Returns NULL if no request arrived in time, or the
 * queue was ended. */
struct request *queue_take(struct queue *queue, int wait_ms);

/* queue_end ends the queue: no more requests will follow, and waiting threads are woken.
 * queue_is_ending returns whether that has happened. */
void queue_end(struct queue *queue);
bool queue_is_ending(struct queue *queue);

#endif
