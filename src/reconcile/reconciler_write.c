#include "base/limits.h"
#include "reconcile/control_parts.h"

#include <assert.h>

/* public names start with: reconciler_ unit_ */

/* Converts write operations to transactions, one after the other. Each transaction compares the
 * epoch of the snapshot (G10). The calls of its operations start only when the store has answered
 * OK (G1). Any other answer ends the write (G11). */

enum { UNIT_OPERATIONS = 3 }; /* a compare, a change and an event */

void unit_row_init(struct unit_row *row)
{
    *row = (struct unit_row){ .last = &row->first };
}

struct unit *unit_add(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                      struct text value)
{
    struct unit *unit = arena_one(arena, struct unit);

    unit->key = key;
    unit->revision = revision;
    unit->value = value;
    *row->last = unit;
    row->last = &unit->next;
    row->count++;
    return unit;
}

void unit_add_first(struct arena *arena, struct unit_row *row, struct text key, uint64_t revision,
                    struct text value)
{
    struct unit *unit = arena_one(arena, struct unit);

    unit->key = key;
    unit->revision = revision;
    unit->value = value;
    unit->next = row->first;
    row->first = unit;
    row->last = row->count == 0 ? &unit->next : row->last;
    row->count++;
}

bool reconciler_has_unit(const struct reconciler *reconciler, struct text key)
{
    for (const struct unit *unit = reconciler->units.first; unit != NULL; unit = unit->next) {
        if (text_is_equal(unit->key, key)) {
            return true;
        }
    }
    return false;
}

/* Discard the calls of operations that are not written. */
static void calls_drop(struct unit *unit)
{
    for (; unit != NULL; unit = unit->next) {
        if (unit->call != NULL) {
            call_free(unit->call);
            unit->call = NULL;
        }
    }
}

/* Start the calls of committed operations. */
static void calls_start(struct reconciler *reconciler)
{
    for (struct unit *unit = reconciler->batch; unit != reconciler->batch_end; unit = unit->next) {
        if (unit->call != NULL) {
            call_start(unit->call);
            unit->call = NULL;
        }
    }
}

static void batch_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reconciler *reconciler = arg;
    struct control *control = reconciler->control;
    bool is_taken =
        outcome == OUTCOME_OK ||
        (outcome == OUTCOME_UNKNOWN && !GUARD(&control->options.limits, G11)) ||
        (outcome == OUTCOME_REFUSED && BUG(&control->options.limits, BUG_REFUSED_IS_DONE));
    struct err stale = { .text = "this manager sent no heartbeat for too long" };

    assert(reconciler->step == RECONCILER_WRITING);
    /* another process continues from the committed state; here the cache may already be freed */
    if (control->is_stopped) {
        calls_drop(reconciler->batch);
        return;
    }
    if (!is_taken) {
        calls_drop(reconciler->batch);
        reconciler_broken(reconciler, &answer->err);
        return;
    }
    if (!control_is_alive(control) || reconciler->epoch == 0) {
        /* another manager may have the lease by now and make these calls (F4) */
        calls_drop(reconciler->batch);
        reconciler_broken(reconciler, &stale);
        return;
    }
    calls_start(reconciler);
    reconciler->units.first = reconciler->batch_end;
    if (reconciler->batch_end != NULL) {
        reconciler_write(reconciler);
        return;
    }
    unit_row_init(&reconciler->units);
    reconciler->wanted_revision = answer->revision == 0 ? 1 : answer->revision;
}

static struct store_compare epoch_compare(struct arena *arena, const struct reconciler *reconciler)
{
    return (struct store_compare){
        .key = control_key(arena, reconciler->cluster, "Lease", TEXT(""), CACHE_STATUS),
        .revision = reconciler->epoch,
    };
}

void reconciler_write(struct reconciler *reconciler)
{
    struct control *control = reconciler->control;
    struct arena *arena =
        reconciler->is_settling ? reconciler->settle_arena : reconciler->pass->arena;
    struct store_compare compares[LIMIT_STORE_TXN_OPERATIONS];
    struct store_op ops[LIMIT_STORE_TXN_OPERATIONS];
    struct store_event events[LIMIT_STORE_TXN_OPERATIONS];
    struct store_txn txn = { .compares = compares, .ops = ops, .events = events };
    struct unit *unit = reconciler->units.first;

    assert(unit != NULL);
    if (GUARD(&control->options.limits, G10) &&
        !BUG(&control->options.limits, BUG_EPOCH_UNCOMPARED)) {
        compares[txn.compare_count++] = epoch_compare(arena, reconciler);
    }
    reconciler->batch = unit;
    while (unit != NULL && txn.compare_count + txn.op_count + txn.event_count + UNIT_OPERATIONS <=
                               LIMIT_STORE_TXN_OPERATIONS) {
        if (!unit->is_loose) {
            compares[txn.compare_count++] =
                (struct store_compare){ .key = unit->key, .revision = unit->revision };
        }
        ops[txn.op_count++] = (struct store_op){ .key = unit->key,
                                                 .value = unit->value,
                                                 .is_delete = unit->value.length == 0 };
        if (unit->event.length > 0) {
            events[txn.event_count++] = (struct store_event){
                .cluster = reconciler->cluster->key,
                .body = unit->event,
                .time_ms = (uint64_t)control->ports.wall_ms(control->ports.arg),
            };
        }
        unit = unit->next;
    }
    reconciler->batch_end = unit;
    if (!GUARD(&control->options.limits, G1)) {
        calls_start(reconciler);
    }
    store_txn(control->store, &txn, batch_reported, reconciler);
}
