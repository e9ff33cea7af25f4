#include "access/key_ring.h"

#include "base/limits.h"
#include "codec/json.h"
#include "state/objects.h"
#include "sys/seal.h"

#include <assert.h>

/* Where each kind of sealed value is stored: the kind of object, and the member of its base. */
static const struct {
    const char *name;
    const char *objects;
} key_ring_kinds[KEY_RING_KINDS] = {
    [KEY_RING_SECRETS] = { "secrets", "Sealed" },
    [KEY_RING_SIGNER] = { "signer", "Authority" },
};

const char *key_ring_name(enum key_ring_kind kind)
{
    assert(kind < KEY_RING_KINDS);
    return key_ring_kinds[kind].name;
}

static struct text key_ring_key(struct arena *arena, enum key_ring_kind kind)
{
    return objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("KeyRing"),
                       text_from(key_ring_name(kind)), CACHE_BASE);
}

/* Returns a member of an object's base; empty if there is none. */
static struct text key_ring_member(struct arena *arena, const struct cache_object *object,
                                   const char *name)
{
    const struct doc *value;
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)), NULL,
                    &doc, &err)) {
        return TEXT("");
    }
    value = doc_child(&doc, name);
    return doc_is_scalar(value) ? value->text : TEXT("");
}

static const struct cache_object *key_ring_find(struct cache *cache, enum key_ring_kind kind)
{
    return cache_find(cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("KeyRing"),
                      text_from(key_ring_name(kind)));
}

struct key_ring_search {
    struct arena *arena;
    struct text id;
};

static void key_ring_row(void *arg, const struct cache_object *object)
{
    struct key_ring_search *search = arg;

    search->id = seal_id(key_ring_member(search->arena, object, "sealed"));
}

/* Returns the id of the key that seals an existing value; empty: no value is sealed. */
static struct text key_ring_of_values(struct arena *arena, struct cache *cache,
                                      enum key_ring_kind kind)
{
    struct cache_scope scope = { .prefix = TEXT("/"),
                                 .kind = text_from(key_ring_kinds[kind].objects) };
    struct key_ring_search search = { .arena = arena };
    struct cache_page page = { 0 };
    struct err err;

    return cache_list(cache, arena, &scope, &page, 1, key_ring_row, &search, &err) ? search.id
                                                                                   : TEXT("");
}

struct text key_ring_current(struct arena *arena, struct cache *cache, enum key_ring_kind kind)
{
    struct text id = key_ring_member(arena, key_ring_find(cache, kind), "current");

    return id.length > 0 ? id : key_ring_of_values(arena, cache, kind);
}

static struct text key_ring_value(struct arena *arena, struct text id)
{
    return arena_printf(arena, "{\"current\":\"%.*s\"}", TEXT_ARG(id));
}

bool key_ring_use(struct arena *arena, struct cache *cache, enum key_ring_kind kind, struct text id,
                  struct key_ring_use *out, struct err *err)
{
    const struct cache_object *ring = key_ring_find(cache, kind);
    struct text current = key_ring_member(arena, ring, "current");
    struct text of_values = key_ring_of_values(arena, cache, kind);

    if (of_values.length > 0) { /* a store of an earlier version has no key ring */
        current = current.length > 0 ? current : of_values;
    }
    *out = (struct key_ring_use){
        .compare = { .key = key_ring_key(arena, kind),
                     .revision = ring == NULL ? 0 : ring->parts[CACHE_BASE].revision },
        .op = { .key = key_ring_key(arena, kind), .value = key_ring_value(arena, id) },
        .has_op = ring == NULL || !text_is_equal(current, id),
    };
    if (of_values.length == 0 || text_is_equal(current, id)) {
        return true;
    }
    err_set(err, CODE_R0673,
            "the store is sealed with the key '%s' %.*s, but this manager has the key %.*s",
            key_ring_name(kind), TEXT_ARG(current), TEXT_ARG(id));
    return err_hint(
        err,
        "copy the keys from another manager: run reeve manager token there, then reeve manager join here");
}

struct store_op key_ring_replace(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                                 struct text id)
{
    return key_ring_find(cache, kind) == NULL
               ? (struct store_op){ 0 }
               : (struct store_op){ .key = key_ring_key(arena, kind),
                                    .value = key_ring_value(arena, id) };
}

struct text key_ring_missing(struct arena *arena, struct cache *cache, enum key_ring_kind kind,
                             const struct key_ring_own *own)
{
    struct text current = key_ring_current(arena, cache, kind);
    bool has = current.length == 0 ||
               (own->is_there && (own->id.length == 0 || text_is_equal(own->id, current)));

    return has ? TEXT("") : arena_printf(arena, "%s %.*s", key_ring_name(kind), TEXT_ARG(current));
}

static void key_ring_swept(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)arg;
    (void)outcome;
    (void)answer; /* the next sweep finds the remaining objects */
}

void key_ring_sweep(struct cache *cache, struct store *store, int64_t wall_ms)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text prefix = TEXT("/" OBJECTS_SYSTEM_TENANT "/" KEY_RING_TOKEN_KIND "/");

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct store_op op = { .key = objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT),
                                                  TEXT(KEY_RING_TOKEN_KIND), cache_id(object),
                                                  CACHE_BASE),
                               .is_delete = true };
        struct store_compare compare = { .key = op.key,
                                         .revision = object->parts[CACHE_BASE].revision };
        int64_t expires_ms = 0;

        if (!text_parse_int64(key_ring_member(arena, object, "expires"), &expires_ms) ||
            expires_ms < wall_ms) {
            store_txn(store, &(struct store_txn){ &compare, 1, &op, 1, NULL, 0 }, key_ring_swept,
                      NULL);
            return;
        }
    }
}
