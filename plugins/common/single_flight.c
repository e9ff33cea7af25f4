#include "single_flight.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { LOCKS_MAX = 64, TOKEN_BYTES = 64 };

static void single_flight_clock(pthread_mutex_t *mutex, pthread_cond_t *changed)
{
    pthread_condattr_t clock;

    (void)pthread_mutex_init(mutex, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(changed, &clock);
    (void)pthread_condattr_destroy(&clock);
}

/* Waits for a change. Returns false at the deadline. Called with the mutex locked. */
static bool single_flight_wait(pthread_mutex_t *mutex, pthread_cond_t *changed, uint64_t ends_ms)
{
    struct timespec end = { .tv_sec = (time_t)(ends_ms / 1000),
                            .tv_nsec = (long)(ends_ms % 1000) * 1000000 };

    return pthread_cond_timedwait(changed, mutex, &end) == 0;
}

/* ---- one listing ---- */

/* A result that some callers have not taken yet. */
struct single_flight_result {
    struct blob *bytes;
    int32_t code;
    unsigned readers; /* number of callers that have not taken it yet */
};

struct single_flight {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t begun; /* number of listings that have begun, and below the number that have ended */
    uint64_t ended;
    uint64_t waiting; /* number of callers that wait for listing begun + 1 */
    uint64_t current; /* number of callers that wait for the listing in progress */
    struct single_flight_result last;
};

struct single_flight *single_flight_new(void)
{
    struct single_flight *flight = rows_resize(NULL, sizeof(*flight));

    *flight = (struct single_flight){ 0 };
    single_flight_clock(&flight->mutex, &flight->changed);
    return flight;
}

void single_flight_free(struct single_flight *flight)
{
    if (flight != NULL) {
        blob_free(flight->last.bytes);
        (void)pthread_cond_destroy(&flight->changed);
        (void)pthread_mutex_destroy(&flight->mutex);
        rows_free(flight);
    }
}

static void single_flight_drop(struct single_flight *flight)
{
    blob_free(flight->last.bytes);
    flight->last = (struct single_flight_result){ 0 };
}

/* Waits until the listing with the number `wanted` has begun, or can be begun by this caller.
 * Called with the mutex locked. */
static enum single_flight_role single_flight_board(struct single_flight *flight, uint64_t wanted,
                                                   uint64_t ends_ms)
{
    flight->waiting++;
    while (flight->begun < wanted) {
        /* a new listing begins only after all waiting callers have taken the previous result */
        if (flight->ended == flight->begun && flight->last.readers == 0) {
            flight->waiting--;
            flight->begun++;
            flight->current = flight->waiting;
            flight->waiting = 0;
            return SINGLE_FLIGHT_LEADER;
        }
        if (!single_flight_wait(&flight->mutex, &flight->changed, ends_ms) &&
            flight->begun < wanted) {
            flight->waiting--;
            return SINGLE_FLIGHT_LATE;
        }
    }
    return SINGLE_FLIGHT_SHARED;
}

enum single_flight_role single_flight_join(struct single_flight *flight, struct arena *arena,
                                           uint64_t ends_ms, struct text *out, int32_t *out_code)
{
    enum single_flight_role role;
    uint64_t wanted;

    (void)pthread_mutex_lock(&flight->mutex);
    wanted = flight->begun + 1;
    role = single_flight_board(flight, wanted, ends_ms);
    while (role == SINGLE_FLIGHT_SHARED && flight->ended < wanted) {
        if (!single_flight_wait(&flight->mutex, &flight->changed, ends_ms) &&
            flight->ended < wanted) {
            flight->current--;
            role = SINGLE_FLIGHT_LATE;
        }
    }
    if (role == SINGLE_FLIGHT_SHARED) {
        *out = arena_text(arena, blob_text(flight->last.bytes));
        *out_code = flight->last.code;
        assert(flight->last.readers > 0);
        if (--flight->last.readers == 0) {
            single_flight_drop(flight);
        }
        (void)pthread_cond_broadcast(&flight->changed);
    }
    (void)pthread_mutex_unlock(&flight->mutex);
    return role;
}

void single_flight_end(struct single_flight *flight, struct text result, int32_t code)
{
    (void)pthread_mutex_lock(&flight->mutex);
    assert(flight->begun == flight->ended + 1);
    flight->ended++;
    flight->last.readers = (unsigned)flight->current;
    if (flight->current > 0) {
        flight->last.bytes = blob_new(result);
        flight->last.code = code;
    }
    flight->current = 0;
    (void)pthread_cond_broadcast(&flight->changed);
    (void)pthread_mutex_unlock(&flight->mutex);
}

/* ---- one call per token ---- */

struct token_locks {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    char held[LOCKS_MAX][TOKEN_BYTES];
    size_t lengths[LOCKS_MAX]; /* 0: the slot is free */
};

struct token_locks *token_locks_new(void)
{
    struct token_locks *locks = rows_resize(NULL, sizeof(*locks));

    *locks = (struct token_locks){ 0 };
    single_flight_clock(&locks->mutex, &locks->changed);
    return locks;
}

void token_locks_free(struct token_locks *locks)
{
    if (locks != NULL) {
        (void)pthread_cond_destroy(&locks->changed);
        (void)pthread_mutex_destroy(&locks->mutex);
        rows_free(locks);
    }
}

/* Returns the slot that holds the token, or LOCKS_MAX if there is none. */
static size_t token_lock_find(const struct token_locks *locks, struct text token)
{
    for (size_t i = 0; i < LOCKS_MAX; i++) {
        if (locks->lengths[i] > 0 &&
            text_is_equal((struct text){ locks->held[i], locks->lengths[i] }, token)) {
            return i;
        }
    }
    return LOCKS_MAX;
}

/* Takes a free slot for the token. Returns false if the token is locked, or if no slot is free. */
static bool token_lock_try(struct token_locks *locks, struct text token)
{
    if (token_lock_find(locks, token) < LOCKS_MAX) {
        return false;
    }
    for (size_t i = 0; i < LOCKS_MAX; i++) {
        if (locks->lengths[i] == 0) {
            memcpy(locks->held[i], token.data, token.length);
            locks->lengths[i] = token.length;
            return true;
        }
    }
    return false;
}

bool token_lock_take(struct token_locks *locks, struct text token, uint64_t ends_ms)
{
    bool is_taken;

    assert(token.length > 0);
    token = text_slice(token, 0, TOKEN_BYTES);
    (void)pthread_mutex_lock(&locks->mutex);
    is_taken = token_lock_try(locks, token);
    while (!is_taken && single_flight_wait(&locks->mutex, &locks->changed, ends_ms)) {
        is_taken = token_lock_try(locks, token);
    }
    (void)pthread_mutex_unlock(&locks->mutex);
    return is_taken;
}

void token_lock_give(struct token_locks *locks, struct text token)
{
    size_t at;

    (void)pthread_mutex_lock(&locks->mutex);
    at = token_lock_find(locks, text_slice(token, 0, TOKEN_BYTES));
    assert(at < LOCKS_MAX);
    locks->lengths[at] = 0;
    (void)pthread_cond_broadcast(&locks->changed);
    (void)pthread_mutex_unlock(&locks->mutex);
}
