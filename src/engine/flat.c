#include "engine/flat.h"

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

/* The nulls of `own` that hide something: in `shown` there is nothing at their place. */
static struct doc nulls_add(struct arena *arena, const struct doc *shown, const struct doc *own)
{
    struct doc_builder builder;

    if (!doc_is_map(shown) || !doc_is_map(own)) {
        return *shown;
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < shown->entry_count; i++) {
        struct doc_entry entry = shown->entries[i];
        const struct doc *below = doc_find(own, entry.key);

        if (below != NULL) {
            entry.value = nulls_add(arena, &entry.value, below);
        }
        doc_builder_add(&builder, &entry);
    }
    for (size_t i = 0; i < own->entry_count; i++) {
        const struct doc_entry *entry = &own->entries[i];

        if (doc_is_null(&entry->value) && doc_find(shown, entry->key) == NULL) {
            doc_builder_add(&builder, entry);
        }
    }
    return doc_builder_map(&builder, shown);
}

struct doc flat_export(struct arena *arena, const struct stored_object *stored, struct text id)
{
    struct doc own = stored_join(arena, stored, STORED_OWN);
    struct doc flat = flat_make(arena, stored);
    struct doc out;
    const struct doc *groups;

    out = nulls_add(arena, &flat, &own);
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
