#include "inventory/rivals.h"

/* public names start with: rivals_ */

/* Returns the number of members of the group that have a machine. */
static uint64_t rivals_taken(const struct fleet_cluster *cluster, struct text path)
{
    uint64_t count = 0;

    for (size_t i = 0; i < cluster->count; i++) {
        const struct fleet_machine *machine = cluster->machines[i];

        count += machine->state != PLAN_RECORD_DELETE && machine->id.length > 0 &&
                 text_is_equal(fleet_machine_group(machine), path);
    }
    return count;
}

/* True if the group takes machines automatically now; *out has its conditions. */
static bool rivals_is_one(struct arena *arena, const struct fleet_cluster *cluster,
                          const struct fleet_group *group, const struct inventory_wanted *wanted,
                          struct inventory_wanted *out)
{
    struct text user;

    *out = (struct inventory_wanted){ .cluster = cluster->id,
                                      .group = group->plan.path,
                                      .now_ms = wanted->now_ms,
                                      .times = wanted->times };
    if (group->choice_count == 0 || !text_is(group->choices[0].plugin, INVENTORY_PLUGIN) ||
        (text_is_equal(cluster->id, wanted->cluster) &&
         text_is_equal(group->plan.path, wanted->group))) {
        return false;
    }
    inventory_wanted_read(arena, group->more, out, &user);
    return out->automatic.length > 0 && !text_is(out->automatic, "off") &&
           rivals_taken(cluster, group->plan.path) < group->plan.size;
}

struct rivals rivals_read(struct arena *arena, const struct fleet *fleet, struct text tenant,
                          const struct inventory_wanted *wanted)
{
    struct rivals rivals = { 0 };
    size_t room = 0;

    for (struct fleet_cluster *cluster = fleet == NULL ? NULL : fleet_next(fleet, NULL);
         cluster != NULL; cluster = fleet_next(fleet, cluster)) {
        for (size_t i = 0; text_is_equal(cluster->tenant, tenant) && i < cluster->group_count;
             i++) {
            struct inventory_wanted one;

            if (!rivals_is_one(arena, cluster, &cluster->groups[i], wanted, &one)) {
                continue;
            }
            one.name = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster->name),
                                    TEXT_ARG(cluster->groups[i].plan.path));
            if (rivals.count == room) {
                rivals.items = arena_grow(arena, rivals.items, room * sizeof(*rivals.items),
                                          (2 * room + 8) * sizeof(*rivals.items));
                room = 2 * room + 8;
            }
            rivals.items[rivals.count++] = one;
        }
    }
    return rivals;
}
