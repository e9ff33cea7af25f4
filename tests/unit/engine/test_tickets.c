/* Random simulations of one budget: managers that share a store and have outdated caches, and
 * operations that begin and end on the nodes of two clusters. The number of nodes out of service
 * never exceeds the budget (I31). Without tickets (guard G24) the oracle must find a violation,
 * which shows that the test is effective. Requirements: N10. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "budget/budget.h"
#include "plan/guard.h"
#include "state/store.h"
#include "store/memory.h"

#include <string.h>

enum { RING = 4096, MANAGERS = 2, NODES = 10, MOST = 3, STEPS = 400, WORLDS = 60 };

static struct {
    struct arena *arena;
    struct store *store;
    struct cache *caches[MANAGERS];
    bool is_out[NODES];
    bool is_written[NODES]; /* A transaction about the node has no answer yet. */
    bool is_wrong;
    unsigned begun;
    uint64_t random;
    uint32_t guards_off;
} world;

static uint64_t draw(uint64_t below)
{
    world.random ^= world.random << 13;
    world.random ^= world.random >> 7;
    world.random ^= world.random << 17;
    return world.random % below;
}

static struct text cluster_of(size_t node)
{
    return node % MANAGERS == 0 ? TEXT("c1") : TEXT("c2");
}

static struct text token_of(size_t node)
{
    return arena_printf(world.arena, "t%zu", node);
}

static void on_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)outcome; /* a ticket that another manager took is requested again */
    (void)answer;
    *(bool *)arg = false;
}

/* Updates the cache of a manager to the newest commit, as after the manager's own commit. */
static void catch_up(size_t manager)
{
    for (int i = 0; i < 8; i++) {
        store_run(world.store);
        cache_run(world.caches[manager]);
    }
}

/* Checks whether an operation on the node may begin, and takes its ticket if it needs one. */
static void operation_begin(size_t node)
{
    const struct budget_question question = {
        .cache = world.caches[node % MANAGERS],
        .tenant = TEXT("t"),
        .cluster_id = cluster_of(node),
        .cluster = cluster_of(node),
        .group = TEXT("web"),
        .name = token_of(node),
        .token = token_of(node),
        .wall_ms = INT64_C(1795996800000),
        .guards_off = world.guards_off,
    };
    struct budget_asks asks;
    struct text wait;
    size_t count = 0;

    budget_asks_init(&asks, world.arena);
    if (budget_may(&question, &asks, &wait)) {
        world.is_out[node] = true;
        world.begun++;
    }
    for (size_t i = 0; i < asks.count; i++) {
        struct store_compare compare = { .key = asks.keys[i] };
        struct store_op op = { .key = asks.keys[i], .value = asks.values[i] };

        world.is_written[node] = true;
        store_txn(world.store, &(struct store_txn){ &compare, 1, &op, 1, NULL, 0 }, on_written,
                  &world.is_written[node]);
    }
    for (size_t i = 0; i < NODES; i++) {
        count += world.is_out[i];
    }
    world.is_wrong = world.is_wrong || count > MOST;
}

static void ticket_end(void *arg, struct text id, uint64_t revision, struct text token,
                       int64_t age_ms)
{
    size_t node = *(const size_t *)arg;

    (void)age_ms;
    if (text_is_equal(token, token_of(node))) {
        struct text key = arena_printf(world.arena, "/t/" TICKET_KIND "/%.*s/base", TEXT_ARG(id));
        struct store_compare compare = { .key = key, .revision = revision };
        struct store_op op = { .key = key, .is_delete = true };

        world.is_written[node] = true;
        store_txn(world.store, &(struct store_txn){ &compare, 1, &op, 1, NULL, 0 }, on_written,
                  &world.is_written[node]);
    }
}

static void operation_end(size_t node)
{
    world.is_out[node] = false;
    budget_tickets(world.caches[node % MANAGERS], TEXT("t"), cluster_of(node), 0, ticket_end,
                   &node);
    catch_up(node % MANAGERS);
}

static void world_run(uint64_t seed, uint32_t guards_off)
{
    static bool is_setting;
    struct store_op op = {
        .key = TEXT("/t/Budget/b1/spec"),
        .value = TEXT("{\"spec\":{\"maxUnavailable\":3,\"selector\":\"group=web\"}}"),
    };

    memset(&world, 0, sizeof(world));
    world.arena = arena_new(SIZE_MAX);
    world.random = seed * 0x9e3779b97f4a7c15U + 1;
    world.guards_off = guards_off;
    world.store = memory_open((const unsigned char *)"0123456789abcdef");
    store_txn(world.store, &(struct store_txn){ NULL, 0, &op, 1, NULL, 0 }, on_written,
              &is_setting);
    for (size_t i = 0; i < MANAGERS; i++) {
        world.caches[i] = cache_new(world.store, RING);
        catch_up(i);
    }
    for (size_t i = 0; i < STEPS; i++) {
        size_t node = (size_t)draw(NODES);

        if (draw(3) == 0) {
            store_run(world.store);
            cache_run(world.caches[draw(MANAGERS)]);
        } else if (!world.is_written[node] && !world.is_out[node]) {
            operation_begin(node);
        } else if (!world.is_written[node]) {
            operation_end(node);
        }
    }
    for (size_t i = 0; i < MANAGERS; i++) {
        catch_up(i);
        cache_free(world.caches[i]);
    }
    store_close(world.store);
    arena_free(world.arena);
}

static void a_budget_is_never_exceeded(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        world_run(seed, 0);
        assert_false(world.is_wrong);
        assert_true(world.begun > MOST);
    }
}

static void missing_tickets_are_noticed(void **state)
{
    bool is_noticed = false;

    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS && !is_noticed; seed++) {
        world_run(seed, 1U << G24);
        is_noticed = world.is_wrong;
    }
    assert_true(is_noticed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_is_never_exceeded),
        cmocka_unit_test(missing_tickets_are_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
