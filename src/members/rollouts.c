#include "members/rollouts.h"

#include "base/limits.h"
#include "codec/json.h"
#include "pacing/pacing.h"
#include "plan/guard.h"
#include "records/commands.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: rollout_ rollouts_ member_needs_ */
/* public names start with: member_has_ members_slots_ members_is_in_ */

enum {
    LOST_TRIES = 3, /* number of consecutive unfinished runs after which a member counts as lost */
    FACT_NODES = 5,
    FACT_WHY_BYTES = 200, /* length of the text about the first failing task of each node */
};

/* ---- members ---- */

bool member_has_served(const struct member *member, const struct fleet_group *group)
{
    return !member->is_starting &&
           (group->ready == FLEET_READY_BOOTSTRAPPED || member->state.has_served ||
            member->state.chain_done.length > 0);
}

/* Return the desired chain of a member of the group. */
static struct text rollouts_chain_of(const struct member *member, const struct fleet_group *group)
{
    return fleet_group_for(group, member->slot)->chain;
}

static bool is_lagging(const struct member *member, const struct fleet_group *group)
{
    struct text chain = rollouts_chain_of(member, group);

    return member->is_there && !member->is_going && !member->is_taken && chain.length > 0 &&
           member_has_served(member, group) && !text_is_equal(member->state.chain_done, chain);
}

/* True if the member has its previous stages, because the desired ones failed on it. An operator
 * decides when the desired stages are tried again. */
static bool is_rollouts_reverted(const struct member *member, const struct fleet_group *group)
{
    return member->state.reverted.length > 0 &&
           (text_is_equal(member->state.reverted, rollouts_chain_of(member, group)) ||
            member_former(member,
                          fleet_group_for(
                              fleet_group_find(member->members->reconciler->cluster, member->group),
                              member->slot)) != NULL);
}

bool member_needs_slot(const struct member *member, const struct fleet_group *group)
{
    const struct member_batches *batches = member->batches;
    struct text chain = rollouts_chain_of(member, group);
    bool is_failed = text_is_equal(member->state.chain_failed, chain);
    const struct plan_limits *limits = &member->members->reconciler->control->options.limits;

    if (!GUARD(limits, G15) || !is_lagging(member, group) || member_is_staging(member) ||
        is_rollouts_reverted(member, group) || member->rerun.revision > member->state.rerun) {
        return false;
    }
    if (is_failed && !member_is_stuck(member, chain)) {
        /* an operator has requested a retry, so the member is out of service and may start */
        return false;
    }
    return batches == NULL || member_is_done_of(member, batches) ||
           (batches_is_rollout(&batches->request) &&
            !text_is_equal(batches_chain(&batches->request, member->token), chain));
}

/* True if the member is out of service for another reason than an operator command. */
static bool is_member_unhealthy(const struct member *member)
{
    struct text step = member->state.step;

    return !member->is_there || member->is_unanswered || member->is_unreachable_by_probe ||
           member->is_failing || member->is_unreachable || member_is_staging(member) ||
           text_has_prefix(step, TEXT("stage-")) || text_is(step, NODE_STATE_FAILED);
}

bool rollout_is_out(const struct member *member)
{
    return member_is_drained(member) || is_member_unhealthy(member);
}

bool rollout_is_done(const struct member *member, const struct member_batches *batches)
{
    struct text chain = batches_chain(&batches->request, member->token);

    return text_is_equal(member->state.chain_done, chain) &&
           !text_is_equal(member->state.chain_failed, chain);
}

static bool is_rollouts_of_group(const struct member *member, const struct fleet_group *group)
{
    return text_is_equal(member->group, group->plan.path) ||
           (group->plan.renamed_from.length > 0 &&
            text_is_equal(member->group, group->plan.renamed_from));
}

static const struct member *rollouts_node_of(const struct member_batches *batches, size_t at)
{
    const struct member *member =
        map_find(&batches->members->by_token, batches->request.tokens[at]);

    return member == NULL || member->is_going || member->is_taken ? NULL : member;
}

/* ---- groups ---- */

const struct fleet_group *rollout_group(const struct member_batches *batches)
{
    const struct fleet_cluster *cluster = batches->members->reconciler->cluster;
    const struct fleet_group *group = fleet_group_find(cluster, batches->request.group);

    for (size_t i = 0; group == NULL && i < cluster->group_count; i++) {
        if (text_is_equal(cluster->groups[i].plan.renamed_from, batches->request.group)) {
            group = &cluster->groups[i];
        }
    }
    return group;
}

/* True if the chains of single members in the rollout are still the desired ones. Members that have
 * left do not count, because their variables were removed with them. */
static bool has_rollouts_own_chains(const struct member_batches *batches,
                                    const struct fleet_group *group)
{
    if (group->variant_count == 0 && batches->request.chains.entry_count == 0) {
        return true;
    }
    for (size_t i = 0; i < batches->request.count; i++) {
        const struct member *member = rollouts_node_of(batches, i);

        if (member != NULL && is_rollouts_of_group(member, group) &&
            !text_is_equal(batches_chain(&batches->request, member->token),
                           rollouts_chain_of(member, group))) {
            return false;
        }
    }
    return true;
}

bool rollout_is_current(const struct member_batches *batches)
{
    const struct fleet_group *group = rollout_group(batches);

    return group != NULL && text_is_equal(group->chain, batches->request.chain) &&
           has_rollouts_own_chains(batches, group);
}

static bool is_rollouts_wanted(const struct fleet_group *group, struct text generation)
{
    for (size_t i = 0; i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, generation) ||
            text_is_equal(group->choices[i].former, generation)) {
            return true;
        }
    }
    return false;
}

/* Counts the members that machines of another generation will replace. Protected members are not
 * replaced. */
static size_t rollouts_replaced_count(const struct members *members,
                                      const struct fleet_group *group)
{
    size_t count = 0;

    for (const struct member *one = members->first; one != NULL && !group->plan.is_protected;
         one = one->next) {
        count += one->is_there && !one->is_starting && !one->is_protected &&
                 is_rollouts_of_group(one, group) && !is_rollouts_wanted(group, one->generation);
    }
    return count;
}

/* ---- operator commands ---- */

/* Returns the name of the newest `rollout resume` command of the group. Each such command has
 * another name. Empty: there was none. */
static struct text resumed_read(struct arena *arena, const struct members *members,
                                struct text group)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct cache_object *object =
        cache_find(members->reconciler->control->cache, cluster->tenant, TEXT("Control"),
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(group)));
    const struct cache_bytes *spec = object == NULL ? NULL : &object->parts[CACHE_SPEC];
    const struct doc *resumed;
    struct doc doc;
    struct buf buf;
    struct err err;

    if (spec == NULL || spec->bytes == NULL ||
        !json_parse(arena, blob_text(spec->bytes), NULL, &doc, &err)) {
        return TEXT("");
    }
    resumed = doc_child(&doc, "resumed");
    if (!doc_is_present(resumed)) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, resumed);
    return arena_printf(arena, "%016llx", (unsigned long long)text_hash(buf_text(&buf), 1));
}

static size_t failures_of(const struct member_batches *batches)
{
    return bootstrap_batches_failures(batches->marks, batches->request.count);
}

/* Return the observation for the hold of a stopped rollout: this rollout since its last resume
 * command, and its failures (G20). */
static struct text rollouts_observation_of(struct arena *arena,
                                           const struct member_batches *batches)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < batches->request.count; i++) {
        if (bootstrap_batches_is_failure(batches->marks[i])) {
            hash = text_hash(batches->request.tokens[i], hash + (unsigned char)batches->marks[i]);
        }
    }
    return arena_printf(arena, "%s/%zu/%08x", batches->rollout_request, failures_of(batches),
                        (unsigned)(uint32_t)hash);
}

/* Read the earlier approvals, if there are any. */
static void approved_read(struct member_batches *batches, bool is_new)
{
    struct text written = batches->written.approved;
    size_t count = batches->request.count;

    memset(batches->approved, BATCHES_UNAPPROVED, count);
    if (!is_new && written.length == count) {
        memcpy(batches->approved, written.data, count);
    }
}

/* True if `rollout promote` has approved the hold of the group. The approval covers the hold as it
 * was observed then, not a later one. */
static bool is_promotion_said(struct arena *arena, const struct member_batches *batches,
                              struct text group)
{
    const struct reconciler *reconciler = batches->members->reconciler;
    const struct cache_object *hold =
        cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT("Hold"),
                   arena_printf(arena, "%.*s/rollout/%.*s", TEXT_ARG(reconciler->cluster->id),
                                TEXT_ARG(group)));
    struct text observation;

    return commands_approved(arena, hold, &observation) &&
           text_is_equal(observation, rollouts_observation_of(arena, batches));
}

void rollout_request_make(struct member_batches *batches)
{
    uint64_t hash;

    assert(batches->name.length < sizeof(batches->rollout_request));
    snprintf(batches->rollout_request, sizeof(batches->rollout_request), "%.*s",
             TEXT_ARG(batches->name));
    if (batches_is_rollout(&batches->request)) {
        hash = text_hash(batches->name, (uint64_t)batches->request.at_ms);
        hash = text_hash(batches->written.resumed, hash);
        snprintf(batches->rollout_request, sizeof(batches->rollout_request), "%016llx",
                 (unsigned long long)hash);
    }
}

enum bootstrap_cut rollout_commands_apply(struct member_batches *batches)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct batches_progress *written = &batches->written;
    bool is_there = doc_is_present(&batches->row);
    const struct fleet_group *group = rollout_group(batches);
    struct text path = group == NULL ? batches->request.group : group->plan.path;
    struct text resumed = resumed_read(arena, batches->members, path);
    bool is_new = is_there && !text_is_equal(resumed, written->resumed) && resumed.length > 0;

    if (is_there && resumed.length == 0) {
        resumed = written->resumed;
    }
    snprintf(batches->resumed, sizeof(batches->resumed), "%.*s", TEXT_ARG(resumed));
    approved_read(batches, is_new);
    if (is_new) {
        for (size_t i = 0; i < batches->request.count; i++) {
            char mark = batches->marks[i];

            if (mark == BOOTSTRAP_MARK_FAILED || mark == BOOTSTRAP_MARK_LOST) {
                batches->marks[i] = BOOTSTRAP_MARK_WAITING;
            }
        }
        return BOOTSTRAP_CUT_NONE;
    }
    if (written->cut != BOOTSTRAP_CUT_NONE && is_promotion_said(arena, batches, path)) {
        for (size_t i = 0; i < batches->request.count; i++) {
            bool is_failure = bootstrap_batches_is_failure(batches->marks[i]);

            batches->approved[i] = is_failure ? batches->marks[i] : (char)BATCHES_UNAPPROVED;
        }
        return BOOTSTRAP_CUT_NONE;
    }
    return written->cut;
}

/* ---- marks ---- */

/* True if the member's stages ran for this slot and failed, and no retry is pending. */
static bool has_failed(const struct member_batches *batches, const struct member *member)
{
    return text_is_equal(member->state.chain_failed,
                         batches_chain(&batches->request, member->token)) &&
           member_is_done_of(member, batches);
}

static enum bootstrap_mark begun_mark(const struct member_batches *batches,
                                      const struct member *member, enum bootstrap_mark mark)
{
    bool is_amid = member_is_staging(member) || text_has_prefix(member->state.step, TEXT("stage-"));

    if (has_failed(batches, member)) {
        return BOOTSTRAP_MARK_FAILED;
    }
    if (batches->written.cut != BOOTSTRAP_CUT_NONE && mark == BOOTSTRAP_MARK_BEGUN && !is_amid) {
        return BOOTSTRAP_MARK_WAITING; /* the member has not started */
    }
    return member->failures >= LOST_TRIES ? BOOTSTRAP_MARK_LOST : mark;
}

enum bootstrap_mark rollout_mark_of(const struct member_batches *batches,
                                    const struct member *member, enum bootstrap_mark mark)
{
    const struct fleet_group *group = rollout_group(batches);

    if (group == NULL || !is_rollouts_of_group(member, group)) {
        return BOOTSTRAP_MARK_GONE;
    }
    if (rollout_is_done(member, batches)) {
        /* A member in maintenance may be unhealthy, because an operator works on it. */
        return is_member_unhealthy(member) && !member_is_drained(member) ? BOOTSTRAP_MARK_UNHEALTHY
                                                                         : BOOTSTRAP_MARK_DONE;
    }
    switch (mark) {
    case BOOTSTRAP_MARK_BEGUN:
    case BOOTSTRAP_MARK_LOST:
        return begun_mark(batches, member, mark);
    case BOOTSTRAP_MARK_WAITING:
        /* The member has already failed with this chain. A new rollout does not retry it: an
         * operator must decide. */
        return !doc_is_present(&batches->row) &&
                       member_is_stuck(member, batches_chain(&batches->request, member->token))
                   ? BOOTSTRAP_MARK_FAILED
                   : mark;
    case BOOTSTRAP_MARK_DONE:
    case BOOTSTRAP_MARK_UNHEALTHY:
        return BOOTSTRAP_MARK_WAITING; /* the machine was reinstalled, so its results are lost */
    case BOOTSTRAP_MARK_FAILED:
    case BOOTSTRAP_MARK_GONE:
    case BOOTSTRAP_MARK_SKIPPED:
        break;
    }
    return mark;
}

/* ---- service ---- */

/* Counts the ready members of the group, whether or not the rollout has begun them. */
static size_t serving_count(const struct members *members, const struct fleet_group *group)
{
    size_t count = 0;

    for (const struct member *one = members->first; one != NULL; one = one->next) {
        count += is_rollouts_of_group(one, group) && !one->is_going && !one->is_taken &&
                 !one->is_shadow && !one->is_starting && !rollout_is_out(one);
    }
    return count;
}

const struct bootstrap_service *rollout_service(struct arena *arena,
                                                const struct member_batches *batches)
{
    const struct fleet_group *group = rollout_group(batches);
    const struct plan_limits *limits = &batches->members->reconciler->control->options.limits;
    struct bootstrap_service *service = arena_one(arena, struct bootstrap_service);
    bool *is_out = arena_array(arena, bool, batches->request.count + 1);
    bool *is_approved = arena_array(arena, bool, batches->request.count + 1);
    size_t listed = 0;
    size_t serving;
    size_t out;

    *service =
        (struct bootstrap_service){ .is_out = is_out, .is_approved = is_approved, .out_max = 1 };
    for (size_t i = 0; i < batches->request.count; i++) {
        const struct member *member = rollouts_node_of(batches, i);

        is_out[i] = member != NULL && rollout_is_out(member);
        is_approved[i] =
            batches->approved[i] == batches->marks[i] || BUG(limits, BUG_SLOT_FAILURES_UNCOUNTED);
        listed += is_out[i];
    }
    if (group == NULL) {
        return service;
    }
    serving = serving_count(batches->members, group);
    out = group->plan.size > serving ? group->plan.size - serving : 0;
    service->out_others = out > listed ? out - listed : 0;
    service->out_max = group->plan.unavailable > 1 ? group->plan.unavailable : 1;
    if (BUG(limits, BUG_SLOTS_UNBOUNDED)) {
        service->out_max = SIZE_MAX;
    }
    if (BUG(limits, BUG_SLOT_FAILURES_UNCOUNTED)) {
        service->out_others = 0;
    }
    return service;
}

void rollout_unused_slots_return(struct member_batches *batches,
                                 const struct bootstrap_service *service)
{
    size_t out = service->out_others;
    size_t room;

    for (size_t i = 0; i < batches->request.count; i++) {
        out += service->is_out[i] && !service->is_approved[i];
    }
    room = service->out_max > out ? service->out_max - out : 0;
    for (size_t i = 0; i < batches->request.count; i++) {
        const struct member *member = rollouts_node_of(batches, i);

        if (batches->marks[i] != BOOTSTRAP_MARK_BEGUN || member == NULL || service->is_out[i] ||
            member->is_rebooting) {
            continue;
        }
        if (room > 0) {
            room--;
        } else {
            batches->marks[i] = BOOTSTRAP_MARK_WAITING;
        }
    }
}

struct text rollout_pause(struct arena *arena, const struct member_batches *batches)
{
    const struct members *members = batches->members;
    const struct fleet_group *group = rollout_group(batches);
    size_t replaced;

    if (group == NULL) {
        return TEXT("");
    }
    for (size_t i = 0; i < members->argument_count; i++) {
        const struct group_commands *commands = &members->commands[i];

        if (!text_is_equal(commands->group, group->plan.path)) {
            continue;
        }
        if (commands->is_paused || commands->roll != PLAN_ROLL_GOES) {
            return arena_printf(arena, "%.*s is %s", TEXT_ARG(group->plan.path),
                                commands->is_paused                   ? "paused"
                                : commands->roll == PLAN_ROLL_ABORTED ? "aborted in its rollout"
                                                                      : "paused in its rollout");
        }
    }
    replaced = rollouts_replaced_count(members, group);
    return replaced == 0
               ? TEXT("")
               : arena_printf(arena, "%.*s replaces machines with an outdated specification: %zu",
                              TEXT_ARG(group->plan.path), replaced);
}

/* ---- texts ---- */

static void rollouts_failure_add(struct buf *buf, const struct member *member, char mark)
{
    const struct node_state *state = &member->state;
    struct text why = record_sentence(buf->arena, text_slice(state->why, 0, FACT_WHY_BYTES));

    buf_printf(buf, "%.*s ", TEXT_ARG(member->name));
    if (state->reverted.length > 0) {
        buf_printf(buf, "%.*s (the member runs its previous stages again)",
                   TEXT_ARG(state->reverted_why));
    } else if (mark == BOOTSTRAP_MARK_LOST) {
        buf_add_string(buf, member->is_unreachable ? "cannot be reached"
                            : state->blocked == NODES_CAUSE_NONE
                                ? "could not be reached when its rollout slot was granted"
                                : "cannot run its stages");
    } else if (state->end == NODES_END_FAILED || state->end == NODES_END_CONTINUED) {
        buf_printf(buf, "stage-%u %.*s failed with exit code %d%s%.*s", state->number,
                   TEXT_ARG(state->stage), state->code, why.length > 0 ? ": " : "", TEXT_ARG(why));
    } else {
        buf_printf(buf, "stage-%u %.*s ended with %s", state->number, TEXT_ARG(state->stage),
                   nodes_end_name(state->end));
    }
}

struct text rollout_fact(struct arena *arena, const struct member_batches *batches)
{
    size_t waiting =
        bootstrap_batches_count(batches->marks, batches->request.count, BOOTSTRAP_MARK_WAITING);
    size_t failed = 0;
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < batches->request.count; i++) {
        char mark = batches->marks[i];
        const struct member *member = mark == BOOTSTRAP_MARK_FAILED || mark == BOOTSTRAP_MARK_LOST
                                          ? rollouts_node_of(batches, i)
                                          : NULL;

        if (member != NULL && failed++ < FACT_NODES) {
            buf_add_string(&buf, failed == 1 ? "" : ", ");
            rollouts_failure_add(&buf, member, mark);
        }
    }
    if (failed == 0) {
        buf_add_string(&buf, batches->step.cut == BOOTSTRAP_CUT_CANCELLED
                                 ? "the job was cancelled"
                                 : "members with the changed stages were lost");
    } else if (failed > FACT_NODES) {
        buf_printf(&buf, " and %zu more", failed - FACT_NODES);
    }
    if (waiting > 0) {
        buf_printf(&buf, "; %zu of %zu have not started", waiting, batches->request.count);
    }
    return buf_text(&buf);
}

/* Lists the first members that delay the others. They are out of service, whether or not this
 * rollout started them. */
static struct text out_words(struct arena *arena, const struct member_batches *batches)
{
    const struct fleet_group *group = rollout_group(batches);
    size_t count = 0;
    struct buf buf;

    buf_init(&buf, arena);
    for (const struct member *one = batches->members->first; one != NULL && group != NULL;
         one = one->next) {
        if (is_rollouts_of_group(one, group) && !one->is_going && !one->is_taken &&
            (one->is_starting || rollout_is_out(one)) && count++ < FACT_NODES) {
            buf_printf(&buf, "%s%.*s", count == 1 ? "" : ", ", TEXT_ARG(one->name));
        }
    }
    if (count > FACT_NODES) {
        buf_printf(&buf, " and %zu more", count - FACT_NODES);
    }
    return count == 0 ? TEXT("missing machines") : buf_text(&buf);
}

struct text rollout_waits(struct arena *arena, const struct member_batches *batches)
{
    const struct bootstrap_batches_step *step = &batches->step;
    size_t count = batches->request.count;
    const struct fleet_group *group = rollout_group(batches);

    if (step->state == BOOTSTRAP_BATCHES_HELD) {
        return rollout_fact(arena, batches);
    }
    if (step->state != BOOTSTRAP_BATCHES_RUNNING || group == NULL ||
        !doc_is_present(&batches->row) ||
        bootstrap_batches_count(batches->marks, count, BOOTSTRAP_MARK_BEGUN) > 0) {
        return TEXT("");
    }
    return arena_printf(arena, "out of service: %.*s; at most %u may be",
                        TEXT_ARG(out_words(arena, batches)),
                        group->plan.unavailable > 1 ? group->plan.unavailable : 1);
}

/* ---- creation ---- */

/* Make the name of a rollout. It depends only on the chains, so if the manager crashes, no second
 * rollout is created. */
static struct text rollout_name(struct arena *arena, const struct batches *request)
{
    uint64_t hash = text_hash(request->chain, text_hash(request->group, 1));

    for (size_t i = 0; i < request->chains.entry_count; i++) {
        const struct doc_entry *entry = &request->chains.entries[i];

        hash = text_hash(entry->value.text, text_hash(entry->key, hash));
    }
    return arena_printf(arena, "%016llx", (unsigned long long)hash);
}

static struct doc rollout_chains(struct arena *arena, const struct fleet_group *group,
                                 const struct member *const *lagging, size_t count)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; group->variant_count > 0 && i < count; i++) {
        struct text chain = rollouts_chain_of(lagging[i], group);

        if (!text_is_equal(chain, group->chain)) {
            doc_builder_add(&builder, &(struct doc_entry){ .key = lagging[i]->token,
                                                           .value = doc_text(chain, NULL) });
        }
    }
    return builder.count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, NULL);
}

const struct member_batches *rollout_find(const struct members *members,
                                          const struct fleet_group *group)
{
    const struct member_batches *batches = members->batches;

    while (batches != NULL && !(batches_is_rollout(&batches->request) &&
                                rollout_group(batches) == group && rollout_is_current(batches))) {
        batches = batches->next;
    }
    return batches;
}

static bool is_name_taken(const struct members *members, struct text name)
{
    const struct member_batches *batches = members->batches;

    while (batches != NULL && !text_is_equal(batches->name, name)) {
        batches = batches->next;
    }
    return batches != NULL;
}

bool rollout_is_replacing(const struct members *members, const struct fleet_group *group)
{
    return rollouts_replaced_count(members, group) > 0;
}

void rollout_new_add(struct members *members, const struct fleet_group *group,
                     const struct member *const *list, size_t count, struct text name,
                     const struct batches *request)
{
    struct arena *arena = members->rollouts_memory;
    struct batches filled = *request;
    struct bootstrap_rollout_member *entries =
        arena_array(arena, struct bootstrap_rollout_member, count);
    struct text *tokens = arena_array(arena, struct text, count);
    struct rollout_new *new = arena_one(arena, struct rollout_new);
    struct pacing policy =
        pacing_find(arena, members->reconciler->control->cache, members->reconciler->cluster, group,
                    batches_is_rollout(request));

    if (is_name_taken(members, name)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct bootstrap_rollout_member){ list[i]->slot, rollout_is_out(list[i]) };
        tokens[i] = list[i]->token;
    }
    pacing_arrange(arena, &policy, entries, tokens, count, &filled);
    *new = (struct rollout_new){ .next = members->rollouts,
                                 .name = name,
                                 .value = batches_format(arena, &filled) };
    members->rollouts = new;
}

static void rollout_create(struct members *members, const struct fleet_group *group,
                           const struct member *const *lagging, size_t count)
{
    struct arena *arena = members->rollouts_memory;
    const struct control *control = members->reconciler->control;

    struct batches request = { .at_ms = control->ports.wall_ms(control->ports.arg),
                               .is_failed = true,
                               .group = group->plan.path,
                               .chain = group->chain,
                               .chains = rollout_chains(arena, group, lagging, count) };

    rollout_new_add(members, group, lagging, count, rollout_name(arena, &request), &request);
}

/* True if a rollout must cover the member: it waits for a slot, or runs stages that are no longer
 * desired. A run for a request about this member alone does not count. */
static bool is_to_be_covered(const struct member *member, const struct fleet_group *group)
{
    return is_lagging(member, group) && !is_rollouts_reverted(member, group) &&
           (member_is_staging(member)
                ? !text_is_equal(text_from(member->main.chain), rollouts_chain_of(member, group))
                : member_needs_slot(member, group));
}

static void rollouts_group_look(struct members *members, const struct fleet_group *group)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct member **lagging = arena_array(arena, const struct member *, LIMIT_BATCHES_NODES);
    size_t count = 0;

    for (const struct member *one = members->first; one != NULL && count < LIMIT_BATCHES_NODES;
         one = one->next) {
        if (is_rollouts_of_group(one, group) && is_to_be_covered(one, group)) {
            lagging[count++] = one;
        }
    }
    if (count > 0 && rollouts_replaced_count(members, group) == 0) {
        rollout_create(members, group, lagging, count);
    }
}

/* Most often no member waits. Then the groups are not checked. */
void rollouts_find_missing(struct members *members)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    bool *has_lagging = arena_array(arena, bool, cluster->group_count + 1);

    arena_free(members->rollouts_memory);
    members->rollouts_memory = arena_new_small(SIZE_MAX);
    members->rollouts = NULL;
    memset(has_lagging, 0, cluster->group_count);
    for (const struct member *one = members->first; one != NULL; one = one->next) {
        const struct fleet_group *group = fleet_group_find(cluster, one->group);

        if (group != NULL && is_to_be_covered(one, group)) {
            has_lagging[group - cluster->groups] = true;
        }
    }
    for (size_t i = 0; cluster->is_there && i < cluster->group_count; i++) {
        if (has_lagging[i] && rollout_find(members, &cluster->groups[i]) == NULL) {
            rollouts_group_look(members, &cluster->groups[i]);
        }
    }
}

/* Writes the rollouts that are to be created. If two managers create the same rollout, only one
 * succeeds, because the key must not exist. The number of a rollout is the revision of its
 * creation, so one transaction creates one rollout. The next rollout is created after the
 * commit. */
void rollouts_write(struct members *members)
{
    const struct rollout_new *new = members->rollouts;
    struct reconciler *reconciler = members->reconciler;
    struct arena *arena = reconciler->settle_arena;

    if (new != NULL) {
        struct text name = arena_text(arena, new->name);

        unit_add(arena, &reconciler->units,
                 control_key(arena, reconciler->cluster, BATCHES_KIND, name, CACHE_BASE), 0,
                 arena_text(arena, new->value));
    }
    members->rollouts = NULL;
}

/* ---- data for passes ---- */

struct members_slots members_slots_of(const struct reconciler *reconciler, struct arena *arena,
                                      struct text group)
{
    const struct fleet_group *found = fleet_group_find(reconciler->cluster, group);
    const struct member_batches *batches = reconciler->members == NULL || found == NULL
                                               ? NULL
                                               : rollout_find(reconciler->members, found);
    struct members_slots slots = { 0 };

    if (batches == NULL || batches->is_superseded) {
        return slots;
    }
    slots.waiting = (uint32_t)bootstrap_batches_count(batches->marks, batches->request.count,
                                                      BOOTSTRAP_MARK_WAITING);
    /* The hold and the operator's answer are kept until the effect of the answer is written, or
     * until the hold is obsolete. */
    if (batches->step.cut != BOOTSTRAP_CUT_NONE || batches->written.cut != BOOTSTRAP_CUT_NONE) {
        slots.stopped = rollout_fact(arena, batches);
        slots.observation = rollouts_observation_of(arena, batches);
    }
    return slots;
}

bool members_slots_are_known(const struct reconciler *reconciler)
{
    return !members_is_unknown(reconciler) &&
           (reconciler->members == NULL || reconciler->members->has_decided);
}

static bool has_any_job(const struct reconciler *reconciler)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);

    return cache_first(reconciler->control->cache,
                       arena_printf(arena, "/%.*s/" BATCHES_KIND "/%.*s/",
                                    TEXT_ARG(reconciler->cluster->tenant),
                                    TEXT_ARG(reconciler->cluster->id))) != NULL;
}

bool members_is_in_rollout(const struct reconciler *reconciler, struct text token)
{
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);

    if (!members_slots_are_known(reconciler)) {
        return has_any_job(reconciler);
    }
    return member != NULL && (member->slot_mark == BOOTSTRAP_MARK_BEGUN ||
                              member->slot_mark == BOOTSTRAP_MARK_FAILED ||
                              member->slot_mark == BOOTSTRAP_MARK_LOST ||
                              member->slot_mark == BOOTSTRAP_MARK_UNHEALTHY);
}

void rollout_marks_note(const struct member_batches *batches)
{
    for (size_t i = 0; i < batches->request.count; i++) {
        struct member *member = map_find(&batches->members->by_token, batches->request.tokens[i]);

        if (member == NULL) {
            continue;
        }
        member->slot_mark = batches->marks[i];
        if (batches->marks[i] == BOOTSTRAP_MARK_WAITING && member->batches == batches) {
            member->batches = NULL; /* its slot was withdrawn, which may not be written yet */
        }
    }
}
