#include "base/limits.h"
#include "state/cache_inner.h"

#include <assert.h>
#include <string.h>

/* Shows the state of an older revision by iterating over two maps in parallel: the current objects
 * and the past objects. The map of past objects is made from the ring of changes. It has the
 * previous state of each object that has changed since that revision. If nothing has changed since
 * then, the map is empty and costs nothing.
 *
 * A token is REVISION followed by the key of the last row, as in `812/t/node/web-0`. */

struct walk {
    struct cache *cache;
    const struct cache_scope *scope;
    struct map_cursor cursor;
    const struct map_node *now;
    struct map past; /* maps a key to struct cache_object in the arena */
    struct map_cursor past_cursor;
    const struct map_node *then;
};

/* Make the object as it was before this step. Traits that will be needed are read into the step,
 * which owns them; the object here is only a copy. */
static struct cache_object *past_make(struct arena *arena, struct cache_step *step, bool has_traits)
{
    struct cache_object *object = arena_one(arena, struct cache_object);

    if (has_traits) {
        cache_traits_take(&step->before, step->part);
        for (int part = 0; part < CACHE_PART_COUNT; part++) {
            cache_traits_take(&step->after[part], (enum cache_part)part);
        }
    }
    cache_key_set(object, step->key);
    memcpy(object->parts, step->after, sizeof(object->parts));
    object->parts[step->part] = step->before;
    return object;
}

/* Fills the map of past objects. An object's first step after the revision has its state at the
 * revision. Reads only keys above `after` and, unless `upper` is empty, up to `upper`. */
static void past_fill(struct walk *walk, struct arena *arena, uint64_t revision, struct text after,
                      struct text upper)
{
    const struct cache *cache = walk->cache;

    map_init(&walk->past, arena);
    for (uint64_t i = cache_step_find(cache, revision + 1); i < cache->end; i++) {
        struct cache_step *step = cache_step_at(cache, i);
        struct text key = blob_text(step->key);

        if (text_has_prefix(key, walk->scope->prefix) && text_compare(key, after) > 0 &&
            (upper.length == 0 || text_compare(key, upper) <= 0) &&
            map_find(&walk->past, key) == NULL) {
            map_put(&walk->past, key, past_make(arena, step, walk->scope->selector != NULL));
        }
    }
}

/* Skips other kinds in a list of one kind of all tenants: continues at this kind in the tenant, or
 * after the tenant. */
static const struct map_node *kind_seek(const struct walk *walk, const struct map *map,
                                        struct map_cursor *cursor, const struct map_node *node)
{
    char target[LIMIT_STORE_KEY_BYTES + 4];

    while (node != NULL && text_has_prefix(node->key, walk->scope->prefix)) {
        const struct cache_object *object = node->value;
        size_t tenant = cache_tenant(object).length + 1; /* length with the first slash */
        size_t length = tenant + 1 + walk->scope->kind.length + 1;

        if (text_is_equal(cache_kind(object), walk->scope->kind) || length > sizeof(target)) {
            return node;
        }
        memcpy(target, node->key.data, tenant);
        target[tenant] = '/';
        memcpy(target + tenant + 1, walk->scope->kind.data, walk->scope->kind.length);
        target[length - 1] = '/';
        if (text_compare(node->key, (struct text){ target, length }) > 0) {
            target[tenant] = '/' + 1;
            length = tenant + 1;
        }
        node = map_cursor_seek(cursor, map, (struct text){ target, length });
    }
    return node;
}

/* Return the next entry of one of the maps; NULL after the end of the scope. */
static const struct map_node *entry_settle(const struct walk *walk, const struct map *map,
                                           struct map_cursor *cursor, const struct map_node *node)
{
    if (walk->scope->kind.length > 0) {
        node = kind_seek(walk, map, cursor, node);
    }
    return node != NULL && text_has_prefix(node->key, walk->scope->prefix) ? node : NULL;
}

static void now_step(struct walk *walk)
{
    walk->now =
        entry_settle(walk, &walk->cache->objects, &walk->cursor, map_cursor_next(&walk->cursor));
}

static void then_step(struct walk *walk)
{
    walk->then =
        entry_settle(walk, &walk->past, &walk->past_cursor, map_cursor_next(&walk->past_cursor));
}

/* Begins after the last key of the previous page; without a previous page, at the start of the
 * scope. */
static void walk_start(struct walk *walk, struct text after)
{
    walk->now = map_cursor_seek(&walk->cursor, &walk->cache->objects,
                                after.length > 0 ? after : walk->scope->prefix);
    if (walk->now != NULL && text_is_equal(walk->now->key, after)) {
        walk->now = map_cursor_next(&walk->cursor);
    }
    walk->now = entry_settle(walk, &walk->cache->objects, &walk->cursor, walk->now);
    walk->then = map_cursor_seek(&walk->past_cursor, &walk->past, TEXT(""));
    walk->then = entry_settle(walk, &walk->past, &walk->past_cursor, walk->then);
}

/* Return the next object as it was at the revision; NULL at the end of the scope. */
static struct cache_object *walk_next(struct walk *walk)
{
    while (walk->now != NULL || walk->then != NULL) {
        int order = walk->then == NULL  ? -1
                    : walk->now == NULL ? 1
                                        : text_compare(walk->now->key, walk->then->key);
        struct cache_object *object = order < 0 ? walk->now->value : walk->then->value;

        if (order <= 0) {
            now_step(walk);
        }
        if (order >= 0) {
            then_step(walk);
        }
        /* An object without parts did not exist at that revision. */
        if (cache_parts_exist(object->parts)) {
            return object;
        }
    }
    return NULL;
}

/* Return the last key of a range of this many objects; empty: the range ends at the end of the
 * scope. Past states are loaded for one range at a time. Otherwise each page would load all
 * changes. */
static struct text stretch_end(struct walk *walk, struct arena *arena, struct text after,
                               size_t objects)
{
    map_init(&walk->past, arena);
    walk_start(walk, after);
    for (size_t i = 0; i < objects && walk->now != NULL; i++) {
        now_step(walk);
    }
    return walk->now == NULL ? TEXT("") : walk->now->key;
}

MUST_CHECK static bool cache_list_token_read(const struct cache *cache,
                                             const struct cache_scope *scope, struct text token,
                                             uint64_t *out_revision, struct text *out_after,
                                             struct err *err)
{
    size_t digits = text_find_byte(token, '/');
    int64_t revision;

    if (digits == SIZE_MAX || !text_parse_int64(text_slice(token, 0, digits), &revision) ||
        revision <= 0 || !text_has_prefix(text_slice(token, digits, token.length), scope->prefix)) {
        err_set(err, CODE_R0537, "'%.*s' is not a token of this list", TEXT_ARG(token));
        return err_hint(err, "pass 'next' of the previous page unchanged, with the same selection");
    }
    if ((uint64_t)revision > cache->revision || (uint64_t)revision + 1 < cache->known_from) {
        err_set(
            err, CODE_R0503, "the list began at revision %lld, which is %s", (long long)revision,
            (uint64_t)revision > cache->revision ? "not yet known to this manager" : "compacted");
        return err_hint(err, "start the list again from the beginning");
    }
    *out_revision = (uint64_t)revision;
    *out_after = text_slice(token, digits, token.length);
    return true;
}

/* The rows of the answer. */
struct rows {
    size_t count;
    size_t limit;
    struct text last;
    cache_row *row;
    void *arg;
};

/* Reports the objects of the scope up to `upper` (empty: all). Returns false if there are more
 * objects than the limit. */
static bool stretch_show(struct walk *walk, struct rows *rows, struct text upper)
{
    struct cache_object *object;

    while ((object = walk_next(walk)) != NULL) {
        struct text key = blob_text(object->key);

        if (upper.length > 0 && text_compare(key, upper) > 0) {
            return true;
        }
        if (!cache_scope_has(walk->scope, key, cache_kind(object), object->parts)) {
            continue;
        }
        if (rows->count == rows->limit) {
            return false;
        }
        rows->row(rows->arg, object);
        rows->last = key;
        rows->count++;
    }
    return true;
}

bool cache_list(struct cache *cache, struct arena *arena, const struct cache_scope *scope,
                struct cache_page *page, size_t limit, cache_row *row, void *arg, struct err *err)
{
    struct walk walk = { .cache = cache, .scope = scope };
    struct rows rows = { .limit = limit, .row = row, .arg = arg };
    uint64_t revision = cache->revision;
    struct text after = TEXT("");
    struct text upper = TEXT("");
    size_t stretch = limit + 1;

    assert(limit > 0);
    assert(scope->prefix.length > 0 && scope->prefix.data[0] == '/');
    if (cache->state != CACHE_READY) {
        err_set(err, CODE_R0501, "the objects are being loaded");
        return err_hint(err, "try again in a moment");
    }
    if (page->token.length > 0 &&
        !cache_list_token_read(cache, scope, page->token, &revision, &after, err)) {
        return false;
    }
    *page = (struct cache_page){ .revision = revision };
    do {
        if (revision < cache->revision) {
            upper = stretch_end(&walk, arena, after, stretch);
            /* The next range is larger. Otherwise a selector with few matches would scan the ring
             * again for every few rows. */
            stretch *= 2;
        }
        past_fill(&walk, arena, revision, after, upper);
        walk_start(&walk, after);
        if (!stretch_show(&walk, &rows, upper)) {
            page->token =
                arena_printf(arena, "%llu%.*s", (unsigned long long)revision, TEXT_ARG(rows.last));
            return true;
        }
        after = upper;
    } while (upper.length > 0);
    return true;
}
