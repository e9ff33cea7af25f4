#include "base/limits.h"
#include "etcd/etcd_parts.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Opens a store whose etcd did not answer, or had no quorum, when the process started. Opening
 * blocks, so it runs on a separate thread with a separate connection. The thread ends when it has
 * opened the store, or when the store is closed. */

enum { FINDER_PAUSE_MS = 500, FINDER_STEP_MS = 50 };

struct etcd_finder {
    struct arena *memory;
    pthread_t thread;
    struct etcd_store *found; /* the store that the thread opens */
    unsigned char incarnation[16];
    atomic_bool is_stopped;
    int ended; /* eventfd, readable when the thread has ended */
    pthread_mutex_t lock;
    struct err err; /* protected by the lock */
    bool is_found;  /* written before `ended` is signalled, read after it */
};

static void finder_err_set(struct etcd_finder *finder, const struct err *err)
{
    pthread_mutex_lock(&finder->lock);
    finder->err = *err;
    pthread_mutex_unlock(&finder->lock);
}

static void *finder_run(void *arg)
{
    struct etcd_finder *finder = arg;
    uint64_t one = 1;
    ssize_t written;

    while (!atomic_load(&finder->is_stopped)) {
        struct err err;

        if (etcd_store_find(finder->found, finder->incarnation, &err)) {
            finder->is_found = true;
            break;
        }
        finder_err_set(finder, &err);
        for (unsigned waited_ms = 0;
             waited_ms < FINDER_PAUSE_MS && !atomic_load(&finder->is_stopped);
             waited_ms += FINDER_STEP_MS) {
            usleep(FINDER_STEP_MS * 1000);
        }
    }
    written = write(finder->ended, &one, sizeof(one));
    assert(written == sizeof(one));
    (void)written;
    return NULL;
}

void etcd_finder_start(struct etcd_store *store, const unsigned char incarnation[16],
                       const struct err *err)
{
    struct arena *memory = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct etcd_finder *finder = arena_one(memory, struct etcd_finder);
    int code;

    finder->memory = memory;
    finder->err = *err;
    memcpy(finder->incarnation, incarnation, sizeof(finder->incarnation));
    atomic_init(&finder->is_stopped, false);
    code = pthread_mutex_init(&finder->lock, NULL);
    assert(code == 0);
    finder->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(finder->ended >= 0);
    finder->found = etcd_store_twin(store, &finder->is_stopped);
    etcd_link_watch(store->link, finder->ended);
    store->finder = finder;
    code = pthread_create(&finder->thread, NULL, finder_run, finder);
    assert(code == 0 && "a thread is needed to open etcd");
    (void)code;
}

static void finder_free(struct etcd_store *store)
{
    struct etcd_finder *finder = store->finder;

    pthread_join(finder->thread, NULL);
    pthread_mutex_destroy(&finder->lock);
    etcd_store_free(finder->found);
    close(finder->ended);
    arena_free(finder->memory);
    store->finder = NULL;
}

bool etcd_finder_run(struct etcd_store *store)
{
    uint64_t count;

    if (store->finder == NULL ||
        read(store->finder->ended, &count, sizeof(count)) != sizeof(count)) {
        return false;
    }
    assert(store->finder->is_found);
    etcd_store_take(store, store->finder->found);
    finder_free(store);
    return true;
}

void etcd_finder_stop(struct etcd_store *store)
{
    if (store->finder != NULL) {
        atomic_store(&store->finder->is_stopped, true);
        finder_free(store);
    }
}

void etcd_finder_err(const struct etcd_store *store, struct err *out)
{
    if (store->finder == NULL) {
        return;
    }
    pthread_mutex_lock(&store->finder->lock);
    *out = store->finder->err;
    pthread_mutex_unlock(&store->finder->lock);
}
