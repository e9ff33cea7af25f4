#include "cli/term/table.h"

#include "cli/term/glyph.h"

#include <assert.h>

/* Columns between two cells, and the minimal width of a cut cell. */
#define TABLE_GAP        2
#define TABLE_CELL_LEAST 6
#define TABLE_CUT_STEP   4

struct table {
    struct arena *arena;
    struct output_field **fields; /* the shown fields */
    size_t field_count;
    struct text *cells; /* row by row */
    size_t row_count;
    size_t *widths;
};

static bool format_is_wide(enum output_format format)
{
    return format != OUTPUT_TABLE;
}

static struct text cell_text(struct arena *arena, const struct output_field *field,
                             const struct doc *row)
{
    struct path_nodes nodes = path_find(arena, field->path, row);
    struct buf cell;

    if (nodes.count == 0) {
        return TEXT("");
    }
    if (nodes.count == 1) {
        return output_cell(arena, nodes.items[0]);
    }
    buf_init(&cell, arena);
    for (size_t i = 0; i < nodes.count; i++) {
        buf_add_string(&cell, i == 0 ? "" : ",");
        buf_add(&cell, output_cell(arena, nodes.items[i]));
    }
    return buf_text(&cell);
}

static void table_fill(struct table *table, const struct output *output, const struct doc *rows,
                       size_t row_count)
{
    table->fields = arena_array(table->arena, struct output_field *, output->field_count);
    for (size_t i = 0; i < output->field_count; i++) {
        if (output->fields[i].weight != OUTPUT_WIDE || format_is_wide(output->format)) {
            table->fields[table->field_count++] = &output->fields[i];
        }
    }
    table->row_count = row_count;
    table->cells = arena_array(table->arena, struct text, row_count * table->field_count);
    for (size_t i = 0; i < row_count; i++) {
        for (size_t j = 0; j < table->field_count; j++) {
            table->cells[i * table->field_count + j] =
                cell_text(table->arena, table->fields[j], &rows[i]);
        }
    }
}

/* ---- widths ---- */

static void widths_measure(struct table *table)
{
    table->widths = arena_array(table->arena, size_t, table->field_count);
    for (size_t j = 0; j < table->field_count; j++) {
        table->widths[j] = glyph_text_columns(table->fields[j]->title);
        if (table->fields[j]->width_reported > table->widths[j]) {
            table->widths[j] = table->fields[j]->width_reported;
        }
        for (size_t i = 0; i < table->row_count; i++) {
            size_t width = glyph_text_columns(table->cells[i * table->field_count + j]);

            table->widths[j] = width > table->widths[j] ? width : table->widths[j];
        }
    }
}

static size_t width_sum(const struct table *table)
{
    size_t sum = 0;

    for (size_t j = 0; j < table->field_count; j++) {
        sum += table->widths[j] == 0 ? 0 : table->widths[j] + (sum > 0 ? TABLE_GAP : 0);
    }
    return sum;
}

/* Drop columns of a weight from the right until the table fits. A dropped column gets the width
 * 0. */
static void columns_drop(struct table *table, enum output_weight weight, size_t columns)
{
    for (size_t j = table->field_count; j > 1 && width_sum(table) > columns; j--) {
        if (table->fields[j - 1]->weight == weight) {
            table->widths[j - 1] = 0;
        }
    }
}

/* Shorten the widest cells step by step, so that two long columns are shortened equally. The first
 * column identifies the row, so it is not shortened below `first_least`. */
static void cells_cut(struct table *table, size_t columns, size_t first_least)
{
    while (width_sum(table) > columns) {
        size_t start = table->field_count > 1 && table->widths[0] <= first_least ? 1 : 0;
        size_t widest = start;
        size_t over = width_sum(table) - columns;

        for (size_t j = start + 1; j < table->field_count; j++) {
            widest = table->widths[j] > table->widths[widest] ? j : widest;
        }
        if (table->widths[widest] <= TABLE_CELL_LEAST) {
            return; /* the terminal is too narrow for any table */
        }
        over = over > table->widths[widest] - TABLE_CELL_LEAST
                   ? table->widths[widest] - TABLE_CELL_LEAST
                   : over;
        table->widths[widest] -= over > TABLE_CUT_STEP ? TABLE_CUT_STEP : over;
    }
}

/* Fit the widths of columns to the terminal. With -o wide all columns are kept, so cells are
 * shortened. A shortened name may be ambiguous, so names are shortened only if they use half of the
 * terminal, or if no other cell can be shortened. */
static void widths_fit(struct table *table, enum output_format format, size_t columns)
{
    if (format_is_wide(format)) {
        cells_cut(table, columns, columns / 2);
    }
    columns_drop(table, OUTPUT_WIDE, columns);
    columns_drop(table, OUTPUT_DROP, columns);
    cells_cut(table, columns, columns / 2);
    cells_cut(table, columns, 0);
}

/* ---- lines ---- */

/* Write a cell, shortened to `width` with dots if it is longer. Returns the number of columns
 * written. */
static size_t table_cell_write(struct text cell, size_t width, const struct style *style,
                               struct buf *out)
{
    size_t dots = style->is_utf8 ? 1 : 2;
    size_t used = 0;

    if (glyph_text_columns(cell) <= width) {
        used = glyph_text_columns(cell);
        glyph_write_text(out, cell);
        return used;
    }
    for (size_t at = 0; at < cell.length;) {
        uint32_t point = glyph_next(cell, &at);

        if (used + glyph_columns(point) > width - dots) {
            break;
        }
        used += glyph_columns(point);
        glyph_write(out, point);
    }
    buf_add_string(out, style->is_utf8 ? "\xe2\x80\xa6" : "..");
    return used + dots;
}

static void table_line_write(const struct table *table, const struct text *cells, bool is_header,
                             const struct style *style, struct buf *out)
{
    size_t pending = 0; /* pending blanks; never written at the end of a line */

    for (size_t j = 0; j < table->field_count; j++) {
        struct text cell = is_header ? table->fields[j]->title : cells[j];
        size_t width = table->widths[j];
        size_t taken = glyph_text_columns(cell);
        bool is_right = table->fields[j]->is_number && taken < width;

        if (width == 0) {
            continue;
        }
        if (cell.length == 0) {
            cell = TEXT("-");
            taken = 1;
            is_right = table->fields[j]->is_number && taken < width;
        }
        buf_add_bytes(out, ' ', pending + (is_right ? width - taken : 0));
        taken = table_cell_write(cell, width, style, out);
        pending = TABLE_GAP + (is_right || taken > width ? 0 : width - taken);
    }
    buf_add_bytes(out, '\n', 1);
}

static void columns_write(struct table *table, const struct output *output,
                          const struct style *style, struct buf *out)
{
    if (table->row_count == 0) {
        return;
    }
    widths_measure(table);
    if (style->columns > 0) {
        widths_fit(table, output->format, style->columns);
    }
    for (size_t j = 0; j < table->field_count; j++) {
        table->fields[j]->width_reported = table->widths[j];
    }
    if (!output->is_continued) {
        style_on(style, out, STYLE_STRONG);
        table_line_write(table, NULL, true, style, out);
        style_off(style, out);
    }
    for (size_t i = 0; i < table->row_count; i++) {
        table_line_write(table, &table->cells[i * table->field_count], false, style, out);
    }
}

/* ---- csv, tsv, md ---- */

/* Write a cell by RFC 4180: quoted if it contains a comma, a quote or a line end. */
static void table_csv_write(struct text cell, struct buf *out)
{
    bool is_quoted =
        text_find_byte(cell, ',') != SIZE_MAX || text_find_byte(cell, '"') != SIZE_MAX ||
        text_find_byte(cell, '\n') != SIZE_MAX || text_find_byte(cell, '\r') != SIZE_MAX;

    buf_add_bytes(out, '"', is_quoted ? 1 : 0);
    for (size_t i = 0; i < cell.length; i++) {
        buf_add_bytes(out, cell.data[i], is_quoted && cell.data[i] == '"' ? 2 : 1);
    }
    buf_add_bytes(out, '"', is_quoted ? 1 : 0);
}

/* Write a cell, with tabs, line ends and backslashes as escape sequences that begin with a
 * backslash. */
static void tsv_write(struct text cell, struct buf *out)
{
    for (size_t i = 0; i < cell.length; i++) {
        switch (cell.data[i]) {
        case '\t':
            buf_add_string(out, "\\t");
            break;
        case '\n':
            buf_add_string(out, "\\n");
            break;
        case '\r':
            buf_add_string(out, "\\r");
            break;
        case '\\':
            buf_add_string(out, "\\\\");
            break;
        default:
            buf_add_bytes(out, cell.data[i], 1);
        }
    }
}

static void md_write(struct text cell, struct buf *out)
{
    for (size_t i = 0; i < cell.length; i++) {
        if (cell.data[i] == '|' || cell.data[i] == '\\') {
            buf_add_bytes(out, '\\', 1);
        }
        if (cell.data[i] == '\n' || cell.data[i] == '\r') {
            buf_add_bytes(out, ' ', 1);
        } else {
            buf_add_bytes(out, cell.data[i], 1);
        }
    }
}

static void separated_line(const struct table *table, enum output_format format,
                           const struct text *cells, struct buf *out)
{
    const char *between = format == OUTPUT_CSV ? "," : format == OUTPUT_TSV ? "\t" : " | ";

    buf_add_string(out, format == OUTPUT_MD ? "| " : "");
    for (size_t j = 0; j < table->field_count; j++) {
        struct text cell = cells == NULL ? table->fields[j]->title : cells[j];

        buf_add_string(out, j == 0 ? "" : between);
        if (format == OUTPUT_CSV) {
            table_csv_write(cell, out);
        } else if (format == OUTPUT_TSV) {
            tsv_write(cell, out);
        } else {
            md_write(cell, out);
        }
    }
    buf_add_string(out, format == OUTPUT_MD ? " |\n" : "\n");
}

static void separated_write(const struct table *table, const struct output *output, struct buf *out)
{
    enum output_format format = output->format;

    if (!output->is_continued) {
        separated_line(table, format, NULL, out);
    }
    if (format == OUTPUT_MD && !output->is_continued) {
        buf_add_string(out, "|");
        for (size_t j = 0; j < table->field_count; j++) {
            buf_add_string(out, table->fields[j]->is_number ? "---:|" : "---|");
        }
        buf_add_bytes(out, '\n', 1);
    }
    for (size_t i = 0; i < table->row_count; i++) {
        separated_line(table, format, &table->cells[i * table->field_count], out);
    }
}

void table_write(struct arena *arena, struct output *output, const struct style *style,
                 const struct doc *rows, size_t row_count, struct buf *out)
{
    struct table table = { .arena = arena };

    table_fill(&table, output, rows, row_count);
    assert(table.field_count > 0);
    if (output->format == OUTPUT_TABLE || output->format == OUTPUT_WIDE_TABLE) {
        columns_write(&table, output, style, out);
    } else {
        separated_write(&table, output, out);
    }
}
