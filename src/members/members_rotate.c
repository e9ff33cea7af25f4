#include "members/members.h"

#include <assert.h>

/* public names start with: members_ */

/* Rotates the authorities of a cluster, one step at a time. bootstrap/bootstrap.h decides when a
 * step is taken; nodes_port executes it. The whole state is stored with the authority, so that
 * another manager can continue the rotation. */

enum { ASK_AGAIN_MS = 5 * 1000 }; /* delay in ms after a step that could not be taken */

/* For each phase: its text, and the text of the step that leads to the phase. */
static const char *const phase_words[ROTATION_PHASE_COUNT] = {
    [ROTATION_STEADY] = "the old authorities are no longer trusted",
    [ROTATION_MADE] = "new authorities are made",
    [ROTATION_TRUSTED] = "all machines are being informed of the new authorities",
    [ROTATION_SIGNS] = "all machines get certificates from the new authorities",
};

struct text members_rotating(const struct reconciler *reconciler)
{
    return reconciler->members == NULL ? TEXT("") : reconciler->members->rotating;
}

/* Report the progress. The next pass writes a changed text to the cluster's status. */
static void rotating_report(struct members *members)
{
    struct reconciler *reconciler = members->reconciler;
    uint64_t hash = text_hash(members->rotating, 0);

    if (hash != members->rotating_hash) {
        members->rotating_hash = hash;
        reconciler->is_woken = true;
        reconciler_still_drop(reconciler);
        if (reconciler->step == RECONCILER_IDLE) {
            control_schedule(reconciler, 0);
        }
    }
}

static void rotating_note(struct members *members, const struct bootstrap_world *world,
                          enum rotation_phase phase, const struct bootstrap_turn *turn)
{
    const char *words = phase_words[phase];

    if (phase == ROTATION_STEADY) {
        members->rotating = TEXT("");
    } else if (turn->waiting == 0) {
        members->rotating = text_from(words);
    } else {
        members->rotating = arena_printf(members->waits_memory, "%s; waits for %.*s", words,
                                         TEXT_ARG(world->members[turn->first].name));
        if (turn->waiting > 1) {
            members->rotating = arena_printf(members->waits_memory, "%.*s and %zu more",
                                             TEXT_ARG(members->rotating), turn->waiting - 1);
        }
    }
}

/* Makes the event of a step. It lists the members that do not have the new trusted keys. Logins
 * between these and the other members fail. */
static struct text step_event(struct arena *arena, const struct members *members,
                              const struct bootstrap_world *world, enum rotation_phase to,
                              const struct bootstrap_turn *turn)
{
    struct text fact = text_from(phase_words[to]);

    if (turn->waiting > 0) {
        fact = arena_printf(arena, "%.*s; not updated: %.*s%s", TEXT_ARG(fact),
                            TEXT_ARG(world->members[turn->first].name),
                            turn->waiting > 1 ? " and others" : "");
    }
    return control_event(
        arena, members->reconciler,
        &(struct event){ .type = to == ROTATION_STEADY ? "cluster.rotated" : "cluster.rotation",
                         .fact = fact });
}

uint64_t members_rotate(struct members *members, const struct bootstrap_world *world)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct fleet_cluster *cluster = members->reconciler->cluster;
    const struct nodes_port *port = members->reconciler->control->ports.nodes;
    struct nodes_rotation now;
    struct bootstrap_rotation rotation;
    struct bootstrap_turn turn;

    members->rotating = TEXT("");
    if (cluster->is_classic || !port->rotation(port->arg, cluster->key, &now)) {
        return 0;
    }
    rotation = (struct bootstrap_rotation){
        .phase = now.phase,
        .is_requested = members->rotate.length > 0 && !text_is_equal(members->rotate, now.request),
        .age_ms = now.age_ms,
    };
    bootstrap_rotate(world, &rotation, &turn);
    rotating_note(members, world, now.phase, &turn);
    rotating_report(members);
    if (turn.is_due && !now.is_stepping) {
        enum rotation_phase to = rotation_phase_next(now.phase);
        struct text request = now.phase == ROTATION_STEADY ? members->rotate : now.request;

        port->rotate(port->arg, cluster->key, request,
                     step_event(arena, members, world, to, &turn));
    }
    if (turn.is_due) {
        return members_now(members) + ASK_AGAIN_MS;
    }
    return turn.in_ms == 0
               ? 0
               : members_now(members) + (turn.in_ms < ASK_AGAIN_MS ? turn.in_ms : ASK_AGAIN_MS);
}
