#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/nest.h"
#include "records/discovered.h"
#include "service/service_parts.h"

/* public names start with: mutation_ return_ */

/* Handles machines that are returned to their owners because their commission failed: it writes
 * them into the job of the commission (C25) as {group, machine, name, node, text, tries}, like the
 * problems of a job. The change that reduces the size writes the row of the job in its own
 * transaction. From this, a pass detects that the change continues the job (reconcile/pass_jobs.c).
 *
 * If the job has ended, or another change has superseded it, nothing is written, and the change
 * gets a new job. */

/* Find the newest job of a change of the cluster, if it has not ended. */
static const struct cache_object *return_job_find(struct mutation *mutation, struct text cluster)
{
    const struct cache *cache = mutation->service->cache;
    struct text prefix = arena_printf(mutation->work, "/%.*s/Job/%.*s/",
                                      TEXT_ARG(mutation->actor.tenant), TEXT_ARG(cluster));
    const struct cache_object *newest = NULL;

    for (const struct cache_object *row = cache_first(cache, prefix); row != NULL;
         row = cache_next(cache, prefix, row)) {
        newest = objects_is_change(row) ? row : newest;
    }
    return newest == NULL || newest->parts[CACHE_STATUS].bytes == NULL ||
                   objects_job_ended(newest) > 0
               ? NULL
               : newest;
}

static struct doc return_item_make(struct mutation *mutation, struct text cluster,
                                   struct text group, const struct record *record)
{
    struct text id =
        arena_printf(mutation->work, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(record->plan.token));
    const struct cache_object *object =
        cache_find(mutation->service->cache, mutation->actor.tenant, TEXT("Node"), id);
    struct doc_builder builder;
    struct node_state state;
    struct err err;

    doc_builder_init(&builder, mutation->work);
    discovered_failure_put(&builder, mutation->service->cache, mutation->actor.tenant,
                           record->plan.id);
    doc_builder_put(&builder, "group", doc_text(group, NULL));
    doc_builder_put(&builder, "machine", doc_text(record->plan.id, NULL));
    doc_builder_put(&builder, "name", doc_text(record->name, NULL));
    if (object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
        node_state_parse(mutation->work, blob_text(object->parts[CACHE_STATUS].bytes), &state,
                         &err)) {
        node_state_failure_put(&builder, &state);
    }
    return doc_builder_map(&builder, NULL);
}

void mutation_return_note(struct mutation *mutation, struct text group,
                          const struct record *records, const bool *is_chosen, size_t count)
{
    struct text cluster = mutation->change.objects[0].id;
    const struct cache_object *job = return_job_find(mutation, cluster);
    const struct doc *earlier;
    struct doc row;
    struct doc *items;
    size_t item_count = 0;
    struct buf buf;
    struct err err;

    if (job == NULL ||
        !json_parse(mutation->work,
                    arena_text(mutation->work, blob_text(job->parts[CACHE_STATUS].bytes)), NULL,
                    &row, &err)) {
        return;
    }
    earlier = doc_child(&row, "returned");
    items = arena_array(mutation->work, struct doc,
                        count + (doc_is_list(earlier) ? earlier->item_count : 0));
    for (size_t i = 0; doc_is_list(earlier) && i < earlier->item_count; i++) {
        items[item_count++] = earlier->items[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (is_chosen[i]) {
            items[item_count++] = return_item_make(mutation, cluster, group, &records[i]);
        }
    }
    row = nest_put(mutation->work, &row, "returned", doc_list(items, item_count, NULL));
    buf_init(&buf, mutation->work);
    json_format(&buf, &row);
    mutation_op_append(
        mutation,
        (struct change_op){ .key = objects_key(mutation->work, mutation->actor.tenant, TEXT("Job"),
                                               arena_text(mutation->work, cache_id(job)),
                                               CACHE_STATUS),
                            .value = buf_text(&buf) },
        job->parts[CACHE_STATUS].revision);
}
