#ifndef REEVE_RECONCILE_HEALTH_H
#define REEVE_RECONCILE_HEALTH_H

#include "reconcile/control.h"
#include "records/fleet.h"

/* Probes: whether machines do what they are for, and how that is found out. Each machine of a group with a probe is
 * asked every so often; so many failures in a row, and it is written down as sick or unreachable; LIMIT_PROBE_GOOD
 * successes in a row, and it is well again. What is written the planner decides about (X5, X6).
 *
 * Before a machine has answered once it has a grace for its start. A failure that says that the machine is there
 * (nobody listens) makes it sick; one that says nothing makes it unreachable, which may as well be
 * our own network: what that leads to is the group's onUnreachable. */

/* STARTING: it has not answered since it was made. */
enum health_state { HEALTH_WELL, HEALTH_STARTING, HEALTH_FAILING, HEALTH_UNREACHABLE };

/* What a record says, by its fields. */
enum health_state health_state_of(uint64_t failing_since_ms, uint64_t unreachable_since_ms,
                                  bool is_starting);

/* The probes of one cluster; NULL where it has none. */
struct health;

/* What is to be written of a machine: its state is another one than is written down, or (`is_cause`) it is ill as it was, and
 * now for another reason. */
struct health_change {
    struct text token;
    enum health_state state;
    bool is_cause;
    uint64_t since_ms;
    struct text why; /* empty: it was told before */
};
typedef void health_change_fn(void *arg, const struct health_change *word);

/* One probe that is to be made now. What it points to is valid until the call returns. */
struct health_ask {
    struct text plugin;
    struct control_way way;
    uint16_t port;            /* 0: it is a command */
    const struct text *words; /* of it */
    size_t word_count;
    uint64_t timeout_ms;
    bool is_ssh;     /* an SSH server has to send its banner at the port */
    uint64_t ticket; /* to be given back with the answer, as the token is */
};

/* Now, by the port's clock and by that of the cluster, which its records are written by. */
struct health_clock {
    uint64_t now_ms;
    uint64_t cluster_ms;
};

/* Are the machines of this group probed? */
typedef bool health_is_probed(void *arg, const struct fleet_group *group);

/* Look at a cluster: forget machines that are gone, take up new ones. Makes, keeps or frees *health. `told` is called for
 * those whose records say something else than is known here. */
void health_sync(struct health **health, const struct fleet_cluster *cluster,
                 const struct health_clock *clock, health_is_probed *is_probed,
                 health_change_fn *reported, void *arg);

/* With the next sync compare all states with the records once more. NULL is allowed. */
void health_report_again(struct health *health);
void health_free(struct health *health);

/* The next one that is due; false: none now. */
bool health_next(struct health *health, struct arena *arena, const struct fleet_cluster *cluster,
                 uint64_t now_ms, struct health_ask *out);

/* When there will be one. Neighbours in time are asked together, so that looking costs little. */
uint64_t health_due(const struct health *health);

/* A probe was answered. `told` is called where the machine's state changes by it, and where it is ill and as many probes in a row
 * as make one ill have given another reason than the last that was told: one that changes each time is not written each time. */
void health_answer(struct health *health, struct text token, uint64_t ticket,
                   enum health_state found, struct text why, uint64_t now_ms,
                   health_change_fn *reported, void *arg);

/* Machines that this manager has reached by their probes, and of these the ones that it lost. A machine that answers that
 * it is unhealthy is reached. */
struct health_contact {
    size_t lost;
    size_t of;
};

/* Have so many probes in a row that this manager has made itself failed that its machine is unhealthy or unreachable? Probes prove
 * nothing any more when the next one is overdue by a whole interval: the manager slept, or could not read what is wanted. */
bool health_is_proven(const struct health *health, struct text token, uint64_t now_ms);

/* Add those that were reached within window_ms before now, or within the time that their probes need to notice a failure where
 * that is longer. A machine whose record says that it has served counts as reached before its first probe: a manager that has just
 * started knows no better. */
void health_contact_add(const struct health *health, uint64_t now_ms, uint64_t window_ms,
                        struct health_contact *sum);

/* Keep those as the observation, whose machines health_contact_observed counts from here on, however long they are lost. */
void health_contact_observe(struct health *health, uint64_t now_ms, uint64_t window_ms);
void health_contact_observed(const struct health *health, struct health_contact *sum);

/* It could not be asked, for a reason of ours: nothing is known, and it is asked again when it is due. */
void health_skip(struct health *health, struct text token, uint64_t ticket);

#endif
