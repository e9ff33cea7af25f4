#ifndef REEVE_HEALTH_HEALTH_H
#define REEVE_HEALTH_HEALTH_H

#include "records/fleet.h"
#include "records/way.h"

/* Probes check the health of machines. Each machine of a group with a probe is probed at an
 * interval. Several consecutive failures mark the machine unhealthy or unreachable in its record;
 * LIMIT_PROBE_GOOD consecutive successes mark it healthy again. The planner uses these marks for
 * its decisions (X5, X6).
 *
 * A machine that has never answered has a grace period for its start. A failure that proves that
 * the machine runs (such as connection refused) marks it unhealthy. Any other failure marks it
 * unreachable, because the manager's own network may be the cause. The setting onUnreachable of the
 * group decides how reeve reacts. */

/* The known health of a machine. STARTING: the machine has not answered since it was created. */
enum health_state { HEALTH_WELL, HEALTH_STARTING, HEALTH_FAILING, HEALTH_UNREACHABLE };

/* Convert the fields of a record to the corresponding state. */
enum health_state health_state_of(uint64_t failing_since_ms, uint64_t unreachable_since_ms,
                                  bool is_starting);

/* The probes of one cluster; NULL if it has none. */
struct health;

/* A change that must be written to the record of a machine. Either its state differs from the
 * recorded state or, with `is_cause`, the machine is still unhealthy but for another reason. */
struct health_change {
    struct text token;
    enum health_state state;
    bool is_cause;
    uint64_t since_ms;
    struct text why; /* reason of the state; empty: the reason was already reported */
};
typedef void health_change_fn(void *arg, const struct health_change *word);

/* One probe that is due. Its pointers are valid until the call returns. */
struct health_ask {
    struct text plugin;
    struct control_way way;
    uint16_t port;            /* TCP port to probe; 0: the probe is a command */
    const struct text *words; /* arguments of the command */
    size_t argument_count;
    uint64_t timeout_ms;
    bool is_ssh;     /* the port must send an SSH banner */
    uint64_t ticket; /* the caller returns this number with the answer, together with the token */
};

/* The current time by the port's clock, and by the clock of the cluster. Records use the clock of
 * the cluster. */
struct health_clock {
    uint64_t now_ms;
    uint64_t cluster_ms;
};

/* True if the machines of this group are probed. */
typedef bool health_is_probed(void *arg, const struct fleet_group *group);

/* Update the probes of a cluster: drop machines that no longer exist, and add new ones. Creates,
 * updates or frees *health. `reported` is called for machines whose records differ from the known
 * state. */
void health_sync(struct health **health, const struct fleet_cluster *cluster,
                 const struct health_clock *clock, health_is_probed *is_probed,
                 health_change_fn *reported, void *arg);

/* health_report_again makes the next sync compare all states with the records again; it accepts
 * NULL. health_free frees the states. */
void health_report_again(struct health *health);
void health_free(struct health *health);

/* Find the next probe that is due. Returns false if none is due. Texts live in the arena. */
bool health_next(struct health *health, struct arena *arena, const struct fleet_cluster *cluster,
                 uint64_t now_ms, struct health_ask *out);

/* Return the time of the next probe. Probes that are due at nearly the same time are batched. */
uint64_t health_due(const struct health *health);

/* Handles the answer to a probe. `reported` is called when the state of the machine changes. It is
 * also called when an unhealthy machine has had a new reason in several consecutive probes (as many
 * as mark a machine unhealthy). So a reason that differs each time is not written each time. */
void health_answer(struct health *health, struct text token, uint64_t ticket,
                   enum health_state found, struct text why, uint64_t now_ms,
                   health_change_fn *reported, void *arg);

/* The number of machines that this manager has reached by probes (`of`), and how many of them it
 * has lost since then (`lost`). A machine that answers but is unhealthy counts as reached. */
struct health_contact {
    size_t lost;
    size_t of;
};

/* True if it is proven that the machine is unhealthy or unreachable, because enough consecutive
 * probes of this manager itself have failed. The proof expires when the next probe is overdue by a
 * whole interval, because the manager was then suspended or could not read the specification. */
bool health_is_proven(const struct health *health, struct text token, uint64_t now_ms);

/* Counts the machines that were reached within window_ms before now. If the probes of a machine
 * need longer than window_ms to notice a failure, that time applies. A machine whose record states
 * that it was ready counts as reached before its first probe, because a manager that has just
 * started has no other evidence. */
void health_contact_add(const struct health *health, uint64_t now_ms, uint64_t window_ms,
                        struct health_contact *sum);

/* health_contact_observe stores these machines as the observation. From then on
 * health_contact_observed counts them, even if they remain lost for a long time. */
void health_contact_observe(struct health *health, uint64_t now_ms, uint64_t window_ms);
void health_contact_observed(const struct health *health, struct health_contact *sum);

/* Report that the probe could not run for a local reason. Its result is unknown, and the probe is
 * repeated when it is due again. */
void health_skip(struct health *health, struct text token, uint64_t ticket);

#endif
