#include "conformance/conformance_parts.h"

/* public names start with: rule_ */

/* Tests of values that must not change by themselves (ids, tags, other machines), and of values
 * that a change of a machine must not affect. */

enum { LOOKS = 5, LOOK_MS = 50 };

/* Creates a machine that runs. Returns false if that failed, which is reported. */
static bool rules_stay_begin(struct conformance_stage *stage, struct text cluster,
                             struct conformance_machine **out)
{
    *out = stage_machine(stage, cluster);
    return stage_make(stage, stage->main, *out) &&
           stage_see(stage, *out, 1, "after create returned OK,");
}

/* Checks that the machine still has its id and token. */
static bool same_check(struct conformance_stage *stage, const struct conformance_machine *machine,
                       const char *after)
{
    const struct provider_row *row;

    if (!stage_find(stage, machine->tags.cluster, machine->id, &row)) {
        return false;
    }
    if (row == NULL) {
        return stage_broken(stage, "%s machine '%.*s' is not found by its id", after,
                            TEXT_ARG(machine->id));
    }
    return text_is_equal(row->tags.token, machine->tags.token) ||
           stage_broken(stage, "%s machine '%.*s' has lost its tag reeve.token", after,
                        TEXT_ARG(machine->id));
}

void rule_id_stays(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine;

    if (!rules_stay_begin(stage, cluster, &machine)) {
        return;
    }
    for (int i = 0; i < LOOKS; i++) {
        struct conformance_reply *reply;

        if (!stage_list(stage, cluster, &reply)) {
            return;
        }
        for (size_t j = 0; j < reply->answer.count; j++) {
            const struct provider_row *row = &reply->answer.rows[j];

            if (stage_row(reply, machine->id) == NULL && !text_is_equal(row->id, machine->id) &&
                text_is_equal(row->tags.token, machine->tags.token)) {
                stage_broken(
                    stage,
                    "the machine that create returned as '%.*s' is listed as '%.*s' later: an id "
                    "must never change",
                    TEXT_ARG(machine->id), TEXT_ARG(row->id));
                return;
            }
        }
    }
    stage_renew(stage, &stage->facts);
    (void)same_check(stage, machine, "after the process of the plugin was restarted,");
}

void rule_mark(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine;
    struct conformance_machine *second;
    struct conformance_reply *reply;
    struct text mark;

    if (!rules_stay_begin(stage, cluster, &machine) || !stage_list(stage, cluster, &reply)) {
        return;
    }
    mark = reply->answer.mark;
    if (mark.length == 0) {
        stage_not_tried(stage, "describe returns no marker");
        return;
    }
    second = stage_machine(stage, cluster);
    if (!stage_make(stage, stage->main, second) ||
        !stage_see(stage, second, 2, "after another machine was created,") ||
        !stage_call(stage, stage->main, WIRE_DESCRIBE,
                    &(struct wire_call){ .cluster = cluster, .known = mark }, &reply)) {
        return;
    }
    if (reply->answer.is_same) {
        stage_broken(
            stage,
            "called with the marker of an earlier listing, describe reports that nothing has changed, "
            "although a machine was created since then");
    }
}

void rule_strangers(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct text other = stage_cluster(stage);
    const struct provider_row *row;
    struct conformance_machine *machine;
    struct conformance_reply *reply;

    if (!rules_stay_begin(stage, cluster, &machine) || !stage_list(stage, other, &reply)) {
        return;
    }
    if (reply->answer.count > 0) {
        stage_broken(stage,
                     "called for cluster %.*s, describe lists machine '%.*s' of cluster "
                     "%.*s",
                     TEXT_ARG(other), TEXT_ARG(reply->answer.rows[0].id), TEXT_ARG(cluster));
        return;
    }
    if (stage_find(stage, other, machine->id, &row) && row != NULL) {
        stage_broken(
            stage,
            "called with an id, describe shows cluster %.*s a machine of cluster %.*s: compare the "
            "tag reeve.cluster_id",
            TEXT_ARG(other), TEXT_ARG(cluster));
    }
}

/* ---- changes of an existing machine ---- */

void rule_label(struct conformance_stage *stage)
{
    struct conformance_machine *machine;
    struct wire_call wire;
    struct conformance_reply *reply;

    if (!stage->main->traits.can_label) {
        stage_not_tried(stage, "the plugin does not implement label");
        return;
    }
    if (!rules_stay_begin(stage, stage_cluster(stage), &machine)) {
        return;
    }
    wire = stage_about(machine);
    wire.labels = TEXT("{\"labels\":{\"made-by\":\"kit\",\"more\":\"yes\"},\"owner\":\"kit\"}");
    if (stage_call(stage, stage->main, WIRE_LABEL, &wire, &reply) &&
        stage_call(stage, stage->main, WIRE_LABEL, &wire, &reply)) {
        (void)same_check(stage, machine, "after label,");
    }
}

void rule_reboot(struct conformance_stage *stage)
{
    struct conformance_machine *machine;
    struct wire_call wire;
    struct conformance_reply *reply;

    if (!stage->main->traits.can_reboot) {
        stage_not_tried(stage, "the plugin does not implement reboot");
        return;
    }
    if (!rules_stay_begin(stage, stage_cluster(stage), &machine)) {
        return;
    }
    wire = stage_about(machine);
    if (!stage_call(stage, stage->main, WIRE_REBOOT, &wire, &reply) ||
        !same_check(stage, machine, "after reboot,")) {
        return;
    }
    for (uint64_t waited = 0;; waited += LOOK_MS) {
        const struct provider_row *row;

        if (!stage_find(stage, machine->tags.cluster, machine->id, &row) ||
            (row != NULL && row->state == PLAN_ROW_RUNNING)) {
            return;
        }
        if (waited > stage->patience.change_ms) {
            stage_broken(stage, "after reboot machine '%.*s' does not reach the state running",
                         TEXT_ARG(machine->id));
            return;
        }
        stage_pause(stage, LOOK_MS);
    }
}
