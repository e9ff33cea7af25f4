#include "model/merge.h"

#include <assert.h>

enum merge_rule merge_rule_below(enum merge_rule rule, struct text key)
{
    switch (rule) {
    case MERGE_CLUSTER:
        return text_is(key, "defaults") ? MERGE_LEAF
               : text_is(key, "groups") ? MERGE_GROUPS
                                        : MERGE_PLAIN;
    case MERGE_LEAF:
        return text_is(key, "groups")    ? MERGE_GROUPS
               : text_is(key, "members") ? MERGE_MEMBERS
                                         : MERGE_PLAIN;
    case MERGE_GROUPS:
    case MERGE_MEMBERS:
        return MERGE_LEAF;
    case MERGE_PLAIN:
        break;
    }
    return MERGE_PLAIN;
}

static bool is_merge_true(const struct doc *doc)
{
    return doc_is_scalar(doc) && text_is(doc->text, "true");
}

/* True if the labels of `over` replace those of `base` instead of being merged over them. */
static bool labels_replace(const struct doc *base, const struct doc *over)
{
    const struct doc *merges = doc_child(over, "mergeLabels");

    if (!doc_is_map(doc_child(over, "labels"))) {
        return false;
    }
    return !is_merge_true(merges == NULL ? doc_child(base, "mergeLabels") : merges);
}

/* True if the plugins of `over` and `base` differ. */
static bool names_other_plugin(const struct doc *base, const struct doc *over)
{
    const struct doc *old_name = doc_child(doc_child(base, "resourcePlugin"), "name");
    const struct doc *new_name = doc_child(doc_child(over, "resourcePlugin"), "name");

    return doc_is_scalar(old_name) && doc_is_scalar(new_name) && !doc_is_null(new_name) &&
           !text_is_equal(old_name->text, new_name->text);
}

/* The keys of `base` that the layer above discards. */
struct discards {
    /* `configured` has the content of another revision, so all of it is discarded */
    bool configured;
    bool labels;
    bool plugin;
};

static bool is_discarded(const struct discards *discards, struct text key)
{
    if ((discards->labels && text_is(key, "labels")) ||
        (discards->configured && text_is(key, "configured"))) {
        return true;
    }
    return discards->plugin &&
           (text_is(key, "resourcePlugin") || text_is(key, "resourceProperties"));
}

static struct doc_entry entry_merge(struct arena *arena, enum merge_rule rule,
                                    const struct doc_entry *base, const struct doc_entry *over)
{
    struct doc_entry merged = *over;

    if (doc_is_map(&base->value) && doc_is_map(&over->value)) {
        merged.value =
            merge_layers(arena, merge_rule_below(rule, over->key), &base->value, &over->value);
    }
    return merged;
}

/* Iterate over both sorted maps in parallel. */
static struct doc merge_maps_merge(struct arena *arena, enum merge_rule rule,
                                   const struct doc *base, const struct doc *over,
                                   const struct discards *discards)
{
    struct doc_entry *entries =
        arena_array(arena, struct doc_entry, base->entry_count + over->entry_count);
    size_t count = 0;
    size_t i = 0;
    size_t j = 0;
    struct doc merged;

    while (i < base->entry_count || j < over->entry_count) {
        int order = i == base->entry_count ? 1
                    : j == over->entry_count
                        ? -1
                        : text_compare(base->entries[i].key, over->entries[j].key);

        if (order < 0) {
            if (!is_discarded(discards, base->entries[i].key)) {
                entries[count++] = base->entries[i];
            }
            i++;
        } else if (order > 0) {
            entries[count++] = over->entries[j++];
        } else {
            entries[count++] = is_discarded(discards, over->entries[j].key)
                                   ? over->entries[j]
                                   : entry_merge(arena, rule, &base->entries[i], &over->entries[j]);
            i++;
            j++;
        }
    }
    merged = doc_map(entries, count, over);
    merged.has_faults = base->has_faults || over->has_faults;
    return merged;
}

struct doc merge_layers(struct arena *arena, enum merge_rule rule, const struct doc *base,
                        const struct doc *over)
{
    struct discards discards = { .labels = false };

    if (!doc_is_present(base)) {
        return doc_is_present(over) ? *over : (struct doc){ 0 };
    }
    if (!doc_is_present(over)) {
        return *base;
    }
    if (!doc_is_map(base) || !doc_is_map(over)) {
        return *over;
    }
    if (rule == MERGE_LEAF) {
        discards.configured = doc_is_map(doc_child(over, "configured"));
        discards.labels = labels_replace(base, over);
        discards.plugin = names_other_plugin(base, over);
    }
    return merge_maps_merge(arena, rule, base, over, &discards);
}

/* True if the rule keeps nulls in the value under this key of a map. */
static bool is_left_alone(enum merge_rule rule, const struct doc_entry *entry)
{
    return rule == MERGE_MEMBERS || !doc_is_map(&entry->value);
}

static bool has_null(enum merge_rule rule, const struct doc *doc)
{
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (doc_is_null(&entry->value) ||
            (!is_left_alone(rule, entry) &&
             has_null(merge_rule_below(rule, entry->key), &entry->value))) {
            return true;
        }
    }
    return false;
}

struct doc merge_prune(struct arena *arena, enum merge_rule rule, const struct doc *doc)
{
    struct doc pruned = *doc;
    struct doc_entry *entries;
    size_t count = 0;

    if (!doc_is_map(doc) || !has_null(rule, doc)) {
        return pruned;
    }
    entries = arena_array(arena, struct doc_entry, doc->entry_count);
    for (size_t i = 0; i < doc->entry_count; i++) {
        const struct doc_entry *entry = &doc->entries[i];

        if (doc_is_null(&entry->value)) {
            continue;
        }
        entries[count] = *entry;
        if (!is_left_alone(rule, entry)) {
            entries[count].value =
                merge_prune(arena, merge_rule_below(rule, entry->key), &entry->value);
        }
        count++;
    }
    pruned.entries = entries;
    pruned.entry_count = count;
    return pruned;
}

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

/* True if the node itself has an origin. Maps that are not empty have it in their entries
 * instead. */
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

/* Return the part of a tree that has one origin; absent if there is none. */
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
