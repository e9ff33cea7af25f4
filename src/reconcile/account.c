#include "base/limits.h"
#include "reconcile/control_parts.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: account_ accounts_ line_ */

/* Rate limiter and circuit breaker of a provider. Calls wait in queues, one for each reconciler.
 * The queues take turns, so that a large cluster does not delay small clusters. A queued call is
 * never lost: its intent is committed, so the next lease holder finds it. */

/* Number of units of the bucket for one call. The bucket is refilled each millisecond. */
enum { BUCKET_PART = 1000 };

enum { PROBLEM_BYTES = 160 };

struct line {
    /* The next queue in the turn order of the account. NULL: the queue is the last one, or
     * empty. */
    struct line *next;
    struct line *next_of_reconciler;
    struct account *account;
    struct call *first;
    struct call **last;
};

struct account {
    struct account *next;
    struct control *control;
    struct provider *provider;
    struct line *first; /* the queue that is next in turn */
    struct line **last;
    size_t under_way;
    uint64_t bucket; /* calls that may start now, in units of 1/BUCKET_PART of a call */
    uint64_t filled_ms;
    uint64_t quiet_until_ms;    /* Until this time the provider has throttled calls. */
    uint64_t unlisted_until_ms; /* The provider throttles listings until this time. */
    unsigned failures;          /* number of consecutive failures */
    unsigned pauses;            /* number of consecutive pauses */
    uint64_t closed_until_ms;
    bool is_closed;
    bool is_tried; /* The first call after the last pause, which tests the account, has started. */
    char problem[PROBLEM_BYTES];
};

static uint64_t account_now_of(const struct account *account)
{
    return account->control->ports.now_ms(account->control->ports.arg);
}

struct account *account_of(struct control *control, struct provider *provider)
{
    struct account *account = control->accounts;

    while (account != NULL && account->provider != provider) {
        account = account->next;
    }
    if (account == NULL) {
        account = arena_one(control->memory, struct account);
        *account =
            (struct account){ .next = control->accounts, .control = control, .provider = provider };
        account->last = &account->first;
        account->filled_ms = account_now_of(account);
        account->bucket = (uint64_t)provider->traits.calls_per_s * BUCKET_PART;
        control->accounts = account;
    }
    return account;
}

struct provider *account_provider(const struct account *account)
{
    return account->provider;
}

/* ---- failures ---- */

/* True if the failure concerns the account and not only this request. */
static bool is_failure(enum outcome outcome, enum provider_fault fault)
{
    return outcome == OUTCOME_UNKNOWN ||
           (outcome == OUTCOME_REFUSED &&
            (fault == PROVIDER_FAULT_AUTH || fault == PROVIDER_FAULT_TRANSIENT));
}

/* Pauses the account. The pause grows with each failure and is randomised. */
static void account_close(struct account *account)
{
    uint64_t ms = 1000;

    for (unsigned i = 0; i < account->pauses && ms < LIMIT_ACCOUNT_PAUSE_MS; i++) {
        ms *= 2;
    }
    ms = ms < LIMIT_ACCOUNT_PAUSE_MS ? ms : LIMIT_ACCOUNT_PAUSE_MS;
    account->is_closed = true;
    account->is_tried = false;
    account->pauses++;
    account->closed_until_ms = account_now_of(account) + control_jitter(account->control, ms);
}

void account_reported(struct account *account, enum outcome outcome,
                      const struct provider_answer *answer)
{
    if (outcome == OUTCOME_REFUSED && answer->fault == PROVIDER_FAULT_THROTTLED) {
        uint64_t ms = answer->retry_ms > 0 ? answer->retry_ms : 1000;

        account->quiet_until_ms = account_now_of(account) +
                                  (ms < LIMIT_CONTROL_BACKOFF_MS ? ms : LIMIT_CONTROL_BACKOFF_MS);
    }
    if (!is_failure(outcome, answer->fault)) {
        account->is_closed = false;
        account->failures = 0;
        account->pauses = 0;
        return;
    }
    snprintf(account->problem, PROBLEM_BYTES, "%.*s", TEXT_ARG(answer->message));
    account->failures++;
    if (account->is_closed ? account->is_tried : account->failures >= LIMIT_ACCOUNT_FAILURES) {
        account_close(account);
    }
}

bool account_is_open(struct account *account, struct arena *arena, struct text *out)
{
    uint64_t now = account_now_of(account);

    if (!account->is_closed) {
        return true;
    }
    if (now >= account->closed_until_ms && !account->is_tried) {
        account->is_tried = true;
        return true;
    }
    if (out != NULL) {
        uint64_t left = now < account->closed_until_ms ? account->closed_until_ms - now : 0;

        *out = arena_printf(
            arena, "the plugin has failed %u times in a row%s%s; the next call is in %llu s",
            account->failures, account->problem[0] == '\0' ? "" : ": ", account->problem,
            (unsigned long long)((left + 999) / 1000));
    }
    return false;
}

bool account_may_list(struct account *account, struct arena *arena, struct text *out)
{
    uint64_t now = account_now_of(account);

    if (now >= account->unlisted_until_ms) {
        return account_is_open(account, arena, out);
    }
    *out = arena_printf(arena, "the plugin limits listings; the next listing is in %llu s",
                        (unsigned long long)(account->unlisted_until_ms - now + 999) / 1000);
    return false;
}

void account_listing_reported(struct account *account, enum outcome outcome,
                              const struct provider_answer *answer)
{
    account_reported(account, outcome, answer);
    if (outcome == OUTCOME_REFUSED && answer->fault == PROVIDER_FAULT_THROTTLED) {
        account->unlisted_until_ms = account->quiet_until_ms;
    }
}

/* ---- queues ---- */

static struct line *line_of(struct account *account, struct reconciler *reconciler)
{
    struct line *line = reconciler->lines;

    while (line != NULL && line->account != account) {
        line = line->next_of_reconciler;
    }
    if (line == NULL) {
        line = arena_one(account->control->memory, struct line);
        *line = (struct line){ .account = account, .next_of_reconciler = reconciler->lines };
        line->last = &line->first;
        reconciler->lines = line;
    }
    return line;
}

static void line_append(struct line *line)
{
    struct account *account = line->account;

    line->next = NULL;
    *account->last = line;
    account->last = &line->next;
}

void account_put(struct account *account, struct call *call)
{
    struct line *line = line_of(account, call->reconciler);

    if (line->first == NULL) {
        line_append(line);
    }
    call->after = NULL;
    *line->last = call;
    line->last = &call->after;
}

void account_call_ended(struct account *account)
{
    assert(account->under_way > 0);
    account->under_way--;
}

/* Takes the next call of the first queue, and moves that queue to the end of the turn order. */
static struct call *account_call_take(struct account *account)
{
    struct line *line = account->first;
    struct call *call = line->first;

    account->first = line->next;
    if (account->first == NULL) {
        account->last = &account->first;
    }
    line->first = call->after;
    if (line->first == NULL) {
        line->last = &line->first;
    } else {
        line_append(line);
    }
    return call;
}

static void line_remove(struct line *line)
{
    struct account *account = line->account;
    struct line **at = &account->first;

    while (*at != line) {
        at = &(*at)->next;
    }
    *at = line->next;
    if (line->next == NULL) {
        account->last = at;
    }
}

/* Records that the call was not sent. A later call for the record then need not assume that this
 * call had an effect. */
static void unsent_note(const struct call *call)
{
    struct fleet_machine *machine =
        fleet_machine_find(call->reconciler->cluster, call->intent.token);

    if (machine != NULL && call->kind == CALL_CREATE) {
        machine->is_unsent = true;
    }
    if (machine != NULL && call->kind == CALL_REBOOT) {
        machine->is_reboot_unsent = true;
    }
}

void account_drop(struct reconciler *reconciler)
{
    for (struct line *line = reconciler->lines; line != NULL; line = line->next_of_reconciler) {
        struct call *call = line->first;

        if (call != NULL) {
            line_remove(line);
        }
        line->first = NULL;
        line->last = &line->first;
        for (struct call *after; call != NULL; call = after) {
            after = call->after;
            unsent_note(call);
            call_free(call);
        }
    }
}

void accounts_drop(struct control *control)
{
    for (struct account *account = control->accounts; account != NULL; account = account->next) {
        while (account->first != NULL) {
            struct call *call = account_call_take(account);
            struct reconciler *reconciler = call->reconciler;

            call_free(call);
            reconciler->is_woken = true;
            if (reconciler->step == RECONCILER_IDLE) {
                control_schedule(reconciler, 0);
            }
        }
    }
}

/* ---- scheduling ---- */

static void bucket_fill(struct account *account, uint64_t now)
{
    uint64_t most = (uint64_t)account->provider->traits.calls_per_s * BUCKET_PART;
    uint64_t came = (now - account->filled_ms) * account->provider->traits.calls_per_s;

    account->filled_ms = now;
    account->bucket = account->bucket + came < most ? account->bucket + came : most;
}

/* Returns the time at which the next call may start. `now` or earlier: it may start immediately. */
static uint64_t account_due(struct account *account, uint64_t now)
{
    const struct provider_traits *traits = &account->provider->traits;
    size_t most = traits->calls_max == 0 ? LIMIT_ACCOUNT_CALLS : traits->calls_max;

    if (account->first == NULL || account->under_way >= most ||
        (account->is_closed && account->is_tried)) {
        return UINT64_MAX; /* the answer to a running call must come first */
    }
    if (account->is_closed && now < account->closed_until_ms) {
        return account->closed_until_ms;
    }
    if (now < account->quiet_until_ms) {
        return account->quiet_until_ms;
    }
    if (traits->calls_per_s > 0 && account->bucket < BUCKET_PART) {
        return now +
               (BUCKET_PART - account->bucket + traits->calls_per_s - 1) / traits->calls_per_s;
    }
    return now;
}

/* True if the lease changed hands after the call was decided. A new pass must then decide again. */
static bool is_stale(const struct call *call)
{
    const struct plan_limits *limits = &call->reconciler->control->options.limits;

    return call->intent.epoch != call->reconciler->epoch && GUARD(limits, G10) &&
           !BUG(limits, BUG_QUEUE_KEPT);
}

static uint64_t account_run(struct account *account, uint64_t now)
{
    uint64_t due;

    if (account->first == NULL) {
        return UINT64_MAX;
    }
    bucket_fill(account, now);
    while ((due = account_due(account, now)) <= now) {
        struct call *call = account_call_take(account);

        if (is_stale(call)) {
            call_free(call);
            continue;
        }
        /* after a pause, this call tests the account (circuit breaker) */
        (void)account_is_open(account, NULL, NULL);
        if (account->provider->traits.calls_per_s > 0) {
            account->bucket -= BUCKET_PART;
        }
        account->under_way++;
        call_make(call);
    }
    return due;
}

uint64_t accounts_run(struct control *control)
{
    uint64_t now = control->ports.now_ms(control->ports.arg);
    uint64_t due = UINT64_MAX;

    if (control->is_stopped) {
        return due;
    }
    for (struct account *account = control->accounts; account != NULL; account = account->next) {
        uint64_t next = account_run(account, now);

        due = next < due ? next : due;
    }
    return due;
}
