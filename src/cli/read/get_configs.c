#include "base/suggest.h"
#include "cli/read/get_parts.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"

#include <string.h>

/* public names start with: get_ */

/* reeve get configs: lists the configurations and their newest revisions. reeve config show lists
 * all revisions of one configuration. */

static const struct output_column columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },
    { "NEWEST", ".revision", OUTPUT_KEEP, false },
    { "REVISIONS", ".revisions", OUTPUT_DROP, true },
    { "GROUPS", ".groups", OUTPUT_KEEP, true },
    { "PUSHED", ".at", OUTPUT_DROP, false },
    { "BY", ".by", OUTPUT_DROP, false },
    { "REF", ".ref", OUTPUT_DROP, false },
};
static const struct output_view view = { "config/{name}", columns, ARRAY_COUNT(columns) };

bool get_is_configs(struct command *command)
{
    const struct args *args = &command->args;
    struct text word = args->argument_count == 0 ? TEXT("") : text_from(args->words[0]);
    const struct schema_kind *kind =
        schema_kind_of_word(text_slice(word, 0, text_find_byte(word, '/')));

    return kind != NULL && strcmp(kind->name, "Config") == 0;
}

/* Return the name from a word after the kind (web), or from a word with the kind (config/web).
 * Empty: the argument has no name. */
static struct text get_configs_name(const struct args *args, size_t word)
{
    const char *slash = word == 0 ? strchr(args->words[0], '/') : NULL;

    return word > 0        ? text_from(args->words[word])
           : slash != NULL ? text_from(slash + 1)
                           : TEXT("");
}

/* True if the arguments select this configuration, or if there are none. */
static bool get_configs_is_meant(const struct args *args, struct text name)
{
    bool has_name = false;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = get_configs_name(args, i);

        has_name = has_name || word.length > 0;
        if (text_is_equal(word, name)) {
            return true;
        }
    }
    return !has_name;
}

/* Reports names that no configuration has. */
MUST_CHECK static bool get_configs_names_check(struct command *command, const struct doc *items)
{
    const struct args *args = &command->args;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = get_configs_name(args, i);
        struct suggest suggest = suggest_start(word);
        bool is_known = word.length == 0;
        struct err *err;

        for (size_t j = 0; doc_is_list(items) && j < items->item_count; j++) {
            struct text name = doc_child_text(&items->items[j], "name");

            is_known = is_known || text_is_equal(name, word);
            suggest_offer(&suggest, name);
        }
        if (is_known) {
            continue;
        }
        err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0829,
                           "there is no configuration '%.*s'", TEXT_ARG(word));
        if (suggest_best(&suggest).length > 0) {
            err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
        } else {
            err_hint(err, "reeve get configs lists the configurations");
        }
    }
    return command->errors.errors == 0;
}

static struct doc get_configs_row(struct arena *arena, const struct doc *item)
{
    static const char *const shown[] = { "at", "by", "ref", "revision" };
    const struct doc *newest = doc_child(item, "newest");
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < item->entry_count; i++) {
        doc_builder_add(&builder, &item->entries[i]);
    }
    for (size_t i = 0; i < ARRAY_COUNT(shown); i++) {
        const struct doc *value = doc_child(newest, shown[i]);

        if (value != NULL) {
            doc_builder_put(&builder, shown[i], *value);
        }
    }
    return doc_builder_map(&builder, NULL);
}

static enum exit_code get_configs_write(struct command *command, struct output *output,
                                        const struct doc *items)
{
    size_t count = doc_is_list(items) ? items->item_count : 0;
    struct doc *objects = arena_array(command->arena, struct doc, count + 1);
    struct doc *rows = arena_array(command->arena, struct doc, count + 1);
    size_t meant = 0;

    if (!get_configs_names_check(command, items)) {
        return EXIT_CODE_NOT_FOUND;
    }
    for (size_t i = 0; i < count; i++) {
        if (get_configs_is_meant(&command->args, doc_child_text(&items->items[i], "name"))) {
            objects[meant] = items->items[i];
            rows[meant++] = get_configs_row(command->arena, &items->items[i]);
        }
    }
    if (meant == 0 && command->out.length == 0 && output->format == OUTPUT_TABLE) {
        buf_printf(&command->notes, "next: %s config push DIR --name NAME\n", command->program);
    }
    output_write(command->arena, output, &command->out_style,
                 &(struct output_data){ objects, meant, rows, meant }, &command->out);
    return EXIT_CODE_DONE;
}

/* Refuse the flags of get that select machines or watch: the list is short, and changes by
 * pushes. */
MUST_CHECK static bool get_configs_flags_check(struct command *command)
{
    static const char *const flags[] = { "watch", "selector", "cluster", "group", "state", "at" };

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        if (args_named(&command->args, flags[i]) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "get configs takes no --%s", flags[i]),
                            "reeve config show NAME lists the revisions of a configuration");
        }
    }
    return true;
}

enum exit_code get_configs(struct command *command)
{
    struct session session;
    struct output output;
    struct doc answer;

    if (!get_output_parse(command, &view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!get_configs_flags_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (!session_open(command, &session) ||
        !session_get(command, &session, TEXT("/v1/configs"), &answer)) {
        return EXIT_CODE_FAILED;
    }
    return get_configs_write(command, &output, doc_child(&answer, "items"));
}
