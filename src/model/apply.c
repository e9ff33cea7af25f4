#include "model/apply.h"

#include <assert.h>

/* Both functions iterate over three trees in parallel: the previous request, the live state and the
 * new request.
 *
 *     requested as before        -> the live value is kept (recorded in `kept` if it differs)
 *     requested now, not before  -> the new value
 *     no longer requested        -> removed
 *     never requested            -> the live value is kept
 *
 * Maps are compared key by key. A list or a scalar counts as one value. */

struct walk {
    struct apply *apply; /* NULL: kept values are not recorded */
    struct arena *arena;
};

/* One position in the three trees. Each document may be NULL. */
struct spot {
    const struct doc *before;
    const struct doc *stands;
    const struct doc *now;
    const struct doc *below; /* the lower layer, which provides the value if `own` has none */
    enum merge_rule rule;
    /* a group, or a member of a group, which is removed as a whole */
    bool is_whole;
    const struct spot *outer; /* NULL: the document itself */
    struct text key;          /* key of this place in `outer` */
};

static struct doc spot_merge(struct walk *walk, const struct spot *spot);

void apply_init(struct apply *apply, struct arena *arena, const struct text *takes,
                size_t take_count)
{
    *apply = (struct apply){ .arena = arena, .takes = takes, .take_count = take_count };
    apply->is_used = arena_array(arena, bool, take_count);
}

/* True if a path is at or below another one. */
static bool is_below(struct text path, struct text outer)
{
    return text_has_prefix(path, outer) &&
           (path.length == outer.length || outer.length == 0 || path.data[outer.length] == '.');
}

static bool is_taken(struct walk *walk, struct text path)
{
    for (size_t i = 0; i < walk->apply->take_count; i++) {
        if (is_below(path, walk->apply->takes[i])) {
            walk->apply->is_used[i] = true;
            return true;
        }
    }
    return false;
}

/* Return the keys from the document down to a spot, joined by dots. It is computed only when
 * needed, because few paths are needed. */
static struct text apply_path_make(struct arena *arena, const struct spot *spot)
{
    if (spot->outer == NULL) {
        return TEXT("");
    }
    if (spot->outer->outer == NULL) {
        return spot->key;
    }
    return arena_printf(arena, "%.*s.%.*s", TEXT_ARG(apply_path_make(arena, spot->outer)),
                        TEXT_ARG(spot->key));
}

/* True for a part of `configured`. It is not reported, because it follows from `configuration`. */
static bool is_content(const struct spot *spot)
{
    for (; spot->outer != NULL; spot = spot->outer) {
        if (text_is(spot->key, "configured") && spot->outer->rule == MERGE_LEAF) {
            return true;
        }
    }
    return false;
}

static void kept_add(struct walk *walk, const struct spot *spot, struct text path)
{
    struct apply *apply = walk->apply;

    if (is_content(spot)) {
        return;
    }

    if (apply->kept_count == apply->kept_room) {
        size_t room = apply->kept_room * 2 + 8;

        apply->kept = arena_grow(apply->arena, apply->kept, apply->kept_room * sizeof(*apply->kept),
                                 room * sizeof(*apply->kept));
        apply->kept_room = room;
    }
    apply->kept[apply->kept_count++] = (struct apply_kept){ path, spot->now, spot->stands };
}

static bool is_apply_same(const struct doc *a, const struct doc *b)
{
    return a != NULL && b != NULL && doc_is_equal(a, b);
}

static bool is_branch(const struct doc *a, const struct doc *b)
{
    return a != NULL && b != NULL && doc_is_shared(a, b);
}

static const struct doc *value_or_null(const struct doc *doc)
{
    return doc_is_present(doc) ? doc : NULL;
}

/* Return the form of a removed value: absent, or a null that hides the value of the layer below. */
static struct doc nothing(const struct spot *spot)
{
    return spot->below == NULL || doc_is_null(spot->below) ? (struct doc){ 0 }
                                                           : doc_plain(TEXT("null"), NULL);
}

/* Find the lowest of the next keys of four sorted maps. */
static bool key_next(const struct doc *const *maps, size_t *at, struct text *out)
{
    bool is_found = false;

    for (size_t i = 0; i < 4; i++) {
        if (!doc_is_map(maps[i]) || at[i] == maps[i]->entry_count) {
            continue;
        }
        if (!is_found || text_compare(maps[i]->entries[at[i]].key, *out) < 0) {
            *out = maps[i]->entries[at[i]].key;
        }
        is_found = true;
    }
    return is_found;
}

/* Advance past a key in one map. Returns its entry there, NULL if the map lacks it. */
static const struct doc_entry *apply_key_take(const struct doc *map, size_t *at, struct text key)
{
    if (!doc_is_map(map) || *at == map->entry_count || !text_is_equal(map->entries[*at].key, key)) {
        return NULL;
    }
    return &map->entries[(*at)++];
}

static const struct doc *entry_value(const struct doc_entry *entry)
{
    return entry == NULL ? NULL : &entry->value;
}

static struct doc apply_maps_merge(struct walk *walk, const struct spot *spot)
{
    const struct doc *const maps[4] = { spot->before, spot->stands, spot->now, spot->below };
    size_t at[4] = { 0 };
    struct doc_builder builder;
    struct text key;
    struct doc merged;

    doc_builder_init(&builder, walk->arena);
    while (key_next(maps, at, &key)) {
        const struct doc_entry *before = apply_key_take(maps[0], &at[0], key);
        const struct doc_entry *stands = apply_key_take(maps[1], &at[1], key);
        const struct doc_entry *now = apply_key_take(maps[2], &at[2], key);
        const struct doc_entry *below = apply_key_take(maps[3], &at[3], key);
        struct doc_entry entry = now != NULL      ? *now
                                 : stands != NULL ? *stands
                                                  : *(before != NULL ? before : below);
        struct spot inner = {
            .before = entry_value(before),
            .stands = entry_value(stands),
            .now = entry_value(now),
            .below = entry_value(below),
            .rule = merge_rule_below(spot->rule, key),
            .is_whole = spot->rule == MERGE_GROUPS || spot->rule == MERGE_MEMBERS,
            .outer = spot,
            .key = key,
        };

        entry.value = spot_merge(walk, &inner);
        if (doc_is_present(&entry.value)) {
            doc_builder_add(&builder, &entry);
        }
    }
    merged = doc_builder_map(&builder, spot->now != NULL ? spot->now : spot->stands);
    merged.has_faults = (spot->now != NULL && spot->now->has_faults);
    return merged;
}

/* Merge a value that is absent from the new request. */
static struct doc gone_merge(struct walk *walk, const struct spot *spot)
{
    struct doc rest;

    if (spot->before == NULL) {
        return spot->stands == NULL ? (struct doc){ 0 } : *spot->stands;
    }
    if (spot->is_whole || !doc_is_map(spot->before) || !doc_is_map(spot->stands)) {
        return nothing(spot);
    }
    rest = apply_maps_merge(walk, spot);
    return rest.entry_count == 0 ? nothing(spot) : rest;
}

static struct doc spot_merge(struct walk *walk, const struct spot *spot)
{
    if (spot->now == NULL) {
        return gone_merge(walk, spot);
    }
    if (is_branch(spot->now, spot->stands) && is_branch(spot->now, spot->before)) {
        /* No other request has changed this value since the last apply. */
        return *spot->now;
    }
    if (doc_is_map(spot->now) && doc_is_map(spot->stands == NULL ? spot->before : spot->stands)) {
        struct doc merged = apply_maps_merge(walk, spot);

        return spot->stands == NULL && merged.entry_count == 0 ? (struct doc){ 0 } : merged;
    }
    if (is_apply_same(spot->now, spot->stands) || !is_apply_same(spot->now, spot->before)) {
        return *spot->now;
    }
    if (walk->apply != NULL) {
        struct text path = apply_path_make(walk->apply->arena, spot);

        if (is_taken(walk, path)) {
            return *spot->now;
        }
        kept_add(walk, spot, path);
    }
    return spot->stands == NULL ? (struct doc){ 0 } : *spot->stands;
}

struct doc apply_file(struct apply *apply, enum merge_rule rule, const struct doc *applied,
                      const struct doc *live, const struct doc *file)
{
    struct spot spot = {
        .before = value_or_null(applied),
        .stands = value_or_null(live),
        .now = value_or_null(file),
        .rule = rule,
    };

    return spot_merge(&(struct walk){ apply, apply->arena }, &spot);
}

struct doc apply_request(struct arena *arena, enum merge_rule rule, const struct doc *shown,
                         const struct doc *own, const struct doc *layer, const struct doc *wanted)
{
    struct walk walk = { NULL, arena };
    struct spot spot = {
        .before = value_or_null(shown),
        .stands = value_or_null(own),
        .now = value_or_null(wanted),
        .below = value_or_null(layer),
        .rule = rule,
    };

    return spot_merge(&walk, &spot);
}
