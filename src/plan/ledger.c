#include "plan/ledger.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/sort.h"
#include "plan/pack.h"

#include <assert.h>

enum { FORMAT = 1, PAGE_ITEMS = 32 };

enum part { GROUPS, RECORDS, ROWS, QUARANTINES };

/* ---- order ---- */

static size_t part_count(const struct plan_world *world, enum part part)
{
    const size_t counts[LEDGER_PARTS] = { world->group_count, world->record_count, world->row_count,
                                          world->quarantine_count };

    return counts[part];
}

/* Return the name of an item. Items of the same name differ by id and source
 * (ledger_item_compare). */
static struct text ledger_name_of(const struct plan_world *world, enum part part, size_t i)
{
    switch (part) {
    case GROUPS:
        return world->groups[i].path;
    case RECORDS:
        return world->records[i].token;
    case ROWS:
        return world->rows[i].token.length > 0 ? world->rows[i].token : world->rows[i].id;
    case QUARANTINES:
        break;
    }
    return world->quarantines[i].id;
}

struct ordering {
    const struct plan_world *world;
    enum part part;
};

static int ledger_number_compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int ledger_item_compare(const void *a, const void *b, void *arg)
{
    const struct ordering *ordering = arg;
    const struct plan_world *world = ordering->world;
    uint32_t i = *(const uint32_t *)a;
    uint32_t j = *(const uint32_t *)b;
    int order = text_compare(ledger_name_of(world, ordering->part, i),
                             ledger_name_of(world, ordering->part, j));

    if (order != 0 || ordering->part != ROWS) {
        return order;
    }
    order = text_compare(world->rows[i].id, world->rows[j].id);
    return order != 0 ? order : ledger_number_compare(world->rows[i].source, world->rows[j].source);
}

/* Distribute the items to chunks by the hash of their names, then sort each chunk. */
static void part_order(struct arena *arena, struct ordering *ordering, struct ledger_order *order)
{
    size_t count = part_count(ordering->world, ordering->part);
    uint32_t *starts = arena_array(arena, uint32_t, order->page_count + 1);
    uint32_t *pages = arena_array(arena, uint32_t, count);
    uint32_t *items = arena_array(arena, uint32_t, count);

    assert(count < UINT32_MAX);
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = text_hash(ledger_name_of(ordering->world, ordering->part, i), 0);

        pages[i] = (uint32_t)((hash ^ hash >> 32) & (order->page_count - 1));
        starts[pages[i] + 1]++;
    }
    for (size_t page = 0; page < order->page_count; page++) {
        starts[page + 1] += starts[page];
    }
    /* Fills the chunks from the back: each end counts down as items are placed. */
    for (size_t i = count; i > 0; i--) {
        items[--starts[pages[i - 1] + 1]] = (uint32_t)(i - 1);
    }
    /* Now each end has become the start of its chunk. */
    for (size_t page = 0; page < order->page_count; page++) {
        starts[page] = starts[page + 1];
    }
    starts[order->page_count] = (uint32_t)count;
    for (size_t page = 0; page < order->page_count; page++) {
        sort_stable(arena, items + starts[page], starts[page + 1] - starts[page], sizeof(*items),
                    ledger_item_compare, ordering);
    }
    order->items[ordering->part] = items;
    order->starts[ordering->part] = starts;
}

size_t ledger_page_count(const struct plan_world *world)
{
    size_t count = 1;
    size_t items = 0;

    for (int part = GROUPS; part <= QUARANTINES; part++) {
        items += part_count(world, (enum part)part);
    }
    while (count < LIMIT_PASS_PAGES && count * PAGE_ITEMS < items) {
        count *= 2;
    }
    return count;
}

void ledger_order_make(struct arena *arena, const struct plan_world *world, size_t page_count,
                       struct ledger_order *out)
{
    assert(page_count > 0 && page_count <= LIMIT_PASS_PAGES);
    assert((page_count & (page_count - 1)) == 0);
    *out = (struct ledger_order){ .page_count = page_count };
    for (int part = GROUPS; part <= QUARANTINES; part++) {
        part_order(arena, &(struct ordering){ world, (enum part)part }, out);
    }
}

/* ---- chunks ---- */

/* Return the row that a record predicts. Without a record: a row of a running machine of this
 * cluster. */
static struct plan_row row_expected(const struct plan_record *record)
{
    struct plan_row row = { .state = PLAN_ROW_RUNNING, .is_verified = true };

    if (record != NULL) {
        row.id = record->id;
        row.token = record->token;
        row.source = record->source;
        row.group = record->group;
        row.slot = record->slot;
    }
    return row;
}

/* The section of an order that belongs to one chunk. */
struct page {
    const struct plan_world *world;
    const uint32_t *items[LEDGER_PARTS];
    size_t counts[LEDGER_PARTS];
};

static const struct plan_record *record_at(const struct page *page, size_t i)
{
    return &page->world->records[page->items[RECORDS][i]];
}

/* Write the rows. Each row refers to its record by the distance from the record of the previous
 * row, because rows and records are both in order of token. */
static void rows_pack(struct pack *pack, const struct page *page)
{
    size_t reported = 0;
    size_t at = 0;

    for (size_t i = 0; i < page->counts[ROWS]; i++) {
        const struct plan_row *row = &page->world->rows[page->items[ROWS][i]];
        struct text name = ledger_name_of(page->world, ROWS, page->items[ROWS][i]);
        struct plan_row expected;

        while (at < page->counts[RECORDS] && text_compare(record_at(page, at)->token, name) < 0) {
            at++;
        }
        if (at < page->counts[RECORDS] && text_is_equal(record_at(page, at)->token, row->token)) {
            pack_number(pack, at - reported + 1);
            expected = row_expected(record_at(page, at));
            reported = at;
        } else {
            pack_number(pack, 0);
            expected = row_expected(NULL);
        }
        pack_item(pack, PLAN_SORT_ROW, row, &expected);
    }
}

static void others_pack(struct pack *pack, const struct page *page, enum part part,
                        enum plan_sort sort, const void *items, size_t bytes)
{
    const void *former = NULL;

    for (size_t i = 0; i < page->counts[part]; i++) {
        const void *item = (const char *)items + page->items[part][i] * bytes;

        pack_item(pack, sort, item, former);
        former = item;
    }
}

/* Returns an empty text if the chunk has no items. */
static struct text page_pack(struct arena *arena, const struct plan_world *world,
                             const struct ledger_order *order, size_t number)
{
    struct page page = { .world = world };
    struct pack pack;
    size_t count = 0;

    pack_init(&pack, arena);
    for (int part = GROUPS; part <= QUARANTINES; part++) {
        const uint32_t *starts = order->starts[part];

        page.items[part] = order->items[part] + starts[number];
        page.counts[part] = starts[number + 1] - starts[number];
        pack_number(&pack, page.counts[part]);
        count += page.counts[part];
    }
    if (count == 0) {
        return TEXT("");
    }
    others_pack(&pack, &page, GROUPS, PLAN_SORT_GROUP, world->groups, sizeof(*world->groups));
    others_pack(&pack, &page, RECORDS, PLAN_SORT_RECORD, world->records, sizeof(*world->records));
    rows_pack(&pack, &page);
    others_pack(&pack, &page, QUARANTINES, PLAN_SORT_QUARANTINE, world->quarantines,
                sizeof(*world->quarantines));
    return buf_text(&pack.out);
}

/* ---- decision ---- */

/* Return the position of each item in the order, indexed by the item's index in the world's
 * array. */
static size_t *places_make(struct arena *arena, const struct ledger_order *order, enum part part)
{
    size_t count = order->starts[part][order->page_count];
    size_t *places = arena_array(arena, size_t, count);

    for (size_t i = 0; i < count; i++) {
        places[order->items[part][i]] = i;
    }
    return places;
}

struct text ledger_decision(struct arena *arena, const struct plan_world *world,
                            const struct ledger_order *order, const struct plan *plan)
{
    const size_t *records = places_make(arena, order, RECORDS);
    const size_t *rows = places_make(arena, order, ROWS);
    struct plan_action former = { 0 };
    struct pack pack;

    pack_init(&pack, arena);
    pack_number(&pack, plan->action_count);
    for (size_t i = 0; i < plan->action_count; i++) {
        struct plan_action action = plan->actions[i];

        assert(action.record == PLAN_NONE || action.record < world->record_count);
        assert(action.row == PLAN_NONE || action.row < world->row_count);
        action.record = action.record == PLAN_NONE ? PLAN_NONE : records[action.record];
        action.row = action.row == PLAN_NONE ? PLAN_NONE : rows[action.row];
        pack_item(&pack, PLAN_SORT_ACTION, &action, &former);
        former = action;
    }
    pack_number(&pack, plan->hold_count);
    for (size_t i = 0; i < plan->hold_count; i++) {
        pack_item(&pack, PLAN_SORT_HOLD, &plan->holds[i], i == 0 ? NULL : &plan->holds[i - 1]);
    }
    return buf_text(&pack.out);
}

/* ---- writing ---- */

static void head_pack(struct pack *pack, const struct ledger_head *head)
{
    pack_number(pack, FORMAT);
    pack_number(pack, head->number);
    pack_number(pack, head->number - head->base);
    pack_number(pack, head->revision);
    pack_number(pack, head->epoch);
    pack_number(pack, head->wall_ms);
    pack_number(pack, head->version);
    pack_number(pack, head->actions);
    pack_number(pack, head->holds);
    pack_number(pack, head->page_count);
    pack_number(pack, head->is_bare);
}

struct text ledger_write(struct arena *arena, const struct ledger_entry *entry, bool is_known,
                         uint64_t *hashes)
{
    const struct plan_world *world = entry->world;
    size_t next = 0; /* the next chunk if the step is 1 */
    struct pack pack;

    pack_init(&pack, arena);
    head_pack(&pack, &entry->head);
    if (entry->head.is_bare) {
        return buf_text(&pack.out);
    }
    assert(entry->head.page_count == entry->order->page_count);
    pack_item(&pack, PLAN_SORT_LIMITS, entry->limits, NULL);
    pack_item(&pack, PLAN_SORT_WORLD, world, NULL);
    pack_number(&pack, world->source_count);
    for (size_t i = 0; i < world->source_count; i++) {
        pack_item(&pack, PLAN_SORT_SOURCE, &world->sources[i], NULL);
    }
    for (size_t i = 0; i < entry->order->page_count; i++) {
        struct text page = page_pack(arena, world, entry->order, i);
        uint64_t hash = text_hash(page, 0);

        if (is_known ? hash != hashes[i] : page.length > 0) {
            pack_number(&pack, i - next + 1);
            pack_text(&pack, page);
            next = i + 1;
        }
        hashes[i] = hash;
        if (is_known && pack.out.length > LIMIT_STORE_VALUE_BYTES) {
            return TEXT("");
        }
    }
    pack_number(&pack, 0);
    pack_text(&pack, entry->decision);
    pack_number(&pack, text_hash(entry->decision, 0));
    return buf_text(&pack.out);
}

/* ---- reading ---- */

MUST_CHECK static bool is_damaged(struct err *err)
{
    err_set(err, CODE_R0558, "the record of a pass cannot be read");
    return err_hint(err, "other passes are not affected; please report this error");
}

static void head_unpack(struct unpack *unpack, struct ledger_head *out)
{
    uint64_t back;

    if (unpack_number(unpack) != FORMAT) {
        unpack->is_bad = true;
    }
    *out = (struct ledger_head){ .number = unpack_number(unpack) };
    back = unpack_number(unpack);
    out->base = out->number - back;
    out->revision = unpack_number(unpack);
    out->epoch = unpack_number(unpack);
    out->wall_ms = unpack_number(unpack);
    out->version = (uint32_t)unpack_number(unpack);
    out->actions = (uint32_t)unpack_number(unpack);
    out->holds = (uint32_t)unpack_number(unpack);
    out->page_count = (size_t)unpack_number(unpack);
    out->is_bare = unpack_number(unpack) != 0;
    if (back >= out->number || out->page_count == 0 || out->page_count > LIMIT_PASS_PAGES ||
        (out->page_count & (out->page_count - 1)) != 0) {
        unpack->is_bad = true;
    }
}

bool ledger_head_read(struct text value, struct ledger_head *out, struct err *err)
{
    struct unpack unpack;

    /* Reading numbers allocates no memory, so no arena is needed. */
    unpack_init(&unpack, NULL, value);
    head_unpack(&unpack, out);
    return !unpack.is_bad || is_damaged(err);
}

struct reading {
    struct arena *arena;
    struct ledger_pass *pass;
    struct text *pages;
    struct plan_source *sources;
    struct plan_group *groups;
    struct plan_record *records;
    struct plan_row *rows;
    struct plan_quarantine *quarantines;
    size_t counts[LEDGER_PARTS]; /* number of chunks read so far */
};

/* Reads one value of a series. Its chunks replace the same chunks of earlier values. */
static bool ledger_value_read(struct reading *reading, struct text value, bool is_first)
{
    struct ledger_pass *pass = reading->pass;
    struct ledger_head before = pass->head;
    struct unpack unpack;
    uint64_t step;
    size_t at = 0;

    unpack_init(&unpack, reading->arena, value);
    head_unpack(&unpack, &pass->head);
    if (unpack.is_bad || (!is_first && before.is_bare)) {
        /* A value without chunks cannot be continued by a later value of the series. */
        return false;
    }
    if (pass->head.is_bare) {
        return is_first;
    }
    if (is_first ? pass->head.base != pass->head.number
                 : (pass->head.number != before.number + 1 || pass->head.base != before.base ||
                    pass->head.page_count != before.page_count)) {
        return false;
    }
    if (is_first) {
        reading->pages = arena_array(reading->arena, struct text, pass->head.page_count);
    }
    unpack_item(&unpack, PLAN_SORT_LIMITS, &pass->limits, NULL);
    unpack_item(&unpack, PLAN_SORT_WORLD, &pass->world, NULL);
    pass->world.source_count = unpack_count(&unpack);
    reading->sources = arena_array(reading->arena, struct plan_source, pass->world.source_count);
    for (size_t i = 0; i < pass->world.source_count; i++) {
        unpack_item(&unpack, PLAN_SORT_SOURCE, &reading->sources[i], NULL);
    }
    while ((step = unpack_number(&unpack)) > 0) {
        if (step > pass->head.page_count - at) {
            return false;
        }
        at += (size_t)step;
        reading->pages[at - 1] = unpack_text(&unpack);
    }
    pass->decision = unpack_text(&unpack);
    return unpack_number(&unpack) == text_hash(pass->decision, 0) && !unpack.is_bad &&
           unpack.rest.length == 0;
}

/* Read the counts of the items of a chunk; the items remain unread. */
static void counts_unpack(struct unpack *unpack, size_t out[static LEDGER_PARTS])
{
    for (int part = GROUPS; part <= QUARANTINES; part++) {
        out[part] = unpack_count(unpack);
    }
}

static bool ledger_room_make(struct reading *reading)
{
    struct plan_world *world = &reading->pass->world;
    size_t sums[LEDGER_PARTS] = { 0 };

    for (size_t i = 0; i < reading->pass->head.page_count; i++) {
        size_t counts[LEDGER_PARTS];
        struct unpack unpack;

        if (reading->pages[i].length == 0) {
            continue;
        }
        unpack_init(&unpack, reading->arena, reading->pages[i]);
        counts_unpack(&unpack, counts);
        if (unpack.is_bad) {
            return false;
        }
        for (int part = GROUPS; part <= QUARANTINES; part++) {
            sums[part] += counts[part];
        }
    }
    reading->groups = arena_array(reading->arena, struct plan_group, sums[GROUPS]);
    reading->records = arena_array(reading->arena, struct plan_record, sums[RECORDS]);
    reading->rows = arena_array(reading->arena, struct plan_row, sums[ROWS]);
    reading->quarantines = arena_array(reading->arena, struct plan_quarantine, sums[QUARANTINES]);
    world->sources = reading->sources;
    world->groups = reading->groups;
    world->group_count = sums[GROUPS];
    world->records = reading->records;
    world->record_count = sums[RECORDS];
    world->rows = reading->rows;
    world->row_count = sums[ROWS];
    world->quarantines = reading->quarantines;
    world->quarantine_count = sums[QUARANTINES];
    return true;
}

static void rows_unpack(struct unpack *unpack, const struct plan_record *records,
                        size_t record_count, struct plan_row *rows, size_t count)
{
    size_t at = 0;

    for (size_t i = 0; i < count && !unpack->is_bad; i++) {
        uint64_t step = unpack_number(unpack);
        struct plan_row expected;

        if (step > 0 && (record_count == 0 || step - 1 > record_count - 1 - at)) {
            unpack->is_bad = true;
            return;
        }
        at += step > 0 ? (size_t)step - 1 : 0;
        expected = row_expected(step > 0 ? &records[at] : NULL);
        unpack_item(unpack, PLAN_SORT_ROW, &rows[i], &expected);
    }
}

static bool page_unpack(struct reading *reading, struct text bytes)
{
    struct plan_group *groups = reading->groups + reading->counts[GROUPS];
    struct plan_record *records = reading->records + reading->counts[RECORDS];
    struct plan_quarantine *quarantines = reading->quarantines + reading->counts[QUARANTINES];
    size_t counts[LEDGER_PARTS];
    struct unpack unpack;

    unpack_init(&unpack, reading->arena, bytes);
    counts_unpack(&unpack, counts);
    for (size_t i = 0; i < counts[GROUPS]; i++) {
        unpack_item(&unpack, PLAN_SORT_GROUP, &groups[i], i == 0 ? NULL : &groups[i - 1]);
    }
    for (size_t i = 0; i < counts[RECORDS]; i++) {
        unpack_item(&unpack, PLAN_SORT_RECORD, &records[i], i == 0 ? NULL : &records[i - 1]);
    }
    rows_unpack(&unpack, records, counts[RECORDS], reading->rows + reading->counts[ROWS],
                counts[ROWS]);
    for (size_t i = 0; i < counts[QUARANTINES]; i++) {
        unpack_item(&unpack, PLAN_SORT_QUARANTINE, &quarantines[i],
                    i == 0 ? NULL : &quarantines[i - 1]);
    }
    for (int part = GROUPS; part <= QUARANTINES; part++) {
        reading->counts[part] += counts[part];
    }
    return !unpack.is_bad && unpack.rest.length == 0;
}

/* True if every source index is valid. */
static bool sources_are_there(const struct plan_world *world)
{
    bool is_good = true;

    for (size_t i = 0; i < world->group_count; i++) {
        is_good &= world->groups[i].source < world->source_count;
        for (size_t j = 0; j < world->groups[i].alternative_count; j++) {
            is_good &= world->groups[i].alternatives[j].source < world->source_count;
        }
    }
    for (size_t i = 0; i < world->record_count; i++) {
        is_good &= world->records[i].source < world->source_count;
    }
    for (size_t i = 0; i < world->row_count; i++) {
        is_good &= world->rows[i].source < world->source_count;
    }
    return is_good;
}

bool ledger_read(struct arena *arena, const struct text *values, size_t count,
                 struct ledger_pass *out, struct err *err)
{
    struct reading reading = { .arena = arena, .pass = out };

    assert(count > 0);
    *out = (struct ledger_pass){ 0 };
    for (size_t i = 0; i < count; i++) {
        if (!ledger_value_read(&reading, values[i], i == 0)) {
            return is_damaged(err);
        }
    }
    if (out->head.is_bare) {
        return true;
    }
    if (!ledger_room_make(&reading)) {
        return is_damaged(err);
    }
    for (size_t i = 0; i < out->head.page_count; i++) {
        if (reading.pages[i].length > 0 && !page_unpack(&reading, reading.pages[i])) {
            return is_damaged(err);
        }
    }
    return sources_are_there(&out->world) || is_damaged(err);
}

bool ledger_plan_read(struct arena *arena, const struct ledger_pass *pass, struct text decision,
                      struct plan *out, struct err *err)
{
    struct unpack unpack;

    unpack_init(&unpack, arena, decision);
    *out = (struct plan){ .action_count = unpack_count(&unpack) };
    out->actions = arena_array(arena, struct plan_action, out->action_count);
    for (size_t i = 0; i < out->action_count; i++) {
        struct plan_action *action = &out->actions[i];

        unpack_item(&unpack, PLAN_SORT_ACTION, action, i == 0 ? NULL : action - 1);
        if ((action->record != PLAN_NONE && action->record >= pass->world.record_count) ||
            (action->row != PLAN_NONE && action->row >= pass->world.row_count)) {
            return is_damaged(err);
        }
    }
    out->hold_count = unpack_count(&unpack);
    out->holds = arena_array(arena, struct plan_hold, out->hold_count);
    for (size_t i = 0; i < out->hold_count; i++) {
        unpack_item(&unpack, PLAN_SORT_HOLD, &out->holds[i], i == 0 ? NULL : &out->holds[i - 1]);
    }
    return (!unpack.is_bad && unpack.rest.length == 0) || is_damaged(err);
}

struct text ledger_replay(struct arena *arena, const struct ledger_pass *pass)
{
    struct ledger_order order;
    struct plan plan;

    assert(!pass->head.is_bare);
    plan_compute(arena, &pass->world, &pass->limits, &plan);
    ledger_order_make(arena, &pass->world, pass->head.page_count, &order);
    return ledger_decision(arena, &pass->world, &order, &plan);
}
