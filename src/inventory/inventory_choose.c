#include "codec/json_member.h"
#include "inventory/inventory.h"
#include "state/objects.h"

/* Which row a member takes. */

/* True if the bytes of a row can be those of a reserved one. Most rows are not, and are not
 * parsed. */
static bool choose_has(const struct cache_object *object, const char *member)
{
    struct text value;

    return object->parts[CACHE_BASE].bytes != NULL &&
           json_member_find(blob_text(object->parts[CACHE_BASE].bytes), text_from(member), &value);
}

static bool is_reserved_for(const struct discovered *row, const struct inventory_wanted *wanted)
{
    return row->claim.token.length == 0 && text_is_equal(row->reserved.cluster, wanted->cluster) &&
           text_is_equal(row->reserved.group, wanted->group);
}

static bool is_reserved_earlier(const struct discovered *a, const struct discovered *b)
{
    return a->reserved.at_ms != b->reserved.at_ms ? a->reserved.at_ms < b->reserved.at_ms
                                                  : text_compare(a->name, b->name) < 0;
}

bool inventory_choose(struct arena *arena, const struct cache *cache, struct text tenant,
                      const struct inventory_wanted *wanted, struct discovered *out,
                      uint64_t *out_revision, struct text *out_why)
{
    struct text prefix = arena_printf(arena, "/%.*s/" DISCOVERED_KIND "/", TEXT_ARG(tenant));
    struct text cluster = objects_cluster_name(cache, arena, tenant, wanted->cluster);
    struct text away = TEXT("");
    bool is_found = false;

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct discovered row;

        if (!choose_has(object, "reserved") || !discovered_read(arena, object, &row) ||
            !is_reserved_for(&row, wanted)) {
            continue;
        }
        if (row.state != LIFECYCLE_STATE_DISCOVERED) {
            away = row.name;
        } else if (!is_found || is_reserved_earlier(&row, out)) {
            *out = row;
            *out_revision = object->parts[CACHE_BASE].revision;
            is_found = true;
        }
    }
    if (!is_found) {
        *out_why =
            away.length > 0
                ? arena_printf(arena,
                               "machine %.*s of the inventory is reserved for group "
                               "%.*s, but has disappeared",
                               TEXT_ARG(away), TEXT_ARG(wanted->group))
                : arena_printf(arena,
                               "no machine of the inventory is reserved for group "
                               "%.*s: reeve commission NODE -g %.*s/%.*s reserves one",
                               TEXT_ARG(wanted->group), TEXT_ARG(cluster), TEXT_ARG(wanted->group));
    }
    return is_found;
}
