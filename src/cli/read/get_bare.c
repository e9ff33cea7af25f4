/* reeve get --bare: prints objects as files that can be applied, without id and status. */
#include "cli/manager/listing.h"
#include "cli/read/get_parts.h"
#include "cli/term/export_text.h"
#include "codec/json.h"
#include "model/nest.h"

#include <string.h>

/* public names start with: get_ */

static bool export_get(struct command *command, const struct session *session,
                       const struct target *target, struct doc *out)
{
    struct text path = session_path(command, target->kind, target->name);

    path = arena_printf(command->arena, "%.*s?view=export", TEXT_ARG(path));
    if (!session_get(command, session, path, out)) {
        return false;
    }
    *out = nest_put(command->arena, out, "id", (struct doc){ 0 });
    return true;
}

/* Get the spec of one object by a separate request, because lists lack the sources of the
 * object. */
static bool get_bare_spec_get(struct command *command, const struct session *session,
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

/* Read all objects of a kind, if none is named. */
static bool get_bare_all_read(struct command *command, const struct session *session,
                              struct targets *targets)
{
    struct listing listing;

    if (!listing_get(command, session, targets->kind, TEXT(""), &listing)) {
        return false;
    }
    targets->items = arena_array(command->arena, struct target, listing.count + 1);
    for (size_t i = 0; i < listing.count; i++) {
        targets->items[targets->count++] =
            (struct target){ targets->kind, listing_name(command->arena, &listing.items[i]) };
    }
    return true;
}

bool get_bare_check(struct command *command, const struct targets *targets)
{
    const struct args *args = &command->args;
    const struct schema_kind *kind = targets->count > 0 ? targets->items[0].kind : targets->kind;
    const char *format = args_output(args);
    static const char *const names[] = { "watch", "sort", "cols", "at", "selector", "cluster" };

    if (kind == NULL || !target_is_served(kind)) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "--bare applies to objects of the file format, not to %s",
                                     kind == NULL ? "this" : kind->plural),
                        "reeve get cluster shop -o yaml --bare");
    }
    if (format == NULL || (strcmp(format, "yaml") != 0 && strcmp(format, "json") != 0)) {
        return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                     "--bare needs -o yaml, or -o json"),
                        "reeve get cluster shop -o yaml --bare");
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (args_named(args, names[i]) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "--bare and --%s exclude each other", names[i]),
                            "name the objects: reeve get cluster shop -o yaml --bare");
        }
    }
    return true;
}

enum exit_code get_bare(struct command *command, const struct session *session,
                        struct targets *targets)
{
    bool is_json = command_output_is(command, "json");
    struct doc *items;
    struct doc *specs;

    if (targets->count == 0 && !get_bare_all_read(command, session, targets)) {
        return EXIT_CODE_FAILED;
    }
    items = arena_array(command->arena, struct doc, targets->count + 1);
    specs = arena_array(command->arena, struct doc, targets->count + 1);
    for (size_t i = 0; i < targets->count; i++) {
        if (!export_get(command, session, &targets->items[i], &items[i]) ||
            (!is_json && !get_bare_spec_get(command, session, &targets->items[i], &specs[i]))) {
            return EXIT_CODE_NOT_FOUND;
        }
    }
    for (size_t i = 0; i < targets->count; i++) {
        if (is_json) {
            json_format_pretty(&command->out, &items[i]);
        } else {
            buf_add_string(&command->out, i == 0 ? "" : "---\n");
            export_text_sources(&command->out, &specs[i]);
            export_text_write(&command->out, &items[i], targets->items[i].kind->owner);
        }
    }
    return EXIT_CODE_DONE;
}
