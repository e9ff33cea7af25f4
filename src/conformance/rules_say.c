#include "conformance/conformance_parts.h"

/* public names start with: rule_ */

/* Tests of the plugin's table of properties and of its function `validate`. */

void rule_table(struct conformance_stage *stage)
{
    const struct conformance_about *about = stage->about;
    struct buf words;

    if (about->fault_count == 0) {
        return;
    }
    buf_init(&words, stage->arena);
    for (size_t i = 0; i < about->fault_count; i++) {
        buf_printf(&words, "%s%.*s", i == 0 ? "" : "; ", TEXT_ARG(about->faults[i]));
    }
    stage_broken(stage, "%.*s", TEXT_ARG(buf_text(&words)));
}

static bool has(const struct conformance_stage *stage, enum wire_method method)
{
    return (stage->about->hello.methods >> method & 1) != 0;
}

void rule_takes(struct conformance_stage *stage)
{
    struct wire_call wire = { .properties = stage->properties };
    struct conformance_reply *reply;

    if (!has(stage, WIRE_VALIDATE)) {
        stage_not_tried(
            stage, "the plugin does not implement validate: only its table of properties is used");
        return;
    }
    (void)stage_call(stage, stage->main, WIRE_VALIDATE, &wire, &reply);
}

/* Checks that the properties are rejected as invalid, with a message for the user. */
static bool refusal_check(struct conformance_stage *stage, struct conformance_reply *reply,
                          struct text wrong)
{
    if (reply->outcome == OUTCOME_OK) {
        return stage_broken(stage, "validate accepts %.*s, which the plugin's own table refuses",
                            TEXT_ARG(wrong));
    }
    if (reply->answer.fault != PROVIDER_FAULT_INVALID) {
        return stage_broken(stage, "validate of %.*s returns '%s' instead of REEVE_INVALID: %.*s",
                            TEXT_ARG(wrong), provider_fault_name(reply->answer.fault),
                            TEXT_ARG(reply->answer.message));
    }
    return reply->answer.message.length > 0 ||
           stage_broken(stage,
                        "validate rejects %.*s without a message: report the fault and its place "
                        "by host->fault",
                        TEXT_ARG(wrong));
}

void rule_refuses(struct conformance_stage *stage)
{
    struct text wrong;
    struct text json;
    size_t i = 0;

    if (!has(stage, WIRE_VALIDATE)) {
        stage_not_tried(
            stage, "the plugin does not implement validate: only its table of properties is used");
        return;
    }
    for (; schema_wrong(stage->arena, &stage->about->hello, &stage->own, i, &json, &wrong); i++) {
        struct conformance_reply *reply =
            stage_ask(stage, stage->main, WIRE_VALIDATE, &(struct wire_call){ .properties = json });

        stage_wait(stage, reply);
        if (!refusal_check(stage, reply, wrong)) {
            return;
        }
    }
    if (i == 0) {
        stage_not_tried(stage, "the table of properties rejects nothing");
    }
}
