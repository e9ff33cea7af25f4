/* Shared listings: every result comes from a listing that began after the request, and every caller
 * gets a result. */
#include "unit.h"

#include "http.h"
#include "single_flight.h"

#include <pthread.h>

enum { CALLERS = 8, ROUNDS = 200 };

struct world {
    struct single_flight *flight;
    struct token_locks *locks;
    pthread_mutex_t mutex;
    unsigned version;   /* changes with each request */
    unsigned listings;  /* number of listings in progress; never more than one */
    unsigned made;      /* number of listings made */
    unsigned inside[2]; /* holders of each token's lock */
    bool is_wrong;
};

static unsigned world_next(struct world *world)
{
    unsigned version;

    (void)pthread_mutex_lock(&world->mutex);
    version = ++world->version;
    (void)pthread_mutex_unlock(&world->mutex);
    return version;
}

/* Makes a listing. Its content is at least as new as its start. */
static void world_list(struct world *world)
{
    unsigned version;

    (void)pthread_mutex_lock(&world->mutex);
    world->is_wrong = world->is_wrong || ++world->listings > 1;
    world->made++;
    version = world->version;
    (void)pthread_mutex_unlock(&world->mutex);
    sched_yield();
    (void)pthread_mutex_lock(&world->mutex);
    world->listings--;
    (void)pthread_mutex_unlock(&world->mutex);
    single_flight_end(world->flight, (struct text){ (const char *)&version, sizeof(version) }, 7);
}

static void *caller_run(void *arg)
{
    struct world *world = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        AUTO(arena) arena = arena_new_small(1 << 16);
        unsigned asked = world_next(world);
        unsigned shown = 0;
        struct text result;
        int32_t code = 0;

        switch (single_flight_join(world->flight, arena, http_now_ms() + 60000, &result, &code)) {
        case SINGLE_FLIGHT_LEADER:
            world_list(world);
            continue;
        case SINGLE_FLIGHT_SHARED:
            memcpy(&shown, result.data, sizeof(shown));
            break;
        case SINGLE_FLIGHT_LATE:
            break;
        }
        if (shown < asked || code != 7) {
            world->is_wrong = true;
        }
    }
    return NULL;
}

static void callers_run(struct world *world, void *(*run)(void *))
{
    pthread_t threads[CALLERS];

    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, world), 0);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_false(world->is_wrong);
}

static void listings_are_shared(void **state)
{
    struct world world = { .flight = single_flight_new(), .mutex = PTHREAD_MUTEX_INITIALIZER };

    (void)state;
    callers_run(&world, caller_run);
    assert_true(world.made <= CALLERS * ROUNDS);
    single_flight_free(world.flight);
}

static void waiting_ends_at_the_deadline(void **state)
{
    AUTO(arena) arena = arena_new_small(1 << 16);
    struct single_flight *flight = single_flight_new();
    struct text result;
    int32_t code;

    (void)state;
    assert_int_equal(single_flight_join(flight, arena, http_now_ms() + 60000, &result, &code),
                     SINGLE_FLIGHT_LEADER);
    assert_int_equal(single_flight_join(flight, arena, http_now_ms() + 20, &result, &code),
                     SINGLE_FLIGHT_LATE);
    single_flight_end(flight, TEXT("x"), 0);
    assert_int_equal(single_flight_join(flight, arena, http_now_ms() + 60000, &result, &code),
                     SINGLE_FLIGHT_LEADER);
    single_flight_end(flight, TEXT("x"), 0);
    single_flight_free(flight);
}

static void *lock_run(void *arg)
{
    struct world *world = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned which = i % 2;
        struct text token = which == 0 ? TEXT("a") : TEXT("b");

        if (!token_lock_take(world->locks, token, http_now_ms() + 60000)) {
            world->is_wrong = true;
            return NULL;
        }
        /* the tested lock protects the counter */
        world->inside[which]++;
        if (world->inside[which] != 1) {
            world->is_wrong = true;
        }
        sched_yield();
        world->inside[which]--;
        token_lock_give(world->locks, token);
    }
    return NULL;
}

static void one_call_per_token(void **state)
{
    struct world world = { .locks = token_locks_new(), .mutex = PTHREAD_MUTEX_INITIALIZER };

    (void)state;
    callers_run(&world, lock_run);
    assert_true(token_lock_take(world.locks, TEXT("a"), http_now_ms() + 10));
    assert_true(token_lock_take(world.locks, TEXT("b"), http_now_ms() + 10));
    assert_false(token_lock_take(world.locks, TEXT("a"), http_now_ms() + 10));
    token_lock_give(world.locks, TEXT("a"));
    assert_true(token_lock_take(world.locks, TEXT("a"), http_now_ms() + 10));
    token_lock_give(world.locks, TEXT("a"));
    token_lock_give(world.locks, TEXT("b"));
    token_locks_free(world.locks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings_are_shared),
        cmocka_unit_test(waiting_ends_at_the_deadline),
        cmocka_unit_test(one_call_per_token),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
