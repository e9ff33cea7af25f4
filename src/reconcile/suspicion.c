#include "reconcile/control_parts.h"

#include <assert.h>

/* public names start with: suspicion_ */

/* Self-suspicion (G17): a manager suspects a fault of its own network when it loses contact with
 * more than half of the machines that it reached a minute ago. Its own cable, switch or firewall
 * may be at fault, or its process may be starved. A single machine that fails is still replaced.
 *
 * The observation covers all clusters that this manager reconciles. It is only in memory. A manager
 * that starts counts ready machines as reached, so its first probes lead to the same result. */

/* Returns the probes of a cluster that this manager probes now. Probes by other managers say
 * nothing about this manager's network. */
static struct health *health_of(const struct fleet_cluster *cluster)
{
    const struct reconciler *reconciler = cluster->reconciler;

    return reconciler == NULL || reconciler->epoch == 0 ? NULL : reconciler->health;
}

static struct health_contact contact_count(const struct control *control, bool is_observed)
{
    uint64_t now_ms = control->ports.now_ms(control->ports.arg);
    struct health_contact sum = { 0 };

    for (struct fleet_cluster *cluster = fleet_next(control->fleet, NULL); cluster != NULL;
         cluster = fleet_next(control->fleet, cluster)) {
        const struct health *health = health_of(cluster);

        if (health != NULL && is_observed) {
            health_contact_observed(health, &sum);
        } else if (health != NULL) {
            health_contact_add(health, now_ms, control->options.limits.contact_ms, &sum);
        }
    }
    return sum;
}

static void observation_begin(struct control *control)
{
    uint64_t now_ms = control->ports.now_ms(control->ports.arg);

    control->suspicion.number++;
    for (struct fleet_cluster *cluster = fleet_next(control->fleet, NULL); cluster != NULL;
         cluster = fleet_next(control->fleet, cluster)) {
        struct health *health = health_of(cluster);

        if (health != NULL) {
            health_contact_observe(health, now_ms, control->options.limits.contact_ms);
        }
    }
}

/* Wake all probed clusters for a new decision. */
static void clusters_wake(struct control *control)
{
    for (struct fleet_cluster *cluster = fleet_next(control->fleet, NULL); cluster != NULL;
         cluster = fleet_next(control->fleet, cluster)) {
        if (health_of(cluster) != NULL) {
            control_wake(control, cluster->key);
        }
    }
}

static bool is_most(const struct health_contact *contact)
{
    return contact->lost * 2 > contact->of;
}

void suspicion_update(struct control *control)
{
    struct suspicion *suspicion = &control->suspicion;
    struct health_contact contact = contact_count(control, suspicion->is_on);
    bool was_on = suspicion->is_on;

    suspicion->is_on =
        is_most(&contact) && (was_on || contact.lost >= control->options.limits.contact_least);
    if (suspicion->is_on && !was_on) {
        observation_begin(control);
    }
    suspicion->lost = (uint32_t)contact.lost;
    suspicion->of = (uint32_t)contact.of;
    if (was_on && !suspicion->is_on) {
        suspicion->ended_ms = control->ports.now_ms(control->ports.arg);
    }
    if (suspicion->is_on != was_on) {
        clusters_wake(control);
    }
}

struct text suspicion_name(const struct control *control, struct arena *arena)
{
    assert(control->suspicion.is_on);
    return arena_printf(arena, "%.*s/%u", TEXT_ARG(control->options.session),
                        control->suspicion.number);
}
