#include "change/change_work.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/nest.h"
#include "records/configurations.h"

/* Resolves `configuration: NAME` to the newest revision, and copies the stages of the revision
 * next to the reference. The specification is then complete by itself: the stages of a group do not
 * change when a revision is pushed or removed, and an earlier state can be restored. */

static const char *const reference_field = "configuration";
static const char *const content_field = "configured";

struct resolving {
    struct change_work *work;
    bool is_quiet;       /* do not report unknown references */
    struct map reported; /* references that were reported as unknown */
};

/* How the keys of a map are interpreted. */
enum keys {
    KEYS_ENVELOPE, /* fields of a document, with or without its envelope */
    KEYS_FIELDS,
    KEYS_GROUPS, /* names of groups; no key is the name of a field */
};

/* True if the keys below this field may be any names: labels, and fields of plugins. */
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

/* True if the content next to the reference is that of this revision. */
static bool is_content_of(const struct doc *content, struct text reference)
{
    const struct doc *revision = doc_child(content, "revision");

    return doc_is_scalar(revision) && text_is_equal(revision->text, reference);
}

/* Return the keyed digest of a secret's value, by which a changed value is recognized; empty: the
 * secret does not exist. */
static struct text secret_digest(const struct change_work *work, struct text name)
{
    const struct cache_object *object =
        cache_find(work->cache, work->request->tenant, TEXT("Secret"), name);
    struct doc secret;
    struct err err;

    for (size_t i = 0; work->request->mode != CHANGE_DELETE && i < work->request->document_count;
         i++) {
        const struct doc *document = &work->request->documents[i];

        /* the same request may write the secret */
        if (text_is(doc_child_text(document, "kind"), "Secret") &&
            text_is_equal(doc_child_text(document, "name"), name)) {
            return doc_child_text(document, "digest");
        }
    }
    return object != NULL && object->parts[CACHE_SPEC].bytes != NULL &&
                   json_parse(work->arena, blob_text(object->parts[CACHE_SPEC].bytes), NULL,
                              &secret, &err)
               ? doc_child_text(doc_child(&secret, "spec"), "digest")
               : TEXT("");
}

/* Return the secrets of a revision with their present digests: NAME DIGEST. */
static struct doc secrets_bind(struct resolving *resolving, const struct doc *secrets,
                               const struct doc *like)
{
    struct change_work *work = resolving->work;
    struct doc_builder builder;

    doc_builder_init(&builder, work->arena);
    for (size_t i = 0; i < secrets->entry_count; i++) {
        struct doc_entry entry = secrets->entries[i];
        struct text name =
            text_slice(entry.value.text, sizeof("secret://") - 1, entry.value.text.length);
        struct text digest = secret_digest(work, name);

        if (digest.length == 0 && !resolving->is_quiet &&
            map_find(&resolving->reported, name) == NULL) {
            struct err *err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0667,
                                           "'%.*s' needs secret '%.*s', which does not exist",
                                           TEXT_ARG(like->text), TEXT_ARG(name));

            err_hint(err, "reeve create secret %.*s @FILE", TEXT_ARG(name));
            model_blame(err, like);
            map_put(&resolving->reported, name, resolving);
        }
        entry.value = doc_text(
            arena_printf(work->arena, "%.*s %.*s", TEXT_ARG(name), TEXT_ARG(digest)), like);
        doc_builder_add(&builder, &entry);
    }
    return doc_builder_map(&builder, like);
}

static struct doc content_make(struct resolving *resolving, struct text reference,
                               const struct doc *revision, const struct doc *like)
{
    struct arena *arena = resolving->work->arena;
    const struct doc *secrets = doc_child(revision, "secrets");
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
    if (doc_is_map(secrets)) {
        doc_builder_put(&builder, "secrets", secrets_bind(resolving, secrets, like));
    }
    if (doc_is_map(vars)) {
        doc_builder_put(&builder, "vars", doc_map(vars->entries, vars->entry_count, like));
    }
    return doc_builder_map(&builder, like);
}

/* Returns the map with the revision to which its reference resolves. For a revision that was
 * removed, the content in the map is used unchanged, so that an earlier state can be restored. */
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
        /* A user with access to only one cluster must not get secrets of the tenant by a
         * reference. */
        if (!is_content_of(content, value->text) ||
            (doc_child(content, "secrets") != NULL && work->request->reach != NULL)) {
            unknown_report(resolving, value, name, number);
        }
        return *map;
    }
    found = content_make(resolving, reference, &revision, value);
    if (content != NULL && text_is_equal(reference, value->text) && doc_is_equal(content, &found)) {
        return *map;
    }
    out = nest_put(work->arena, map, reference_field, doc_text(reference, value));
    return nest_put(work->arena, &out, content_field, found);
}

/* Resolves the fields of one map. A group without `configuration` gets no content of a
 * configuration. A group that removes the inherited reference also removes the inherited
 * content. */
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

/* Resolves the groups of a list: `groups` may be a list whose items have the name of their
 * group. */
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
