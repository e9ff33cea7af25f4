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

/* True if `over` names another plugin than `base`. */
static bool names_other_plugin(const struct doc *base, const struct doc *over)
{
    const struct doc *old_name = doc_child(doc_child(base, "resourcePlugin"), "name");
    const struct doc *new_name = doc_child(doc_child(over, "resourcePlugin"), "name");

    return doc_is_scalar(old_name) && doc_is_scalar(new_name) && !doc_is_null(new_name) &&
           !text_is_equal(old_name->text, new_name->text);
}

/* The keys of `base` that the layer above discards, alone or in both. */
struct discards {
    bool labels;
    bool plugin;
};

static bool is_discarded(const struct discards *discards, struct text key)
{
    if (discards->labels && text_is(key, "labels")) {
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

/* Walk both sorted maps in parallel. */
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
        discards.labels = labels_replace(base, over);
        discards.plugin = names_other_plugin(base, over);
    }
    return merge_maps_merge(arena, rule, base, over, &discards);
}

/* True if the rule keeps nulls in the value of this key of a map. */
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
