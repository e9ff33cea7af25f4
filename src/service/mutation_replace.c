#include "base/limits.h"
#include "inventory/inventory.h"
#include "records/fleet.h"
#include "reeve/plugin.h"
#include "service/mutation_members.h"
#include "wire/wire.h"

#include <assert.h>

/* public names start with: mutation_ */

/* Requests for new machines in the slots of some members of a group, without a change of the group.
 *
 * Normal case: the tokens of the members are stored in the commands of the group (`replace`,
 * records/commands.h), in the transaction that writes the group's specification again. So the
 * request has a revision, an author and a job like every change. The next pass marks the records of
 * these machines as outdated, and the rollout of the group replaces them within surge, canary,
 * batch and maxFail.
 *
 * Failure modes: a member that is protected, that is being created or destroyed, or whose plugin
 * cannot create another machine is rejected (R0820), and nothing is written. A request for a whole
 * group (`*`) skips such members. */

/* ---- selection ---- */

/* Return the group of the request; NULL if its specification cannot be read. */
static const struct fleet_group *replace_group_find(const struct mutation_members *members)
{
    struct fleet_cluster cluster = { 0 };

    if (!fleet_groups_read(members->arena, &members->mutation->change.objects[0].new_stored,
                           &cluster)) {
        return NULL;
    }
    mutation_groups_reduce(members->mutation, &cluster);
    for (size_t i = 0; i < cluster.group_count; i++) {
        if (text_is_equal(cluster.groups[i].plan.path, members->path)) {
            return &cluster.groups[i];
        }
    }
    return NULL;
}

/* True if the member's plugin can create another machine, or can take one from the inventory. */
static bool is_made_anew(const struct mutation_members *members, const struct record *record)
{
    const struct model_plugins *plugins = members->mutation->service->reconciler.plugins;
    struct text plugin = record->plugin;
    const struct wire_hello *hello =
        plugins == NULL
            ? NULL
            : plugins->find(plugins->arg, text_slice(plugin, 0, text_find_byte(plugin, '/')));

    return hello == NULL || (hello->capabilities & REEVE_CAN_DISPOSE) != 0 ||
           text_is(hello->name, INVENTORY_PLUGIN);
}

MUST_CHECK static bool replace_check(const struct mutation_members *members,
                                     const struct record *record, struct err *err)
{
    if (record->plan.is_protected || members->is_protected) {
        return mutation_members_refuse(
            members, record->name, "the machine is protected",
            arena_printf(
                members->arena,
                "if the machine may be destroyed: reeve set nodegroup/%.*s/%.*s protected=false",
                TEXT_ARG(members->mutation->change.objects[0].name), TEXT_ARG(members->path))
                .data,
            err);
    }
    return is_made_anew(members, record) ||
           mutation_members_refuse(
               members, record->name, "the plugin cannot create another machine for the slot",
               "reeve bootstrap run NODE --rerun runs its stages again, reeve release NODE returns the machine to its owner",
               err);
}

static bool is_replace_requested(const struct record *record)
{
    return record_is_replaced(record->plan.generation);
}

static const struct mutation_members_kind replace_kind = {
    .code = CODE_R0820,
    .name = "replace",
    .past = "replaced",
    .named_max = LIMIT_REPLACE_MACHINES,
    .max_hint = "name fewer machines at a time; reeve rollout restart replaces a whole group",
    .gone_hint = "a new machine is created when the old one is gone: reeve tree",
    .check = replace_check,
    .is_requested = is_replace_requested,
};

MUST_CHECK static bool replace_whole_choose(struct mutation_members *members, struct err *err)
{
    struct err ignored;

    for (size_t i = 0; i < members->record_count; i++) {
        if (mutation_members_check(members, &members->records[i], &ignored)) {
            mutation_members_add(members, i);
        }
    }
    if (members->count > 0) {
        return true;
    }
    err_set(err, CODE_R0820,
            "nodegroup '%.*s/%.*s' has no machine that can be replaced, or all of them are "
            "being replaced already",
            TEXT_ARG(members->mutation->change.objects[0].name), TEXT_ARG(members->path));
    return err_hint(err, "reeve tree shows its machines; members that are protected, created "
                         "or destroyed are left out");
}

MUST_CHECK static bool replace_choose(struct mutation_members *members, bool is_whole,
                                      struct err *err)
{
    struct text names = members->mutation->request.replaces;

    if (is_whole) {
        return replace_whole_choose(members, err);
    }
    if (!mutation_members_choose(members, names, err)) {
        return false;
    }
    if (members->count == 0) {
        err_set(err, CODE_R0820, "'%.*s' is being replaced already", TEXT_ARG(names));
        return err_hint(
            err, "reeve job watch shows the progress, reeve rollout status the reason for a wait");
    }
    return true;
}

/* ---- failures before the request ---- */

static bool is_of_group(const struct fleet_group *group, const struct plan_record *record)
{
    for (size_t i = 0; i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, record->generation)) {
            return true;
        }
    }
    return false;
}

/* Return the number of failed machines of the group whose records have been removed. */
static uint64_t replace_fails_forgotten(const struct mutation_members *members,
                                        const struct fleet_group *group)
{
    const struct cache_bytes *status =
        members->control == NULL ? NULL : &members->control->parts[CACHE_STATUS];
    const struct counter *counter;
    struct counters counters;
    struct err ignored;

    if (status == NULL || status->bytes == NULL ||
        !counters_parse(members->arena, blob_text(status->bytes), &counters, &ignored)) {
        return 0;
    }
    counter = counter_find(counters.failed, counters.failed_count, group->plan.generation);
    return counter == NULL ? 0 : counter->seen.count;
}

/* Return the failures of the group's generation so far. The rollout of this request does not count
 * them towards maxFail, because they are usually the reason for the request. While machines of
 * another generation wait for a rollout, which may have stopped, the result is that of the earlier
 * request, if any. */
static struct doc replace_fails(const struct mutation_members *members,
                                const struct fleet_group *group, const struct doc *earlier)
{
    uint64_t count = replace_fails_forgotten(members, group);
    struct doc_builder builder;

    for (size_t i = 0; i < members->record_count; i++) {
        const struct plan_record *record = &members->records[i].plan;

        if (record->state != PLAN_RECORD_DELETE && !is_of_group(group, record)) {
            const struct doc *before = doc_child(earlier, "fails");

            return before == NULL ? (struct doc){ 0 } : *before;
        }
        if (!members->is_chosen[i] && is_of_group(group, record)) {
            count +=
                record->losses + (record->failing_since_ms > 0 || record->failed_since_ms > 0 ||
                                  record->unreachable_since_ms > 0);
        }
    }
    doc_builder_init(&builder, members->arena);
    doc_builder_put(&builder, "count", doc_int(members->arena, (int64_t)count, NULL));
    doc_builder_put(&builder, "generation", doc_text(group->plan.generation, NULL));
    return count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, NULL);
}

/* ---- writing ---- */

/* Return the unmarked tokens of an earlier request, followed by those of this request. */
static struct doc replace_tokens(const struct mutation_members *members, const struct doc *earlier,
                                 const struct doc *own)
{
    const struct doc *tokens = doc_child(earlier, "tokens");
    struct doc *items = arena_array(members->arena, struct doc, 2 * members->record_count);
    size_t count = 0;

    for (size_t i = 0; doc_is_list(tokens) && i < tokens->item_count; i++) {
        for (size_t j = 0; j < members->record_count; j++) {
            const struct plan_record *plan = &members->records[j].plan;

            if (text_is_equal(plan->token, tokens->items[i].text) && !members->is_chosen[j] &&
                plan->state == PLAN_RECORD_ACTIVE && !record_is_replaced(plan->generation)) {
                items[count++] = tokens->items[i];
            }
        }
    }
    for (size_t i = 0; i < own->item_count; i++) {
        items[count++] = own->items[i];
    }
    return doc_list(items, count, NULL);
}

/* Return the machines to exclude from a request for a whole group, although their records are older
 * than the request. They are now protected or being created, and the request is no consent to
 * replace them later. */
static struct doc spared_tokens(const struct mutation_members *members)
{
    struct doc *items = arena_array(members->arena, struct doc, members->record_count);
    size_t count = 0;

    for (size_t i = 0; i < members->record_count; i++) {
        const struct plan_record *plan = &members->records[i].plan;

        if (!members->is_chosen[i] && plan->state != PLAN_RECORD_DELETE &&
            !record_is_replaced(plan->generation)) {
            items[count++] = doc_text(plan->token, NULL);
        }
    }
    return doc_list(items, count, NULL);
}

/* Return the time of the newest record of the group, by the cluster's clock. */
static uint64_t newest_record_ms(const struct mutation_members *members)
{
    uint64_t newest_ms = 0;

    for (size_t i = 0; i < members->record_count; i++) {
        uint64_t created_ms = members->records[i].plan.created_ms;

        newest_ms = created_ms > newest_ms ? created_ms : newest_ms;
    }
    return newest_ms;
}

/* Write the request. A request for a whole group has the time of the group's newest record instead
 * of tokens, because a list of tokens could exceed the maximal size of a value. */
MUST_CHECK static bool replace_words_write(struct mutation_members *members, bool is_whole,
                                           const struct doc *fails, struct err *err)
{
    const struct doc *earlier = doc_child(&members->requests, "replace");
    const struct doc *until = doc_child(earlier, "until");
    struct doc spared = is_whole                                    ? spared_tokens(members)
                        : doc_is_list(doc_child(earlier, "except")) ? *doc_child(earlier, "except")
                                                                    : doc_list(NULL, 0, NULL);
    struct doc own = is_whole ? doc_list(NULL, 0, NULL) : mutation_members_tokens(members);
    struct doc tokens = replace_tokens(members, earlier, &own);
    struct doc_builder builder;

    if (tokens.item_count + spared.item_count > LIMIT_REPLACE_WAITING) {
        err_set(err, CODE_R0820, "%zu machines of '%.*s' are given or left out, at most %d may be",
                tokens.item_count + spared.item_count, TEXT_ARG(members->path),
                LIMIT_REPLACE_WAITING);
        return err_hint(err, "wait until the manager reconciles the cluster (reeve status)");
    }
    doc_builder_init(&builder, members->arena);
    if (spared.item_count > 0) {
        doc_builder_put(&builder, "except", spared);
    }
    if (doc_is_present(fails)) {
        doc_builder_put(&builder, "fails", *fails);
    }
    if (tokens.item_count > 0) {
        doc_builder_put(&builder, "tokens", tokens);
    }
    if (is_whole) {
        doc_builder_put(&builder, "until",
                        doc_int(members->arena, (int64_t)newest_record_ms(members), NULL));
    } else if (doc_is_present(until)) {
        doc_builder_put(&builder, "until", *until);
    }
    mutation_members_write(members, doc_builder_map(&builder, NULL));
    return true;
}

bool mutation_replace_take(struct mutation *mutation, struct err *err)
{
    bool is_whole = text_is(mutation->request.replaces, "*");
    const struct fleet_group *group;
    struct mutation_members members;
    struct doc fails = { 0 };

    if (mutation->request.replaces.length == 0) {
        return true;
    }
    if (!mutation_members_begin(mutation, &replace_kind, &members, err)) {
        return false;
    }
    group = replace_group_find(&members);
    members.is_protected = group != NULL && group->plan.is_protected;
    if (!replace_choose(&members, is_whole, err)) {
        return false;
    }
    if (group != NULL) {
        fails = replace_fails(&members, group, doc_child(&members.requests, "replace"));
    }
    if (!replace_words_write(&members, is_whole, &fails, err)) {
        return false;
    }
    assert(members.count > 0);
    mutation->change.needs.replace += members.count;
    mutation->change.summary.replaces += members.count;
    mutation_members_report(&members);
    return true;
}
