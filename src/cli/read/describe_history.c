/* reeve describe --history: lists the revisions of an object, the newest first. */
#include "cli/args/when.h"
#include "cli/read/describe_parts.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"

static const struct output_column history_columns[] = {
    { "REVISION", ".revision", OUTPUT_KEEP, true },
    { "TIME", ".when", OUTPUT_KEEP, false },
    { "BY", ".by", OUTPUT_KEEP, false },
    { "WHAT", ".what", OUTPUT_KEEP, false },
    { "WHY", ".why", OUTPUT_DROP, false },
};
static const struct output_view history_view = { "{revision}", history_columns,
                                                 ARRAY_COUNT(history_columns) };

static struct doc history_row(struct command *command, const struct doc *revision, bool is_first)
{
    struct doc_builder row;
    struct text what = text_is(doc_child_text(revision, "deleted"), "true") ? TEXT("deleted")
                       : is_first                                           ? TEXT("created")
                                                                            : TEXT("changed");

    doc_builder_init(&row, command->arena);
    for (size_t i = 0; i < revision->entry_count; i++) {
        doc_builder_add(&row, &revision->entries[i]);
    }
    doc_builder_put(&row, "what", doc_text(what, NULL));
    doc_builder_put(&row, "when",
                    doc_text(when_format(command, doc_child_text(revision, "updated")), NULL));
    return doc_builder_map(&row, NULL);
}

enum exit_code describe_history(struct command *command, const struct session *session,
                                const struct target *target)
{
    const struct args *args = &command->args;
    const struct doc *items;
    struct output_data data;
    struct output output;
    struct doc history;
    struct doc *rows;
    struct err err;

    if (!output_parse(command->arena, args_value(args, FLAG_DESCRIBE_OUTPUT),
                      args_value(args, FLAG_DESCRIBE_COLS), OUTPUT_TABLE, &history_view,
                      &command->sources, &output, &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (output.format == OUTPUT_TEXT) {
        output.format = OUTPUT_TABLE;
    }
    if (!session_get(command, session,
                     arena_printf(command->arena, "%.*s?view=history",
                                  TEXT_ARG(session_path(command, target->kind, target->name))),
                     &history)) {
        return EXIT_CODE_FAILED;
    }
    items = doc_child(&history, "items");
    if (!doc_is_list(items)) {
        return EXIT_CODE_DONE;
    }
    rows = arena_array(command->arena, struct doc, items->item_count);
    for (size_t i = 0; i < items->item_count; i++) {
        rows[i] = history_row(command, &items->items[i],
                              doc_child_number(&items->items[i], "generation") == 1);
    }
    data = (struct output_data){ items->items, items->item_count, rows, items->item_count };
    output_write(command->arena, &output, &command->out_style, &data, &command->out);
    return EXIT_CODE_DONE;
}
