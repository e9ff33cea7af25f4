#ifndef REEVE_CLI_TERM_OUTPUT_H
#define REEVE_CLI_TERM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "cli/term/path.h"
#include "cli/term/source.h"
#include "cli/term/style.h"
#include "codec/doc.h"

/* The output formats of UX.md 3.5, for any objects. */

/* Whether a column may be left out on a narrow terminal. */
enum output_weight {
    OUTPUT_KEEP, /* the column is never left out */
    OUTPUT_DROP, /* may be left out; columns are dropped from the right */
    OUTPUT_WIDE, /* shown only in -o wide, csv, tsv, md */
};

/* A column of a view. Strings are never freed. */
struct output_column {
    const char *title;      /* upper case */
    const char *expression; /* path in a row: ".name" */
    enum output_weight weight;
    bool is_number; /* right-aligned */
};

/* How objects of one kind are shown in rows. */
struct output_view {
    /* Format for -o name: "nodegroup/{cluster}/{path}", with fields of a row in {}. */
    const char *name_format;
    const struct output_column *columns;
    size_t column_count;
};

/* The formats of -o. */
enum output_format {
    OUTPUT_TEXT, /* text that the verb writes itself */
    OUTPUT_TABLE,
    OUTPUT_WIDE_TABLE,
    OUTPUT_NAME,
    OUTPUT_JSON,
    OUTPUT_JSONL,
    OUTPUT_YAML,
    OUTPUT_PATH,
    OUTPUT_CSV,
    OUTPUT_TSV,
    OUTPUT_MD,
};

/* A column with its parsed expression. */
struct output_field {
    struct text title;
    const struct path *path;
    enum output_weight weight;
    bool is_number;
    size_t width_reported; /* width of the column in earlier output; 0: none yet */
};

/* The requested output. */
struct output {
    enum output_format format;
    const struct output_view *view;
    struct output_field *fields;
    size_t field_count;
    struct path *path; /* used by OUTPUT_PATH */
    /* The rows continue earlier rows: no header is written, and columns are at least as wide as
     * before. */
    bool is_continued;
};

/* Read -o (NULL: `standard`) and --cols (NULL: none). Expressions are registered as sources of the
 * command, so that an error (R0004, R0008) can show a caret. The result is in the arena and points
 * into the strings. */
MUST_CHECK bool output_parse(struct arena *arena, const char *format, const char *columns,
                             enum output_format standard, const struct output_view *view,
                             struct source_set *sources, struct output *out, struct err *err);

/* The data to show. The formats json, jsonl, yaml and path show the objects; text formats show the
 * rows. There may be more rows than objects, as a plan is one object with many groups. Both may be
 * the same list. */
struct output_data {
    const struct doc *objects;
    size_t object_count;
    const struct doc *rows;
    size_t row_count;
};

/* Write the data in the requested format, which must not be OUTPUT_TEXT. */
void output_write(struct arena *arena, struct output *output, const struct style *style,
                  const struct output_data *data, struct buf *out);

/* Return one value as the text of a cell: text unchanged, lists joined by commas, maps as JSON.
 * Empty if NULL. */
struct text output_cell(struct arena *arena, const struct doc *value);

#endif
