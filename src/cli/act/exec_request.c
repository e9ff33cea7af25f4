/* Reads the flags of reeve exec and writes the request to the manager. */
#include "base/limits.h"
#include "cli/act/exec_parts.h"

/* public names start with: exec_ */

/* Batch flags that do not apply to this verb; the others are the same on all verbs. */
static const struct batching_refusal refusals[] = {
    { "surge", "exec has no --surge: a surge applies only to rollouts that replace machines",
      "--batch sets on how many machines the command runs at the same time" },
    { "unavailable", "exec has no --unavailable: it takes no machine out of service",
      "--batch sets on how many machines the command runs at the same time" },
    { "detach", "exec has no --detach: a command ends with the client that waits for it",
      "for work that continues without a client use a stage: reeve explain group.bootstrap" },
};

static bool command_read(struct command *command, struct text *out)
{
    const struct args *args = &command->args;
    struct buf words;

    if (!args->has_end || args->words_before == args->argument_count) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0783,
                                     "there is no command: put it after --"),
                        "for example: reeve exec -c shop -- uname -r");
    }
    buf_init(&words, command->arena);
    for (size_t i = args->words_before; i < args->argument_count; i++) {
        buf_add_string(&words, i == args->words_before ? "" : " ");
        buf_add_string(&words, args->words[i]);
    }
    *out = buf_text(&words);
    if (text_find_bad_utf8(*out) != SIZE_MAX) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0783,
                                     "the command is not UTF-8"),
                        "to name files that are not UTF-8, use a pattern such as *");
    }
    return true;
}

bool exec_request_read(struct command *command, struct exec_request *out)
{
    *out = (struct exec_request){ 0 };
    return batching_read(command, refusals, ARRAY_COUNT(refusals), &out->batching) &&
           batching_number(command, "output-max", 1, LIMIT_EXEC_OUTPUT_MAX_BYTES) &&
           command_read(command, &out->order);
}

bool exec_request_body(struct command *command, const struct exec_request *request,
                       const struct selected *selected, const struct selected_place *place,
                       struct text *out)
{
    struct batching_body body;

    batching_body_init(&body, command);
    batching_text(&body, "command", request->order);
    batching_word(&body, "outputMax", args_value(&command->args, FLAG_EXEC_OUTPUT_MAX));
    if (!batching_put(&body, &request->batching, selected, place) ||
        !batching_duration(&body, "timeout", "timeoutMs")) {
        return false;
    }
    *out = batching_body_format(&body);
    return true;
}
