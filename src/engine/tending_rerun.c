#include "base/limits.h"
#include "engine/tending.h"

#include <assert.h>
#include <stdio.h>

/* names: tended_ tending_ */

/* Somebody wants stages of a node run again (rerun.h). The wish stands in the store, and what the node has fulfilled of it in its own
 * state: whoever dies in between asks the node, which fulfils each wish once. */

bool tended_is_rerun(const struct tended *tended)
{
    return tended->rerun.revision > tended->state.rerun;
}

void tended_rerun_look(struct tended *tended)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct keeper *keeper = tended->tending->keeper;
    const struct cache_object *object = cache_find(
        keeper->control->cache, keeper->cluster->tenant, TEXT(RERUN_KIND),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(keeper->cluster->id), TEXT_ARG(tended->token)));
    const struct cache_bytes *base = object == NULL ? NULL : &object->parts[CACHE_BASE];
    struct rerun rerun;
    struct err err;

    if (base == NULL || base->bytes == NULL || base->revision == tended->rerun.revision ||
        !rerun_parse(arena, blob_text(base->bytes), &rerun, &err)) {
        return;
    }
    rerun.revision = base->revision;
    rerun.by = TEXT(""); /* the event of the wish says it */
    tended->rerun = rerun;
}

void tended_rerun_tell(struct tended *tended, const struct fleet_group *group)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct buf buf;
    size_t count = 0;

    buf_init(&buf, arena);
    for (size_t i = (size_t)tended->rerun.from; i < group->stage_count; i++) {
        if (!group->stages[i].is_idempotent && !tended->rerun.is_failed) {
            buf_printf(&buf, "%s stage-%zu %.*s",
                       count++ == 0 ? "not idempotent, and run again:" : ",", i,
                       TEXT_ARG(group->stages[i].name));
        }
    }
    tended_note(tended, "node.rerun", buf_text(&buf));
}

void tending_rerun_sweep(struct tending *tending)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = tending->keeper->cluster;
    struct cache *cache = tending->keeper->control->cache;
    struct text prefix = arena_printf(arena, "/%.*s/" RERUN_KIND "/%.*s/",
                                      TEXT_ARG(cluster->tenant), TEXT_ARG(cluster->id));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text token = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);

        if (object->parts[CACHE_BASE].bytes != NULL && fleet_machine_find(cluster, token) == NULL) {
            tending_gone_add(
                tending, control_key(tending->gone_home, cluster, RERUN_KIND, token, CACHE_BASE),
                TEXT(""), TEXT(""));
        }
    }
}
