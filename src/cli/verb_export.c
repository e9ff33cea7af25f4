#include "cli/export_text.h"
#include "cli/session.h"
#include "cli/target.h"
#include "codec/json.h"
#include "model/nest.h"

static bool export_get(struct command *command, const struct session *session,
                       const struct target *target, struct doc *out)
{
    struct text path = session_path(command, target->kind, target->name);

    path = arena_printf(command->arena, "%.*s?view=export", TEXT_ARG(path));
    if (!session_get(command, session, path, out)) {
        return false;
    }
    if (args_has(&command->args, FLAG_EXPORT_BARE)) {
        *out = nest_put(command->arena, out, "id", (struct doc){ 0 });
    }
    return true;
}

/* What it was made from stands in the object alone. */
static bool spec_get(struct command *command, const struct session *session,
                     const struct target *target, struct doc *out)
{
    struct doc object;

    if (!session_get(command, session, session_path(command, target->kind, target->name),
                     &object)) {
        return false;
    }
    *out = doc_is_map(doc_child(&object, "spec")) ? *doc_child(&object, "spec")
                                                  : doc_map(NULL, 0, NULL);
    return true;
}

enum exit_code verb_export(struct command *command)
{
    struct session session;
    struct targets targets;
    struct doc *items;
    struct doc *specs;

    if (!targets_read(command, command->args.words, command->args.word_count, &targets) ||
        !session_open(command, &session)) {
        return EXIT_CODE_USAGE;
    }
    if (targets.count == 0) {
        err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                              "export needs the names of objects"),
                 "use: reeve %s", command->args.verb->synopsis);
        return EXIT_CODE_USAGE;
    }
    items = arena_array(command->arena, struct doc, targets.count);
    specs = arena_array(command->arena, struct doc, targets.count);
    for (size_t i = 0; i < targets.count; i++) {
        if (!export_get(command, &session, &targets.items[i], &items[i]) ||
            (!command_output_is(command, "json") &&
             !spec_get(command, &session, &targets.items[i], &specs[i]))) {
            return EXIT_CODE_NOT_FOUND;
        }
    }
    for (size_t i = 0; i < targets.count; i++) {
        if (command_output_is(command, "json")) {
            json_format_pretty(&command->out, &items[i]);
        } else {
            buf_add_string(&command->out, i == 0 ? "" : "---\n");
            export_text_sources(&command->out, &specs[i]);
            export_text_write(&command->out, &items[i], targets.items[i].kind->owner);
        }
    }
    return EXIT_CODE_DONE;
}
