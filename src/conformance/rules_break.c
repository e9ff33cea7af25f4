#include "conformance/conformance_parts.h"

/* public names start with: rule_ */

/* Tests the state after the process was killed during a call, after its manager disconnected, and
 * after calls timed out. Each test is repeated at moments that the seed determines. */

enum { ROUNDS = 5, CREATE_ROUNDS = 10, TIME_SCALE_MS = 1 };

/* Creates one machine, because the duration of calls is unknown before the first one. */
static bool rules_break_begin(struct conformance_stage *stage, struct text cluster,
                              struct conformance_machine **out)
{
    *out = stage_machine(stage, cluster);
    return stage_make(stage, stage->main, *out) &&
           stage_see(stage, *out, 1, "after create returned OK,");
}

/* Waits until an abandoned call can no longer take effect. */
static void late_pause(struct conformance_stage *stage)
{
    uint64_t patience = stage->options->patience_ms;
    uint64_t late = stage->main->traits.late_ms;
    uint64_t most = patience != 0 && patience < LIMIT_CONFORMANCE_WAIT_MS
                        ? patience
                        : LIMIT_CONFORMANCE_WAIT_MS;

    stage_pause(stage, late < most ? late : most);
}

/* Makes sure that the process runs before it is killed. */
static bool warm(struct conformance_stage *stage, struct text cluster)
{
    struct conformance_reply *reply;

    return stage_list(stage, cluster, &reply);
}

/* Interrupts creates with `cut` and repeats them with the same token. Each token must have one
 * machine, even after all interrupted calls had time to take effect. The rule waits once for all
 * calls. */
static void cut_create(struct conformance_stage *stage, size_t rounds,
                       void (*cut)(struct conformance_stage *stage,
                                   struct conformance_reply *reply),
                       const char *after)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine;

    if (!rules_break_begin(stage, cluster, &machine)) {
        return;
    }
    for (size_t i = 0; i < rounds; i++) {
        struct conformance_reply *reply;
        struct wire_call request;

        machine = stage_machine(stage, cluster);
        request = stage_request(stage, machine);
        if (!warm(stage, cluster)) {
            return;
        }
        reply = stage_ask(stage, stage->main, WIRE_CREATE, &request);
        cut(stage, reply);
        if (reply->outcome == OUTCOME_OK) {
            machine->id = reply->answer.id;
        }
        stage_doubt(stage, machine, reply);
        if (!stage_make(stage, stage->main, machine) || !stage_see(stage, machine, i + 2, after)) {
            return;
        }
    }
    late_pause(stage);
    (void)stage_see(stage, machine, rounds + 1, after);
}

void rule_killed_create(struct conformance_stage *stage)
{
    cut_create(stage, CREATE_ROUNDS, stage_kill_during,
               "after create was killed and called again with its token,");
}

void rule_killed_destroy(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *neighbour;

    if (!rules_break_begin(stage, cluster, &neighbour)) {
        return;
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        struct conformance_machine *machine = stage_machine(stage, cluster);
        struct wire_call wire;

        if (!stage_make(stage, stage->main, machine)) {
            return;
        }
        wire = stage_about(machine);
        machine->is_destroyed = true;
        stage_kill_during(stage, stage_ask(stage, stage->main, WIRE_DESTROY, &wire));
        if (!stage_destroy(stage, cluster, machine->id) || !stage_see_gone(stage, machine) ||
            !stage_see(stage, neighbour, 1, "after destroy of another machine was killed,")) {
            return;
        }
    }
}

/* Kills the process during a call that keeps the machine, then expects that the repeated call
 * succeeds. */
static void killed_check(struct conformance_stage *stage, enum wire_method method,
                         const char *after)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine;

    if (!rules_break_begin(stage, cluster, &machine)) {
        return;
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        struct wire_call wire = stage_about(machine);
        struct conformance_reply *reply;

        wire.properties = stage->properties;
        wire.labels = TEXT("{\"labels\":{\"made-by\":\"kit\"},\"owner\":\"kit\"}");
        if (!warm(stage, cluster)) {
            return;
        }
        stage_kill_during(stage, stage_ask(stage, stage->main, method, &wire));
        if (!stage_call(stage, stage->main, method, &wire, &reply) ||
            !stage_see(stage, machine, 1, after)) {
            return;
        }
    }
}

static void killed_optional(struct conformance_stage *stage, enum wire_method method,
                            const char *lacks, const char *after)
{
    if ((stage->about->hello.methods >> method & 1) == 0) {
        stage_not_tried(stage, lacks);
        return;
    }
    killed_check(stage, method, after);
}

void rule_killed_describe(struct conformance_stage *stage)
{
    killed_check(stage, WIRE_DESCRIBE, "after describe was killed,");
}

void rule_killed_validate(struct conformance_stage *stage)
{
    killed_optional(stage, WIRE_VALIDATE, "the plugin does not implement validate",
                    "after validate was killed,");
}

void rule_killed_label(struct conformance_stage *stage)
{
    killed_optional(stage, WIRE_LABEL, "the plugin does not implement label",
                    "after label was killed,");
}

void rule_killed_reboot(struct conformance_stage *stage)
{
    killed_optional(stage, WIRE_REBOOT, "the plugin does not implement reboot",
                    "after reboot was killed,");
}

/* Closes the socket during a create, as when a manager is killed. The next manager's process calls
 * with the same token while the old process ends. */
static void manager_change(struct conformance_stage *stage, struct conformance_reply *reply)
{
    (void)reply;
    stage_renew(stage, &stage->facts);
}

void rule_cut_off(struct conformance_stage *stage)
{
    cut_create(stage, ROUNDS, manager_change,
               "after the manager of a create was killed and the next one called with its token,");
}

/* Tests a call whose answer times out, and a second call that arrives while the first one is
 * active. */
void rule_given_up(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    struct wire_call request = stage_request(stage, machine);

    stage->hasty.hello.create_ms = TIME_SCALE_MS;
    stage_renew(stage, &stage->hasty);
    if (warm(stage, cluster)) {
        struct conformance_reply *reply = stage_ask(stage, stage->main, WIRE_CREATE, &request);

        stage_wait(stage, reply);
        stage->hasty.hello.create_ms = stage->facts.hello.create_ms;
        if (reply->outcome == OUTCOME_OK) {
            machine->id = reply->answer.id;
        }
        stage_doubt(stage, machine, reply);
        if (stage_make(stage, stage->main, machine)) {
            late_pause(stage);
            (void)stage_see(
                stage, machine, 1,
                "after a create was abandoned at its deadline and called again with its token,");
        }
    }
    stage_renew(stage, &stage->facts);
}
