#include "state/flat.h"

#include "model/nest.h"

#include <assert.h>

struct doc flat_make(struct arena *arena, const struct stored_object *stored)
{
    struct doc flat = stored_join(arena, stored, STORED_SPEC);

    assert(doc_is_map(&flat));
    flat = nest_put(arena, &flat, "kind", doc_text(text_from(stored->kind->name), NULL));
    flat = nest_put(arena, &flat, "name", doc_text(stored->part.meta.name, NULL));
    if (stored->kind->owner == OWNER_NODEGROUP) {
        flat = nest_put(arena, &flat, "cluster", doc_text(stored->part.meta.cluster, NULL));
    }
    return flat;
}

static struct doc from_drop(struct arena *arena, const struct doc *doc)
{
    const struct doc *groups = doc_child(doc, "groups");
    struct doc out = nest_put(arena, doc, "from", (struct doc){ 0 });
    struct doc_builder builder;

    out = nest_put(arena, &out, "renamedFrom", (struct doc){ 0 });
    if (!doc_is_map(groups)) {
        return out;
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < groups->entry_count; i++) {
        struct doc_entry entry = groups->entries[i];

        if (doc_is_map(&entry.value)) {
            entry.value = from_drop(arena, &entry.value);
        }
        doc_builder_add(&builder, &entry);
    }
    return nest_put(arena, &out, "groups", doc_builder_map(&builder, groups));
}

/* True if the null must be shown. A null for a group that no lower layer has is redundant. Any
 * other null may remove a default value. */
static bool is_reporting(const struct doc_entry *entry, const struct doc *below, bool are_groups)
{
    return doc_is_null(&entry->value) &&
           (!are_groups || (below != NULL && doc_find(below, entry->key) != NULL));
}

static struct doc level_nulls(struct arena *arena, const struct doc *shown, const struct doc *own,
                              const struct doc *below, bool are_groups)
{
    struct doc_builder builder;

    if (!doc_is_map(shown) || !doc_is_map(own)) {
        return *shown;
    }
    below = doc_is_map(below) ? below : NULL;
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < shown->entry_count; i++) {
        struct doc_entry entry = shown->entries[i];
        const struct doc *inner = doc_find(own, entry.key);

        if (inner != NULL) {
            entry.value =
                level_nulls(arena, &entry.value, inner, below ? doc_find(below, entry.key) : NULL,
                            text_is(entry.key, "groups"));
        }
        doc_builder_add(&builder, &entry);
    }
    for (size_t i = 0; i < own->entry_count; i++) {
        const struct doc_entry *entry = &own->entries[i];

        if (doc_find(shown, entry->key) == NULL && is_reporting(entry, below, are_groups)) {
            doc_builder_add(&builder, entry);
        }
    }
    return doc_builder_map(&builder, shown);
}

struct doc flat_nulls(struct arena *arena, const struct doc *shown, const struct doc *own,
                      const struct doc *below)
{
    return level_nulls(arena, shown, own, below, false);
}

struct doc flat_export(struct arena *arena, const struct stored_object *stored, struct text id)
{
    struct doc own = stored_join(arena, stored, STORED_OWN);
    struct doc flat = flat_make(arena, stored);
    struct doc out;
    const struct doc *groups;

    /* Keep all nulls. When the export is applied, a template or default may set the same key, and
     * the null must override it. */
    out = flat_nulls(arena, &flat, &own, &own);
    out = from_drop(arena, &out);
    groups = doc_child(&out, "groups");
    if (stored->kind->owner != OWNER_CLUSTER) {
        return out;
    }
    out = nest_put(arena, &out, "id", doc_text(id, NULL));
    if (!doc_is_map(groups) || groups->entry_count == 0) {
        out = nest_put(arena, &out, "empty", doc_bool(true, NULL));
    }
    return out;
}
