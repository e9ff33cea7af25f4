#include "conformance/conformance_parts.h"

#include <string.h>

/* public names start with: rule_ */

/* Tests that `destroy` removes the requested machine completely, and no other machine. */

static bool rules_end_pair_make(struct conformance_stage *stage, struct text cluster,
                                struct text other, struct conformance_machine *out[2])
{
    out[0] = stage_machine(stage, cluster);
    out[1] = stage_machine(stage, other);
    return stage_make(stage, stage->main, out[0]) && stage_make(stage, stage->main, out[1]);
}

void rule_goes(struct conformance_stage *stage)
{
    struct conformance_machine *machine = stage_machine(stage, stage_cluster(stage));

    if (stage_make(stage, stage->main, machine) &&
        stage_see(stage, machine, 1, "after create returned OK,") &&
        stage_destroy(stage, machine->tags.cluster, machine->id)) {
        (void)stage_see_gone(stage, machine);
    }
}

void rule_destroy_twice(struct conformance_stage *stage)
{
    struct conformance_machine *machine = stage_machine(stage, stage_cluster(stage));

    if (stage_make(stage, stage->main, machine) &&
        stage_destroy(stage, machine->tags.cluster, machine->id) &&
        stage_destroy(stage, machine->tags.cluster, machine->id) &&
        stage_see_gone(stage, machine)) {
        (void)stage_destroy(stage, machine->tags.cluster, machine->id);
    }
}

/* Checks that another machine still exists; `what` describes the action. */
static void neighbour_check(struct conformance_stage *stage,
                            const struct conformance_machine *neighbour,
                            const struct conformance_machine *machine, const char *what)
{
    const struct provider_row *row;

    if (stage_find(stage, neighbour->tags.cluster, neighbour->id, &row) &&
        (row == NULL || !stage_is_live(row))) {
        stage_broken(
            stage,
            "%s '%.*s', machine '%.*s' of cluster %.*s is gone: destroy must end only the requested machine",
            what, TEXT_ARG(machine->id), TEXT_ARG(neighbour->id),
            TEXT_ARG(neighbour->tags.cluster));
    }
}

void rule_destroy_one(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machines[2];
    struct conformance_machine *third;

    if (!rules_end_pair_make(stage, cluster, cluster, machines)) {
        return;
    }
    third = stage_machine(stage, stage_cluster(stage));
    if (stage_make(stage, stage->main, third) &&
        stage_see(stage, machines[0], 2, "after two machines were created,") &&
        stage_destroy(stage, cluster, machines[0]->id)) {
        neighbour_check(stage, machines[1], machines[0], "after destroy of");
        neighbour_check(stage, third, machines[0], "after destroy of");
        (void)stage_see_gone(stage, machines[0]);
    }
}

void rule_other_cluster(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct text other = stage_cluster(stage);
    struct conformance_machine *machines[2];

    if (rules_end_pair_make(stage, cluster, other, machines) &&
        stage_see(stage, machines[1], 1, "after create returned OK,") &&
        stage_destroy(stage, cluster, machines[1]->id)) {
        neighbour_check(stage, machines[1], machines[1], "after destroy, for another cluster, of");
    }
}

/* ---- unknown ids ---- */

static bool change_check(struct conformance_stage *stage, enum wire_method method,
                         struct text cluster, struct text id)
{
    struct wire_call wire = {
        .cluster = cluster, .machine = id, .age_ms = UINT64_MAX, .labels = TEXT("{\"labels\":{}}")
    };
    struct conformance_reply *reply = stage_ask(stage, stage->main, method, &wire);

    stage_wait(stage, reply);
    return (reply->outcome == OUTCOME_REFUSED && (reply->answer.fault == PROVIDER_FAULT_GONE ||
                                                  reply->answer.fault == PROVIDER_FAULT_INVALID)) ||
           stage_broken(stage,
                        "%s of '%.*s', which does not exist, should return "
                        "REEVE_GONE%s%.*s",
                        method == WIRE_LABEL ? "label" : "reboot", TEXT_ARG(id),
                        reply->outcome == OUTCOME_OK ? ", but returns OK" : ": ",
                        TEXT_ARG(reply->answer.message));
}

static bool stranger_check(struct conformance_stage *stage, struct text cluster, struct text id)
{
    const struct provider_row *row;

    if (!stage_find(stage, cluster, id, &row)) {
        return false;
    }
    if (row != NULL) {
        return stage_broken(stage, "describe shows a machine '%.*s', which was never created",
                            TEXT_ARG(id));
    }
    if (!stage_destroy(stage, cluster, id)) {
        return false;
    }
    return (!stage->main->traits.can_label || change_check(stage, WIRE_LABEL, cluster, id)) &&
           (!stage->main->traits.can_reboot || change_check(stage, WIRE_REBOOT, cluster, id));
}

/* Tests ids that the provider could have issued, invented ids, and ids of the maximum length. */
void rule_unknown_ids(struct conformance_stage *stage)
{
    static const char *const ids[] = { "nobody",  "i-0123456789abcdef0", ".",      "..",
                                       "../..",   "/etc/passwd",         "a b%2e", "$(true)",
                                       "\xc3\xbc" };
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    char *longest = arena_alloc(stage->arena, LIMIT_MACHINE_ID_BYTES);

    memset(longest, 'x', LIMIT_MACHINE_ID_BYTES);
    if (!stage_make(stage, stage->main, machine)) {
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(ids); i++) {
        if (!stranger_check(stage, cluster, text_from(ids[i]))) {
            return;
        }
    }
    if (stranger_check(stage, cluster, (struct text){ longest, LIMIT_MACHINE_ID_BYTES })) {
        (void)stage_see(stage, machine, 1, "after destroy of ids of no machine,");
    }
}
