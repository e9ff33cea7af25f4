#include "codec/json_member.h"
#include "service/service_parts.h"

/* public names start with: mutation_ */

/* A renamed group keeps its machines: the next pass writes the new path into their records. Until
 * then only `renamedFrom` identifies their group. If a change removed that field, or gave the old
 * path to another group, the machines would be destroyed without consent. So such a change waits
 * for the pass (decision 0092). */

/* Return the previous path of a group; empty: none. */
static struct text former_of(const struct stored_group *group)
{
    return mutation_text_of(&group->part.spec, "renamedFrom");
}

static bool is_mutation_renames_current(const struct mutation *mutation,
                                        const struct change_object *object, struct text path)
{
    const struct cache_object *group =
        cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("NodeGroup"),
                   objects_group_id(mutation->work, object->id, path));

    return group != NULL && group->parts[CACHE_SPEC].bytes != NULL;
}

/* True if a group of the cluster, changed or not, has this previous path. */
static bool is_former(const struct mutation *mutation, const struct change_object *object,
                      struct text path)
{
    const struct cache *cache = mutation->service->cache;
    struct text prefix = objects_group_prefix(mutation->work, mutation->actor.tenant, object->id);
    struct text quoted = arena_printf(mutation->work, "\"%.*s\"", TEXT_ARG(path));

    for (const struct cache_object *group = cache_first(cache, prefix); group != NULL;
         group = cache_next(cache, prefix, group)) {
        struct text spec;
        struct text former;

        if (group->parts[CACHE_SPEC].bytes != NULL &&
            json_member_find(blob_text(group->parts[CACHE_SPEC].bytes), TEXT("spec"), &spec) &&
            json_member_find(spec, TEXT("renamedFrom"), &former) && text_is_equal(former, quoted)) {
            return true;
        }
    }
    return false;
}

/* Find the old paths whose machines the change would destroy: their records lack the new path. */
static size_t paths_find(const struct mutation *mutation, const struct change_object *object,
                         struct text *paths)
{
    size_t count = 0;

    for (size_t i = 0; i < object->old_stored.group_count; i++) {
        const struct stored_group *old = &object->old_stored.groups[i];
        const struct stored_group *new = stored_group_find(&object->new_stored, old->path);
        struct text former = former_of(old);

        if (former.length > 0 && (new == NULL || !text_is_equal(former_of(new), former)) &&
            !is_mutation_renames_current(mutation, object, former)) {
            paths[count++] = former;
        }
    }
    for (size_t i = 0; i < object->new_stored.group_count; i++) {
        struct text path = object->new_stored.groups[i].path;

        if (stored_group_find(&object->old_stored, path) == NULL &&
            is_former(mutation, object, path)) {
            paths[count++] = path;
        }
    }
    return count;
}

MUST_CHECK static bool object_settled(struct mutation *mutation, const struct change_object *object,
                                      struct err *err)
{
    struct text *paths =
        arena_array(mutation->work, struct text,
                    object->old_stored.group_count + object->new_stored.group_count);
    size_t count = paths_find(mutation, object, paths);
    struct record *records;
    size_t record_count;

    if (count == 0) {
        return true;
    }
    records = mutation_records(mutation, object->id, &record_count);
    for (size_t i = 0; i < record_count; i++) {
        for (size_t j = 0; j < count; j++) {
            if (text_is_equal(records[i].plan.group, paths[j])) {
                err_set(err, CODE_R0438,
                        "group '%.*s/%.*s' was renamed, and its machines have not moved to the new "
                        "name yet",
                        TEXT_ARG(object->name), TEXT_ARG(paths[j]));
                return err_hint(err,
                                "the next pass of the controller moves them; try again after that");
            }
        }
    }
    return true;
}

bool mutation_renames_settled(struct mutation *mutation, struct err *err)
{
    for (size_t i = 0; i < mutation->change.object_count; i++) {
        const struct change_object *object = &mutation->change.objects[i];

        if (object->kind->owner == OWNER_CLUSTER && object->revision > 0 && !object->is_deleted &&
            !object_settled(mutation, object, err)) {
            return false;
        }
    }
    return true;
}
