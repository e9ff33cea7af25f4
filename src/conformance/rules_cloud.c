#include "conformance/conformance_parts.h"

/* public names start with: rule_ */

/* Tests of properties that clouds have: listings that lag, tokens that are used up, resources
 * besides machines, and checks before a create. */

enum { LEFT_LOOK_MS = 100 };

static bool rules_cloud_has(struct conformance_stage *stage, enum wire_method method,
                            const char *lacks)
{
    if ((stage->about->hello.methods >> method & 1) == 0) {
        stage_not_tried(stage, lacks);
        return false;
    }
    return true;
}

/* Destroys a machine that listings may not show yet. "Not found" is no proof for a new machine: a
 * plugin that accepts it as proof leaks the machine. */
void rule_young_destroy(struct conformance_stage *stage)
{
    struct conformance_machine *machine = stage_machine(stage, stage_cluster(stage));

    if (stage_make(stage, stage->main, machine) &&
        stage_destroy(stage, machine->tags.cluster, machine->id)) {
        if (stage->main->traits.lag_ms > 0) {
            stage_pause(stage, stage_lag_ms(stage));
        }
        (void)stage_see_gone(stage, machine);
    }
}

/* Creates a machine, destroys it, and calls create with its token again. */
void rule_gone_token(struct conformance_stage *stage)
{
    struct conformance_machine *machine = stage_machine(stage, stage_cluster(stage));
    struct conformance_reply *reply;
    struct wire_call request;

    if (!stage_make(stage, stage->main, machine) ||
        !stage_see(stage, machine, 1, "after create returned OK,") ||
        !stage_destroy(stage, machine->tags.cluster, machine->id) ||
        !stage_see_gone(stage, machine)) {
        return;
    }
    if (stage->main->traits.lag_ms > 0) {
        /* another replica of the provider may still list the destroyed machine, which would look
         * like a second machine with the token */
        stage_pause(stage, stage_lag_ms(stage));
    }
    request = stage_request(stage, machine);
    reply = stage_make_try(stage, stage->main, machine, &request);
    if (reply != NULL && reply->outcome == OUTCOME_REFUSED &&
        reply->answer.fault == PROVIDER_FAULT_GONE) {
        return;
    }
    if (reply != NULL && reply->outcome != OUTCOME_OK) {
        stage_broken(stage,
                     "create, called with the token of a machine that has ended, returns '%s': "
                     "return REEVE_GONE, or create another machine; otherwise its slot stays empty",
                     reply->outcome == OUTCOME_UNKNOWN ? "unknown"
                                                       : provider_fault_name(reply->answer.fault));
        return;
    }
    machine->id = reply != NULL ? reply->answer.id : machine->id;
    machine->is_destroyed = false;
    machine->begun_us += stage_age_ms(machine) * 1000;
    (void)stage_see(stage, machine, 1,
                    "after create returned OK for the token of a machine that has ended,");
}

/* Tests that nothing of a machine remains when it is destroyed: ports, addresses, disks. */
void rule_resources_left(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    struct wire_call wire = { .cluster = cluster, .age_ms = UINT64_MAX };
    uint64_t most = stage->patience.change_ms + stage_lag_ms(stage);

    if (!rules_cloud_has(stage, WIRE_RESOURCES, "the plugin does not implement resources") ||
        !stage_make(stage, stage->main, machine) ||
        !stage_see(stage, machine, 1, "after create returned OK,") ||
        !stage_destroy(stage, cluster, machine->id) || !stage_see_gone(stage, machine)) {
        return;
    }
    for (uint64_t waited = 0;; waited += LEFT_LOOK_MS) {
        struct conformance_reply *reply;

        if (!stage_call(stage, stage->main, WIRE_RESOURCES, &wire, &reply) ||
            reply->answer.resource_count == 0) {
            return;
        }
        if (waited > most) {
            stage_broken(
                stage,
                "after the only machine of the cluster was destroyed, resources lists %.*s "
                "'%.*s': destroy ends everything that create made",
                TEXT_ARG(reply->answer.resources[0].kind), TEXT_ARG(reply->answer.resources[0].id));
            return;
        }
        stage_pause(stage, LEFT_LOOK_MS);
    }
}

/* ---- preflight ---- */

static bool preflight_check(struct conformance_stage *stage, const struct provider_preflight *found)
{
    if (found->problem.length > 0) {
        return stage_broken(stage, "preflight could not check anything: %.*s",
                            TEXT_ARG(found->problem));
    }
    if (found->faults.count > 0) {
        const struct wire_pair *fault = wire_item(found->faults, struct wire_pair, 0);

        return stage_broken(stage,
                            "preflight rejects properties that create accepts: %.*s: "
                            "%.*s",
                            TEXT_ARG(fault->name), TEXT_ARG(fault->value));
    }
    return true;
}

static struct wire_call rules_cloud_need(struct conformance_stage *stage, struct text cluster)
{
    return (struct wire_call){
        .cluster = cluster, .properties = stage->properties, .count = 1, .age_ms = UINT64_MAX
    };
}

void rule_preflight_all(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    struct wire_call wire = rules_cloud_need(stage, cluster);
    struct conformance_reply *reply;

    if (!rules_cloud_has(stage, WIRE_PREFLIGHT, "the plugin does not implement preflight") ||
        !preflight_check(stage, stage_preflight(stage, &wire))) {
        return;
    }
    stage_pause(stage, stage->main->traits.lag_ms);
    if (stage_list(stage, cluster, &reply) && reply->answer.count > 0) {
        stage_broken(stage, "preflight has created machine '%.*s': it must not change anything",
                     TEXT_ARG(reply->answer.rows[0].id));
        return;
    }
    (void)stage_make(stage, stage->main, machine);
}

void rule_pinned(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    struct wire_call wire = rules_cloud_need(stage, cluster);
    const struct provider_preflight *first;

    if (!rules_cloud_has(stage, WIRE_PREFLIGHT, "the plugin does not implement preflight")) {
        return;
    }
    first = stage_preflight(stage, &wire);
    if (!preflight_check(stage, first)) {
        return;
    }
    if (first->pins.count == 0) {
        stage_not_tried(stage, "preflight pins nothing of the properties of the test");
        return;
    }
    wire = stage_request(stage, machine);
    wire.pins = first->pins;
    /* the second call must return the same machine */
    if (stage_make_as(stage, stage->main, machine, &wire)) {
        (void)stage_make_as(stage, stage->main, machine, &wire);
    }
}
