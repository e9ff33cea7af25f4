#include "change/change_work.h"
#include "model/nest.h"
#include "records/configurations.h"

/* Resolves `configuration: NAME` to the newest revision, and copies the stages of the revision
 * beside it. From then on the specification is complete by itself: what a group runs does not
 * change when a revision is pushed or removed, and a former state can be restored. */

static const char *const reference_field = "configuration";
static const char *const content_field = "configured";

struct resolving {
    struct change_work *work;
    bool is_quiet;       /* unknown references are not reported */
    struct map reported; /* references that were reported as unknown */
};

/* What the keys of a map are. */
enum keys {
    KEYS_ENVELOPE, /* fields of a document, with or without its envelope */
    KEYS_FIELDS,
    KEYS_GROUPS, /* names of groups: none of them is a field */
};

/* True if the value of this field may contain any names: labels, and fields of others. */
static bool is_change_configurations_opaque(enum keys keys, struct text key)
{
    return (keys != KEYS_GROUPS && (text_is(key, "resourceProperties") || text_is(key, "vars") ||
                                    text_is(key, "labels"))) ||
           (keys == KEYS_ENVELOPE && (text_is(key, "metadata") || text_is(key, "status")));
}

static void unknown_report(struct resolving *resolving, const struct doc *value, struct text name,
                           uint64_t number)
{
    struct change_work *work = resolving->work;
    struct err err;

    if (resolving->is_quiet || map_find(&resolving->reported, value->text) != NULL) {
        return;
    }
    map_put(&resolving->reported, value->text, resolving);
    (void)!configuration_unknown(work->arena, work->cache, work->request->tenant, name, number,
                                 &err);
    model_blame(&err, value);
    err_list_add(work->errors, &err);
}

/* True if the content is that of this revision. */
static bool is_content_of(const struct doc *content, struct text reference)
{
    const struct doc *revision = doc_child(content, "revision");

    return doc_is_scalar(revision) && text_is_equal(revision->text, reference);
}

static struct doc content_make(struct arena *arena, struct text reference,
                               const struct doc *revision, const struct doc *like)
{
    const struct doc *bundles = doc_child(revision, "bundles");
    const struct doc *files = doc_child(revision, "files");
    const struct doc *hooks = doc_child(revision, "hooks");
    const struct doc *vars = doc_child(revision, "vars");
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bundles",
                    doc_is_list(bundles) ? doc_list(bundles->items, bundles->item_count, like)
                                         : doc_list(NULL, 0, like));
    if (doc_is_list(files)) {
        doc_builder_put(&builder, "files", doc_list(files->items, files->item_count, like));
    }
    if (doc_is_map(hooks)) {
        doc_builder_put(&builder, "hooks", doc_map(hooks->entries, hooks->entry_count, like));
    }
    doc_builder_put(&builder, "revision", doc_text(reference, like));
    if (doc_is_map(vars)) {
        doc_builder_put(&builder, "vars", doc_map(vars->entries, vars->entry_count, like));
    }
    return doc_builder_map(&builder, like);
}

/* Returns the map with the revision that its reference means. A revision that was removed is used
 * as it stands in the map: so a former state can be restored. */
static struct doc reference_resolve(struct resolving *resolving, const struct doc *map,
                                    const struct doc *value)
{
    struct change_work *work = resolving->work;
    struct text tenant = work->request->tenant;
    const struct doc *content = doc_child(map, content_field);
    struct text reference;
    struct doc revision;
    struct doc found;
    struct doc out;
    struct text name;
    uint64_t number;

    if (!configuration_reference_parse(value->text, &name, &number)) {
        return *map; /* reported when the document is read */
    }
    if (number == 0) {
        number = configuration_newest(work->cache, tenant, name, NULL);
    }
    reference = configuration_reference(work->arena, name, number);
    if (number == 0 ||
        !configuration_read(work->arena, work->cache, tenant, name, number, &revision)) {
        if (!is_content_of(content, value->text)) {
            unknown_report(resolving, value, name, number);
        }
        return *map;
    }
    found = content_make(work->arena, reference, &revision, value);
    if (content != NULL && text_is_equal(reference, value->text) && doc_is_equal(content, &found)) {
        return *map;
    }
    out = nest_put(work->arena, map, reference_field, doc_text(reference, value));
    return nest_put(work->arena, &out, content_field, found);
}

/* Resolves the fields of one map. A group without `configuration` has no content either, and a
 * group that removes the inherited value removes the inherited content. */
static struct doc fields_resolve(struct resolving *resolving, const struct doc *map)
{
    struct arena *arena = resolving->work->arena;
    const struct doc *value = doc_child(map, reference_field);
    const struct doc *content = doc_child(map, content_field);

    if (value == NULL) {
        return doc_is_map(content) ? nest_put(arena, map, content_field, (struct doc){ 0 }) : *map;
    }
    if (doc_is_null(value)) {
        return content != NULL && doc_is_null(content)
                   ? *map
                   : nest_put(arena, map, content_field, doc_plain(TEXT("null"), value));
    }
    return doc_is_scalar(value) ? reference_resolve(resolving, map, value) : *map;
}

static struct doc change_configurations_walk(struct resolving *resolving, enum keys keys,
                                             const struct doc *doc);

/* Resolves the groups of a list: `groups` may be one, with the name of each group in it. */
static struct doc groups_walk(struct resolving *resolving, const struct doc *list)
{
    struct arena *arena = resolving->work->arena;
    struct doc *items = NULL;

    for (size_t i = 0; i < list->item_count; i++) {
        struct doc value = change_configurations_walk(resolving, KEYS_FIELDS, &list->items[i]);

        if (!doc_is_container(&value) || doc_is_shared(&value, &list->items[i])) {
            continue;
        }
        if (items == NULL) {
            items = arena_array(arena, struct doc, list->item_count);
            for (size_t j = 0; j < list->item_count; j++) {
                items[j] = list->items[j];
            }
        }
        items[i] = value;
    }
    return items == NULL ? *list : doc_list(items, list->item_count, list);
}

static struct doc entry_walk(struct resolving *resolving, enum keys keys,
                             const struct doc_entry *entry)
{
    bool is_groups = keys != KEYS_GROUPS && text_is(entry->key, "groups");

    if (is_change_configurations_opaque(keys, entry->key)) {
        return entry->value;
    }
    if (is_groups && doc_is_list(&entry->value)) {
        return groups_walk(resolving, &entry->value);
    }
    return change_configurations_walk(resolving, is_groups ? KEYS_GROUPS : KEYS_FIELDS,
                                      &entry->value);
}

static struct doc change_configurations_walk(struct resolving *resolving, enum keys keys,
                                             const struct doc *doc)
{
    struct arena *arena = resolving->work->arena;
    struct doc out = *doc;
    struct doc_entry *entries = NULL;

    if (!doc_is_map(doc)) {
        return out;
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        struct doc value = entry_walk(resolving, keys, &doc->entries[i]);

        if (!doc_is_container(&value) || doc_is_shared(&value, &doc->entries[i].value)) {
            continue;
        }
        if (entries == NULL) {
            entries = arena_array(arena, struct doc_entry, doc->entry_count);
            for (size_t j = 0; j < doc->entry_count; j++) {
                entries[j] = doc->entries[j];
            }
            out = doc_map(entries, doc->entry_count, doc);
        }
        entries[i].value = value;
    }
    return keys == KEYS_GROUPS ? out : fields_resolve(resolving, &out);
}

struct doc change_configurations_resolve(struct change_work *work, const struct doc *document)
{
    struct resolving resolving = { .work = work };

    map_init(&resolving.reported, work->arena);
    return change_configurations_walk(&resolving, KEYS_ENVELOPE, document);
}

struct doc change_configurations_follow(struct change_work *work, const struct doc *merged)
{
    struct resolving resolving = { .work = work, .is_quiet = true };

    map_init(&resolving.reported, work->arena);
    return change_configurations_walk(&resolving, KEYS_FIELDS, merged);
}
