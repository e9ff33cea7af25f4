#include "base/limits.h"
#include "base/sort.h"
#include "codec/json.h"
#include "engine/fleet.h"
#include "engine/service_parts.h"
#include "engine/words.h"
#include "model/nest.h"
#include "model/ranges.h"
#include "reeve/plugin.h"
#include "wire/wire.h"

#include <assert.h>
#include <string.h>

/* names: mutation_ */

/* An operator asks for other machines in the slots of some members of a group, though nothing of the group changes.
 *
 * Normal case: the members become tokens in the words of the group (`replace`, words.h), written in the transaction that writes the
 * group's specification anew; so the request has a revision, an author and a job like every change. The next pass marks the records
 * of these machines as outdated, and the rollout of the group replaces them: surge, canary, batch and maxFail count.
 *
 * Failure modes: a member that is protected, that is being created or destroyed, or whose plugin cannot make another machine is
 * refused (R0820), and nothing is written. Of a whole group (`*`) those members are left out. */

struct replacing {
    struct mutation *mutation;
    struct arena *arena;
    struct text id;   /* of the cluster */
    struct text path; /* of the group */
    bool is_whole;
    bool is_protected; /* the whole group is */
    struct record *records;
    size_t record_count;
    bool *is_chosen; /* of each record */
    size_t count;
    /* The time of the newest record of the group, by the clock of the cluster. */
    uint64_t newest_ms;
};

/* ---- choosing ---- */

MUST_CHECK static bool replace_refuse(const struct replacing *replacing, struct text word,
                                      const char *why, const char *hint, struct err *err)
{
    err_set(err, CODE_R0820, "'%.*s/%.*s' cannot be replaced: %s",
            TEXT_ARG(replacing->mutation->change.objects[0].name), TEXT_ARG(word), why);
    return err_hint(err, "%s", hint);
}

static void replace_records_read(struct replacing *replacing)
{
    size_t count = 0;
    size_t own = 0;

    replacing->records = mutation_records(replacing->mutation, replacing->id, &count);
    for (size_t i = 0; i < count; i++) {
        const struct plan_record *plan = &replacing->records[i].plan;

        if (text_is_equal(plan->group, replacing->path)) {
            replacing->newest_ms =
                plan->created_ms > replacing->newest_ms ? plan->created_ms : replacing->newest_ms;
            replacing->records[own++] = replacing->records[i];
        }
    }
    replacing->record_count = own;
    replacing->is_chosen = arena_array(replacing->arena, bool, own);
}

static bool is_group_protected(const struct replacing *replacing)
{
    struct fleet_cluster cluster = { 0 };

    if (!fleet_groups_read(replacing->arena, &replacing->mutation->change.objects[0].new_stored,
                           &cluster)) {
        return false;
    }
    for (size_t i = 0; i < cluster.group_count; i++) {
        if (text_is_equal(cluster.groups[i].plan.path, replacing->path)) {
            return cluster.groups[i].plan.is_protected;
        }
    }
    return false;
}

/* Can the plugin make another machine of this sort? */
static bool is_made_anew(const struct replacing *replacing, const struct record *record)
{
    const struct model_plugins *plugins = replacing->mutation->service->keeper.plugins;
    struct text plugin = record->plugin;
    const struct wire_hello *hello =
        plugins == NULL
            ? NULL
            : plugins->find(plugins->arg, text_slice(plugin, 0, text_find_byte(plugin, '/')));

    return hello == NULL || (hello->capabilities & REEVE_CAN_DISPOSE) != 0;
}

MUST_CHECK static bool member_check(const struct replacing *replacing, const struct record *record,
                                    struct err *err)
{
    if (record->plan.is_protected || replacing->is_protected) {
        return replace_refuse(
            replacing, record->name, "it is protected",
            "if it may be destroyed: reeve set nodegroup/CLUSTER/GROUP protected=false", err);
    }
    if (record->plan.state == PLAN_RECORD_CREATE) {
        return replace_refuse(replacing, record->name, "its machine is being created",
                              "wait until it is there: reeve wait node/CLUSTER/NODE --for ready",
                              err);
    }
    if (record->plan.state == PLAN_RECORD_DELETE) {
        return replace_refuse(replacing, record->name, "its machine is being destroyed already",
                              "another one comes when it is gone: reeve tree", err);
    }
    if (!is_made_anew(replacing, record)) {
        return replace_refuse(
            replacing, record->name, "its plugin has no other machine for the slot",
            "reeve bootstrap run NODE --rerun runs its stages again, reeve release NODE returns it",
            err);
    }
    return true;
}

static void member_choose(struct replacing *replacing, size_t index)
{
    const struct plan_record *plan = &replacing->records[index].plan;

    if (!replacing->is_chosen[index] && !record_is_replaced(plan->generation)) {
        replacing->is_chosen[index] = true;
        replacing->count++;
    }
}

MUST_CHECK static bool replace_word_choose(struct replacing *replacing, struct text word,
                                           struct err *err)
{
    bool is_found = false;

    for (size_t i = 0; i < replacing->record_count; i++) {
        const struct record *record = &replacing->records[i];

        if (!ranges_has(word, record->name) && !text_is_equal(word, record->plan.id) &&
            !text_is_equal(word, record->plan.token)) {
            continue;
        }
        /* Of two machines in a slot the one that is destroyed is not meant. */
        if (record->plan.state == PLAN_RECORD_DELETE && !text_is_equal(word, record->plan.token)) {
            continue;
        }
        if (!member_check(replacing, record, err)) {
            return false;
        }
        is_found = true;
        member_choose(replacing, i);
    }
    return is_found || replace_refuse(replacing, word, "the group has no such machine",
                                      "reeve tree CLUSTER shows what there is", err);
}

MUST_CHECK static bool replace_choose(struct replacing *replacing, struct err *err)
{
    struct text rest = replacing->mutation->request.replaces;
    struct text word;
    struct err ignored;

    for (size_t i = 0; replacing->is_whole && i < replacing->record_count; i++) {
        if (member_check(replacing, &replacing->records[i], &ignored)) {
            member_choose(replacing, i);
        }
    }
    if (replacing->is_whole && replacing->count == 0) {
        err_set(err, CODE_R0820,
                "nodegroup '%.*s/%.*s' has no machine that can be replaced, or all of them are "
                "being replaced already",
                TEXT_ARG(replacing->mutation->change.objects[0].name), TEXT_ARG(replacing->path));
        return err_hint(err, "reeve tree shows its machines; members that are protected, created "
                             "or destroyed are left out");
    }
    while (!replacing->is_whole && ranges_next(&rest, &word)) {
        if (!replace_word_choose(replacing, word, err)) {
            return false;
        }
    }
    if (!replacing->is_whole && replacing->count > LIMIT_REPLACE_MACHINES) {
        err_set(err, CODE_R0820, "%zu machines are named, and at most %d may be", replacing->count,
                LIMIT_REPLACE_MACHINES);
        return err_hint(err, "name fewer at a time; reeve rollout restart replaces a whole group");
    }
    if (replacing->count == 0) {
        err_set(err, CODE_R0820, "'%.*s' is being replaced already",
                TEXT_ARG(replacing->mutation->request.replaces));
        return err_hint(err, "reeve job watch shows how far it is, reeve rollout status what it "
                             "waits for");
    }
    return true;
}

/* ---- writing ---- */

/* Tokens of an earlier request that no pass has marked yet. */
static size_t earlier_tokens(const struct replacing *replacing, const struct doc *word,
                             struct doc *items, size_t count)
{
    const struct doc *tokens = doc_child(word, "tokens");

    for (size_t i = 0; doc_is_list(tokens) && i < tokens->item_count; i++) {
        for (size_t j = 0; j < replacing->record_count; j++) {
            const struct plan_record *plan = &replacing->records[j].plan;

            if (text_is_equal(plan->token, tokens->items[i].text) && !replacing->is_chosen[j] &&
                plan->state == PLAN_RECORD_ACTIVE && !record_is_replaced(plan->generation)) {
                items[count++] = tokens->items[i];
            }
        }
    }
    return count;
}

/* Machines of a whole group that are not meant although they were recorded before: created or protected now, which nobody agreed to
 * have replaced later. */
static struct doc spared_tokens(const struct replacing *replacing)
{
    struct doc *items = arena_array(replacing->arena, struct doc, replacing->record_count);
    size_t count = 0;

    for (size_t i = 0; i < replacing->record_count; i++) {
        const struct plan_record *plan = &replacing->records[i].plan;

        if (!replacing->is_chosen[i] && plan->state != PLAN_RECORD_DELETE &&
            !record_is_replaced(plan->generation)) {
            items[count++] = doc_text(plan->token, NULL);
        }
    }
    return doc_list(items, count, NULL);
}

/* A whole group is named by the time of its newest record: a list of its tokens could be longer than a value may be. */
MUST_CHECK static bool replace_words_make(struct replacing *replacing,
                                          const struct cache_object *control, struct text *out,
                                          struct err *err)
{
    struct arena *arena = replacing->arena;
    struct doc words = words_read(arena, control);
    const struct doc *word = doc_child(&words, "replace");
    const struct doc *until = doc_child(word, "until");
    struct doc spared = replacing->is_whole                      ? spared_tokens(replacing)
                        : doc_is_list(doc_child(word, "except")) ? *doc_child(word, "except")
                                                                 : doc_list(NULL, 0, NULL);
    struct doc *items = arena_array(arena, struct doc, 2 * replacing->record_count);
    struct doc_builder builder;
    struct doc made;
    size_t count = earlier_tokens(replacing, word, items, 0);
    struct buf buf;

    for (size_t i = 0; !replacing->is_whole && i < replacing->record_count; i++) {
        if (replacing->is_chosen[i]) {
            items[count++] = doc_text(replacing->records[i].plan.token, NULL);
        }
    }
    if (count + spared.item_count > LIMIT_REPLACE_WAITING) {
        err_set(err, CODE_R0820, "%zu machines of '%.*s' are named or left out, at most %d may be",
                count + spared.item_count, TEXT_ARG(replacing->path), LIMIT_REPLACE_WAITING);
        return err_hint(err, "wait until the manager reconciles the cluster (reeve status)");
    }
    doc_builder_init(&builder, arena);
    if (spared.item_count > 0) {
        doc_builder_put(&builder, "except", spared);
    }
    if (count > 0) {
        doc_builder_put(&builder, "tokens", doc_list(items, count, NULL));
    }
    if (replacing->is_whole) {
        doc_builder_put(&builder, "until", doc_int(arena, (int64_t)replacing->newest_ms, NULL));
    } else if (doc_is_present(until)) {
        doc_builder_put(&builder, "until", *until);
    }
    made = doc_builder_map(&builder, NULL);
    words = nest_put(arena, &words, "replace", made);
    buf_init(&buf, arena);
    json_format(&buf, &words);
    *out = buf_text(&buf);
    return true;
}

MUST_CHECK static bool replace_words_write(struct replacing *replacing, struct err *err)
{
    struct mutation *mutation = replacing->mutation;
    struct text id = arena_printf(replacing->arena, "%.*s/%.*s", TEXT_ARG(replacing->id),
                                  TEXT_ARG(replacing->path));
    const struct cache_object *control =
        cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("Control"), id);
    bool is_said = control != NULL && control->parts[CACHE_SPEC].bytes != NULL;
    struct change_op op = { .key = objects_key(replacing->arena, mutation->actor.tenant,
                                               TEXT("Control"), id, CACHE_SPEC) };

    if (!replace_words_make(replacing, control, &op.value, err)) {
        return false;
    }
    mutation_op_append(mutation, op, is_said ? control->parts[CACHE_SPEC].revision : 0);
    return true;
}

/* ---- the plan ---- */

static int replaced_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

static struct doc replaced_names(const struct replacing *replacing)
{
    struct text *names = arena_array(replacing->arena, struct text, replacing->record_count);
    struct buf buf;
    size_t count = 0;

    for (size_t i = 0; i < replacing->record_count; i++) {
        if (replacing->is_chosen[i]) {
            names[count++] = replacing->records[i].name;
        }
    }
    sort_stable(replacing->arena, names, count, sizeof(*names), replaced_compare, NULL);
    buf_init(&buf, replacing->arena);
    ranges_format(&buf, names, count);
    return doc_text(buf_text(&buf), NULL);
}

static bool replace_object_tell(void *arg, const struct doc *planned, struct doc *out)
{
    struct replacing *replacing = arg;
    struct arena *arena = replacing->arena;
    const struct doc *groups = doc_child(planned, "groups");
    const struct doc *sums = doc_child(planned, "sums");
    struct doc number = doc_int(arena, (int64_t)replacing->count, NULL);
    struct doc *told;
    struct doc sum;

    if (!doc_is_list(groups) || sums == NULL) {
        return false;
    }
    told = arena_array(arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        told[i] = groups->items[i];
        if (text_is_equal(mutation_text_of(&told[i], "path"), replacing->path)) {
            told[i] = nest_put(arena, &told[i], "change", doc_text(TEXT("change"), NULL));
            told[i] = nest_put(arena, &told[i], "replace", number);
            told[i] = nest_put(arena, &told[i], "replaced", replaced_names(replacing));
        }
    }
    sum = nest_put(arena, sums, "replace", number);
    *out = nest_put(arena, planned, "groups", doc_list(told, groups->item_count, NULL));
    *out = nest_put(arena, out, "change", doc_text(TEXT("change"), NULL));
    *out = nest_put(arena, out, "sums", sum);
    return true;
}

bool mutation_replace_take(struct mutation *mutation, struct err *err)
{
    const struct service_patch *patch = mutation->patch;
    struct replacing replacing = { .mutation = mutation, .arena = mutation->work };

    if (mutation->request.replaces.length == 0) {
        return true;
    }
    if (patch == NULL || patch->kind->owner != OWNER_NODEGROUP ||
        mutation->change.object_count != 1 || mutation->request.document_count != 1 ||
        !doc_is_map(patch->patch) || patch->patch->entry_count > 0) {
        err_set(err, CODE_R0820, "machines are replaced by a request that changes nothing else");
        return err_hint(err, "send an empty merge patch of one node group: {}");
    }
    replacing.id = mutation->change.objects[0].id;
    replacing.path = mutation_text_of(&mutation->request.documents[0], "name");
    replacing.is_whole = text_is(mutation->request.replaces, "*");
    replacing.is_protected = is_group_protected(&replacing);
    replace_records_read(&replacing);
    if (!replace_choose(&replacing, err) || !replace_words_write(&replacing, err)) {
        return false;
    }
    assert(replacing.count > 0);
    mutation->change.needs.replace += replacing.count;
    mutation->change.summary.replaces += replacing.count;
    mutation_plan_tell(mutation, replace_object_tell, &replacing);
    return true;
}
