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

bool flat_read(struct arena *arena, const struct cache *cache, const struct schema_kind *kind,
               const struct cache_object *object, struct doc *out, struct err *err)
{
    struct stored_object stored;

    if (!objects_read(arena, cache, kind, object, &stored, err)) {
        return false;
    }
    *out = flat_make(arena, &stored);
    return true;
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

struct doc flat_export(struct arena *arena, const struct doc *flat, const struct schema_kind *kind,
                       struct text id)
{
    struct doc out = from_drop(arena, flat);
    const struct doc *groups = doc_child(&out, "groups");

    if (kind->owner != OWNER_CLUSTER) {
        return out;
    }
    out = nest_put(arena, &out, "id", doc_text(id, NULL));
    if (!doc_is_map(groups) || groups->entry_count == 0) {
        out = nest_put(arena, &out, "empty", doc_bool(true, NULL));
    }
    return out;
}
