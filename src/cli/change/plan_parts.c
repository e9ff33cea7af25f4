#include "cli/change/plan_writer.h"
#include "codec/doc_child.h"

enum { PARTS_MAX = 256 }; /* maximum length of a compared list */

struct parts {
    struct arena *arena;
    struct plan_part *items;
    size_t count;
    size_t most;
};

static bool is_list_of_maps(const struct doc *value)
{
    if (!doc_is_list(value) || value->item_count == 0) {
        return false;
    }
    for (size_t i = 0; i < value->item_count; i++) {
        if (!doc_is_map(&value->items[i])) {
            return false;
        }
    }
    return true;
}

/* Add one part. False: there is no room for it. */
static bool plan_parts_add(struct parts *parts, const struct plan_part *part)
{
    if (parts->count == parts->most) {
        return false;
    }
    parts->items[parts->count++] = *part;
    return true;
}

/* Add the differences between two maps, key by key. */
static bool maps_add(struct parts *parts, const struct plan_part *whole)
{
    bool has_room = true;

    for (size_t i = 0; i < whole->old->entry_count; i++) {
        struct text key = whole->old->entries[i].key;
        const struct doc *new = doc_find(whole->new, key);
        struct plan_part part = *whole;

        part.path = arena_printf(parts->arena, "%.*s.%.*s", TEXT_ARG(whole->path), TEXT_ARG(key));
        part.old = &whole->old->entries[i].value;
        part.new = new;
        if (new == NULL || !doc_is_equal(part.old, new)) {
            has_room = has_room && plan_parts_add(parts, &part);
        }
    }
    for (size_t i = 0; i < whole->new->entry_count; i++) {
        struct text key = whole->new->entries[i].key;
        struct plan_part part = *whole;

        part.path = arena_printf(parts->arena, "%.*s.%.*s", TEXT_ARG(whole->path), TEXT_ARG(key));
        part.old = NULL;
        part.new = &whole->new->entries[i].value;
        if (doc_find(whole->old, key) == NULL) {
            has_room = has_room && plan_parts_add(parts, &part);
        }
    }
    return has_room;
}

/* Add the differences between two lists, entry by entry; additional entries of one list were added
 * or removed. */
static bool lists_add(struct parts *parts, const struct plan_part *whole)
{
    size_t old_count = whole->old->item_count;
    size_t new_count = whole->new->item_count;
    bool has_room = true;

    for (size_t i = 0; i < old_count || i < new_count; i++) {
        struct plan_part part = *whole;

        part.path = arena_printf(parts->arena, "%.*s[%zu]", TEXT_ARG(whole->path), i);
        part.old = i < old_count ? &whole->old->items[i] : NULL;
        part.new = i < new_count ? &whole->new->items[i] : NULL;
        if (part.old == NULL || part.new == NULL) {
            has_room = has_room && plan_parts_add(parts, &part);
        } else if (!doc_is_equal(part.old, part.new)) {
            has_room = has_room && maps_add(parts, &part);
        }
    }
    return has_room;
}

/* True if only the differing entries of the lists are shown: both have the same length, or one has
 * only additional entries at the end. */
static bool is_reported_by_parts(const struct plan_part *whole)
{
    size_t both;

    if (!is_list_of_maps(whole->old) || !is_list_of_maps(whole->new)) {
        return false;
    }
    if (whole->old->item_count == whole->new->item_count) {
        return true;
    }
    both = whole->old->item_count < whole->new->item_count ? whole->old->item_count
                                                           : whole->new->item_count;
    for (size_t i = 0; i < both; i++) {
        if (!doc_is_equal(&whole->old->items[i], &whole->new->items[i])) {
            return false;
        }
    }
    return true;
}

const struct plan_part *plan_parts(struct arena *arena, const struct doc *changes,
                                   size_t *out_count)
{
    size_t count = doc_is_list(changes) ? changes->item_count : 0;
    struct parts parts = { .arena = arena };

    parts.items = arena_array(arena, struct plan_part, count + PARTS_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct doc *change = &changes->items[i];
        struct plan_part whole = { doc_child_text(change, "path"), doc_child(change, "old"),
                                   doc_child(change, "new"), doc_child_text(change, "origin") };
        size_t before = parts.count;

        parts.most = i + PARTS_MAX; /* reserve one line for each later change */
        if (is_reported_by_parts(&whole) && lists_add(&parts, &whole)) {
            continue;
        }
        parts.most = count + PARTS_MAX;
        parts.count = before;
        parts.items[parts.count++] = whole;
    }
    *out_count = parts.count;
    return parts.items;
}
