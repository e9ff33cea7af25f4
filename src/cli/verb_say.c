/* What operators say of clusters and groups that are kept: pause, resume; and of what waits for them: approve,
 * reject. */
#include "cli/plan_writer.h"
#include "cli/say.h"
#include "cli/target.h"
#include "codec/json.h"

#include <string.h>

static bool name_refuse(struct command *command, const char *word, const char *form)
{
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                   "'%s' names none of these", word);

    return err_hint(err, "write %s; use: reeve %s", form, command->args.verb->synopsis);
}

/* shop, cluster/shop, shop/web, nodegroup/shop/web */
static bool kept_parse(struct command *command, const char *word, struct target *out)
{
    struct text text = text_from(word);
    size_t slash = text_find_byte(text, '/');
    const struct schema_kind *kind = schema_kind_of_word(text_slice(text, 0, slash));

    if (slash != SIZE_MAX && kind != NULL) {
        return target_parse(command, word, out) &&
               (target_has_cluster(out) || name_refuse(command, word, "CLUSTER or CLUSTER/GROUP"));
    }
    if (text.length == 0) {
        return name_refuse(command, word, "CLUSTER or CLUSTER/GROUP");
    }
    *out = say_subject(text);
    return true;
}

static enum exit_code pause_say(struct command *command, const char *word, const char *why,
                                const char *done)
{
    struct session session;

    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < command->args.word_count; i++) {
        struct target target;

        if (!kept_parse(command, command->args.words[i], &target)) {
            return EXIT_CODE_USAGE;
        }
        if (!say_word(command, &session, &target, word, TEXT(""), why)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "%.*s: %s\n", TEXT_ARG(target_format(command->arena, &target)),
                   done);
    }
    return EXIT_CODE_DONE;
}

enum exit_code verb_pause(struct command *command)
{
    return pause_say(command, "pause", args_value(&command->args, FLAG_PAUSE_MESSAGE),
                     "no machine is made or destroyed until reeve resume");
}

enum exit_code verb_resume(struct command *command)
{
    return pause_say(command, "resume", args_value(&command->args, FLAG_RESUME_MESSAGE), "goes on");
}

/* hold/shop:listing_brake, hold/shop/listing_brake, hold/shop/web:listing_brake */
static bool hold_parse(struct command *command, const char *word, struct target *out,
                       struct text *rule)
{
    struct text text = text_from(word);
    size_t colon;

    if (text_has_prefix(text, TEXT("hold/"))) {
        text = text_slice(text, 5, text.length);
    }
    colon = text_find_byte(text, ':');
    for (size_t i = 0; i < text.length && text_find_byte(text, ':') == SIZE_MAX; i++) {
        colon = text.data[i] == '/'
                    ? i
                    : colon; /* of the whole cluster, as get prints it: shop/unlisted */
    }
    if (colon == SIZE_MAX || colon == 0 || colon + 1 == text.length) {
        return name_refuse(command, word, "hold/CLUSTER:RULE or hold/CLUSTER/GROUP:RULE");
    }
    *rule = text_slice(text, colon + 1, text.length);
    *out = say_subject(text_slice(text, 0, colon));
    return true;
}

static enum exit_code hold_say(struct command *command, const char *word, const char *why,
                               const char *done)
{
    struct session session;

    if (!session_open(command, &session)) {
        return EXIT_CODE_FAILED;
    }
    for (size_t i = 0; i < command->args.word_count; i++) {
        struct text rule = TEXT("");
        struct target target = { 0 };

        if (!hold_parse(command, command->args.words[i], &target, &rule)) {
            return EXIT_CODE_USAGE;
        }
        if (!say_word(command, &session, &target, word, rule, why)) {
            return EXIT_CODE_FAILED;
        }
        buf_printf(&command->notes, "hold/%.*s:%.*s: %s\n", TEXT_ARG(target.name), TEXT_ARG(rule),
                   done);
    }
    return EXIT_CODE_DONE;
}

enum exit_code verb_approve(struct command *command)
{
    return hold_say(command, "approve", args_value(&command->args, FLAG_APPROVE_MESSAGE),
                    "approved; what it held may be done now");
}

enum exit_code verb_reject(struct command *command)
{
    return hold_say(command, "reject", args_value(&command->args, FLAG_REJECT_MESSAGE),
                    "rejected; it stays as it is");
}
