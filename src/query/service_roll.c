#include "codec/json.h"
#include "query/query_parts.h"
#include "state/batches.h"

#include <assert.h>

/* public names start with: service_ */

/* Determines whether a group has a running rollout. The newest job of the group's cluster has the
 * number of machines of other generations. */

static size_t old_of(const struct doc *counts)
{
    const struct doc *old = doc_child(counts, "old");
    int64_t number = 0;

    return doc_is_scalar(old) && text_parse_int64(old->text, &number) && number > 0 ? (size_t)number
                                                                                    : 0;
}

/* True if machines of other generations remain. The job of a cluster with very many groups has only
 * the sum of all groups, which is then used. */
static bool is_old_left(const struct doc *status, struct text group)
{
    const struct doc *groups = doc_child(status, "groups");
    bool is_listed = doc_is_list(groups) && groups->item_count > 0;

    if (group.length == 0 || !is_listed) {
        return old_of(doc_child(status, "machines")) > 0;
    }
    for (size_t i = 0; i < groups->item_count; i++) {
        const struct doc *path = doc_child(&groups->items[i], "group");

        if (doc_is_scalar(path) && text_is_equal(path->text, group)) {
            return old_of(&groups->items[i]) > 0;
        }
    }
    return false;
}

bool service_is_rolling(struct service *service, struct arena *arena, struct text tenant,
                        struct text cluster_id, struct text group)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/Job/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));
    const struct cache_object *newest = NULL;
    struct doc status;
    struct err err;

    assert(cluster_id.length > 0);
    for (const struct cache_object *row = cache_first(service->cache, prefix); row != NULL;
         row = cache_next(service->cache, prefix, row)) {
        /* job numbers have leading zeros, so keys are in order of the numbers */
        newest = objects_is_change(row) ? row : newest;
    }
    return newest != NULL && newest->parts[CACHE_STATUS].bytes != NULL &&
           json_parse(arena, arena_text(arena, blob_text(newest->parts[CACHE_STATUS].bytes)), NULL,
                      &status, &err) &&
           !doc_is_present(doc_child(&status, "ended")) && is_old_left(&status, group);
}

bool service_is_rolling_in_place(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text cluster_id, struct text group)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/" BATCHES_KIND "/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        const struct cache_bytes *base = &object->parts[CACHE_BASE];
        struct batches batches;
        struct err err;

        if (base->bytes != NULL &&
            batches_parse(arena, arena_text(arena, blob_text(base->bytes)), &batches, &err) &&
            batches_is_rollout(&batches) &&
            (group.length == 0 || text_is_equal(batches.group, group))) {
            return true;
        }
    }
    return false;
}

struct service_batches_row service_batches_find(const struct service *service, struct arena *arena,
                                                struct text tenant, struct text cluster_id,
                                                struct text name, uint64_t revision)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/Job/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));
    const struct cache_object *row = objects_job_of(service->cache, arena, prefix, name);
    struct batches_progress progress;
    int64_t number = 0;
    struct doc doc;
    struct err err;

    if (row == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(row->parts[CACHE_STATUS].bytes)), NULL, &doc,
                    &err) ||
        !batches_progress_read(&doc, &progress) ||
        !text_parse_int64(text_slice(blob_text(row->key), prefix.length, SIZE_MAX), &number)) {
        return (struct service_batches_row){ .number = revision };
    }
    return (struct service_batches_row){ (uint64_t)number, progress.marks, progress.is_over };
}
