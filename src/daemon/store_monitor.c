#include "base/limits.h"
#include "base/time.h"
#include "daemon/daemon_parts.h"

#include <assert.h>

/* A key in a tenant that clients cannot access. Its kind is neither shown nor watched. */
#define PROBE_KEY "/_/Manager/probe/base"

static void tried(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct store_monitor *store_monitor = arg;

    (void)outcome; /* the status of the store has the result */
    (void)answer;
    store_monitor->is_trying = false;
}

static void try_now(struct store_monitor *store_monitor)
{
    char now[TIME_TEXT_BYTES];
    struct store_op op = { .key = TEXT(PROBE_KEY) };

    time_format(clock_wall_ms(store_monitor->clock), now);
    op.value = text_from(now);
    store_monitor->tried_ms = clock_monotonic_ms(store_monitor->clock);
    store_monitor->is_trying = true;
    store_txn(store_monitor->store, &(struct store_txn){ .ops = &op, .op_count = 1 }, tried,
              store_monitor);
}

static void problem_begin(struct store_monitor *store_monitor, uint64_t now_ms,
                          const struct err *why)
{
    log_error(store_monitor->log, "store", "not_writable",
              log_string("code", code_get(why->code)->name), log_string("reason", why->text));
    store_monitor->is_reported = true;
    store_monitor->began_ms = now_ms;
    store_monitor->tried_ms = now_ms;
    store_monitor->why = *why;
}

static void store_monitor_problem_end(struct store_monitor *store_monitor, uint64_t now_ms,
                                      uint64_t revision)
{
    log_info(store_monitor->log, "store", "writable", log_int("revision", (int64_t)revision),
             log_int("ms", (int64_t)(now_ms - store_monitor->began_ms)),
             log_string("was", store_monitor->why.text));
    store_monitor->is_reported = false;
}

void store_monitor_check(struct store_monitor *store_monitor)
{
    uint64_t now_ms = clock_monotonic_ms(store_monitor->clock);
    struct store_status status;
    bool is_refused;

    assert(store_monitor->store != NULL);
    store_status(store_monitor->store, &status);
    is_refused = !status.is_writable || status.refusals != store_monitor->refusals;
    store_monitor->refusals = status.refusals;
    if (is_refused) {
        store_monitor->refused_ms = now_ms;
    }
    if (is_refused && !store_monitor->is_reported) {
        problem_begin(store_monitor, now_ms,
                      status.is_writable ? &status.refusal : &status.problem);
    } else if (store_monitor->is_reported &&
               now_ms - store_monitor->refused_ms >= LIMIT_STORE_QUIET_MS) {
        store_monitor_problem_end(store_monitor, now_ms, status.revision);
    }
    if (!status.is_writable && !status.is_held && !store_monitor->is_trying &&
        now_ms - store_monitor->tried_ms >= LIMIT_STORE_RETRY_MS) {
        try_now(store_monitor);
    }
}
