#include "sqlite/sqlite_queue.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

void queue_init(struct queue *queue)
{
    pthread_condattr_t attributes;
    int failed = pthread_mutex_init(&queue->lock, NULL) | pthread_condattr_init(&attributes) |
                 pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) |
                 pthread_cond_init(&queue->filled, &attributes);

    assert(failed == 0);
    (void)failed;
    pthread_condattr_destroy(&attributes);
}

void queue_fini(struct queue *queue)
{
    assert(queue->first == NULL);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->filled);
}

void queue_put(struct queue *queue, struct request *first, struct request *last)
{
    assert(last->next == NULL);
    pthread_mutex_lock(&queue->lock);
    if (queue->last == NULL) {
        queue->first = first;
    } else {
        queue->last->next = first;
    }
    queue->last = last;
    pthread_mutex_unlock(&queue->lock);
    /* the signal comes after the unlock, so that the woken thread finds the lock free */
    pthread_cond_signal(&queue->filled);
}

/* Waits for a request, at most wait_ms. The caller holds the lock. */
static void queue_wait(struct queue *queue, int wait_ms)
{
    struct timespec until;
    int code = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    if (wait_ms > 0) {
        until.tv_sec += wait_ms / 1000;
        until.tv_nsec += wait_ms % 1000 * 1000000L;
        if (until.tv_nsec >= 1000000000L) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000L;
        }
    }
    while (queue->first == NULL && !queue->is_ending && code != ETIMEDOUT) {
        code = wait_ms == QUEUE_EVER ? pthread_cond_wait(&queue->filled, &queue->lock)
                                     : pthread_cond_timedwait(&queue->filled, &queue->lock, &until);
    }
}

struct request *queue_take(struct queue *queue, int wait_ms)
{
    struct request *first;

    pthread_mutex_lock(&queue->lock);
    if (queue->first == NULL && wait_ms != QUEUE_NOT) {
        queue_wait(queue, wait_ms);
    }
    first = queue->first;
    queue->first = NULL;
    queue->last = NULL;
    pthread_mutex_unlock(&queue->lock);
    return first;
}

void queue_end(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->is_ending = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

bool queue_is_ending(struct queue *queue)
{
    bool is_ending;

    pthread_mutex_lock(&queue->lock);
    is_ending = queue->is_ending;
    pthread_mutex_unlock(&queue->lock);
    return is_ending;
}
