#include "power/power_runner.h"

#include "base/heap.h"
#include "base/limits.h"
#include "base/map.h"
#include "codec/json.h"
#include "records/discovered.h"
#include "records/record.h"

#include <assert.h>
#include <string.h>

/* public names start with: power_runner_ */

/* Normal case: the records are followed by a watch of the cache, and each waits in a heap for its
 * next call. Without an order the state is read every POWER_POLL_MS. With an order this manager
 * first writes that it holds the order; then it makes calls until the last step is complete.
 *
 * Failures: a call that fails is repeated with a growing delay, unless repeating it may lock the
 * account; the record has the reason. An order that does not succeed within POWER_ORDER_MS is
 * removed, with an event. A write that is rejected is decided again after the cache has changed. */

enum {
    POWER_POLL_MS = 60 * 1000,
    POWER_CALLS_MAX = 16, /* calls in progress */
    POWER_RETRY_MS = 3 * 1000,
    POWER_RETRY_MAX_MS = 60 * 1000,
    POWER_BUSY_MS = 1000,
};

/* One machine with power control. */
struct power_machine {
    struct heap_node waiting;
    struct power_runner *runner; /* NULL: the record is gone, but an answer is pending */
    struct text key;             /* TENANT/ROW */
    struct text tenant;
    struct text row;
    bool is_calling;
    bool is_writing;
    bool is_fresh; /* the state was read since the newest command */
    enum power_call call;
    uint64_t access;           /* hash of the access that the call uses */
    int64_t order_ms;          /* the order that this manager carries out, by its time; 0: none */
    enum power_step sent_step; /* step of the newest command */
    uint64_t sent_ms;          /* when the command of sent_step was accepted; 0: not yet */
    uint64_t retry_ms;         /* delay after the newest failure; 0: it succeeded */
    enum power_state state;    /* as the BMC reported it last */
    bool is_state_known;
};

struct power_runner {
    struct power_runner_options options;
    struct arena *memory;
    struct arena *indexes; /* memory of the map */
    struct map machines;   /* by TENANT/ROW */
    struct heap due;
    struct cache_watch *watch;
    size_t calls;
    size_t pending; /* answers that are pending */
    bool is_closed;
};

static uint64_t power_now(const struct power_runner *runner)
{
    return runner->options.now_ms(runner->options.arg) * runner->options.times;
}

static void power_machine_wait(struct power_machine *machine, uint64_t wait_ms)
{
    heap_put(&machine->runner->due, &machine->waiting, power_now(machine->runner) + wait_ms);
}

/* Frees a machine whose record is gone, when no answer for it is pending. True: it is gone. */
static bool power_machine_is_over(struct power_machine *machine)
{
    if (machine->runner != NULL) {
        return false;
    }
    if (!machine->is_calling && !machine->is_writing) {
        rows_free(machine);
    }
    return true;
}

/* ---- writing ---- */

static void power_machine_written(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct power_machine *machine = arg;
    struct power_runner *runner = machine->runner;

    /* the cache shows whether the record was written; if not, the decision is repeated */
    (void)outcome;
    (void)answer;
    machine->is_writing = false;
    if (!power_machine_is_over(machine)) {
        power_machine_wait(machine, 0);
        runner->options.wake(runner->options.arg);
    }
}

static struct text power_event_body(struct arena *arena, const struct power *power,
                                    const char *name, const char *type, struct text fact)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", doc_text(TEXT("reeve"), NULL));
    doc_builder_put(
        &builder, "fact",
        doc_text(arena_printf(arena, "%s (%.*s): %.*s", name, TEXT_ARG(power->row), TEXT_ARG(fact)),
                 NULL));
    doc_builder_put(&builder, "id", doc_text(power->row, NULL));
    doc_builder_put(&builder, "type", doc_text(text_from(type), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Writes a changed record, and an event unless `type` is NULL, if the record is unchanged. */
static void power_machine_write(struct power_machine *machine, struct arena *arena,
                                const struct power *power, const char *type, struct text fact)
{
    struct power_runner *runner = machine->runner;
    struct store_op op = { .key = power_key(arena, machine->tenant, machine->row),
                           .value = power_format(arena, power) };
    struct store_compare compare = { .key = op.key, .revision = power->revision };
    struct store_event event = {
        .cluster = arena_printf(arena, "%.*s/", TEXT_ARG(machine->tenant)),
        .time_ms = (uint64_t)runner->options.wall_ms(runner->options.arg),
    };
    struct discovered row;
    bool is_known = discovered_read(
        arena,
        cache_find(runner->options.cache, machine->tenant, TEXT(DISCOVERED_KIND), machine->row),
        &row);

    if (type != NULL) {
        event.body = power_event_body(
            arena, power, arena_string(arena, is_known ? row.name : machine->row), type, fact);
    }
    machine->is_writing = true;
    store_txn(runner->options.store,
              &(struct store_txn){ &compare, 1, &op, 1, &event, type != NULL },
              power_machine_written, machine);
}

/* ---- calls ---- */

static void power_state_note(struct power_machine *machine, enum power_state state)
{
    machine->state = state;
    machine->is_state_known = true;
    machine->is_fresh = true;
}

/* Writes a fault, the first time and when its text differs. A final one ends the order. */
static void power_fault_apply(struct power_machine *machine, struct arena *arena,
                              struct power *power, const struct power_answer *answer)
{
    struct power_runner *runner = machine->runner;
    int64_t wall_ms = runner->options.wall_ms(runner->options.arg);
    bool has_order = power->order.action != POWER_ACTION_NONE;
    bool is_over = has_order && (power_fault_is_final(answer->fault) ||
                                 wall_ms - power->order.since_ms >
                                     (int64_t)(POWER_ORDER_MS / runner->options.times));
    struct text fact;

    machine->retry_ms = machine->retry_ms == 0 ? POWER_RETRY_MS : 2 * machine->retry_ms;
    machine->retry_ms =
        machine->retry_ms > POWER_RETRY_MAX_MS ? POWER_RETRY_MAX_MS : machine->retry_ms;
    if (!has_order || is_over) {
        /* a wrong password is not repeated every few seconds, because that may lock the account */
        machine->retry_ms =
            power_fault_is_final(answer->fault) ? 10 * POWER_POLL_MS : POWER_POLL_MS;
    }
    power_machine_wait(machine, machine->retry_ms);
    if (!is_over && text_is_equal(power->fault, answer->why)) {
        return;
    }
    fact = is_over ? arena_printf(arena, "%s: %.*s", power_action_name(power->order.action),
                                  TEXT_ARG(answer->why))
                   : answer->why;
    power->fault = answer->why;
    power->fault_ms = wall_ms;
    if (answer->fault == POWER_FAULT_SILENT && power->state != POWER_STATE_UNKNOWN) {
        power->state = POWER_STATE_UNKNOWN;
        power->state_ms = wall_ms;
    }
    if (is_over) {
        power->order = (struct power_order){ 0 };
    }
    power_machine_write(machine, arena, power, is_over ? "power.failed" : "power.fault", fact);
}

/* A hash of what a call uses of the record. */
static uint64_t power_access_hash(const struct power *power)
{
    uint64_t hash = text_hash(power->address, power->port * 2u + (unsigned)power->protocol);

    hash = text_hash(power->user, hash);
    hash = text_hash(power->secret, hash);
    return text_hash(power->system, text_hash(power->pin, hash));
}

static void power_machine_called(void *arg, const struct power_answer *answer)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct power_machine *machine = arg;
    struct power_runner *runner = machine->runner;
    struct power power;

    machine->is_calling = false;
    if (power_machine_is_over(machine)) {
        return;
    }
    runner->calls--;
    if (machine->is_writing ||
        !power_read(arena, runner->options.cache, machine->tenant, machine->row, &power)) {
        power_machine_wait(machine, POWER_BUSY_MS);
    } else if (machine->access != power_access_hash(&power)) {
        /* an answer of the former BMC, or to the former user */
        machine->is_fresh = false;
        machine->sent_ms = 0;
        power_machine_wait(machine, 0);
    } else if (answer->fault != POWER_FAULT_NONE) {
        power_fault_apply(machine, arena, &power, answer);
    } else {
        machine->retry_ms = 0;
        if (machine->call == POWER_CALL_STATUS) {
            power_state_note(machine, answer->state);
        } else {
            machine->is_fresh = false;
            machine->sent_ms = power_now(runner);
        }
        power_machine_wait(machine, 0);
    }
    runner->options.wake(runner->options.arg);
}

static bool power_is_uefi(const struct power_machine *machine, struct arena *arena)
{
    struct discovered row;
    struct doc facts;
    struct err err;

    return discovered_read(arena,
                           cache_find(machine->runner->options.cache, machine->tenant,
                                      TEXT(DISCOVERED_KIND), machine->row),
                           &row) &&
           row.facts.length > 0 && json_parse(arena, row.facts, NULL, &facts, &err) &&
           doc_child(&facts, "firmware") != NULL &&
           text_is(doc_child(&facts, "firmware")->text, "uefi");
}

static void power_machine_call(struct power_machine *machine, struct arena *arena,
                               const struct power *power, enum power_call call)
{
    struct power_runner *runner = machine->runner;

    if (runner->calls >= POWER_CALLS_MAX) {
        power_machine_wait(machine, POWER_BUSY_MS);
        return;
    }
    machine->is_calling = true;
    machine->access = power_access_hash(power);
    machine->call = call;
    runner->calls++;
    runner->options.call(runner->options.arg, machine->tenant, power, call,
                         power_is_uefi(machine, arena), power_machine_called, machine);
}

/* ---- decisions ---- */

/* Takes the state that was read into the record. True: the record has changed. */
static bool power_state_lay(const struct power_machine *machine, struct power *power,
                            int64_t wall_ms)
{
    bool is_changed = machine->is_fresh && machine->is_state_known &&
                      (power->state != machine->state || power->fault.length > 0);

    if (is_changed) {
        power->state_ms = power->state == machine->state ? power->state_ms : wall_ms;
        power->state = machine->state;
        power->fault = TEXT("");
        power->fault_ms = 0;
    }
    return is_changed;
}

/* A requested reboot that the machine has not answered is completed by its BMC. */
static bool power_reboot_is_due(const struct power_machine *machine, const struct power *power)
{
    const struct power_runner_options *options = &machine->runner->options;
    int64_t since_ms;

    return options->is_reboot_silent != NULL && power->order.action == POWER_ACTION_NONE &&
           options->is_reboot_silent(options->arg, machine->tenant, machine->row, &since_ms) &&
           power->state_ms < since_ms;
}

static void power_idle_decide(struct power_machine *machine, struct arena *arena,
                              struct power *power)
{
    struct power_runner *runner = machine->runner;
    int64_t wall_ms = runner->options.wall_ms(runner->options.arg);

    machine->order_ms = 0;
    if (power_state_lay(machine, power, wall_ms)) {
        power_machine_write(machine, arena, power, NULL, TEXT(""));
    } else if (power_reboot_is_due(machine, power)) {
        power_order_set(power, POWER_ACTION_CYCLE, wall_ms, TEXT("reeve"),
                        TEXT("the machine does not answer a requested reboot"));
        power_machine_write(machine, arena, power, "power.ordered",
                            TEXT("cycle: the machine does not answer a requested reboot"));
    } else if (machine->is_fresh) {
        machine->is_fresh = false;
        power_machine_wait(machine, POWER_POLL_MS);
    } else {
        power_machine_call(machine, arena, power, POWER_CALL_STATUS);
    }
}

/* Writes that this manager carries out the order, or waits while another one does. True: this
 * manager has it. */
static bool power_order_take(struct power_machine *machine, struct arena *arena,
                             struct power *power)
{
    struct power_runner *runner = machine->runner;
    struct power_order *order = &power->order;
    int64_t wall_ms = runner->options.wall_ms(runner->options.arg);
    int64_t hold_ms = (int64_t)(POWER_HOLD_MS / runner->options.times);
    bool is_own = text_is(order->holder, runner->options.session);

    if (!is_own && order->holder.length > 0 && order->held_until_ms > wall_ms) {
        power_machine_wait(machine,
                           (uint64_t)(order->held_until_ms - wall_ms) * runner->options.times + 1);
        return false;
    }
    if (is_own && order->held_until_ms - wall_ms > hold_ms / 2) {
        if (machine->order_ms != order->since_ms) {
            machine->order_ms = order->since_ms;
            machine->sent_ms = 0;
            machine->is_fresh = false;
            machine->retry_ms = 0;
        }
        return true;
    }
    order->holder = text_from(runner->options.session);
    order->held_until_ms = wall_ms + hold_ms;
    power_machine_write(machine, arena, power, NULL, TEXT(""));
    return false;
}

static void power_order_decide(struct power_machine *machine, struct arena *arena,
                               struct power *power)
{
    struct power_runner *runner = machine->runner;
    int64_t wall_ms = runner->options.wall_ms(runner->options.arg);
    struct power_order former = power->order;
    struct power_next next;

    if (machine->sent_step != former.step) {
        machine->sent_step = former.step;
        machine->sent_ms = 0;
    }
    (void)power_state_lay(machine, power, wall_ms);
    if (!power_decide(power, machine->is_fresh, machine->sent_ms, power_now(runner), &next)) {
        machine->order_ms = 0;
        power_machine_write(machine, arena, power, "power.done",
                            arena_printf(arena, "%s, for %.*s", power_action_name(former.action),
                                         TEXT_ARG(former.by)));
        return;
    }
    if (next.is_moved) {
        power_machine_write(machine, arena, power, NULL, TEXT(""));
    } else if (wall_ms - former.since_ms > (int64_t)(POWER_ORDER_MS / runner->options.times)) {
        power_fault_apply(
            machine, arena, power,
            &(struct power_answer){
                .fault = POWER_FAULT_OTHER,
                .why = arena_printf(arena,
                                    "the BMC accepts commands, but the machine stays %s (may its "
                                    "user '%.*s' switch power?)",
                                    power_state_name(power->state), TEXT_ARG(power->user)) });
    } else if (next.wait_ms > 0 && machine->is_fresh) {
        machine->is_fresh = false;
        power_machine_wait(machine, next.wait_ms);
    } else {
        power_machine_call(machine, arena, power, next.call);
    }
}

static void power_machine_decide(struct power_machine *machine)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct power_runner *runner = machine->runner;
    struct power power;

    if (machine->is_writing || machine->is_calling ||
        !power_read(arena, runner->options.cache, machine->tenant, machine->row, &power)) {
        return; /* the end of the write or the call makes it due again */
    }
    if (power.order.action == POWER_ACTION_NONE) {
        power_idle_decide(machine, arena, &power);
    } else if (power_order_take(machine, arena, &power)) {
        power_order_decide(machine, arena, &power);
    }
}

/* ---- following the records ---- */

static void power_machine_end(struct power_machine *machine)
{
    struct power_runner *runner = machine->runner;

    heap_remove(&runner->due, &machine->waiting);
    runner->calls -= machine->is_calling;
    machine->runner = NULL;
    (void)power_machine_is_over(machine);
}

static void power_record_look(struct power_runner *runner, struct text tenant, struct text row,
                              bool is_there)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text key = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(row));
    struct power_machine *machine = map_find(&runner->machines, key);
    char *at;

    if (!is_there) {
        if (machine != NULL) {
            map_remove(&runner->machines, machine->key);
            power_machine_end(machine);
        }
        return;
    }
    if (machine == NULL) {
        machine = rows_resize(NULL, sizeof(*machine) + key.length + 1);
        *machine = (struct power_machine){ .runner = runner };
        at = (char *)(machine + 1);
        memcpy(at, key.data, key.length);
        machine->key = (struct text){ at, key.length };
        machine->tenant = text_slice(machine->key, 0, tenant.length);
        machine->row = text_slice(machine->key, tenant.length + 1, SIZE_MAX);
        map_put(&runner->machines, machine->key, machine);
    }
    if (!machine->is_calling && !machine->is_writing) {
        power_machine_wait(machine, 0);
    }
}

static void power_changed(void *arg, enum cache_watch_state state,
                          const struct cache_change *change)
{
    struct power_runner *runner = arg;

    if (state == CACHE_WATCH_RESET) {
        runner->watch = NULL; /* power_runner_run reads all records again */
    } else if (change->part == CACHE_BASE) {
        power_record_look(runner, change->tenant, change->id, change->bytes != NULL);
    }
}

static void power_machines_clear(struct power_runner *runner)
{
    struct map_cursor cursor;

    for (const struct map_node *node = map_cursor_seek(&cursor, &runner->machines, TEXT(""));
         node != NULL; node = map_cursor_next(&cursor)) {
        power_machine_end(node->value);
    }
    arena_free(runner->indexes);
    runner->indexes = arena_new_small(SIZE_MAX);
    map_init(&runner->machines, runner->indexes);
}

static void power_machines_load(struct power_runner *runner)
{
    struct cache *cache = runner->options.cache;
    const struct cache_scope scope = { .prefix = TEXT("/"), .kind = TEXT(POWER_KIND) };

    power_machines_clear(runner);
    for (const struct cache_object *object = cache_first(cache, TEXT("/")); object != NULL;
         object = cache_next(cache, TEXT("/"), object)) {
        if (text_is(cache_kind(object), POWER_KIND)) {
            power_record_look(runner, cache_tenant(object), cache_id(object),
                              object->parts[CACHE_BASE].bytes != NULL);
        }
    }
    runner->watch = cache_watch(cache, &scope, cache_revision(cache) + 1, power_changed, runner);
}

uint64_t power_runner_run(struct power_runner *runner)
{
    const struct heap_node *first;
    uint64_t now_ms;

    if (runner->is_closed || cache_state(runner->options.cache) != CACHE_READY) {
        return UINT64_MAX;
    }
    if (runner->watch == NULL) {
        power_machines_load(runner);
    }
    now_ms = power_now(runner);
    while ((first = heap_first(&runner->due)) != NULL && first->due <= now_ms) {
        struct power_machine *machine = heap_owner(first, struct power_machine, waiting);

        heap_remove(&runner->due, &machine->waiting);
        power_machine_decide(machine);
        if (machine->waiting.is_in && machine->waiting.due <= now_ms) {
            /* never twice in an iteration */
            heap_put(&runner->due, &machine->waiting, now_ms + 1);
        }
    }
    first = heap_first(&runner->due);
    return first == NULL ? UINT64_MAX : (first->due - now_ms) / runner->options.times + 1;
}

struct power_runner *power_runner_new(const struct power_runner_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct power_runner *runner = arena_one(memory, struct power_runner);

    assert(options->times > 0);
    *runner = (struct power_runner){ .options = *options, .memory = memory };
    runner->options.session = arena_string(memory, text_from(options->session));
    runner->indexes = arena_new_small(SIZE_MAX);
    map_init(&runner->machines, runner->indexes);
    return runner;
}

void power_runner_close(struct power_runner *runner)
{
    if (runner == NULL || runner->is_closed) {
        return;
    }
    runner->is_closed = true;
    if (runner->watch != NULL) {
        cache_watch_close(runner->watch);
        runner->watch = NULL;
    }
    power_machines_clear(runner);
}

void power_runner_free(struct power_runner *runner)
{
    if (runner != NULL) {
        power_runner_close(runner);
        heap_clear(&runner->due);
        arena_free(runner->indexes);
        arena_free(runner->memory);
    }
}
