/* Adds the names of the members of each group to the effective view of a cluster.
 *
 * A plan of files counts slots: for it, a group of size 2 has the members web-[0-1]. The machines
 * of the group may have other names, after chosen machines were removed or after a rename. The
 * records have the real names. Free slots that the controller fills next are reported as
 * planned. */
#include "base/map.h"
#include "base/sort.h"
#include "model/naming.h"
#include "model/nest.h"
#include "records/fleet.h"
#include "selector/ranges.h"
#include "service/service_parts.h"

/* public names start with: service_members_ */

/* Index of the groups of a cluster by path. A group that was renamed is also found by its previous
 * path, which its records have until the next pass. */
static struct map service_members_index(struct arena *arena, struct fleet_cluster *cluster)
{
    struct map index;

    map_init(&index, arena);
    for (size_t i = 0; i < cluster->group_count; i++) {
        map_put(&index, cluster->groups[i].plan.path, &cluster->groups[i]);
    }
    for (size_t i = 0; i < cluster->group_count; i++) {
        struct text former = cluster->groups[i].plan.renamed_from;

        if (former.length > 0 && map_find(&index, former) == NULL) {
            map_put(&index, former, &cluster->groups[i]);
        }
    }
    return index;
}

/* A record and its group. */
struct grouped {
    const struct fleet_group *group;
    const struct record *record;
};

static int by_group_and_slot(const void *a, const void *b, void *arg)
{
    const struct grouped *first = a;
    const struct grouped *second = b;
    int order = text_compare(first->group->plan.path, second->group->plan.path);

    (void)arg;
    return order != 0 ? order
                      : (first->record->plan.slot > second->record->plan.slot) -
                            (first->record->plan.slot < second->record->plan.slot);
}

static int service_members_by_name(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* A walk through the slots of one group. `records` are those of the group, by slot. */
struct slots_walk {
    struct arena *arena;
    const struct fleet_group *group;
    const struct grouped *records;
    size_t count;
    struct text *names; /* names of the members that exist */
    size_t name_count;
};

/* Adds the names of one slot, whose records begin at `at`. A machine that is being destroyed is not
 * a member. Two machines of a slot usually have the same name. Returns the number of records in the
 * slot. */
static size_t slot_take(struct slots_walk *walk, size_t at)
{
    uint64_t slot = walk->records[at].record->plan.slot;
    size_t before = walk->name_count;
    size_t end = at;

    for (; end < walk->count && walk->records[end].record->plan.slot == slot; end++) {
        const struct record *record = walk->records[end].record;

        if (record->plan.state != PLAN_RECORD_DELETE &&
            (walk->name_count == before ||
             !text_is_equal(walk->names[walk->name_count - 1], record->name))) {
            walk->names[walk->name_count++] = record->name;
        }
    }
    return end - at;
}

/* True if a member holds this slot. `at` is the index of the first record of this slot or of a
 * later one; it moves to the first record of a later slot. */
static bool is_slot_held(const struct slots_walk *walk, uint64_t slot, size_t *at)
{
    bool is_held = false;

    for (; *at < walk->count && walk->records[*at].record->plan.slot <= slot; ++*at) {
        const struct plan_record *record = &walk->records[*at].record->plan;

        is_held = is_held || (record->slot == slot && record->state != PLAN_RECORD_DELETE);
    }
    return is_held;
}

/* Format the next `left` slots to fill, lowest first. The result has ranges, because a group can
 * have a hundred thousand slots. Slots of machines that are being destroyed are included. */
static struct text slots_plan(const struct slots_walk *walk, uint64_t left)
{
    uint64_t slot = walk->group->plan.first_slot;
    size_t at = 0;
    struct buf buf;

    buf_init(&buf, walk->arena);
    while (left > 0) {
        uint64_t first = slot;

        while (slot - first < left && !is_slot_held(walk, slot, &at)) {
            slot++;
        }
        if (slot > first) {
            struct text range =
                naming_range_format(walk->arena, &walk->group->affix, first, slot - first);

            buf_printf(&buf, "%s%.*s", buf.length > 0 ? "," : "", TEXT_ARG(range));
            left -= slot - first;
        }
        slot++;
    }
    return buf_text(&buf);
}

static struct doc group_members_put(struct arena *arena, const struct doc *planned,
                                    const struct fleet_group *group, const struct grouped *records,
                                    size_t count)
{
    struct slots_walk walk = { .arena = arena, .group = group, .records = records, .count = count };
    struct doc names = { 0 };
    struct doc slots = { 0 };
    uint64_t held = 0;
    struct doc out;

    walk.names = arena_array(arena, struct text, count);
    for (size_t at = 0; at < count;) {
        size_t before = walk.name_count;

        at += slot_take(&walk, at);
        held += walk.name_count > before;
    }
    if (walk.name_count > 0) {
        struct buf buf;

        sort_stable(arena, walk.names, walk.name_count, sizeof(*walk.names),
                    service_members_by_name, NULL);
        buf_init(&buf, arena);
        ranges_format(&buf, walk.names, walk.name_count);
        names = doc_text(buf_text(&buf), NULL);
    }
    if (held < group->plan.size) {
        slots = doc_text(slots_plan(&walk, group->plan.size - held), NULL);
    }
    out = nest_put(arena, planned, "members", names);
    return nest_put(arena, &out, "planned", slots);
}

/* Return the records of all groups of the index, ordered by group and slot. Other records are
 * omitted. */
static struct grouped *grouped_make(struct arena *arena, const struct map *index,
                                    const struct record *records, size_t record_count,
                                    size_t *out_count)
{
    struct grouped *items = arena_array(arena, struct grouped, record_count);
    size_t count = 0;

    for (size_t i = 0; i < record_count; i++) {
        const struct fleet_group *group = map_find(index, records[i].plan.group);

        if (group != NULL) {
            items[count++] = (struct grouped){ group, &records[i] };
        }
    }
    sort_stable(arena, items, count, sizeof(*items), by_group_and_slot, NULL);
    *out_count = count;
    return items;
}

struct doc service_members_put(struct arena *arena, const struct stored_object *stored,
                               const struct record *records, size_t record_count,
                               const struct doc *planned)
{
    const struct doc *groups = doc_child(planned, "groups");
    struct fleet_cluster cluster;
    struct grouped *grouped;
    struct doc *reported;
    struct map firsts;
    struct map index;
    size_t count;

    if (!doc_is_list(groups) || !fleet_groups_read(arena, stored, &cluster)) {
        return *planned;
    }
    index = service_members_index(arena, &cluster);
    grouped = grouped_make(arena, &index, records, record_count, &count);
    map_init(&firsts, arena);
    for (size_t i = count; i > 0; i--) {
        map_put(&firsts, grouped[i - 1].group->plan.path, &grouped[i - 1]);
    }
    reported = arena_array(arena, struct doc, groups->item_count);
    for (size_t i = 0; i < groups->item_count; i++) {
        struct text path = mutation_text_of(&groups->items[i], "path");
        const struct fleet_group *group = map_find(&index, path);
        const struct grouped *first = map_find(&firsts, path);
        size_t own = 0;

        while (first != NULL && first + own < grouped + count && first[own].group == group) {
            own++;
        }
        reported[i] = group == NULL
                          ? groups->items[i]
                          : group_members_put(arena, &groups->items[i], group, first, own);
    }
    return nest_put(arena, planned, "groups", doc_list(reported, groups->item_count, NULL));
}
