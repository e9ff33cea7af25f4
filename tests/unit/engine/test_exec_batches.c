/* How machines are divided into batches: for any machines, each is in one batch, no batch is too
 * large, and the requested order holds. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/exec.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3000, NODES_MAX = 40, ZONES = 4 };

static uint64_t dice = 20261123;

/* Returns a random number below `most`, which is not 0. */
static size_t draw(size_t most)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(dice >> 33) % most;
}

/* Returns machines in the order of their names, with random zones. The first zone is "no zone". */
static struct select_nodes nodes_draw(struct arena *arena, size_t count)
{
    static const char *const zones[ZONES] = { "", "a", "b", "zone-10" };
    struct select_node *nodes = arena_array(arena, struct select_node, count);

    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct select_node){ .cluster = TEXT("shop"),
                                         .name = arena_printf(arena, "web-%zu", i),
                                         .zone = text_from(zones[draw(ZONES)]),
                                         .record_state = PLAN_RECORD_ACTIVE };
    }
    return (struct select_nodes){ nodes, count };
}

static struct exec_arrangement arrangement_draw(void)
{
    return (struct exec_arrangement){ .by = (enum exec_by)draw(3),
                                      .seed = draw(1000) + 1,
                                      .is_zone_apart = draw(2) == 0,
                                      .batch = draw(NODES_MAX) + 1,
                                      .canary = draw(8) };
}

static size_t number_of(const struct select_node *node)
{
    return (size_t)strtoul(node->name.data + strlen("web-"), NULL, 10);
}

static void batch_check(const struct select_nodes *nodes, const struct exec_arrangement *how,
                        size_t start, const struct exec_batch *batch)
{
    size_t canary = how->canary < nodes->count ? how->canary : nodes->count;

    assert_true(batch->end > start && batch->end <= nodes->count);
    assert_int_equal(batch->is_canary, start < canary);
    assert_true(batch->end - start <= (batch->is_canary ? canary - start : how->batch));
    for (size_t i = start; how->is_zone_apart && i < batch->end; i++) {
        assert_true(text_is_equal(nodes->items[i].zone, nodes->items[start].zone));
    }
}

/* Checks that with separate or ordered zones, each zone occurs in only one block. */
static void zones_check(const struct select_nodes *nodes, const struct exec_arrangement *how)
{
    if (!how->is_zone_apart && how->by != EXEC_BY_ZONE) {
        return;
    }
    for (size_t i = 1; i < nodes->count; i++) {
        if (text_is_equal(nodes->items[i].zone, nodes->items[i - 1].zone)) {
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            assert_false(text_is_equal(nodes->items[i].zone, nodes->items[j].zone));
        }
    }
}

static void test_each_machine_is_in_one_batch(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena *arena = arena_new(1 << 24);
        struct select_nodes nodes = nodes_draw(arena, draw(NODES_MAX) + 1);
        struct exec_arrangement how = arrangement_draw();
        struct exec_batches batches = exec_arrange(arena, &nodes, &how);
        bool is_there[NODES_MAX] = { false };
        size_t start = 0;

        for (size_t i = 0; i < batches.count; i++) {
            batch_check(&nodes, &how, start, &batches.items[i]);
            start = batches.items[i].end;
        }
        assert_int_equal(start, nodes.count);
        for (size_t i = 0; i < nodes.count; i++) {
            assert_false(is_there[number_of(&nodes.items[i])]);
            is_there[number_of(&nodes.items[i])] = true;
        }
        zones_check(&nodes, &how);
        arena_free(arena);
    }
}

/* With the order by name or by zone, machines of one zone remain in the order of their names. */
static void test_names_stay_in_order(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena *arena = arena_new(1 << 24);
        struct select_nodes nodes = nodes_draw(arena, NODES_MAX);
        struct exec_arrangement how = arrangement_draw();

        how.by = draw(2) == 0 ? EXEC_BY_NAME : EXEC_BY_ZONE;
        (void)exec_arrange(arena, &nodes, &how);
        for (size_t i = 1; i < nodes.count; i++) {
            assert_true(!text_is_equal(nodes.items[i].zone, nodes.items[i - 1].zone) ||
                        number_of(&nodes.items[i]) > number_of(&nodes.items[i - 1]));
        }
        arena_free(arena);
    }
}

/* A machine comes first of ten for a tenth of all seeds, and a seed always gives the same order. */
static void test_a_seed_is_an_order(void **state)
{
    enum { TEN = 10, SEEDS = 4000 };
    size_t first[TEN] = { 0 };
    /* which machine follows web-0, because neighbours must be separated */
    size_t beside[TEN] = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct arena *arena = arena_new(1 << 24);
        struct select_nodes nodes = nodes_draw(arena, TEN);
        struct exec_arrangement how = { .by = EXEC_BY_RANDOM, .seed = seed, .batch = 1 };
        size_t order[TEN];

        (void)exec_arrange(arena, &nodes, &how);
        for (size_t i = 0; i < TEN; i++) {
            order[i] = number_of(&nodes.items[i]);
            if (i > 0 && order[i - 1] == 0) {
                beside[order[i]]++;
            }
        }
        first[order[0]]++;
        nodes = nodes_draw(arena, TEN); /* the nodes in the order of names again */
        (void)exec_arrange(arena, &nodes, &how);
        for (size_t i = 0; i < TEN; i++) {
            assert_int_equal(number_of(&nodes.items[i]), order[i]);
        }
        arena_free(arena);
    }
    for (size_t i = 0; i < TEN; i++) {
        assert_in_range(first[i], SEEDS / TEN * 3 / 4, SEEDS / TEN * 5 / 4);
        if (i > 0) {
            assert_in_range(beside[i], SEEDS / TEN * 3 / 4, SEEDS / TEN * 5 / 4);
        }
    }
}

/* If there are more canaries than machines, all machines are canaries. Two separate zones give two
 * batches of canaries. */
static void test_canaries(void **state)
{
    struct arena *arena = arena_new(1 << 24);
    struct select_node items[] = { { .name = TEXT("web-0"), .zone = TEXT("b") },
                                   { .name = TEXT("web-1"), .zone = TEXT("a") },
                                   { .name = TEXT("web-2"), .zone = TEXT("b") } };
    struct select_nodes nodes = { items, ARRAY_COUNT(items) };
    struct exec_arrangement how = { .batch = 3, .canary = 99 };
    struct exec_batches batches = exec_arrange(arena, &nodes, &how);

    (void)state;
    assert_int_equal(batches.count, 1);
    assert_true(batches.items[0].is_canary);
    how = (struct exec_arrangement){ .batch = 3, .canary = 2, .is_zone_apart = true };
    batches = exec_arrange(arena, &nodes, &how);
    assert_int_equal(batches.count, 3); /* web-1 of zone a, web-0 of zone b, and web-2 after them */
    assert_true(batches.items[0].is_canary && batches.items[1].is_canary);
    assert_false(batches.items[2].is_canary);
    assert_true(text_is(nodes.items[0].name, "web-1") && text_is(nodes.items[2].name, "web-2"));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_machine_is_in_one_batch),
        cmocka_unit_test(test_names_stay_in_order),
        cmocka_unit_test(test_a_seed_is_an_order),
        cmocka_unit_test(test_canaries),
    };

    return cmocka_run_group_tests_name("engine/exec_batches", tests, NULL, NULL);
}
