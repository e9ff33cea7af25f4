#include "base/map.h"
#include "cli/read/get_parts.h"
#include "codec/doc_child.h"

/* public names start with: get_ */

/* Effective values of groups, for clusters that set values for their groups. */
struct effective {
    struct command *command;
    const struct session *session;
    /* cluster name to a struct map from group path to the group of the manager's answer */
    struct map clusters;
};

static const char *const fields[] = { "configuration", "image", "machineSize", "size", "zones" };

static struct doc own_make(struct command *command, const struct doc *group)
{
    const struct doc *spec = doc_child(group, "spec");
    const struct doc *plugin = doc_child(doc_child(spec, "resourcePlugin"), "name");
    struct doc_builder builder;

    doc_builder_init(&builder, command->arena);
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (doc_is_present(doc_child(spec, fields[i]))) {
            doc_builder_put(&builder, fields[i], *doc_child(spec, fields[i]));
        }
    }
    if (doc_is_present(doc_child(spec, "labels"))) {
        doc_builder_put(&builder, "labels", *doc_child(spec, "labels"));
    }
    if (doc_is_present(plugin)) {
        doc_builder_put(&builder, "plugin", *plugin);
    }
    return doc_builder_map(&builder, NULL);
}

/* Make the document from the list of values with their paths. */
static struct doc effective_make(struct command *command, const struct doc *values)
{
    struct text front = TEXT("labels.");
    struct doc_builder builder;
    struct doc_builder labels;
    struct doc all;

    doc_builder_init(&builder, command->arena);
    doc_builder_init(&labels, command->arena);
    for (size_t i = 0; i < values->item_count; i++) {
        struct text path = doc_child_text(&values->items[i], "path");
        const struct doc *value = doc_child(&values->items[i], "value");

        for (size_t j = 0; j < ARRAY_COUNT(fields); j++) {
            if (text_is(path, fields[j])) {
                doc_builder_put(&builder, fields[j], *value);
            }
        }
        if (text_is(path, "resourcePlugin.name")) {
            doc_builder_put(&builder, "plugin", *value);
        } else if (text_has_prefix(path, front)) {
            doc_builder_put(
                &labels, arena_string(command->arena, text_slice(path, front.length, path.length)),
                *value);
        }
    }
    all = doc_builder_map(&labels, NULL);
    if (all.entry_count > 0) {
        doc_builder_put(&builder, "labels", all);
    }
    return doc_builder_map(&builder, NULL);
}

static bool has_entries(const struct doc *cluster, const char *key)
{
    const struct doc *value = doc_child(doc_child(cluster, "spec"), key);

    return doc_is_map(value) && value->entry_count > 0;
}

static bool cluster_ask(struct effective *effective, struct text name)
{
    struct command *command = effective->command;
    struct map *paths = arena_one(command->arena, struct map);
    struct doc *answer = arena_one(command->arena, struct doc);
    const struct doc *groups;
    struct text path = session_path(command, schema_kind_find(TEXT("Cluster")), name);

    if (!session_get(command, effective->session,
                     arena_printf(command->arena, "%.*s?view=effective", TEXT_ARG(path)), answer)) {
        return false;
    }
    map_init(paths, command->arena);
    groups = doc_child(answer, "groups");
    for (size_t i = 0; doc_is_list(groups) && i < groups->item_count; i++) {
        map_put(paths, doc_child_text(&groups->items[i], "path"), (void *)&groups->items[i]);
    }
    map_put(&effective->clusters, name, paths);
    return true;
}

static bool clusters_ask(struct effective *effective, const struct listing *groups)
{
    struct command *command = effective->command;
    struct listing clusters;
    struct map wanted;

    map_init(&wanted, command->arena);
    for (size_t i = 0; i < groups->count; i++) {
        map_put(&wanted, listing_text(&groups->items[i], "metadata", "cluster"), &wanted);
    }
    if (!listing_get(command, effective->session, schema_kind_find(TEXT("Cluster")), TEXT(""),
                     &clusters)) {
        return false;
    }
    for (size_t i = 0; i < clusters.count; i++) {
        const struct doc *cluster = &clusters.items[i];
        struct text name = listing_text(cluster, "metadata", "name");

        if (map_find(&wanted, name) != NULL &&
            (has_entries(cluster, "defaults") || has_entries(cluster, "labels")) &&
            !cluster_ask(effective, name)) {
            return false;
        }
    }
    return true;
}

bool get_groups_effective(struct command *command, const struct session *session,
                          const struct listing *groups, struct doc **out)
{
    struct effective effective = { .command = command, .session = session };
    struct doc *items = get_groups_own(command, groups);

    map_init(&effective.clusters, command->arena);
    if (groups->count > 0 && !clusters_ask(&effective, groups)) {
        return false;
    }
    for (size_t i = 0; i < groups->count; i++) {
        struct text cluster = listing_text(&groups->items[i], "metadata", "cluster");
        const struct map *paths = map_find(&effective.clusters, cluster);
        const struct doc *group =
            paths == NULL ? NULL
                          : map_find(paths, listing_text(&groups->items[i], "metadata", "name"));

        if (doc_is_list(doc_child(group, "values"))) {
            items[i] = effective_make(command, doc_child(group, "values"));
        }
    }
    *out = items;
    return true;
}

struct doc *get_groups_own(struct command *command, const struct listing *groups)
{
    struct doc *items = arena_array(command->arena, struct doc, groups->count + 1);

    for (size_t i = 0; i < groups->count; i++) {
        items[i] = own_make(command, &groups->items[i]);
    }
    return items;
}
