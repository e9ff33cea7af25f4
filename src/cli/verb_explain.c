/* reeve explain: prints pages generated from schema.def and codes.def. */
#include "cli/args/command.h"
#include "cli/args/subject.h"
#include "cli/plugin_try.h"
#include "cli/term/glyph.h"
#include "cli/term/output.h"
#include "cli/term/wrap.h"
#include "codec/json.h"
#include "model/json_schema.h"

#include <stdio.h>
#include <string.h>

#define EXPLAIN_COLUMNS 80

static const struct output_column kind_columns[] = {
    { "KIND", ".kind", OUTPUT_KEEP, false },     { "SHORT", ".short", OUTPUT_DROP, false },
    { "FILES", ".inFiles", OUTPUT_DROP, false }, { "SINCE", ".since", OUTPUT_WIDE, false },
    { "HELP", ".help", OUTPUT_KEEP, false },
};
static const struct output_view kind_view = { "{name}", kind_columns, ARRAY_COUNT(kind_columns) };

static const struct output_column field_columns[] = {
    { "FIELD", ".field", OUTPUT_KEEP, false },       { "TYPE", ".type", OUTPUT_KEEP, false },
    { "REQUIRED", ".required", OUTPUT_DROP, false }, { "DEFAULT", ".default", OUTPUT_DROP, false },
    { "ALIASES", ".aliases", OUTPUT_WIDE, false },   { "SINCE", ".since", OUTPUT_WIDE, false },
    { "HELP", ".help", OUTPUT_DROP, false },
};
static const struct output_view field_view = { "{path}", field_columns,
                                               ARRAY_COUNT(field_columns) };

static const struct output_column code_columns[] = {
    { "CODE", ".code", OUTPUT_KEEP, false },   { "EXIT", ".exit", OUTPUT_DROP, true },
    { "TITLE", ".title", OUTPUT_KEEP, false }, { "CAUSE", ".cause", OUTPUT_WIDE, false },
    { "FIX", ".fix", OUTPUT_WIDE, false },
};
static const struct output_view code_view = { "{code}", code_columns, ARRAY_COUNT(code_columns) };

/* ---- documents ---- */

static void explain_string_put(struct doc_builder *builder, const char *key, const char *string)
{
    doc_builder_put(builder, key, doc_text(text_from(string), NULL));
}

static const char *since_word(enum schema_since since)
{
    return schema_is_usable(since) ? "now" : "later";
}

static struct doc kind_doc(struct arena *arena, const struct schema_kind *kind)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    explain_string_put(&builder, "kind", kind->name);
    explain_string_put(&builder, "name", kind->singular);
    explain_string_put(&builder, "plural", kind->plural);
    explain_string_put(&builder, "short", kind->abbreviation);
    doc_builder_put(&builder, "inFiles", doc_bool(kind->is_in_files, NULL));
    explain_string_put(&builder, "since", since_word(kind->since));
    explain_string_put(&builder, "help", kind->help);
    return doc_builder_map(&builder, NULL);
}

static struct doc field_doc(struct arena *arena, const struct schema_field *field,
                            struct text parent)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "path",
                    doc_text(arena_printf(arena, "%.*s.%s", TEXT_ARG(parent), field->name), NULL));
    explain_string_put(&builder, "field", field->name);
    doc_builder_put(&builder, "type", doc_text(schema_type_format(arena, &field->type), NULL));
    doc_builder_put(&builder, "required", doc_bool(field->is_required, NULL));
    explain_string_put(&builder, "default", field->default_text);
    explain_string_put(&builder, "aliases", field->aliases);
    explain_string_put(&builder, "since", since_word(field->since));
    explain_string_put(&builder, "help", field->help);
    return doc_builder_map(&builder, NULL);
}

static struct doc code_doc(struct arena *arena, enum code code)
{
    const struct code_page *page = code_get(code);
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    explain_string_put(&builder, "code", page->name);
    doc_builder_put(&builder, "exit", doc_int(arena, (int64_t)exit_of_kind(page->kind), NULL));
    explain_string_put(&builder, "title", page->title);
    explain_string_put(&builder, "cause", page->cause);
    explain_string_put(&builder, "example", page->example);
    explain_string_put(&builder, "fix", page->fix);
    return doc_builder_map(&builder, NULL);
}

/* ---- text ---- */

static size_t explain_columns_of(const struct command *command)
{
    size_t columns = command->out_style.columns;

    return columns == 0 || columns > EXPLAIN_COLUMNS ? EXPLAIN_COLUMNS : columns;
}

static void explain_prose_write(struct command *command, const char *text, size_t indent)
{
    wrap_write(&command->out, text_from(text), indent, explain_columns_of(command), false);
}

/* Format the type of a field: "text, required", "integer 0..100000, default 0". */
static void explain_field_text(struct command *command, const struct schema_field *field)
{
    struct text type = schema_type_format(command->arena, &field->type);
    struct buf about;

    buf_init(&about, command->arena);
    buf_add(&about, type);
    if (field->is_required) {
        buf_add_string(&about, "; required");
    }
    if (field->default_text[0] != '\0') {
        buf_printf(&about, "; default %s", field->default_text);
    }
    if (!schema_is_usable(field->since)) {
        buf_printf(&about, "; not in this version: needs %s", schema_since_words(field->since));
    }
    style_on(&command->out_style, &command->out, STYLE_STRONG);
    buf_printf(&command->out, "  %-18s", field->name);
    style_off(&command->out_style, &command->out);
    buf_add_bytes(&command->out, ' ', 1);
    wrap_write(&command->out, buf_text(&about), 21, explain_columns_of(command), true);
    explain_prose_write(command, field->help, 21);
}

static void fields_text(struct command *command, enum schema_owner owner)
{
    size_t count;
    const struct schema_field *fields = schema_fields(&count);
    bool is_later = false;

    for (size_t i = 0; i < count; i++) {
        if (schema_has_owner(&fields[i], owner) && schema_is_usable(fields[i].since)) {
            explain_field_text(command, &fields[i]);
        }
        is_later =
            is_later || (schema_has_owner(&fields[i], owner) && !schema_is_usable(fields[i].since));
    }
    if (!is_later) {
        return;
    }
    buf_add_string(&command->out, "\nknown words of later versions:\n");
    for (size_t i = 0; i < count; i++) {
        if (schema_has_owner(&fields[i], owner) && !schema_is_usable(fields[i].since)) {
            explain_field_text(command, &fields[i]);
        }
    }
}

static void kind_text(struct command *command, const struct subject *subject)
{
    const struct schema_kind *kind = subject->kind;

    style_add(&command->out_style, &command->out, STYLE_STRONG, kind->name);
    buf_printf(&command->out, " (%s, %s): %s\n", kind->plural, kind->abbreviation, kind->help);
    if (!kind->is_in_files) {
        buf_add_string(&command->out, "\nMade by verbs, not written in files.\n");
    }
    if (subject->owner == OWNER_COUNT) {
        return;
    }
    buf_add_string(&command->out, "\nfields:\n");
    fields_text(command, subject->owner);
    buf_printf(&command->out, "\none field: reeve explain %s.FIELD\n", kind->singular);
}

static void field_page(struct command *command, const struct subject *subject)
{
    buf_add(&command->out, subject->path);
    buf_add_string(&command->out, "\n\n");
    explain_field_text(command, subject->field);
    if (subject->field->aliases[0] != '\0') {
        buf_printf(&command->out, "  %-18s %s\n", "also read as", subject->field->aliases);
    }
    if (subject->owner != OWNER_COUNT) {
        buf_add_string(&command->out, "\nfields below it:\n");
        fields_text(command, subject->owner);
    }
}

static void code_text(struct command *command, enum code code)
{
    const struct code_page *page = code_get(code);

    style_add(&command->out_style, &command->out, STYLE_STRONG, page->name);
    buf_printf(&command->out, ": %s (exit %d)\n\ncause\n", page->title,
               (int)exit_of_kind(page->kind));
    explain_prose_write(command, page->cause, 2);
    if (page->example[0] != '\0') {
        struct text rest = text_from(page->example);

        buf_add_string(&command->out, "\nexample\n");
        while (rest.length > 0) {
            size_t end = text_find_byte(rest, '\n');
            struct text line = text_slice(rest, 0, end);

            buf_printf(&command->out, "  %.*s\n", TEXT_ARG(line));
            rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
        }
    }
    buf_add_string(&command->out, "\nfix\n");
    explain_prose_write(command, page->fix, 2);
}

/* ---- the subject ---- */

static bool output_read(struct command *command, const struct output_view *view,
                        enum output_format standard, struct output *out)
{
    struct err err;

    if (output_parse(command->arena, args_value(&command->args, FLAG_EXPLAIN_OUTPUT), NULL,
                     standard, view, &command->sources, out, &err)) {
        return true;
    }
    err_list_add(&command->errors, &err);
    return false;
}

static void docs_write(struct command *command, struct output *output, const struct doc *items,
                       size_t count)
{
    struct output_data data = { items, count, items, count };

    output_write(command->arena, output, &command->out_style, &data, &command->out);
}

static void kinds_explain(struct command *command)
{
    size_t count;
    const struct schema_kind *kinds = schema_kinds(&count);
    struct doc *items = arena_array(command->arena, struct doc, count);
    struct output output;

    if (!output_read(command, &kind_view, OUTPUT_TABLE, &output)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = kind_doc(command->arena, &kinds[i]);
    }
    if (output.format == OUTPUT_TEXT) {
        output.format = OUTPUT_TABLE;
    }
    docs_write(command, &output, items, count);
}

static void code_explain(struct command *command, enum code code)
{
    struct doc item = code_doc(command->arena, code);
    struct output output;

    if (!output_read(command, &code_view, OUTPUT_TEXT, &output)) {
        return;
    }
    if (output.format == OUTPUT_TEXT) {
        code_text(command, code);
    } else {
        docs_write(command, &output, &item, 1);
    }
}

static void subject_explain(struct command *command, const struct subject *subject)
{
    size_t count;
    const struct schema_field *fields = schema_fields(&count);
    struct doc *items = arena_array(command->arena, struct doc, count + 1);
    size_t used = 0;
    struct output output;

    if (!output_read(command, &field_view, OUTPUT_TEXT, &output)) {
        return;
    }
    if (output.format == OUTPUT_TEXT) {
        if (subject->field == NULL) {
            kind_text(command, subject);
        } else {
            field_page(command, subject);
        }
        return;
    }
    for (size_t i = 0; i < count && subject->owner != OWNER_COUNT; i++) {
        if (schema_has_owner(&fields[i], subject->owner)) {
            items[used++] = field_doc(command->arena, &fields[i], subject->path);
        }
    }
    /* the field has no fields below it: show the field itself */
    if (used == 0 && subject->field != NULL) {
        struct text parent = subject->path;

        parent.length -= strlen(subject->field->name) + 1;
        items[used++] = field_doc(command->arena, subject->field, parent);
    }
    docs_write(command, &output, items, used);
}

/* True if the word looks like a misspelled error code such as R0301, so that the error suggests
 * codes and not kinds. */
static bool is_like_code(const char *word)
{
    return (word[0] == 'R' || word[0] == 'r' || word[0] == 'E') && word[1] >= '0' && word[1] <= '9';
}

static void code_unknown(struct command *command, const char *word)
{
    struct suggest suggest = suggest_start(text_from(word));
    struct err *err = err_list_set(&command->errors, (struct place){ 0 }, CODE_R0007,
                                   "there is no error code '%s'", word);

    for (int code = CODE_NONE + 1; code < CODE_COUNT; code++) {
        suggest_offer(&suggest, text_from(code_get((enum code)code)->name));
    }
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "a code is an R with four digits, as the error message shows it: R0301");
    }
}

static void json_schema_write(struct command *command, const char *word)
{
    struct subject subject = { 0 };
    struct doc schema;
    struct err err;

    if (word != NULL && !subject_find(command->arena, text_from(word), &subject, &err)) {
        err_list_add(&command->errors, &err);
        return;
    }
    if (word != NULL && (!subject.kind->is_in_files || subject.field != NULL)) {
        err_set(&err, CODE_R0005,
                "JSON Schemas exist for kinds that files can contain, not for '%s'", word);
        err_hint(&err,
                 subject.kind->is_in_files
                     ? "reeve explain %s --json-schema"
                     : "'%s' is not a kind with fields: reeve explain lists the kinds",
                 subject.kind->singular);
        err_list_add(&command->errors, &err);
        return;
    }
    schema = json_schema_make(command->arena, subject.kind);
    json_format_pretty(&command->out, &schema);
}

enum exit_code verb_explain(struct command *command)
{
    const char *word = command->args.argument_count > 0 ? command->args.words[0] : NULL;
    struct subject subject;
    struct err err;

    if (args_has(&command->args, FLAG_EXPLAIN_JSON_SCHEMA)) {
        json_schema_write(command, word);
    } else if (word == NULL) {
        kinds_explain(command);
    } else if (text_has_prefix(text_from(word), TEXT("plugin/"))) {
        return plugin_schema(command, word + strlen("plugin/"));
    } else if (code_find(text_from(word)) != CODE_NONE) {
        code_explain(command, code_find(text_from(word)));
    } else if (is_like_code(word)) {
        code_unknown(command, word);
    } else if (!subject_find(command->arena, text_from(word), &subject, &err)) {
        err_list_add(&command->errors, &err);
    } else {
        subject_explain(command, &subject);
    }
    return EXIT_CODE_DONE;
}
