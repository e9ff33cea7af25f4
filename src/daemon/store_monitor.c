#include "daemon/store_monitor.h"

#include "base/limits.h"
#include "base/time.h"

#include <assert.h>

/* Of no tenant that anybody can name, and of no kind that is shown or watched. */
#define PROBE_KEY "/_/Manager/probe/base"

static void tried(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct trouble *trouble = arg;

    (void)outcome; /* the store's status says it */
    (void)answer;
    trouble->is_trying = false;
}

static void try_now(struct trouble *trouble)
{
    char now[TIME_TEXT_BYTES];
    struct store_op op = { .key = TEXT(PROBE_KEY) };

    time_format(clock_wall_ms(trouble->clock), now);
    op.value = text_from(now);
    trouble->tried_ms = clock_monotonic_ms(trouble->clock);
    trouble->is_trying = true;
    store_txn(trouble->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, tried, trouble);
}

static void trouble_begin(struct trouble *trouble, uint64_t now_ms, const struct err *why)
{
    log_error(trouble->log, "store", "not_writable", log_string("code", code_get(why->code)->name),
              log_string("reason", why->text));
    trouble->is_told = true;
    trouble->began_ms = now_ms;
    trouble->tried_ms = now_ms;
    trouble->why = *why;
}

static void trouble_end(struct trouble *trouble, uint64_t now_ms, uint64_t revision)
{
    log_info(trouble->log, "store", "writable", log_int("revision", (int64_t)revision),
             log_int("ms", (int64_t)(now_ms - trouble->began_ms)),
             log_string("was", trouble->why.text));
    trouble->is_told = false;
}

void trouble_look(struct trouble *trouble)
{
    uint64_t now_ms = clock_monotonic_ms(trouble->clock);
    struct store_status status;
    bool is_refused;

    assert(trouble->store != NULL);
    store_status(trouble->store, &status);
    is_refused = !status.is_writable || status.refusals != trouble->refusals;
    trouble->refusals = status.refusals;
    if (is_refused) {
        trouble->refused_ms = now_ms;
    }
    if (is_refused && !trouble->is_told) {
        trouble_begin(trouble, now_ms, status.is_writable ? &status.refusal : &status.trouble);
    } else if (trouble->is_told && now_ms - trouble->refused_ms >= LIMIT_STORE_QUIET_MS) {
        trouble_end(trouble, now_ms, status.revision);
    }
    if (!status.is_writable && !status.is_held && !trouble->is_trying &&
        now_ms - trouble->tried_ms >= LIMIT_STORE_RETRY_MS) {
        try_now(trouble);
    }
}
