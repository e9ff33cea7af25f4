#include "voting/voting_etcd.h"

#include <assert.h>

/* A learner that lacks at most this many entries of the log has caught up. etcd checks again before
 * it promotes a learner. */
enum { CAUGHT_UP_LAG = 1000, CHANGE_MS = 5000 };

struct voting_etcd {
    struct voting_etcd_options options;
    struct arena *memory;
    struct etcd_members *link; /* NULL: no change was begun since the latest one ended */
    struct loop_descriptor *ready;
    struct loop_task *closing; /* closes the link outside of its own callback */
    struct loop_task *failing; /* reports a link that could not be opened */
    voting_changed *changed;   /* NULL: no change is in progress */
    void *changed_arg;
    struct err err;
};

static void voting_etcd_close(struct voting_etcd *it)
{
    loop_descriptor_close(it->ready);
    it->ready = NULL;
    etcd_members_close(it->link);
    it->link = NULL;
}

static void voting_etcd_closing(void *arg)
{
    struct voting_etcd *it = arg;

    it->closing = NULL;
    voting_etcd_close(it);
}

static void voting_etcd_report(struct voting_etcd *it, bool is_done, bool is_certain, uint64_t id)
{
    voting_changed *changed = it->changed;

    it->changed = NULL;
    changed(it->changed_arg, is_done, is_certain, id, it->err.text);
}

static void voting_etcd_answered(void *arg, const struct etcd_members_answer *answer)
{
    struct voting_etcd *it = arg;
    struct err err;

    it->err = answer->err;
    /* without a task, the link is closed before the next change */
    (void)!loop_task_open(it->options.loop, voting_etcd_closing, it, &it->closing, &err);
    voting_etcd_report(it, answer->outcome == OUTCOME_OK, answer->outcome != OUTCOME_UNKNOWN,
                       answer->added);
}

static void voting_etcd_failing(void *arg)
{
    struct voting_etcd *it = arg;

    it->failing = NULL;
    voting_etcd_report(it, false, true, 0);
}

static void voting_etcd_ready(void *arg, unsigned events)
{
    struct voting_etcd *it = arg;

    (void)events;
    etcd_members_run(it->link);
}

/* Opens a link to all members; for a move of the leader, to the leader alone. */
MUST_CHECK static bool voting_etcd_open(struct voting_etcd *it, bool is_to_leader)
{
    struct etcd_options etcd = it->options.etcd;
    const char *endpoint = members_view_leader_endpoint(it->options.members_view);

    loop_task_cancel(it->closing);
    it->closing = NULL;
    voting_etcd_close(it);
    etcd.call_timeout_ms = CHANGE_MS;
    if (is_to_leader && endpoint != NULL) {
        etcd.endpoints = &endpoint;
        etcd.endpoint_count = 1;
    }
    if (!etcd_members_open(&etcd, 0, &it->link, &it->err)) {
        return false;
    }
    if (!loop_descriptor_open(it->options.loop, etcd_members_descriptor(it->link),
                              voting_etcd_ready, it, &it->ready, &it->err)) {
        voting_etcd_close(it);
        return false;
    }
    loop_descriptor_want(it->ready, LOOP_READABLE);
    return true;
}

void voting_etcd_change(struct voting_etcd *it, enum plan_voters_kind kind, uint64_t member,
                        struct text peer, voting_changed *changed, void *changed_arg)
{
    struct err err;

    assert(it->changed == NULL && kind != PLAN_VOTERS_NONE);
    it->changed = changed;
    it->changed_arg = changed_arg;
    if (!voting_etcd_open(it, kind == PLAN_VOTERS_MOVE_LEADER)) {
        if (!loop_task_open(it->options.loop, voting_etcd_failing, it, &it->failing, &err)) {
            assert(false && "a loop without room for a task cannot run");
        }
        return;
    }
    switch (kind) {
    case PLAN_VOTERS_ADD:
        etcd_members_add(it->link, peer, voting_etcd_answered, it);
        break;
    case PLAN_VOTERS_PROMOTE:
        etcd_members_promote(it->link, member, voting_etcd_answered, it);
        break;
    case PLAN_VOTERS_REMOVE:
        etcd_members_remove(it->link, member, voting_etcd_answered, it);
        break;
    case PLAN_VOTERS_MOVE_LEADER:
    case PLAN_VOTERS_NONE:
    case PLAN_VOTERS_KIND_COUNT:
        etcd_members_move_leader(it->link, member, voting_etcd_answered, it);
        break;
    }
}

size_t voting_etcd_members(const struct voting_etcd *it,
                           struct voting_row out[static VOTING_MEMBERS_MAX], uint64_t *out_leader)
{
    size_t count = members_view_count(it->options.members_view);

    *out_leader = 0;
    count = count < VOTING_MEMBERS_MAX ? count : VOTING_MEMBERS_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct members_view_member *member = members_view_at(it->options.members_view, i);

        *out_leader = member->is_leader ? member->row.id : *out_leader;
        out[i] =
            (struct voting_row){ .id = member->row.id,
                                 .name = member->row.name,
                                 .peer = member->row.peer,
                                 .client = member->row.client,
                                 .is_learner = member->row.is_learner,
                                 .is_caught_up = member->is_heard && member->lag <= CAUGHT_UP_LAG,
                                 .is_heard = member->is_heard,
                                 .heard_ms = member->heard_ms };
    }
    return count;
}

void voting_etcd_reach_set(struct voting_etcd *it, const struct etcd_options *etcd)
{
    it->options.etcd = *etcd;
}

struct voting_etcd *voting_etcd_new(const struct voting_etcd_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct voting_etcd *it = arena_one(memory, struct voting_etcd);

    *it = (struct voting_etcd){ .options = *options, .memory = memory };
    return it;
}

void voting_etcd_free(struct voting_etcd *it)
{
    if (it != NULL) {
        loop_task_cancel(it->closing);
        loop_task_cancel(it->failing);
        voting_etcd_close(it);
        arena_free(it->memory);
    }
}
