#include "bootstrap/rollout.h"

#include "base/sort.h"

#include <assert.h>

/* public names start with: bootstrap_rollout_ */

static int rollout_member_compare(const void *a, const void *b, void *arg)
{
    const struct bootstrap_rollout_member *members = arg;
    const struct bootstrap_rollout_member *first = &members[*(const size_t *)a];
    const struct bootstrap_rollout_member *second = &members[*(const size_t *)b];

    if (first->is_out != second->is_out) {
        return second->is_out - first->is_out;
    }
    return (first->slot > second->slot) - (first->slot < second->slot);
}

void bootstrap_rollout_arrange(struct arena *arena, const struct bootstrap_rollout_member *members,
                               size_t count, const struct bootstrap_rollout_policy *policy,
                               struct bootstrap_rollout_batches *out)
{
    size_t canary = policy->canary < count ? policy->canary : count;
    size_t batch = policy->batch > 0 ? policy->batch : 1;
    struct bootstrap_rollout_member *copy =
        arena_array(arena, struct bootstrap_rollout_member, count);

    assert(count > 0);
    *out = (struct bootstrap_rollout_batches){
        .order = arena_array(arena, size_t, count),
        .ends = arena_array(arena, uint32_t, count),
        .canaries = canary > 0,
    };
    for (size_t i = 0; i < count; i++) {
        copy[i] = members[i];
        out->order[i] = i;
    }
    sort_stable(arena, out->order, count, sizeof(*out->order), rollout_member_compare, copy);
    if (canary > 0) {
        out->ends[out->batch_count++] = (uint32_t)canary;
    }
    for (size_t end = canary; end < count;) {
        end = count - end < batch ? count : end + batch;
        out->ends[out->batch_count++] = (uint32_t)end;
    }
}
