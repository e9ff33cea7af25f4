#ifndef REEVE_INVENTORY_EVIDENCE_H
#define REEVE_INVENTORY_EVIDENCE_H

#include "model/lifecycle.h"

#include <stddef.h>
#include <stdint.h>

/* public names start with: evidence_ */

/* Derives the state of a machine from evidence (LIFECYCLE.md section 3): the reports of sources and
 * the results of reeve's own probes. The functions are pure: the caller passes the time of any
 * monotonic clock.
 *
 * - If a source reports a machine as failed, the machine disappears only after two probes, five
 *   seconds apart, have failed too. Members that leave or are reaped disappear with that cause.
 * - A machine that is seen again becomes discovered after five seconds.
 * - A machine that changes more than five times in ten minutes is flapping: its state is frozen
 *   until two minutes have passed without a change. */
enum {
    EVIDENCE_SPACING_MS = 5 * 1000,   /* between two probes of a second opinion */
    EVIDENCE_STEADY_MS = 5 * 1000,    /* time alive before the machine becomes discovered again */
    EVIDENCE_PROBE_MS = 60 * 1000,    /* between probes of machines that no source reports */
    EVIDENCE_FLAPS = 5,               /* changes tolerated within EVIDENCE_FLAPS_MS */
    EVIDENCE_FLAPS_MS = 600 * 1000,   /* window in which changes are counted */
    EVIDENCE_CALM_MS = 120 * 1000,    /* time without a change until it no longer counts as
                                       * flapping */
    EVIDENCE_TOGETHER_MS = 60 * 1000, /* machines that fail within this time fail together */
};

/* The latest report of a source. */
enum evidence_source {
    EVIDENCE_SOURCE_NONE, /* No source reports the machine. */
    EVIDENCE_SOURCE_ALIVE,
    EVIDENCE_SOURCE_FAILED,
    EVIDENCE_SOURCE_LEFT,
    EVIDENCE_SOURCE_REAPED,
};

struct evidence {
    enum evidence_source source;
    uint64_t alive_ms;  /* time since which it is alive without interruption; 0: not alive */
    uint64_t failed_ms; /* time since which it has failed; 0: it has not */
    unsigned failures;  /* consecutive failed probes */
    uint64_t first_failure_ms;
    uint64_t last_failure_ms;
    uint64_t probed_ms;                   /* time of the newest probe result; 0: none */
    uint64_t changes[EVIDENCE_FLAPS + 1]; /* newest changes, newest first; 0: none */
    bool is_flapping;
    uint32_t guards_off; /* bits by enum plan_guard that the simulator has switched off */
};

/* evidence_report records a report of a source, evidence_probe the result of a probe. Repeated
 * reports are harmless. */
void evidence_report(struct evidence *evidence, enum evidence_source source, uint64_t now_ms);
void evidence_probe(struct evidence *evidence, bool is_alive, uint64_t now_ms);

/* The result of evidence_decide. */
struct evidence_opinion {
    enum lifecycle_state state; /* the state that the machine has now */
    const char *cause;          /* cause of a disappearance: "failed", "left", "reaped",
                                 * "unreachable" */
    bool is_suspected;          /* A source reports it as failed; the second opinion is pending. */
    bool is_flapping;
    bool wants_probe; /* A probe is due. */
    /* Time at which to decide again if no report arrives earlier; UINT64_MAX: never. */
    uint64_t due_ms;
};

/* Derive the state from the evidence at `now_ms`. `state` is the state that is stored now. */
struct evidence_opinion evidence_decide(struct evidence *evidence, enum lifecycle_state state,
                                        uint64_t now_ms);

/* Counts of a tenant's machines. If many fail at the same time, the manager suspects its own
 * network rather than the machines (I17). */
struct evidence_crowd {
    size_t known;        /* number of machines that have not disappeared */
    size_t failing;      /* number of known machines that failed within EVIDENCE_TOGETHER_MS */
    size_t missing;      /* number of known machines that are failing, regardless of how long */
    bool is_source_down; /* A source does not answer, or the manager's own agent has no other
                          * members. */
    uint32_t guards_off; /* bits by enum plan_guard that the simulator has switched off */
};

/* True if no state may change now, because too many machines failed at the same time or a source is
 * down. `was_held` is the previous result: a hold ends when at least half of the machines are
 * back. */
bool evidence_is_held(const struct evidence_crowd *crowd, bool was_held);

#endif
