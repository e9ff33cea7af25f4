#include "tend/batches.h"

#include "base/time.h"

#include <assert.h>

/* names: tend_batches_ */

size_t tend_batches_count(const char *marks, size_t count, enum tend_mark mark)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        found += marks[i] == (char)mark;
    }
    return found;
}

static size_t failures(const char *marks, size_t count)
{
    return tend_batches_count(marks, count, TEND_MARK_FAILED) +
           tend_batches_count(marks, count, TEND_MARK_LOST);
}

static size_t batch_first(const struct tend_batches *batches, size_t batch)
{
    return batch == 0 ? 0 : batches->ends[batch - 1];
}

static bool has_mark(const struct tend_batches *batches, size_t batch, enum tend_mark mark)
{
    size_t first = batch_first(batches, batch);

    return tend_batches_count(batches->marks + first, batches->ends[batch] - first, mark) > 0;
}

/* Has anything of it been begun? A machine that has gone meanwhile says nothing of that, nor one that was skipped. */
static bool is_begun(const struct tend_batches *batches, size_t batch)
{
    for (size_t i = batch_first(batches, batch); i < batches->ends[batch]; i++) {
        char mark = batches->marks[i];

        if (mark != TEND_MARK_WAITING && mark != TEND_MARK_GONE && mark != TEND_MARK_SKIPPED) {
            return true;
        }
    }
    return false;
}

/* The first batch of which something is still to be begun; batch_count: none. */
static size_t next_find(const struct tend_batches *batches)
{
    size_t batch = 0;

    while (batch < batches->batch_count && !has_mark(batches, batch, TEND_MARK_WAITING)) {
        batch++;
    }
    return batch;
}

/* The newest that has begun; batch_count: none. */
static size_t newest_find(const struct tend_batches *batches)
{
    size_t batch = batches->batch_count;

    while (batch > 0 && !is_begun(batches, batch - 1)) {
        batch--;
    }
    return batch == 0 ? batches->batch_count : batch - 1;
}

static enum tend_cut cut_find(const struct tend_batches *batches, size_t next)
{
    size_t canaries_end = batches->canaries == 0 ? 0 : batches->ends[batches->canaries - 1];

    if (next == batches->batch_count) { /* with a cut nobody waits any more */
        return batches->cut;
    }
    return batches->is_cancelled                        ? TEND_CUT_CANCELLED
           : failures(batches->marks, canaries_end) > 0 ? TEND_CUT_CANARY
           : batches->max_fail > 0 && failures(batches->marks, batches->count) >= batches->max_fail
               ? TEND_CUT_FAILED
           : batches->deadline_ms > 0 && batches->now_ms >= batches->deadline_ms ? TEND_CUT_DEADLINE
                                                                                 : TEND_CUT_NONE;
}

/* All of the newest batch have ended: is the time behind it over? */
static bool has_rested(const struct tend_batches *batches, size_t newest,
                       struct tend_batches_step *out)
{
    bool is_baked = batches->canaries > 0 && newest == batches->canaries - 1;
    uint64_t wait_ms = is_baked ? batches->bake_ms : batches->pause_ms;

    if (wait_ms == 0) {
        return true;
    }
    out->rest_ms = batches->rest_ms > 0 && batches->rest_ms <= batches->now_ms ? batches->rest_ms
                                                                               : batches->now_ms;
    if (batches->now_ms - out->rest_ms >= wait_ms) {
        return true;
    }
    out->state = batches->is_paused ? TEND_BATCHES_PAUSED : TEND_BATCHES_RESTING;
    out->until_ms = time_earlier(out->rest_ms + wait_ms, batches->deadline_ms);
    return false;
}

/* One is left of it that has not begun, and nothing keeps it from that. */
static void batch_begin(const struct tend_batches *batches, size_t next,
                        struct tend_batches_step *out)
{
    out->first = batch_first(batches, next);
    out->end = batches->ends[next];
    out->batch = next;
    out->rest_ms = 0;
}

void tend_batches_decide(const struct tend_batches *batches, struct tend_batches_step *out)
{
    size_t next = next_find(batches);
    size_t newest = newest_find(batches);
    bool is_any = newest < batches->batch_count;
    bool is_running = tend_batches_count(batches->marks, batches->count, TEND_MARK_BEGUN) > 0;

    assert(batches->batch_count > 0 && batches->ends[batches->batch_count - 1] == batches->count);
    *out =
        (struct tend_batches_step){ .batch = is_any ? newest : 0, .cut = cut_find(batches, next) };
    if (out->cut != TEND_CUT_NONE || next == batches->batch_count) {
        out->state =
            is_running ? (out->cut != TEND_CUT_NONE ? TEND_BATCHES_STOPPING : TEND_BATCHES_RUNNING)
                       : TEND_BATCHES_OVER;
        return;
    }
    out->state = batches->is_paused ? TEND_BATCHES_PAUSED : TEND_BATCHES_RUNNING;
    out->until_ms = batches->deadline_ms;
    if (is_running) {
        return;
    }
    if ((!is_any || has_rested(batches, newest, out)) && !batches->is_paused) {
        out->state = TEND_BATCHES_RUNNING;
        batch_begin(batches, next, out);
    }
}
