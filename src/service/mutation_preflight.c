#include "codec/json.h"
#include "model/properties.h"
#include "model/set.h"
#include "records/fleet.h"
#include "records/pins.h"
#include "service/service_parts.h"

#include <string.h>

/* public names start with: preflight_ */

/* The check of a plan at the providers (E25). For each group that needs machines, its plugin checks
 * whether the provider would create them. As in mutation_judge.c, the change is computed again when
 * all plugins have answered; between the attempts only their findings are kept. Groups that need no
 * new machines are not checked, so that a change of labels, for example, causes no call. */

struct preflight {
    struct preflight *next;
    struct mutation *mutation;
    /* The request to a plugin. It does not contain the cluster id, because a new cluster gets
     * another id in each attempt. */
    struct text key;
    bool has_come;
    struct provider_preflight found;
};

/* One alternative of a group, as resolved in the current attempt. */
struct preflight_group {
    struct mutation *mutation;
    const struct change_object *object;
    const struct fleet_group *group;
    const struct fleet_choice *choice;
    size_t index; /* index of the alternative */
    const struct wire_hello *hello;
    uint64_t count; /* machines that may be created */
};

/* Called for each alternative that needs a check. */
typedef void preflight_visit(const struct preflight_group *one);

/* ---- which groups need a check ---- */

static const struct fleet_group *preflight_group_find(const struct fleet_cluster *cluster,
                                                      struct text path)
{
    for (size_t i = 0; i < cluster->group_count; i++) {
        if (text_is_equal(cluster->groups[i].plan.path, path)) {
            return &cluster->groups[i];
        }
    }
    return NULL;
}

static bool has_generation(const struct fleet_group *group, struct text generation)
{
    for (size_t i = 0; group != NULL && i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, generation)) {
            return true;
        }
    }
    return false;
}

static uint64_t machines_count(const struct record *records, size_t count, struct text path)
{
    uint64_t found = 0;

    for (size_t i = 0; i < count; i++) {
        found += text_is_equal(records[i].plan.group, path) &&
                 records[i].plan.state != PLAN_RECORD_DELETE;
    }
    return found;
}

static void choices_visit(struct preflight_group *one, const struct fleet_group *was,
                          uint64_t there, preflight_visit *visit)
{
    const struct model_plugins *plugins = one->mutation->service->reconciler.plugins;
    uint64_t size = one->group->plan.size;

    for (size_t i = 0; i < one->group->choice_count; i++) {
        bool is_new;

        one->choice = &one->group->choices[i];
        one->index = i;
        one->hello =
            plugins->find(plugins->arg, text_slice(one->choice->plugin, 0,
                                                   text_find_byte(one->choice->plugin, '/')));
        is_new = !has_generation(was, one->choice->generation);
        one->count = size > there ? size - there : is_new && size > 0 ? 1 : 0;
        if (one->count > 0 && one->hello != NULL &&
            (one->hello->methods >> WIRE_PREFLIGHT & 1) != 0) {
            visit(one);
        }
    }
}

static void object_visit(struct mutation *mutation, const struct change_object *object,
                         preflight_visit *visit)
{
    struct fleet_cluster was = { 0 };
    struct fleet_cluster wanted;
    struct record *records = NULL;
    size_t count = 0;

    if (object->kind->owner != OWNER_CLUSTER || object->is_deleted || !object->is_changed ||
        !fleet_groups_read(mutation->work, &object->new_stored, &wanted)) {
        return;
    }
    if (object->revision > 0) {
        if (!fleet_groups_read(mutation->work, &object->old_stored, &was)) {
            return;
        }
        records = mutation_records(mutation, object->id, &count);
    }
    mutation_groups_reduce(mutation, &was);
    mutation_groups_reduce(mutation, &wanted);
    for (size_t i = 0; i < wanted.group_count; i++) {
        struct preflight_group one = { mutation, object, &wanted.groups[i], NULL, 0, NULL, 0 };
        struct text path = one.group->plan.path;

        choices_visit(&one, preflight_group_find(&was, path), machines_count(records, count, path),
                      visit);
    }
}

static bool preflight_is_wanted(const struct mutation *mutation)
{
    const struct service_controller *reconciler = &mutation->service->reconciler;

    return reconciler->preflight != NULL && reconciler->plugins != NULL &&
           !mutation->request.skips_preflight;
}

static void groups_visit(struct mutation *mutation, preflight_visit *visit)
{
    for (size_t i = 0; i < mutation->change.object_count; i++) {
        object_visit(mutation, &mutation->change.objects[i], visit);
    }
}

/* ---- asking ---- */

static struct text preflight_properties(const struct preflight_group *one)
{
    struct arena *arena = one->mutation->work;
    struct doc leaf = { 0 };
    struct doc more = { 0 };
    struct doc made;
    struct err err;
    struct buf buf;

    (void)!json_parse(arena, one->choice->properties, NULL, &leaf, &err);
    (void)!json_parse(arena, one->group->more, NULL, &more, &err);
    made = properties_make(arena, one->hello, &leaf, &more);
    buf_init(&buf, arena);
    json_format(&buf, &made);
    return buf_text(&buf);
}

static struct text preflight_key(const struct preflight_group *one, struct text properties)
{
    struct buf buf;

    buf_init(&buf, one->mutation->work);
    buf_printf(&buf, "%.*s\n%llu\n", TEXT_ARG(one->choice->plugin), (unsigned long long)one->count);
    for (size_t i = 0; i < one->choice->zone_count; i++) {
        buf_printf(&buf, "%.*s ", TEXT_ARG(one->choice->zones[i]));
    }
    buf_printf(&buf, "\n%.*s", TEXT_ARG(properties));
    return buf_text(&buf);
}

static struct preflight *preflight_find(const struct mutation *mutation, struct text key)
{
    for (struct preflight *one = mutation->preflights; one != NULL; one = one->next) {
        if (text_is_equal(one->key, key)) {
            return one;
        }
    }
    return NULL;
}

static struct wire_list preflight_pairs(struct arena *arena, const struct wire_list *from)
{
    struct wire_pair *pairs = arena_array(arena, struct wire_pair, from->count);

    for (size_t i = 0; i < from->count; i++) {
        const struct wire_pair *pair = wire_item(*from, const struct wire_pair, i);

        pairs[i] =
            (struct wire_pair){ arena_text(arena, pair->name), arena_text(arena, pair->value) };
    }
    return (struct wire_list){ pairs, from->count };
}

static void preflight_come(void *arg, const struct provider_preflight *found)
{
    struct preflight *one = arg;
    struct mutation *mutation = one->mutation;
    struct arena *arena = mutation->arena;

    one->has_come = true;
    one->found = (struct provider_preflight){
        .faults = preflight_pairs(arena, &found->faults),
        .notices = preflight_pairs(arena, &found->notices),
        .facts = preflight_pairs(arena, &found->facts),
        .pins = preflight_pairs(arena, &found->pins),
        .fault = found->fault,
        .problem = arena_text(arena, found->problem),
    };
    if (--mutation->judging == 0) {
        mutation_start(mutation);
    }
}

/* True if the change itself creates the account, whose credential cannot be used yet. */
static bool is_account_new(const struct preflight_group *group)
{
    const struct change *change = &group->mutation->change;
    struct text plugin = group->choice->plugin;
    size_t slash = text_find_byte(plugin, '/');

    for (size_t i = 0; slash != SIZE_MAX && i < change->object_count; i++) {
        const struct change_object *object = &change->objects[i];

        if (object->revision == 0 && text_is(text_from(object->kind->name), "Account") &&
            text_is_equal(object->name, text_slice(plugin, slash + 1, SIZE_MAX))) {
            return true;
        }
    }
    return false;
}

static void preflight_ask(const struct preflight_group *group)
{
    struct mutation *mutation = group->mutation;
    const struct service_controller *reconciler = &mutation->service->reconciler;
    struct text properties = preflight_properties(group);
    struct text key = preflight_key(group, properties);
    struct preflight *one = preflight_find(mutation, key);
    struct wire_call call = { .properties = properties, .count = group->count };

    if (one != NULL) {
        return; /* already checked, possibly for another group with the same request */
    }
    one = arena_one(mutation->arena, struct preflight);
    *one = (struct preflight){ .next = mutation->preflights,
                               .mutation = mutation,
                               .key = arena_text(mutation->arena, key) };
    mutation->preflights = one;
    if (is_account_new(group)) {
        one->has_come = true;
        one->found.problem = TEXT(
            "the same change creates the account; apply the account first, then plan the cluster");
        return;
    }
    call.zones =
        (struct wire_list){ (void *)(uintptr_t)group->choice->zones, group->choice->zone_count };
    if (group->object->revision > 0) {
        call.cluster = arena_printf(mutation->work, "%.*s/%.*s", TEXT_ARG(mutation->actor.tenant),
                                    TEXT_ARG(group->object->id));
        call.pins =
            pins_read(mutation->work, mutation->service->cache, mutation->actor.tenant,
                      group->object->id, group->group->plan.path, group->choice->generation);
    }
    mutation->judging++;
    reconciler->preflight(reconciler->arg, mutation->actor.tenant, group->choice->plugin, &call,
                          preflight_come, one);
}

/* ---- findings ---- */

static const struct model_question *question_of(const struct preflight_group *group)
{
    const struct change *change = &group->mutation->change;

    for (size_t i = 0; i < change->question_count; i++) {
        const struct model_question *question = &change->questions[i];

        if (question->choice == group->index &&
            text_is_equal(question->object, group->object->name) &&
            text_is_equal(question->path, group->group->plan.path)) {
            return question;
        }
    }
    return NULL;
}

/* Report a finding with its position in the file. Two kinds of finding are only warnings: lack of
 * capacity, because the controller retries; and an exceeded quota if the group has alternatives,
 * because the controller tries those. */
static void finding_report(const struct preflight_group *group, enum provider_fault fault,
                           const struct wire_pair *finding)
{
    struct mutation *mutation = group->mutation;
    const struct model_question *question = question_of(group);
    bool is_warning = fault == PROVIDER_FAULT_NONE || fault == PROVIDER_FAULT_CAPACITY ||
                      (fault == PROVIDER_FAULT_QUOTA && group->group->choice_count > 1);
    enum code code = fault == PROVIDER_FAULT_NONE ? CODE_R0607 : CODE_R0606;
    struct text path = group->group->plan.path;
    struct text plugin = group->choice->plugin;
    struct err *err = is_warning ? err_list_warn(&mutation->errors, (struct place){ 0 }, code,
                                                 "%.*s, group '%.*s': %.*s", TEXT_ARG(plugin),
                                                 TEXT_ARG(path), TEXT_ARG(finding->value))
                                 : err_list_set(&mutation->errors, (struct place){ 0 }, code,
                                                "%.*s, group '%.*s': %.*s", TEXT_ARG(plugin),
                                                TEXT_ARG(path), TEXT_ARG(finding->value));

    if (fault == PROVIDER_FAULT_AUTH) {
        err_hint(err,
                 "check the account's credential and its rights at the provider: reeve doctor");
    }
    if (question != NULL) {
        mutation_question_place(mutation, question,
                                text_has_prefix(finding->name, TEXT("/settings"))
                                    ? TEXT("/resourcePlugin/account")
                                    : finding->name,
                                err);
    }
}

static void preflight_group_report(const struct preflight_group *group)
{
    struct preflight *one =
        preflight_find(group->mutation, preflight_key(group, preflight_properties(group)));

    if (one == NULL || !one->has_come) {
        return;
    }
    if (one->found.problem.length > 0) {
        finding_report(group, PROVIDER_FAULT_NONE,
                       &(struct wire_pair){ TEXT(""), arena_printf(group->mutation->work,
                                                                   "nothing could be checked: %.*s",
                                                                   TEXT_ARG(one->found.problem)) });
    }
    for (size_t i = 0; i < one->found.notices.count; i++) {
        finding_report(group, PROVIDER_FAULT_NONE,
                       wire_item(one->found.notices, const struct wire_pair, i));
    }
    for (size_t i = 0; i < one->found.faults.count; i++) {
        finding_report(group, one->found.fault,
                       wire_item(one->found.faults, const struct wire_pair, i));
    }
}

bool mutation_preflight(struct mutation *mutation)
{
    if (!preflight_is_wanted(mutation)) {
        return true;
    }
    mutation->judging++; /* blocks an early answer, as in mutation_judge.c */
    groups_visit(mutation, preflight_ask);
    if (mutation->judging > 1) {
        mutation->judging--;
        return false;
    }
    groups_visit(mutation, preflight_group_report);
    for (size_t i = 0; mutation->errors.count > 0 && i < mutation->request.document_count; i++) {
        model_point(&mutation->errors, &mutation->request.documents[i]);
    }
    mutation->judging--;
    return true;
}

/* ---- the plan ---- */

static struct doc pairs_doc(struct arena *arena, const struct wire_list *pairs)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct wire_pair *pair = wire_item(*pairs, const struct wire_pair, i);

        doc_builder_add(&builder, &(struct doc_entry){ .key = pair->name,
                                                       .value = doc_text(pair->value, NULL) });
    }
    return doc_builder_map(&builder, NULL);
}

/* The list that preflight_group_show fills. */
struct preflight_list {
    struct doc *items;
    size_t count;
    size_t room;
};

static void preflight_group_show(const struct preflight_group *group)
{
    struct mutation *mutation = group->mutation;
    struct arena *arena = mutation->work;
    struct preflight_list *list = mutation->preflight_list;
    struct preflight *one =
        preflight_find(mutation, preflight_key(group, preflight_properties(group)));
    struct doc_builder builder;

    if (one == NULL || !one->has_come) {
        return;
    }
    if (list->count == list->room) {
        size_t wider = list->room == 0 ? 8 : 2 * list->room;

        list->items = arena_grow(arena, list->items, list->room * sizeof(*list->items),
                                 wider * sizeof(*list->items));
        list->room = wider;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "choice", doc_int(arena, (int64_t)group->index, NULL));
    doc_builder_put(&builder, "cluster", doc_text(group->object->name, NULL));
    doc_builder_put(&builder, "facts", pairs_doc(arena, &one->found.facts));
    doc_builder_put(&builder, "group", doc_text(group->group->plan.path, NULL));
    doc_builder_put(&builder, "isChecked", doc_bool(one->found.problem.length == 0, NULL));
    doc_builder_put(&builder, "machines", doc_int(arena, (int64_t)group->count, NULL));
    doc_builder_put(&builder, "pins", pairs_doc(arena, &one->found.pins));
    doc_builder_put(&builder, "plugin", doc_text(group->choice->plugin, NULL));
    list->items[list->count++] = doc_builder_map(&builder, NULL);
}

struct doc mutation_preflight_doc(struct mutation *mutation)
{
    struct preflight_list list = { 0 };

    mutation->preflight_list = &list;
    groups_visit(mutation, preflight_group_show);
    mutation->preflight_list = NULL;
    return doc_list(list.items, list.count, NULL);
}

/* ---- pinned values ---- */

/* Insert a write after the writes of the object. */
static void preflight_op_insert(struct mutation *mutation, const struct change_object *object,
                                struct change_op op)
{
    struct change *change = &mutation->change;
    size_t at = object->op_end;
    struct change_op *ops = arena_array(mutation->work, struct change_op, change->op_count + 1);

    memcpy(ops, change->ops, at * sizeof(*ops));
    ops[at] = op;
    memcpy(ops + at + 1, change->ops + at, (change->op_count - at) * sizeof(*ops));
    change->ops = ops;
    change->op_count++;
    for (size_t i = (size_t)(object - change->objects); i < change->object_count; i++) {
        change->objects[i].op_end++;
    }
}

static void preflight_group_write(const struct preflight_group *group)
{
    struct mutation *mutation = group->mutation;
    struct arena *arena = mutation->work;
    struct text tenant = mutation->actor.tenant;
    struct preflight *one =
        preflight_find(mutation, preflight_key(group, preflight_properties(group)));
    struct text generation = group->choice->generation;

    if (one == NULL || one->found.pins.count == 0 ||
        pins_read(arena, mutation->service->cache, tenant, group->object->id,
                  group->group->plan.path, generation)
                .count > 0) {
        return; /* this generation already has machines, and new machines get the same pins */
    }
    preflight_op_insert(mutation, group->object,
                        (struct change_op){ .key = pins_key(arena, tenant, group->object->id,
                                                            group->group->plan.path, generation),
                                            .value = pins_format(arena, &one->found.pins) });
}

/* Deletes the pinned values of generations that the cluster no longer has. Their id is
 * CLUSTER/GENERATION/GROUP. A group that the change does not read is unchanged. */
static void preflight_sweep(struct mutation *mutation, const struct change_object *object)
{
    const struct cache *cache = mutation->service->cache;
    struct arena *arena = mutation->work;
    struct text prefix = arena_printf(arena, "/%.*s/" PINS_KIND "/%.*s/",
                                      TEXT_ARG(mutation->actor.tenant), TEXT_ARG(object->id));
    struct fleet_cluster was = { 0 };
    struct fleet_cluster wanted = { 0 };

    if (object->kind->owner != OWNER_CLUSTER || object->revision == 0 || !object->is_changed ||
        cache_first(cache, prefix) == NULL) {
        return;
    }
    if (!object->is_deleted && (!fleet_groups_read(arena, &object->old_stored, &was) ||
                                !fleet_groups_read(arena, &object->new_stored, &wanted))) {
        return;
    }
    mutation_groups_reduce(mutation, &was);
    mutation_groups_reduce(mutation, &wanted);
    for (const struct cache_object *pins = cache_first(cache, prefix); pins != NULL;
         pins = cache_next(cache, prefix, pins)) {
        struct text id = arena_text(arena, cache_id(pins));
        struct text rest = text_slice(id, object->id.length + 1, SIZE_MAX);
        struct text generation = text_slice(rest, 0, text_find_byte(rest, '/'));
        struct text group = text_slice(rest, generation.length + 1, SIZE_MAX);
        const struct fleet_group *old_group = preflight_group_find(&was, group);
        const struct fleet_group *new_group = preflight_group_find(&wanted, group);
        bool is_unread = !object->is_deleted && old_group == NULL && new_group == NULL &&
                         cache_find(cache, mutation->actor.tenant, TEXT("NodeGroup"),
                                    objects_group_id(arena, object->id, group)) != NULL;

        if (pins->parts[CACHE_BASE].bytes != NULL && !is_unread &&
            !has_generation(old_group, generation) && !has_generation(new_group, generation)) {
            preflight_op_insert(mutation, object,
                                (struct change_op){ .key = pins_key(arena, mutation->actor.tenant,
                                                                    object->id, group, generation),
                                                    .is_delete = true });
        }
    }
}

void mutation_preflight_write(struct mutation *mutation)
{
    if (mutation->preflights != NULL) {
        groups_visit(mutation, preflight_group_write);
    }
    for (size_t i = 0; i < mutation->change.object_count; i++) {
        preflight_sweep(mutation, &mutation->change.objects[i]);
    }
}
