/* The decision ledger: every field is written, chains are read again, and damage is detected. That
 * a parsed world gives the same decision is a law that every golden case and every random world
 * checks (tests/plan/laws.c). */
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
/* Sets all bytes of the struct except padding to one, and then clears the fields that are written;
 * a remaining byte belongs to a forgotten field. */
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
    if (sort == PLAN_SORT_WORLD) { /* the arrays of a world are written one by one */
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

/* Changes a world: time passes, a call for a machine is answered, a machine is removed. */
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

/* Makes ten thousand machines, of which one changes later. */
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
        /* the base of the pass is missing */
        ledger_read(chain.arena, &chain.values[1], 1, &pass, &err));
    assert_true(ledger_head_read(chain.values[1], &head, &err));
    assert_int_equal(head.base, 40);
    entry.head = head;
    entry.head.number = head.base;
    entry.head.is_bare = true;
    bare[0] = ledger_write(chain.arena, &entry, false, chain.hashes);
    bare[1] = chain.values[1];
    assert_true(ledger_read(chain.arena, bare, 1, &pass, &err));
    /* the base of the pass has no chunks */
    assert_false(ledger_read(chain.arena, bare, 2, &pass, &err));
    chain.values[1] = chain.values[0];
    assert_false(ledger_read(chain.arena, chain.values, 2, &pass, &err)); /* the same value twice */
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

/* ---- output for users ---- */

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
    assert_null(doc_child(&doc, "lookup"));
    arena_free(arena);
}

/* ---- pages and order ---- */

static void test_pages_grow_with_the_world(void **state)
{
    static const struct {
        size_t items;
        size_t pages;
    } rows[] = { { 0, 1 },  { 1, 1 },     { 32, 1 },     { 33, 2 },       { 64, 2 },
                 { 65, 4 }, { 2048, 64 }, { 2049, 128 }, { 32768, 1024 }, { 1000000, 1024 } };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        size_t items = rows[i].items;

        /* for all kinds of items: groups, records, rows and quarantines */
        assert_int_equal(ledger_page_count(&(struct plan_world){ .record_count = items }),
                         rows[i].pages);
        assert_int_equal(ledger_page_count(&(struct plan_world){ .group_count = items }),
                         rows[i].pages);
        assert_int_equal(ledger_page_count(&(struct plan_world){
                             .row_count = items / 2, .quarantine_count = items - items / 2 }),
                         rows[i].pages);
    }
}

static struct text whole_write(struct chain *chain, const struct plan_world *world)
{
    struct ledger_order order;
    struct plan plan;
    struct ledger_entry entry = {
        .head = { .number = 40, .base = 40, .revision = 100, .page_count = PAGES },
        .limits = &chain->laws.limits,
        .world = world,
        .order = &order,
    };

    plan_compute(chain->arena, world, &chain->laws.limits, &plan);
    ledger_order_make(chain->arena, world, PAGES, &order);
    entry.decision = ledger_decision(chain->arena, world, &order, &plan);
    return ledger_write(chain->arena, &entry, false, chain->hashes);
}

/* Rows without a token, with the same token, and with the same id in two sources: the order of the
 * arrays has no influence. */
static void test_the_order_of_rows_does_not_matter(void **state)
{
    static const struct plan_row rows[] = {
        { .id = TEXT("a"), .state = PLAN_ROW_RUNNING },
        { .id = TEXT("b"), .state = PLAN_ROW_STOPPED },
        { .id = TEXT("c"), .token = TEXT("t1"), .state = PLAN_ROW_RUNNING, .is_verified = true },
        { .id = TEXT("d"), .token = TEXT("t1"), .state = PLAN_ROW_RUNNING, .is_verified = true },
        { .id = TEXT("e"), .token = TEXT("t2"), .source = 0, .state = PLAN_ROW_RUNNING },
        { .id = TEXT("e"), .token = TEXT("t2"), .source = 1, .state = PLAN_ROW_RUNNING },
    };
    static const struct plan_source sources[] = { { .name = TEXT("x"), .is_complete = true },
                                                  { .name = TEXT("y"), .is_complete = true } };
    struct plan_row turned[ARRAY_COUNT(rows)];
    struct chain chain;
    struct text bytes;
    struct ledger_pass pass;
    struct err err;
    struct plan_world world = { .now_ms = 5000,
                                .sources = sources,
                                .source_count = 2,
                                .rows = rows,
                                .row_count = ARRAY_COUNT(rows) };

    (void)state;
    chain_begin(&chain, 1);
    bytes = whole_write(&chain, &world);
    assert_true(ledger_read(chain.arena, &bytes, 1, &pass, &err));
    assert_int_equal(pass.world.row_count, ARRAY_COUNT(rows));
    world.rows = turned;
    for (size_t shift = 0; shift < ARRAY_COUNT(rows); shift++) {
        for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
            turned[i] = rows[(i + shift) % ARRAY_COUNT(rows)];
        }
        assert_true(text_is_equal(whole_write(&chain, &world), bytes));
        for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
            turned[i] = rows[(ARRAY_COUNT(rows) - i + shift) % ARRAY_COUNT(rows)];
        }
        assert_true(text_is_equal(whole_write(&chain, &world), bytes));
    }
    arena_free(chain.arena);
}

/* Groups, records, rows and quarantines are parsed with all their fields. */
static void test_a_world_is_written_the_same_after_it_was_read(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct chain chain;
        struct ledger_pass pass;
        struct text bytes;
        struct err err;

        chain_begin(&chain, seed);
        bytes = whole_write(&chain, &chain.laws.world);
        assert_true(ledger_read(chain.arena, &bytes, 1, &pass, &err));
        assert_int_equal(pass.world.group_count, chain.laws.world.group_count);
        assert_int_equal(pass.world.record_count, chain.laws.world.record_count);
        assert_int_equal(pass.world.row_count, chain.laws.world.row_count);
        assert_int_equal(pass.world.quarantine_count, chain.laws.world.quarantine_count);
        assert_int_equal(pass.world.source_count, chain.laws.world.source_count);
        assert_true(text_is_equal(whole_write(&chain, &pass.world), bytes));
        arena_free(chain.arena);
    }
}

/* ---- heads ---- */

static struct text head_write(struct arena *arena, const struct ledger_head *head)
{
    const struct ledger_entry entry = { .head = *head };
    uint64_t hash = 0;

    assert_true(head->is_bare);
    return ledger_write(arena, &entry, false, &hash);
}

static void test_a_head_is_read_back(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    const struct ledger_head head = { 41, 38, 3, 4, 5, 6, 7, 8, 16, true };
    struct ledger_head read;
    struct err err;

    (void)state;
    assert_true(ledger_head_read(head_write(arena, &head), &read, &err));
    assert_true(read.number == 41 && read.base == 38 && read.revision == 3 && read.epoch == 4 &&
                read.wall_ms == 5 && read.version == 6 && read.actions == 7 && read.holds == 8 &&
                read.page_count == 16 && read.is_bare);
}

static void test_a_head_that_cannot_be_is_refused(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    static const struct {
        uint64_t number;
        uint64_t base;
        size_t pages;
        bool is_good;
    } rows[] = {
        { 1, 1, 1, true },
        { 5, 1, 1, true },
        { 5, 0, 1, false },
        { 0, 0, 1, false },
        { 5, 6, 1, false },
        { 5, 5, 0, false },
        { 5, 5, 3, false },
        { 5, 5, 2, true },
        { 5, 5, LIMIT_PASS_PAGES, true },
        { 5, 5, 6, false },
        { 5, 5, LIMIT_PASS_PAGES * 2, false },
        { 5, 5, LIMIT_PASS_PAGES + 1, false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct ledger_head head = { .number = rows[i].number,
                                    .base = rows[i].base,
                                    .page_count = rows[i].pages,
                                    .is_bare = true };
        struct text bytes = head_write(arena, &head);
        struct ledger_head read;
        struct err err;

        if (ledger_head_read(bytes, &read, &err) != rows[i].is_good) {
            fail_msg("head %zu", i);
        }
        if (rows[i].is_good && rows[i].number == rows[i].base) { /* this value has another format */
            char *other = arena_string(arena, bytes);

            other[0]++;
            assert_false(ledger_head_read((struct text){ other, bytes.length }, &read, &err));
            assert_int_equal(err.code, CODE_R0558);
        }
    }
}

/* ---- values that nobody has written ---- */

/* Every source index in a parsed world must refer to a source. */
static void test_a_source_that_is_not_there_is_damage(void **state)
{
    static const struct plan_source sources[] = { { .name = TEXT("x"), .is_complete = true },
                                                  { .name = TEXT("y"), .is_complete = true } };
    struct chain chain;

    (void)state;
    chain_begin(&chain, 1);
    for (uint32_t source = 0; source < 4; source++) {
        for (int place = 0; place < 4; place++) {
            struct plan_choice choice = { .source = place == 1 ? source : 0,
                                          .generation = TEXT("g2") };
            struct plan_group group = { .path = TEXT("web"),
                                        .source = place == 0 ? source : 0,
                                        .alternatives = &choice,
                                        .alternative_count = 1,
                                        .generation = TEXT("g1") };
            struct plan_record record = { .token = TEXT("t"),
                                          .group = group.path,
                                          .source = place == 2 ? source : 0 };
            struct plan_row row = { .id = TEXT("i"), .source = place == 3 ? source : 0 };
            struct plan_world world = { .sources = sources,
                                        .source_count = 2,
                                        .groups = &group,
                                        .group_count = 1,
                                        .records = &record,
                                        .record_count = 1,
                                        .rows = &row,
                                        .row_count = 1 };
            struct ledger_order order;
            struct ledger_entry entry = {
                .head = { .number = 1, .base = 1, .page_count = PAGES },
                .limits = &chain.laws.limits,
                .world = &world,
                .order = &order,
            };
            struct ledger_pass pass;
            struct text bytes;
            struct err err;

            ledger_order_make(chain.arena, &world, PAGES, &order);
            bytes = ledger_write(chain.arena, &entry, false, chain.hashes);
            assert_int_equal(ledger_read(chain.arena, &bytes, 1, &pass, &err), source < 2);
        }
    }
    arena_free(chain.arena);
}

/* A changed byte is either detected, or the pass is parsed as another valid pass, without reading
 * beyond the end. */
static void test_any_byte_may_be_damaged(void **state)
{
    struct chain chain;
    size_t noticed = 0;

    (void)state;
    chain_begin(&chain, 7);
    chain_add(&chain, 0);
    for (size_t i = 0; i < chain.values[0].length; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
            char *bytes = arena_string(arena, chain.values[0]);
            struct text value = { bytes, chain.values[0].length };
            struct ledger_pass pass;
            struct plan plan;
            struct err err;

            bytes[i] = (char)((unsigned char)bytes[i] ^ (1u << bit));
            if (!ledger_read(arena, &value, 1, &pass, &err)) {
                noticed++;
            } else if (!pass.head.is_bare) {
                assert_true(ledger_plan_read(arena, &pass, pass.decision, &plan, &err) ||
                            err.code == CODE_R0558);
            }
        }
    }
    assert_true(noticed > chain.values[0].length);
    arena_free(chain.arena);
}

/* Decisions are parsed again; a decision about a missing machine is damage. */
static void test_decisions_are_read_back(void **state)
{
    size_t actions = 0;
    size_t holds = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct chain chain;
        struct ledger_pass pass;
        struct ledger_order order;
        struct plan plan;
        struct err err;

        chain_begin(&chain, seed);
        chain_add(&chain, 0);
        assert_true(ledger_read(chain.arena, chain.values, 1, &pass, &err));
        assert_true(ledger_plan_read(chain.arena, &pass, pass.decision, &plan, &err));
        ledger_order_make(chain.arena, &pass.world, PAGES, &order);
        assert_true(
            text_is_equal(ledger_decision(chain.arena, &pass.world, &order, &plan), pass.decision));
        actions += plan.action_count;
        holds += plan.hold_count;
        for (size_t i = 0; i < plan.action_count; i++) {
            struct ledger_pass less = pass;
            struct plan again;

            if (plan.actions[i].record != PLAN_NONE) {
                less.world.record_count = plan.actions[i].record;
            } else if (plan.actions[i].row != PLAN_NONE) {
                less.world.row_count = plan.actions[i].row;
            } else {
                continue;
            }
            assert_false(ledger_plan_read(chain.arena, &less, pass.decision, &again, &err));
            assert_int_equal(err.code, CODE_R0558);
        }
        arena_free(chain.arena);
    }
    assert_true(actions > 100 && holds > 20);
}

/* If the changes since the previous pass do not fit into one value, the pass is written
 * completely. */
static void test_a_change_that_is_too_large_is_written_whole(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct plan_limits limits = plan_limits_default();
    struct plan_source source;
    struct plan_world world;
    struct ledger_order order;
    uint64_t *hashes;
    struct ledger_entry entry = {
        .head = { .number = 1, .base = 1 }, .limits = &limits, .world = &world, .order = &order
    };

    (void)state;
    many_make(arena, &world, &source);
    entry.head.page_count = ledger_page_count(&world);
    hashes = arena_array(arena, uint64_t, entry.head.page_count);
    ledger_order_make(arena, &world, entry.head.page_count, &order);
    assert_true(ledger_write(arena, &entry, false, hashes).length > LIMIT_STORE_VALUE_BYTES);
    memset(hashes, 0, entry.head.page_count * sizeof(*hashes));
    assert_int_equal(ledger_write(arena, &entry, true, hashes).length, 0);
}

/* Empty chunks need no space. */
static void test_empty_pages_take_no_room(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    struct plan_limits limits = plan_limits_default();
    struct plan_world world = { .now_ms = 5000 };
    struct ledger_order order;
    uint64_t hashes[LIMIT_PASS_PAGES] = { 0 };
    struct ledger_entry entry = {
        .head = { .number = 1, .base = 1, .page_count = LIMIT_PASS_PAGES },
        .limits = &limits,
        .world = &world,
        .order = &order,
    };

    (void)state;
    ledger_order_make(arena, &world, LIMIT_PASS_PAGES, &order);
    assert_in_range(ledger_write(arena, &entry, false, hashes).length, 1, 500);
    entry.head.number = 2;
    assert_in_range(ledger_write(arena, &entry, true, hashes).length, 1, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_is_in_the_table),
        cmocka_unit_test(test_every_pass_of_a_chain_is_read_back),
        cmocka_unit_test(test_ten_thousand_machines_are_kept_once),
        cmocka_unit_test(test_pages_grow_with_the_world),
        cmocka_unit_test(test_the_order_of_rows_does_not_matter),
        cmocka_unit_test(test_a_world_is_written_the_same_after_it_was_read),
        cmocka_unit_test(test_a_head_is_read_back),
        cmocka_unit_test(test_a_head_that_cannot_be_is_refused),
        cmocka_unit_test(test_a_source_that_is_not_there_is_damage),
        cmocka_unit_test(test_any_byte_may_be_damaged),
        cmocka_unit_test(test_decisions_are_read_back),
        cmocka_unit_test(test_empty_pages_take_no_room),
        cmocka_unit_test(test_a_change_that_is_too_large_is_written_whole),
        cmocka_unit_test(test_damage_is_noticed),
        cmocka_unit_test(test_a_world_that_is_too_large_says_so),
        cmocka_unit_test(test_what_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
