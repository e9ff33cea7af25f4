#include "engine/control_parts.h"

#include <assert.h>

/* names: pass_ */

/* How a cluster stands, in its status: {"holds":N,"machines":{"creating":N,"leaving":N,"ready":N,"wanted":N}}.
 * Written when it is another than before, in the same transactions as what makes it so. */

struct standing {
    size_t by_state[3]; /* enum plan_record_state */
    uint64_t wanted;
};

static void action_count(struct standing *standing, const struct plan_world *world,
                         const struct plan_action *action)
{
    size_t *from = action->record == PLAN_NONE
                       ? NULL
                       : &standing->by_state[world->records[action->record].state];

    switch (action->act) {
    case PLAN_ACT_CREATE:
        standing->by_state[PLAN_RECORD_CREATE]++;
        break;
    case PLAN_ACT_ADOPT:
        standing->by_state[PLAN_RECORD_ACTIVE]++;
        break;
    case PLAN_ACT_ACTIVATE:
        --*from;
        standing->by_state[PLAN_RECORD_ACTIVE]++;
        break;
    case PLAN_ACT_FORGET:
        --*from;
        break;
    case PLAN_ACT_DESTROY:
        if (from != NULL) {
            --*from;
        }
        standing->by_state[PLAN_RECORD_DELETE]++;
        break;
    case PLAN_ACT_NOTE:
    case PLAN_ACT_SET_ID:
    case PLAN_ACT_CONFIRM:
    case PLAN_ACT_TERMINATE:
    case PLAN_ACT_ASK:
    case PLAN_ACT_MOVE:
    case PLAN_ACT_LABEL:
    case PLAN_ACT_REBOOT:
        break;
    }
}

static struct text status_format(const struct pass *pass, const struct standing *standing)
{
    return arena_printf(
        pass->arena,
        "{\"holds\":%zu,\"machines\":{\"creating\":%zu,\"leaving\":%zu,\"ready\":%zu,"
        "\"wanted\":%llu}}",
        pass->plan.hold_count, standing->by_state[PLAN_RECORD_CREATE],
        standing->by_state[PLAN_RECORD_DELETE], standing->by_state[PLAN_RECORD_ACTIVE],
        (unsigned long long)standing->wanted);
}

/* The status stands in most transactions, and its compare alone would refuse most of those that a missing guard
 * lets through: where the simulator takes one away it must not stand in. */
bool pass_hides_a_guard(const struct pass *pass)
{
    const struct plan_limits *limits = &pass->keeper->control->options.limits;

    return !GUARD(limits, G2) || !GUARD(limits, G10) || BUG(limits, BUG_EPOCH_UNCOMPARED);
}

void pass_status_make(struct pass *pass)
{
    const struct fleet_cluster *cluster = pass->keeper->cluster;
    const struct cache_object *object =
        cache_find(pass->keeper->control->cache, cluster->tenant, TEXT("Cluster"), cluster->id);
    struct standing standing = { 0 };
    const struct cache_bytes *old;
    struct text value;

    if (object == NULL || !cluster->is_there || pass_hides_a_guard(pass)) {
        return;
    }
    old = &object->parts[CACHE_STATUS];
    for (size_t i = 0; i < pass->world.record_count; i++) {
        standing.by_state[pass->world.records[i].state]++;
    }
    for (size_t i = 0; i < pass->world.group_count; i++) {
        standing.wanted += pass->world.groups[i].size;
    }
    for (size_t i = 0; i < pass->plan.action_count; i++) {
        action_count(&standing, &pass->world, &pass->plan.actions[i]);
    }
    value = status_format(pass, &standing);
    if (old->bytes == NULL || !text_is_equal(blob_text(old->bytes), value)) {
        unit_add(pass->arena, &pass->units,
                 control_key(pass->arena, cluster, "Cluster", TEXT(""), CACHE_STATUS),
                 old->revision, value);
    }
}
