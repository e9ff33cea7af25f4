#include "conformance/conformance.h"

#include "conformance/conformance_parts.h"

#include <assert.h>
#include <string.h>

/* The rules in order. Each rule uses its own clusters; its machines are destroyed afterwards,
 * regardless of the result. */

static const struct {
    const char *name;
    const char *function;
    const char *rule;
    conformance_rule *try;
} rules[] = {
    { "table", "reeve_property_v1", "the table of properties is consistent", rule_table },
    { "takes", "validate", "accepts the properties that the test uses", rule_takes },
    { "refuses", "validate", "rejects the values that its own table rejects, with the reason",
      rule_refuses },
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
    { "destroy-one", "destroy", "destroys only the requested machine", rule_destroy_one },
    { "other-cluster", "destroy", "destroys nothing of another cluster", rule_other_cluster },
    { "unknown-ids", "describe", "an unknown id counts as gone, regardless of its form",
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
    { "young-destroy", "destroy", "a machine that is not listed yet is destroyed nevertheless",
      rule_young_destroy },
    { "gone-token", "create", "the token of a machine that has ended is answered definitely",
      rule_gone_token },
    { "resources-left", "resources", "nothing remains of a destroyed machine",
      rule_resources_left },
    { "preflight-all", "preflight", "accepts the same values as create, and changes nothing",
      rule_preflight_all },
    { "pinned", "create", "pinned values are used", rule_pinned },
    { "growth", "describe", "the process of the plugin does not use more and more resources",
      rule_growth },
    { "leftovers", "destroy", "nothing of the test remains", rule_leftovers },
};

size_t conformance_rule_count(void)
{
    return ARRAY_COUNT(rules);
}

/* ---- cleaning ---- */

/* Requests the destruction of a machine. Like a manager, it repeats the request after an unknown
 * outcome: the machine may have ended and no longer be listed, while its ports or disks remain. The
 * request is not repeated if the process ended, because it would end again, after a longer pause
 * each time. */
static void row_destroy(struct conformance_stage *stage, const struct wire_call *wire)
{
    enum { TRIES = 8, PAUSE_MS = 50 };
    uint64_t starts = hosted_state(stage->main).starts;
    /* an earlier request may have had an effect, regardless of the outcome of later requests */
    bool is_begun = false;

    for (int i = 0; i < TRIES; i++) {
        struct conformance_reply *reply = stage_ask(stage, stage->main, WIRE_DESTROY, wire);

        stage_wait(stage, reply);
        is_begun |= reply->outcome == OUTCOME_UNKNOWN;
        if (reply->outcome == OUTCOME_OK || !is_begun || hosted_state(stage->main).pid == 0 ||
            hosted_state(stage->main).starts != starts) {
            return;
        }
        stage_pause(stage, (uint64_t)PAUSE_MS << i);
    }
}

/* Requests the destruction of all listed machines. Failures are not reported here; they are visible
 * as remaining machines. */
static size_t rows_destroy(struct conformance_stage *stage, struct text cluster)
{
    struct wire_call wire = { .cluster = cluster, .age_ms = UINT64_MAX };
    struct conformance_reply *reply = stage_ask(stage, stage->main, WIRE_DESCRIBE, &wire);
    size_t count = 0;

    stage_wait(stage, reply);
    if (reply->outcome != OUTCOME_OK) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < reply->answer.count; i++) {
        if (reply->answer.rows[i].state != PLAN_ROW_ENDED) {
            wire = stage_about_id(stage, cluster, reply->answer.rows[i].id);
            row_destroy(stage, &wire);
            count++;
        }
    }
    return count;
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

/* Returns how long listings must stay empty before the suite knows that no machine can still
 * appear. 0: listings are never stale. */
static uint64_t quiet_ms(const struct conformance_stage *stage)
{
    const struct provider_traits *traits = &stage->main->traits;

    return traits->lag_ms == 0 || traits->is_strong ? 0
                                                    : stage_lag_ms(stage) + stage_doubt_ms(stage);
}

/* Destroys the machines of a rule. If listings may be outdated, the clusters are listed again after
 * the last rule. */
static void rule_clean(struct conformance_stage *stage)
{
    for (size_t i = 0; i < stage->cluster_count; i++) {
        if (quiet_ms(stage) > 0) {
            (void)rows_destroy(stage, stage->clusters[i]);
            buf_printf(&stage->later, "%.*s\n", TEXT_ARG(stage->clusters[i]));
        } else if (!cluster_clean(stage, stage->clusters[i])) {
            buf_printf(&stage->used, "%.*s\n", TEXT_ARG(stage->clusters[i]));
        }
    }
    stage->cluster_count = 0;
}

/* Destroys all listed machines of the clusters in `stage->later`. `out`, if not NULL, gets the
 * clusters that have machines. Returns whether any cluster has machines. */
static bool later_destroy(struct conformance_stage *stage, struct buf *out)
{
    struct text rest = buf_text(&stage->later);
    bool is_any = false;

    while (rest.length > 0) {
        struct text cluster = text_slice(rest, 0, text_find_byte(rest, '\n'));

        if (rows_destroy(stage, cluster) != 0) {
            is_any = true;
            if (out != NULL) {
                buf_printf(out, "%.*s\n", TEXT_ARG(cluster));
            }
        }
        rest = text_slice(rest, cluster.length + 1, rest.length);
    }
    return is_any;
}

/* Destroys listed machines until the listings were empty for the whole time of quiet_ms. */
static void later_clean(struct conformance_stage *stage)
{
    enum { LOOK_MS = 200 };
    uint64_t most = stage->patience.change_ms + 3 * quiet_ms(stage);
    /* start of the first of the latest consecutive empty listings */
    uint64_t since_ms = UINT64_MAX;

    for (uint64_t waited = 0; stage->later.length > 0 && !stage_is_over(stage); waited += LOOK_MS) {
        bool is_last = waited > most;
        uint64_t begun_ms = stage_now_ms();

        since_ms = begun_ms < since_ms ? begun_ms : since_ms;
        if (later_destroy(stage, is_last ? &stage->used : NULL)) {
            since_ms = UINT64_MAX;
        }
        if (is_last || (since_ms <= begun_ms && begun_ms - since_ms > quiet_ms(stage))) {
            break;
        }
        stage_pause(stage, LOOK_MS);
    }
}

/* ---- testing ---- */

static void rule_run(struct conformance_stage *stage, size_t i)
{
    stage->now = i;
    if (stage_is_over(stage)) {
        stage_not_tried(stage, "too many calls had no answer in time: the remaining rules were not "
                               "tried");
    } else {
        if (i + 1 == ARRAY_COUNT(rules)) {
            later_clean(stage); /* the last rule reports what remains */
        }
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
