#include "state/damage.h"

#include "base/mem.h"
#include "codec/json_member.h"

#include <string.h>

/* Return the name of a cluster from its specification, if that is readable; otherwise the id. */
static struct text name_in_spec(const struct cache_object *cluster, struct text id)
{
    const struct blob *bytes = cluster == NULL ? NULL : cluster->parts[CACHE_SPEC].bytes;
    struct text metadata;
    struct text name;

    if (bytes == NULL ||
        !json_member_find(blob_text(cluster->parts[CACHE_SPEC].bytes), TEXT("metadata"),
                          &metadata) ||
        !json_member_find(metadata, TEXT("name"), &name) || name.length < 2) {
        return id;
    }
    return text_slice(name, 1, name.length - 2); /* removes the quotes; names have no escapes */
}

/* Return the name of a cluster, from the row that reserves the name, because the specification may
 * be damaged. */
static struct text name_find(struct arena *arena, struct cache *cache, struct text tenant,
                             struct text id)
{
    struct text prefix = arena_printf(arena, "/%.*s/Name/Cluster/", TEXT_ARG(tenant));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        const struct blob *bytes = object->parts[CACHE_BASE].bytes;

        if (bytes != NULL && text_is_equal(blob_text(object->parts[CACHE_BASE].bytes), id)) {
            return text_slice(cache_id(object), strlen("Cluster/"), SIZE_MAX);
        }
    }
    return name_in_spec(cache_find(cache, tenant, TEXT("Cluster"), id), id);
}

/* Returns the part of the text before the byte, and removes that part and the byte from the
 * text. */
static struct text damage_head_take(struct text *rest, char byte)
{
    size_t at = text_find_byte(*rest, byte);
    struct text head = text_slice(*rest, 0, at);

    *rest = at == SIZE_MAX ? TEXT("") : text_slice(*rest, at + 1, SIZE_MAX);
    return head;
}

/* Describe the key /TENANT/KIND/ID/PART. The id of most kinds begins with the id of their
 * cluster. */
static struct text key_line(struct arena *arena, struct cache *cache, struct text key)
{
    struct text rest = text_slice(key, 1, SIZE_MAX);
    struct text tenant = damage_head_take(&rest, '/');
    struct text kind = damage_head_take(&rest, '/');
    size_t last = rest.length;
    struct text part;
    struct text cluster;

    while (last > 0 && rest.data[last - 1] != '/') {
        last--;
    }
    part = text_slice(rest, last, SIZE_MAX);
    rest = text_slice(rest, 0, last > 0 ? last - 1 : 0);
    cluster = name_find(arena, cache, tenant, damage_head_take(&rest, '/'));
    return arena_printf(arena, "%.*s of %.*s '%.*s%s%.*s' in tenant %.*s cannot be shown",
                        TEXT_ARG(part), TEXT_ARG(kind), TEXT_ARG(cluster),
                        rest.length > 0 ? "/" : "", TEXT_ARG(rest), TEXT_ARG(tenant));
}

static struct text gap_line(struct arena *arena, struct cache *cache,
                            const struct store_damage_events *gap)
{
    struct text id = gap->cluster;
    struct text tenant = damage_head_take(&id, '/');

    return arena_printf(arena, "%llu event%s of cluster '%.*s' in tenant %.*s %s lost",
                        (unsigned long long)gap->lost, gap->lost == 1 ? "" : "s",
                        TEXT_ARG(name_find(arena, cache, tenant, id)), TEXT_ARG(tenant),
                        gap->lost == 1 ? "is" : "are");
}

size_t damage_lines(struct arena *arena, struct cache *cache, const struct store_damage *damage,
                    struct text **out)
{
    struct text *lines = arena_array(arena, struct text, damage->named + damage->gap_count + 3);
    size_t count = 0;

    for (size_t i = 0; i < damage->named; i++) {
        lines[count++] = key_line(arena, cache, damage->names[i]);
    }
    if (damage->keys > damage->named) {
        lines[count++] = arena_printf(arena, "%llu further objects cannot be shown",
                                      (unsigned long long)(damage->keys - damage->named));
    }
    for (size_t i = 0; i < damage->gap_count; i++) {
        lines[count++] = gap_line(arena, cache, &damage->gaps[i]);
    }
    if (damage->is_list_cut || damage->is_events_cut) {
        lines[count++] = damage->is_list_cut
                             ? TEXT("further objects and events may be lost that cannot be listed")
                             : TEXT("further events may be lost that cannot be listed");
    }
    lines[count++] =
        arena_printf(arena, "%llu objects are intact, and are shown as of revision %llu",
                     (unsigned long long)damage->objects, (unsigned long long)damage->revision);
    *out = lines;
    return count;
}
