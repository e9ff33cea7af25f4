#include "bootstrap/batches.h"

#include "base/time.h"

#include <assert.h>

/* public names start with: bootstrap_batches_ */

size_t bootstrap_batches_count(const char *marks, size_t count, enum bootstrap_mark mark)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        found += marks[i] == (char)mark;
    }
    return found;
}

bool bootstrap_batches_is_failure(char mark)
{
    return mark == BOOTSTRAP_MARK_FAILED || mark == BOOTSTRAP_MARK_LOST;
}

size_t bootstrap_batches_failures(const char *marks, size_t count)
{
    return bootstrap_batches_count(marks, count, BOOTSTRAP_MARK_FAILED) +
           bootstrap_batches_count(marks, count, BOOTSTRAP_MARK_LOST);
}

static size_t batch_first(const struct bootstrap_batches *batches, size_t batch)
{
    return batch == 0 ? 0 : batches->ends[batch - 1];
}

static bool has_mark(const struct bootstrap_batches *batches, size_t batch,
                     enum bootstrap_mark mark)
{
    size_t first = batch_first(batches, batch);

    return bootstrap_batches_count(batches->marks + first, batches->ends[batch] - first, mark) > 0;
}

/* True if any machine of the batch was started. Machines that no longer exist, or that were
 * skipped, do not count. */
static bool is_begun(const struct bootstrap_batches *batches, size_t batch)
{
    for (size_t i = batch_first(batches, batch); i < batches->ends[batch]; i++) {
        char mark = batches->marks[i];

        if (mark != BOOTSTRAP_MARK_WAITING && mark != BOOTSTRAP_MARK_GONE &&
            mark != BOOTSTRAP_MARK_SKIPPED) {
            return true;
        }
    }
    return false;
}

/* Return the first batch with a waiting machine; batch_count if there is none. */
static size_t next_find(const struct bootstrap_batches *batches)
{
    size_t batch = 0;

    while (batch < batches->batch_count && !has_mark(batches, batch, BOOTSTRAP_MARK_WAITING)) {
        batch++;
    }
    return batch;
}

/* Return the newest batch that has begun; batch_count if there is none. */
static size_t batches_newest_find(const struct bootstrap_batches *batches)
{
    size_t batch = batches->batch_count;

    while (batch > 0 && !is_begun(batches, batch - 1)) {
        batch--;
    }
    return batch == 0 ? batches->batch_count : batch - 1;
}

/* Return the machine that replaces the canaries of a rollout if all canaries were destroyed before
 * they began: the first remaining machine. It is the replacement until a second machine has begun.
 * Returns `count` if no replacement is needed. */
static size_t stand_in_find(const struct bootstrap_batches *batches)
{
    size_t canaries_end = batches->canaries == 0 ? 0 : batches->ends[batches->canaries - 1];
    size_t found = batches->count;
    bool has_begun = false;

    for (size_t i = 0; i < batches->count && canaries_end > 0 && batches->service != NULL; i++) {
        char mark = batches->marks[i];

        if (mark == BOOTSTRAP_MARK_GONE || mark == BOOTSTRAP_MARK_SKIPPED) {
            continue;
        }
        if (i < canaries_end || (mark != BOOTSTRAP_MARK_WAITING && has_begun)) {
            return batches->count;
        }
        if (mark != BOOTSTRAP_MARK_WAITING || found == batches->count) {
            found = i;
        }
        has_begun = has_begun || mark != BOOTSTRAP_MARK_WAITING;
    }
    return found;
}

/* True if the machine failed and no operator has approved that failure. */
static bool is_unapproved(const struct bootstrap_batches *batches, size_t at)
{
    return bootstrap_batches_is_failure(batches->marks[at]) && !batches->service->is_approved[at];
}

/* Return the number of unapproved failures in the first `end` machines. */
static size_t unapproved(const struct bootstrap_batches *batches, size_t end)
{
    size_t found = 0;

    for (size_t i = 0; i < end; i++) {
        found += is_unapproved(batches, i);
    }
    return found;
}

/* True if the number of failed members that are out of service has reached out_max. Then no ready
 * member can start any more. */
static bool is_room_lost(const struct bootstrap_batches *batches)
{
    size_t lost = 0;

    for (size_t i = 0; i < batches->count; i++) {
        lost += is_unapproved(batches, i) && batches->service->is_out[i];
    }
    return lost >= batches->service->out_max;
}

/* Decide whether a rollout must stop. The reason of an earlier stop is kept until an operator
 * resumes the rollout. A failure is a reason even if no machine waits. */
static enum bootstrap_cut rollout_cut(const struct bootstrap_batches *batches, size_t next)
{
    size_t canaries_end = batches->canaries == 0 ? 0 : batches->ends[batches->canaries - 1];
    size_t failed = bootstrap_batches_failures(batches->marks, batches->count);
    size_t stand_in = stand_in_find(batches);
    bool is_running =
        bootstrap_batches_count(batches->marks, batches->count, BOOTSTRAP_MARK_BEGUN) > 0;

    if (next == batches->batch_count && failed == 0) {
        /* All machines have the changed stages, possibly because of a repair, so nothing is left to
         * stop. */
        return BOOTSTRAP_CUT_NONE;
    }
    if (batches->cut != BOOTSTRAP_CUT_NONE || batches->is_cancelled) {
        return batches->cut != BOOTSTRAP_CUT_NONE ? batches->cut : BOOTSTRAP_CUT_CANCELLED;
    }
    if (next == batches->batch_count && failed > 0 && !is_running) {
        return BOOTSTRAP_CUT_FAILED;
    }
    if (unapproved(batches, canaries_end) > 0 ||
        (stand_in < batches->count && is_unapproved(batches, stand_in))) {
        return BOOTSTRAP_CUT_CANARY;
    }
    return (batches->max_fail > 0 && unapproved(batches, batches->count) >= batches->max_fail) ||
                   (!is_running && is_room_lost(batches))
               ? BOOTSTRAP_CUT_FAILED
               : BOOTSTRAP_CUT_NONE;
}

static enum bootstrap_cut batches_cut_find(const struct bootstrap_batches *batches, size_t next)
{
    size_t canaries_end = batches->canaries == 0 ? 0 : batches->ends[batches->canaries - 1];

    if (batches->service != NULL) {
        return rollout_cut(batches, next);
    }
    /* all machines have started, so a stop would prevent nothing */
    if (next == batches->batch_count) {
        return batches->cut;
    }
    return batches->is_cancelled                                          ? BOOTSTRAP_CUT_CANCELLED
           : bootstrap_batches_failures(batches->marks, canaries_end) > 0 ? BOOTSTRAP_CUT_CANARY
           : batches->max_fail > 0 &&
                   bootstrap_batches_failures(batches->marks, batches->count) >= batches->max_fail
               ? BOOTSTRAP_CUT_FAILED
           : batches->deadline_ms > 0 && batches->now_ms >= batches->deadline_ms
               ? BOOTSTRAP_CUT_DEADLINE
               : BOOTSTRAP_CUT_NONE;
}

/* True if the pause after the newest batch is over. Called when all machines of that batch have
 * ended. */
static bool has_rested(const struct bootstrap_batches *batches, size_t newest,
                       struct bootstrap_batches_step *out)
{
    bool is_baked = (batches->canaries > 0 && newest == batches->canaries - 1) ||
                    stand_in_find(batches) < batches->count;
    uint64_t wait_ms = is_baked ? batches->bake_ms : batches->pause_ms;

    if (wait_ms == 0) {
        return true;
    }
    out->rest_ms = batches->rest_ms > 0 && batches->rest_ms <= batches->now_ms ? batches->rest_ms
                                                                               : batches->now_ms;
    if (batches->now_ms - out->rest_ms >= wait_ms) {
        return true;
    }
    out->state = batches->is_paused ? BOOTSTRAP_BATCHES_PAUSED : BOOTSTRAP_BATCHES_RESTING;
    out->until_ms = time_earlier(out->rest_ms + wait_ms, batches->deadline_ms);
    return false;
}

/* Starts those waiting machines of a batch that may start. At least one machine of the batch must
 * be waiting. */
static void batches_batch_begin(const struct bootstrap_batches *batches, size_t next,
                                struct bootstrap_batches_step *out)
{
    out->first = batch_first(batches, next);
    out->end = batches->ends[next];
    out->batch = next;
    out->rest_ms = 0;
}

/* ---- rollouts in place ---- */

static bool is_out(const struct bootstrap_batches *batches, size_t at)
{
    char mark = batches->marks[at];

    if (mark == BOOTSTRAP_MARK_BEGUN || mark == BOOTSTRAP_MARK_LOST) {
        /* An unreachable machine keeps its rollout slot, and starts as soon as it can be reached
         * again. */
        return true;
    }
    if (mark == BOOTSTRAP_MARK_GONE) {
        /* The caller counts the slot of this machine in out_others. */
        return false;
    }
    return batches->service->is_out[at];
}

/* Return how many ready members may start now. */
static size_t room_find(const struct bootstrap_batches *batches)
{
    size_t out = batches->service->out_others;

    for (size_t i = 0; i < batches->count; i++) {
        bool is_approved =
            batches->marks[i] == BOOTSTRAP_MARK_FAILED && batches->service->is_approved[i];

        out += !is_approved && is_out(batches, i);
    }
    return batches->service->out_max > out ? batches->service->out_max - out : 0;
}

/* Start members of the batch `next`, which has waiting members; all batches before it have ended.
 * If too many members are out of service for any of them to start, members of later batches that
 * are already out of service start instead. Returns false if none can start. */
static bool slots_begin(const struct bootstrap_batches *batches, size_t next,
                        struct bootstrap_batches_step *out)
{
    size_t room;
    size_t stand_in = stand_in_find(batches);
    bool is_canary = false;
    bool is_any = false;

    batches_batch_begin(batches, next, out);
    if (stand_in < batches->count && batches->marks[stand_in] == BOOTSTRAP_MARK_WAITING) {
        out->first = stand_in;
        out->end = stand_in + 1;
        is_canary = true;
    }
    out->room = room_find(batches);
    for (int i = 0; i < 2 && !is_any; i++) {
        room = out->room;
        for (size_t at = out->first; at < out->end && !is_any; at++) {
            is_any = bootstrap_batches_begins(batches, out, at, &room);
        }
        if (!is_any && i == 0 && next >= batches->canaries && !is_canary) {
            out->end = batches->count;
        }
    }
    if (!is_any) {
        out->first = out->end = 0;
    }
    return is_any;
}

bool bootstrap_batches_begins(const struct bootstrap_batches *batches,
                              const struct bootstrap_batches_step *step, size_t at, size_t *room)
{
    if (at < step->first || at >= step->end || batches->marks[at] != BOOTSTRAP_MARK_WAITING) {
        return false;
    }
    if (batches->service == NULL || batches->service->is_out[at]) {
        return true;
    }
    if (*room == 0) {
        return false;
    }
    (*room)--;
    return true;
}

/* True if one of the first `end` machines still runs or has not become healthy. */
static bool is_any_open(const struct bootstrap_batches *batches, size_t end)
{
    return bootstrap_batches_count(batches->marks, end, BOOTSTRAP_MARK_BEGUN) +
               bootstrap_batches_count(batches->marks, end, BOOTSTRAP_MARK_UNHEALTHY) >
           0;
}

/* Decide about the next batch of a rollout. A batch begins in steps, each with as many machines as
 * may be out of service at the same time. */
static void slots_decide(const struct bootstrap_batches *batches, size_t next, size_t newest,
                         struct bootstrap_batches_step *out)
{
    bool is_amid = next == newest && is_begun(batches, next);
    size_t stand_in = stand_in_find(batches);
    size_t open_end = stand_in < batches->count ? batches->count : batch_first(batches, next);

    if (is_any_open(batches, open_end)) {
        return;
    }
    is_amid = is_amid && stand_in == batches->count;
    if (!is_amid && newest < batches->batch_count && !has_rested(batches, newest, out)) {
        return;
    }
    if (!batches->is_paused && slots_begin(batches, next, out)) {
        out->state = BOOTSTRAP_BATCHES_RUNNING;
    }
}

void bootstrap_batches_decide(const struct bootstrap_batches *batches,
                              struct bootstrap_batches_step *out)
{
    size_t next = next_find(batches);
    size_t newest = batches_newest_find(batches);
    bool is_any = newest < batches->batch_count;
    bool is_running =
        bootstrap_batches_count(batches->marks, batches->count, BOOTSTRAP_MARK_BEGUN) > 0;

    assert(batches->batch_count > 0 && batches->ends[batches->batch_count - 1] == batches->count);
    *out = (struct bootstrap_batches_step){ .batch = is_any ? newest : 0,
                                            .cut = batches_cut_find(batches, next) };
    if (batches->service != NULL && next == batches->batch_count &&
        out->cut == BOOTSTRAP_CUT_NONE && is_any_open(batches, batches->count)) {
        out->state = BOOTSTRAP_BATCHES_RUNNING;
        return;
    }
    if (batches->service != NULL && out->cut != BOOTSTRAP_CUT_NONE && !is_running) {
        out->state = BOOTSTRAP_BATCHES_HELD;
        return;
    }
    if (out->cut != BOOTSTRAP_CUT_NONE || next == batches->batch_count) {
        out->state = is_running ? (out->cut != BOOTSTRAP_CUT_NONE ? BOOTSTRAP_BATCHES_STOPPING
                                                                  : BOOTSTRAP_BATCHES_RUNNING)
                                : BOOTSTRAP_BATCHES_OVER;
        return;
    }
    out->state = batches->is_paused ? BOOTSTRAP_BATCHES_PAUSED : BOOTSTRAP_BATCHES_RUNNING;
    out->until_ms = batches->deadline_ms;
    if (batches->service != NULL) {
        slots_decide(batches, next, newest, out);
        return;
    }
    if (is_running) {
        return;
    }
    if ((!is_any || has_rested(batches, newest, out)) && !batches->is_paused) {
        out->state = BOOTSTRAP_BATCHES_RUNNING;
        batches_batch_begin(batches, next, out);
    }
}
