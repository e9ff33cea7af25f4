#include "daemon/managers_port.h"

#include "base/time.h"
#include "state/objects.h"

/* public names start with: managers_port_ */

/* Returns the number of clusters in the store. */
static int64_t managers_port_clusters(const struct cache *cache)
{
    struct text prefix = TEXT("/");
    int64_t count = 0;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        count += text_is(cache_kind(object), "Cluster") && object->parts[CACHE_SPEC].bytes != NULL;
    }
    return count;
}

/* Describes the only manager of an embedded store. */
static struct doc managers_port_only(const struct managers_port *port, struct arena *arena)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(
        &builder, "clusters",
        doc_int(arena, port->controller == NULL ? 0 : managers_port_clusters(port->cache), NULL));
    doc_builder_put(&builder, "here", doc_bool(true, NULL));
    doc_builder_put(&builder, "lacks", doc_list(NULL, 0, NULL));
    doc_builder_put(&builder, "name", doc_text(text_from(port->config->name), NULL));
    doc_builder_put(&builder, "state", doc_text(TEXT("live"), NULL));
    doc_builder_put(&builder, "version", doc_text(TEXT(REEVE_VERSION), NULL));
    if (port->config->zone != NULL) {
        doc_builder_put(&builder, "zone", doc_text(text_from(port->config->zone), NULL));
    }
    return doc_builder_map(&builder, NULL);
}

/* Shows the link to another manager: {reason, rttMs, since, state}. */
static void managers_port_link(void *arg, struct arena *arena, const struct managers_row *row,
                               struct doc_builder *out)
{
    const struct managers_port *port = arg;
    struct doc_builder builder;
    struct peers_state state;
    char since[TIME_TEXT_BYTES];

    if (row->peer.length == 0 || !peers_state_find(port->peers, row->id, &state)) {
        return;
    }
    doc_builder_init(&builder, arena);
    if (!state.is_reachable) {
        doc_builder_put(&builder, "reason",
                        doc_text(arena_text(arena, text_from(state.reason)), NULL));
    }
    if (state.rtt_us > 0) {
        doc_builder_put(&builder, "rttMs",
                        doc_int(arena, (int64_t)((state.rtt_us + 999) / 1000), NULL));
    }
    if (state.since_wall_ms > 0) {
        time_format(state.since_wall_ms, since);
        doc_builder_put(&builder, "since", doc_text(arena_text(arena, text_from(since)), NULL));
    }
    doc_builder_put(&builder, "state",
                    doc_text(state.is_reachable ? TEXT("reachable") : TEXT("unreachable"), NULL));
    doc_builder_put(out, "link", doc_builder_map(&builder, NULL));
}

struct doc managers_port_show(const struct managers_port *port, struct arena *arena,
                              const struct service_managers_query *query)
{
    struct managers_query managers = { .tenant = query->tenant,
                                       .cluster = query->cluster,
                                       .has_clusters = query->has_clusters,
                                       .host = query->host,
                                       .link_show = managers_port_link,
                                       .arg = (void *)(uintptr_t)port };
    const char *problem = port->peers == NULL ? "" : peers_problem(port->peers);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    if (!port->config->store.is_etcd) {
        struct doc *only = arena_one(arena, struct doc);

        *only = managers_port_only(port, arena);
        doc_builder_put(&builder, "items", doc_list(only, 1, NULL));
        doc_builder_put(&builder, "note",
                        doc_text(TEXT("one manager: available while this host is up"), NULL));
    }
    if (port->config->store.is_etcd && port->controller != NULL &&
        controller_managers(port->controller) == NULL) {
        doc_builder_put(&builder, "clusters", doc_list(NULL, 0, NULL));
        doc_builder_put(&builder, "items", doc_list(NULL, 0, NULL));
        doc_builder_put(
            &builder, "note",
            doc_text(TEXT("this manager is starting, and does not know the other managers yet"),
                     NULL));
    }
    if (problem[0] != '\0') {
        doc_builder_put(&builder, "linkProblem",
                        doc_text(arena_text(arena, text_from(problem)), NULL));
    }
    doc_builder_put(&builder, "name", doc_text(text_from(port->config->name), NULL));
    doc_builder_put(&builder, "store",
                    doc_text(port->config->store.managed != NULL ? TEXT("managed")
                             : port->config->store.is_etcd       ? TEXT("etcd")
                                                                 : TEXT("sqlite"),
                             NULL));
    if (port->members_view != NULL) {
        members_view_show(port->members_view, arena, &builder);
    }
    controller_managers_show(port->controller, arena, &managers, &builder);
    return doc_builder_map(&builder, NULL);
}

struct api_managers_figures managers_port_figures(const struct managers_port *port)
{
    struct api_managers_figures figures = { .is_alone = !port->config->store.is_etcd };
    const struct managers *managers = controller_managers(port->controller);
    struct assignment_counts counts;

    if (port->members_view != NULL) {
        const char *reason;

        figures.has_level = true;
        figures.level = (unsigned)members_view_level(port->members_view, &reason);
    }
    if (managers == NULL) {
        return figures;
    }
    for (size_t i = 0; i < managers_count(managers); i++) {
        figures.states[managers_at(managers, i)->state]++;
    }
    counts = assignment_counts(controller_assignment(port->controller));
    figures.is_known = true;
    figures.assigned = counts.assigned;
    figures.unassigned = counts.unassigned;
    figures.taken = counts.taken;
    figures.taken_ms = counts.taken_ms;
    return figures;
}
