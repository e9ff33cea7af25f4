#include "managers/assignment_parts.h"

#include <string.h>

/* public names start with: assignment_ */

/* Decides which clusters this manager hands over, and tracks plugins that do not work on it. */

static bool assignment_is_own(const struct assignment *assignment,
                              const struct fleet_cluster *cluster)
{
    const struct assignment_cluster *state = cluster->assignment;

    return assignment_is_existing(cluster) && state != NULL && state->holder != NULL &&
           text_is(assignment->options.session, state->holder->name) && !state->is_leaving;
}

static void assignment_leave(struct assignment *assignment, struct fleet_cluster *cluster,
                             const struct assignment_view *view, size_t to, struct text reason)
{
    struct assignment_cluster *state = cluster->assignment;
    struct managers_row *here = managers_here(assignment->options.managers);
    struct managers_row *next = managers_find(assignment->options.managers, view->managers[to].id);

    state->is_leaving = true;
    memcpy(state->next, next->id.data, next->id.length);
    state->next[next->id.length] = '\0';
    here->clusters--;
    here->machines -= cluster->count;
    next->clusters++;
    next->machines += cluster->count;
    assignment->options.leave(assignment->options.arg, cluster, next->id, reason);
}

/* Hands over the clusters that this manager must not keep: all clusters while it is being drained,
 * otherwise those with a plugin that does not work here. Clusters that no other manager can take
 * are kept. */
static void assignment_release(struct assignment *assignment, const struct managers_row *here)
{
    struct fleet_cluster *cluster = NULL;

    while ((cluster = fleet_next(assignment->options.fleet, cluster)) != NULL) {
        AUTO(arena) arena = NULL;
        struct assignment_view view;
        struct text missing;
        size_t to;

        if (!assignment_is_own(assignment, cluster) || lease_is_bound(cluster)) {
            continue;
        }
        fleet_wanted(assignment->options.fleet, cluster);
        missing = assignment_missing(assignment, here, cluster);
        if (!here->is_draining && missing.length == 0) {
            continue;
        }
        assignment_view_make(assignment, cluster, &view);
        to = plan_assign_next(&view.assign, cluster->id);
        if (to == SIZE_MAX) {
            continue;
        }
        arena = arena_new_small(SIZE_MAX);
        assignment_leave(
            assignment, cluster, &view, to,
            here->is_draining
                ? arena_printf(arena, "drain of %.*s", TEXT_ARG(here->name))
                : arena_printf(arena, "inability of %.*s: %s %.*s", TEXT_ARG(here->name),
                               here->missing_key.length > 0 ? "key" : "plugin", TEXT_ARG(missing)));
    }
}

/* True if a cluster may be moved for balance now. Refills the budget of such moves. */
static bool assignment_balance_may(struct assignment *assignment, uint64_t now)
{
    uint64_t most = ASSIGNMENT_BALANCE_PER_S * UINT64_C(1000);
    uint64_t more = (now - assignment->balanced_ms) * ASSIGNMENT_BALANCE_PER_S;

    assignment->balanced_ms = now;
    assignment->balance_left =
        more < most - assignment->balance_left ? assignment->balance_left + more : most;
    return assignment->balance_left >= 1000;
}

/* True if a cluster may be moved for balance. */
static bool assignment_is_movable(const struct assignment *assignment,
                                  const struct fleet_cluster *cluster, uint64_t now)
{
    const struct assignment_cluster *state = cluster->assignment;

    return assignment_is_own(assignment, cluster) && !lease_is_bound(cluster) &&
           (state->balanced_ms == 0 ||
            now - state->balanced_ms >= ASSIGNMENT_BALANCE_MS / assignment->options.times);
}

/* True if another manager has clearly less load. If none has, no cluster is moved. */
static bool assignment_has_lighter(const struct assignment *assignment,
                                   const struct managers_row *here)
{
    const struct managers *managers = assignment->options.managers;
    uint64_t load = here->clusters * PLAN_ASSIGN_CLUSTER_LOAD + here->machines;

    for (size_t i = 0; i < managers_count(managers); i++) {
        const struct managers_row *row = managers_at(managers, i);

        if (row->is_live && !row->is_draining &&
            row->clusters * PLAN_ASSIGN_CLUSTER_LOAD + row->machines < load) {
            return true;
        }
    }
    return false;
}

/* Moves clusters to managers with less load, if the load of this manager has been too high for some
 * time. */
static void assignment_balance(struct assignment *assignment, const struct managers_row *here,
                               uint64_t now)
{
    struct fleet_cluster *cluster = NULL;
    bool is_above = false;

    while (assignment_has_lighter(assignment, here) &&
           (cluster = fleet_next(assignment->options.fleet, cluster)) != NULL) {
        AUTO(arena) arena = NULL;
        struct assignment_view view;
        size_t to;

        if (!assignment_is_movable(assignment, cluster, now)) {
            continue;
        }
        fleet_wanted(assignment->options.fleet, cluster);
        assignment_view_make(assignment, cluster, &view);
        if (view.here == SIZE_MAX || !plan_assign_is_uneven(&view.assign, view.here)) {
            continue;
        }
        is_above = true;
        if (assignment->uneven_since_ms == 0 ||
            now - assignment->uneven_since_ms < ASSIGNMENT_UNEVEN_MS / assignment->options.times ||
            !assignment_balance_may(assignment, now)) {
            break;
        }
        to = plan_assign_balance(&view.assign, cluster->id, view.here, assignment_load(cluster));
        if (to != SIZE_MAX) {
            assignment->balance_left -= 1000;
            ((struct assignment_cluster *)cluster->assignment)->balanced_ms = now;
            arena = arena_new_small(SIZE_MAX);
            assignment_leave(
                assignment, cluster, &view, to,
                arena_printf(arena, "balance: manager %.*s had more load", TEXT_ARG(here->name)));
        }
    }
    if (!is_above) {
        assignment->uneven_since_ms = 0;
    } else if (assignment->uneven_since_ms == 0) {
        assignment->uneven_since_ms = now;
    }
}

void assignment_move(struct assignment *assignment, const struct managers_row *here, uint64_t now)
{
    if (here->is_draining || here->lack_count > 0) {
        assignment_release(assignment, here);
    }
    if (!here->is_draining) {
        assignment_balance(assignment, here, now);
    }
}

/* ---- plugins that do not work here ---- */

static struct assignment_plugin *assignment_plugin_find(struct assignment *assignment,
                                                        struct text name, bool is_new)
{
    struct assignment_plugin *unused = NULL;

    for (size_t i = 0; i < ASSIGNMENT_PLUGINS; i++) {
        struct assignment_plugin *plugin = &assignment->plugins[i];

        if (text_is(name, plugin->name)) {
            return plugin;
        }
        unused = unused == NULL && plugin->name[0] == '\0' ? plugin : unused;
    }
    return is_new && name.length < ASSIGNMENT_PLUGIN_BYTES ? unused : NULL;
}

void assignment_plugin_note(struct assignment *assignment, struct text tenant, struct text plugin,
                            struct text problem)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text name = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(tenant), TEXT_ARG(plugin));
    struct assignment_plugin *found = assignment_plugin_find(assignment, name, problem.length > 0);
    uint64_t now = assignment_now(assignment);

    if (found == NULL) {
        return;
    }
    if (problem.length == 0) {
        found->name[0] = '\0';
        managers_lack_set(assignment->options.managers, name, TEXT(""));
        assignment->is_dirty = true;
        return;
    }
    if (found->name[0] == '\0') {
        *found = (struct assignment_plugin){ .since_ms = now };
        memcpy(found->name, name.data, name.length);
        found->name[name.length] = '\0';
    }
    found->seen_ms = now;
    if (now - found->since_ms >= ASSIGNMENT_INABILITY_MS / assignment->options.times) {
        managers_lack_set(assignment->options.managers, name, problem);
        assignment->is_dirty = true;
    }
}

void assignment_plugins_forget(struct assignment *assignment, uint64_t now)
{
    for (size_t i = 0; i < ASSIGNMENT_PLUGINS; i++) {
        struct assignment_plugin *plugin = &assignment->plugins[i];

        if (plugin->name[0] != '\0' &&
            now - plugin->seen_ms >= ASSIGNMENT_FORGET_MS / assignment->options.times) {
            managers_lack_set(assignment->options.managers, text_from(plugin->name), TEXT(""));
            plugin->name[0] = '\0';
        }
    }
}
