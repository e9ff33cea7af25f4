#include "base/suggest.h"
#include "cli/args/when.h"
#include "cli/manager/managers.h"
#include "cli/read/get_parts.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"
#include "codec/json.h"

#include <string.h>

/* public names start with: get_ verb_manager manager_ */

/* reeve get managers, reeve manager: lists the managers of the store, and which of them reconcile
 * clusters. */

enum { WAITING_LINES = 50 };

static const struct output_column columns[] = {
    { "NAME", ".name", OUTPUT_KEEP, false },        { "ZONE", ".zone", OUTPUT_DROP, false },
    { "STATE", ".state", OUTPUT_KEEP, false },      { "CLUSTERS", ".clusters", OUTPUT_KEEP, true },
    { "MACHINES", ".machines", OUTPUT_DROP, true }, { "SINCE", ".since", OUTPUT_DROP, false },
    { "VERSION", ".version", OUTPUT_DROP, false },  { "LACKS", ".lacks", OUTPUT_DROP, false },
    { "LINK", ".link", OUTPUT_DROP, false },        { "ADDRESS", ".address", OUTPUT_WIDE, false },
    { "PEER", ".peer", OUTPUT_WIDE, false },        { "ID", ".id", OUTPUT_WIDE, false },
};
static const struct output_view view = { "manager/{name}", columns, ARRAY_COUNT(columns) };

bool get_is_managers(struct command *command)
{
    const struct args *args = &command->args;
    struct text word = args->argument_count == 0 ? TEXT("") : text_from(args->words[0]);

    word = text_slice(word, 0, text_find_byte(word, '/'));
    return text_is(word, "manager") || text_is(word, "managers");
}

/* ---- rows ---- */

/* Return a text for a plugin or key that a manager lacks: the name of the plugin, or "key KIND
 * ID". */
static struct doc get_managers_lack(struct arena *arena, const struct doc *lack)
{
    struct text key = doc_child_text(lack, "key");

    return key.length > 0 ? doc_text(arena_printf(arena, "key %.*s", TEXT_ARG(key)), NULL)
                          : doc_text(doc_child_text(lack, "plugin"), NULL);
}

/* Format the link to a manager: the round-trip time, or since when the manager is unreachable. */
static struct text get_managers_link(struct command *command, const struct doc *link)
{
    struct text rtt = doc_child_text(link, "rttMs");

    if (!text_is(doc_child_text(link, "state"), "reachable")) {
        return doc_child_text(link, "since").length == 0
                   ? TEXT("unreachable")
                   : arena_printf(command->arena, "unreachable since %.*s",
                                  TEXT_ARG(when_format(command, doc_child_text(link, "since"))));
    }
    return rtt.length == 0 ? TEXT("reachable")
                           : arena_printf(command->arena, "reachable, %.*s ms", TEXT_ARG(rtt));
}

/* Return a row of the table, with short times and only the names of plugins. */
static struct doc get_managers_row(struct command *command, const struct doc *item)
{
    struct arena *arena = command->arena;
    const struct doc *lacks = doc_child(item, "lacks");
    size_t count = doc_is_list(lacks) ? lacks->item_count : 0;
    struct doc *names = arena_array(arena, struct doc, count + 1);
    struct doc_builder builder;

    for (size_t i = 0; i < count; i++) {
        names[i] = get_managers_lack(arena, &lacks->items[i]);
    }
    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < item->entry_count; i++) {
        struct text key = item->entries[i].key;

        if (text_is(key, "since")) {
            doc_builder_put(&builder, "since",
                            doc_text(when_format(command, item->entries[i].value.text), NULL));
        } else if (text_is(key, "lacks")) {
            doc_builder_put(&builder, "lacks", doc_list(names, count, NULL));
        } else if (text_is(key, "link")) {
            doc_builder_put(&builder, "link",
                            doc_text(get_managers_link(command, &item->entries[i].value), NULL));
        } else {
            doc_builder_add(&builder, &item->entries[i]);
        }
    }
    return doc_builder_map(&builder, NULL);
}

/* Return the name from a word after the kind (m1), or from a word with the kind (manager/m1).
 * Empty: the argument has no name. */
static struct text get_managers_name(const struct args *args, size_t word)
{
    const char *slash = word == 0 ? strchr(args->words[0], '/') : NULL;

    return word > 0        ? text_from(args->words[word])
           : slash != NULL ? text_from(slash + 1)
                           : TEXT("");
}

/* Reports a name that no manager has. */
static void get_managers_unknown(struct command *command, struct text name, const struct doc *items)
{
    struct suggest suggest = suggest_start(name);
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0403,
                                   "there is no manager '%.*s'", TEXT_ARG(name));

    for (size_t i = 0; i < items->item_count; i++) {
        suggest_offer(&suggest, doc_child_text(&items->items[i], "name"));
    }
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve get managers lists them");
    }
}

/* True if the arguments select this manager, or if there are none. */
static bool get_managers_is_meant(const struct args *args, struct text name)
{
    bool has_name = false;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = get_managers_name(args, i);

        has_name = has_name || word.length > 0;
        if (text_is_equal(word, name)) {
            return true;
        }
    }
    return !has_name;
}

MUST_CHECK static bool get_managers_names_check(struct command *command, const struct doc *items)
{
    const struct args *args = &command->args;

    for (size_t i = 0; i < args->argument_count; i++) {
        struct text word = get_managers_name(args, i);
        bool is_known = word.length == 0;

        for (size_t j = 0; j < items->item_count; j++) {
            is_known = is_known || text_is_equal(doc_child_text(&items->items[j], "name"), word);
        }
        if (!is_known) {
            get_managers_unknown(command, word, items);
        }
    }
    return command->errors.errors == 0;
}

static void get_managers_rows_write(struct command *command, struct output *output,
                                    const struct doc *items, bool is_filtered)
{
    struct doc *objects = arena_array(command->arena, struct doc, items->item_count + 1);
    struct doc *rows = arena_array(command->arena, struct doc, items->item_count + 1);
    size_t count = 0;

    for (size_t i = 0; i < items->item_count; i++) {
        if (!is_filtered ||
            get_managers_is_meant(&command->args, doc_child_text(&items->items[i], "name"))) {
            objects[count] = items->items[i];
            rows[count++] = get_managers_row(command, &items->items[i]);
        }
    }
    output_write(command->arena, output, &command->out_style,
                 &(struct output_data){ objects, count, rows, count }, &command->out);
}

/* Writes the reasons why leaving managers have not left the store yet. */
static void get_managers_leaving_write(struct command *command, const struct doc *items)
{
    for (size_t i = 0; i < items->item_count; i++) {
        struct text waits_for = doc_child_text(&items->items[i], "leaving");

        if (waits_for.length > 0) {
            buf_printf(&command->out, "%.*s leaves the store: %.*s\n",
                       TEXT_ARG(doc_child_text(&items->items[i], "name")), TEXT_ARG(waits_for));
        }
    }
}

/* ---- get managers ---- */

/* Refuse the flags of get that select machines or watch. */
MUST_CHECK static bool get_managers_flags_check(struct command *command)
{
    static const char *const flags[] = { "watch", "selector", "cluster", "group",
                                         "state", "at",       "bare" };

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        if (args_named(&command->args, flags[i]) != NULL) {
            return err_hint(err_list_set(&command->errors, (struct place){ 0 }, CODE_R0005,
                                         "--%s does not apply to managers", flags[i]),
                            "reeve get managers -o json lists all of them");
        }
    }
    return true;
}

/* Get the managers; an answer without the list of managers is an error. */
MUST_CHECK static bool get_managers_ask(struct command *command, struct session *session,
                                        struct doc *out)
{
    return session_open(command, session) &&
           session_get(command, session, TEXT("/v1/managers"), out);
}

enum exit_code get_managers(struct command *command)
{
    struct session session;
    struct output output;
    struct doc answer;

    if (!get_managers_flags_check(command)) {
        return EXIT_CODE_USAGE;
    }
    if (!get_output_parse(command, &view, &output)) {
        return EXIT_CODE_USAGE;
    }
    if (!get_managers_ask(command, &session, &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (!get_managers_names_check(command, doc_child(&answer, "items"))) {
        return EXIT_CODE_NOT_FOUND;
    }
    get_managers_rows_write(command, &output, doc_child(&answer, "items"), true);
    return EXIT_CODE_DONE;
}

/* ---- reeve manager status ---- */

enum exit_code get_managers_status(struct command *command)
{
    const struct args *args = &command->args;
    const char *format = args_value(args, FLAG_MANAGER_OUTPUT);
    struct session session;
    struct output output;
    struct doc answer;
    struct err err;

    if (!output_parse(command->arena, format, NULL, OUTPUT_TABLE, &view, &command->sources, &output,
                      &err)) {
        err_list_add(&command->errors, &err);
        return EXIT_CODE_USAGE;
    }
    if (!get_managers_ask(command, &session, &answer)) {
        return EXIT_CODE_FAILED;
    }
    if (format != NULL && strcmp(format, "json") == 0) {
        output_write(command->arena, &output, &command->out_style,
                     &(struct output_data){ &answer, 1, &answer, 1 }, &command->out);
        return EXIT_CODE_DONE;
    }
    if (format == NULL) {
        managers_waiting_write(command, &answer, WAITING_LINES);
        buf_printf(&command->out, "%.*s\n", TEXT_ARG(managers_summary(command, &answer)));
    }
    get_managers_rows_write(command, &output, doc_child(&answer, "items"), false);
    if (format == NULL) {
        managers_level_write(command, &answer, true);
        get_managers_leaving_write(command, doc_child(&answer, "items"));
    }
    if (format == NULL && doc_child_text(&answer, "linkProblem").length > 0) {
        buf_printf(&command->out, "this manager has no links to the others: %.*s\n",
                   TEXT_ARG(doc_child_text(&answer, "linkProblem")));
    }
    return EXIT_CODE_DONE;
}
