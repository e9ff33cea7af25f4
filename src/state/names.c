#include "state/names.h"

#include "base/limits.h"
#include "codec/json.h"
#include "codec/json_member.h"

#include <assert.h>

/* The names of a cluster's members depend on the effective `naming`, `firstNumber` and `size` of
 * its groups. `naming` and `firstNumber` may come from the cluster's defaults. The index of a
 * cluster is dropped when its name or these defaults change, and is built again at the next
 * query. */

enum {
    /* Maximum number of clusters in the index. If there are more, the index of every cluster is
     * dropped. */
    CLUSTERS_MAX = 1000,
    ARENA_BYTES = 512 << 20, /* maximum memory for the names of one cluster */
    /* Changes leave unused memory in the arena. If the arena exceeds this size, the names of the
     * cluster are built again. */
    ARENA_KEPT_BYTES = 64 << 20,
};

/* One group. */
struct entry {
    struct entry *next; /* the next entry with the same stem */
    struct entry *previous;
    struct text path;
    struct text stem; /* undefined unless is_simple is true */
    struct naming_group names;
    bool is_simple;
};

struct cluster {
    struct arena *arena;
    struct text key; /* key of its cache object */
    struct text name;
    struct doc defaults; /* effective values of naming and firstNumber */
    struct text spec;    /* bytes of these defaults, to detect a change */
    struct map by_path;  /* maps to struct entry */
    struct map by_stem;  /* maps to the first struct entry */
    struct entry *odd;   /* entries whose format does not determine a stem */
    uint64_t nodes;
};

struct names {
    struct arena *memory;
    struct cache *cache;
    struct cache_watch *watch;
    struct map clusters; /* maps the key of a cluster's cache object to struct cluster */
};

/* ---- entries ---- */

static struct text names_bytes_of(const struct cache_object *object)
{
    return object->parts[CACHE_SPEC].bytes == NULL ? TEXT("")
                                                   : blob_text(object->parts[CACHE_SPEC].bytes);
}

static void names_entry_unlink(struct cluster *cluster, struct entry *entry)
{
    if (entry->next != NULL) {
        entry->next->previous = entry->previous;
    }
    if (entry->previous != NULL) {
        entry->previous->next = entry->next;
    } else if (!entry->is_simple) {
        cluster->odd = entry->next;
    } else if (entry->next == NULL) {
        map_remove(&cluster->by_stem, entry->stem);
    } else {
        map_put(&cluster->by_stem, entry->next->stem, entry->next);
    }
    cluster->nodes -= entry->names.count;
    entry->next = entry->previous = NULL;
}

static void entry_link(struct cluster *cluster, struct entry *entry)
{
    entry->next = entry->is_simple ? map_find(&cluster->by_stem, entry->stem) : cluster->odd;
    if (entry->next != NULL) {
        entry->next->previous = entry;
    }
    if (entry->is_simple) {
        map_put(&cluster->by_stem, entry->stem, entry);
    } else {
        cluster->odd = entry;
    }
    cluster->nodes += entry->names.count;
}

/* Find a field of the group, or else of the cluster's defaults. */
static bool field_find(struct cluster *cluster, struct text spec, const char *name, bool is_common,
                       struct text *out)
{
    const struct doc *common = is_common ? doc_child(&cluster->defaults, name) : NULL;
    struct doc value;
    struct err err;

    if (json_member_find(spec, text_from(name), out) &&
        json_parse(cluster->arena, *out, NULL, &value, &err)) {
        *out = value.text;
        return !doc_is_null(&value);
    }
    if (!doc_is_scalar(common)) {
        return false;
    }
    *out = common->text;
    return true;
}

static uint64_t names_number_of(struct text text)
{
    int64_t number = 0;

    return text_parse_int64(text, &number) && number > 0 ? (uint64_t)number : 0;
}

static void names_entry_fill(struct cluster *cluster, struct entry *entry, struct text object)
{
    struct text format = TEXT(NAMING_DEFAULT);
    struct text first = TEXT("0");
    struct text size = TEXT("0");
    struct text spec = TEXT("");
    struct naming naming;
    struct err err;

    (void)!json_member_find(object, TEXT("spec"), &spec);
    (void)!field_find(cluster, spec, "naming", true, &format);
    (void)!field_find(cluster, spec, "firstNumber", true, &first);
    (void)!field_find(cluster, spec, "size", false, &size);
    if (!naming_parse(format, &naming, &err)) { /* the format was validated before it was stored */
        (void)!naming_parse(TEXT(NAMING_DEFAULT), &naming, &err);
    }
    entry->names = (struct naming_group){
        .affix = naming_expand(cluster->arena, &naming, cluster->name, entry->path),
        .first_number = names_number_of(first),
        .count = names_number_of(size),
    };
    entry->is_simple = naming_stem_find(cluster->arena, &entry->names, &entry->stem);
}

static void group_put(struct cluster *cluster, struct text path, struct text object)
{
    struct entry *entry = map_find(&cluster->by_path, path);

    if (entry != NULL) {
        names_entry_unlink(cluster, entry);
    } else if (object.length > 0) {
        entry = arena_one(cluster->arena, struct entry);
        entry->path = arena_text(cluster->arena, path);
        map_put(&cluster->by_path, entry->path, entry);
    }
    if (object.length > 0) {
        names_entry_fill(cluster, entry, object);
        entry_link(cluster, entry);
    } else if (entry != NULL) {
        map_remove(&cluster->by_path, path);
    }
}

/* ---- clusters ---- */

static void names_cluster_forget(struct names *names, struct cluster *cluster)
{
    map_remove(&names->clusters, cluster->key);
    arena_free(cluster->arena);
}

static void clusters_forget(struct names *names)
{
    while (names->clusters.count > 0) {
        names_cluster_forget(names, map_first(&names->clusters, TEXT(""))->value);
    }
}

/* Return the fields of the cluster's own object on which the names of its members depend. */
static struct text depends_make(struct arena *arena, struct text object, struct doc *out_defaults,
                                struct text *out_name)
{
    struct text meta = TEXT("");
    struct text spec = TEXT("");
    struct text name = TEXT("\"\"");
    struct text defaults = TEXT("");
    struct doc value;
    struct err err;

    *out_defaults = (struct doc){ 0 };
    *out_name = TEXT("");
    (void)!json_member_find(object, TEXT("metadata"), &meta);
    (void)!json_member_find(object, TEXT("spec"), &spec);
    (void)!json_member_find(meta, TEXT("name"), &name);
    (void)!json_member_find(spec, TEXT("defaults"), &defaults);
    if (json_parse(arena, arena_text(arena, name), NULL, &value, &err)) {
        *out_name = value.text;
    }
    if (defaults.length > 0 && json_parse(arena, arena_text(arena, defaults), NULL, &value, &err)) {
        *out_defaults = value;
    }
    return arena_printf(arena, "%.*s %.*s", TEXT_ARG(name), TEXT_ARG(defaults));
}

static struct cluster *names_cluster_make(struct names *names, const struct cache_object *object)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct cluster *cluster = arena_one(arena, struct cluster);
    const struct cache_object *group;
    struct text prefix;

    if (names->clusters.count == CLUSTERS_MAX) {
        clusters_forget(names);
    }
    cluster->arena = arena;
    cluster->key = arena_text(arena, blob_text(object->key));
    cluster->spec = depends_make(arena, names_bytes_of(object), &cluster->defaults, &cluster->name);
    map_init(&cluster->by_path, arena);
    map_init(&cluster->by_stem, arena);
    prefix = objects_group_prefix(arena, cache_tenant(object), cache_id(object));
    for (group = cache_first(names->cache, prefix); group != NULL;
         group = cache_next(names->cache, prefix, group)) {
        group_put(cluster, objects_group_path(group), names_bytes_of(group));
    }
    map_put(&names->clusters, cluster->key, cluster);
    return cluster;
}

/* ---- following the cache ---- */

static void cluster_seen(struct names *names, const struct cache_change *change)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text key =
        arena_printf(arena, "/%.*s/Cluster/%.*s", TEXT_ARG(change->tenant), TEXT_ARG(change->id));
    struct cluster *cluster = map_find(&names->clusters, key);
    struct doc defaults;
    struct text name;

    if (cluster != NULL &&
        (change->bytes == NULL ||
         !text_is_equal(depends_make(arena, blob_text(change->bytes), &defaults, &name),
                        cluster->spec))) {
        names_cluster_forget(names, cluster);
    }
}

static void group_seen(struct names *names, const struct cache_change *change)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    size_t slash = text_find_byte(change->id, '/');
    struct cluster *cluster;
    struct text key;

    if (slash == SIZE_MAX) {
        return;
    }
    key = arena_printf(arena, "/%.*s/Cluster/%.*s", TEXT_ARG(change->tenant),
                       TEXT_ARG(text_slice(change->id, 0, slash)));
    cluster = map_find(&names->clusters, key);
    if (cluster == NULL) {
        return;
    }
    if (arena_used(cluster->arena) > ARENA_KEPT_BYTES) {
        names_cluster_forget(names, cluster);
        return;
    }
    group_put(cluster, text_slice(change->id, slash + 1, change->id.length),
              change->bytes == NULL ? TEXT("") : blob_text(change->bytes));
}

static void names_seen(void *arg, enum cache_watch_state state, const struct cache_change *change)
{
    struct names *names = arg;

    if (state == CACHE_WATCH_RESET) {
        clusters_forget(names);
        names->watch = NULL; /* the watch is opened again at the next query */
        return;
    }
    if (change->part != CACHE_SPEC || names->clusters.count == 0) {
        return;
    }
    if (text_is(change->kind, "Cluster")) {
        cluster_seen(names, change);
    } else if (text_is(change->kind, "NodeGroup")) {
        group_seen(names, change);
    }
}

static void watch_open(struct names *names)
{
    static const struct cache_scope all = { .prefix = { "/", 1 } };

    names->watch =
        cache_watch(names->cache, &all, cache_revision(names->cache) + 1, names_seen, names);
}

struct names *names_new(struct cache *cache)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct names *names = arena_one(memory, struct names);

    names->memory = memory;
    names->cache = cache;
    map_init(&names->clusters, memory);
    return names;
}

void names_free(struct names *names)
{
    if (names == NULL) {
        return;
    }
    clusters_forget(names); /* the watch ended with the cache */
    arena_free(names->memory);
}

/* ---- queries ---- */

struct asking {
    struct model_others others;
    struct cluster *cluster;
    const struct set *without;
};

static void found_add(const struct asking *asking, struct model_other *out, size_t *count,
                      const struct entry *entry)
{
    if (!set_has(asking->without, entry->path)) {
        out[(*count)++] = (struct model_other){ entry->path, entry->names };
    }
}

/* Finds all groups that must be compared. A group without a stem must be compared with every other
 * group. */
static size_t all_find(const struct asking *asking, struct arena *arena, struct model_other **out)
{
    const struct map *map = &asking->cluster->by_path;
    size_t count = 0;

    *out = arena_array(arena, struct model_other, map->count);
    for (const struct map_node *node = map_first(map, TEXT("")); node != NULL;
         node = map_after(map, node->key)) {
        found_add(asking, *out, &count, node->value);
    }
    return count;
}

static size_t others_find(void *arg, struct arena *arena, const struct naming_group *group,
                          struct model_other **out)
{
    const struct asking *asking = arg;
    struct text stem;
    const struct entry *first;
    size_t room = 0;
    size_t count = 0;

    if (!naming_stem_find(arena, group, &stem) || asking->cluster->odd != NULL) {
        return all_find(asking, arena, out);
    }
    first = map_find(&asking->cluster->by_stem, stem);
    for (const struct entry *entry = first; entry != NULL; entry = entry->next) {
        room++;
    }
    *out = arena_array(arena, struct model_other, room);
    for (const struct entry *entry = first; entry != NULL; entry = entry->next) {
        found_add(asking, *out, &count, entry);
    }
    return count;
}

const struct model_others *names_others(struct names *names, struct arena *arena,
                                        const struct cache_object *cluster,
                                        const struct set *without)
{
    struct asking *asking = arena_one(arena, struct asking);

    if (names->watch == NULL) {
        watch_open(names);
    }
    asking->cluster = map_find(&names->clusters, blob_text(cluster->key));
    if (asking->cluster == NULL) {
        asking->cluster = names_cluster_make(names, cluster);
    }
    asking->without = without;
    asking->others = (struct model_others){
        .groups = asking->cluster->by_path.count,
        .nodes = asking->cluster->nodes,
        .find = others_find,
        .arg = asking,
    };
    for (const struct map_node *node = map_first(&without->map, TEXT("")); node != NULL;
         node = map_after(&without->map, node->key)) {
        const struct entry *entry = map_find(&asking->cluster->by_path, node->key);

        if (entry != NULL) {
            asking->others.groups--;
            asking->others.nodes -= entry->names.count;
        }
    }
    return &asking->others;
}
