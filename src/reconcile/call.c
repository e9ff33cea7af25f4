#include "base/limits.h"
#include "reconcile/control_parts.h"
#include "reconcile/reboots.h"

#include <assert.h>

/* public names start with: call_ control_ intent_ reconciler_ */

/* Provider calls and their outcomes. A started call always ends with an outcome, even if its pass
 * is abandoned. The outcome is applied to the state that the record has when the call ends. */

static void call_link(struct call *call)
{
    struct reconciler *reconciler = call->reconciler;

    call->next = reconciler->calls;
    call->link = &reconciler->calls;
    if (call->next != NULL) {
        call->next->link = &call->next;
    }
    reconciler->calls = call;
}

static void call_unlink(struct call *call)
{
    if (call->link == NULL) {
        return;
    }
    *call->link = call->next;
    if (call->next != NULL) {
        call->next->link = call->link;
    }
    call->link = NULL;
}

struct call *call_new(struct reconciler *reconciler, enum call_kind kind, struct account *account)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct call *call = arena_one(arena, struct call);

    call->arena = arena;
    call->reconciler = reconciler;
    call->kind = kind;
    call->account = account;
    reconciler->call_count++;
    return call;
}

void call_free(struct call *call)
{
    assert(call->reconciler->call_count > 0);
    call_unlink(call);
    call->reconciler->call_count--;
    arena_free(call->arena);
}

/* Interprets the answer of a lookup. A row of another machine, or several rows, prove nothing about
 * this machine (F6). */
static enum plan_lookup lookup_of(struct text id, enum outcome outcome,
                                  const struct provider_answer *answer)
{
    if (outcome == OUTCOME_REFUSED && answer->fault == PROVIDER_FAULT_GONE) {
        return PLAN_LOOKUP_GONE;
    }
    if (outcome != OUTCOME_OK) {
        return PLAN_LOOKUP_NONE;
    }
    if (answer->count == 0) {
        return PLAN_LOOKUP_GONE;
    }
    if (answer->count > 1 || !text_is_equal(answer->rows[0].id, id)) {
        return PLAN_LOOKUP_NONE;
    }
    return answer->rows[0].state == PLAN_ROW_STOPPED ? PLAN_LOOKUP_STOPPED
           : answer->rows[0].state == PLAN_ROW_ENDED ? PLAN_LOOKUP_ENDED
                                                     : PLAN_LOOKUP_RUNNING;
}

static void on_call(void *arg, enum outcome outcome, const struct provider_answer *answer)
{
    struct call *call = arg;
    struct reconciler *reconciler = call->reconciler;

    call_unlink(call);
    account_reported(call->account, outcome, answer);
    account_call_ended(call->account);
    call->outcome = outcome;
    call->fault = answer->fault;
    call->retry_ms = answer->retry_ms;
    call->message = arena_text(call->arena, answer->message);
    if (call->kind == CALL_FIND) {
        call->lookup = lookup_of(call->intent.id, outcome, answer);
    } else if (call->kind == CALL_CREATE && outcome == OUTCOME_OK) {
        call->id = arena_text(call->arena, answer->id);
        if (call->id.length == 0 || call->id.length > LIMIT_MACHINE_ID_BYTES ||
            !record_is_plain(call->id)) {
            call->outcome = OUTCOME_UNKNOWN; /* the answer of the provider is invalid (F6) */
        }
    }
    call->next = reconciler->outcomes;
    reconciler->outcomes = call;
    if (reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, 0);
    }
}

void call_start(struct call *call)
{
    call_link(call);
    account_put(call->account, call);
}

void reconciler_epoch_end(struct reconciler *reconciler)
{
    if (!BUG(&reconciler->control->options.limits, BUG_QUEUE_KEPT)) {
        account_drop(reconciler);
    }
    for (size_t i = 0; i < reconciler->cluster->count; i++) {
        /* another lease holder may send this call now */
        reconciler->cluster->machines[i]->is_unsent = false;
        reconciler->cluster->machines[i]->is_reboot_unsent = false;
    }
    members_drop(reconciler);
    reboots_drop(reconciler);
    volumes_drop(reconciler);
    reconciler->epoch = 0;
}

void reconciler_lease_lost(struct reconciler *reconciler)
{
    if (GUARD(&reconciler->control->options.limits, G10)) {
        reconciler_epoch_end(reconciler);
        /* results of earlier probes are no evidence if this manager acquires the lease again */
        probes_drop(reconciler);
    }
}

void call_make(struct call *call)
{
    struct provider *provider = account_provider(call->account);
    struct intent *intent = &call->intent;

    intent->age_ms = intent->created_ms == UINT64_MAX
                         ? UINT64_MAX
                         : reconciler_now(call->reconciler) - intent->created_ms;
    switch (call->kind) {
    case CALL_CREATE:
        provider_create(provider, &call->intent, &call->request, on_call, call);
        break;
    case CALL_DESTROY:
        provider_destroy(provider, &call->intent, on_call, call);
        break;
    case CALL_LABEL:
        provider_label(provider, &call->intent, call->labels, on_call, call);
        break;
    case CALL_REBOOT:
        provider_reboot(provider, &call->intent, on_call, call);
        break;
    case CALL_FIND:
    case CALL_KEY:
        provider_find(provider, intent, on_call, call);
        break;
    case CALL_RESOURCE_DESTROY:
        provider_resource_destroy(provider, intent, call->resource, on_call, call);
        break;
    }
}

enum plan_record_state intent_state(const struct intent *intent)
{
    return intent->state;
}

struct text intent_token(const struct intent *intent)
{
    return intent->token;
}

struct text intent_id(const struct intent *intent)
{
    return intent->id;
}

struct text intent_cluster(const struct intent *intent)
{
    return intent->cluster;
}

uint64_t intent_age_ms(const struct intent *intent)
{
    return intent->age_ms;
}

uint64_t intent_epoch(const struct intent *intent)
{
    return intent->epoch;
}

struct text intent_reason(const struct intent *intent)
{
    return intent->reason;
}

/* ---- outcomes ---- */

uint64_t call_retry_ms(struct reconciler *reconciler, const struct call *call, uint32_t tries)
{
    static const uint64_t first_ms[PROVIDER_FAULT_COUNT] = {
        [PROVIDER_FAULT_NONE] = 1000,      [PROVIDER_FAULT_INVALID] = 60000,
        [PROVIDER_FAULT_AUTH] = 60000,     [PROVIDER_FAULT_QUOTA] = 30000,
        [PROVIDER_FAULT_CAPACITY] = 15000, [PROVIDER_FAULT_THROTTLED] = 2000,
        [PROVIDER_FAULT_TRANSIENT] = 1000, [PROVIDER_FAULT_GONE] = 1000,
    };
    uint64_t ms = first_ms[call->outcome == OUTCOME_REFUSED ? call->fault : PROVIDER_FAULT_NONE];

    for (uint32_t i = 1; i < tries && ms < LIMIT_CONTROL_BACKOFF_MS; i++) {
        ms *= 2;
    }
    ms = ms < LIMIT_CONTROL_BACKOFF_MS ? ms : LIMIT_CONTROL_BACKOFF_MS;
    ms = control_jitter(reconciler->control, ms);
    return ms > call->retry_ms ? ms : call->retry_ms;
}

static const char *create_apply(struct reconciler *reconciler, const struct call *call,
                                struct record *record)
{
    struct text cause = record_sentence(reconciler->settle_arena, call->message);
    bool is_reported;

    record->is_asked = false;
    if (call->outcome == OUTCOME_OK) {
        bool is_new = record->plan.id.length == 0;

        reconciler->made_ms = is_new ? reconciler_now(reconciler) : reconciler->made_ms;
        record->plan.id = call->id;
        record->plan.is_answered = record->plan.state == PLAN_RECORD_CREATE;
        record->plan.call_after_ms = 0;
        record->plan.refusals = 0;
        record->fault = PROVIDER_FAULT_NONE;
        record->cause = TEXT("");
        if (!GUARD(&reconciler->control->options.limits, G14)) {
            /* without the guard, a record that was marked for deletion returns to CREATE */
            record->plan.state = PLAN_RECORD_CREATE;
        }
        return is_new ? "machine.created" : NULL;
    }
    record->plan.refusals++;
    record->plan.call_after_ms =
        reconciler_now(reconciler) + call_retry_ms(reconciler, call, record->plan.refusals);
    if (call->outcome == OUTCOME_REFUSED) {
        record->plan.is_answered = record->plan.state == PLAN_RECORD_CREATE;
        record->fault = call->fault;
        record->cause = cause;
        if (call->fault == PROVIDER_FAULT_GONE &&
            account_provider(call->account)->traits.has_tokens) {
            record->plan.doubt_ms = 0; /* there is no other machine with this token */
        }
        return "machine.refused";
    }
    record->plan.is_answered = false;
    record->plan.doubt_ms = reconciler_now(reconciler);
    is_reported = text_is_equal(record->cause, cause);
    record->cause = cause;
    return is_reported ? NULL : "machine.unanswered";
}

/* Handles a reboot that the provider made on request. If reeve does not log in, its answer is the
 * only proof of the reboot. */
static const char *requested_reboot_apply(struct reconciler *reconciler, struct record *record)
{
    const struct fleet_group *group = fleet_group_find(reconciler->cluster, record->plan.group);

    record->plan.is_reboot_answered = true;
    if (reboots_logs_in(reconciler->control, record->plugin)) {
        return NULL;
    }
    record_reboot_end(record, reconciler_now(reconciler),
                      group == NULL || group->ready == FLEET_READY_RUNNING ||
                          !probes_has_probe(reconciler->control, group));
    return "machine.rebooted";
}

/* Apply the outcome of a change in place. If the provider does not know the machine, its record
 * stays unchanged. */
static const char *place_apply(struct reconciler *reconciler, const struct call *call,
                               struct record *record)
{
    if (record->plan.state != PLAN_RECORD_ACTIVE) {
        return NULL;
    }
    if (call->outcome != OUTCOME_OK) {
        record->plan.refusals++;
        record->plan.call_after_ms =
            reconciler_now(reconciler) + call_retry_ms(reconciler, call, record->plan.refusals);
        if (call->kind == CALL_REBOOT && call->outcome == OUTCOME_REFUSED &&
            record->plan.reboot_begun_ms > 0) {
            /* the machine was not rebooted, so the call is repeated */
            record->plan.rebooted_ms = 0;
        }
        return call->outcome == OUTCOME_REFUSED ? "machine.refused" : NULL;
    }
    record->plan.refusals = 0;
    record->plan.call_after_ms = 0;
    if (call->kind == CALL_REBOOT && record->plan.reboot_begun_ms > 0) {
        return requested_reboot_apply(reconciler, record);
    }
    if (call->kind == CALL_LABEL) {
        record->plan.labels = call->labels_digest;
    }
    return call->kind == CALL_LABEL ? "machine.labelled" : "machine.rebooted";
}

static const char *destroy_apply(struct reconciler *reconciler, const struct call *call,
                                 struct record *record)
{
    bool is_done = call->outcome == OUTCOME_OK ||
                   (call->outcome == OUTCOME_REFUSED && call->fault == PROVIDER_FAULT_GONE) ||
                   (call->outcome == OUTCOME_UNKNOWN &&
                    BUG(&reconciler->control->options.limits, BUG_UNKNOWN_IS_DONE));

    if (is_done) {
        bool is_first = !record->plan.is_answered;

        record->plan.is_answered = true;
        record->plan.call_after_ms = 0;
        record->plan.refusals = 0;
        return is_first ? "machine.destroyed" : NULL;
    }
    record->plan.refusals++;
    record->plan.call_after_ms =
        reconciler_now(reconciler) + call_retry_ms(reconciler, call, record->plan.refusals);
    if (call->outcome == OUTCOME_REFUSED) {
        record->fault = call->fault;
        return "machine.kept";
    }
    return NULL;
}

static void outcome_write(struct reconciler *reconciler, const struct call *call)
{
    struct arena *arena = reconciler->settle_arena;
    struct control *control = reconciler->control;
    struct text token =
        arena_text(arena, BUG(&control->options.limits, BUG_OUTCOME_ELSEWHERE)
                              ? fleet_machine_token(reconciler->cluster->machines[0])
                              : call->intent.token);
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, token);
    struct record record;
    const char *type;
    struct unit *unit;
    struct err err;

    if (machine == NULL ||
        !record_parse(arena, token, arena_text(arena, blob_text(machine->bytes)), &record, &err)) {
        return;
    }
    if (call->kind == CALL_DESTROY && record.plan.state != PLAN_RECORD_DELETE) {
        return;
    }
    type = call->kind == CALL_CREATE    ? create_apply(reconciler, call, &record)
           : call->kind == CALL_DESTROY ? destroy_apply(reconciler, call, &record)
                                        : place_apply(reconciler, call, &record);
    if (call->kind == CALL_CREATE && call->outcome == OUTCOME_OK) {
        record.plan.id = arena_text(arena, call->id);
    }
    unit = unit_add(arena, &reconciler->units,
                    control_key(arena, reconciler->cluster, "Resource", token, CACHE_STATUS),
                    machine->revision, record_format(arena, &record));
    if (type != NULL) {
        unit->event = control_event(arena, reconciler,
                                    &(struct event){ .type = type,
                                                     .group = record.plan.group,
                                                     .slot = record.plan.slot,
                                                     .has_slot = true,
                                                     .rule = record.reason,
                                                     .fact = call->message,
                                                     .token = token,
                                                     .id = record.plan.id,
                                                     .node = record.name,
                                                     .pass = record.pass });
    }
}

/* ---- results of lookups are counted in the row of the group ---- */

struct saying {
    struct text group;
    struct counters counters;
    uint64_t revision;
    struct saying *next;
};

static struct saying *saying_of(struct reconciler *reconciler, struct saying **all,
                                struct text group)
{
    struct arena *arena = reconciler->settle_arena;
    struct saying *saying = *all;

    while (saying != NULL && !text_is_equal(saying->group, group)) {
        saying = saying->next;
    }
    if (saying == NULL) {
        saying = arena_one(arena, struct saying);
        saying->group = arena_text(arena, group);
        (void)control_counters_read(arena, reconciler, group, &saying->counters, &saying->revision);
        saying->next = *all;
        *all = saying;
    }
    return saying;
}

/* Clears the absences of a machine that runs. They are no longer evidence (G5). */
static void absence_forget(struct counters *counters, struct text token)
{
    size_t kept = 0;

    for (size_t i = 0; i < counters->absent_count; i++) {
        if (!text_is_equal(counters->absent[i].key, token)) {
            counters->absent[kept++] = counters->absent[i];
        }
    }
    counters->absent_count = kept;
}

/* True if the machine was rebooted after this time. Earlier lookups prove nothing about the time
 * after the reboot. */
static bool is_rebooted_since(const struct reconciler *reconciler, struct text token,
                              uint64_t since_ms)
{
    const struct fleet_machine *machine = fleet_machine_find(reconciler->cluster, token);

    return machine != NULL && machine->rebooted_ms > 0 && machine->rebooted_ms >= since_ms;
}

/* Counts consecutive lookups with the same result. A different result starts a new count, and so
 * does the first result after a reboot. */
static void call_said_note(struct reconciler *reconciler, struct saying *saying,
                           const struct call *call)
{
    struct arena *arena = reconciler->settle_arena;
    struct counters *counters = &saying->counters;
    uint64_t now = reconciler_now(reconciler);
    struct counter *said = NULL;

    for (size_t i = 0; i < counters->lookup_count; i++) {
        said = text_is_equal(counters->said[i].key, call->intent.token) ? &counters->said[i] : said;
    }
    if (said == NULL) {
        struct counter *grown = arena_array(arena, struct counter, counters->lookup_count + 1);

        for (size_t i = 0; i < counters->lookup_count; i++) {
            grown[i] = counters->said[i];
        }
        counters->said = grown;
        said = &grown[counters->lookup_count++];
        said->key = arena_text(arena, call->intent.token);
    }
    if ((said->lookup != call->lookup &&
         !BUG(&reconciler->control->options.limits, BUG_ANSWERS_MIXED)) ||
        is_rebooted_since(reconciler, call->intent.token, said->seen.last_ms)) {
        said->seen = (struct plan_seen){ 0 };
    }
    said->lookup = call->lookup;
    said->seen.first_ms = said->seen.count == 0 ? now : said->seen.first_ms;
    said->seen.last_ms = now;
    said->seen.count++;
    if (call->lookup == PLAN_LOOKUP_RUNNING) {
        absence_forget(counters, call->intent.token);
    }
}

static void sayings_write(struct reconciler *reconciler, struct saying *all)
{
    struct arena *arena = reconciler->settle_arena;

    for (struct saying *saying = all; saying != NULL; saying = saying->next) {
        unit_add(arena, &reconciler->units,
                 control_key(arena, reconciler->cluster, "Control", saying->group, CACHE_STATUS),
                 saying->revision, counters_format(arena, &saying->counters));
    }
}

void reconciler_outcomes_settle(struct reconciler *reconciler)
{
    struct saying *sayings = NULL;
    struct call *call = reconciler->outcomes;

    assert(reconciler->units.count == 0);
    assert(reconciler->settle_arena == NULL);
    reconciler->settle_arena = arena_new_small(SIZE_MAX);
    reconciler->outcomes = NULL;
    while (call != NULL) {
        struct call *next = call->next;
        bool is_current = call->intent.epoch == reconciler->epoch ||
                          !GUARD(&reconciler->control->options.limits, G10);

        if (!is_current || call->kind == CALL_KEY) {
            call_free(call); /* the outcome is unknown, and another pass determines it */
        } else if (call->kind == CALL_FIND) {
            struct saying *saying = call->lookup == PLAN_LOOKUP_NONE
                                        ? NULL
                                        : saying_of(reconciler, &sayings, call->group);

            if (saying != NULL) {
                call_said_note(reconciler, saying, call);
            }
            call_free(call);
        } else if (call->kind == CALL_RESOURCE_DESTROY) {
            volumes_outcome_write(reconciler, call);
            call_free(call);
        } else {
            outcome_write(reconciler, call);
            call_free(call);
        }
        call = next;
    }
    sayings_write(reconciler, sayings);
    probes_settle(reconciler);
    /* results about nodes do not influence decisions */
    reconciler->is_pass_due = reconciler->units.count > 0;
    members_settle(reconciler);
    volumes_settle(reconciler);
    if (reconciler->units.count == 0) {
        arena_free(reconciler->settle_arena);
        reconciler->settle_arena = NULL;
    }
}

bool control_is_calling(const struct control *control, struct text cluster, struct text token)
{
    const struct fleet_cluster *found = fleet_find(control->fleet, cluster);
    const struct reconciler *reconciler = found == NULL ? NULL : found->reconciler;
    const struct call *call = reconciler == NULL ? NULL : reconciler->calls;

    while (call != NULL && !text_is_equal(call->intent.token, token)) {
        call = call->next;
    }
    return call != NULL;
}
