#include "base/sort.h"
#include "model/naming.h"
#include "model/nest.h"
#include "model/set.h"
#include "plan/victims.h"
#include "records/fleet.h"
#include "selector/ranges.h"
#include "service/service_parts.h"

/* public names start with: mutation_ going_ */

/* Adds the names of machines to a plan that was computed from files. Such a plan counts only slots:
 * when web shrinks from 4 to 2, it lists web-[2-3]. The names of the existing machines are in the
 * records. The plan should list the machines that the reconciler will remove, in that order, and
 * the slots of new machines (decision 0092). */

struct going {
    struct mutation *mutation;
    struct arena *arena;
    const struct change_object *object;
    struct fleet_cluster was; /* the current groups of the cluster */
    /* the groups of the cluster after the change; empty if the cluster is deleted */
    struct fleet_cluster wanted;
    struct record *records;
    size_t record_count;
    const struct text *named;
    size_t named_count;
    uint64_t unfilled; /* number of removed slots without a machine, where nothing is destroyed */
    /* Number of destroyed machines in excess of the removed slots: a rollout with surge has two
     * machines in one slot. */
    uint64_t doubled;
};

void mutation_groups_reduce(struct mutation *mutation, struct fleet_cluster *cluster)
{
    fleet_in_place_reduce(mutation->work, mutation->service->reconciler.plugins, cluster);
}

/* ---- the machines ---- */

struct record *service_records(const struct cache *cache, struct arena *arena, struct text tenant,
                               struct text cluster, size_t *out_count)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/Resource/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster));
    struct record *records;
    size_t room = 0;
    size_t count = 0;

    /* counted first, because growing the array would copy many records several times */
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        room++;
    }
    records = arena_room(arena, room * sizeof(*records));
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text id = cache_id(object);
        struct text token =
            arena_text(arena, text_slice(id, text_find_byte(id, '/') + 1, SIZE_MAX));
        struct record record;
        struct err err;

        if (object->parts[CACHE_STATUS].bytes == NULL ||
            !record_parse(arena, token,
                          arena_text(arena, blob_text(object->parts[CACHE_STATUS].bytes)), &record,
                          &err)) {
            continue;
        }
        records[count++] = record;
    }
    *out_count = count;
    return records;
}

struct record *mutation_records(struct mutation *mutation, struct text cluster, size_t *out_count)
{
    struct mutation_machines *machines = &mutation->machines;
    uint64_t revision = cache_revision(mutation->service->cache);

    if (!text_is_equal(machines->cluster, cluster) || machines->revision != revision) {
        *machines = (struct mutation_machines){ .cluster = cluster, .revision = revision };
        machines->items = service_records(mutation->service->cache, mutation->work,
                                          mutation->actor.tenant, cluster, &machines->count);
    }
    *out_count = machines->count;
    return machines->items;
}

/* True if the record belongs to the group. Machines of a renamed group still have the old path. */
static bool is_mutation_going_of(const struct record *record, const struct doc *group)
{
    return text_is_equal(record->plan.group, mutation_text_of(group, "path")) ||
           (doc_child(group, "was") != NULL &&
            text_is_equal(record->plan.group, mutation_text_of(group, "was")));
}

static enum plan_readiness mutation_going_readiness(const struct plan_record *record)
{
    if (record->state == PLAN_RECORD_CREATE) {
        return record->id.length == 0 ? PLAN_READINESS_ASKED_FOR : PLAN_READINESS_WAITING;
    }
    return plan_victim_readiness(record);
}

static bool is_mutation_going_named(const struct going *going, const struct plan_record *record)
{
    for (size_t i = 0; i < going->named_count; i++) {
        if (text_is_equal(going->named[i], record->token)) {
            return true;
        }
    }
    return false;
}

/* ---- names ---- */

static int by_name(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Return the names. Two machines of one slot usually have the same name, which is listed once. */
static struct doc names_doc(struct going *going, struct text *names, size_t count)
{
    size_t kept = 0;
    struct buf buf;

    sort_stable(going->arena, names, count, sizeof(*names), by_name, NULL);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !text_is_equal(names[kept - 1], names[i])) {
            names[kept++] = names[i];
        }
    }
    buf_init(&buf, going->arena);
    ranges_format(&buf, names, kept);
    return doc_text(buf_text(&buf), NULL);
}

/* ---- a group ---- */

/* One group of the plan, with its current state. */
struct group_going {
    const struct doc *planned;
    const struct fleet_group *was; /* the group before the change; NULL: it is new */
    /* the group after the change; NULL: it is no longer in the specification */
    const struct fleet_group *is;
    uint64_t *slots; /* slots of the group's records, in order */
    size_t slot_count;
};

static const struct fleet_group *mutation_going_group_find(const struct fleet_cluster *cluster,
                                                           struct text path)
{
    for (size_t i = 0; i < cluster->group_count; i++) {
        if (text_is_equal(cluster->groups[i].plan.path, path)) {
            return &cluster->groups[i];
        }
    }
    return NULL;
}

static int by_number(const void *a, const void *b, void *arg)
{
    uint64_t first = *(const uint64_t *)a;
    uint64_t second = *(const uint64_t *)b;

    (void)arg;
    return (first > second) - (first < second);
}

static struct group_going mutation_going_group_read(struct going *going, const struct doc *planned)
{
    struct text path = mutation_text_of(planned, "path");
    struct text old_path =
        doc_child(planned, "was") == NULL ? path : mutation_text_of(planned, "was");
    struct group_going group = {
        .planned = planned,
        .was = mutation_going_group_find(&going->was, old_path),
        .is = mutation_going_group_find(&going->wanted, path),
        .slots = arena_array(going->arena, uint64_t, going->record_count),
    };

    for (size_t i = 0; i < going->record_count; i++) {
        if (is_mutation_going_of(&going->records[i], planned)) {
            group.slots[group.slot_count++] = going->records[i].plan.slot;
        }
    }
    sort_stable(going->arena, group.slots, group.slot_count, sizeof(*group.slots), by_number, NULL);
    return group;
}

static bool is_mutation_going_held(const struct group_going *group, uint64_t slot)
{
    size_t low = 0;
    size_t high = group->slot_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (group->slots[middle] < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < group->slot_count && group->slots[low] == slot;
}

/* ---- removed machines ---- */

static const char *rule_name(const struct fleet_group *group)
{
    switch (group->plan.pick) {
    case PLAN_PICK_OLDEST:
        return "oldest";
    case PLAN_PICK_NEWEST:
        return "newest";
    case PLAN_PICK_FAILED:
        return "failed";
    case PLAN_PICK_OLDEST_CONFIG:
        break;
    }
    return "oldestConfig";
}

/* Return the machines of the group that may be removed, in the order of removal. */
static struct plan_victims victims_make(struct going *going, const struct group_going *group,
                                        size_t *out_alive)
{
    struct plan_victim *items = arena_array(going->arena, struct plan_victim, going->record_count);
    struct plan_group *wanted = NULL;
    struct plan_victims victims;
    size_t count = 0;

    if (group->is != NULL) {
        wanted = arena_one(going->arena, struct plan_group);
        *wanted = group->is->plan;
        wanted->alternatives = fleet_alternatives(going->arena, group->is);
        wanted->alternative_count = group->is->choice_count - 1;
    }
    *out_alive = 0;
    for (size_t i = 0; i < going->record_count; i++) {
        struct plan_record *record = &going->records[i].plan;

        if (!is_mutation_going_of(&going->records[i], group->planned) ||
            record->state == PLAN_RECORD_DELETE) {
            continue;
        }
        ++*out_alive;
        record->is_named = is_mutation_going_named(going, record);
        if (!record->is_protected) {
            items[count++] =
                (struct plan_victim){ record, mutation_going_readiness(record), i, false };
        }
    }
    victims = plan_victims_make(going->arena, wanted, items, count);
    for (size_t i = 0; i < going->record_count; i++) {
        if (is_mutation_going_of(&going->records[i], group->planned) &&
            going->records[i].plan.state != PLAN_RECORD_DELETE) {
            plan_victims_count(&victims, &going->records[i].plan);
        }
    }
    return victims;
}

/* If more slots are removed than machines exist, add the last slots as unfilled. */
static size_t places_add(struct going *going, const struct group_going *group, struct text *names,
                         size_t count, size_t room)
{
    uint64_t first = group->was->plan.first_slot;

    for (uint64_t slot = first + group->was->plan.size; slot > first && count < room; slot--) {
        if (!is_mutation_going_held(group, slot - 1)) {
            names[count++] = naming_format(going->arena, &group->was->affix, slot - 1);
        }
    }
    return count;
}

/* Report the machines that the request selects for removal, and the rule that chooses the others.
 * Slots without a machine are removed by number. This replaces the report from the time before the
 * names were known. */
static struct doc choice_report(struct going *going, const struct group_going *group,
                                const struct doc *reported, struct text *named, size_t named_count,
                                bool has_others)
{
    struct doc names = named_count == 0 ? (struct doc){ 0 } : names_doc(going, named, named_count);
    struct doc rule =
        has_others ? doc_text(text_from(rule_name(group->is)), NULL) : (struct doc){ 0 };
    struct doc out = nest_put(going->arena, reported, "named", names);

    return nest_put(going->arena, &out, "pick", rule);
}

/* Names of machines by state: {"unreachable": "web-3"}. States without machines are absent. */
struct states {
    struct text *names[PLAN_READINESS_COUNT];
    size_t counts[PLAN_READINESS_COUNT];
};

static void states_init(struct going *going, struct states *states)
{
    *states = (struct states){ 0 };
    for (int i = 0; i < PLAN_READINESS_COUNT; i++) {
        states->names[i] = arena_array(going->arena, struct text, going->record_count);
    }
}

static void states_add(struct going *going, struct states *states, const struct plan_victim *one)
{
    /* a starting machine and a machine that was not seen yet are both displayed as being created */
    enum plan_readiness state =
        one->readiness == PLAN_READINESS_ASKED_FOR ? PLAN_READINESS_WAITING : one->readiness;

    states->names[state][states->counts[state]++] = going->records[one->place].name;
}

static struct doc states_doc(struct going *going, struct states *states)
{
    /* sorted by name, like all members of a document */
    static const enum plan_readiness order[] = {
        PLAN_READINESS_WAITING,  PLAN_READINESS_FAILED,    PLAN_READINESS_SERVING,
        PLAN_READINESS_STARTING, PLAN_READINESS_UNHEALTHY, PLAN_READINESS_UNREACHABLE,
    };
    struct doc_builder builder;
    struct doc doc;

    doc_builder_init(&builder, going->arena);
    for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
        if (states->counts[order[i]] > 0) {
            doc_builder_put(&builder, plan_readiness_name(order[i]),
                            names_doc(going, states->names[order[i]], states->counts[order[i]]));
        }
    }
    doc = doc_builder_map(&builder, NULL);
    return doc.entry_count == 0 ? (struct doc){ 0 } : doc;
}

/* Report the state of each removed machine. Also report machines in a worse state that stay
 * although a healthy machine is removed (G22). */
static struct doc states_report(struct going *going, const struct plan_victims *victims,
                                const struct doc *reported)
{
    struct states gone;
    struct states kept;
    struct doc out;

    states_init(going, &gone);
    states_init(going, &kept);
    for (size_t i = 0; i < victims->count; i++) {
        const struct plan_victim *one = &victims->items[i];

        if (one->is_taken) {
            states_add(going, &gone, one);
        } else if (plan_readiness_is_bad(one->readiness)) {
            states_add(going, &kept, one);
        }
    }
    out = nest_put(going->arena, reported, "victims", states_doc(going, &gone));
    return gone.counts[PLAN_READINESS_SERVING] == 0
               ? out
               : nest_put(going->arena, &out, "spares", states_doc(going, &kept));
}

/* Report removed slots without a machine separately: nothing is destroyed there, and no consent is
 * needed. */
static struct doc unfilled_report(struct going *going, const struct doc *reported,
                                  struct text *names, size_t count)
{
    /* if the request lists machines, this function runs twice; the second run must not count the
     * slots again */
    going->unfilled += doc_child(reported, "unfilled") == NULL ? count : 0;
    return nest_put(going->arena, reported, "unfilled", names_doc(going, names, count));
}

static struct doc destroy_report(struct going *going, const struct group_going *group)
{
    size_t size = group->is == NULL ? 0 : group->is->plan.size;
    size_t room = group->was->plan.size > size ? group->was->plan.size - size : 0;
    size_t alive;
    struct plan_victims victims = victims_make(going, group, &alive);
    size_t surplus = alive > size ? alive - size : 0;
    struct text *names = arena_array(going->arena, struct text, room + surplus);
    struct text *named = arena_array(going->arena, struct text, surplus);
    const struct plan_victim *one;
    struct doc reported = *group->planned;
    size_t machines = 0;
    size_t named_count = 0;
    size_t count;

    while (machines < surplus && (one = plan_victims_next(&victims, NULL, NULL)) != NULL) {
        names[machines++] = going->records[one->place].name;
        if (one->record->is_named) {
            named[named_count++] = going->records[one->place].name;
        }
    }
    count = places_add(going, group, names, machines, room);
    if (count == 0) {
        return reported;
    }
    if (mutation_knows_machines(going->mutation) && count > machines) {
        reported = unfilled_report(going, &reported, names + machines, count - machines);
        count = machines;
    }
    if (count == 0) {
        return nest_put(going->arena, &reported, "destroy", (struct doc){ 0 });
    }
    /* The victims are reported already in the second run, so the machines are not counted again. */
    going->doubled +=
        machines > room && doc_child(&reported, "victims") == NULL ? machines - room : 0;
    reported = nest_put(going->arena, &reported, "destroy", names_doc(going, names, count));
    reported = states_report(going, &victims, &reported);
    return size == 0
               ? reported
               : choice_report(going, group, &reported, named, named_count, machines > named_count);
}

/* ---- added machines ---- */

/* Report the free slots that the change fills. Omit lower free slots, which would be filled without
 * the change too, and slots from which a machine is being removed. */
static struct doc create_report(struct going *going, const struct group_going *group)
{
    size_t room = group->is->plan.size - group->was->plan.size;
    struct text *names = arena_array(going->arena, struct text, room);
    size_t empty =
        group->was->plan.size > group->slot_count ? group->was->plan.size - group->slot_count : 0;
    uint64_t slot = group->is->plan.first_slot;

    for (size_t count = 0; count < room; slot++) {
        if (is_mutation_going_held(group, slot)) {
            continue;
        }
        if (empty > 0) {
            empty--;
        } else {
            names[count++] = naming_format(going->arena, &group->is->affix, slot);
        }
    }
    return nest_put(going->arena, group->planned, "create", names_doc(going, names, room));
}

/* ---- a cluster ---- */

static struct doc mutation_going_group_report(struct going *going, const struct doc *planned)
{
    bool has_goers = doc_child(planned, "destroy") != NULL;
    bool has_comers = doc_child(planned, "create") != NULL;
    struct group_going group;

    if (!has_goers && !has_comers) {
        return *planned;
    }
    group = mutation_going_group_read(going, planned);
    if (group.was == NULL || (has_goers && has_comers)) {
        /* the group is new, or slots are both added and removed: the plan lists slots */
        return *planned;
    }
    if (has_goers) {
        return destroy_report(going, &group);
    }
    return group.is != NULL && group.is->plan.size > group.was->plan.size
               ? create_report(going, &group)
               : *planned;
}

static bool has_changing(const struct doc *groups)
{
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        if (doc_child(&groups->items[i], "destroy") != NULL ||
            (doc_child(&groups->items[i], "create") != NULL &&
             doc_child(&groups->items[i], "oldSize") != NULL)) {
            return true;
        }
    }
    return false;
}

/* Returns false if the object is unchanged. */
static bool mutation_going_object_report(void *arg, const struct doc *planned, struct doc *out)
{
    struct going *going = arg;
    struct mutation *mutation = going->mutation;
    const struct doc *groups = doc_child(planned, "groups");
    struct doc *reported;

    going->object = mutation_current_find(&mutation->change, planned);
    if (going->object == NULL || !has_changing(groups) ||
        !fleet_groups_read(going->arena, &going->object->old_stored, &going->was)) {
        return false;
    }
    going->wanted = (struct fleet_cluster){ 0 };
    going->unfilled = 0;
    going->doubled = 0;
    /* in a cluster with many groups, a change contains only the groups that it changes */
    if (!going->object->is_deleted && going->object->new_stored.group_count > 0 &&
        !fleet_groups_read(going->arena, &going->object->new_stored, &going->wanted)) {
        return false;
    }
    going->records = mutation_records(mutation, going->object->id, &going->record_count);
    mutation_groups_reduce(mutation, &going->was);
    mutation_groups_reduce(mutation, &going->wanted);
    reported = arena_array(going->arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        reported[i] = mutation_going_group_report(going, &groups->items[i]);
    }
    *out = nest_put(going->arena, planned, "groups", doc_list(reported, groups->item_count, NULL));
    *out = mutation_sum_lower(mutation, out, "destroy", going->unfilled);
    *out = mutation_destroy_sum_raise(mutation, out, going->doubled);
    return true;
}

void mutation_going_report(struct mutation *mutation, const struct text *named, size_t named_count)
{
    struct going going = {
        .mutation = mutation,
        .arena = mutation->work,
        .named = named,
        .named_count = named_count,
    };

    mutation_plan_report(mutation, mutation_going_object_report, &going);
}
