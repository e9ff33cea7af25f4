#include "base/limits.h"
#include "codec/json.h"
#include "engine/fleet_parts.h"
#include "model/nest.h"
#include "model/scalar.h"
#include "model/set.h"

#include <assert.h>

/* What is wanted of a cluster: its leaf groups, with every effective value, as deciding needs them. */

/* ---- one field, or its built-in default ---- */

static struct text word_of(const struct doc *map, enum schema_owner owner, const char *name)
{
    const struct doc *value = doc_child(map, name);
    struct doc absent;

    if (doc_is_scalar(value)) {
        return value->text;
    }
    absent = model_default_find(owner, text_from(name));
    return doc_is_scalar(&absent) ? absent.text : TEXT("");
}

static uint64_t duration_of(const struct doc *map, enum schema_owner owner, const char *name)
{
    uint64_t ms = 0;
    bool is_good = scalar_parse_duration(word_of(map, owner, name), &ms);

    assert(is_good && "the normal form holds what was read before");
    (void)is_good;
    return ms;
}

/* As a count of the whole. */
static uint32_t share_of(const struct doc *map, const char *name, uint32_t whole)
{
    struct scalar_share share = { 0 };

    return scalar_parse_share(word_of(map, OWNER_ROLLOUT, name), &share)
               ? scalar_share_of(share, whole)
               : 0;
}

static bool flag_of(const struct doc *map, const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && text_is(value->text, "true");
}

static uint32_t unhealthy_of(const struct doc *leaf, uint32_t size)
{
    struct scalar_share share = { 0 };

    if (!scalar_parse_share(word_of(leaf, OWNER_GROUP, "maxUnhealthy"), &share)) {
        return 340;
    }
    if (share.is_percent) {
        return share.value * 10;
    }
    return size == 0 ? 1000 : (uint32_t)((uint64_t)share.value * 1000 / size);
}

static enum plan_pick pick_of(struct text word)
{
    return text_is(word, "oldest")   ? PLAN_PICK_OLDEST
           : text_is(word, "newest") ? PLAN_PICK_NEWEST
           : text_is(word, "failed") ? PLAN_PICK_FAILED
                                     : PLAN_PICK_OLDEST_CONFIG;
}

/* ---- what makes a machine ---- */

/* Other values of these make another machine; of all others the machine that is there stays. By effective
 * values alone, so that a comment, an order of keys or a newer reeve replaces nothing (X8). */
static const char *const making[] = {
    "image",          "machineSize", "network", "resourceProperties",
    "securityGroups", "sshKey",      "subnet",  "volumes",
};

static struct doc making_doc(struct arena *arena, const struct doc *leaf, struct text plugin)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < ARRAY_COUNT(making); i++) {
        const struct doc *value = doc_child(leaf, making[i]);

        if (doc_is_present(value)) {
            doc_builder_put(&builder, making[i], *value);
        }
    }
    doc_builder_put(&builder, "resourcePlugin", doc_text(plugin, NULL));
    return doc_builder_map(&builder, NULL);
}

static struct text digest(struct arena *arena, struct text bytes)
{
    return arena_printf(arena, "%016llx", (unsigned long long)text_hash(bytes, 0));
}

/* ---- groups ---- */

static void group_make(struct arena *arena, const struct model_leaf *leaf, bool is_protected,
                       struct fleet_group *out)
{
    const struct doc *rollout = doc_child(&leaf->doc, "rollout");
    struct doc doc = making_doc(arena, &leaf->doc, leaf->group.plugin);
    uint32_t size = leaf->group.size;
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    *out = (struct fleet_group){
        .plan = {
            .path = arena_text(arena, leaf->path),
            .size = size,
            .first_slot = leaf->group.first_number,
            .generation = digest(arena, buf_text(&buf)),
            .heal = text_is(word_of(&leaf->doc, OWNER_GROUP, "heal"), "off") ? PLAN_HEAL_OFF
                                                                             : PLAN_HEAL_REPLACE,
            .pick = pick_of(word_of(&leaf->doc, OWNER_GROUP, "pick")),
            .replace_after_ms = duration_of(&leaf->doc, OWNER_GROUP, "replaceAfter"),
            .unhealthy_permille = unhealthy_of(&leaf->doc, size),
            .is_protected = is_protected || flag_of(&leaf->doc, "protected"),
            .surge = share_of(rollout, "surge", size),
            .unavailable = share_of(rollout, "unavailable", size),
            .batch = share_of(rollout, "batch", size),
            .canary = share_of(rollout, "canary", size),
            .bake_ms = duration_of(rollout, OWNER_ROLLOUT, "bake"),
        },
        .plugin = arena_text(arena, leaf->group.plugin),
        .properties = buf_text(&buf),
        .affix = leaf->group.affix,
    };
    out->affix.prefix = arena_text(arena, out->affix.prefix);
    out->affix.suffix = arena_text(arena, out->affix.suffix);
}

MUST_CHECK static bool groups_make(struct arena *scratch, const struct stored_object *stored,
                                   struct fleet_cluster *cluster)
{
    struct err_list errors;
    struct model_set set;
    struct model_object *object;
    struct doc own = stored_join(scratch, stored, STORED_OWN);

    own = nest_put(scratch, &own, "name", doc_text(stored->part.meta.name, NULL));
    err_list_init(&errors, scratch);
    model_set_init(&set, scratch, &errors);
    object = model_set_add_stored(&set, stored->kind, &own, stored_made(scratch, stored), false);
    model_set_resolve(&set);
    if (errors.count > 0) {
        cluster->trouble = errors.items[0];
        return false;
    }
    object = &set.objects[0];
    cluster->groups = arena_array(cluster->home, struct fleet_group, object->leaf_count);
    for (size_t i = 0; i < object->leaf_count; i++) {
        group_make(cluster->home, &object->leaves[i], flag_of(&object->merged, "protected"),
                   &cluster->groups[i]);
    }
    cluster->group_count = object->leaf_count;
    return true;
}

/* A cluster's record says how many groups it has. Where fewer are found something is wrong with the store,
 * and a group that was not found is never taken for one that is not wanted. */
MUST_CHECK static bool groups_count_check(const struct stored_object *stored,
                                          struct fleet_cluster *cluster)
{
    if (stored->part.meta.has_totals && stored->part.meta.groups != stored->group_count) {
        return err_set(&cluster->trouble, CODE_R0555,
                       "cluster '%.*s' should have %llu groups, and the store has %zu",
                       TEXT_ARG(stored->part.meta.name),
                       (unsigned long long)stored->part.meta.groups, stored->group_count);
    }
    return true;
}

void fleet_wanted_read(struct cache *cache, struct fleet_cluster *cluster)
{
    const struct cache_object *object =
        cache_find(cache, cluster->tenant, TEXT("Cluster"), cluster->id);
    struct arena *scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct stored_object stored;

    arena_free(cluster->home);
    cluster->home = arena_new(SIZE_MAX);
    cluster->groups = NULL;
    cluster->group_count = 0;
    cluster->trouble = (struct err){ 0 };
    if (object != NULL && object->parts[CACHE_SPEC].bytes != NULL &&
        objects_read(scratch, cache, objects_kind("Cluster"), object, &stored, &cluster->trouble)) {
        cluster->name = arena_text(cluster->home, stored.part.meta.name);
        if (groups_count_check(&stored, cluster)) {
            (void)!groups_make(scratch, &stored, cluster);
        }
    }
    arena_free(scratch);
}
