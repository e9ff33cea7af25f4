/* The decision ledger: every field is written, chains are read back, damage is noticed. That a world read back
 * decides the same is a law of every golden case and of every random world (tests/plan/laws.c). */
#include "plan/ledger.h"

#include "base/limits.h"
#include "base/macros.h"
#include "plan/fields.h"
#include "unit.h"
#include "worlds.h"

/* ---- every field ---- */

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define HAS_CLEAR_PADDING 1
#endif
#endif

#ifdef HAS_CLEAR_PADDING
/* All bytes of the struct but its padding are one, then those of its fields zero: what is left was forgotten. */
#define assert_all_fields(type, sort)                                                     \
    do {                                                                                  \
        union {                                                                           \
            struct type item;                                                             \
            unsigned char bytes[sizeof(struct type)];                                     \
        } all_;                                                                           \
        memset(&all_, 0xff, sizeof(all_));                                                \
        __builtin_clear_padding(&all_.item);                                              \
        fields_clear(all_.bytes, sort);                                                   \
        for (size_t i_ = 0; i_ < sizeof(all_); i_++) {                                    \
            if (all_.bytes[i_] != 0) {                                                    \
                fail_msg("byte %zu of struct " #type " is in no field of the table", i_); \
            }                                                                             \
        }                                                                                 \
    } while (0)

static void span_clear(unsigned char *bytes, size_t offset, size_t count)
{
    memset(bytes + offset, 0, count);
}

static void fields_clear(unsigned char *bytes, enum plan_sort sort)
{
    const struct plan_fields *fields = plan_fields(sort);

    for (size_t i = 0; i < fields->count; i++) {
        const struct plan_field *field = &fields->items[i];

        span_clear(bytes, field->offset, field->bytes);
        if (field->shape == PLAN_SHAPE_TEXTS || field->shape == PLAN_SHAPE_CHOICES) {
            span_clear(bytes, field->count_offset, sizeof(size_t));
        }
    }
    if (sort == PLAN_SORT_WORLD) { /* its arrays are written one by one */
        span_clear(bytes, offsetof(struct plan_world, sources),
                   sizeof(struct plan_world) - offsetof(struct plan_world, sources));
    }
}
#endif

static void test_every_field_is_in_the_table(void **state)
{
    (void)state;
#ifdef HAS_CLEAR_PADDING
    assert_all_fields(plan_world, PLAN_SORT_WORLD);
    assert_all_fields(plan_source, PLAN_SORT_SOURCE);
    assert_all_fields(plan_choice, PLAN_SORT_CHOICE);
    assert_all_fields(plan_group, PLAN_SORT_GROUP);
    assert_all_fields(plan_record, PLAN_SORT_RECORD);
    assert_all_fields(plan_row, PLAN_SORT_ROW);
    assert_all_fields(plan_quarantine, PLAN_SORT_QUARANTINE);
    assert_all_fields(plan_limits, PLAN_SORT_LIMITS);
    assert_all_fields(plan_action, PLAN_SORT_ACTION);
    assert_all_fields(plan_hold, PLAN_SORT_HOLD);
#else
    print_message("this compiler cannot tell padding from fields\n");
    skip();
#endif
}

/* ---- chains ---- */

enum { PAGES = 8, LENGTH = 12 };

struct chain {
    struct arena *arena;
    struct laws laws;
    struct plan_record *records;
    uint64_t hashes[PAGES];
    struct text values[LENGTH];
    struct text decisions[LENGTH];
};

static void chain_begin(struct chain *chain, uint64_t seed)
{
    struct luck luck = { .state = seed * 0x9e3779b97f4a7c15u + 1 };

    *chain = (struct chain){ .arena = arena_new(LIMIT_WORK_ARENA_BYTES) };
    chain->laws.arena = chain->arena;
    worlds_draw(&chain->laws, &luck);
    chain->records = arena_array(chain->arena, struct plan_record, chain->laws.world.record_count);
    for (size_t i = 0; i < chain->laws.world.record_count; i++) {
        chain->records[i] = chain->laws.world.records[i];
    }
    chain->laws.world.records = chain->records;
}

static void chain_add(struct chain *chain, size_t i)
{
    struct plan_world *world = &chain->laws.world;
    struct ledger_order order;
    struct plan plan;
    struct ledger_entry entry = {
        .head = { .number = 40 + i, .base = 40, .revision = 100 + i, .page_count = PAGES },
        .limits = &chain->laws.limits,
        .world = world,
        .order = &order,
    };

    plan_compute(chain->arena, world, &chain->laws.limits, &plan);
    ledger_order_make(chain->arena, world, PAGES, &order);
    entry.decision = ledger_decision(chain->arena, world, &order, &plan);
    chain->decisions[i] = entry.decision;
    chain->values[i] = ledger_write(chain->arena, &entry, i > 0, chain->hashes);
}

/* Time goes on, a machine is answered for, one goes. */
static void chain_change(struct chain *chain, size_t i)
{
    struct plan_world *world = &chain->laws.world;

    world->now_ms += 1000;
    if (world->record_count > 0) {
        struct plan_record *record = &chain->records[i % world->record_count];

        record->is_answered = !record->is_answered && record->id.length > 0;
        record->created_ms++;
        world->record_count -= i % 5 == 4;
    }
}

static void test_every_pass_of_a_chain_is_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct chain chain;

        chain_begin(&chain, seed);
        for (size_t i = 0; i < LENGTH; i++) {
            chain_add(&chain, i);
            chain_change(&chain, i);
        }
        for (size_t i = 0; i < LENGTH; i++) {
            struct ledger_pass pass;
            struct err err;

            assert_true(ledger_read(chain.arena, chain.values, i + 1, &pass, &err));
            assert_int_equal(pass.head.number, 40 + i);
            assert_int_equal(pass.head.revision, 100 + i);
            assert_true(text_is_equal(pass.decision, chain.decisions[i]));
            assert_true(text_is_equal(ledger_replay(chain.arena, &pass), chain.decisions[i]));
        }
        arena_free(chain.arena);
    }
}

/* Ten thousand machines, of which one changes. */
static void many_make(struct arena *arena, struct plan_world *world, struct plan_source *source)
{
    enum { MANY = 10000 };
    struct plan_group *group = arena_one(arena, struct plan_group);
    struct plan_record *records = arena_array(arena, struct plan_record, MANY);
    struct plan_row *rows = arena_array(arena, struct plan_row, MANY);

    *source = (struct plan_source){ .name = TEXT("file"), .is_complete = true };
    *group = (struct plan_group){
        .path = TEXT("web"), .size = MANY, .generation = TEXT("g1"), .batch = 1
    };
    for (size_t i = 0; i < MANY; i++) {
        records[i] = (struct plan_record){
            .token = arena_printf(arena, "%016zx%016zx", i * 2654435761u, i),
            .id = arena_printf(arena, "file-%08zx", i * 40503u),
            .group = group->path,
            .slot = i,
            .generation = group->generation,
            .state = PLAN_RECORD_ACTIVE,
            .created_ms = 1000 + i,
            .active_ms = 2000 + i,
            .is_answered = true,
        };
        rows[i] = (struct plan_row){ .id = records[i].id,
                                     .token = records[i].token,
                                     .group = group->path,
                                     .slot = i,
                                     .state = PLAN_ROW_RUNNING,
                                     .is_verified = true };
    }
    *world = (struct plan_world){ .now_ms = 1000000,
                                  .sources = source,
                                  .source_count = 1,
                                  .groups = group,
                                  .group_count = 1,
                                  .records = records,
                                  .record_count = MANY,
                                  .rows = rows,
                                  .row_count = MANY };
}

static void test_ten_thousand_machines_are_kept_once(void **state)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct plan_limits limits = plan_limits_default();
    struct plan_source source;
    struct plan_world world;
    struct ledger_order order;
    struct text whole;
    struct text next;
    uint64_t *hashes;
    struct ledger_entry entry = {
        .head = { .number = 1, .base = 1 }, .limits = &limits, .world = &world, .order = &order
    };

    (void)state;
    many_make(arena, &world, &source);
    entry.head.page_count = ledger_page_count(&world);
    hashes = arena_array(arena, uint64_t, entry.head.page_count);
    ledger_order_make(arena, &world, entry.head.page_count, &order);
    whole = ledger_write(arena, &entry, false, hashes);
    assert_in_range(whole.length, 1, 600 * 1024);
    ((struct plan_record *)(uintptr_t)world.records)[77].is_calling = true;
    entry.head.number = 2;
    next = ledger_write(arena, &entry, true, hashes);
    assert_in_range(next.length, 1, 4 * 1024);
    arena_free(arena);
}

/* ---- damage ---- */

static void test_damage_is_noticed(void **state)
{
    struct chain chain;
    struct ledger_pass pass;
    struct ledger_head head;
    struct ledger_entry entry = { 0 };
    struct text bare[2];
    struct err err;

    (void)state;
    chain_begin(&chain, 3);
    chain_add(&chain, 0);
    chain_change(&chain, 0);
    chain_add(&chain, 1);
    for (size_t length = 0; length < chain.values[0].length; length++) {
        struct text cut = text_slice(chain.values[0], 0, length);

        assert_false(ledger_read(chain.arena, &cut, 1, &pass, &err));
        assert_int_equal(err.code, CODE_R0558);
    }
    assert_false(
        ledger_read(chain.arena, &chain.values[1], 1, &pass, &err)); /* its base is missing */
    assert_true(ledger_head_read(chain.values[1], &head, &err));
    assert_int_equal(head.base, 40);
    entry.head = head;
    entry.head.number = head.base;
    entry.head.is_bare = true;
    bare[0] = ledger_write(chain.arena, &entry, false, chain.hashes);
    bare[1] = chain.values[1];
    assert_true(ledger_read(chain.arena, bare, 1, &pass, &err));
    assert_false(ledger_read(chain.arena, bare, 2, &pass, &err)); /* its base has no pages */
    chain.values[1] = chain.values[0];
    assert_false(ledger_read(chain.arena, chain.values, 2, &pass, &err)); /* the same twice */
    arena_free(chain.arena);
}

static void test_a_world_that_is_too_large_says_so(void **state)
{
    struct chain chain;
    struct ledger_pass pass;
    struct err err;
    struct ledger_order order;
    struct ledger_entry entry = {
        .head = { .number = 9, .base = 9, .actions = 3, .page_count = 1, .is_bare = true },
        .order = &order
    };
    uint64_t hash = 0;
    struct text value;

    (void)state;
    chain_begin(&chain, 3);
    entry.world = &chain.laws.world;
    value = ledger_write(chain.arena, &entry, false, &hash);
    assert_true(ledger_read(chain.arena, &value, 1, &pass, &err));
    assert_true(pass.head.is_bare);
    assert_int_equal(pass.head.actions, 3);
    arena_free(chain.arena);
}

/* ---- for people ---- */

static void test_what_is_shown(void **state)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct plan_record record = {
        .token = TEXT("t1"),
        .state = PLAN_RECORD_ACTIVE,
        .created_ms = 5000,
        .absence = { 3, 6000, 9000 },
    };
    struct doc doc = plan_show(arena, PLAN_SORT_RECORD, &record, 10500);

    (void)state;
    assert_text(doc_child(&doc, "token")->text, "t1");
    assert_text(doc_child(&doc, "state")->text, "active");
    assert_text(doc_child(&doc, "created")->text, "5.500 s ago");
    assert_text(doc_child(&doc, "absence")->text, "3 times over 3 s, last 1.500 s ago");
    assert_null(doc_child(&doc, "witness"));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_is_in_the_table),
        cmocka_unit_test(test_every_pass_of_a_chain_is_read_back),
        cmocka_unit_test(test_ten_thousand_machines_are_kept_once),
        cmocka_unit_test(test_damage_is_noticed),
        cmocka_unit_test(test_a_world_that_is_too_large_says_so),
        cmocka_unit_test(test_what_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
