#include "cli/change/plan_writer.h"
#include "cli/term/flow.h"
#include "cli/term/glyph.h"
#include "cli/term/output.h"
#include "codec/doc_child.h"

void plan_line_end(struct plan_writer *writer)
{
    buf_add_bytes(writer->out, '\n', 1);
    writer->lines_left -= writer->lines_left > 0 ? 1 : 0;
}

/* Write a text, padded with blanks up to a width. */
void plan_cell_write(struct plan_writer *writer, struct text text, size_t columns)
{
    size_t used = glyph_text_columns(text);

    glyph_write_text(writer->out, text);
    buf_add_bytes(writer->out, ' ', used < columns ? columns - used : 0);
}

/* Shorten the digest of a bundle to as many digits as distinguish it from other bundles. --full and
 * other formats of -o have all digits. */
static struct text digests_cut(struct arena *arena, struct text cell)
{
    static const char mark[] = "@sha256:";
    enum { MARK = sizeof(mark) - 1, DIGITS = 64, DIGITS_SHOWN = 12 };
    struct buf cut;

    buf_init(&cut, arena);
    while (cell.length > 0) {
        bool is_digest = cell.length >= MARK + DIGITS && text_is(text_slice(cell, 0, MARK), mark);
        size_t taken = is_digest ? MARK + DIGITS : 1;

        buf_add(&cut, text_slice(cell, 0, is_digest ? MARK + DIGITS_SHOWN : 1));
        cell = text_slice(cell, taken, cell.length);
    }
    return buf_text(&cut);
}

/* Return a value as one cell. On a terminal, it takes at most a third of the width, unless
 * everything is shown. */
static struct text value_cell(struct plan_writer *writer, const struct doc *value)
{
    struct arena *arena = writer->command->arena;
    struct text cell = flow_format(arena, value);
    size_t room = writer->command->out_style.columns;
    struct buf cut;

    if (value == NULL) {
        return TEXT("(none)");
    }
    if (writer->text->detail != PLAN_FULL) {
        cell = digests_cut(arena, cell);
    }
    room = room < 48 ? 16 : room / 2 - 8;
    if (writer->command->out_style.columns == 0 || writer->text->detail == PLAN_FULL ||
        glyph_text_columns(cell) <= room) {
        return cell;
    }
    buf_init(&cut, arena);
    for (size_t at = 0, used = 0; at < cell.length;) {
        uint32_t point = glyph_next(cell, &at);

        used += glyph_columns(point);
        if (used + 3 > room) {
            break;
        }
        glyph_write(&cut, point);
    }
    buf_add_string(&cut, "...");
    return buf_text(&cut);
}

/* ---- values ---- */

/* Write where the value was set: file:line:col. */
static void plan_values_place_write(struct plan_writer *writer, const struct doc *value)
{
    struct text file = doc_child_text(value, "file");

    if (file.length > 0) {
        buf_add_string(writer->out, "  ");
        glyph_write_text(writer->out, file);
        buf_printf(writer->out, ":%lld:%lld", (long long)doc_child_number(value, "line"),
                   (long long)doc_child_number(value, "column"));
    }
}

/* True if another line already shows the value: the size is in the line of the group, and the
 * revision in the line of `configuration`. False if everything is shown. */
static bool is_value_said(const struct plan_writer *writer, struct text path)
{
    return writer->text->detail != PLAN_FULL &&
           (text_is(path, "size") || text_is(path, "configured.revision"));
}

void plan_values_write(struct plan_writer *writer, const struct doc *values, size_t indent)
{
    size_t path_columns = 0;
    size_t value_columns = 0;

    for (size_t i = 0; doc_is_list(values) && i < values->item_count; i++) {
        const struct doc *item = &values->items[i];

        if (is_value_said(writer, doc_child_text(item, "path"))) {
            continue;
        }
        path_columns = glyph_widest(path_columns, doc_child_text(item, "path"), PLAN_PATH_COLUMNS);
        value_columns = glyph_widest(value_columns, value_cell(writer, doc_child(item, "value")),
                                     PLAN_VALUE_COLUMNS);
    }
    for (size_t i = 0; doc_is_list(values) && i < values->item_count; i++) {
        const struct doc *item = &values->items[i];

        if (is_value_said(writer, doc_child_text(item, "path"))) {
            continue;
        }
        buf_add_bytes(writer->out, ' ', indent);
        plan_cell_write(writer, doc_child_text(item, "path"), path_columns);
        buf_add_string(writer->out, "  ");
        plan_cell_write(writer, value_cell(writer, doc_child(item, "value")), value_columns);
        buf_add_string(writer->out, "  ");
        style_on(&writer->command->out_style, writer->out, STYLE_FAINT);
        glyph_write_text(writer->out, doc_child_text(item, "origin"));
        if (writer->text->detail == PLAN_FULL) {
            plan_values_place_write(writer, item);
        }
        style_off(&writer->command->out_style, writer->out);
        plan_line_end(writer);
    }
}

/* True if another line already shows the change. A changed size is always shown. */
static bool is_change_said(const struct plan_writer *writer, struct text path)
{
    return !text_is(path, "size") && is_value_said(writer, path);
}

/* Write lines of the form: path old -> new origin. */
void plan_changes_write(struct plan_writer *writer, const struct doc *items, size_t indent)
{
    size_t count;
    const struct plan_part *parts = plan_parts(writer->command->arena, items, &count);
    size_t path_columns = 0;

    for (size_t i = 0; i < count; i++) {
        path_columns = is_change_said(writer, parts[i].path)
                           ? path_columns
                           : glyph_widest(path_columns, parts[i].path, PLAN_PATH_COLUMNS);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_change_said(writer, parts[i].path)) {
            continue;
        }
        buf_add_bytes(writer->out, ' ', indent);
        plan_cell_write(writer, parts[i].path, path_columns);
        buf_add_string(writer->out, "  ");
        glyph_write_text(writer->out, value_cell(writer, parts[i].old));
        buf_add_string(writer->out, " -> ");
        glyph_write_text(writer->out, value_cell(writer, parts[i].new));
        if (parts[i].origin.length > 0) {
            buf_add_string(writer->out, "   ");
            style_on(&writer->command->out_style, writer->out, STYLE_FAINT);
            glyph_write_text(writer->out, parts[i].origin);
            style_off(&writer->command->out_style, writer->out);
        }
        plan_line_end(writer);
    }
}

static void words_write(struct plan_writer *writer, const char *word, const struct doc *items)
{
    if (doc_is_list(items) && items->item_count > 0) {
        buf_printf(writer->out, "  %s ", word);
        glyph_write_text(writer->out, output_cell(writer->command->arena, items));
    }
}

/* Write how the group's labels change the inherited labels. Writes nothing if the group has no own
 * labels. */
void plan_labels_write(struct plan_writer *writer, const struct doc *labels, size_t indent)
{
    const struct doc *overridden = doc_child(labels, "overridden");
    bool has_overridden = doc_is_map(overridden) && overridden->entry_count > 0;

    if (doc_child_count(labels, "skipped") == 0 && !has_overridden) {
        return;
    }
    buf_add_bytes(writer->out, ' ', indent);
    buf_add_string(writer->out, "labels:");
    words_write(writer, "added", doc_child(labels, "added"));
    words_write(writer, "not inherited", doc_child(labels, "skipped"));
    for (size_t i = 0; has_overridden && i < overridden->entry_count; i++) {
        buf_add_string(writer->out, i == 0 ? "  overridden " : ",");
        glyph_write_text(writer->out, overridden->entries[i].key);
        buf_add_string(writer->out, " (was ");
        glyph_write_text(writer->out, value_cell(writer, &overridden->entries[i].value));
        buf_add_string(writer->out, ")");
    }
    plan_line_end(writer);
}
