#include "volumes/effects.h"

#include "base/map.h"
#include "base/sort.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/naming.h"
#include "model/nest.h"
#include "records/fleet.h"
#include "selector/ranges.h"
#include "volumes/volume.h"

/* Finds the effects of a change on volumes. Normal case: for each machine that is removed, its
 * recorded volumes are looked up. For each machine that is created, the volumes of its group are
 * looked up among the recorded volumes of its slot.
 *
 * A volume is recorded up to 30 s after its machine was created, and later if the provider does not
 * answer. Until then the volumes of the specification count, so that a plan never shows fewer
 * volumes than are lost. */

enum effect { EFFECT_ATTACH, EFFECT_CREATE, EFFECT_DELETE, EFFECT_KEEP, EFFECT_COUNT };

/* The names are sorted, because the entries of a document must be sorted by name. */
static const char *const effect_names[EFFECT_COUNT] = { "attach", "create", "delete", "keep" };

/* One volume: "db-0" and "data". Without a name it has only its id. */
struct effect_volume {
    struct text node;
    struct text name;
};

struct effect_list {
    struct effect_volume *items;
    size_t count;
    size_t room;
};

/* A recorded volume, with a link to the next one of its slot. */
struct effect_known {
    struct volume volume;
    struct effect_known *next;
};

/* A cluster of the plan. */
struct effects_work {
    const struct volumes_effects *effects;
    struct arena *arena; /* arena for data that is not part of the plan */
    const struct change_object *object;
    struct fleet_cluster was;
    struct fleet_cluster wanted; /* the changed specification; empty: the cluster is deleted */
    struct map slots;            /* maps "GROUP/SLOT" to the first recorded volume of the slot */
    struct record *machines;
    size_t machine_count;
    uint64_t sums[EFFECT_COUNT];
};

/* A group of the plan. */
struct effects_group {
    struct effects_work *work;
    const struct doc *planned;
    const struct fleet_group *was;    /* the group before the change; NULL: it is new */
    const struct fleet_group *wanted; /* the group after the change; NULL: it is removed */
    struct doc had;                   /* the volumes in its specification before the change */
    struct doc has;                   /* the volumes in its specification after the change */
    struct effect_list lists[EFFECT_COUNT];
    bool is_for_ever; /* a kept volume is never deleted automatically */
};

/* ---- recorded and specified volumes ---- */

static struct text effects_slot_key(struct arena *arena, struct text group, uint64_t slot)
{
    return arena_printf(arena, "%.*s/%llu", TEXT_ARG(group), (unsigned long long)slot);
}

/* Read the recorded volumes of the cluster. */
static void effects_volumes_read(struct effects_work *work)
{
    const struct volumes_effects *effects = work->effects;
    struct text prefix = arena_printf(work->arena, "/%.*s/" VOLUME_KIND "/%.*s/",
                                      TEXT_ARG(effects->tenant), TEXT_ARG(work->object->id));
    const struct cache_object *object;

    map_init(&work->slots, work->arena);
    for (object = cache_first(effects->cache, prefix); object != NULL;
         object = cache_next(effects->cache, prefix, object)) {
        struct effect_known *known = arena_one(work->arena, struct effect_known);

        if (volume_read(work->arena, object, &known->volume) &&
            text_is(known->volume.kind, "volume") && known->volume.group.length > 0 &&
            known->volume.state != VOLUME_STATE_FOREIGN &&
            known->volume.state != VOLUME_STATE_DELETING) {
            known->next = map_put(
                &work->slots,
                effects_slot_key(work->arena, known->volume.group, known->volume.slot), known);
        }
    }
}

/* Read the machines of the cluster that are not being destroyed. */
static void effects_machines_read(struct effects_work *work)
{
    const struct cache *cache = work->effects->cache;
    struct text prefix = arena_printf(work->arena, "/%.*s/Resource/%.*s/",
                                      TEXT_ARG(work->effects->tenant), TEXT_ARG(work->object->id));
    const struct cache_object *object;
    size_t room = 0;

    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        room++;
    }
    work->machines = arena_array(work->arena, struct record, room);
    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct record *record = &work->machines[work->machine_count];
        struct text id = cache_id(object);
        struct text token =
            arena_text(work->arena, text_slice(id, text_find_byte(id, '/') + 1, SIZE_MAX));
        struct err err;

        if (object->parts[CACHE_STATUS].bytes != NULL &&
            record_parse(work->arena, token,
                         arena_text(work->arena, blob_text(object->parts[CACHE_STATUS].bytes)),
                         record, &err) &&
            record->plan.state != PLAN_RECORD_DELETE) {
            work->machine_count++;
        }
    }
}

static const struct fleet_group *effects_group_find(const struct fleet_cluster *cluster,
                                                    struct text path)
{
    for (size_t i = 0; i < cluster->group_count; i++) {
        if (text_is_equal(cluster->groups[i].plan.path, path)) {
            return &cluster->groups[i];
        }
    }
    return NULL;
}

/* Return the volumes in the specification of a group; absent: there are none. */
static struct doc effects_specified(struct effects_work *work, const struct fleet_group *group)
{
    const struct doc *volumes;
    struct doc properties;
    struct err err;

    if (group == NULL ||
        !json_parse(work->arena, group->choices[0].properties, NULL, &properties, &err)) {
        return (struct doc){ 0 };
    }
    volumes = doc_child(&properties, "volumes");
    return doc_is_list(volumes) ? *volumes : (struct doc){ 0 };
}

static const struct doc *effects_specified_find(const struct doc *volumes, struct text name)
{
    for (size_t i = 0; doc_is_list(volumes) && i < volumes->item_count; i++) {
        if (text_is_equal(doc_child_text(&volumes->items[i], "name"), name)) {
            return &volumes->items[i];
        }
    }
    return NULL;
}

static bool is_effects_listed(struct text names, struct text name)
{
    struct text pattern;

    while (ranges_next(&names, &pattern)) {
        if (ranges_has(pattern, name)) {
            return true;
        }
    }
    return false;
}

/* ---- one volume ---- */

static void effects_add(struct effects_group *group, enum effect effect, struct text node,
                        struct text name)
{
    struct effect_list *list = &group->lists[effect];
    struct arena *arena = group->work->arena;

    if (list->count == list->room) {
        list->room = list->room == 0 ? 16 : 2 * list->room;
        list->items = arena_grow(arena, list->items, list->count * sizeof(*list->items),
                                 list->room * sizeof(*list->items));
    }
    list->items[list->count++] =
        (struct effect_volume){ arena_text(arena, node), arena_text(arena, name) };
}

/* Add a volume of a machine that is removed. A volume without a declared lifetime is not
 * deleted. */
static void effects_leave(struct effects_group *group, const struct record *record,
                          struct text name, struct text keep, bool is_replaced)
{
    if (text_is(keep, "node")) {
        effects_add(group, EFFECT_DELETE, record->name, name);
    } else if (is_replaced && effects_specified_find(&group->has, name) != NULL) {
        effects_add(group, EFFECT_ATTACH, record->name, name);
    } else {
        group->is_for_ever = group->is_for_ever || !text_is(keep, "slot");
        effects_add(group, EFFECT_KEEP, record->name, name);
    }
}

static struct text effects_keep_of(const struct doc *specified)
{
    struct text keep = doc_child_text(specified, "keep");

    return keep.length == 0 ? TEXT("slot") : keep;
}

/* True if the recorded volume belongs to this machine: it is the volume of the machine's slot, or
 * was created for the machine. */
static bool is_effects_of_machine(const struct volume *volume, const struct record *record,
                                  struct text keep)
{
    return text_is(keep, "node") ? text_is_equal(volume->token, record->plan.token) ||
                                       (record->plan.id.length > 0 &&
                                        text_is_equal(volume->attached, record->plan.id))
                                 : true;
}

/* ---- machines ---- */

/* Add the volumes of a machine that is removed, and those of the machine that replaces it. */
static void effects_machine_leave(struct effects_group *group, const struct record *record,
                                  bool is_replaced)
{
    struct effects_work *work = group->work;
    const struct effect_known *first = map_find(
        &work->slots, effects_slot_key(work->arena, group->was->plan.path, record->plan.slot));

    for (const struct effect_known *known = first; known != NULL; known = known->next) {
        const struct volume *volume = &known->volume;
        const struct doc *specified = effects_specified_find(&group->had, volume->name);
        struct text keep = volume->keep.length > 0 || specified == NULL
                               ? volume->keep
                               : effects_keep_of(specified);

        if (is_effects_of_machine(volume, record, keep)) {
            effects_leave(group, record, volume->name.length > 0 ? volume->name : volume->id, keep,
                          is_replaced);
        }
    }
    for (size_t i = 0; record->plan.id.length > 0 && i < group->had.item_count; i++) {
        struct text name = doc_child_text(&group->had.items[i], "name");
        bool is_known = false;

        for (const struct effect_known *known = first; known != NULL; known = known->next) {
            is_known = is_known || text_is_equal(known->volume.name, name);
        }
        if (!is_known) {
            effects_leave(group, record, name, effects_keep_of(&group->had.items[i]), is_replaced);
        }
    }
    for (size_t i = 0; is_replaced && i < group->has.item_count; i++) {
        struct text name = doc_child_text(&group->has.items[i], "name");
        bool is_of_node = text_is(effects_keep_of(&group->has.items[i]), "node");
        bool is_known = effects_specified_find(&group->had, name) != NULL;

        for (const struct effect_known *known = first; known != NULL; known = known->next) {
            is_known = is_known || text_is_equal(known->volume.name, name);
        }
        if (is_of_node || !is_known) {
            effects_add(group, EFFECT_CREATE, record->name, name);
        }
    }
}

static bool is_effects_wanted(const struct fleet_group *group, const struct plan_record *record)
{
    for (size_t i = 0; i < group->choice_count; i++) {
        if (text_is_equal(group->choices[i].generation, record->generation) ||
            text_is_equal(group->choices[i].former, record->generation)) {
            return true;
        }
    }
    return false;
}

/* True if the plan replaces this machine. If the plan has names of machines to replace, they
 * decide; otherwise machines that are not as desired are replaced. */
static bool is_effects_replaced(const struct effects_group *group, const struct record *record)
{
    struct text names = doc_child_text(group->planned, "replaced");

    if (doc_child_number(group->planned, "replace") == 0 || group->wanted == NULL) {
        return false;
    }
    return names.length > 0
               ? is_effects_listed(names, record->name)
               : !record->plan.is_protected && !is_effects_wanted(group->wanted, &record->plan);
}

static void effects_leavers_find(struct effects_group *group)
{
    struct effects_work *work = group->work;
    struct text destroyed = doc_child_text(group->planned, "destroy");

    if (group->was == NULL ||
        (destroyed.length == 0 && doc_child_number(group->planned, "replace") == 0)) {
        return;
    }
    if (work->machines == NULL) {
        effects_machines_read(work);
    }
    for (size_t i = 0; i < work->machine_count; i++) {
        const struct record *record = &work->machines[i];

        if (!text_is_equal(record->plan.group, group->was->plan.path)) {
            continue;
        }
        if (is_effects_listed(destroyed, record->name)) {
            effects_machine_leave(group, record, false);
        } else if (is_effects_replaced(group, record)) {
            effects_machine_leave(group, record, true);
        }
    }
}

/* Add the volumes of a new machine. */
static void effects_machine_come(struct effects_group *group, struct text node, uint64_t slot)
{
    struct effects_work *work = group->work;
    struct text path = group->was != NULL ? group->was->plan.path : group->wanted->plan.path;
    const struct effect_known *first =
        map_find(&work->slots, effects_slot_key(work->arena, path, slot));

    for (size_t i = 0; i < group->has.item_count; i++) {
        struct text name = doc_child_text(&group->has.items[i], "name");
        bool is_there = false;

        for (const struct effect_known *known = first; known != NULL; known = known->next) {
            is_there = is_there || (text_is_equal(known->volume.name, name) &&
                                    !text_is(known->volume.keep, "node"));
        }
        effects_add(group,
                    is_there && !text_is(effects_keep_of(&group->has.items[i]), "node")
                        ? EFFECT_ATTACH
                        : EFFECT_CREATE,
                    node, name);
    }
}

/* Find the slots of new machines. The plan fills the lowest free slots. */
static void effects_comers_find(struct effects_group *group)
{
    struct text created = doc_child_text(group->planned, "create");
    uint64_t slot;
    uint64_t end;

    if (group->wanted == NULL || created.length == 0 || group->has.item_count == 0) {
        return;
    }
    slot = group->wanted->plan.first_slot;
    end = slot + 2 * group->wanted->plan.size + (group->was == NULL ? 0 : group->was->plan.size);
    for (; slot < end; slot++) {
        struct text name = naming_format(group->work->arena, &group->wanted->affix, slot);

        if (is_effects_listed(created, name)) {
            effects_machine_come(group, name, slot);
        }
    }
}

/* ---- adding the effects to the plan ---- */

static int effects_compare(const void *a, const void *b, void *arg)
{
    const struct effect_volume *first = a;
    const struct effect_volume *second = b;
    int order = text_compare(first->name, second->name);

    (void)arg;
    return order != 0 ? order : ranges_compare(first->node, second->node);
}

/* Sort the volumes and drop repeated ones: during a rollout with surge, a slot has two machines. */
static void effects_list_sort(struct arena *arena, struct effect_list *list)
{
    size_t kept = 0;

    sort_stable(arena, list->items, list->count, sizeof(*list->items), effects_compare, NULL);
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || effects_compare(&list->items[kept - 1], &list->items[i], NULL) != 0) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Format names of volumes: "db-[0-1]-data,db-[0-1]-scratch". */
static struct text effects_names_format(const struct effects_group *group,
                                        const struct effect_list *list)
{
    struct text *nodes = arena_array(group->work->arena, struct text, list->count);
    struct buf buf;

    buf_init(&buf, group->work->effects->arena);
    for (size_t i = 0; i < list->count;) {
        struct text name = list->items[i].name;
        size_t count = 0;

        for (; i < list->count && text_is_equal(list->items[i].name, name); i++) {
            nodes[count++] = list->items[i].node;
        }
        buf_add_string(&buf, buf.length == 0 ? "" : ",");
        ranges_format(&buf, nodes, count);
        buf_add_string(&buf, "-");
        buf_add(&buf, name);
    }
    return buf_text(&buf);
}

static struct doc effects_list_doc(const struct effects_group *group, enum effect effect)
{
    const struct volumes_effects *effects = group->work->effects;
    const struct effect_list *list = &group->lists[effect];
    struct doc_builder builder;

    doc_builder_init(&builder, effects->arena);
    doc_builder_put(&builder, "count", doc_int(effects->arena, (int64_t)list->count, NULL));
    if (effect == EFFECT_KEEP && !group->is_for_ever && effects->retain_ms > 0) {
        doc_builder_put(&builder, "forMs",
                        doc_int(effects->arena, (int64_t)effects->retain_ms, NULL));
    }
    doc_builder_put(&builder, "names", doc_text(effects_names_format(group, list), NULL));
    return doc_builder_map(&builder, NULL);
}

static struct doc effects_group_report(struct effects_work *work, const struct doc *planned)
{
    struct text path = doc_child_text(planned, "path");
    struct text was = doc_child_text(planned, "was");
    struct effects_group group = {
        .work = work,
        .planned = planned,
        .was = effects_group_find(&work->was, was.length > 0 ? was : path),
        .wanted = effects_group_find(&work->wanted, path),
    };
    struct doc_builder builder;
    struct doc doc;

    group.had = effects_specified(work, group.was);
    group.has = effects_specified(work, group.wanted);
    if (group.had.item_count + group.has.item_count == 0 && work->slots.count == 0) {
        return *planned;
    }
    effects_leavers_find(&group);
    effects_comers_find(&group);
    doc_builder_init(&builder, work->effects->arena);
    for (int i = 0; i < EFFECT_COUNT; i++) {
        effects_list_sort(work->arena, &group.lists[i]);
        if (group.lists[i].count > 0) {
            doc_builder_put(&builder, effect_names[i], effects_list_doc(&group, (enum effect)i));
            work->sums[i] += group.lists[i].count;
        }
    }
    doc = doc_builder_map(&builder, NULL);
    return doc.entry_count == 0 ? *planned
                                : nest_put(work->effects->arena, planned, "volumes", doc);
}

/* Make the document with the numbers, such as {"create":2,"delete":1}; absent if all are 0. */
static struct doc effects_sums_doc(struct arena *arena, const uint64_t *sums)
{
    struct doc_builder builder;
    struct doc doc;

    doc_builder_init(&builder, arena);
    for (int i = 0; i < EFFECT_COUNT; i++) {
        if (sums[i] > 0) {
            doc_builder_put(&builder, effect_names[i], doc_int(arena, (int64_t)sums[i], NULL));
        }
    }
    doc = doc_builder_map(&builder, NULL);
    return doc.entry_count == 0 ? (struct doc){ 0 } : doc;
}

static const struct change_object *effects_object_find(const struct change *change,
                                                       const struct doc *planned)
{
    for (size_t i = 0; i < change->object_count; i++) {
        const struct change_object *object = &change->objects[i];

        if (text_is(doc_child_text(planned, "kind"), object->kind->name) &&
            text_is_equal(doc_child_text(planned, "name"), object->name)) {
            return object;
        }
    }
    return NULL;
}

/* Removes the fields that plugins change in place from the generations, as the planner does. */
static void effects_reduce(struct effects_work *work)
{
    fleet_in_place_reduce(work->arena, work->effects->plugins, &work->was);
    fleet_in_place_reduce(work->arena, work->effects->plugins, &work->wanted);
}

/* Returns the object of the plan with its volumes added. */
static struct doc effects_object_report(struct effects_work *work, const struct doc *planned,
                                        const struct change *change)
{
    struct arena *arena = work->effects->arena;
    const struct doc *groups = doc_child(planned, "groups");
    const struct doc *sums = doc_child(planned, "sums");
    struct doc *reported;
    struct doc total;
    struct doc out;

    work->object = effects_object_find(change, planned);
    if (work->object == NULL || !text_is(doc_child_text(planned, "kind"), "Cluster") ||
        !doc_is_list(groups) || sums == NULL ||
        (work->object->revision > 0 &&
         !fleet_groups_read(work->arena, &work->object->old_stored, &work->was)) ||
        (!work->object->is_deleted && work->object->new_stored.group_count > 0 &&
         !fleet_groups_read(work->arena, &work->object->new_stored, &work->wanted))) {
        return *planned;
    }
    effects_reduce(work);
    effects_volumes_read(work);
    reported = arena_array(arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        reported[i] = effects_group_report(work, &groups->items[i]);
    }
    total = effects_sums_doc(arena, work->sums);
    if (!doc_is_present(&total)) {
        return *planned;
    }
    out = nest_put(arena, planned, "groups", doc_list(reported, groups->item_count, NULL));
    total = nest_put(arena, sums, "volumes", total);
    return nest_put(arena, &out, "sums", total);
}

void volumes_effects_report(const struct volumes_effects *effects, struct change *change)
{
    struct doc *objects = arena_array(effects->arena, struct doc, change->plan.item_count);
    uint64_t sums[EFFECT_COUNT] = { 0 };

    for (size_t i = 0; i < change->plan.item_count; i++) {
        AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
        struct effects_work work = { .effects = effects, .arena = arena };

        objects[i] = effects_object_report(&work, &change->plan.items[i], change);
        for (int j = 0; j < EFFECT_COUNT; j++) {
            sums[j] += work.sums[j];
        }
    }
    change->volumes = effects_sums_doc(effects->arena, sums);
    if (doc_is_present(&change->volumes)) {
        change->plan = doc_list(objects, change->plan.item_count, NULL);
    }
}
