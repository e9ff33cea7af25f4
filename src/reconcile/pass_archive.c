#include "base/limits.h"
#include "plan/ledger.h"
#include "reconcile/control_parts.h"
#include "records/pass_index.h"

#include <assert.h>
#include <string.h>

/* public names start with: pass_ reconciler_ */

/* Archives the inputs of passes, so that users can query the reasons of decisions, and decisions
 * can be replayed (plan/ledger.h). Passes that reported events are archived, in the transaction of
 * their first intents. A pass is stored as the difference from the previous archived pass. It is
 * stored whole if the previous pass is unknown, or if too much has changed.
 *
 * Normal case: the hashes of the previous pass's chunks are known (reconciler->kept), and chunks
 * that differ are written. After a restart, a lost lease or a refused write the hashes are unknown,
 * and the next pass is stored whole. */

enum {
    LOOSE_FACTOR = 2, /* maximum size of a chain, in multiples of its complete pass */
    LOOSE_BYTES = 64 * 1024,
};

struct archiving {
    struct pass *pass;
    struct reconciler *reconciler;
    struct pass_index index;
    struct ledger_entry entry;
    struct ledger_order order;
    struct unit_row units;
    bool is_whole;
};

void pass_number_take(struct pass *pass)
{
    const struct reconciler *reconciler = pass->reconciler;
    struct pass_index index;

    if (!reconciler->control->options.is_archiving_passes) {
        return;
    }
    pass_index_read(pass->arena, reconciler->control->cache, reconciler->cluster->tenant,
                    reconciler->cluster->id, &index);
    pass->number = index.next;
}

static bool has_reported(const struct pass *pass)
{
    const struct unit *unit = pass->units.first;

    while (unit != NULL && unit->event.length == 0 && unit->call == NULL) {
        unit = unit->next;
    }
    return unit != NULL || pass->is_reporting;
}

/* True if the chunks of the previous pass are known, and only the difference should be stored. */
static bool can_go_on(const struct archiving *archiving)
{
    const struct kept_pages *kept = &archiving->reconciler->kept;
    const struct pass_index *index = &archiving->index;
    size_t page_count = ledger_page_count(&archiving->pass->world);

    return kept->hashes != NULL && kept->epoch == archiving->reconciler->epoch &&
           kept->next == index->next && index->count > 0 &&
           index->chains[index->count - 1].count < LIMIT_PASS_CHAIN &&
           page_count <= kept->page_count * 2 && page_count >= kept->page_count / 4 &&
           kept->loose_bytes <= kept->whole_bytes * LOOSE_FACTOR + LOOSE_BYTES;
}

/* ---- the value ---- */

static void pass_archive_entry_make(struct archiving *archiving)
{
    struct pass *pass = archiving->pass;
    struct reconciler *reconciler = archiving->reconciler;
    struct control *control = reconciler->control;
    struct kept_pages *kept = &reconciler->kept;

    archiving->is_whole = !can_go_on(archiving);
    if (archiving->is_whole) {
        arena_free(kept->arena);
        *kept = (struct kept_pages){ .page_count = ledger_page_count(&pass->world),
                                     .first = pass->number };
        kept->hashes = kept->few;
        if (kept->page_count > KEPT_FEW) {
            kept->arena = arena_new(SIZE_MAX);
            kept->hashes = arena_array(kept->arena, uint64_t, kept->page_count);
        }
    }
    ledger_order_make(pass->arena, &pass->world, kept->page_count, &archiving->order);
    archiving->entry = (struct ledger_entry){
        .head = {
            .number = pass->number,
            .base = kept->first,
            .revision = cache_revision(control->cache),
            .epoch = reconciler->epoch,
            .wall_ms = (uint64_t)control->ports.wall_ms(control->ports.arg),
            .version = PLAN_VERSION,
            .actions = (uint32_t)pass->plan.action_count,
            .holds = (uint32_t)pass->plan.hold_count,
            .page_count = kept->page_count,
        },
        .limits = &control->options.limits,
        .world = &pass->world,
        .order = &archiving->order,
        .decision = ledger_decision(pass->arena, &pass->world, &archiving->order, &pass->plan),
    };
}

static struct text pass_archive_value_make(struct archiving *archiving)
{
    struct arena *arena = archiving->pass->arena;
    struct kept_pages *kept = &archiving->reconciler->kept;
    struct ledger_head *head = &archiving->entry.head;
    struct text value = ledger_write(arena, &archiving->entry, !archiving->is_whole, kept->hashes);

    if (!archiving->is_whole && (value.length == 0 || value.length > LIMIT_STORE_VALUE_BYTES)) {
        archiving->is_whole = true;
        head->base = kept->first = head->number;
        value = ledger_write(arena, &archiving->entry, false, kept->hashes);
    }
    if (archiving->is_whole && value.length > LIMIT_PASS_BYTES) {
        head->is_bare = true;
        value = ledger_write(arena, &archiving->entry, false, kept->hashes);
    }
    return value;
}

static struct unit *loose_add(struct archiving *archiving, struct text key, struct text value)
{
    struct unit *unit = unit_add(archiving->pass->arena, &archiving->units, key, 0, value);

    unit->is_loose = true;
    return unit;
}

static size_t parts_add(struct archiving *archiving, struct text value)
{
    const struct fleet_cluster *cluster = archiving->reconciler->cluster;
    size_t parts = 0;

    for (size_t at = 0; at < value.length; at += LIMIT_STORE_VALUE_BYTES) {
        loose_add(archiving,
                  pass_key(archiving->pass->arena, cluster->tenant, cluster->id,
                           archiving->pass->number, parts++),
                  text_slice(value, at, LIMIT_STORE_VALUE_BYTES));
    }
    return parts;
}

/* ---- the index ---- */

static void index_add(struct archiving *archiving, size_t parts, size_t bytes)
{
    struct pass_index *index = &archiving->index;
    const struct ledger_head *head = &archiving->entry.head;
    struct pass_chain *last;

    if (archiving->is_whole) {
        assert(index->count < PASS_INDEX_ROOM);
        index->chains[index->count++] =
            (struct pass_chain){ .first = head->number, .parts = parts };
    }
    last = &index->chains[index->count - 1];
    last->count++;
    last->bytes += bytes;
    last->wall_ms = head->wall_ms;
    index->next = head->number + 1;
}

static bool is_pass_archive_too_much(const struct pass_index *index, uint64_t wall_ms)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < index->count; i++) {
        bytes += index->chains[i].bytes;
    }
    return index->count > 1 &&
           (index->count > LIMIT_PASS_CHAINS || bytes > LIMIT_PASSES_BYTES ||
            index->chains[0].wall_ms + (uint64_t)LIMIT_PASSES_DAYS * 24 * 3600 * 1000 < wall_ms);
}

/* Removes passes from the end of the oldest chain. The first pass of the chain is removed last,
 * because the other passes refer to it. */
static void index_drop(struct archiving *archiving)
{
    const struct fleet_cluster *cluster = archiving->reconciler->cluster;
    struct arena *arena = archiving->pass->arena;
    struct pass_index *index = &archiving->index;
    size_t left = LIMIT_PASSES_DROP;

    while (is_pass_archive_too_much(index, archiving->entry.head.wall_ms) &&
           (left > 0 || index->count == PASS_INDEX_ROOM)) {
        struct pass_chain *oldest = &index->chains[0];
        uint64_t parts = oldest->count == 1 ? oldest->parts : 1;

        oldest->count--;
        for (uint64_t part = 0; part < parts; part++) {
            loose_add(
                archiving,
                pass_key(arena, cluster->tenant, cluster->id, oldest->first + oldest->count, part),
                TEXT(""));
            left -= left > 0;
        }
        if (oldest->count == 0) {
            index->count--;
            memmove(index->chains, index->chains + 1, index->count * sizeof(*index->chains));
        }
    }
}

/* Puts the archive's write operations before all others of the pass, so that one transaction
 * contains them and the first intents. */
static void units_prepend(struct archiving *archiving)
{
    struct unit_row *units = &archiving->pass->units;

    assert(archiving->units.first != NULL && units->first != NULL);
    *archiving->units.last = units->first;
    units->first = archiving->units.first;
    units->count += archiving->units.count;
}

void pass_archive(struct pass *pass)
{
    struct reconciler *reconciler = pass->reconciler;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct archiving archiving = { .pass = pass, .reconciler = reconciler };
    struct text value;

    if (pass->number == 0 || !has_reported(pass)) {
        return;
    }
    unit_row_init(&archiving.units);
    pass_index_read(pass->arena, reconciler->control->cache, cluster->tenant, cluster->id,
                    &archiving.index);
    pass_archive_entry_make(&archiving);
    value = pass_archive_value_make(&archiving);
    index_drop(&archiving);
    index_add(&archiving, parts_add(&archiving, value), value.length);
    loose_add(&archiving, control_key(pass->arena, cluster, "Pass", TEXT(""), CACHE_STATUS),
              pass_index_format(pass->arena, &archiving.index));
    units_prepend(&archiving);
    reconciler->kept.epoch = archiving.entry.head.is_bare ? 0 : reconciler->epoch;
    reconciler->kept.next = archiving.index.next;
    if (archiving.is_whole) {
        reconciler->kept.whole_bytes = value.length;
        reconciler->kept.loose_bytes = 0;
    } else {
        reconciler->kept.loose_bytes += value.length;
    }
}
