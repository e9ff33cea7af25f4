#include "reconcile/pass_effects.h"

#include "base/limits.h"
#include "reconcile/control_parts.h"
#include "reconcile/reboots.h"
#include "records/pins.h"
#include "records/series.h"

#include <assert.h>
#include <stdio.h>

/* Turns a plan into changed records, with their events and calls. No provider is called here: a
 * call is attached to the write operation whose commit allows it. */

/* ---- records ---- */

struct changing *effects_changing(struct effects *effects, size_t index)
{
    struct pass *pass = effects->pass;
    const struct fleet_machine *machine = effects->reconciler->cluster->machines[index];
    struct changing *changing = effects->changing[index];
    struct err err;
    bool is_read;

    if (changing != NULL) {
        return changing;
    }
    changing = arena_one(pass->arena, struct changing);
    is_read =
        record_parse(pass->arena, pass->world.records[index].token,
                     arena_text(pass->arena, blob_text(machine->bytes)), &changing->record, &err);
    assert(is_read && "a record that cannot be read stops the pass");
    (void)is_read;
    if (pass->is_regenerated[index]) {
        changing->record.plan.generation = pass->world.records[index].generation;
    }
    changing->revision = machine->revision;
    effects->changing[index] = changing;
    return changing;
}

static struct text pass_effects_record_key(struct effects *effects, struct text token)
{
    return control_key(effects->pass->arena, effects->reconciler->cluster, "Resource", token,
                       CACHE_STATUS);
}

static void changing_write(struct effects *effects, const struct changing *changing)
{
    struct pass *pass = effects->pass;
    struct unit *unit;

    if (!changing->is_changed && changing->call == NULL) {
        return;
    }
    if (!changing->is_changed) { /* the intent is already committed, so the call need not wait */
        call_start(changing->call);
        return;
    }
    unit =
        unit_add(pass->arena, &pass->units,
                 pass_effects_record_key(effects, changing->record.plan.token), changing->revision,
                 changing->is_gone ? TEXT("") : record_format(pass->arena, &changing->record));
    unit->event = changing->event;
    unit->call = changing->call;
}

static void record_event(struct effects *effects, struct changing *changing, const char *type,
                         const struct plan_action *action)
{
    changing->event = control_event(effects->pass->arena, effects->reconciler,
                                    &(struct event){
                                        .type = type,
                                        .group = changing->record.plan.group,
                                        .slot = changing->record.plan.slot,
                                        .has_slot = true,
                                        .rule = text_from(plan_rule_name(action->rule)),
                                        .fact = action->fact,
                                        .token = changing->record.plan.token,
                                        .id = changing->record.plan.id,
                                        .node = changing->record.name,
                                        .pass = effects->pass->number,
                                    });
    changing->record.pass = effects->pass->number;
}

/* ---- calls ---- */

/* True for a machine that was never requested: its record was created to destroy it. */
static bool is_older_than_record(const struct record *record)
{
    return record->plan.state == PLAN_RECORD_DELETE &&
           record->plan.created_ms == record->plan.condemned_ms;
}

/* Return the source of the record's machine. NULL: the pass has none. */
static struct source *record_source(const struct effects *effects, const struct record *record)
{
    return pass_source_at(effects->pass, record->plugin, hosts_at(effects->control, record->at));
}

struct call *effects_call_new(struct effects *effects, const struct record *record,
                              enum call_kind kind, struct text reason)
{
    struct reconciler *reconciler = effects->reconciler;
    const struct source *source = record_source(effects, record);
    struct account *account = source == NULL ? NULL : source->account;
    struct call *call;

    if (account == NULL || reconciler->call_count >= LIMIT_CONTROL_CALLS ||
        (kind == CALL_DESTROY &&
         members_must_release(reconciler, record, source->plan.is_disposable))) {
        return NULL;
    }
    call = call_new(reconciler, kind, account);
    call->group = arena_text(call->arena, record->plan.group);
    call->intent = (struct intent){
        .state = record->plan.state,
        .token = arena_text(call->arena, record->plan.token),
        .id = arena_text(call->arena, record->plan.id),
        .cluster = arena_text(call->arena, reconciler->cluster->key),
        .reason = arena_text(call->arena, reason),
        .epoch = reconciler->epoch,
        .created_ms = is_older_than_record(record) ? UINT64_MAX : record->plan.created_ms,
    };
    return call;
}

/* Returns the choice of the group that has this generation. NULL: the generation is no longer
 * desired. */
static const struct fleet_choice *choice_of(const struct fleet_group *group, struct text generation)
{
    for (size_t i = 0; group != NULL && i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, generation)) {
            return &group->choices[i];
        }
    }
    return NULL;
}

static void pass_effects_request_make(struct effects *effects, const struct record *record,
                                      struct call *call)
{
    struct control *control = effects->control;
    const struct fleet_group *group =
        fleet_group_find(effects->reconciler->cluster, record->plan.group);
    const struct fleet_choice *choice = choice_of(group, record->plan.generation);
    struct arena *arena = call->arena;

    call->request = (struct provider_request){
        .tags = {
            .cluster = call->intent.cluster,
            .life = arena_text(arena, record->life),
            .group = call->group,
            .slot = record->plan.slot,
            .token = call->intent.token,
        },
        .zone = arena_text(arena, record->plan.zone),
    };
    control_stamp(control, arena, &call->request.tags);
    if (choice != NULL) {
        call->request.properties = arena_text(arena, choice->properties);
        call->request.labels = arena_text(arena, group->labels);
        call->request.more = arena_text(arena, group->more);
        call->request.pins =
            pins_read(arena, control->cache, effects->reconciler->cluster->tenant,
                      effects->reconciler->cluster->id, group->plan.path, choice->generation);
        call->request.name = arena_text(
            arena, naming_format(effects->pass->arena, &group->affix, record->plan.slot));
    }
}

/* Get the lines of authorized_keys for machines of a plugin. Returns false while the keys are being
 * created; a pass follows. The keys do not define a machine: existing machines are not changed
 * (X8). */
static bool pass_effects_keys_have(const struct effects *effects, struct text plugin,
                                   struct text *out)
{
    const struct control_ports *ports = &effects->control->ports;

    *out = TEXT("");
    return ports->keys == NULL ||
           ports->keys(ports->arg, effects->reconciler->cluster->key, plugin, out);
}

static void create_call(struct effects *effects, struct changing *changing, struct text reason)
{
    struct text keys;

    if (!pass_effects_keys_have(effects, changing->record.plugin, &keys)) {
        return; /* a later pass makes the call */
    }
    changing->call = effects_call_new(effects, &changing->record, CALL_CREATE, reason);
    if (changing->call != NULL) {
        pass_effects_request_make(effects, &changing->record, changing->call);
        changing->call->request.keys = arena_text(changing->call->arena, keys);
        changing->record.is_asked = !record_source(effects, &changing->record)->plan.has_tokens;
    }
}

/* ---- actions ---- */

/* Draw the next token in the series of this epoch. The cluster's counters record the series. */
static void token_draw(struct effects *effects, char out[static SERIES_TOKEN_TEXT])
{
    const struct control_ports *ports = &effects->control->ports;
    struct reconciler *reconciler = effects->reconciler;
    struct pass *pass = effects->pass;
    unsigned char luck[SERIES_BYTES];

    if (reconciler->series_last == 0 || reconciler->series_last == UINT32_MAX) {
        ports->random(ports->arg, reconciler->series, sizeof(reconciler->series));
        reconciler->series_last = 0;
    }
    ports->random(ports->arg, luck, sizeof(luck));
    series_token_format(reconciler->series, ++reconciler->series_last, luck, out);
    series_note(pass->arena, &pass->cluster_counters, reconciler->series, reconciler->series_last,
                pass->world.now_ms);
    pass->is_tallied |= GUARD(&effects->control->options.limits, G18);
}

/* Moves the accumulated failures of a slot to its next record. */
static void go_on(const struct plan_record *before, struct plan_record *out)
{
    out->failures = before->failures;
    out->losses = before->losses;
    out->refusals = before->id.length == 0 ? before->refusals : 0;
}

static void record_begin(struct effects *effects, const struct plan_action *action,
                         const struct plan_row *row)
{
    struct pass *pass = effects->pass;
    struct control *control = effects->control;
    const struct fleet_group *group = fleet_group_find(effects->reconciler->cluster, action->group);
    struct changing *changing = arena_one(pass->arena, struct changing);
    struct text keys;
    char token[SERIES_TOKEN_TEXT];

    /* Without the keys no call can be made. If a record were written without a call, it would be
     * unknown whether the machine was requested. */
    if (action->act == PLAN_ACT_CREATE && group != NULL &&
        !pass_effects_keys_have(effects, group->choices[action->choice].plugin, &keys)) {
        return;
    }
    token_draw(effects, token);
    changing->is_changed = true;
    changing->record = (struct record){
        .plan = {
            .token = action->act == PLAN_ACT_ADOPT ? row->token
                                                   : arena_text(pass->arena, text_from(token)),
            .group = action->group,
            .slot = action->slot,
            .generation = group == NULL ? TEXT("") : group->choices[action->choice].generation,
            .labels = group == NULL || row != NULL ? TEXT("") : group->plan.labels,
            .zone = action->zone,
            .id = row == NULL ? TEXT("") : row->id,
            .created_ms = pass->world.now_ms,
        },
        .plugin = row == NULL ? group->choices[action->choice].plugin
                              : pass->sources[row->source].plugin,
        .at = row == NULL ? hosts_choose(pass, group->choices[action->choice].plugin, action->group)
                          : hosts_at_of(pass, &pass->sources[row->source]),
        .image = group == NULL
                     ? TEXT("")
                     : record_sentence(pass->arena, group->choices[action->choice].image),
        .name = group == NULL ? TEXT("")
                              : naming_format(pass->arena, &group->affix, action->slot),
        .life = text_from(control->life),
        .reason = text_from(plan_rule_name(action->rule)),
        .made_wall_ms = control->ports.wall_ms(control->ports.arg),
    };
    if (action->act == PLAN_ACT_CREATE) {
        if (action->record != PLAN_NONE) {
            go_on(&pass->world.records[action->record], &changing->record.plan);
            effects->is_continued[action->record] = true;
        }
        record_event(effects, changing, "machine.wanted", action);
        create_call(effects, changing, changing->record.reason);
    } else if (action->act == PLAN_ACT_ADOPT) {
        changing->record.plan.state = PLAN_RECORD_ACTIVE;
        changing->record.plan.active_ms = pass->world.now_ms;
        record_reach_take(&changing->record, pass->rows[action->row]);
        record_event(effects, changing, "machine.adopted", action);
        /* To destroy an unrecorded machine (I2), create a record with a new token (I7). */
    } else {
        changing->record.plan.state = PLAN_RECORD_DELETE;
        changing->record.plan.condemned_ms = pass->world.now_ms;
        record_event(effects, changing, "machine.condemned", action);
        changing->call =
            effects_call_new(effects, &changing->record, CALL_DESTROY, changing->record.reason);
    }
    changing_write(effects, changing);
}

/* Replaces the call that this pass has planned for the machine by a destroy call. */
static void call_replace(struct changing *changing, struct call *call)
{
    if (changing->call != NULL) {
        call_free(changing->call);
    }
    changing->call = call;
}

static void record_condemn(struct effects *effects, const struct plan_action *action)
{
    struct changing *changing = effects_changing(effects, action->record);
    struct record *record = &changing->record;

    assert(record->plan.state != PLAN_RECORD_DELETE ||
           !GUARD(&effects->control->options.limits, G14));
    record->plan.state = PLAN_RECORD_DELETE;
    record->plan.condemned_ms = effects->pass->world.now_ms;
    /* The provider reports that the machine has ended, so no destroy call is needed. */
    record->plan.is_answered = action->rule == PLAN_RULE_ended && record->plan.id.length == 0;
    record->plan.call_after_ms = 0;
    record->reason = text_from(plan_rule_name(action->rule));
    record->plan.failures += action->rule == PLAN_RULE_failed ||
                             action->rule == PLAN_RULE_unfinished || record->plan.is_answered;
    record->plan.losses += action->rule == PLAN_RULE_failed || action->rule == PLAN_RULE_stopped ||
                           record->plan.is_answered || action->rule == PLAN_RULE_unhealthy ||
                           action->rule == PLAN_RULE_unfinished;
    record->plan.is_evicted =
        action->row != PLAN_NONE && effects->pass->world.rows[action->row].is_evicted;
    /* if there was no machine, the refusals of the slot are counted on */
    if (record->plan.id.length > 0) {
        record->fault = PROVIDER_FAULT_NONE;
        record->plan.refusals = 0;
    }
    changing->is_changed = true;
    record_event(effects, changing, "machine.condemned", action);
    if (record->plan.id.length > 0) {
        call_replace(changing, effects_call_new(effects, record, CALL_DESTROY, record->reason));
    }
}

/* True if a create call was decided and never sent. */
static bool is_unsent(const struct effects *effects, const struct plan_record *plan)
{
    const struct fleet_machine *machine =
        fleet_machine_find(effects->reconciler->cluster, plan->token);

    return machine != NULL && machine->is_unsent;
}

/* Repeats a create call that was refused, or that had an unknown outcome. The repetition is
 * recorded first, so that the next lease holder knows that a machine may still appear. */
static void record_ask(struct effects *effects, struct changing *changing)
{
    struct plan_record *plan = &changing->record.plan;

    create_call(effects, changing, changing->record.reason);
    if (changing->call == NULL) {
        return;
    }
    if (plan->is_answered) {
        plan->is_answered = false;
    } else if (!is_unsent(effects, plan)) {
        plan->doubt_ms = effects->pass->world.now_ms;
    }
    changing->is_changed = true;
}

/* Writes since when the outcomes of create calls are unknown (pass_world.c), so that the waiting
 * time does not start again in each pass. */
static void doubts_write(struct effects *effects)
{
    const struct pass *pass = effects->pass;

    for (size_t i = 0; i < pass->world.record_count; i++) {
        const struct fleet_machine *machine = pass->reconciler->cluster->machines[i];

        if (pass->world.records[i].doubt_ms != machine->doubt_ms) {
            struct changing *changing = effects_changing(effects, i);

            changing->record.plan.doubt_ms = pass->world.records[i].doubt_ms;
            changing->record.is_asked = false;
            changing->is_changed = true;
        }
    }
}

static void label_call(struct effects *effects, struct changing *changing)
{
    const struct fleet_group *group =
        fleet_group_find(effects->reconciler->cluster, changing->record.plan.group);
    struct call *call = effects_call_new(effects, &changing->record, CALL_LABEL, TEXT("labels"));

    if (call != NULL && group != NULL) {
        call->labels = fleet_labels_of(call->arena, group, changing->record.plugin,
                                       changing->record.plan.generation);
        call->labels_digest = arena_text(call->arena, group->plan.labels);
    }
    changing->call = call;
}

/* Change the token of a record: a deliberate bug for the simulator. */
static void token_redraw(struct effects *effects, struct changing *changing)
{
    struct pass *pass = effects->pass;
    char token[SERIES_TOKEN_TEXT];

    unit_add(pass->arena, &pass->units,
             pass_effects_record_key(effects, changing->record.plan.token), changing->revision,
             TEXT(""));
    token_draw(effects, token);
    changing->record.plan.token = arena_text(pass->arena, text_from(token));
    changing->revision = 0;
    changing->is_changed = true;
}

/* Activates the record of a machine that runs. If the group has a probe, the machine is probed from
 * now on, and becomes ready when a probe succeeds. */
static void record_activate(struct effects *effects, struct changing *changing,
                            const struct plan_action *action)
{
    const struct pass *pass = effects->pass;
    struct record *record = &changing->record;

    record->plan.state = PLAN_RECORD_ACTIVE;
    record->plan.active_ms = pass->world.now_ms;
    record_reach_take(record, pass->rows[action->row]);
    record->fault = PROVIDER_FAULT_NONE;
    record->cause = TEXT("");
    record->plan.refusals = 0;
    record->plan.is_starting = pass_is_probed(pass, record->plan.group);
    if (!record->plan.is_starting) {
        record_serve(record);
    }
    changing->is_changed = true;
    record_event(effects, changing, record->plan.is_starting ? "machine.running" : "machine.ready",
                 action);
}

/* Reboots a machine. The reboot counts as complete as soon as the call may have taken effect. */
static void record_reboot(struct effects *effects, struct changing *changing,
                          const struct plan_action *action)
{
    changing->call = effects_call_new(effects, &changing->record, CALL_REBOOT, TEXT("reboot"));
    if (changing->call != NULL) {
        changing->record.plan.rebooted_ms = effects->pass->world.now_ms;
        changing->is_changed = true;
        record_event(effects, changing, "machine.rebooting", action);
    }
}

/* Makes the call of a requested reboot. If the provider cannot reboot machines, the marker in the
 * record makes reboots.c reboot the machine over SSH. */
static void requested_reboot_call(struct effects *effects, struct changing *changing)
{
    const struct source *source = record_source(effects, &changing->record);
    struct fleet_machine *machine =
        fleet_machine_find(effects->reconciler->cluster, changing->record.plan.token);

    if (source == NULL || changing->call != NULL ||
        members_is_staging(effects->reconciler, changing->record.plan.token)) {
        return; /* stages that are running finish first */
    }
    if (source->plan.can_reboot) {
        changing->call = effects_call_new(effects, &changing->record, CALL_REBOOT, TEXT("reboot"));
        if (changing->call == NULL) {
            return;
        }
    }
    changing->record.plan.rebooted_ms = effects->pass->world.now_ms;
    changing->is_changed = true;
    if (machine != NULL) {
        machine->is_reboot_unsent = false;
    }
}

/* Begins a requested reboot. If reeve logs in to the machine, the boot id of the machine is read
 * before any call. Stages that are running finish first. */
static void requested_reboot_begin(struct effects *effects, struct changing *changing,
                                   const struct plan_action *action)
{
    struct pass *pass = effects->pass;
    struct record *record = &changing->record;
    struct pass_commands commands = pass_words_read(pass, record->plan.group);
    struct reboot_request request = reboots_request_of(commands.reboot, record->plan.token);
    struct plan_action reported = *action;

    if (request.number <= record->reboot_number ||
        members_is_staging(effects->reconciler, record->plan.token)) {
        return;
    }
    record_reboot_begin(record, pass->world.now_ms, request.number,
                        record_sentence(pass->arena, request.by));
    if (!reboots_logs_in(effects->control, record->plugin)) {
        requested_reboot_call(effects, changing);
    }
    changing->is_changed = true;
    reported.fact = record_reboot_cause(pass->arena, record);
    record_event(effects, changing, "machine.rebooting", &reported);
}

static void record_reboot_act(struct effects *effects, struct changing *changing,
                              const struct plan_action *action)
{
    if (action->rule != PLAN_RULE_reboot_asked) {
        record_reboot(effects, changing, action);
    } else if (plan_is_rebooting(&effects->pass->world.records[action->record])) {
        requested_reboot_call(effects, changing);
    } else {
        requested_reboot_begin(effects, changing, action);
    }
}

/* Write that requested reboots are overdue. From then on probes determine the state of the
 * machine. */
static void reboots_overdue_write(struct effects *effects)
{
    struct pass *pass = effects->pass;
    const struct plan_limits *limits = &effects->control->options.limits;

    for (size_t i = 0; i < pass->world.record_count; i++) {
        const struct plan_record *plan = &pass->world.records[i];
        const struct plan_source *source = &pass->world.sources[plan->source];
        struct plan_action reported = { .rule = PLAN_RULE_reboot_asked };
        struct changing *changing;
        struct text why;

        if (plan->state != PLAN_RECORD_ACTIVE || !plan_is_rebooting(plan) ||
            pass->world.now_ms < plan_reboot_deadline(limits, source, plan) ||
            (effects->changing[i] != NULL && effects->changing[i]->is_changed)) {
            continue;
        }
        changing = effects_changing(effects, i);
        why = reboots_why(effects->reconciler, pass->arena, plan->token);
        reported.fact = record_sentence(
            pass->arena,
            arena_printf(pass->arena, "%.*s: the machine %s within %llu s%s%.*s",
                         TEXT_ARG(record_reboot_cause(pass->arena, &changing->record)),
                         plan_reboot_is_called(plan) ? "did not come back" : "was not rebooted",
                         (unsigned long long)((pass->world.now_ms - plan->reboot_begun_ms) / 1000),
                         why.length > 0 ? "; " : "", TEXT_ARG(why)));
        changing->record.plan.is_reboot_late = true;
        changing->record.cause = reported.fact;
        if (why.length > 0) {
            changing->record.plan.unreachable_since_ms = pass->world.now_ms;
        }
        changing->is_changed = true;
        record_event(effects, changing, "machine.reboot_failed", &reported);
    }
}

static void record_act(struct effects *effects, const struct plan_action *action)
{
    const struct pass *pass = effects->pass;
    struct changing *changing = effects_changing(effects, action->record);
    struct record *record = &changing->record;

    switch (action->act) {
    case PLAN_ACT_SET_ID:
        record->plan.id = pass->world.rows[action->row].id;
        record->plan.is_answered = record->plan.state == PLAN_RECORD_CREATE;
        changing->is_changed = true;
        record_event(effects, changing, "machine.found", action);
        break;
    case PLAN_ACT_ACTIVATE:
        record_activate(effects, changing, action);
        break;
    case PLAN_ACT_FORGET:
        changing->is_changed = true;
        changing->is_gone = true;
        record_event(effects, changing, "machine.gone", action);
        break;
    case PLAN_ACT_CONFIRM:
        changing->call = effects_call_new(effects, record, CALL_FIND, TEXT("confirm"));
        break;
    case PLAN_ACT_TERMINATE:
        call_replace(changing, effects_call_new(effects, record, CALL_DESTROY, record->reason));
        if (BUG(&effects->control->options.limits, BUG_FORGET_EARLY)) {
            changing->is_changed = changing->is_gone = true;
        }
        break;
    case PLAN_ACT_ASK:
        if (BUG(&effects->control->options.limits, BUG_TOKEN_REDRAWN)) {
            token_redraw(effects, changing);
        }
        record_ask(effects, changing);
        break;
    case PLAN_ACT_MOVE:
        record->plan.group = action->group;
        changing->is_changed = true;
        record_event(effects, changing, "machine.moved", action);
        break;
    case PLAN_ACT_LABEL:
        /* if there is another call, the next pass does this if the machine still exists */
        if (changing->call == NULL) {
            label_call(effects, changing);
        }
        break;
    case PLAN_ACT_REBOOT:
        record_reboot_act(effects, changing, action);
        break;
    case PLAN_ACT_NOTE:
    case PLAN_ACT_ADOPT:
    case PLAN_ACT_DESTROY:
    case PLAN_ACT_CREATE:
        assert(false && "done by another manager");
        break;
    }
}

/* ---- the markers outdated and blocked ---- */

bool pass_is_outdated(const struct pass *pass, size_t index)
{
    const struct plan_record *record = &pass->world.records[index];
    const struct fleet_group *group = fleet_group_find(pass->reconciler->cluster, record->group);

    if (record->state != PLAN_RECORD_ACTIVE || record->is_starting || group == NULL) {
        return false;
    }
    return choice_of(group, record->generation) == NULL ||
           (members_is_unknown(pass->reconciler)
                ? pass->reconciler->cluster->machines[index]->is_outdated
                : members_is_outdated(pass->reconciler, record->token));
}

bool pass_is_blocked(const struct pass *pass, size_t index)
{
    const struct plan_record *record = &pass->world.records[index];
    const struct node_state *state;
    unsigned tries;

    if (record->state != PLAN_RECORD_ACTIVE) { /* a refused record has its own state */
        return record->state == PLAN_RECORD_CREATE && record->refusals > 0 &&
               record->fault == PLAN_FAULT_NONE && record->id.length == 0;
    }
    return members_is_unknown(pass->reconciler)
               ? pass->reconciler->cluster->machines[index]->is_blocked
               : members_blocked(pass->reconciler, record->token, &state, &tries);
}

static void marks_write(struct effects *effects)
{
    const struct pass *pass = effects->pass;

    for (size_t i = 0; i < pass->world.record_count; i++) {
        const struct fleet_machine *machine = pass->reconciler->cluster->machines[i];
        bool is_outdated = pass_is_outdated(pass, i);
        bool is_blocked = pass_is_blocked(pass, i);

        bool is_homeless = hosts_must_write(pass, i);

        if (is_outdated != machine->is_outdated || is_blocked != machine->is_blocked ||
            is_homeless) {
            struct changing *changing = effects_changing(effects, i);

            if (is_homeless) {
                changing->record.at = effects->control->options.manager.id;
            }

            changing->record.is_outdated = is_outdated;
            changing->record.is_blocked = is_blocked;
            changing->is_changed = true;
        }
    }
}

/* ---- converting the plan ---- */

static bool is_unasked(enum plan_rule rule)
{
    return rule == PLAN_RULE_unhealthy || rule == PLAN_RULE_orphan;
}

static void action_effect(struct effects *effects, const struct plan_action *action)
{
    struct pass *pass = effects->pass;

    if (!pass_budget_may(pass, action)) {
        return;
    }
    pass->acts |= action->act != PLAN_ACT_NOTE;
    switch (action->act) {
    case PLAN_ACT_NOTE:
        if (action->rule == PLAN_RULE_believed) {
            effects_belief_note(effects, action);
        } else if (action->record != PLAN_NONE) {
            effects_absence_note(effects, action);
        } else {
            effects_sighting_note(effects, action);
        }
        break;
    case PLAN_ACT_DESTROY:
        if (is_unasked(action->rule)) {
            effects_budget_spend(effects);
        }
        if (action->record != PLAN_NONE) {
            record_condemn(effects, action);
        } else {
            record_begin(effects, action, &pass->world.rows[action->row]);
        }
        break;
    case PLAN_ACT_ADOPT:
        record_begin(effects, action, &pass->world.rows[action->row]);
        break;
    case PLAN_ACT_CREATE:
        record_begin(effects, action, NULL);
        break;
    case PLAN_ACT_SET_ID:
    case PLAN_ACT_ACTIVATE:
    case PLAN_ACT_FORGET:
    case PLAN_ACT_CONFIRM:
    case PLAN_ACT_TERMINATE:
    case PLAN_ACT_ASK:
    case PLAN_ACT_MOVE:
    case PLAN_ACT_LABEL:
    case PLAN_ACT_REBOOT:
        record_act(effects, action);
        break;
    }
}

void pass_effects_make(struct pass *pass)
{
    struct effects effects = {
        .pass = pass,
        .reconciler = pass->reconciler,
        .control = pass->reconciler->control,
        .changing = arena_array(pass->arena, struct changing *, pass->world.record_count),
        .is_continued = arena_array(pass->arena, bool, pass->world.record_count),
    };

    members_release_revoke(pass->reconciler);
    effects_absences_drop(&effects);
    for (size_t i = 0; i < pass->world.record_count; i++) {
        if (pass->is_regenerated[i]) {
            effects_changing(&effects, i)->is_changed = true;
        }
    }
    doubts_write(&effects);
    for (size_t i = 0; i < pass->plan.action_count; i++) {
        action_effect(&effects, &pass->plan.actions[i]);
    }
    /* A create that a budget delays does not continue the record. The failures are kept then. */
    for (size_t i = 0; i < pass->plan.action_count; i++) {
        const struct plan_action *action = &pass->plan.actions[i];

        if (action->act == PLAN_ACT_FORGET && effects.changing[action->record]->is_gone) {
            effects_losses_note(&effects, action);
        }
    }
    pass_budgets_end(pass);
    reboots_overdue_write(&effects);
    effects_host_keys_take(&effects);
    marks_write(&effects);
    effects_counts_write(&effects);
    for (size_t i = 0; i < pass->world.record_count; i++) {
        if (effects.changing[i] != NULL) {
            changing_write(&effects, effects.changing[i]);
        }
    }
}
