#include "base/map.h"
#include "base/sort.h"
#include "cli/args/when.h"
#include "cli/manager/nodes.h"
#include "cli/read/get_parts.h"
#include "codec/doc_child.h"
#include "selector/ranges.h"

/* public names start with: get_ */

enum { CAUSES_SHOWN = 2 };

/* The nodes of each cluster, read once. */
struct cluster_nodes {
    struct command *command;
    const struct session *session;
    struct map clusters;
};

/* Get the nodes of a cluster, which are read once. NULL: an error was added. */
static const struct nodes *cluster_nodes_get(struct cluster_nodes *reading, struct text cluster)
{
    struct nodes *nodes = map_find(&reading->clusters, cluster);

    if (nodes == NULL) {
        nodes = arena_one(reading->command->arena, struct nodes);
        if (!nodes_get(reading->command, reading->session, cluster, nodes)) {
            return NULL;
        }
        map_put(&reading->clusters, cluster, nodes);
    }
    return nodes;
}

static struct cluster_nodes reading_make(struct command *command, const struct session *session)
{
    struct cluster_nodes reading = { .command = command, .session = session };

    map_init(&reading.clusters, command->arena);
    return reading;
}

static struct text get_counts_group_key(struct command *command, struct text cluster,
                                        struct text group)
{
    return arena_printf(command->arena, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group));
}

/* Get the counts of a cluster's groups from the manager: CLUSTER/GROUP to a map of counts. Each
 * cluster is requested once. */
static bool cluster_counts_get(struct command *command, const struct session *session,
                               struct map *counts, struct text cluster)
{
    struct doc *answer = arena_one(command->arena, struct doc);
    const struct doc *groups;
    struct buf path;

    buf_init(&path, command->arena);
    buf_add_string(&path, "/v1/fleet?view=counts&cluster=");
    client_path_add(&path, cluster);
    if (!session_get(command, session, buf_text(&path), answer)) {
        return false;
    }
    groups = doc_child(answer, "groups");
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        map_put(counts,
                get_counts_group_key(command, cluster, doc_child_text(&groups->items[i], "group")),
                (void *)(uintptr_t)doc_child(&groups->items[i], "counts"));
    }
    map_put(counts, cluster, counts);
    return true;
}

bool get_counts(struct command *command, const struct session *session,
                const struct listing *groups, struct doc **out)
{
    struct nodes none = { 0 };
    struct map counts;

    map_init(&counts, command->arena);
    *out = arena_array(command->arena, struct doc, groups->count + 1);
    for (size_t i = 0; i < groups->count; i++) {
        struct text cluster = listing_text(&groups->items[i], "metadata", "cluster");
        const struct doc *found;

        if (map_find(&counts, cluster) == NULL &&
            !cluster_counts_get(command, session, &counts, cluster)) {
            return false;
        }
        found = map_find(&counts,
                         get_counts_group_key(command, cluster,
                                              listing_text(&groups->items[i], "metadata", "name")));
        (*out)[i] = doc_is_map(found) ? *found : nodes_counts(command->arena, &none);
    }
    return true;
}

/* ---- holds ---- */

static void hold_text_put(struct doc_builder *builder, const char *key, struct text text)
{
    if (text.length > 0) {
        doc_builder_put(builder, key, doc_text(text, NULL));
    }
}

static struct doc hold_node(struct command *command, const struct doc *node)
{
    const struct doc *problem = doc_child(doc_child(node, "status"), "problem");
    struct doc_builder builder;

    doc_builder_init(&builder, command->arena);
    hold_text_put(&builder, "cause", doc_child_text(problem, "cause"));
    hold_text_put(&builder, "name", listing_text(node, "metadata", "name"));
    hold_text_put(&builder, "next", doc_child_text(problem, "next"));
    hold_text_put(&builder, "nextAt", doc_child_text(problem, "nextAt"));
    hold_text_put(&builder, "since", doc_child_text(problem, "since"));
    hold_text_put(&builder, "state", text_from(nodes_state(node)));
    return doc_builder_map(&builder, NULL);
}

/* Format the causes of several nodes: "web-1: connection refused, since 2 min ago; web-3: ...; 4
 * more". */
static struct text causes_text(struct command *command, const struct doc *nodes, size_t count)
{
    struct buf buf;

    buf_init(&buf, command->arena);
    for (size_t i = 0; i < count && i < CAUSES_SHOWN; i++) {
        struct text since = doc_child_text(&nodes[i], "since");

        buf_printf(&buf, "%s%.*s %.*s: %.*s", i == 0 ? "" : "; ",
                   TEXT_ARG(doc_child_text(&nodes[i], "name")),
                   TEXT_ARG(doc_child_text(&nodes[i], "state")),
                   TEXT_ARG(doc_child_text(&nodes[i], "cause")));
        if (since.length > 0) {
            buf_printf(&buf, ", since %.*s", TEXT_ARG(when_format(command, since)));
        }
    }
    if (count > CAUSES_SHOWN) {
        buf_printf(&buf, "; %zu more", count - CAUSES_SHOWN);
    }
    return buf_text(&buf);
}

/* Format what happens next: the earliest time, or the text of the first node if no time is
 * known. */
static struct text next_text(struct command *command, const struct doc *nodes, size_t count)
{
    const struct doc *first = count > 0 ? &nodes[0] : NULL;

    for (size_t i = 1; i < count; i++) {
        struct text at = doc_child_text(&nodes[i], "nextAt");
        struct text earliest = doc_child_text(first, "nextAt");

        if (at.length > 0 && (earliest.length == 0 || text_compare(at, earliest) < 0)) {
            first = &nodes[i];
        }
    }
    if (first == NULL) {
        return TEXT("");
    }
    return doc_child_text(first, "nextAt").length == 0
               ? doc_child_text(first, "next")
               : arena_printf(command->arena, "%.*s: %.*s, at %.*s",
                              TEXT_ARG(doc_child_text(first, "name")),
                              TEXT_ARG(doc_child_text(first, "next")),
                              TEXT_ARG(doc_child_text(first, "nextAt")));
}

static int hold_name_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return ranges_compare(*(const struct text *)a, *(const struct text *)b);
}

/* True if the hold applies to this node. `only` has the nodes of the hold as ranges; empty: the
 * hold applies to all nodes of its group or cluster. */
static bool hold_has_node(struct text only, struct text name)
{
    struct text rest = only;
    struct text pattern;

    while (ranges_next(&rest, &pattern)) {
        if (ranges_has(pattern, name)) {
            return true;
        }
    }
    return only.length == 0;
}

static struct doc hold_row(struct command *command, const struct nodes *nodes, struct text only)
{
    struct doc *items = arena_array(command->arena, struct doc, nodes->count + 1);
    struct text *names = arena_array(command->arena, struct text, nodes->count + 1);
    struct doc_builder builder;
    size_t count = 0;
    struct buf buf;

    for (size_t i = 0; i < nodes->count; i++) {
        const struct doc *node = &nodes->items[i];

        if (doc_is_map(doc_child(doc_child(node, "status"), "problem")) &&
            hold_has_node(only, listing_text(node, "metadata", "name"))) {
            names[count] = listing_text(node, "metadata", "name");
            items[count++] = hold_node(command, node);
        }
    }
    sort_stable(command->arena, names, count, sizeof(*names), hold_name_compare, NULL);
    buf_init(&buf, command->arena);
    ranges_format(&buf, names, count);
    doc_builder_init(&builder, command->arena);
    hold_text_put(&builder, "cause", causes_text(command, items, count));
    hold_text_put(&builder, "names", buf_text(&buf));
    hold_text_put(&builder, "next", next_text(command, items, count));
    doc_builder_put(&builder, "nodes", doc_list(items, count, NULL));
    return doc_builder_map(&builder, NULL);
}

bool get_hold_nodes(struct command *command, const struct session *session,
                    const struct listing *holds, struct doc **out)
{
    struct cluster_nodes reading = reading_make(command, session);

    *out = arena_array(command->arena, struct doc, holds->count + 1);
    for (size_t i = 0; i < holds->count; i++) {
        const struct doc *hold = &holds->items[i];
        struct text group = listing_text(hold, "metadata", "group");
        const struct nodes *nodes =
            cluster_nodes_get(&reading, listing_text(hold, "metadata", "cluster"));
        struct nodes own;

        if (nodes == NULL) {
            return false;
        }
        own = group.length > 0 ? nodes_of(nodes, group) : *nodes;
        (*out)[i] = hold_row(command, &own, listing_text(hold, "status", "nodes"));
    }
    return true;
}
