#include "base/limits.h"
#include "leases/leases_parts.h"
#include "managers/lease.h"

#include <assert.h>
#include <stdio.h>

/* public names start with: handover_ */

/* Hands clusters over to other managers, one by one.
 *
 * Normal case: no new pass begins. When the active calls have ended and their outcomes are
 * committed, the lease is written without a session, but with the name of the next manager. This
 * manager then drops its state of the cluster. Runs on nodes continue there; the next lease holder
 * finds them.
 *
 * Failures: if a call does not end within HANDOVER_CALLS_MS, the next lease holder continues with
 * it, as after the end of a process: its intent is committed. If the lease cannot be written, this
 * manager keeps the cluster. */

enum { HANDOVER_CALLS_MS = 10000, HANDOVER_LOOK_MS = 100 };

void handover_begin(void *arg, struct fleet_cluster *cluster, struct text next, struct text reason)
{
    struct leases *leases = arg;
    struct reconciler *reconciler = cluster->reconciler;
    struct leasing *leasing;

    if (reconciler == NULL || reconciler->epoch == 0) {
        assignment_left(leases->assignment, cluster);
        return;
    }
    leasing = &reconciler->leasing;
    assert(!leasing->is_leaving && next.length < sizeof(leasing->to));
    snprintf(leasing->to, sizeof(leasing->to), "%.*s", TEXT_ARG(next));
    snprintf(leasing->reason, sizeof(leasing->reason), "%.*s", TEXT_ARG(reason));
    leasing->since_ms = leases->control->ports.now_ms(leases->control->ports.arg);
    leasing->is_leaving = true;
    leasing->is_sent = false;
    leasing->next = leases->leaving;
    leases->leaving = reconciler;
    account_drop(reconciler); /* queued calls have not been sent, so they can be dropped */
}

static void handover_end(struct reconciler *reconciler)
{
    struct leases *leases = reconciler->control->leases;
    struct reconciler **link = &leases->leaving;

    while (*link != reconciler) {
        link = &(*link)->leasing.next;
    }
    *link = reconciler->leasing.next;
    reconciler->leasing.is_leaving = false;
    reconciler->leasing.is_sent = false;
    assignment_left(leases->assignment, reconciler->cluster);
}

static void handover_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reconciler *reconciler = arg;

    (void)answer;
    if (reconciler->control->is_stopped) {
        return;
    }
    handover_end(reconciler);
    reconciler->is_woken = true;
    if (outcome == OUTCOME_OK) {
        reconciler_lease_lost(reconciler);
        reconciler->is_foreign = true;
    }
    if (reconciler->step == RECONCILER_IDLE) {
        control_schedule(reconciler, outcome == OUTCOME_OK ? reconciler->due_ms : 0);
    }
}

/* Queues the write of the lease without a session. */
static void handover_send(struct reconciler *reconciler)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct control_options *options = &reconciler->control->options;
    struct lease_content content = { .ahead = (int64_t)reconciler->clock_ahead_ms,
                                     .clock = options->clock,
                                     .manager = options->manager.id,
                                     .next = text_from(reconciler->leasing.to),
                                     .reason = text_from(reconciler->leasing.reason) };

    reconciler->leasing.is_sent = true;
    lease_writes_put(reconciler->control->leases->writes,
                     &(struct lease_write){ .key = control_key(arena, reconciler->cluster, "Lease",
                                                               TEXT(""), CACHE_STATUS),
                                            .revision = reconciler->epoch,
                                            .value = lease_format(arena, &content),
                                            .done = handover_reported,
                                            .arg = reconciler });
}

static bool handover_is_quiet(const struct reconciler *reconciler, uint64_t now)
{
    return reconciler->step == RECONCILER_IDLE && reconciler->outcomes == NULL &&
           (reconciler->calls == NULL || now - reconciler->leasing.since_ms >= HANDOVER_CALLS_MS);
}

uint64_t handover_run(struct leases *leases, uint64_t now)
{
    struct reconciler *next;

    for (struct reconciler *reconciler = leases->leaving; reconciler != NULL; reconciler = next) {
        next = reconciler->leasing.next;
        if (reconciler->epoch == 0) { /* this manager has lost the lease in the meantime */
            if (!reconciler->leasing.is_sent) {
                handover_end(reconciler);
            }
        } else if (!reconciler->leasing.is_sent && handover_is_quiet(reconciler, now)) {
            handover_send(reconciler);
        }
    }
    return leases->leaving == NULL ? UINT64_MAX : now + HANDOVER_LOOK_MS;
}
