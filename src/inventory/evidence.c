#include "inventory/evidence.h"

#include "plan/guard.h"

#include <assert.h>
#include <string.h>

enum { EVIDENCE_PROBES_ALONE = 3, EVIDENCE_PROBES_SECOND = 2, EVIDENCE_CROWD = 3 };

/* ---- reports ---- */

/* Record a change between alive and not alive. */
static void evidence_alive_set(struct evidence *evidence, bool is_alive, uint64_t now_ms)
{
    if (is_alive == (evidence->alive_ms > 0) && (is_alive || evidence->failed_ms > 0)) {
        return;
    }
    if (evidence->alive_ms > 0 || evidence->failed_ms > 0) {
        memmove(&evidence->changes[1], &evidence->changes[0],
                sizeof(evidence->changes) - sizeof(evidence->changes[0]));
        evidence->changes[0] = now_ms;
    }
    evidence->alive_ms = is_alive ? now_ms : 0;
    evidence->failed_ms = is_alive ? 0 : now_ms;
}

void evidence_report(struct evidence *evidence, enum evidence_source source, uint64_t now_ms)
{
    if (evidence->source == source) {
        return;
    }
    evidence->source = source;
    evidence->failures = 0;
    evidence->probed_ms = 0;
    if (source != EVIDENCE_SOURCE_NONE) {
        evidence_alive_set(evidence, source == EVIDENCE_SOURCE_ALIVE, now_ms);
    }
}

void evidence_probe(struct evidence *evidence, bool is_alive, uint64_t now_ms)
{
    evidence->probed_ms = now_ms;
    if (is_alive) {
        evidence->failures = 0;
        evidence_alive_set(evidence, true, now_ms);
        return;
    }
    if (evidence->failures == 0) {
        evidence->first_failure_ms = now_ms;
    }
    evidence->failures++;
    evidence->last_failure_ms = now_ms;
    if (evidence->source != EVIDENCE_SOURCE_ALIVE) {
        evidence_alive_set(evidence, false, now_ms);
    }
}

/* ---- decisions ---- */

static void evidence_flaps_look(struct evidence *evidence, uint64_t now_ms)
{
    uint64_t oldest = evidence->changes[EVIDENCE_FLAPS];

    if (oldest > 0 && now_ms - oldest <= EVIDENCE_FLAPS_MS) {
        evidence->is_flapping = true;
    }
    if (evidence->changes[0] == 0 || now_ms - evidence->changes[0] >= EVIDENCE_CALM_MS) {
        evidence->is_flapping = false;
        memset(evidence->changes, 0, sizeof(evidence->changes));
    }
}

static bool has_evidence_left(const struct evidence *evidence)
{
    return evidence->source == EVIDENCE_SOURCE_LEFT || evidence->source == EVIDENCE_SOURCE_REAPED;
}

/* True if enough probes have failed over a long enough time to confirm the failure. */
static bool is_evidence_confirmed(const struct evidence *evidence)
{
    unsigned needed =
        evidence->source == EVIDENCE_SOURCE_NONE ? EVIDENCE_PROBES_ALONE : EVIDENCE_PROBES_SECOND;

    return !GUARD(evidence, G25) ||
           (evidence->failures >= needed &&
            evidence->last_failure_ms - evidence->first_failure_ms >= EVIDENCE_SPACING_MS);
}

static const char *evidence_cause(const struct evidence *evidence)
{
    return evidence->source == EVIDENCE_SOURCE_LEFT     ? "left"
           : evidence->source == EVIDENCE_SOURCE_REAPED ? "reaped"
           : evidence->source == EVIDENCE_SOURCE_FAILED ? "failed"
                                                        : "unreachable";
}

/* Returns the time at which the next probe is due. */
static uint64_t evidence_probe_due(const struct evidence *evidence, enum lifecycle_state state)
{
    bool is_second = evidence->source == EVIDENCE_SOURCE_FAILED && evidence->failures == 0 &&
                     evidence->probed_ms == 0;
    bool is_close =
        state != LIFECYCLE_STATE_DISAPPEARED ? evidence->failures > 0 : evidence->alive_ms > 0;

    if (evidence->source == EVIDENCE_SOURCE_ALIVE) {
        return UINT64_MAX;
    }
    return is_second || evidence->probed_ms == 0
               ? 0
               : evidence->probed_ms +
                     (uint64_t)(is_close ? EVIDENCE_SPACING_MS : EVIDENCE_PROBE_MS);
}

static uint64_t evidence_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct evidence_opinion evidence_decide(struct evidence *evidence, enum lifecycle_state state,
                                        uint64_t now_ms)
{
    struct evidence_opinion out = { .state = state, .cause = "", .due_ms = UINT64_MAX };
    uint64_t probe_ms = evidence_probe_due(evidence, state);
    uint64_t steady_ms = evidence->alive_ms + EVIDENCE_STEADY_MS;
    bool is_alive = evidence->alive_ms > 0;

    evidence_flaps_look(evidence, now_ms);
    out.is_flapping = evidence->is_flapping;
    out.wants_probe = probe_ms <= now_ms;
    if (!out.wants_probe) {
        out.due_ms = probe_ms;
    }
    if (evidence->changes[0] > 0) {
        out.due_ms = evidence_earlier(out.due_ms, evidence->changes[0] + EVIDENCE_CALM_MS);
    }
    if (state == LIFECYCLE_STATE_DISCOVERED) {
        out.is_suspected = !is_alive && evidence->source == EVIDENCE_SOURCE_FAILED;
        if (!is_alive && !out.is_flapping &&
            (has_evidence_left(evidence) || is_evidence_confirmed(evidence))) {
            out.state = LIFECYCLE_STATE_DISAPPEARED;
            out.cause = evidence_cause(evidence);
        }
    } else if (is_alive && !out.is_flapping) {
        if (state == LIFECYCLE_STATE_UNKNOWN || steady_ms <= now_ms) {
            out.state = LIFECYCLE_STATE_DISCOVERED;
        } else {
            out.due_ms = evidence_earlier(out.due_ms, steady_ms);
        }
    }
    return out;
}

/* ---- many machines ---- */

bool evidence_is_held(const struct evidence_crowd *crowd, bool was_held)
{
    assert(crowd->missing <= crowd->known && crowd->failing <= crowd->missing);
    if (!GUARD(crowd, G17)) {
        return false;
    }
    if (crowd->is_source_down) {
        return true;
    }
    if (was_held) {
        return 2 * crowd->missing > crowd->known;
    }
    return crowd->known >= EVIDENCE_CROWD && 2 * crowd->failing > crowd->known;
}
