#include "base/limits.h"
#include "base/sort.h"
#include "codec/json.h"
#include "reconcile/control_parts.h"
#include "reconcile/reboots.h"
#include "records/commands.h"
#include "records/series.h"

#include <assert.h>
#include <string.h>

/* public names start with: pass_ control_ */

/* Makes the world of one pass from the record cache, the counters, the operator commands and the
 * providers' listings. The world is built and used within one callback of the event loop, so its
 * texts are borrowed. */

struct making {
    struct pass *pass;
    struct reconciler *reconciler;
    const struct fleet_cluster *cluster;
    struct control *control;
};

static uint32_t source_index(const struct pass *pass, struct text plugin)
{
    const struct source *source = pass_source_find(pass, plugin);

    assert(source != NULL && "every plugin was listed");
    return (uint32_t)(source - pass->sources);
}

static void pass_world_sources_make(struct making *making)
{
    struct pass *pass = making->pass;

    pass->plan_sources = arena_array(pass->arena, struct plan_source, pass->source_count);
    for (size_t i = 0; i < pass->source_count; i++) {
        pass->plan_sources[i] = pass->sources[i].plan;
    }
    pass->world.sources = pass->plan_sources;
    pass->world.source_count = pass->source_count;
}

/* ---- operator commands ---- */

static const struct cache_object *pass_world_spec_find(struct making *making, const char *kind,
                                                       struct text rest)
{
    struct pass *pass = making->pass;
    struct text id = rest.length == 0 ? making->cluster->id
                                      : arena_printf(pass->arena, "%.*s/%.*s",
                                                     TEXT_ARG(making->cluster->id), TEXT_ARG(rest));
    const struct cache_object *object =
        cache_find(making->control->cache, making->cluster->tenant, text_from(kind), id);

    return object == NULL || object->parts[CACHE_SPEC].bytes == NULL ? NULL : object;
}

/* True if an operator has given this answer to a hold. */
static bool has_said(struct making *making, enum plan_rule rule, struct text group,
                     const char *command)
{
    struct text rest = text_from(plan_rule_name(rule));

    if (group.length > 0) {
        rest = arena_printf(making->pass->arena, "%.*s/%.*s", TEXT_ARG(rest), TEXT_ARG(group));
    }
    return commands_has(pass_world_spec_find(making, "Hold", rest), command);
}

/* Return the observation for which an operator has approved a hold. Empty: there is no approval
 * (G20). */
static struct text approved_of(struct making *making, enum plan_rule rule, struct text group)
{
    struct arena *arena = making->pass->arena;
    struct text rest = text_from(plan_rule_name(rule));
    struct text observation;

    if (group.length > 0) {
        rest = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(rest), TEXT_ARG(group));
    }
    (void)commands_approved(arena, pass_world_spec_find(making, "Hold", rest), &observation);
    return observation;
}

/* Return the approved number of failures of the desired generation. The observation is
 * GENERATION/FAILURES. */
static uint32_t fails_approved_of(struct making *making, const struct plan_group *group)
{
    struct text approved = approved_of(making, PLAN_RULE_roll_failed, group->path);
    struct text number = text_slice(approved, group->generation.length + 1, SIZE_MAX);
    int64_t count = 0;

    return approved.length > group->generation.length + 1 &&
                   text_has_prefix(approved, group->generation) &&
                   approved.data[group->generation.length] == '/' &&
                   text_parse_int64(number, &count) && count > 0 && count < UINT32_MAX
               ? (uint32_t)count
               : 0;
}

/* Add this manager's suspicion of its own network to the world, unless an operator has approved
 * exactly this observation (G17, G20). */
static void suspicion_lay(struct making *making)
{
    const struct suspicion *suspicion = &making->control->suspicion;
    struct pass *pass = making->pass;
    struct text name;

    if (making->reconciler->health == NULL) {
        return;
    }
    if (suspicion->ended_ms > 0) {
        uint64_t ago_ms =
            making->control->ports.now_ms(making->control->ports.arg) - suspicion->ended_ms;

        pass->world.contact_since_ms =
            pass->world.now_ms > ago_ms ? pass->world.now_ms - ago_ms : 1;
    }
    if (!suspicion->is_on) {
        return;
    }
    name = suspicion_name(making->control, pass->arena);
    if (text_is_equal(approved_of(making, PLAN_RULE_self_suspicion, TEXT("")), name)) {
        return;
    }
    pass->world.contact_lost = suspicion->lost;
    pass->world.contact_of = suspicion->of;
    pass->world.contact_name = name;
}

/* True if any group of the cluster has operator commands. Most clusters have none, and then the
 * lookup for each group is skipped. */
static bool has_pass_world_words(struct making *making, const char *kind)
{
    struct text prefix =
        arena_printf(making->pass->arena, "/%.*s/%s/%.*s/", TEXT_ARG(making->cluster->tenant), kind,
                     TEXT_ARG(making->cluster->id));

    return cache_first(making->control->cache, prefix) != NULL;
}

static struct plan_choice *alternatives_make(struct making *making, const struct fleet_group *group)
{
    struct plan_choice *out = fleet_alternatives(making->pass->arena, group);

    for (size_t i = 1; i < group->choice_count; i++) {
        out[i - 1].source = source_index(making->pass, group->choices[i].plugin);
    }
    return out;
}

/* Marks a record for replacement. This pass writes the marker. The record then remains outdated,
 * regardless of later operator commands. */
static void record_replace_mark(struct pass *pass, struct plan_record *record, size_t index)
{
    if (record->state == PLAN_RECORD_ACTIVE && !record->is_replace_requested) {
        record->generation = record_replaced_generation(pass->arena, record->generation);
        record->is_replace_requested = true;
        pass->is_regenerated[index] = true;
    }
}

/* Mark the machines of a group that an operator wants to be replaced. */
static void records_replace(struct making *making, const struct fleet_group *group,
                            const struct pass_commands *commands, struct plan_record *records)
{
    const struct doc *tokens = doc_child(commands->replace, "tokens");
    const struct doc *spared = doc_child(commands->replace, "except");
    bool *is_spared = NULL;
    uint64_t until_ms = pass_words_replace_until(commands);

    for (size_t i = 0; doc_is_list(tokens) && i < tokens->item_count; i++) {
        const struct fleet_machine *machine =
            fleet_machine_find(making->cluster, tokens->items[i].text);

        if (machine != NULL && text_is_equal(records[machine->index].group, group->plan.path)) {
            record_replace_mark(making->pass, &records[machine->index], machine->index);
        }
    }
    if (until_ms == 0) {
        return;
    }
    is_spared = arena_array(making->pass->arena, bool, making->cluster->count);
    for (size_t i = 0; doc_is_list(spared) && i < spared->item_count; i++) {
        const struct fleet_machine *machine =
            fleet_machine_find(making->cluster, spared->items[i].text);

        if (machine != NULL) {
            is_spared[machine->index] = true;
        }
    }
    for (size_t i = 0; i < making->cluster->count; i++) {
        if (!is_spared[i] && text_is_equal(records[i].group, group->plan.path) &&
            records[i].created_ms <= until_ms) {
            record_replace_mark(making->pass, &records[i], i);
        }
    }
}

/* Marks the machines of a group that an operator wants to be rebooted. If the reboot of a machine
 * has begun, its record has the number of the request. */
static void records_reboot(struct making *making, const struct fleet_group *group,
                           const struct pass_commands *commands, struct plan_record *records)
{
    struct reboot_request request;
    size_t at = 0;

    while (reboots_request_next(commands->reboot, &at, &request)) {
        for (size_t i = 0; i < request.tokens->item_count; i++) {
            const struct fleet_machine *machine =
                fleet_machine_find(making->cluster, request.tokens->items[i].text);
            struct plan_record *record = machine == NULL ? NULL : &records[machine->index];

            if (record != NULL && record->state == PLAN_RECORD_ACTIVE &&
                text_is_equal(record->group, group->plan.path) &&
                request.number > machine->reboot_number) {
                record->is_reboot_requested = true;
            }
        }
    }
}

/* Read the operator commands about single machines of a group. */
static void records_say(struct making *making, const struct fleet_group *group,
                        const struct pass_commands *commands, struct plan_record *records)
{
    const struct fleet_cluster *cluster = making->cluster;

    records_replace(making, group, commands, records);
    records_reboot(making, group, commands, records);
    if (commands->retry_revision == 0 && commands->victims == NULL) {
        return;
    }
    for (size_t i = 0; i < cluster->count; i++) {
        if (text_is_equal(records[i].group, group->plan.path)) {
            records[i].is_retried |= cluster->machines[i]->revision < commands->retry_revision;
            records[i].is_named = pass_words_name(making->pass, commands, group, &records[i]);
        }
    }
}

/* Return the number of failed machines of the desired generation whose records are removed. */
static uint32_t fails_forgotten_of(struct making *making, const struct plan_group *group)
{
    struct counters counters;
    uint64_t revision = 0;
    const struct counter *counter;

    (void)control_counters_read(making->pass->arena, making->reconciler, group->path, &counters,
                                &revision);
    counter = counter_find(counters.failed, counters.failed_count, group->generation);
    return counter == NULL ? 0 : counter->seen.count;
}

static void slots_lay(struct making *making, struct plan_group *group)
{
    struct members_slots slots =
        members_slots_of(making->reconciler, making->pass->arena, group->path);

    group->slots_waiting = slots.waiting;
    group->slots_stopped = slots.stopped;
    group->slots_observation = slots.observation;
}

/* Remove the fields that a plugin changes in place from the generation of a group. The provider of
 * the plugin, which is known now, declares these fields. */
static void group_reduce(struct pass *pass, struct fleet_group *group)
{
    for (size_t i = 0; i < group->choice_count; i++) {
        const struct source *source = pass_source_find(pass, group->choices[i].plugin);

        if (source != NULL && source->provider != NULL) {
            fleet_choice_reduce(
                pass->reconciler->cluster->memory, group, i, source->provider->traits.in_place,
                source->provider->traits.in_place_count, source->provider->traits.sends_in_place);
        }
    }
}

/* Rewrites generations that an earlier version of reeve computed, which include the fields that
 * plugins change in place. The machines are not changed. */
static void records_regenerate(struct pass *pass, const struct fleet_group *group,
                               struct plan_record *records)
{
    for (size_t i = 0; i < group->choice_count; i++) {
        const struct fleet_choice *choice = &group->choices[i];

        for (size_t j = 0; choice->former.length > 0 && j < pass->world.record_count; j++) {
            if (text_is_equal(records[j].group, group->plan.path) &&
                text_is_equal(records[j].generation, choice->former) &&
                !text_is_equal(choice->former, choice->generation)) {
                records[j].generation = choice->generation;
                pass->is_regenerated[j] = true;
            }
        }
    }
}

static struct plan_group *pass_world_groups_make(struct making *making, struct plan_record *records)
{
    struct pass *pass = making->pass;
    struct fleet_cluster *cluster = making->reconciler->cluster;
    struct plan_group *groups = arena_array(pass->arena, struct plan_group, cluster->group_count);
    struct pass_commands whole = pass_words_read(pass, TEXT(""));
    bool has_controls = has_pass_world_words(making, "Control");
    bool has_holds = has_pass_world_words(making, "Hold");

    pass->is_regenerated = arena_array(pass->arena, bool, cluster->count);
    for (size_t i = 0; i < cluster->group_count; i++) {
        struct fleet_group *group = &cluster->groups[i];
        struct pass_commands commands = { 0 };

        group_reduce(pass, group);
        records_regenerate(pass, group, records);
        if (has_controls) {
            commands = pass_words_read(pass, group->plan.path);
        }
        commands.retry_revision = commands.retry_revision > whole.retry_revision
                                      ? commands.retry_revision
                                      : whole.retry_revision;
        groups[i] = group->plan;
        groups[i].fails_forgotten = has_controls ? fails_forgotten_of(making, &group->plan) : 0;
        groups[i].source = source_index(pass, group->choices[0].plugin);
        groups[i].alternatives = alternatives_make(making, group);
        groups[i].alternative_count = group->choice_count - 1;
        groups[i].is_paused = commands.is_paused;
        groups[i].roll = commands.roll > whole.roll ? commands.roll : whole.roll;
        if (has_holds) {
            groups[i].brake_approved = approved_of(making, PLAN_RULE_listing_brake, groups[i].path);
            groups[i].fails_approved = fails_approved_of(making, &groups[i]);
        }
        slots_lay(making, &groups[i]);
        records_say(making, group, &commands, records);
        commands_fails_accept(commands.replace, records, cluster->count, &groups[i]);
    }
    volumes_lay(pass, groups, cluster->group_count);
    pass->world.groups = groups;
    pass->world.group_count = cluster->group_count;
    pass->world.is_gone = !cluster->is_there;
    pass->world.is_deleting = whole.is_deleting;
    pass->world.is_paused = whole.is_paused;
    if (has_holds) {
        pass->world.brake_approved = approved_of(making, PLAN_RULE_listing_brake, TEXT(""));
    }
    return groups;
}

/* ---- counters ---- */

enum counter_kind { COUNTER_ABSENT, COUNTER_SAID, COUNTER_BELIEVED };

/* Adds a counter to its record. A row of counters applies to its group only: counts from before a
 * rename of the group are dropped. */
static void counter_lay(struct making *making, struct plan_record *records, struct text group,
                        const struct counters *row, enum counter_kind kind)
{
    const struct counter *lists[] = { row->absent, row->said, row->believed };
    const size_t counts[] = { row->absent_count, row->lookup_count, row->believed_count };
    const struct counter *counters = lists[kind];
    size_t count = counts[kind];

    for (size_t i = 0; i < count; i++) {
        const struct fleet_machine *machine = fleet_machine_find(making->cluster, counters[i].key);

        if (machine == NULL || !text_is_equal(records[machine->index].group, group)) {
            /* the record was removed since; the next write of the row omits the counter */
            continue;
        }
        if (kind == COUNTER_BELIEVED) {
            records[machine->index].is_believed = true;
        } else if (kind == COUNTER_SAID) {
            records[machine->index].lookup = counters[i].lookup;
            records[machine->index].looked_up = counters[i].seen;
            making->pass->failures += counters[i].lookup == PLAN_LOOKUP_STOPPED;
        } else {
            records[machine->index].absence = counters[i].seen;
        }
    }
}

static void counters_lay(struct making *making, struct plan_record *records)
{
    struct pass *pass = making->pass;
    const struct fleet_cluster *cluster = making->cluster;
    struct text prefix = arena_printf(pass->arena, "/%.*s/Control/%.*s/", TEXT_ARG(cluster->tenant),
                                      TEXT_ARG(cluster->id));
    const struct cache_object *row;

    for (row = cache_first(making->control->cache, prefix); row != NULL;
         row = cache_next(making->control->cache, prefix, row)) {
        struct text group = text_slice(cache_id(row), cluster->id.length + 1, cache_id(row).length);
        struct counters counters;
        uint64_t revision = 0;

        (void)control_counters_read(pass->arena, making->reconciler, group, &counters, &revision);
        reconciler_clock_raise(making->reconciler, counters_latest(&counters));
        counter_lay(making, records, group, &counters, COUNTER_ABSENT);
        counter_lay(making, records, group, &counters, COUNTER_SAID);
        counter_lay(making, records, group, &counters, COUNTER_BELIEVED);
    }
}

static void calls_lay(struct making *making, struct plan_record *records)
{
    const struct call *rows[] = { making->reconciler->calls, making->reconciler->outcomes };

    for (size_t i = 0; i < 2; i++) {
        for (const struct call *call = rows[i]; call != NULL; call = call->next) {
            const struct fleet_machine *machine =
                fleet_machine_find(making->cluster, call->intent.token);

            if (machine != NULL) {
                records[machine->index].is_calling = true;
            }
        }
    }
}

/* Find create calls whose outcome was lost, because their manager stopped or the outcome could not
 * be written. From now on the outcome counts as unknown, and no such call is in progress. */
static void doubts_lay(struct making *making, struct plan_record *records)
{
    for (size_t i = 0; i < making->cluster->count; i++) {
        const struct fleet_machine *machine = making->cluster->machines[i];
        struct plan_record *record = &records[i];

        if (machine->is_asked && !machine->is_unsent && !record->is_calling &&
            record->state == PLAN_RECORD_CREATE) {
            record->doubt_ms = reconciler_now(making->reconciler);
        }
    }
}

/* True if this manager's own probes have confirmed the state. A manager that makes no probes relies
 * on the records. */
static bool is_pass_world_proven(const struct reconciler *reconciler, struct text token)
{
    const struct control *control = reconciler->control;

    return control->ports.probe == NULL || control->options.is_single ||
           (reconciler->health != NULL &&
            health_is_proven(reconciler->health, token, control->ports.now_ms(control->ports.arg)));
}

static struct plan_record *records_make(struct making *making)
{
    struct pass *pass = making->pass;
    const struct fleet_cluster *cluster = making->cluster;
    struct plan_record *records = arena_array(pass->arena, struct plan_record, cluster->count);
    const struct source *source = NULL;

    for (size_t i = 0; i < cluster->count; i++) {
        const struct fleet_machine *machine = cluster->machines[i];

        fleet_machine_unpack(machine, &records[i]);
        reconciler_clock_raise(making->reconciler, fleet_machine_latest(machine));
        source = pass_source_of_machine(pass, machine, source);
        assert(source != NULL && "every plugin was listed");
        records[i].source = (uint32_t)(source - pass->sources);
        hosts_gone_lay(pass, source, &records[i]);
        records[i].is_in_rollout = members_is_in_rollout(making->reconciler, records[i].token);
        records[i].is_unproven =
            (records[i].failing_since_ms > 0 || records[i].unreachable_since_ms > 0) &&
            !is_pass_world_proven(making->reconciler, records[i].token);
        records[i].is_foreign_life = !text_is(fleet_machine_life(machine), making->control->life);
        pass->failures += pass_failed_since(&records[i]) > 0;
    }
    calls_lay(making, records);
    doubts_lay(making, records);
    reboots_lay(making->reconciler, records);
    pass->world.records = records;
    pass->world.record_count = cluster->count;
    counters_lay(making, records);
    return records;
}

/* ---- listings ---- */

/* Make the content of the stamp, which only this installation can compute (G4). */
static void stamp_make(struct control *control, struct arena *arena,
                       const struct provider_tags *tags, char out[static 33])
{
    control->ports.mac(control->ports.arg,
                       arena_printf(arena, "%.*s\n%.*s\n%.*s\n%llu\n%.*s", TEXT_ARG(tags->cluster),
                                    TEXT_ARG(tags->life), TEXT_ARG(tags->group),
                                    (unsigned long long)tags->slot, TEXT_ARG(tags->token)),
                       out);
}

void control_stamp(struct control *control, struct arena *arena, struct provider_tags *tags)
{
    char mac[33];

    stamp_make(control, arena, tags, mac);
    tags->mac = arena_text(arena, text_from(mac));
}

static int pass_world_row_id_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare((*(const struct provider_row *const *)a)->id,
                        (*(const struct provider_row *const *)b)->id);
}

/* Returns a text of the row that cannot be stored in a record. NULL: all texts are valid. */
static const char *pass_world_row_fault(const struct provider_row *row)
{
    return row->id.length == 0                  ? "no id"
           : !record_is_plain(row->id)          ? "an id that has"
           : !record_is_plain(row->tags.token)  ? "a token that has"
           : !record_is_plain(row->tags.group)  ? "a group that has"
           : !record_is_plain(row->address)     ? "an address that has"
           : !record_is_plain(row->zone)        ? "a zone that has"
           : !record_is_plain(row->user)        ? "a user that has"
           : !record_is_sentence(row->host_key) ? "a host key that has"
                                                : NULL;
}

/* Return a text of the row that is too long for a record. NULL: no text is. */
static const char *row_excess(const struct provider_row *row, int *out_most)
{
    const struct {
        const char *name;
        struct text text;
        int most;
    } texts[] = {
        { "an id", row->id, LIMIT_MACHINE_ID_BYTES },
        { "an address", row->address, LIMIT_ROW_ADDRESS_BYTES },
        { "a zone", row->zone, LIMIT_ROW_ZONE_BYTES },
        { "a user", row->user, LIMIT_ROW_USER_BYTES },
        { "a host key", row->host_key, LIMIT_ROW_HOST_KEY_BYTES },
    };

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        if (texts[i].text.length > (size_t)texts[i].most) {
            *out_most = texts[i].most;
            return texts[i].name;
        }
    }
    return NULL;
}

/* True if a record can store all texts of the row. The hold for incomplete listings names the first
 * invalid row. */
static bool row_check(struct pass *pass, struct source *source, const struct provider_row *row)
{
    int most = 0;
    const char *excess = row_excess(row, &most);
    const char *fault = excess == NULL ? pass_world_row_fault(row) : NULL;
    struct text commands;

    if (excess == NULL && fault == NULL) {
        return true;
    }
    if (source->plan.unreadable.length > 0) {
        return false;
    }
    commands =
        row->id.length == 0 ? TEXT("the plugin lists a machine without an id")
        : excess != NULL
            ? arena_printf(pass->arena, "the plugin lists %.40s with %s longer than %d bytes",
                           arena_string(pass->arena, row->id), excess, most)
            : arena_printf(
                  pass->arena,
                  "the plugin lists %.*s with %s a blank, a quote or another invalid character",
                  TEXT_ARG(row->id), fault);
    source->plan.unreadable = record_sentence(pass->arena, commands);
    return false;
}

/* Checks the rows of a listing. A row without an id, a duplicate id, or a row of another cluster
 * makes the listing incomplete (F6). Rows of another cluster are kept, so that the problem is
 * displayed. */
static size_t rows_check(struct pass *pass, struct source *source, struct text cluster,
                         const struct provider_row **out)
{
    size_t count = 0;
    size_t kept = 0;
    size_t others = 0;

    for (size_t i = 0; i < source->row_count; i++) {
        const struct provider_row *row = &source->rows[i];

        if (row_check(pass, source, row)) {
            others += !text_is_equal(row->tags.cluster, cluster);
            out[count++] = row;
        }
    }
    sort_stable(pass->arena, out, count, sizeof(*out), pass_world_row_id_compare, NULL);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !text_is_equal(out[kept - 1]->id, out[i]->id)) {
            out[kept++] = out[i];
        }
    }
    source->plan.is_complete =
        (source->plan.is_complete ||
         BUG(&pass->reconciler->control->options.limits, BUG_PARTIAL_IS_WHOLE)) &&
        kept == source->row_count && others == 0;
    return kept;
}

/* Returns a reason such as "spot: no more room at this price" in a form that an event can store. */
static struct text end_text_of(struct arena *arena, const struct provider_row *row)
{
    bool has_both = row->end_reason.length > 0 && row->end_message.length > 0;

    return row->end_reason.length + row->end_message.length == 0
               ? TEXT("")
               : record_sentence(arena,
                                 arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(row->end_reason),
                                              has_both ? ": " : "", TEXT_ARG(row->end_message)));
}

static struct plan_row pass_world_row_make(struct making *making, const struct provider_row *row,
                                           uint32_t source)
{
    struct control *control = making->control;
    struct plan_row out = {
        .id = row->id,
        .source = source,
        .token = row->tags.token,
        .group = row->tags.group,
        .slot = row->tags.slot,
        .state = row->state,
        .is_verified = true,
        .is_foreign_life = !text_is(row->tags.life, control->life),
        .ended = end_text_of(making->pass->arena, row),
        .is_evicted = row->state == PLAN_ROW_ENDED &&
                      (text_is(row->end_reason, "spot") || text_is(row->end_reason, "capacity")),
    };
    char mac[33];

    /* the token is not a token of this cluster */
    if (!text_is_equal(row->tags.cluster, making->cluster->key)) {
        out.token = TEXT("");
        out.group = TEXT("");
        out.is_verified = false;
        return out;
    }
    if (row->tags.token.length == 0 ||
        fleet_machine_find(making->cluster, row->tags.token) == NULL) {
        stamp_make(control, making->pass->arena, &row->tags, mac);
        out.is_verified =
            text_is(row->tags.mac, mac) || BUG(&control->options.limits, BUG_STAMP_UNCHECKED);
        out.is_unrecorded =
            out.is_verified && !series_has(&making->pass->cluster_counters, row->tags.token);
        if (!GUARD(&control->options.limits, G4)) {
            out.is_verified = true;
            out.is_foreign_life = false;
        }
    }
    return out;
}

static void pass_world_rows_make(struct making *making)
{
    struct pass *pass = making->pass;
    struct plan_row *rows;
    size_t count = 0;
    size_t room = 0;

    for (size_t i = 0; i < pass->source_count; i++) {
        room += pass->sources[i].row_count;
    }
    rows = arena_array(pass->arena, struct plan_row, room);
    pass->rows = arena_array(pass->arena, const struct provider_row *, room);
    for (size_t i = 0; i < pass->source_count; i++) {
        size_t kept = rows_check(pass, &pass->sources[i], making->cluster->key, pass->rows + count);

        for (size_t j = 0; j < kept; j++, count++) {
            rows[count] = pass_world_row_make(making, pass->rows[count], (uint32_t)i);
        }
    }
    pass->world.rows = rows;
    pass->world.row_count = count;
}

/* ---- the cluster's own row ---- */

/* Reads the row of the cluster's counters. If it cannot be parsed, the whole budget counts as used
 * up, and the store counts as restored. */
static void cluster_row_read(struct making *making)
{
    struct pass *pass = making->pass;
    struct counters *counters = &pass->cluster_counters;

    if (!control_counters_read(pass->arena, making->reconciler, TEXT(""), counters,
                               &pass->cluster_counters_revision)) {
        counters->spent = arena_one(pass->arena, struct counter);
        counters->spent_count = 1;
        counters->spent->seen =
            (struct plan_seen){ UINT32_MAX / 2, 0, reconciler_now(making->reconciler) };
        counters->life = TEXT("unknown");
        pass->is_tallied = true;
    }
    reconciler_clock_raise(making->reconciler, counters_latest(counters));
}

/* Reads an operator's answer to the hold for a restored store (G18). Approved: machines that the
 * store never recorded are adopted into free slots. Rejected: these machines are never touched. */
static void return_answer_read(struct making *making)
{
    struct pass *pass = making->pass;
    struct plan_world *world = &pass->world;
    struct counters *counters = &pass->cluster_counters;
    bool is_rejected = has_said(making, PLAN_RULE_store_went_back, TEXT(""), "rejected");

    world->is_return_approved = has_said(making, PLAN_RULE_store_went_back, TEXT(""), "approved");
    for (size_t i = 0; is_rejected && i < world->row_count; i++) {
        struct counter *counter = world->rows[i].is_unrecorded
                                      ? counters_sighting(pass->arena, counters, world->rows[i].id)
                                      : NULL;

        if (counter != NULL && !counter->is_spared) {
            counter->seen = (struct plan_seen){ 1, world->now_ms, world->now_ms };
            counter->is_spared = true;
            pass->is_tallied = true;
        }
    }
    if (counters->is_life_held && (is_rejected || world->is_return_approved)) {
        counters->is_life_held = false;
        pass->is_tallied = true;
    }
    world->is_restore_held = counters->is_life_held;
}

static void cluster_row_lay(struct making *making)
{
    struct pass *pass = making->pass;
    struct plan_world *world = &pass->world;
    struct counters *counters = &pass->cluster_counters;
    const struct plan_limits *limits = &making->control->options.limits;
    struct plan_quarantine *quarantines;

    if (!text_is(counters->life, making->control->life)) {
        /* The first incarnation of the store begins without machines of the cluster. Any other
         * incarnation belongs to a restored store (G12). */
        bool is_first = counters->life.length == 0 && making->cluster->count == 0;

        counters->life = text_from(making->control->life);
        counters->life_since = is_first ? 0 : world->now_ms;
        counters->is_life_held = !is_first;
        pass->is_tallied = true;
    }
    world->life_since_ms = counters->life_since;
    return_answer_read(making);
    if (has_said(making, PLAN_RULE_quarantine, TEXT(""), "rejected") &&
        !BUG(limits, BUG_REJECTION_UNREAD)) {
        pass->is_rejection_taken = GUARD(limits, G20);
        /* machines that an operator decided to keep are kept forever */
        for (size_t i = 0; i < counters->sighted_count; i++) {
            pass->is_tallied |= !counters->sighted[i].is_spared;
            counters->sighted[i].is_spared = true;
        }
    }
    for (size_t i = 0; i < counters->spent_count; i++) {
        if (world->now_ms - counters->spent[i].seen.last_ms < limits->budget_ms) {
            world->destroyed += counters->spent[i].seen.count;
        }
    }
    quarantines = arena_array(pass->arena, struct plan_quarantine, counters->sighted_count);
    for (size_t i = 0; i < counters->sighted_count; i++) {
        const struct counter *missed =
            counter_find(counters->missed, counters->missed_count, counters->sighted[i].key);

        quarantines[i] = (struct plan_quarantine){
            .id = counters->sighted[i].key,
            .seen = counters->sighted[i].seen,
            .missed = missed == NULL ? (struct plan_seen){ 0 } : missed->seen,
            .is_spared = counters->sighted[i].is_spared,
        };
    }
    world->quarantines = quarantines;
    world->quarantine_count = counters->sighted_count;
}

/* Count for how long each provider has returned no complete listing. */
static void sources_count(struct making *making)
{
    struct pass *pass = making->pass;
    struct counters *counters = &pass->cluster_counters;
    struct counter *unheard =
        arena_array(pass->arena, struct counter, counters->unheard_count + pass->source_count);
    size_t count = 0;

    for (size_t i = 0; i < pass->source_count; i++) {
        struct plan_source *source = &pass->plan_sources[i];
        const struct counter *known =
            counter_find(counters->unheard, counters->unheard_count, source->name);

        if ((source->problem.length == 0 && source->is_complete) ||
            !record_is_plain(source->name)) {
            continue;
        }
        unheard[count] =
            known != NULL
                ? *known
                : (struct counter){ .key = source->name,
                                    .seen = { 1, pass->world.now_ms, pass->world.now_ms } };
        pass->is_tallied |= known == NULL;
        source->unheard_since_ms = unheard[count++].seen.first_ms;
    }
    pass->is_tallied |= count != counters->unheard_count;
    counters->unheard = unheard;
    counters->unheard_count = count;
}

void pass_world_make(struct pass *pass)
{
    struct making making = {
        .pass = pass,
        .reconciler = pass->reconciler,
        .cluster = pass->reconciler->cluster,
        .control = pass->reconciler->control,
    };

    struct plan_record *records;
    struct plan_group *groups;

    pass->world = (struct plan_world){ 0 };
    cluster_row_read(&making);
    records = records_make(&making);
    /* the cluster's clock must not be before any time that was read */
    pass->world.now_ms = reconciler_now(making.reconciler);
    pass_world_rows_make(&making);
    pass_world_sources_make(&making);
    groups = pass_world_groups_make(&making, records);
    cluster_row_lay(&making);
    sources_count(&making);
    suspicion_lay(&making);
    pass_causes_lay(pass, records, groups);
}
