#include "members/members.h"
#include "records/discovered.h"

/* names: members_ member_ commission_ */

/* Members whose commission failed (C25). The machine is one of the inventory and has never been in
 * service; its stages have failed for good.
 *
 * Normal case: the node's state has the first failing stage or task. If the commission has made the
 * group larger, the service reduces the size again and names the machine as the first to go
 * (discovery/service_returns.c); until then the record does not say that the machine has failed, so
 * that the planner does not fill its slot. Otherwise the record says so, and the planner returns
 * the machine. Both ways lead through the release, which runs the hooks `cleanup`.
 *
 * Failures: the size cannot be reduced (the group is protected). The service then drops the mark
 * `sized`, and the planner decides. */

/* Read the row of the member's machine. */
static bool commission_row_read(struct arena *arena, const struct member *member,
                                struct discovered *out)
{
    const struct reconciler *reconciler = member->members->reconciler;
    const struct cache *cache = reconciler->control->cache;
    const struct fleet_cluster *cluster = reconciler->cluster;
    struct text row = discovered_claimed(arena, cache, cluster->tenant, cluster->id, member->token);

    return row.length > 0 &&
           discovered_read(arena, cache_find(cache, cluster->tenant, TEXT(DISCOVERED_KIND), row),
                           out) &&
           text_is_equal(out->claim.token, member->token);
}

bool member_is_unsized(const struct member *member)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct discovered row;

    return member->is_starting && member->state.start_failure.length > 0 &&
           commission_row_read(arena, member, &row) && row.claim.is_sized;
}

bool members_is_returning(const struct reconciler *reconciler, struct text token)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct member *member =
        reconciler->members == NULL ? NULL : map_find(&reconciler->members->by_token, token);
    struct discovered row;

    return member != NULL && member->is_starting && member->state.start_failure.length > 0 &&
           commission_row_read(arena, member, &row);
}
