#include "model/layers.h"

#include "model/merge.h"

/* A layer has few origins (one per source), so a linear search is enough. */
struct origins {
    struct arena *arena;
    const struct origin **items;
    size_t count;
    size_t room;
};

static bool is_layers_same_origin(const struct origin *a, const struct origin *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    return a->kind == b->kind && a->revision == b->revision && text_is_equal(a->name, b->name);
}

static void origins_note(struct origins *origins, const struct origin *origin)
{
    for (size_t i = 0; i < origins->count; i++) {
        if (is_layers_same_origin(origins->items[i], origin)) {
            return;
        }
    }
    if (origins->count == origins->room) {
        size_t room = origins->room * 2 + 4;

        origins->items =
            arena_grow(origins->arena, origins->items, origins->room * sizeof(*origins->items),
                       room * sizeof(*origins->items));
        origins->room = room;
    }
    origins->items[origins->count++] = origin;
}

/* A map has no origin of its own, unless it is empty: its entries have. */
static bool is_value(const struct doc *doc)
{
    return !doc_is_map(doc) || doc->entry_count == 0;
}

static void origins_find(struct origins *origins, const struct doc *doc)
{
    if (is_value(doc)) {
        origins_note(origins, doc->origin);
        return;
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        origins_find(origins, &doc->entries[i].value);
    }
}

/* The part of a tree that has one origin; absent if there is none. */
static struct doc layers_part_of(struct arena *arena, const struct doc *doc,
                                 const struct origin *origin)
{
    struct doc_builder builder;

    if (is_value(doc)) {
        return is_layers_same_origin(doc->origin, origin) ? *doc : (struct doc){ 0 };
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < doc->entry_count; i++) {
        struct doc_entry entry = doc->entries[i];

        entry.value = layers_part_of(arena, &entry.value, origin);
        if (doc_is_present(&entry.value)) {
            doc_builder_add(&builder, &entry);
        }
    }
    return builder.count == 0 ? (struct doc){ 0 } : doc_builder_map(&builder, doc);
}

static struct doc layers_item_make(struct arena *arena, const struct doc *layer,
                                   const struct origin *origin)
{
    bool is_clone = origin != NULL && origin->kind == ORIGIN_CLONE;
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "kind", doc_text(is_clone ? TEXT("clone") : TEXT("template"), NULL));
    if (origin != NULL) {
        doc_builder_put(&builder, "name", doc_text(origin->name, NULL));
        if (origin->revision > 0) {
            doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)origin->revision, NULL));
        }
    }
    doc_builder_put(&builder, "values", layers_part_of(arena, layer, origin));
    return doc_builder_map(&builder, NULL);
}

struct doc layers_format(struct arena *arena, const struct doc *layer)
{
    struct origins origins = { .arena = arena };
    struct doc *items;

    origins_find(&origins, layer);
    items = arena_array(arena, struct doc, origins.count);
    for (size_t i = 0; i < origins.count; i++) {
        items[i] = layers_item_make(arena, layer, origins.items[i]);
    }
    return doc_list(items, origins.count, NULL);
}

static const struct origin *layers_origin_give(const struct origin *origin, void *arg)
{
    (void)origin;
    return arg;
}

static struct doc item_parse(struct arena *arena, const struct doc *item)
{
    struct origin *origin = arena_one(arena, struct origin);
    const struct doc *kind = doc_child(item, "kind");
    const struct doc *name = doc_child(item, "name");
    const struct doc *revision = doc_child(item, "revision");
    const struct doc *values = doc_child(item, "values");
    int64_t number = 0;

    if (!doc_is_scalar(kind) || !doc_is_present(values)) {
        return (struct doc){ 0 };
    }
    origin->kind = text_is(kind->text, "clone") ? ORIGIN_CLONE : ORIGIN_TEMPLATE;
    origin->name = doc_is_scalar(name) ? name->text : TEXT("");
    if (doc_is_scalar(revision) && text_parse_int64(revision->text, &number) && number > 0) {
        origin->revision = (uint64_t)number;
    }
    return doc_with_origins(arena, values, layers_origin_give, origin);
}

struct doc layers_parse(struct arena *arena, const struct doc *list)
{
    struct doc layer = { 0 };

    for (size_t i = 0; doc_is_list(list) && i < list->item_count; i++) {
        struct doc item = item_parse(arena, &list->items[i]);

        layer = merge_layers(arena, MERGE_PLAIN, &layer, &item);
    }
    return layer;
}
