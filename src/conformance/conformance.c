#include "conformance/conformance.h"

#include "conformance/conformance_parts.h"

#include <assert.h>
#include <string.h>

/* The rules in order. Each rule uses clusters of its own; its machines are destroyed afterwards,
 * whatever its result. */

static const struct {
    const char *name;
    const char *function;
    const char *rule;
    conformance_rule *try;
} rules[] = {
    { "table", "reeve_property_v1", "the table of properties is consistent", rule_table },
    { "takes", "validate", "accepts the properties that the test uses", rule_takes },
    { "refuses", "validate", "rejects what its own table rejects, and reports why", rule_refuses },
    { "same-token", "create", "the same token is the same machine", rule_same_token },
    { "same-token-at-once", "create",
      "the same token gives the same machine, also in concurrent calls", rule_same_token_at_once },
    { "tokens-differ", "create", "another token gives another machine", rule_tokens_differ },
    { "listed", "describe", "a created machine is listed within the declared lag", rule_listed },
    { "tags", "describe", "every machine has the tags that create was given", rule_tags },
    { "runs", "describe", "a created machine starts to run", rule_runs },
    { "whole", "describe", "a listing is complete and has each machine once", rule_listing_whole },
    { "id-stays", "describe", "an id never changes", rule_id_stays },
    { "mark", "describe", "\"unchanged\" is reported only if nothing has changed", rule_mark },
    { "strangers", "describe", "machines of another cluster are not shown", rule_strangers },
    { "label", "label", "labels change; id and tags do not", rule_label },
    { "reboot", "reboot", "the machine runs again; id and tags do not change", rule_reboot },
    { "goes", "destroy", "a destroyed machine disappears", rule_goes },
    { "destroy-twice", "destroy", "destroying a missing machine succeeds", rule_destroy_twice },
    { "destroy-one", "destroy", "destroys only the named machine", rule_destroy_one },
    { "other-cluster", "destroy", "destroys nothing of another cluster", rule_other_cluster },
    { "unknown-ids", "describe", "an unknown id counts as gone, whatever its form",
      rule_unknown_ids },
    { "killed-create", "create", "killed during the call, the same token is still one machine",
      rule_killed_create },
    { "killed-destroy", "destroy", "killed during the call, it can be called again",
      rule_killed_destroy },
    { "killed-describe", "describe", "killed during the call, nothing is lost",
      rule_killed_describe },
    { "killed-validate", "validate", "killed during the call, nothing is lost",
      rule_killed_validate },
    { "killed-label", "label", "killed during the call, it can be called again",
      rule_killed_label },
    { "killed-reboot", "reboot", "killed during the call, it can be called again",
      rule_killed_reboot },
    { "cut-off", "create", "two managers, one after the other, get the same machine",
      rule_cut_off },
    { "given-up", "create", "abandoned at its deadline, the same token is still one machine",
      rule_given_up },
    { "growth", "describe", "its process does not use more and more resources", rule_growth },
    { "leftovers", "destroy", "nothing of the test remains", rule_leftovers },
};

size_t conformance_rule_count(void)
{
    return ARRAY_COUNT(rules);
}

/* ---- cleaning ---- */

/* Requests the destruction of all listed machines. Failures show up only as remaining machines. */
static size_t rows_destroy(struct conformance_stage *stage, struct text cluster)
{
    struct wire_call wire = { .cluster = cluster };
    struct conformance_reply *reply = stage_ask(stage, stage->main, WIRE_DESCRIBE, &wire);

    stage_wait(stage, reply);
    if (reply->outcome != OUTCOME_OK) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < reply->answer.count; i++) {
        wire.machine = reply->answer.rows[i].id;
        wire.reason = TEXT("terminate");
        stage_wait(stage, stage_ask(stage, stage->main, WIRE_DESTROY, &wire));
    }
    return reply->answer.count;
}

static bool cluster_clean(struct conformance_stage *stage, struct text cluster)
{
    enum { TRIES = 6, FIRST_MS = 10 };

    for (unsigned i = stage->used.length > 0 ? TRIES - 1 : 0; i < TRIES && !stage_is_over(stage);
         i++) {
        if (rows_destroy(stage, cluster) == 0) {
            return true;
        }
        stage_pause(stage, stage->used.length > 0 ? 0 : (uint64_t)FIRST_MS << (2 * i));
    }
    return false;
}

static void rule_clean(struct conformance_stage *stage)
{
    for (size_t i = 0; i < stage->cluster_count; i++) {
        if (!cluster_clean(stage, stage->clusters[i])) {
            buf_printf(&stage->used, "%.*s\n", TEXT_ARG(stage->clusters[i]));
        }
    }
    stage->cluster_count = 0;
}

/* ---- testing ---- */

static void rule_run(struct conformance_stage *stage, size_t i)
{
    stage->now = i;
    if (stage_is_over(stage)) {
        stage_not_tried(stage, "too many calls had no answer in time: the remaining rules were not "
                               "tried");
    } else {
        rules[i].try(stage);
        rule_clean(stage);
    }
    stage->result->broken += stage->findings[i].verdict == CONFORMANCE_BROKEN;
    stage->result->not_tried += stage->findings[i].verdict == CONFORMANCE_NOT_TRIED;
    if (stage->options->reported != NULL) {
        stage->options->reported(stage->options->arg, i);
    }
}

bool conformance_test(struct arena *arena, const struct conformance_options *options,
                      const struct conformance_about *about, struct conformance_result *out,
                      struct err *err)
{
    struct conformance_finding *findings =
        arena_array(arena, struct conformance_finding, ARRAY_COUNT(rules));
    struct conformance_stage *stage;

    assert(options->program[0] == '/' && options->scratch != NULL);
    if (!stage_open(arena, options, about, &stage, err)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        findings[i] = (struct conformance_finding){ .name = rules[i].name,
                                                    .function = rules[i].function,
                                                    .rule = rules[i].rule };
    }
    *out = (struct conformance_result){ .findings = findings,
                                        .count = ARRAY_COUNT(rules),
                                        .properties = stage->properties };
    stage->findings = findings;
    stage->result = out;
    for (size_t i = 0; i < ARRAY_COUNT(rules); i++) {
        rule_run(stage, i);
    }
    out->remains = buf_text(&stage->used);
    stage_close(stage);
    assert(out->broken + out->not_tried <= out->count);
    return true;
}
