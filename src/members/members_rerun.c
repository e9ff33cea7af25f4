#include "base/limits.h"
#include "codec/json.h"
#include "members/members.h"
#include "members/rollouts.h"
#include "records/abandoned.h"
#include "records/commands.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: member_ members_ */

/* Requests to run stages of a node again (rerun.h). The request is in the store, and its completion
 * is in the state of the node. After a crash between the two writes, the request is sent to the
 * node again; the node executes each request once. */

bool member_is_done_of(const struct member *member, const struct member_batches *batches)
{
    return text_is_equal(member->state.job, text_from(batches->rollout_request));
}

bool member_from(const struct member *member, const struct member_batches *batches, uint64_t *out)
{
    const struct fleet_group *group = member_group(member);

    return batches_from(&batches->request, member->group, out) ||
           (group != NULL && group->plan.renamed_from.length > 0 &&
            batches_from(&batches->request, group->plan.renamed_from, out));
}

bool member_rerun_next(const struct member *member, struct rerun *out,
                       const struct member_batches **out_batches)
{
    const struct member_batches *batches = member->batches;
    uint64_t from;

    *out_batches = NULL;
    *out = member->rerun;
    if (member->rerun.revision > member->state.rerun) {
        return true;
    }
    if (batches == NULL || member_is_done_of(member, batches) ||
        (batches_is_rollout(&batches->request) && rollout_is_done(member, batches)) ||
        !member_from(member, batches, &from)) {
        return false;
    }
    *out_batches = batches;
    *out = (struct rerun){ .at_ms = batches->request.at_ms,
                           .is_failed = batches->request.is_failed,
                           .from = from };
    return true;
}

bool member_is_rerun(const struct member *member)
{
    const struct member_batches *batches;
    struct rerun rerun;

    return member_rerun_next(member, &rerun, &batches);
}

void member_rerun_look(struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct reconciler *reconciler = member->members->reconciler;
    const struct cache_object *object =
        cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT(RERUN_KIND),
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id),
                                TEXT_ARG(member->token)));
    const struct cache_bytes *base = object == NULL ? NULL : &object->parts[CACHE_BASE];
    struct rerun rerun;
    struct err err;

    if (base == NULL || base->bytes == NULL || base->revision == member->rerun.revision ||
        !rerun_parse(arena, blob_text(base->bytes), &rerun, &err)) {
        return;
    }
    rerun.revision = base->revision;
    rerun.by = TEXT(""); /* the event about the request already has the name of the operator */
    member->rerun = rerun;
}

void member_rerun_report(struct member *member, const struct fleet_group *group,
                         const struct rerun *rerun)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct buf buf;
    size_t count = 0;

    buf_init(&buf, arena);
    for (size_t i = (size_t)rerun->from; i < group->stage_count; i++) {
        if (!group->stages[i].is_idempotent && !rerun->is_failed) {
            buf_printf(&buf, "%s stage-%zu %.*s",
                       count++ == 0 ? "not idempotent, and run again:" : ",", i,
                       TEXT_ARG(group->stages[i].name));
        }
    }
    member_note(member, "node.rerun", buf_text(&buf));
}

/* ---- retry commands for failed stages, about a group or its cluster (pass_commands.c) ---- */

/* Returns a name for the retry command that never changes: a hash of its time and operator. The
 * revision of the key is not suitable, because other commands, such as a pause, change it too. */
static uint64_t retry_hash(const struct members *members, struct text group, uint64_t seed)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    struct text id = arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(cluster->id),
                                  group.length == 0 ? "" : "/", TEXT_ARG(group));
    const struct cache_object *object =
        cache_find(members->reconciler->control->cache, cluster->tenant, TEXT("Control"), id);
    const struct cache_bytes *spec = object == NULL ? NULL : &object->parts[CACHE_SPEC];
    struct doc retry;
    struct doc doc;
    struct buf buf;
    struct err err;

    if (spec == NULL || spec->bytes == NULL ||
        !json_parse(arena, blob_text(spec->bytes), NULL, &doc, &err)) {
        return seed;
    }
    retry = commands_retry(arena, &doc);
    if (!doc_is_present(&retry)) {
        return seed;
    }
    buf_init(&buf, arena);
    json_format(&buf, &retry);
    return text_hash(buf_text(&buf), seed);
}

struct text members_retry_name(struct arena *arena, const struct members *members,
                               struct text group)
{
    return arena_printf(
        arena, "%016llx",
        (unsigned long long)retry_hash(members, group, retry_hash(members, TEXT(""), 1)));
}

struct text member_retry_look(const struct member *member)
{
    struct members *members = member->members;
    struct group_commands *commands = member_commands(member);

    if (commands == NULL) {
        return TEXT("");
    }
    commands->retry = members_retry_name(members->commands_arena, members, member->group);
    return commands->retry;
}

static void commands_sweep(struct members *members, const char *kind)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    struct cache *cache = members->reconciler->control->cache;
    struct text prefix = arena_printf(arena, "/%.*s/%s/%.*s/", TEXT_ARG(cluster->tenant), kind,
                                      TEXT_ARG(cluster->id));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text token = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);

        if (object->parts[CACHE_BASE].bytes != NULL && fleet_machine_find(cluster, token) == NULL) {
            members_gone_add(members,
                             control_key(members->gone_memory, cluster, kind, token, CACHE_BASE),
                             TEXT(""), TEXT(""));
        }
    }
}

void members_rerun_sweep(struct members *members)
{
    commands_sweep(members, RERUN_KIND);
    commands_sweep(members, ABANDONED_KIND);
    members_formers_sweep(members);
}
