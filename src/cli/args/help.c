/* Writes all help from verbs.def and exits.def, so that no flag can lack its help. */
#include "cli/args/help.h"

#include "cli/args/embed.h"
#include "cli/term/wrap.h"
#include "codec/doc.h"
#include "codec/json.h"

#include <stdio.h>
#include <string.h>

/* The column at which the second part of list rows begins. */
#define HELP_COLUMN 26

static void help_heading_write(struct command *command, const char *heading)
{
    buf_add_bytes(&command->out, '\n', 1);
    style_add(&command->out_style, &command->out, STYLE_STRONG, heading);
    buf_add_bytes(&command->out, '\n', 1);
}

/* Write " left right", on two lines if the left part is too long. */
static void help_row_write(struct command *command, const char *left, const char *right)
{
    size_t length = strlen(left) + 2;

    buf_printf(&command->out, "  %s", left);
    if (length + 2 > HELP_COLUMN) {
        buf_add_bytes(&command->out, '\n', 1);
        length = 0;
    }
    buf_add_bytes(&command->out, ' ', HELP_COLUMN - length);
    buf_printf(&command->out, "%s\n", right);
}

static void verbs_write(struct command *command)
{
    for (size_t i = 0; i < verbs_count; i++) {
        if (!verb_is_hidden(&verbs_table[i])) {
            help_row_write(command, verbs_table[i].name, verbs_table[i].summary);
        }
    }
}

/* Write the verbs of the short help under their headings. */
static void short_verbs_write(struct command *command)
{
    const char *heading = "";

    for (size_t i = 0; i < verbs_short_count; i++) {
        const struct verb *verb = &verbs_table[verbs_short[i].verb];

        if (strcmp(heading, verbs_short[i].heading) != 0) {
            heading = verbs_short[i].heading;
            help_heading_write(command, heading);
        }
        help_row_write(command, verb->name, verb->summary);
    }
}

/* Write "-o, --output FORMAT". */
static void flag_write(struct command *command, const struct flag *flag)
{
    char left[80];

    if (flag->letter != 0) {
        snprintf(left, sizeof(left), "-%c, --%s %s", flag->letter, flag->name, flag->value_name);
    } else {
        snprintf(left, sizeof(left), "    --%s %s", flag->name, flag->value_name);
    }
    help_row_write(command, left, flag->help);
    if (flag->words[0] != '\0') {
        struct text words = text_from(flag->words);
        struct buf line;

        buf_init(&line, command->arena);
        while (words.length > 0) {
            buf_add(&line, flag_word_next(&words));
            buf_add_string(&line, words.length > 0 ? ", " : "");
        }
        buf_add_bytes(&command->out, ' ', HELP_COLUMN);
        buf_printf(&command->out, "one of: %s\n", buf_text(&line).data);
    }
}

static void flags_write(struct command *command, enum verb_id owner)
{
    for (size_t i = 0; i < flags_count; i++) {
        if (flags_table[i].owner == owner && flags_table[i].help[0] != '\0') {
            flag_write(command, &flags_table[i]);
        }
    }
}

static void topics_write(struct command *command)
{
    for (size_t i = 0; i < verbs_topic_count; i++) {
        help_row_write(command, verbs_topics[i].name, verbs_topics[i].summary);
    }
}

static void short_write(struct command *command)
{
    buf_add_string(
        &command->out,
        "reeve creates clusters of machines and keeps them healthy.\n\nuse: reeve VERB [KIND] "
        "[NAME ...] [flags]\n");
    short_verbs_write(command);
    help_heading_write(command, "flags of every verb");
    flags_write(command, VERB_COMMON);
    help_heading_write(command, "begin with");
    help_row_write(command, "reeve init", "writes cluster.yaml, with comments");
    help_row_write(command, "reeve help quickstart", "a first session");
    help_heading_write(command, "more");
    help_row_write(command, "reeve VERB --help", "flags, examples and exit codes of a verb");
    help_row_write(command, "reeve help TOPIC", "quickstart, output, exit-codes, env, files");
    help_row_write(command, "reeve --help-all", "every verb");
}

static void examples_write(struct command *command, const struct verb *verb)
{
    help_heading_write(command, "examples");
    for (size_t i = 0; i < verbs_example_count; i++) {
        if (verbs_examples[i].verb == verb->id) {
            style_on(&command->out_style, &command->out, STYLE_FAINT);
            buf_printf(&command->out, "  # %s", verbs_examples[i].text);
            style_off(&command->out_style, &command->out);
            buf_printf(&command->out, "\n  %s\n", verbs_examples[i].command);
        }
    }
}

/* Write prose with the line breaks of verbs.def. On a narrower terminal, whole paragraphs are
 * wrapped again, because wrapping each line separately would leave short lines. */
static void help_prose_write(struct command *command, struct text text)
{
    size_t columns = command->out_style.columns;
    bool is_wide = false;
    size_t begin = 0;
    struct buf joined;

    buf_init(&joined, command->arena);
    for (size_t i = 0; i < text.length; i++) {
        bool is_inner = text.data[i] == '\n' && i > 0 && text.data[i - 1] != '\n' &&
                        i + 1 < text.length && text.data[i + 1] != '\n';

        is_wide = is_wide || i - begin >= columns;
        begin = text.data[i] == '\n' ? i + 1 : begin;
        buf_add_bytes(&joined, is_inner ? ' ' : text.data[i], 1);
    }
    if (columns > 0 && is_wide) {
        wrap_write(&command->out, buf_text(&joined), 0, columns, false);
    } else {
        buf_printf(&command->out, "%.*s\n", TEXT_ARG(text));
    }
}

static void verb_write(struct command *command, const struct verb *verb)
{
    size_t from = command->out.length;

    buf_printf(&command->out, "reeve %s: %s\n\nuse: reeve %s\n\n", verb->name, verb->summary,
               verb->synopsis);
    command_fold(command, from);
    help_prose_write(command, text_from(verb->text));
    from = command->out.length;
    help_heading_write(command, "flags");
    flags_write(command, verb->id);
    flags_write(command, VERB_COMMON);
    command_fold(command, from);
    examples_write(command, verb); /* not folded, because users copy the examples */
    from = command->out.length;
    help_heading_write(command, "exit codes");
    for (size_t i = 0; i < verbs_exit_count; i++) {
        if (verbs_exits[i].verb == verb->id) {
            char left[16];

            snprintf(left, sizeof(left), "%d", (int)verbs_exits[i].code);
            help_row_write(command, left, verbs_exits[i].text);
        }
    }
    buf_printf(&command->out, "\nsince %s\n", verb->since);
    command_fold(command, from);
}

void help_write(struct command *command, const struct verb *verb)
{
    if (verb == NULL) {
        short_write(command);
    } else {
        verb_write(command, verb);
    }
}

void help_write_all(struct command *command)
{
    buf_add_string(&command->out, "use: reeve VERB [KIND] [NAME ...] [flags]\n");
    help_heading_write(command, "verbs");
    verbs_write(command);
    help_heading_write(command, "flags of every verb");
    flags_write(command, VERB_COMMON);
    help_heading_write(command, "flags without a verb");
    flags_write(command, VERB_TOP);
    help_heading_write(command, "help topics");
    topics_write(command);
}

/* ---- reeve help [TOPIC] ---- */

static void exits_write(struct command *command)
{
    for (size_t i = 0; i < exits_count; i++) {
        buf_printf(&command->out, "  %3d  %s\n", (int)exits_table[i].code, exits_table[i].meaning);
        if (exits_table[i].retry[0] != '\0') {
            buf_printf(&command->out, "       retry: %s\n", exits_table[i].retry);
        }
    }
}

static void topic_write(struct command *command, const struct verb_named *topic)
{
    const struct embed_file *file =
        embed_find(embed_topics, embed_topic_count, text_from(topic->name));

    buf_add(&command->out, file->bytes);
    if (strcmp(topic->name, "exit-codes") == 0) {
        exits_write(command);
    }
}

static void topic_unknown(struct command *command, const char *word)
{
    struct suggest suggest = suggest_start(text_from(word));
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0007,
                                   "there is no help on '%s'", word);

    for (size_t i = 0; i < verbs_topic_count; i++) {
        suggest_offer(&suggest, text_from(verbs_topics[i].name));
    }
    verbs_suggest(&suggest);
    if (code_find(text_from(word)) != CODE_NONE) {
        err_hint(err, "to read about the code: reeve explain %s", word);
    } else if (verb_moved_find(word, NULL) != NULL) {
        err_hint(err, "the verb was renamed to 'reeve %s'", verb_moved_find(word, NULL)->front);
    } else if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean 'reeve help %.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve help lists verbs and topics");
    }
}

/* ---- the reference: the whole table as JSON ---- */

static struct doc string_doc(const char *string)
{
    return doc_text(text_from(string), NULL);
}

static struct doc flags_doc(struct arena *arena, enum verb_id owner)
{
    struct doc *items = arena_array(arena, struct doc, flags_count);
    size_t count = 0;

    for (size_t i = 0; i < flags_count; i++) {
        const struct flag *flag = &flags_table[i];
        struct doc_builder builder;

        if (flag->owner != owner || flag->help[0] == '\0') {
            continue;
        }
        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "name", string_doc(flag->name));
        doc_builder_put(&builder, "letter",
                        doc_text((struct text){ &flag->letter, flag->letter != 0 }, NULL));
        doc_builder_put(&builder, "value", string_doc(flag->value_name));
        doc_builder_put(&builder, "words", string_doc(flag->words));
        doc_builder_put(&builder, "repeats", doc_bool(flag->is_repeated, NULL));
        doc_builder_put(&builder, "help", string_doc(flag->help));
        items[count++] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, count, NULL);
}

static struct doc examples_doc(struct arena *arena, enum verb_id verb)
{
    struct doc *items = arena_array(arena, struct doc, verbs_example_count);
    size_t count = 0;

    for (size_t i = 0; i < verbs_example_count; i++) {
        struct doc_builder builder;

        if (verbs_examples[i].verb != verb) {
            continue;
        }
        doc_builder_init(&builder, arena);
        doc_builder_put(&builder, "command", string_doc(verbs_examples[i].command));
        doc_builder_put(&builder, "exit", doc_int(arena, (int64_t)verbs_examples[i].code, NULL));
        doc_builder_put(&builder, "text", string_doc(verbs_examples[i].text));
        items[count++] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, count, NULL);
}

static struct doc exits_doc(struct arena *arena, enum verb_id verb)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < verbs_exit_count; i++) {
        if (verbs_exits[i].verb == verb) {
            struct text key = arena_printf(arena, "%d", (int)verbs_exits[i].code);

            doc_builder_put(&builder, key.data, string_doc(verbs_exits[i].text));
        }
    }
    return doc_builder_map(&builder, NULL);
}

static struct doc verb_doc(struct arena *arena, const struct verb *verb)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "name", string_doc(verb->name));
    doc_builder_put(&builder, "summary", string_doc(verb->summary));
    doc_builder_put(&builder, "synopsis", string_doc(verb->synopsis));
    doc_builder_put(&builder, "text", string_doc(verb->text));
    doc_builder_put(&builder, "since", string_doc(verb->since));
    doc_builder_put(&builder, "hidden", doc_bool(verb_is_hidden(verb), NULL));
    doc_builder_put(&builder, "flags", flags_doc(arena, verb->id));
    doc_builder_put(&builder, "examples", examples_doc(arena, verb->id));
    doc_builder_put(&builder, "exits", exits_doc(arena, verb->id));
    return doc_builder_map(&builder, NULL);
}

static struct doc named_doc(struct arena *arena, const struct verb_named *items, size_t count)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    for (size_t i = 0; i < count; i++) {
        doc_builder_put(&builder, items[i].name, string_doc(items[i].summary));
    }
    return doc_builder_map(&builder, NULL);
}

/* Make {"old": "rollout undo", "new": "undo"}. */
static struct doc moved_doc(struct arena *arena, const struct verb_moved *moved)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "old",
                    doc_text(arena_printf(arena, "%s%s%s", moved->verb,
                                          moved->word[0] == '\0' ? "" : " ", moved->word),
                             NULL));
    doc_builder_put(&builder, "new",
                    doc_text(arena_printf(arena, "%s%s%s", moved->front,
                                          moved->back[0] == '\0' ? "" : " ", moved->back),
                             NULL));
    return doc_builder_map(&builder, NULL);
}

static void reference_write(struct command *command)
{
    struct doc *verbs = arena_array(command->arena, struct doc, verbs_count);
    struct doc *moved = arena_array(command->arena, struct doc, verbs_moved_count);
    struct doc *shorts = arena_array(command->arena, struct doc, verbs_short_count);
    struct doc_builder foreign;
    struct doc_builder builder;
    struct doc all;

    for (size_t i = 0; i < verbs_count; i++) {
        verbs[i] = verb_doc(command->arena, &verbs_table[i]);
    }
    doc_builder_init(&foreign, command->arena);
    for (size_t i = 0; i < verbs_foreign_count; i++) {
        doc_builder_put(&foreign, verbs_foreign[i].word, string_doc(verbs_foreign[i].verb));
    }
    for (size_t i = 0; i < verbs_moved_count; i++) {
        moved[i] = moved_doc(command->arena, &verbs_moved[i]);
    }
    for (size_t i = 0; i < verbs_short_count; i++) {
        shorts[i] = string_doc(verbs_table[verbs_short[i].verb].name);
    }
    doc_builder_init(&builder, command->arena);
    doc_builder_put(&builder, "verbs", doc_list(verbs, verbs_count, NULL));
    doc_builder_put(&builder, "flags", flags_doc(command->arena, VERB_COMMON));
    doc_builder_put(&builder, "topFlags", flags_doc(command->arena, VERB_TOP));
    doc_builder_put(&builder, "topics", named_doc(command->arena, verbs_topics, verbs_topic_count));
    doc_builder_put(&builder, "foreign", doc_builder_map(&foreign, NULL));
    doc_builder_put(&builder, "moved", doc_list(moved, verbs_moved_count, NULL));
    doc_builder_put(&builder, "short", doc_list(shorts, verbs_short_count, NULL));
    all = doc_builder_map(&builder, NULL);
    json_format_pretty(&command->out, &all);
}

enum exit_code verb_help(struct command *command)
{
    const char *word = command->args.argument_count > 0 ? command->args.words[0] : NULL;
    const struct verb_named *topic = verb_topic_find(text_from(word));

    if (command_output_is(command, "json")) {
        reference_write(command);
    } else if (word == NULL) {
        short_write(command);
        help_heading_write(command, "help topics");
        topics_write(command);
    } else if (topic != NULL) {
        topic_write(command, topic);
    } else if (verb_find(text_from(word)) != NULL) {
        verb_write(command, verb_find(text_from(word)));
    } else {
        topic_unknown(command, word);
    }
    return EXIT_CODE_DONE;
}
