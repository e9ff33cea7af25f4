#include "managers/assignment_parts.h"

/* public names start with: assignment_ */

/* Finds out which managers can have a cluster, by the plugins that they have. */

static struct text assignment_plugin_base(struct text plugin)
{
    return text_slice(plugin, 0, text_find_byte(plugin, '/'));
}

static bool assignment_has_listed(const struct managers_row *row, struct text base)
{
    for (size_t i = 0; i < row->plugin_count; i++) {
        if (text_is_equal(row->plugins[i], base)) {
            return true;
        }
    }
    return false;
}

/* True if at least one live manager has the plugin without a download. */
static bool assignment_is_listed(const struct assignment *assignment, struct text base)
{
    const struct managers *managers = assignment->options.managers;

    for (size_t i = 0; i < managers_count(managers); i++) {
        const struct managers_row *row = managers_at(managers, i);

        if (row->is_live && assignment_has_listed(row, base)) {
            return true;
        }
    }
    return false;
}

/* True if a manager can use the plugin (NAME or NAME/ACCOUNT) for a cluster. */
static bool assignment_can_use(const struct assignment *assignment, const struct managers_row *row,
                               const struct fleet_cluster *cluster, struct text plugin)
{
    struct text base = assignment_plugin_base(plugin);

    for (size_t i = 0; i < row->lack_count; i++) {
        struct text lack = row->lacks[i].plugin;

        if (lack.length == cluster->tenant.length + 1 + plugin.length &&
            text_has_prefix(lack, cluster->tenant) && text_has_suffix(lack, plugin)) {
            return false;
        }
    }
    return !row->has_plugins || assignment_has_listed(row, base) ||
           (row->is_fetching && !assignment_is_listed(assignment, base));
}

struct text assignment_missing(const struct assignment *assignment, const struct managers_row *row,
                               const struct fleet_cluster *cluster)
{
    struct text last = TEXT("");

    /* accounts, and logins to machines, need the keys of the store */
    if (row->missing_key.length > 0) {
        return row->missing_key;
    }
    for (size_t i = 0; cluster->is_there && i < cluster->group_count; i++) {
        struct text plugin =
            cluster->groups[i].choice_count == 0 ? TEXT("") : cluster->groups[i].choices[0].plugin;

        if (plugin.length > 0 && !assignment_can_use(assignment, row, cluster, plugin)) {
            return plugin;
        }
    }
    for (size_t i = 0; i < cluster->count; i++) {
        struct text plugin = fleet_machine_plugin(cluster->machines[i]);

        if (!text_is_equal(plugin, last) && !assignment_can_use(assignment, row, cluster, plugin)) {
            return plugin;
        }
        last = plugin;
    }
    return TEXT("");
}

struct text assignment_unreached(const struct assignment *assignment,
                                 const struct managers_row *row,
                                 const struct fleet_cluster *cluster)
{
    struct text last = TEXT("");

    for (size_t i = 0; i < cluster->count; i++) {
        struct text at = fleet_machine_at(cluster->machines[i]);
        const struct managers_row *host =
            at.length == 0 || text_is_equal(at, last) || text_is_equal(at, row->id)
                ? NULL
                : managers_find(assignment->options.managers, at);

        last = at;
        if (host != NULL && !host->is_forgotten &&
            (host->peer.length == 0 || row->peer.length == 0)) {
            return at;
        }
    }
    return TEXT("");
}

void assignment_view_make(const struct assignment *assignment, const struct fleet_cluster *cluster,
                          struct assignment_view *out)
{
    const struct managers *managers = assignment->options.managers;

    out->assign =
        (struct plan_assign){ .managers = out->managers, .free_load = assignment->free_load };
    out->here = SIZE_MAX;
    out->able = 0;
    for (size_t i = 0; i < managers_count(managers) && out->assign.count < ASSIGNMENT_MANAGERS_MAX;
         i++) {
        const struct managers_row *row = managers_at(managers, i);
        struct plan_assign_manager *one = &out->managers[out->assign.count];

        if (!row->is_live || row->is_draining) {
            continue;
        }
        *one = (struct plan_assign_manager){
            .id = row->id,
            .load = row->clusters * PLAN_ASSIGN_CLUSTER_LOAD + row->machines,
            .is_able = assignment_missing(assignment, row, cluster).length == 0 &&
                       assignment_unreached(assignment, row, cluster).length == 0,
        };
        out->able += one->is_able ? 1 : 0;
        out->here = row->is_here ? out->assign.count : out->here;
        out->assign.count++;
    }
}

struct text assignment_name_of(const struct assignment *assignment, struct text id)
{
    const struct managers_row *row = managers_find(assignment->options.managers, id);

    return row == NULL || row->name.length == 0 ? id : row->name;
}

struct text assignment_unable_why(const struct assignment *assignment, struct arena *arena,
                                  const struct fleet_cluster *cluster)
{
    const struct managers *managers = assignment->options.managers;
    const struct managers_row *last = NULL;
    bool is_known = false;

    for (size_t i = 0; i < managers_count(managers); i++) {
        const struct managers_row *row = managers_at(managers, i);

        last = row->is_live && !row->is_draining ? row : last;
        is_known = is_known || row->is_live;
    }
    if (last == NULL) {
        return is_known ? TEXT("all live managers are draining")
                        : TEXT("the managers have just started");
    }
    if (last->missing_key.length > 0) {
        return arena_printf(arena, "no live manager has the key of %.*s: reeve manager join",
                            TEXT_ARG(last->missing_key));
    }
    if (assignment_unreached(assignment, last, cluster).length > 0) {
        return arena_printf(arena,
                            "the machines of the cluster exist only on the host of manager %.*s",
                            TEXT_ARG(assignment_name_of(
                                assignment, assignment_unreached(assignment, last, cluster))));
    }
    return arena_printf(arena, "no live manager can use plugin %.*s",
                        TEXT_ARG(assignment_missing(assignment, last, cluster)));
}
