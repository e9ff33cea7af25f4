#include "survival/survival.h"

#include <assert.h>
#include <string.h>

enum {
    WAIT_MS = 20000,       /* level C before level D */
    PROOF_APART_MS = 5000, /* between two reports of a provider */
    PROOF_AGE_MS = 30000,
    OPERATOR_AGE_MS = 600000,
    /* Other members remove a silent one after 30 s, and a manager gets a member when it has been
     * fresh for 60 s. Until then, whatever the others do concerns managers that this one knows. */
    WINDOW_MS = 50000,
};

static bool survival_check_is_on(const struct survival_view *view, enum survival_check check)
{
#ifdef REEVE_GUARD_SWITCHES
    return (view->checks_off & 1u << check) == 0;
#else
    (void)view;
    (void)check;
    return true;
#endif
}

static void survival_id_set(char out[static SURVIVAL_ID_BYTES], struct text id)
{
    assert(id.length < SURVIVAL_ID_BYTES);
    memset(out, 0, SURVIVAL_ID_BYTES);
    if (id.length > 0) {
        memcpy(out, id.data, id.length);
    }
}

/* ---- proof of death ---- */

void survival_proof_answer(struct survival_proof *proof, enum survival_answer answer,
                           uint64_t now_ms)
{
    switch (answer) {
    case SURVIVAL_ANSWER_STOPPED:
        proof->stopped_ms = proof->stopped_ms == 0 ? now_ms : proof->stopped_ms;
        proof->latest_ms = now_ms;
        if (proof->stop_ms != 0 && now_ms - proof->stop_ms >= PROOF_APART_MS &&
            (!proof->has_labels || proof->label_ms != 0)) {
            proof->proven_ms = now_ms;
        }
        break;
    case SURVIVAL_ANSWER_STOP_DONE:
        if (proof->stop_ms == 0) {
            proof->stop_ms = now_ms;
        }
        break;
    case SURVIVAL_ANSWER_LABELLED:
        proof->label_ms = now_ms;
        break;
    case SURVIVAL_ANSWER_RUNNING:
        *proof = (struct survival_proof){ .running_ms = now_ms,
                                          .operator_ms = proof->operator_ms,
                                          .has_labels = proof->has_labels };
        break;
    case SURVIVAL_ANSWER_NONE:
        break;
    }
}

enum survival_question survival_proof_next(const struct survival_proof *proof, uint64_t now_ms)
{
    if (proof->stopped_ms == 0) {
        return SURVIVAL_QUESTION_DESCRIBE;
    }
    if (proof->stop_ms == 0 && proof->latest_ms - proof->stopped_ms >= PROOF_APART_MS) {
        return SURVIVAL_QUESTION_STOP;
    }
    if (proof->stop_ms != 0 && proof->has_labels && proof->label_ms == 0) {
        return SURVIVAL_QUESTION_LABEL;
    }
    return now_ms - proof->latest_ms >= PROOF_APART_MS ? SURVIVAL_QUESTION_DESCRIBE
                                                       : SURVIVAL_QUESTION_NONE;
}

enum survival_proof_kind survival_proof_kind(const struct survival_proof *proof, uint64_t read_ms,
                                             uint64_t now_ms)
{
    if (proof->running_ms != 0 && now_ms - proof->running_ms < PROOF_AGE_MS) {
        return SURVIVAL_PROOF_NONE;
    }
    if (proof->proven_ms != 0 && now_ms - proof->proven_ms < PROOF_AGE_MS &&
        proof->stopped_ms <= read_ms + WINDOW_MS) {
        return SURVIVAL_PROOF_PROVIDER;
    }
    return proof->operator_ms != 0 && now_ms - proof->operator_ms < OPERATOR_AGE_MS &&
                   (!proof->has_labels || proof->label_ms != 0)
               ? SURVIVAL_PROOF_OPERATOR
               : SURVIVAL_PROOF_NONE;
}

/* ---- roll call ---- */

static const struct survival_manager *survival_self(const struct survival_view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        if (view->managers[i].is_self) {
            return &view->managers[i];
        }
    }
    assert(false);
    return NULL;
}

/* True if the manager can take part: it answers, has a member of this generation, and may vote. */
static bool survival_is_survivor(const struct survival_state *state,
                                 const struct survival_manager *manager)
{
    return manager->is_answering && manager->has_member && manager->is_cleared &&
           manager->generation == state->generation;
}

/* True if the member is proven dead, and no manager contradicts that. */
static bool survival_is_dead(const struct survival_view *view,
                             const struct survival_manager *manager)
{
    struct survival_proof proof = manager->proof;

    if (!survival_check_is_on(view, SURVIVAL_CHECK_PROOF)) {
        return true;
    }
    if (manager->is_in_contact && survival_check_is_on(view, SURVIVAL_CHECK_CONTACT)) {
        return false;
    }
    if (!survival_check_is_on(view, SURVIVAL_CHECK_AGE)) {
        return proof.proven_ms != 0 || proof.operator_ms != 0;
    }
    return survival_proof_kind(&proof,
                               survival_check_is_on(view, SURVIVAL_CHECK_WINDOW) ? view->read_ms
                                                                                 : view->now_ms,
                               view->now_ms) != SURVIVAL_PROOF_NONE;
}

/* True if a has newer data than b: the higher term and index, a voter before a learner, then the
 * lower id. */
static bool survival_is_newer(const struct survival_manager *a, const struct survival_manager *b)
{
    if (a->term != b->term) {
        return a->term > b->term;
    }
    if (a->index != b->index) {
        return a->index > b->index;
    }
    if (a->is_learner != b->is_learner) {
        return !a->is_learner;
    }
    return text_compare(a->id, b->id) < 0;
}

static size_t survival_candidate(const struct survival_state *state,
                                 const struct survival_view *view)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < view->count; i++) {
        if (survival_is_survivor(state, &view->managers[i]) &&
            (found == SIZE_MAX || survival_is_newer(&view->managers[i], &view->managers[found]))) {
            found = i;
        }
    }
    return found;
}

/* Returns the manager that answers with the highest generation above this one's; SIZE_MAX: none. */
static size_t survival_higher(const struct survival_state *state, const struct survival_view *view)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < view->count; i++) {
        const struct survival_manager *manager = &view->managers[i];

        if (manager->is_answering && !manager->is_self && manager->generation > state->generation &&
            (found == SIZE_MAX || manager->generation > view->managers[found].generation)) {
            found = i;
        }
    }
    return found;
}

/* Returns the highest promise of the managers that answer. */
static uint64_t survival_promised_max(const struct survival_state *state,
                                      const struct survival_view *view)
{
    uint64_t highest = state->promised;

    for (size_t i = 0; i < view->count; i++) {
        if (view->managers[i].is_answering && view->managers[i].promised > highest) {
            highest = view->managers[i].promised;
        }
    }
    return highest;
}

/* ---- steps ---- */

static struct survival_step survival_step_make(const struct survival_state *state,
                                               enum survival_act act, enum survival_level level,
                                               size_t about, const char *reason)
{
    return (struct survival_step){
        .act = act, .level = level, .about = about, .reason = reason, .next = *state
    };
}

static struct survival_step survival_wait(const struct survival_state *state,
                                          enum survival_level level, size_t about,
                                          const char *reason)
{
    return survival_step_make(state, SURVIVAL_ACT_NONE, level, about, reason);
}

bool survival_is_cleared(const struct survival_state *state, struct text boot)
{
    return !state->had_peers || state->mode == SURVIVAL_MODE_NEVER || text_is(boot, state->boot);
}

/* A manager of a new boot: it may vote when it is known that no newer generation exists. A majority
 * is no evidence, because a survivor may have gone on without it. */
static struct survival_step survival_return(const struct survival_state *state,
                                            const struct survival_view *view)
{
    struct survival_step step =
        survival_step_make(state, SURVIVAL_ACT_CLEAR, SURVIVAL_LEVEL_C, SIZE_MAX,
                           "no newer generation of the store exists");

    survival_id_set(step.next.boot, view->boot);
    if (view->is_alone || !survival_check_is_on(view, SURVIVAL_CHECK_RETURN)) {
        return step;
    }
    if (view->has_label) {
        if (view->label > state->generation) {
            return survival_wait(state, SURVIVAL_LEVEL_E, SIZE_MAX,
                                 "a newer generation of the store exists, and none of its managers "
                                 "answers");
        }
        return step;
    }
    for (size_t i = 0; i < view->count; i++) {
        if (!view->managers[i].is_self && !view->managers[i].is_answering) {
            return survival_wait(state, SURVIVAL_LEVEL_E, i,
                                 "this host has booted, and a manager that may have begun a newer "
                                 "generation does not answer");
        }
    }
    return step;
}

/* A candidate that has begun: it continues, unless a newer generation was promised in the
 * meantime. Then another manager has proven that this one was dead. */
static struct survival_step survival_continue(const struct survival_state *state,
                                              const struct survival_view *view)
{
    if (survival_promised_max(state, view) > state->promised &&
        survival_check_is_on(view, SURVIVAL_CHECK_HIGHER)) {
        struct survival_step step = survival_wait(state, SURVIVAL_LEVEL_E, SIZE_MAX,
                                                  "another manager begins a newer generation");

        step.next.phase = SURVIVAL_PHASE_IDLE;
        step.act = SURVIVAL_ACT_CLEAR;
        memset(step.next.boot, 0, sizeof(step.next.boot));
        return step;
    }
    return survival_step_make(
        state, state->phase == SURVIVAL_PHASE_REBUILD ? SURVIVAL_ACT_REBUILD : SURVIVAL_ACT_HEAD,
        SURVIVAL_LEVEL_D, SIZE_MAX, "the store is rebuilt from this member");
}

/* Finds what keeps the level at C or E: a manager that reaches the store, or a member without a
 * proof. Returns true if nothing does. */
MUST_CHECK static bool survival_is_proven(const struct survival_state *state,
                                          const struct survival_view *view,
                                          struct survival_step *out)
{
    size_t others = 0;

    for (size_t i = 0; i < view->count; i++) {
        if (view->managers[i].is_answering && !view->managers[i].is_static &&
            survival_check_is_on(view, SURVIVAL_CHECK_STATIC)) {
            *out = survival_wait(state, SURVIVAL_LEVEL_C, i, "another manager reaches the store");
            return false;
        }
    }
    for (size_t i = 0; i < view->count; i++) {
        const struct survival_manager *manager = &view->managers[i];

        if (manager->is_answering && manager->has_member && !manager->is_cleared &&
            survival_check_is_on(view, SURVIVAL_CHECK_RETURN)) {
            *out = survival_wait(state, SURVIVAL_LEVEL_E, i,
                                 "a manager has returned, and may not vote yet");
            return false;
        }
    }
    for (size_t i = 0; i < view->count; i++) {
        const struct survival_manager *manager = &view->managers[i];

        if (manager->may_have_member && !manager->is_answering &&
            !survival_is_dead(view, manager)) {
            *out = survival_step_make(state, SURVIVAL_ACT_PROVE, SURVIVAL_LEVEL_E, i,
                                      "a member does not answer, and is not proven dead");
            return false;
        }
        others += manager->may_have_member && !manager->is_self ? 1 : 0;
    }
    if (others == 0 && !view->is_alone) {
        /* a store of one member has a quorum, so the list of members must be an old one */
        *out = survival_wait(state, SURVIVAL_LEVEL_E, SIZE_MAX,
                             "this manager does not know the members of its store");
        return false;
    }
    return true;
}

/* Steps of the candidate: its own promise, those of the other survivors, and the beginning. */
static struct survival_step survival_lead(const struct survival_state *state,
                                          const struct survival_view *view)
{
    const struct survival_manager *self = survival_self(view);
    uint64_t highest = survival_promised_max(state, view);
    struct survival_step step =
        survival_step_make(state, SURVIVAL_ACT_REBUILD, SURVIVAL_LEVEL_D, SIZE_MAX,
                           "the store is rebuilt from this "
                           "member");

    if (state->promised <= state->generation || !text_is(self->id, state->candidate) ||
        highest > state->promised) {
        step.act = SURVIVAL_ACT_PROMISE;
        step.reason = "this manager has the newest data";
        step.next.promised = (highest > state->generation ? highest : state->generation) + 1;
        survival_id_set(step.next.candidate, self->id);
        return step;
    }
    for (size_t i = 0; i < view->count; i++) {
        const struct survival_manager *manager = &view->managers[i];

        if (!manager->is_self && survival_is_survivor(state, manager) &&
            (manager->promised != state->promised ||
             !text_is_equal(manager->promised_to, self->id)) &&
            survival_check_is_on(view, SURVIVAL_CHECK_ALL)) {
            step = survival_step_make(state, SURVIVAL_ACT_ASK, SURVIVAL_LEVEL_D, i,
                                      "the promise of a manager is missing");
            step.generation = state->promised;
            return step;
        }
    }
    step.next.phase = SURVIVAL_PHASE_REBUILD;
    for (size_t i = 0; i < view->count; i++) {
        if (view->managers[i].is_answering &&
            view->managers[i].revision > step.next.lost_revision) {
            step.next.lost_revision = view->managers[i].revision;
        }
    }
    return step;
}

/* Returns the reason for which nothing is promoted now, or NULL. */
static const char *survival_not_yet(const struct survival_state *state,
                                    const struct survival_view *view)
{
    if (state->mode == SURVIVAL_MODE_NEVER) {
        return "survive is never: a majority of the members has to return";
    }
    if (view->is_commanded) {
        return NULL;
    }
    if (state->mode == SURVIVAL_MODE_MANUAL) {
        return "survive is manual: an operator has to run reeve manager survive";
    }
    return view->now_ms - view->static_since_ms < WAIT_MS ? "the store does not answer" : NULL;
}

struct survival_step survival_decide(const struct survival_state *state,
                                     const struct survival_view *view)
{
    size_t higher = survival_higher(state, view);
    const char *not_yet;
    struct survival_step step;
    size_t candidate;

    assert(view->count <= SURVIVAL_MANAGERS_MAX);
    if (higher != SIZE_MAX) {
        step = survival_step_make(state, SURVIVAL_ACT_JOIN, SURVIVAL_LEVEL_C, higher,
                                  "a newer generation of the store exists");
        step.next.phase = SURVIVAL_PHASE_IDLE;
        return step;
    }
    if (!survival_is_cleared(state, view->boot)) {
        return survival_return(state, view);
    }
    if (state->phase != SURVIVAL_PHASE_IDLE) {
        return survival_continue(state, view);
    }
    if (view->static_since_ms == 0) {
        return survival_wait(state, SURVIVAL_LEVEL_SERVES, SIZE_MAX, "the store answers");
    }
    not_yet = survival_not_yet(state, view);
    if (state->mode == SURVIVAL_MODE_NEVER) {
        return survival_wait(state, SURVIVAL_LEVEL_C, SIZE_MAX, not_yet);
    }
    if (!survival_is_proven(state, view, &step)) {
        /* evidence is collected during the wait too */
        step.level = not_yet == NULL ? step.level : SURVIVAL_LEVEL_C;
        step.reason = not_yet == NULL ? step.reason : not_yet;
        return step;
    }
    if (not_yet != NULL) {
        return survival_wait(state, SURVIVAL_LEVEL_C, SIZE_MAX, not_yet);
    }
    candidate = survival_candidate(state, view);
    if (candidate == SIZE_MAX || !view->managers[candidate].is_self) {
        return survival_wait(state, candidate == SIZE_MAX ? SURVIVAL_LEVEL_E : SURVIVAL_LEVEL_D,
                             candidate,
                             candidate == SIZE_MAX ? "no manager that answers has a member"
                                                   : "another manager has newer data");
    }
    return survival_lead(state, view);
}

bool survival_promise(const struct survival_state *state, const struct survival_view *view,
                      struct text candidate, uint64_t generation, struct survival_state *next,
                      const char **reason)
{
    bool is_same = generation == state->promised && text_is(candidate, state->candidate);

    if (view->static_since_ms == 0) {
        *reason = "this manager reaches the store";
    } else if (state->mode == SURVIVAL_MODE_NEVER) {
        *reason = "survive is never";
    } else if (!survival_is_cleared(state, view->boot)) {
        *reason = "this host has booted, and may not vote yet";
    } else if (state->phase != SURVIVAL_PHASE_IDLE &&
               survival_check_is_on(view, SURVIVAL_CHECK_BEGUN)) {
        *reason = "this manager has begun to rebuild the store";
    } else if (generation <= state->generation ||
               (generation <= state->promised && !is_same &&
                survival_check_is_on(view, SURVIVAL_CHECK_PROMISE))) {
        *reason = "this manager has promised this generation already";
    } else {
        *next = *state;
        next->promised = generation;
        survival_id_set(next->candidate, candidate);
        *reason = NULL;
        return true;
    }
    return false;
}

struct survival_state survival_rebuilt(const struct survival_state *state)
{
    struct survival_state next = *state;

    assert(state->phase == SURVIVAL_PHASE_REBUILD);
    next.phase = SURVIVAL_PHASE_HEAD;
    return next;
}

struct survival_state survival_opened(const struct survival_state *state)
{
    struct survival_state next = *state;

    assert(state->phase == SURVIVAL_PHASE_HEAD);
    next.generation = state->promised;
    next.phase = SURVIVAL_PHASE_IDLE;
    return next;
}

struct survival_state survival_joined(const struct survival_state *state, uint64_t generation,
                                      struct text boot)
{
    struct survival_state next = { .generation = generation,
                                   .promised = state->promised,
                                   .had_peers = true,
                                   .mode = state->mode };

    memcpy(next.candidate, state->candidate, sizeof(next.candidate));
    survival_id_set(next.boot, boot);
    return next;
}
