#include "pacing/pacing.h"

#include "codec/doc_child.h"
#include "codec/json.h"

/* names: pacing_ */

static void pacing_number_put(struct doc_builder *builder, const char *name, uint64_t value)
{
    if (value > 0) {
        doc_builder_put(builder, name, doc_int(builder->arena, (int64_t)value, NULL));
    }
}

struct text pacing_format(struct arena *arena, const struct pacing *pacing)
{
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    pacing_number_put(&builder, "bakeMs", pacing->bake_ms);
    pacing_number_put(&builder, "batch", pacing->batch);
    pacing_number_put(&builder, "canary", pacing->canary);
    doc_builder_put(&builder, "chain", doc_text(pacing->chain, NULL));
    pacing_number_put(&builder, "maxFail", pacing->max_fail);
    pacing_number_put(&builder, "pauseMs", pacing->pause_ms);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static uint64_t pacing_number_of(const struct doc *doc, const char *name)
{
    int64_t number = doc_child_number(doc, name);

    return number > 0 ? (uint64_t)number : 0;
}

bool pacing_parse(struct arena *arena, struct text bytes, struct pacing *out)
{
    struct doc doc;
    struct err err;

    if (!json_parse(arena, bytes, NULL, &doc, &err) || !doc_is_map(&doc)) {
        return false;
    }
    *out = (struct pacing){
        .chain = doc_child_text(&doc, "chain"),
        .batch = pacing_number_of(&doc, "batch"),
        .canary = pacing_number_of(&doc, "canary"),
        .max_fail = pacing_number_of(&doc, "maxFail"),
        .bake_ms = pacing_number_of(&doc, "bakeMs"),
        .pause_ms = pacing_number_of(&doc, "pauseMs"),
    };
    return true;
}

/* The smaller of two limits. 0 means that there is no limit. */
static uint64_t pacing_smaller(uint64_t a, uint64_t b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

static uint64_t pacing_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct pacing pacing_policy(const struct fleet_group *group, const struct pacing *requested)
{
    struct pacing policy = { .batch = group->plan.batch > 0 ? group->plan.batch : 1,
                             .canary = group->slot_canary,
                             .max_fail = group->plan.fail_max,
                             .bake_ms = group->plan.bake_ms };

    if (requested != NULL) {
        policy.batch = pacing_smaller(policy.batch, requested->batch);
        policy.canary = pacing_larger(policy.canary, requested->canary);
        policy.max_fail = pacing_smaller(policy.max_fail, requested->max_fail);
        policy.bake_ms = pacing_larger(policy.bake_ms, requested->bake_ms);
        policy.pause_ms = requested->pause_ms;
    }
    return policy;
}

struct pacing pacing_find(struct arena *arena, const struct cache *cache,
                          const struct fleet_cluster *cluster, const struct fleet_group *group,
                          bool is_rollout)
{
    struct text id =
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(group->plan.path));
    const struct cache_object *object = cache_find(cache, cluster->tenant, TEXT(PACING_KIND), id);
    struct pacing requested;
    bool is_requested =
        is_rollout && object != NULL && object->parts[CACHE_BASE].bytes != NULL &&
        pacing_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_BASE].bytes)),
                     &requested) &&
        text_is_equal(requested.chain, group->chain);

    return pacing_policy(group, is_requested ? &requested : NULL);
}

void pacing_arrange(struct arena *arena, const struct pacing *policy,
                    const struct bootstrap_rollout_member *members, const struct text *tokens,
                    size_t count, struct batches *request)
{
    const struct bootstrap_rollout_policy sizes = { policy->canary, policy->batch };
    struct text *ordered = arena_array(arena, struct text, count + 1);
    struct bootstrap_rollout_batches arranged;

    bootstrap_rollout_arrange(arena, members, count, &sizes, &arranged);
    for (size_t i = 0; i < count; i++) {
        ordered[i] = tokens[arranged.order[i]];
    }
    request->tokens = ordered;
    request->count = count;
    request->ends = arranged.ends;
    request->batch_count = arranged.batch_count;
    request->canaries = arranged.canaries;
    request->max_fail = policy->max_fail;
    request->bake_ms = policy->bake_ms;
    request->pause_ms = policy->pause_ms;
}
