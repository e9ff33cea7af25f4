#include "conformance/conformance_parts.h"

/* public names start with: rule_ */

/* Tests of creating and listing machines. */

enum { AT_ONCE = 6, MANY = 4, LOOK_MS = 50 };

void rule_same_token(struct conformance_stage *stage)
{
    struct conformance_machine *machine = stage_machine(stage, stage_cluster(stage));

    if (stage_make(stage, stage->main, machine) && stage_make(stage, stage->main, machine)) {
        (void)stage_see(stage, machine, 1, "after two calls of create with one token,");
    }
}

/* Tests concurrent creates with one token: all calls are active before the first one is
 * answered. */
void rule_same_token_at_once(struct conformance_stage *stage)
{
    struct conformance_machine *machine = stage_machine(stage, stage_cluster(stage));
    struct wire_call request = stage_request(stage, machine);
    struct conformance_reply *replies[AT_ONCE];

    for (size_t i = 0; i < AT_ONCE; i++) {
        replies[i] = stage_ask(stage, stage->main, WIRE_CREATE, &request);
    }
    for (size_t i = 0; i < AT_ONCE; i++) {
        stage_wait(stage, replies[i]);
        if (replies[i]->outcome == OUTCOME_OK && machine->id.length == 0) {
            machine->id = replies[i]->answer.id;
        }
        stage_doubt(stage, machine, replies[i]);
    }
    /* a rejected call may mean that another call is creating the machine */
    for (size_t i = 0; i < AT_ONCE; i++) {
        if (replies[i]->outcome == OUTCOME_OK &&
            !text_is_equal(replies[i]->answer.id, machine->id)) {
            stage_broken(
                stage,
                "called %d times concurrently with one token, create made '%.*s' and '%.*s': two threads may hold the same token at the same time",
                AT_ONCE, TEXT_ARG(machine->id), TEXT_ARG(replies[i]->answer.id));
            return;
        }
    }
    if (stage_make(stage, stage->main, machine)) {
        (void)stage_see(stage, machine, 1,
                        "after several concurrent calls of create with one token,");
    }
}

void rule_tokens_differ(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *one = stage_machine(stage, cluster);
    struct conformance_machine *two = stage_machine(stage, cluster);

    if (!stage_make(stage, stage->main, one) || !stage_make(stage, stage->main, two)) {
        return;
    }
    if (text_is_equal(one->id, two->id)) {
        stage_broken(stage,
                     "two tokens gave the same machine '%.*s': each token must give its own "
                     "machine",
                     TEXT_ARG(one->id));
        return;
    }
    if (stage_see(stage, one, 2, "after two machines were created,")) {
        (void)stage_see(stage, two, 2, "after two machines were created,");
    }
}

void rule_listed(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    const struct provider_row *row;
    struct conformance_reply *reply;

    if (!stage_list(stage, cluster, &reply)) {
        return;
    }
    if (reply->answer.count > 0) {
        stage_broken(stage, "for a cluster without machines, describe lists '%.*s'",
                     TEXT_ARG(reply->answer.rows[0].id));
        return;
    }
    if (!stage_make(stage, stage->main, machine) ||
        !stage_see(stage, machine, 1, "after create returned OK,") ||
        !stage_find(stage, cluster, machine->id, &row)) {
        return;
    }
    if (row == NULL) {
        stage_broken(stage,
                     "describe lists machine '%.*s', but finds nothing when called with its id",
                     TEXT_ARG(machine->id));
    }
}

/* ---- tags ---- */

static bool tag_check(struct conformance_stage *stage, const char *name, struct text wanted,
                      struct text got)
{
    if (text_is_equal(wanted, got)) {
        return true;
    }
    if (got.length == 0) {
        return stage_broken(
            stage, "describe has lost the tag %s: store every tag of the request and return it",
            name);
    }
    return stage_broken(stage, "describe gives the tag %s as '%.*s', but create received '%.*s'",
                        name, TEXT_ARG(got), TEXT_ARG(wanted));
}

static bool rules_make_tags_check(struct conformance_stage *stage,
                                  const struct conformance_machine *machine,
                                  const struct provider_row *row)
{
    const struct provider_tags *wanted = &machine->tags;
    struct arena *arena = stage->arena;

    return tag_check(stage, "reeve.cluster_id", wanted->cluster, row->tags.cluster) &&
           tag_check(stage, "reeve.incarnation", wanted->life, row->tags.life) &&
           tag_check(stage, "reeve.group", wanted->group, row->tags.group) &&
           tag_check(stage, "reeve.token", wanted->token, row->tags.token) &&
           tag_check(stage, "reeve.mac", wanted->mac, row->tags.mac) &&
           tag_check(stage, "reeve.logical_id", arena_number(arena, (int64_t)wanted->slot),
                     arena_number(arena, (int64_t)row->tags.slot));
}

void rule_tags(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    const struct provider_row *row;
    struct conformance_reply *reply;

    if (!stage_make(stage, stage->main, machine) ||
        !stage_see(stage, machine, 1, "after create returned OK,") ||
        !stage_list_with(stage, machine, &reply) ||
        !stage_find(stage, cluster, machine->id, &row)) {
        return;
    }
    if (stage_row(reply, machine->id) == NULL || row == NULL) {
        stage_broken(stage, "machine '%.*s' is in one listing and missing in a later one",
                     TEXT_ARG(machine->id));
        return;
    }
    if (rules_make_tags_check(stage, machine, stage_row(reply, machine->id))) {
        (void)rules_make_tags_check(stage, machine, row);
    }
}

void rule_runs(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machine = stage_machine(stage, cluster);
    uint64_t most = stage->patience.create_ms;

    if (!stage_make(stage, stage->main, machine) ||
        !stage_see(stage, machine, 1, "after create returned OK,")) {
        return;
    }
    for (uint64_t waited = 0;; waited += LOOK_MS) {
        const struct provider_row *row;

        if (!stage_find(stage, cluster, machine->id, &row) ||
            (row != NULL && row->state == PLAN_ROW_RUNNING)) {
            return;
        }
        if (row == NULL || row->state != PLAN_ROW_PENDING || waited > most) {
            stage_broken(stage, "machine '%.*s' was created, but %s", TEXT_ARG(machine->id),
                         row == NULL                       ? "has disappeared or ended"
                         : row->state == PLAN_ROW_STOPPED  ? "is stopped"
                         : row->state == PLAN_ROW_STOPPING ? "is stopping"
                                                           : "does not reach the state running");
            return;
        }
        stage_pause(stage, LOOK_MS);
    }
}

void rule_listing_whole(struct conformance_stage *stage)
{
    struct text cluster = stage_cluster(stage);
    struct conformance_machine *machines[MANY];

    for (size_t i = 0; i < MANY; i++) {
        machines[i] = stage_machine(stage, cluster);
        if (!stage_make(stage, stage->main, machines[i])) {
            return;
        }
    }
    for (size_t i = 0; i < MANY; i++) {
        if (!stage_see(stage, machines[i], MANY, "after several machines were created,")) {
            return;
        }
    }
}
