#include "cli/term/output.h"

#include "base/suggest.h"
#include "cli/term/glyph.h"
#include "cli/term/table.h"
#include "codec/json.h"
#include "codec/yaml.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *word;
    enum output_format format;
} words[] = {
    { "text", OUTPUT_TEXT }, { "table", OUTPUT_TABLE }, { "wide", OUTPUT_WIDE_TABLE },
    { "name", OUTPUT_NAME }, { "json", OUTPUT_JSON },   { "jsonl", OUTPUT_JSONL },
    { "yaml", OUTPUT_YAML }, { "path=", OUTPUT_PATH },  { "cols=", OUTPUT_WIDE_TABLE },
    { "csv", OUTPUT_CSV },   { "tsv", OUTPUT_TSV },     { "md", OUTPUT_MD },
};

/* The state of reading -o and --cols. */
struct output_reader {
    struct arena *arena;
    const struct output_view *view;
    struct output *output;
    struct text text; /* the whole argument, which is the source */
    uint16_t source;
    struct err *err;
};

static struct place part_place(const struct output_reader *reader, size_t at, size_t length)
{
    size_t points = text_count_points(text_slice(reader->text, at, length));

    return (struct place){
        .source = reader->source,
        .line = 1,
        .column = (uint32_t)text_count_points(text_slice(reader->text, 0, at)) + 1,
        .length = points == 0 ? 1 : (uint32_t)points,
    };
}

static bool title_is(const char *title, struct text word)
{
    return strlen(title) == word.length && strncasecmp(title, word.data, word.length) == 0;
}

static bool title_unknown(struct output_reader *reader, size_t at, size_t length)
{
    struct text word = text_slice(reader->text, at, length);
    struct suggest suggest = suggest_start(word);
    struct buf all;

    buf_init(&all, reader->arena);
    for (size_t i = 0; i < reader->view->column_count; i++) {
        suggest_offer(&suggest, text_from(reader->view->columns[i].title));
        buf_printf(&all, "%s%s", i == 0 ? "" : ", ", reader->view->columns[i].title);
    }
    err_set(reader->err, CODE_R0004, "there is no column '%.*s'", TEXT_ARG(word));
    err_place(reader->err, part_place(reader, at, length));
    if (suggest_best(&suggest).length > 0) {
        return err_hint(reader->err, "did you mean %.*s?", TEXT_ARG(suggest_best(&suggest)));
    }
    return err_hint(reader->err, "columns: %s; others as TITLE:.path", buf_text(&all).data);
}

static bool column_compile(struct output_reader *reader, const struct output_column *column,
                           struct output_field *out)
{
    struct place nowhere = { 0 };

    *out = (struct output_field){ .title = text_from(column->title),
                                  .weight = column->weight,
                                  .is_number = column->is_number };
    return path_parse(reader->arena, text_from(column->expression), nowhere,
                      (struct path **)&out->path, reader->err);
}

/* Read NAME or TITLE:PATH at [at, at + length) of the argument. */
static bool column_read(struct output_reader *reader, size_t at, size_t length,
                        struct output_field *out)
{
    struct text part = text_slice(reader->text, at, length);
    size_t colon = text_find_byte(part, ':');

    if (colon == SIZE_MAX) {
        for (size_t i = 0; i < reader->view->column_count; i++) {
            if (title_is(reader->view->columns[i].title, part)) {
                struct output_column asked = reader->view->columns[i];

                asked.weight = OUTPUT_KEEP; /* a column that the user requested is always shown */
                return column_compile(reader, &asked, out);
            }
        }
        return title_unknown(reader, at, length);
    }
    *out = (struct output_field){ .title = text_slice(part, 0, colon), .weight = OUTPUT_KEEP };
    if (colon == 0) {
        err_set(reader->err, CODE_R0004, "a column has no title");
        err_place(reader->err, part_place(reader, at, 1));
        return err_hint(reader->err, "write TITLE:.path");
    }
    return path_parse(reader->arena, text_slice(part, colon + 1, length),
                      part_place(reader, at + colon + 1, 1), (struct path **)&out->path,
                      reader->err);
}

/* The end of a column: a comma outside of brackets and quotes. */
static size_t column_end(struct text text, size_t at)
{
    char quote = '\0';
    size_t depth = 0;

    for (; at < text.length; at++) {
        char letter = text.data[at];

        if (quote != '\0') {
            if (letter == '\\') {
                at++;
            } else if (letter == quote) {
                quote = '\0';
            }
        } else if (letter == '\'' || letter == '"') {
            quote = letter;
        } else if (letter == '[' || letter == '(') {
            depth++;
        } else if ((letter == ']' || letter == ')') && depth > 0) {
            depth--;
        } else if (letter == ',' && depth == 0) {
            return at;
        }
    }
    return at < text.length ? at : text.length;
}

static bool view_read(struct output_reader *reader)
{
    struct output *output = reader->output;

    for (size_t i = 0; i < reader->view->column_count; i++) {
        if (!column_compile(reader, &reader->view->columns[i],
                            &output->fields[output->field_count++])) {
            return false;
        }
    }
    return true;
}

/* Read COLUMNS or +COLUMNS from `at` of the argument. */
static bool columns_read(struct output_reader *reader, size_t at)
{
    struct output *output = reader->output;
    size_t count = reader->view->column_count + reader->text.length + 1;

    output->fields = arena_array(reader->arena, struct output_field, count);
    output->field_count = 0;
    if (at < reader->text.length && reader->text.data[at] == '+') {
        at++;
        if (!view_read(reader)) {
            return false;
        }
    }
    for (;;) {
        size_t end = column_end(reader->text, at);

        if (end == at) {
            err_set(reader->err, CODE_R0004, "a column was expected here");
            err_place(reader->err, part_place(reader, at, 1));
            return err_hint(reader->err, "for example NAME,SIZE or SIZE:.size");
        }
        if (!column_read(reader, at, end - at, &output->fields[output->field_count])) {
            return false;
        }
        output->field_count++;
        if (end == reader->text.length) {
            return true;
        }
        at = end + 1;
    }
}

static bool format_read(struct output_reader *reader)
{
    struct text text = reader->text;

    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        struct text word = text_from(words[i].word);
        bool has_more = text_has_suffix(word, TEXT("="));

        if (has_more ? !text_has_prefix(text, word) : !text_is_equal(text, word)) {
            continue;
        }
        reader->output->format = words[i].format;
        if (!has_more) {
            return true;
        }
        if (words[i].format == OUTPUT_PATH) {
            return path_parse(reader->arena, text_slice(text, word.length, text.length),
                              part_place(reader, word.length, 1), &reader->output->path,
                              reader->err);
        }
        return columns_read(reader, word.length);
    }
    assert(false); /* the parser has already checked the word against verbs.def */
    return true;
}

bool output_parse(struct arena *arena, const char *format, const char *columns,
                  enum output_format standard, const struct output_view *view,
                  struct source_set *sources, struct output *out, struct err *err)
{
    struct output_reader reader = { .arena = arena, .view = view, .output = out, .err = err };

    *out = (struct output){ .format = standard, .view = view };
    if (format != NULL) {
        reader.text = text_from(format);
        reader.source = source_set_add(sources, "<-o>", reader.text);
        if (!format_read(&reader)) {
            return false;
        }
    }
    if (columns != NULL) {
        reader.text = text_from(columns);
        reader.source = source_set_add(sources, "<--cols>", reader.text);
        if (out->format == OUTPUT_TEXT) {
            out->format = OUTPUT_TABLE; /* a list of columns implies a table */
        }
        return columns_read(&reader, 0);
    }
    if (out->fields == NULL) {
        out->fields = arena_array(arena, struct output_field, view->column_count);
        return view_read(&reader);
    }
    return true;
}

/* ---- writing ---- */

struct text output_cell(struct arena *arena, const struct doc *value)
{
    struct buf cell;

    if (!doc_is_present(value) || doc_is_null(value)) {
        return TEXT("");
    }
    if (doc_is_scalar(value)) {
        return value->text;
    }
    buf_init(&cell, arena);
    if (doc_is_map(value)) {
        json_format(&cell, value);
        return buf_text(&cell);
    }
    for (size_t i = 0; i < value->item_count; i++) {
        buf_add_string(&cell, i == 0 ? "" : ",");
        buf_add(&cell, output_cell(arena, &value->items[i]));
    }
    return buf_text(&cell);
}

/* Write a format such as "nodegroup/{cluster}/{path}" with the fields of a row. */
static void output_name_write(struct arena *arena, const char *format, const struct doc *row,
                              struct buf *out)
{
    struct text rest = text_from(format);

    while (rest.length > 0) {
        size_t open = text_find_byte(rest, '{');
        size_t close = text_find_byte(rest, '}');

        glyph_write_text(out, text_slice(rest, 0, open));
        if (open == SIZE_MAX || close == SIZE_MAX) {
            break;
        }
        glyph_write_text(
            out, output_cell(arena, doc_find(row, text_slice(rest, open + 1, close - open - 1))));
        rest = text_slice(rest, close + 1, rest.length);
    }
    buf_add_bytes(out, '\n', 1);
}

/* Write the results of a path: scalars unquoted, for scripts; other values as JSON. */
static void found_write(struct arena *arena, const struct path *path, const struct doc *object,
                        struct buf *out)
{
    struct path_nodes nodes = path_find(arena, path, object);

    for (size_t i = 0; i < nodes.count; i++) {
        if (doc_is_scalar(nodes.items[i]) && !doc_is_null(nodes.items[i])) {
            buf_add(out, nodes.items[i]->text);
        } else {
            json_format(out, nodes.items[i]);
        }
        buf_add_bytes(out, '\n', 1);
    }
}

static void jsonl_write(const struct output_data *data, struct buf *out)
{
    for (size_t i = 0; i < data->object_count; i++) {
        json_format(out, &data->objects[i]);
        buf_add_bytes(out, '\n', 1);
    }
}

void output_write(struct arena *arena, struct output *output, const struct style *style,
                  const struct output_data *data, struct buf *out)
{
    struct doc list = doc_list(data->objects, data->object_count, NULL);

    assert(output->format != OUTPUT_TEXT);
    switch (output->format) {
    case OUTPUT_NAME:
        for (size_t i = 0; i < data->row_count; i++) {
            output_name_write(arena, output->view->name_format, &data->rows[i], out);
        }
        return;
    case OUTPUT_JSON:
        json_format_pretty(out, &list);
        return;
    case OUTPUT_JSONL:
        jsonl_write(data, out);
        return;
    case OUTPUT_YAML:
        yaml_format(out, &list);
        return;
    case OUTPUT_PATH:
        for (size_t i = 0; i < data->object_count; i++) {
            found_write(arena, output->path, &data->objects[i], out);
        }
        return;
    case OUTPUT_TEXT:
    case OUTPUT_TABLE:
    case OUTPUT_WIDE_TABLE:
    case OUTPUT_CSV:
    case OUTPUT_TSV:
    case OUTPUT_MD:
        table_write(arena, output, style, data->rows, data->row_count, out);
        return;
    }
}
