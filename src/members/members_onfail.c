#include "base/limits.h"
#include "former/former.h"
#include "members/members.h"
#include "members/rollouts.h"
#include "pacing/pacing.h"

/* public names start with: members_ member_ onfail_ */

/* Handles a member on which the changed stages of a rollout failed (`rollout.onFail`, decision
 * 0156).
 *
 * Normal case, revert: the failure is marked in the store, and the state of the node has the failed
 * stage digest chain. As long as this chain is the desired one, the member belongs to a group with
 * the previous stages (member_group). They run again immediately, because the member is already out
 * of service. The rollout counts the member as failed. This lasts until a rollout starts the member
 * again, or until another chain is desired.
 *
 * Normal case, clean: the state of the node records that the machine leaves. The service reduces
 * the size of the group and selects the machine (discovery/service_returns.c); its hooks `cleanup`
 * run.
 *
 * Failures: if there are no previous stages, or the machine does not belong to the inventory, the
 * member remains failed, as with `keep`. If the previous stages fail too, the member is failed. */

/* The previous stages of a group, as last read from the store. */
struct members_former {
    struct members_former *next;
    struct arena *arena;
    struct text path;
    uint64_t revision; /* revision of the object; 0: there is no object */
    uint64_t readings; /* version of the cluster from whose data the group borrows */
    struct fleet_group group;
    bool is_read;
};

/* ---- previous stages ---- */

static void onfail_entry_drop(struct members_former **at)
{
    struct members_former *entry = *at;

    *at = entry->next;
    arena_free(entry->arena);
}

void members_formers_drop(struct members *members)
{
    while (members->formers != NULL) {
        onfail_entry_drop(&members->formers);
    }
}

static struct members_former **onfail_entry_at(struct members *members, struct text path)
{
    struct members_former **at = &members->formers;

    while (*at != NULL && !text_is_equal((*at)->path, path)) {
        at = &(*at)->next;
    }
    return at;
}

static const struct cache_bytes *onfail_bytes(const struct members *members, struct arena *arena,
                                              struct text path)
{
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct cache_object *object =
        cache_find(members->reconciler->control->cache, cluster->tenant, TEXT(FORMER_KIND),
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster->id), TEXT_ARG(path)));

    return object == NULL || object->parts[CACHE_BASE].bytes == NULL ? NULL
                                                                     : &object->parts[CACHE_BASE];
}

static void onfail_entry_add(struct members *members, const struct fleet_group *like,
                             const struct cache_bytes *bytes)
{
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct members_former *entry = arena_one(arena, struct members_former);

    *entry = (struct members_former){
        .next = members->formers,
        .arena = arena,
        .path = arena_text(arena, like->plan.path),
        .revision = bytes->revision,
        .readings = members->reconciler->cluster->readings,
    };
    entry->is_read =
        former_parse(arena, arena_text(arena, blob_text(bytes->bytes)), like, &entry->group);
    members->formers = entry;
}

/* Return the previous stages of the group; NULL: there are none. */
static const struct fleet_group *onfail_find(struct members *members, struct text path)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct fleet_group *like = fleet_group_find(cluster, path);
    const struct cache_bytes *bytes =
        like == NULL ? NULL : onfail_bytes(members, arena, like->plan.path);
    struct members_former **at;

    if (bytes == NULL) {
        return NULL;
    }
    at = onfail_entry_at(members, like->plan.path);
    if (*at != NULL && (*at)->revision == bytes->revision && (*at)->readings == cluster->readings) {
        return (*at)->is_read ? &(*at)->group : NULL;
    }
    if (*at != NULL) {
        onfail_entry_drop(at);
    }
    onfail_entry_add(members, like, bytes);
    return members->formers->is_read ? &members->formers->group : NULL;
}

const struct fleet_group *member_former(const struct member *member,
                                        const struct fleet_group *group)
{
    const struct fleet_group *former;

    if (group == NULL || member->state.reverted.length == 0 ||
        !text_is_equal(member->state.reverted, group->chain)) {
        return NULL;
    }
    former = onfail_find(member->members, member->group);
    return fleet_group_for(former, member->slot);
}

/* Delete the objects of this kind that belong to groups that no longer exist. */
static void onfail_kind_sweep(struct members *members, const char *kind)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    struct cache *cache = members->reconciler->control->cache;
    struct text prefix = arena_printf(arena, "/%.*s/%s/%.*s/", TEXT_ARG(cluster->tenant), kind,
                                      TEXT_ARG(cluster->id));

    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        struct text path = text_slice(blob_text(object->key), prefix.length, SIZE_MAX);

        if (object->parts[CACHE_BASE].bytes != NULL && cluster->problem.code == CODE_NONE &&
            fleet_group_find(cluster, path) == NULL) {
            members_gone_add(members,
                             control_key(members->gone_memory, cluster, kind, path, CACHE_BASE),
                             TEXT(""), TEXT(""));
        }
    }
}

void members_formers_sweep(struct members *members)
{
    onfail_kind_sweep(members, FORMER_KIND);
    onfail_kind_sweep(members, PACING_KIND);
}

/* ---- failures ---- */

/* Describes how the stages of the member failed. */
static struct text onfail_words(struct arena *arena, const struct member *member)
{
    const struct node_state *state = &member->state;
    struct text why = record_sentence(arena, state->why);

    return arena_printf(arena, "stage-%u %.*s failed%s%.*s", state->number, TEXT_ARG(state->stage),
                        why.length > 0 ? ": " : "", TEXT_ARG(why));
}

static void onfail_revert(struct member *member, struct text chain)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_group *former =
        fleet_group_for(onfail_find(member->members, member->group), member->slot);
    struct node_state state = member->state;

    if (former == NULL || former->chain.length == 0 || text_is_equal(former->chain, chain) ||
        text_is_equal(state.reverted, chain)) {
        return;
    }
    state.reverted = chain;
    state.reverted_why = onfail_words(arena, member);
    member->failures = 0;
    member->again_ms = 0;
    member_change(member, &state, "node.reverted", state.reverted_why);
}

static void onfail_clean(struct member *member)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct node_state state = member->state;

    if (state.leaves.length > 0 || !member_is_pooled(member)) {
        return;
    }
    state.leaves = onfail_words(arena, member);
    member_change(member, &state, "node.leaves", state.leaves);
}

void onfail_apply(const struct member_batches *batches)
{
    const struct batches_progress *written = &batches->written;
    const struct fleet_group *group =
        batches_is_rollout(&batches->request) ? rollout_group(batches) : NULL;

    if (group == NULL || group->on_fail == FLEET_ON_FAIL_KEEP || written->is_over ||
        written->marks.length != batches->request.count || !rollout_is_current(batches)) {
        return;
    }
    for (size_t i = 0; i < batches->request.count; i++) {
        struct text chain = batches_chain(&batches->request, batches->request.tokens[i]);
        struct member *member =
            written->marks.data[i] != BOOTSTRAP_MARK_FAILED
                ? NULL
                : map_find(&batches->members->by_token, batches->request.tokens[i]);

        if (member == NULL || member->is_going || member->is_taken || member_is_staging(member) ||
            !text_is_equal(member->state.chain_failed, chain)) {
            continue;
        }
        if (group->on_fail == FLEET_ON_FAIL_REVERT) {
            onfail_revert(member, chain);
        } else {
            onfail_clean(member);
        }
    }
}

void onfail_end(struct member *member)
{
    struct node_state state = member->state;

    if (state.reverted.length > 0) {
        state.reverted = TEXT("");
        state.reverted_why = TEXT("");
        member_change(member, &state, NULL, TEXT(""));
    }
}
