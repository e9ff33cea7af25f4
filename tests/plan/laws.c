#include "laws.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "plan/ledger.h"

struct text laws_plan_lines(const struct laws *laws, const struct plan_world *world)
{
    struct plan plan;

    plan_compute(laws->arena, world, &laws->limits, &plan);
    return plan_lines(laws->arena, world, &plan);
}

/* ---- laws ---- */

/* Returns the items in reverse order. */
static void *turned(struct arena *arena, const void *items, size_t count, size_t bytes)
{
    char *out = arena_alloc(arena, count * bytes);

    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * bytes, (const char *)items + (count - 1 - i) * bytes, bytes);
    }
    return out;
}

static bool is_order_free(const struct laws *laws)
{
    struct text lines = laws_plan_lines(laws, &laws->world);
    struct plan_world world = laws->world;

    world.groups = turned(laws->arena, world.groups, world.group_count, sizeof(*world.groups));
    world.records = turned(laws->arena, world.records, world.record_count, sizeof(*world.records));
    world.rows = turned(laws->arena, world.rows, world.row_count, sizeof(*world.rows));
    world.quarantines =
        turned(laws->arena, world.quarantines, world.quarantine_count, sizeof(*world.quarantines));
    return text_is_equal(laws_plan_lines(laws, &world), lines);
}

static bool is_explained(const struct laws *laws)
{
    struct plan plan;

    plan_compute(laws->arena, &laws->world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.action_count; i++) {
        if (plan.actions[i].fact.length == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < plan.hold_count; i++) {
        if (plan.holds[i].fact.length == 0) {
            return false;
        }
    }
    return true;
}

static bool is_forgotten(const struct plan *plan, size_t record)
{
    for (size_t i = 0; i < plan->action_count; i++) {
        if (plan->actions[i].act == PLAN_ACT_FORGET && plan->actions[i].record == record) {
            return true;
        }
    }
    return false;
}

static size_t size_of(const struct plan_group *group)
{
    size_t size = group->size < group->min_size ? group->min_size : group->size;

    return group->max_size > 0 && size > group->max_size ? group->max_size : size;
}

static bool is_renamed(const struct plan_world *world, const struct plan_group *group,
                       struct text path)
{
    for (size_t i = 0; i < world->group_count; i++) {
        if (text_is_equal(world->groups[i].path, path)) {
            return false;
        }
    }
    return text_is_equal(group->renamed_from, path);
}

/* Law: the size is never exceeded, even if all calls of this plan succeed and all machines marked
 * for deletion still run. */
static bool is_within_size(const struct laws *laws)
{
    struct plan plan;

    plan_compute(laws->arena, &laws->world, &laws->limits, &plan);
    for (size_t i = 0; i < laws->world.group_count; i++) {
        const struct plan_group *group = &laws->world.groups[i];
        size_t may_run = 0;
        size_t created = 0;

        for (size_t j = 0; j < laws->world.record_count; j++) {
            const struct plan_record *record = &laws->world.records[j];

            may_run += (text_is_equal(record->group, group->path) ||
                        is_renamed(&laws->world, group, record->group)) &&
                       !(record->state == PLAN_RECORD_DELETE && record->is_answered) &&
                       !is_forgotten(&plan, j);
        }
        for (size_t j = 0; j < plan.action_count; j++) {
            bool is_here = text_is_equal(plan.actions[j].group, group->path);

            created += is_here && (plan.actions[j].act == PLAN_ACT_CREATE ||
                                   plan.actions[j].act == PLAN_ACT_ADOPT);
        }
        if (created > 0 && may_run + created > size_of(group) + group->surge) {
            return false;
        }
    }
    return true;
}

/* ---- settling: the plan is carried out, and looked at again, until nothing is left to do ---- */

enum {
    SETTLE_ROUNDS = 80,
    SETTLE_REST = 20,
    SETTLE_ROOM = 64,
    ROUND_MS = 61 * 1000,
    WINDOW_MS = 10 * 60 * 1000
};

/* A provider whose answers are true and that executes calls immediately. */
struct settling {
    struct arena *arena;
    struct plan_world world;
    struct plan_record records[SETTLE_ROOM];
    struct plan_row rows[SETTLE_ROOM];
    struct plan_quarantine quarantines[SETTLE_ROOM];
    uint64_t window_ms;
    unsigned made;
};

/* Finds the row of a record: by its id if that is known, because there may be clones. */
static struct plan_row *row_find(struct settling *settling, const struct plan_record *record)
{
    for (size_t i = 0; i < settling->world.row_count; i++) {
        struct plan_row *row = &settling->rows[i];

        if (record->id.length > 0 ? text_is_equal(row->id, record->id)
                                  : text_is_equal(row->token, record->token)) {
            return row;
        }
    }
    return NULL;
}

static void row_end(struct settling *settling, struct plan_row *row)
{
    if (row != NULL) {
        *row = settling->rows[--settling->world.row_count];
    }
}

static void row_begin(struct settling *settling, const struct plan_record *record)
{
    settling->rows[settling->world.row_count++] = (struct plan_row){
        .id = arena_printf(settling->arena, "i-%u", ++settling->made),
        .token = record->token,
        .group = record->group,
        .slot = record->slot,
        .source = record->source,
        .state = PLAN_ROW_RUNNING,
        .is_verified = true,
    };
}

static void seen_again(struct plan_seen *seen, uint64_t now)
{
    seen->first_ms = seen->count == 0 ? now : seen->first_ms;
    seen->last_ms = now;
    seen->count++;
}

static void lookup(struct settling *settling, struct plan_record *record)
{
    const struct plan_row *row = row_find(settling, record);
    enum plan_lookup said = row == NULL                      ? PLAN_LOOKUP_GONE
                            : row->state == PLAN_ROW_RUNNING ? PLAN_LOOKUP_RUNNING
                            : row->state == PLAN_ROW_ENDED   ? PLAN_LOOKUP_ENDED
                                                             : PLAN_LOOKUP_STOPPED;

    if (said != record->lookup) {
        record->looked_up = (struct plan_seen){ 0 };
    }
    record->lookup = said;
    seen_again(&record->looked_up, settling->world.now_ms);
}

static void sighting_note(struct settling *settling, struct text id, bool is_copy)
{
    size_t i = 0;

    while (i < settling->world.quarantine_count &&
           !text_is_equal(settling->quarantines[i].id, id)) {
        i++;
    }
    if (i == settling->world.quarantine_count) {
        settling->quarantines[settling->world.quarantine_count++] =
            (struct plan_quarantine){ .id = id };
    }
    settling->quarantines[i].is_spared |= is_copy;
    seen_again(&settling->quarantines[i].seen, settling->world.now_ms);
}

static const struct plan_group *group_of(const struct settling *settling, struct text path)
{
    for (size_t i = 0; i < settling->world.group_count; i++) {
        if (text_is_equal(settling->world.groups[i].path, path)) {
            return &settling->world.groups[i];
        }
    }
    return NULL;
}

static struct plan_choice choice_of(const struct plan_group *group, size_t index)
{
    if (group == NULL) {
        return (struct plan_choice){ 0 };
    }
    return index == 0
               ? (struct plan_choice){ .source = group->source, .generation = group->generation }
               : group->alternatives[index - 1];
}

/* Returns whether the generation is one that the group desires. */
static bool is_wanted_generation(const struct plan_group *group, struct text generation)
{
    for (size_t i = 0; i <= group->alternative_count; i++) {
        if (text_is_equal(choice_of(group, i).generation, generation)) {
            return true;
        }
    }
    return false;
}

static struct text labels_of(const struct settling *settling, struct text path)
{
    for (size_t i = 0; i < settling->world.group_count; i++) {
        if (text_is_equal(settling->world.groups[i].path, path)) {
            return settling->world.groups[i].labels;
        }
    }
    return TEXT("");
}

static void record_begin(struct settling *settling, const struct plan_action *action,
                         const struct plan_row *row)
{
    struct plan_record *record = &settling->records[settling->world.record_count++];
    struct plan_choice choice = choice_of(group_of(settling, action->group), action->choice);

    *record = (struct plan_record){
        .token =
            row != NULL ? row->token : arena_printf(settling->arena, "new-%u", ++settling->made),
        .id = row != NULL ? row->id : TEXT(""),
        .group = action->group,
        .slot = action->slot,
        .generation = choice.generation,
        .source = row != NULL ? row->source : choice.source,
        .labels = labels_of(settling, action->group),
        .zone = action->zone,
        .state = row != NULL ? PLAN_RECORD_ACTIVE : PLAN_RECORD_CREATE,
        .created_ms = settling->world.now_ms,
        .active_ms = settling->world.now_ms,
    };
    if (row == NULL) {
        row_begin(settling, record);
        record->is_answered = true;
    }
}

/* Executes an action. `token` and `id` identify its machine, because indexes may have changed. */
static void action_carry_out(struct settling *settling, const struct plan_action *action,
                             struct text token, struct text id)
{
    struct plan_record *record = NULL;
    struct plan_row *row = NULL;

    for (size_t i = 0; token.length > 0 && i < settling->world.record_count; i++) {
        record = text_is_equal(settling->records[i].token, token) ? &settling->records[i] : record;
    }
    for (size_t i = 0; id.length > 0 && i < settling->world.row_count; i++) {
        row = text_is_equal(settling->rows[i].id, id) ? &settling->rows[i] : row;
    }
    switch (action->act) {
    case PLAN_ACT_MOVE:
        record->group = action->group;
        break;
    case PLAN_ACT_LABEL:
        record->labels = labels_of(settling, record->group);
        break;
    case PLAN_ACT_REBOOT:
        if (action->rule == PLAN_RULE_reboot_asked && !plan_is_rebooting(record)) {
            record->is_reboot_requested = false;
            record->reboot_begun_ms = settling->world.now_ms;
            record->is_reboot_late = false;
            record->is_boot_known = false;
            record->is_reboot_served |= !record->is_starting;
            record->is_starting = true;
            record->failing_since_ms = record->unreachable_since_ms = 0;
            break;
        }
        record->rebooted_ms = settling->world.now_ms;
        record->failing_since_ms = 0;
        record->looked_up = (struct plan_seen){ 0 };
        if (row_find(settling, record) != NULL) {
            row_find(settling, record)->state = PLAN_ROW_RUNNING;
        }
        break;
    case PLAN_ACT_NOTE:
        if (record != NULL && action->rule == PLAN_RULE_believed) {
            record->is_believed = true;
        } else if (record != NULL) {
            seen_again(&record->absence, settling->world.now_ms);
        } else {
            sighting_note(settling, id,
                          action->rule == PLAN_RULE_copied ||
                              action->rule == PLAN_RULE_store_went_back);
        }
        break;
    case PLAN_ACT_SET_ID:
        record->id = row->id;
        record->is_answered = record->state == PLAN_RECORD_CREATE;
        break;
    case PLAN_ACT_ACTIVATE:
        record->state = PLAN_RECORD_ACTIVE;
        record->active_ms = settling->world.now_ms;
        record->is_starting = record->slot % 2 == 1; /* as for a machine with a probe */
        break;
    case PLAN_ACT_FORGET:
        *record = settling->records[--settling->world.record_count];
        break;
    case PLAN_ACT_ADOPT:
    case PLAN_ACT_CREATE:
        record_begin(settling, action, action->act == PLAN_ACT_CREATE ? NULL : row);
        break;
    case PLAN_ACT_CONFIRM:
        lookup(settling, record);
        break;
    case PLAN_ACT_ASK:
        row_begin(settling, record);
        record->fault = PLAN_FAULT_NONE;
        record->is_answered = true;
        break;
    case PLAN_ACT_DESTROY:
    case PLAN_ACT_TERMINATE:
        settling->world.destroyed +=
            action->rule == PLAN_RULE_unhealthy || action->rule == PLAN_RULE_orphan;
        row_end(settling, record == NULL ? row : row_find(settling, record));
        if (record != NULL) {
            record->condemned_ms =
                record->state == PLAN_RECORD_DELETE ? record->condemned_ms : settling->world.now_ms;
            record->state = PLAN_RECORD_DELETE;
            record->is_answered = true;
        }
        break;
    }
}

/* Executes only the first `count` actions, as if the manager died after them. */
static void settle_round(struct settling *settling, const struct plan *plan, size_t count)
{
    struct text tokens[SETTLE_ROOM * 4];
    struct text ids[SETTLE_ROOM * 4];

    for (size_t i = 0; i < plan->action_count; i++) {
        const struct plan_action *action = &plan->actions[i];

        tokens[i] =
            action->record == PLAN_NONE ? TEXT("") : settling->records[action->record].token;
        ids[i] = action->row == PLAN_NONE ? TEXT("") : settling->rows[action->row].id;
    }
    for (size_t i = 0; i < count; i++) {
        action_carry_out(settling, &plan->actions[i], tokens[i], ids[i]);
    }
    /* machines that were starting have started */
    for (size_t i = 0; i < settling->world.row_count; i++) {
        if (settling->rows[i].state == PLAN_ROW_PENDING) {
            settling->rows[i].state = PLAN_ROW_RUNNING;
        }
    }
    for (size_t i = 0; i < settling->world.record_count; i++) {
        struct plan_record *record = &settling->records[i];

        record->is_calling = false; /* active calls end, with or without an answer */
        if (record->reboot_begun_ms == 0) {
            /* the machine answers the probe */
            record->is_starting &= record->active_ms == settling->world.now_ms;
        } else if (plan_reboot_is_called(record) || record->is_reboot_late) {
            record->reboot_begun_ms = 0; /* the machine has rebooted */
            record->is_reboot_late = false;
        } else {
            record->is_boot_known = true; /* its boot id was read */
        }
    }
    settling->world.now_ms += ROUND_MS;
    if (settling->world.now_ms - settling->window_ms >= WINDOW_MS) {
        settling->window_ms = settling->world.now_ms;
        settling->world.destroyed = 0;
    }
}

/* Returns whether every group has its desired size, and that number of machines runs. */
static bool is_as_wanted(const struct settling *settling)
{
    for (size_t i = 0; i < settling->world.group_count; i++) {
        size_t recorded = 0;

        for (size_t j = 0; j < settling->world.record_count; j++) {
            bool is_here =
                text_is_equal(settling->records[j].group, settling->world.groups[i].path);

            if (is_here && (settling->records[j].is_replace_requested ||
                            (settling->records[j].state == PLAN_RECORD_ACTIVE &&
                             settling->records[j].is_reboot_requested) ||
                            !is_wanted_generation(&settling->world.groups[i],
                                                  settling->records[j].generation))) {
                return false;
            }
            recorded += is_here;
        }
        if (recorded != size_of(&settling->world.groups[i])) {
            return false;
        }
    }
    return true;
}

/* Returns whether any machine is starting. A rollout continues when it answers, so an empty plan is
 * not the end. */
static bool is_any_starting(const struct settling *settling)
{
    for (size_t i = 0; i < settling->world.record_count; i++) {
        if (settling->records[i].is_starting) {
            return true;
        }
    }
    return false;
}

/* Law: executing plans ends, and ends in the desired state, unless there is a hold, healing is
 * disabled, or the manager may only observe. */
static bool settles(const struct laws *laws, int cut_rounds)
{
    struct settling *settling = arena_one(laws->arena, struct settling);
    const struct plan_world *world = &laws->world;
    struct plan plan = { 0 };
    bool heals = true;
    bool starts = false;

    for (size_t i = 0; i < world->source_count; i++) {
        if (!world->sources[i].is_complete || world->sources[i].problem.length > 0) {
            return true;
        }
    }
    if (world->is_paused) {
        return true;
    }
    settling->arena = laws->arena;
    settling->world = *world;
    memcpy(settling->records, world->records, world->record_count * sizeof(*world->records));
    memcpy(settling->rows, world->rows, world->row_count * sizeof(*world->rows));
    memcpy(settling->quarantines, world->quarantines,
           world->quarantine_count * sizeof(*world->quarantines));
    settling->world.records = settling->records;
    settling->world.rows = settling->rows;
    settling->world.quarantines = settling->quarantines;
    settling->window_ms = world->now_ms;
    for (size_t i = 0; i < world->group_count; i++) {
        heals = heals && world->groups[i].heal != PLAN_HEAL_OFF;
    }
    /* an action that becomes due at the very end is completed too */
    for (int round = 0; round < SETTLE_ROUNDS ||
                        ((plan.action_count > 0 || starts) && round < SETTLE_ROUNDS + SETTLE_REST);
         round++) {
        plan_compute(laws->arena, &settling->world, &laws->limits, &plan);
        starts = is_any_starting(settling);
        settle_round(settling, &plan,
                     round < cut_rounds ? (plan.action_count + 1) / 2 : plan.action_count);
    }
    if (plan.action_count == 0 && (plan.hold_count > 0 || !heals || is_as_wanted(settling))) {
        return true;
    }
    printf("# in the end:\n%.*s", TEXT_ARG(plan_lines(laws->arena, &settling->world, &plan)));
    return false;
}

static bool is_settled(const struct laws *laws)
{
    return settles(laws, 0);
}

/* Law: if a manager dies while it executes a plan, another manager completes the work. */
static bool is_settled_after_deaths(const struct laws *laws)
{
    return settles(laws, 12);
}

/* ---- actions that never happen ---- */

static bool is_call(enum plan_act act)
{
    return act == PLAN_ACT_LABEL || act == PLAN_ACT_REBOOT || act == PLAN_ACT_DESTROY ||
           act == PLAN_ACT_TERMINATE || act == PLAN_ACT_ASK || act == PLAN_ACT_CREATE;
}

/* Law: while a cluster is paused there are no calls, and no machine is destroyed in a cluster whose
 * specification has disappeared without a deletion command. */
static bool is_patient(const struct laws *laws)
{
    bool is_lost = laws->world.is_gone && !laws->world.is_deleting;
    struct plan plan;

    plan_compute(laws->arena, &laws->world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.action_count; i++) {
        const struct plan_action *action = &plan.actions[i];

        if ((laws->world.is_paused && is_call(action->act)) ||
            (is_lost && action->act == PLAN_ACT_DESTROY)) {
            return false;
        }
    }
    return true;
}

static bool is_protected(const struct laws *laws, const struct plan_action *action)
{
    for (size_t i = 0; i < laws->world.group_count; i++) {
        if (text_is_equal(laws->world.groups[i].path, action->group) &&
            laws->world.groups[i].is_protected) {
            return true;
        }
    }
    return laws->world.records[action->record].is_protected;
}

/* Law: a protected machine is removed only if it no longer exists or never existed. */
static bool is_protecting(const struct laws *laws)
{
    struct plan plan;

    plan_compute(laws->arena, &laws->world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.action_count; i++) {
        const struct plan_action *action = &plan.actions[i];

        if (action->act == PLAN_ACT_DESTROY && action->record != PLAN_NONE &&
            laws->world.records[action->record].state == PLAN_RECORD_ACTIVE &&
            action->rule != PLAN_RULE_lost && action->rule != PLAN_RULE_ended &&
            is_protected(laws, action)) {
            return false;
        }
    }
    return true;
}

/* Law: unrequested destructions stay within the budget of a window, and at most one unknown machine
 * is destroyed in a pass (G8). */
static bool is_within_budget(const struct laws *laws)
{
    size_t active = 0;
    size_t unasked = 0;
    size_t unknown = 0;
    size_t most;
    struct plan plan;

    for (size_t i = 0; i < laws->world.record_count; i++) {
        active += laws->world.records[i].state == PLAN_RECORD_ACTIVE;
    }
    most = active * laws->limits.budget_permille / 1000;
    most = most < 1 ? 1 : most;
    plan_compute(laws->arena, &laws->world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.action_count; i++) {
        bool is_end = plan.actions[i].act == PLAN_ACT_DESTROY;

        unknown += is_end && plan.actions[i].record == PLAN_NONE;
        unasked += is_end && (plan.actions[i].rule == PLAN_RULE_unhealthy ||
                              plan.actions[i].rule == PLAN_RULE_orphan);
    }
    return unknown <= 1 && (unasked == 0 || unasked + laws->world.destroyed <= most);
}

static bool is_spared(const struct plan_world *world, struct text id)
{
    for (size_t i = 0; i < world->quarantine_count; i++) {
        if (text_is_equal(world->quarantines[i].id, id)) {
            return world->quarantines[i].is_spared;
        }
    }
    return false;
}

/* Law: the record of a machine that is listed as running is never removed, unless the machine is
 * known to be a clone. */
static bool is_remembering(const struct laws *laws)
{
    struct plan plan;

    plan_compute(laws->arena, &laws->world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.action_count; i++) {
        const struct plan_action *action = &plan.actions[i];

        for (size_t j = 0; action->act == PLAN_ACT_FORGET && j < laws->world.row_count; j++) {
            if (laws->world.rows[j].state == PLAN_ROW_RUNNING &&
                !is_spared(&laws->world, laws->world.rows[j].id) &&
                text_is_equal(laws->world.rows[j].token,
                              laws->world.records[action->record].token)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- all of them ---- */

/* Law: only machines that provably belong to this store are destroyed or adopted (I2, I6). */
static bool is_owned(const struct laws *laws)
{
    struct plan plan;

    plan_compute(laws->arena, &laws->world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.action_count; i++) {
        const struct plan_action *action = &plan.actions[i];
        const struct plan_row *row = NULL;

        if (action->record != PLAN_NONE || action->row == PLAN_NONE ||
            (action->act != PLAN_ACT_DESTROY && action->act != PLAN_ACT_ADOPT)) {
            continue;
        }
        row = &laws->world.rows[action->row];
        if (!row->is_verified ||
            (row->is_foreign_life && (action->act == PLAN_ACT_DESTROY || !row->is_unrecorded))) {
            return false;
        }
    }
    return true;
}

/* Law: only requested reboots begin, at most a batch at the same time, and none while the rollout
 * is stopped. */
static bool are_reboots_requested(const struct laws *laws)
{
    const struct plan_world *world = &laws->world;
    struct plan plan;

    plan_compute(laws->arena, world, &laws->limits, &plan);
    for (size_t i = 0; i < world->group_count; i++) {
        const struct plan_group *group = &world->groups[i];
        size_t begun = 0;
        size_t under_way = 0;

        for (size_t j = 0; j < plan.action_count; j++) {
            const struct plan_action *action = &plan.actions[j];

            if (action->act != PLAN_ACT_REBOOT || action->rule != PLAN_RULE_reboot_asked ||
                !text_is_equal(action->group, group->path)) {
                continue;
            }
            if (plan_is_rebooting(&world->records[action->record])) {
                continue;
            }
            if (!world->records[action->record].is_reboot_requested) {
                return false;
            }
            begun++;
        }
        for (size_t j = 0; j < world->record_count; j++) {
            under_way += world->records[j].state == PLAN_RECORD_ACTIVE &&
                         plan_is_rebooting(&world->records[j]) &&
                         text_is_equal(world->records[j].group, group->path);
        }
        if (begun > 0 && (group->roll != PLAN_ROLL_GOES || group->is_paused ||
                          begun + under_way > (group->batch > 0 ? group->batch : 1))) {
            return false;
        }
    }
    return true;
}

/* Law: while the store is older than the machines, nothing is created, destroyed or adopted before
 * an operator approves. Afterwards, a machine that the store never recorded is destroyed only
 * together with its cluster (I14). */
static bool is_held_after_a_return(const struct laws *laws)
{
    const struct plan_world *world = &laws->world;
    bool is_held = false;
    struct plan plan;

    plan_compute(laws->arena, world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.hold_count; i++) {
        is_held |= plan.holds[i].rule == PLAN_RULE_store_went_back;
    }
    for (size_t i = 0; i < plan.action_count; i++) {
        const struct plan_action *action = &plan.actions[i];
        bool is_change = action->act == PLAN_ACT_DESTROY || action->act == PLAN_ACT_TERMINATE ||
                         action->act == PLAN_ACT_CREATE || action->act == PLAN_ACT_ASK ||
                         action->act == PLAN_ACT_ADOPT || action->act == PLAN_ACT_REBOOT;
        bool is_unrecorded = action->record == PLAN_NONE && action->row != PLAN_NONE &&
                             world->rows[action->row].is_unrecorded;

        if ((is_held && is_change) || (action->act == PLAN_ACT_DESTROY && is_unrecorded &&
                                       !(world->is_deleting && world->is_return_approved))) {
            return false;
        }
    }
    return !is_held || !world->is_return_approved;
}

/* Law: nothing is decided about machines on an unreachable host, and they keep their slots. */
static bool is_away_left_alone(const struct laws *laws)
{
    const struct plan_world *world = &laws->world;
    bool is_left = true;
    struct plan plan;

    plan_compute(laws->arena, world, &laws->limits, &plan);
    for (size_t i = 0; i < plan.action_count * world->record_count; i++) {
        const struct plan_action *action = &plan.actions[i / world->record_count];
        const struct plan_record *record = &world->records[i % world->record_count];
        bool is_new = action->act == PLAN_ACT_CREATE || action->act == PLAN_ACT_ADOPT;
        is_left &=
            !world->sources[record->source].is_unreachable ||
            (is_new ? action->slot != record->slot || !text_is_equal(action->group, record->group)
                    : action->record != i % world->record_count || action->act == PLAN_ACT_MOVE);
    }
    return is_left;
}

/* Law: parsing the record of a world and a plan, and deciding again, gives exactly the same bytes,
 * also if the order of the world is changed. */
static bool is_kept(const struct laws *laws)
{
    struct arena *arena = laws->arena;
    struct plan_world world = laws->world;
    struct ledger_order order;
    struct ledger_pass pass;
    struct text values[2];
    uint64_t hashes[4];
    struct plan plan;
    struct err err;

    for (int i = 0; i < 2; i++) {
        struct ledger_entry entry = { .head = { .number = 7, .base = 7, .page_count = 4 },
                                      .limits = &laws->limits,
                                      .world = &world,
                                      .order = &order };

        plan_compute(arena, &world, &laws->limits, &plan);
        ledger_order_make(arena, &world, 4, &order);
        entry.decision = ledger_decision(arena, &world, &order, &plan);
        values[i] = ledger_write(arena, &entry, false, hashes);
        world.groups = turned(arena, world.groups, world.group_count, sizeof(*world.groups));
        world.records = turned(arena, world.records, world.record_count, sizeof(*world.records));
        world.rows = turned(arena, world.rows, world.row_count, sizeof(*world.rows));
    }
    if (!text_is_equal(values[0], values[1]) || !ledger_read(arena, values, 1, &pass, &err) ||
        !text_is_equal(ledger_replay(arena, &pass), pass.decision) ||
        !ledger_plan_read(arena, &pass, pass.decision, &plan, &err)) {
        return false;
    }
    return text_is_equal(plan_lines(arena, &pass.world, &plan),
                         laws_plan_lines(laws, &laws->world));
}

const char *laws_broken(const struct laws *laws)
{
    static const struct {
        bool (*holds)(const struct laws *laws);
        const char *words;
    } all[] = {
        { is_order_free, "the order of what is known matters" },
        { is_explained, "something has no fact" },
        { is_kept, "what is written of it does not give the same decision" },
        { is_within_size, "more may run than wanted" },
        { is_owned, "something is destroyed that is not ours" },
        { is_held_after_a_return, "it acts on a store that went back" },
        { is_patient, "something is done that has to wait" },
        { are_reboots_requested, "a reboot begins that nobody requested, or too many at once" },
        { is_protecting, "something is ended that is protected" },
        { is_within_budget, "too much is ended unasked" },
        { is_away_left_alone, "something is decided about a host that cannot be asked" },
        { is_remembering, "a machine that runs is forgotten" },
        { is_settled, "it does not settle" },
        { is_settled_after_deaths, "it does not settle after its manager died" },
    };

    for (size_t i = 0; i < ARRAY_COUNT(all); i++) {
        if (!all[i].holds(laws)) {
            return all[i].words;
        }
    }
    return NULL;
}
