#include "base/limits.h"
#include "base/time.h"
#include "leases/leases_parts.h"
#include "state/objects.h"

/* public names start with: leases_ */

/* Formats the managers of the store and the holders of leases for display. */

enum { LEASES_SHOWN = 1000, LEASES_HOSTED = 5 };

static void leases_show_text(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static void leases_show_time(struct doc_builder *builder, struct arena *arena, const char *key,
                             int64_t wall_ms)
{
    char at[TIME_TEXT_BYTES];

    if (wall_ms > 0) {
        time_format(wall_ms, at);
        doc_builder_put(builder, key, doc_text(arena_text(arena, text_from(at)), NULL));
    }
}

static struct doc leases_show_names(struct arena *arena, const struct text *names, size_t count)
{
    struct doc *items = arena_array(arena, struct doc, count);

    for (size_t i = 0; i < count; i++) {
        items[i] = doc_text(arena_text(arena, names[i]), NULL);
    }
    return doc_list(items, count, NULL);
}

/* ---- managers ---- */

static bool leases_show_has(const struct managers_row *row, struct text plugin)
{
    for (size_t i = 0; i < row->plugin_count; i++) {
        if (text_is_equal(row->plugins[i], plugin)) {
            return true;
        }
    }
    return false;
}

/* Make one missing item. `what` is its kind: "plugin" or "key". */
static struct doc leases_show_lack(struct arena *arena, const char *what, struct text name,
                                   struct text reason)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, what, doc_text(arena_text(arena, name), NULL));
    doc_builder_put(&builder, "reason", doc_text(arena_text(arena, reason), NULL));
    return doc_builder_map(&builder, NULL);
}

/* True if a live manager before `row` in the list also has the plugin. */
static bool leases_show_is_seen(const struct managers *managers, const struct managers_row *row,
                                struct text plugin)
{
    for (size_t i = 0; managers_at(managers, i) != row; i++) {
        if (managers_at(managers, i)->is_live &&
            leases_show_has(managers_at(managers, i), plugin)) {
            return true;
        }
    }
    return false;
}

/* Lists what a manager lacks: a key of the store, plugins that other live managers have, and
 * plugins that do not work on this manager. */
static struct doc leases_show_lacks(struct arena *arena, const struct managers *managers,
                                    const struct managers_row *row)
{
    size_t room = row->lack_count + 1;
    size_t count = 0;
    struct doc *items;

    for (size_t i = 0; i < managers_count(managers); i++) {
        room += managers_at(managers, i)->plugin_count;
    }
    items = arena_array(arena, struct doc, room);
    if (row->missing_key.length > 0) {
        items[count++] = leases_show_lack(
            arena, "key", row->missing_key,
            TEXT(
                "the other managers seal with this key: run reeve manager token on one of their hosts, and reeve manager join on the host of this manager"));
    }
    for (size_t i = 0; i < row->lack_count; i++) {
        items[count++] =
            leases_show_lack(arena, "plugin", row->lacks[i].plugin, row->lacks[i].reason);
    }
    for (size_t i = 0; row->has_plugins && i < managers_count(managers); i++) {
        const struct managers_row *other = managers_at(managers, i);

        for (size_t j = 0; other->is_live && j < other->plugin_count; j++) {
            if (!leases_show_has(row, other->plugins[j]) &&
                !leases_show_is_seen(managers, other, other->plugins[j])) {
                items[count++] = leases_show_lack(arena, "plugin", other->plugins[j],
                                                  TEXT("the plugin is not installed"));
            }
        }
    }
    return doc_list(items, count, NULL);
}

static struct doc leases_show_manager(struct arena *arena, const struct managers *managers,
                                      const struct managers_row *row,
                                      const struct managers_query *query)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    leases_show_text(&builder, "address", arena_text(arena, row->address));
    doc_builder_put(&builder, "clusters", doc_int(arena, (int64_t)row->clusters, NULL));
    if (row->is_draining) {
        leases_show_time(&builder, arena, "drainedAt", row->drain_wall_ms);
        leases_show_text(&builder, "drainedBy", arena_text(arena, row->drain_by));
        leases_show_text(&builder, "drainMessage", arena_text(arena, row->drain_message));
    }
    doc_builder_put(&builder, "here", doc_bool(row->is_here, NULL));
    leases_show_text(&builder, "id", arena_text(arena, row->id));
    doc_builder_put(&builder, "lacks", leases_show_lacks(arena, managers, row));
    if (row->is_leaving) {
        leases_show_text(&builder, "leaving",
                         row->leaving.length > 0 ? arena_text(arena, row->leaving)
                                                 : TEXT("the manager has not answered yet"));
    }
    if (query->link_show != NULL && row->is_live && !row->is_here) {
        query->link_show(query->arg, arena, row, &builder);
    }
    doc_builder_put(&builder, "machines", doc_int(arena, (int64_t)row->machines, NULL));
    leases_show_text(&builder, "name", arena_text(arena, row->name));
    leases_show_text(&builder, "peer", arena_text(arena, row->peer));
    doc_builder_put(&builder, "plugins", leases_show_names(arena, row->plugins, row->plugin_count));
    if (row->state == MANAGERS_SILENT) {
        doc_builder_put(&builder, "silentSeconds",
                        doc_int(arena, (int64_t)(row->silent_ms / 1000), NULL));
    }
    leases_show_time(&builder, arena, "since", row->since_wall_ms);
    doc_builder_put(&builder, "state", doc_text(text_from(managers_state_name(row->state)), NULL));
    leases_show_text(&builder, "version", arena_text(arena, row->version));
    leases_show_text(&builder, "zone", arena_text(arena, row->zone));
    return doc_builder_map(&builder, NULL);
}

/* ---- clusters ---- */

static struct doc leases_show_cluster(struct leases *leases, struct arena *arena,
                                      struct fleet_cluster *cluster)
{
    const struct control *control = leases->control;
    const struct reconciler *reconciler = cluster->reconciler;
    struct text name = objects_cluster_name(control->cache, arena, cluster->tenant, cluster->id);
    int64_t wall_ms = control->ports.wall_ms(control->ports.arg);
    struct assignment_row row = { .is_assigned = true };
    struct doc_builder builder;

    if (leases->assignment != NULL) {
        row = assignment_show(leases->assignment, arena, cluster);
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "assigned", doc_bool(row.is_assigned, NULL));
    leases_show_text(&builder, "cluster", name.length > 0 ? name : cluster->id);
    if (reconciler != NULL && reconciler->begun_ms > 0 && !reconciler->is_foreign) {
        uint64_t age_ms = control->ports.now_ms(control->ports.arg) - reconciler->begun_ms;

        leases_show_time(&builder, arena, "lastPass", wall_ms - (int64_t)age_ms);
    }
    leases_show_text(&builder, "manager", row.manager);
    leases_show_text(&builder, "reason", row.reason);
    leases_show_time(&builder, arena, "since",
                     row.is_assigned ? row.since_wall_ms : wall_ms - (int64_t)row.free_ms);
    return doc_builder_map(&builder, NULL);
}

static bool leases_show_is_meant(const struct leases *leases, struct arena *arena,
                                 const struct fleet_cluster *cluster,
                                 const struct managers_query *query)
{
    if (!text_is_equal(cluster->tenant, query->tenant) ||
        (!cluster->is_there && cluster->count == 0)) {
        return false;
    }
    return query->cluster.length == 0 || text_is_equal(cluster->id, query->cluster) ||
           text_is_equal(
               objects_cluster_name(leases->control->cache, arena, cluster->tenant, cluster->id),
               query->cluster);
}

/* Return the clusters that the query selects. With is_free, return those that no manager holds. */
static struct doc leases_show_clusters(struct leases *leases, struct arena *arena,
                                       const struct managers_query *query, bool is_free)
{
    struct doc *items = arena_array(arena, struct doc, LEASES_SHOWN);
    struct fleet_cluster *cluster = NULL;
    size_t count = 0;

    while (count < LEASES_SHOWN &&
           (cluster = fleet_next(leases->control->fleet, cluster)) != NULL) {
        if (is_free &&
            (leases->assignment == NULL || !assignment_is_free(leases->assignment, cluster))) {
            continue;
        }
        if (leases_show_is_meant(leases, arena, cluster, query)) {
            items[count++] = leases_show_cluster(leases, arena, cluster);
        }
    }
    return doc_list(items, count, NULL);
}

/* ---- machines on the hosts of managers ---- */

/* Shows which clusters have machines on the host of a manager: {clusters, id, machines}. */
static struct doc leases_show_hosted(struct leases *leases, struct arena *arena, struct text id)
{
    struct doc *names = arena_array(arena, struct doc, LEASES_HOSTED);
    struct fleet_cluster *cluster = NULL;
    struct doc_builder builder;
    uint64_t machines = 0;
    size_t count = 0;

    while ((cluster = fleet_next(leases->control->fleet, cluster)) != NULL) {
        uint64_t before = machines;

        for (size_t i = 0; i < cluster->count; i++) {
            machines += text_is_equal(fleet_machine_at(cluster->machines[i]), id);
        }
        if (machines > before && count < LEASES_HOSTED) {
            struct text name =
                objects_cluster_name(leases->control->cache, arena, cluster->tenant, cluster->id);

            names[count++] =
                doc_text(arena_text(arena, name.length > 0 ? name : cluster->id), NULL);
        }
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "clusters", doc_list(names, count, NULL));
    doc_builder_put(&builder, "id", doc_text(arena_text(arena, id), NULL));
    doc_builder_put(&builder, "machines", doc_int(arena, (int64_t)machines, NULL));
    return doc_builder_map(&builder, NULL);
}

void leases_show(struct leases *leases, struct arena *arena, const struct managers_query *query,
                 struct doc_builder *builder)
{
    if (leases->managers != NULL) {
        size_t count = managers_count(leases->managers);
        struct doc *items = arena_array(arena, struct doc, count);
        struct assignment_counts counts = assignment_counts(leases->assignment);
        const struct managers_row *housekeeper =
            managers_find(leases->managers, housekeeping_manager(leases, arena));

        for (size_t i = 0; i < count; i++) {
            items[i] = leases_show_manager(arena, leases->managers,
                                           managers_at(leases->managers, i), query);
        }
        doc_builder_put(builder, "assigned", doc_int(arena, (int64_t)counts.assigned, NULL));
        if (housekeeper != NULL) {
            leases_show_text(builder, "housekeeper", arena_text(arena, housekeeper->name));
        }
        doc_builder_put(builder, "items", doc_list(items, count, NULL));
        doc_builder_put(builder, "unassigned", doc_int(arena, (int64_t)counts.unassigned, NULL));
        doc_builder_put(builder, "waiting", leases_show_clusters(leases, arena, query, true));
    }
    if (query->has_clusters || query->cluster.length > 0) {
        doc_builder_put(builder, "clusters", leases_show_clusters(leases, arena, query, false));
    }
    if (query->host.length > 0) {
        doc_builder_put(builder, "hosted", leases_show_hosted(leases, arena, query->host));
    }
}
