#include "access/authority_parts.h"

/* public names start with: authorities_ */

/* Executes one step of a rotation (signer/ring.h). The signer returns the new keys sealed, the
 * store keeps them, and only stored keys are loaded. If the manager stops in between, the state
 * before the step stays valid and the step is repeated.
 *
 * Failures: if the signer or the store does not answer, the step is repeated after the next
 * observation, unless its result was stored. The signer accepts only the next step. */

struct stepping {
    struct authority *one;
    struct arena *arena;
    struct text request;
    struct text event;
};

/* Logs why a step was not executed, as far as this manager knows, and ends the step. */
static void authority_rotate_step_failed(struct stepping *stepping, const struct err *err)
{
    struct authority *one = stepping->one;

    one->is_stepping = false;
    if (!one->all->is_closed) {
        log_warn(one->all->options.log, "authority", "not_rotated",
                 log_text("cluster", one->cluster), log_string("reason", err->text));
    }
    arena_free(stepping->arena);
}

/* Called with the outcome of the write. After success the cache reports the stored keys
 * (authority_list.c); from then on they are used, and is_stepping ends. */
static void step_stored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct stepping *stepping = arg;
    struct err err;

    if (outcome == OUTCOME_OK) {
        arena_free(stepping->arena);
        return;
    }
    err_set(&err, CODE_R0710, "a step of the rotation could not be stored: %s",
            answer->err.code == CODE_NONE ? "the store has a newer key" : answer->err.text);
    authority_rotate_step_failed(stepping, &err);
}

static void step_reported(void *arg, enum outcome outcome, const struct sign_reply *reported,
                          const struct err *err)
{
    struct stepping *stepping = arg;
    struct authority *one = stepping->one;
    struct err refused;

    if (outcome != OUTCOME_OK || one->all->is_closed) {
        authority_rotate_step_failed(stepping, err);
        return;
    }
    log_info(one->all->options.log, "authority", "rotated", log_text("cluster", one->cluster),
             log_int("phase", (int64_t)reported->phase));
    if (!authority_write(one, reported, stepping->request, stepping->event, step_stored, stepping,
                         &refused)) {
        authority_rotate_step_failed(stepping, &refused);
    }
}

void authorities_rotate(struct authorities *all, struct text cluster, struct text request,
                        struct text event)
{
    struct authority *one = authorities_have(all, cluster);
    struct sign_ask ask = { .method = SIGN_ROTATE, .who = TEXT("reeved") };
    struct stepping *stepping;
    struct arena *arena;

    if (all->is_closed || all->options.is_reader || one->is_stepping || one->is_making ||
        !authority_read(one) || !authorities_signer(all, &one->why)) {
        return; /* the caller requests the step again */
    }
    arena = arena_new_small(SIZE_MAX);
    stepping = arena_one(arena, struct stepping);
    *stepping = (struct stepping){ .one = one,
                                   .arena = arena,
                                   .request = arena_text(arena, request),
                                   .event = arena_text(arena, event) };
    one->is_stepping = true;
    authority_load(one);
    ask.authority = one->cluster;
    ask.phase = (one->phase + 1) % ROTATION_PHASE_COUNT;
    signer_ask(all->signer, &ask, step_reported, stepping);
}

bool authorities_rotation(struct authorities *all, struct text cluster,
                          struct authorities_rotation *out)
{
    struct authority *one = authorities_have(all, cluster);
    enum rotation_phase phase;
    int64_t since_ms;

    if (one->is_making || !authority_read(one) || !rotation_phase_parse(one->phase, &phase)) {
        return false;
    }
    since_ms = clock_wall_ms(all->options.clock) - one->phase_wall_ms;
    *out = (struct authorities_rotation){
        .phase = phase,
        .request = one->request,
        .age_ms = since_ms > 0 ? (uint64_t)since_ms * all->options.time_scale : 0,
        .is_stepping = one->is_stepping,
    };
    return true;
}
