#include "base/limits.h"
#include "base/time.h"
#include "engine/abandoned.h"
#include "engine/tending.h"

#include <assert.h>

/* names: tending_ release_ */

/* A machine that continues to exist after it leaves its group (its plugin is not disposable) is released before its provider lets it
 * go: what reeve has written on it is removed over SSH (docs/decisions/0118).
 *
 * Normal case: a pass condemns the record, and wants to call the provider (tending_must_release holds that call back and grants the
 * release). The run reports that it is done, the node's state says so, and the next pass makes the call.
 *
 * Failures: a node that cannot be reached is tried again, later each time. After half of limits.going_ms, or when an operator
 * abandons it, the provider is called all the same, and an event names what may remain on the machine. A run may be
 * repeated: it does nothing where nothing of reeve is left. */

enum {
    RELEASE_RETRY_MS = 2 * 1000,
    RELEASE_RETRY_MAX_MS = 2 * 60 * 1000,
    RELEASE_DOUBLES = 6,
};

#define RELEASE_REMAINS \
    "reeve's files, keys and lines may still be on it (docs/reference/release.md)"

/* ---- does the provider's call wait? ---- */

static bool is_touched(const struct node_state *state)
{
    return state->name.length > 0 || state->keys.host.length > 0;
}

static const struct cache_bytes *node_bytes(const struct reconciler *reconciler, struct text token)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache_object *object = cache_find(
        reconciler->control->cache, reconciler->cluster->tenant, TEXT("Node"),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id), TEXT_ARG(token)));

    return object == NULL || object->parts[CACHE_STATUS].bytes == NULL
               ? NULL
               : &object->parts[CACHE_STATUS];
}

bool tending_must_release(struct reconciler *reconciler, const struct record *record)
{
    const struct control *control = reconciler->control;
    struct tending *tending = reconciler->tending;
    struct tended *tended;

    if (control->ports.nodes == NULL || control->options.is_dry || control->options.is_single) {
        return false;
    }
    tended = tending == NULL ? NULL : map_find(&tending->by_token, record->plan.token);
    if (tended == NULL) { /* after this pass it is looked at, and the next one comes back here */
        return node_bytes(reconciler, record->plan.token) != NULL;
    }
    if (!is_touched(&tended->state) || tended->state.is_released) {
        return false;
    }
    tended->is_release_granted = true;
    tending_wake(tending);
    return true;
}

void tending_release_revoke(struct reconciler *reconciler)
{
    struct tended *one = reconciler->tending == NULL ? NULL : reconciler->tending->first;

    for (; one != NULL; one = one->next) {
        one->is_release_granted = false;
    }
}

/* ---- how it ends ---- */

/* A pass makes the provider's call soon. */
static void release_pass_wake(const struct tended *tended)
{
    tended->tending->reconciler->is_woken = true;
    tended->tending->reconciler->is_node_due = true;
}

static void release_over(struct tended *tended, const char *type, struct text fact)
{
    struct node_state state = tended->state;

    state.is_released = true;
    state.retry_wall_ms = 0;
    state.step = TEXT("released");
    state.why = TEXT("");
    tended_change(tended, &state, type, fact);
    release_pass_wake(tended);
}

static void release_give_up(struct tended *tended, struct text why)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);

    release_over(tended, "node.traces_left",
                 arena_printf(arena, "%.*s; " RELEASE_REMAINS, TEXT_ARG(why)));
}

static void release_retry(struct tended *tended, const struct nodes_told *told)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct control *control = tended->tending->reconciler->control;
    unsigned doubles =
        tended->release_failures < RELEASE_DOUBLES ? tended->release_failures : RELEASE_DOUBLES;
    uint64_t ms = (uint64_t)RELEASE_RETRY_MS << doubles;
    struct node_state state = tended->state;
    struct text why = arena_printf(arena, "%s: %.*s", nodes_end_name(told->end),
                                   TEXT_ARG(record_sentence(arena, told->why)));
    bool is_known = text_is_equal(state.why, why);

    ms = control_jitter(control, ms < RELEASE_RETRY_MAX_MS ? ms : RELEASE_RETRY_MAX_MS);
    tended->release_failures++;
    tended->release_again_ms = tending_now(tended->tending) + ms;
    state.why = why;
    state.retry_wall_ms = control->ports.wall_ms(control->ports.arg) + (int64_t)ms;
    tended_change(tended, &state, is_known ? NULL : "node.release_pending", why);
}

static void release_told(void *arg, const struct nodes_told *told)
{
    struct tended_run *run = arg;
    struct tended *tended = run->tended;
    struct reconciler *reconciler = tended->tending->reconciler;

    if (reconciler->control->is_stopped) {
        return;
    }
    if (told->kind == NODES_TOLD_ALARM) {
        probes_alarm(reconciler, tended->token, told->host_key, told->why);
    }
    if (told->kind != NODES_TOLD_END) {
        return;
    }
    run->run = NULL;
    if (told->end == NODES_END_DONE) {
        AUTO(arena) arena = arena_new_small(SIZE_MAX);

        release_over(tended, "node.released",
                     told->why.length == 0
                         ? TEXT("")
                         : arena_printf(arena, "left, for they may be the owners': %.*s",
                                        TEXT_ARG(told->why)));
    } else {
        release_retry(tended, told);
    }
    tending_wake(tended->tending);
}

/* ---- how it begins ---- */

static void release_begin(struct tended *tended)
{
    const struct reconciler *reconciler = tended->tending->reconciler;
    const struct nodes_port *port = reconciler->control->ports.nodes;
    const struct fleet_group *group = fleet_group_find(reconciler->cluster, tended->group);
    struct nodes_order order = {
        .way = tended->way,
        .cluster_name = reconciler->cluster->name,
        .group = tended->group,
        .with = TEND_WITH_RELEASE,
    };

    order.way.cluster = reconciler->cluster->key;
    order.way.key_secret = group == NULL ? TEXT("") : group->key_secret;
    order.way.takes_first = false;
    order.way.is_operators = tended->way.is_operators || tended->state.is_operators;
    tended_drop_runs(tended);
    tended->release.tended = tended;
    tended->release.run = port->begin(port->arg, &order, release_told, &tended->release);
    if (tended->release.run == NULL) {
        tended->release_again_ms = tending_now(tended->tending) + RELEASE_RETRY_MS;
    }
}

/* The step is written before anything of it is done, with the time from which it counts. */
static void release_note(struct tended *tended)
{
    struct node_state state = tended->state;

    node_state_unblock(&state);
    state.leaving_ms = tending_now(tended->tending);
    state.step = TEXT("releasing");
    state.why = TEXT("");
    tended_change(tended, &state, "node.releasing", TEXT(""));
}

/* Has an operator said that nobody waits for it? */
static bool release_is_abandoned(const struct tended *tended)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct reconciler *reconciler = tended->tending->reconciler;
    const struct cache_object *object =
        cache_find(reconciler->control->cache, reconciler->cluster->tenant, TEXT(ABANDONED_KIND),
                   arena_printf(arena, "%.*s/%.*s", TEXT_ARG(reconciler->cluster->id),
                                TEXT_ARG(tended->token)));

    return object != NULL && object->parts[CACHE_BASE].bytes != NULL;
}

/* Returns when it is to be looked at again; 0: when something changes. */
static uint64_t release_decide(struct tended *tended)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control *control = tended->tending->reconciler->control;
    uint64_t patience_ms = control->options.limits.going_ms / 2;
    uint64_t now = tending_now(tended->tending);

    if (tended->state.leaving_ms == 0 || tended->state.leaving_ms > now) {
        release_note(tended);
    }
    if (tended->release.run != NULL) {
        return 0;
    }
    if (release_is_abandoned(tended)) {
        release_give_up(tended, arena_printf(arena, "given up by an operator%s%.*s",
                                             tended->state.why.length > 0 ? ", " : "",
                                             TEXT_ARG(tended->state.why)));
        return 0;
    }
    if (now - tended->state.leaving_ms >= patience_ms) {
        release_give_up(tended, arena_printf(arena, "given up after %llu s, %.*s",
                                             (unsigned long long)(patience_ms / 1000),
                                             TEXT_ARG(tended->state.why.length > 0
                                                          ? tended->state.why
                                                          : TEXT("it gave no answer"))));
        return 0;
    }
    if (now < tended->release_again_ms) {
        return time_earlier(tended->release_again_ms, tended->state.leaving_ms + patience_ms);
    }
    release_begin(tended);
    return tended->release.run == NULL ? tended->release_again_ms : 0;
}

uint64_t tending_release(struct tending *tending)
{
    uint64_t next_ms = 0;

    for (struct tended *one = tending->first; one != NULL; one = one->next) {
        if (one->is_going && one->is_release_granted && !one->state.is_released) {
            uint64_t at_ms = release_decide(one);

            next_ms = at_ms == 0 ? next_ms : time_earlier(next_ms, at_ms);
        }
    }
    return next_ms;
}
