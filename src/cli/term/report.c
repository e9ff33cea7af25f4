/* The error printer (UX.md 3.8).
 *
 *     shop.yaml:14:7: error[R0312]: unknown field 'instaceType'
 *        13 |     resourceProperties:
 *        14 |       instaceType: t2.small
 *           |       ^^^^^^^^^^^
 *        hint: did you mean 'instanceType'?
 *
 * Text of a user's document is written only by glyph_write, so that no value can control the
 * terminal. Of a line that does not fit, a window around the caret is shown. */
#include "cli/term/report.h"

#include "base/exits.h"
#include "base/limits.h"
#include "base/macros.h"
#include "cli/term/fold.h"
#include "cli/term/glyph.h"
#include "codec/doc.h"
#include "codec/json.h"

#include <assert.h>
#include <string.h>

/* Width of " 14 | ". It equals the width of a tab, so that tabs in the text have the same effect as
 * in an editor. */
#define REPORT_GUTTER_COLUMNS 8
#define REPORT_TAB_COLUMNS    8

/* Width of lines if the output is not a terminal or has no known width. */
#define REPORT_LINE_COLUMNS 200

/* The indentation of continuation lines of a long message. */
#define REPORT_HANG_COLUMNS 4

static unsigned point_columns(uint32_t point, size_t at_column, bool has_tabs)
{
    if (point == '\t') {
        return has_tabs ? REPORT_TAB_COLUMNS - (unsigned)(at_column % REPORT_TAB_COLUMNS) : 1;
    }
    return glyph_columns(point);
}

/* The part of a line that is shown, in screen columns. */
struct window {
    size_t first; /* columns before it are not shown */
    size_t last;  /* columns from this one on are not shown */
    bool is_cut;  /* there is text after `last` */
    /* tabs are written as tabs, which is only done in a line that is shown completely */
    bool has_tabs;
    size_t span_first; /* where the caret begins and ends */
    size_t span_last;
};

/* Measure a line and choose the part that is shown. */
static struct window window_choose(struct text line, struct place place, size_t room)
{
    struct window window = { .last = SIZE_MAX, .has_tabs = true };

    for (;;) {
        size_t column = 0;
        uint32_t number = 1;
        bool is_started = false;

        for (size_t at = 0; at < line.length; number++) {
            uint32_t point = glyph_next(line, &at);

            if (number == place.column) {
                window.span_first = column;
                is_started = true;
            }
            column += point_columns(point, column, window.has_tabs);
            if (is_started && number - place.column < place.length) {
                window.span_last = column;
            }
        }
        /* the position is after the end of the line, where something is missing */
        if (!is_started) {
            window.span_first = column;
        }
        if (!is_started || window.span_last <= window.span_first) {
            window.span_last = window.span_first + 1;
        }
        if (column <= room) {
            return window;
        }
        if (!window.has_tabs) {
            size_t lead = room / 3;

            window.first = window.span_first > lead ? window.span_first - lead : 0;
            if (window.first + room > column + 1) {
                window.first = column + 1 > room ? column + 1 - room : 0;
            }
            window.is_cut = window.first + room < column;
            /* reserve room for the dots */
            window.last = window.first + room - (window.is_cut ? 3 : 0);
            return window;
        }
        window.has_tabs = false;
    }
}

static void report_line_write(struct text line, const struct window *window, struct buf *out)
{
    size_t first = window->first == 0 ? 0 : window->first + 3; /* the first columns are used for
                                                                * dots */
    size_t column = 0;

    buf_add_string(out, window->first > 0 ? "..." : "");
    for (size_t at = 0; at < line.length;) {
        uint32_t point = glyph_next(line, &at);
        unsigned columns = point_columns(point, column, window->has_tabs);

        if (column + columns > window->last) {
            break;
        }
        if (column < first) {
            if (column + columns > first) { /* the window cuts a wide character in half */
                buf_add_bytes(out, ' ', column + columns - first);
            }
        } else if (point == '\t') {
            buf_add_bytes(out, window->has_tabs ? '\t' : ' ', 1);
        } else {
            glyph_write(out, point);
        }
        column += columns;
    }
    buf_add_string(out, window->is_cut ? "...\n" : "\n");
}

/* Write blanks up to the caret. Tabs of the line are repeated, so that both lines are aligned. */
static void padding_write(struct text line, const struct window *window, struct buf *out)
{
    size_t column = 0;

    if (!window->has_tabs) {
        buf_add_bytes(out, ' ', window->span_first - window->first);
        return;
    }
    for (size_t at = 0; at < line.length && column < window->span_first;) {
        uint32_t point = glyph_next(line, &at);
        unsigned columns = point_columns(point, column, true);

        buf_add_bytes(out, point == '\t' ? '\t' : ' ', point == '\t' ? 1 : columns);
        column += columns;
    }
    buf_add_bytes(out, ' ', column < window->span_first ? window->span_first - column : 0);
}

static void gutter_write(const struct style *style, uint32_t line, struct buf *out)
{
    style_on(style, out, STYLE_FAINT);
    if (line == 0) {
        buf_add_string(out, "      | ");
    } else {
        buf_printf(out, "%5u | ", (unsigned)line);
    }
    style_off(style, out);
}

static size_t indent_count(struct text line)
{
    size_t count = 0;

    while (count < line.length && line.data[count] == ' ') {
        count++;
    }
    return count;
}

/* True if the previous line is the parent key of the faulty line; it is then shown. */
static bool line_is_parent(struct text parent, struct text line)
{
    size_t indent = indent_count(parent);

    return indent < parent.length && parent.data[indent] != '#' && indent < indent_count(line);
}

static size_t line_room(const struct style *style)
{
    size_t columns = style->columns == 0 ? REPORT_LINE_COLUMNS : style->columns;

    return columns > REPORT_GUTTER_COLUMNS + 12 ? columns - REPORT_GUTTER_COLUMNS : 12;
}

void report_write_snippet(const struct report *report, struct place place, struct buf *out)
{
    struct window window;
    struct text before;
    struct text line;
    size_t last;

    if (!source_line(report->sources, place.source, place.line, &line)) {
        return;
    }
    if (place.line > 1 && source_line(report->sources, place.source, place.line - 1, &before) &&
        line_is_parent(before, line)) {
        struct window whole =
            window_choose(before, (struct place){ .column = 1 }, line_room(report->style));

        gutter_write(report->style, place.line - 1, out);
        report_line_write(before, &whole, out);
    }
    window = window_choose(line, place, line_room(report->style));
    gutter_write(report->style, place.line, out);
    report_line_write(line, &window, out);
    gutter_write(report->style, 0, out);
    padding_write(line, &window, out);
    last = window.span_last < window.last ? window.span_last : window.last;
    style_on(report->style, out, STYLE_CARET);
    buf_add_bytes(out, '^', last > window.span_first ? last - window.span_first : 1);
    style_off(report->style, out);
    buf_add_bytes(out, '\n', 1);
}

static void report_place_write(const struct report *report, struct place place, struct buf *out)
{
    const char *name = source_name(report->sources, place.source);

    if (name == NULL) {
        return;
    }
    glyph_write_text(out, text_from(name));
    if (place.line > 0) {
        buf_printf(out, ":%u:%u", (unsigned)place.line, (unsigned)place.column);
    }
    buf_add_string(out, ": ");
}

static const char *severity_word(enum err_severity severity)
{
    return severity == ERR_SEVERITY_ERROR ? "error" : "warning";
}

/* Write a remark under the snippet. Its continuation lines have the same indentation. */
static void remark_write(const struct report *report, enum style_color color, const char *word,
                         struct place place, const char *string, struct buf *out)
{
    struct text rest = text_from(string);
    size_t hang = 3 + strlen(word) + 2;
    size_t from = out->length;

    if (rest.length == 0) {
        return;
    }
    buf_add_string(out, "   ");
    style_add(report->style, out, color, word);
    buf_add_string(out, ": ");
    report_place_write(report, place, out);
    for (;;) {
        size_t end = text_find_byte(rest, '\n');

        glyph_write_text(out, text_slice(rest, 0, end));
        buf_add_bytes(out, '\n', 1);
        if (end == SIZE_MAX) {
            break;
        }
        rest = text_slice(rest, end + 1, rest.length);
        buf_add_bytes(out, ' ', hang);
    }
    fold_lines(report->arena, out, from, report->style->columns, hang);
}

static void report_text_write(const struct report *report, const struct err *err, struct buf *out)
{
    size_t from = out->length;

    style_on(report->style, out, STYLE_STRONG);
    if (source_name(report->sources, err->place.source) == NULL) {
        buf_add_string(out, "reeve: ");
    } else {
        report_place_write(report, err->place, out);
    }
    style_off(report->style, out);
    style_on(report->style, out, err->severity == ERR_SEVERITY_ERROR ? STYLE_ERROR : STYLE_WARNING);
    buf_printf(out, "%s[%s]", severity_word(err->severity), code_get(err->code)->name);
    style_off(report->style, out);
    buf_add_string(out, ": ");
    glyph_write_text(out, text_from(err->text));
    buf_add_bytes(out, '\n', 1);
    fold_lines(report->arena, out, from, report->style->columns, REPORT_HANG_COLUMNS);
    report_write_snippet(report, err->place, out);
    remark_write(report, STYLE_NOTE, "note", err->note_place, err->note, out);
    remark_write(report, STYLE_HINT, "hint", (struct place){ 0 }, err->hint, out);
}

static void gcc_write(const struct report *report, const struct err *err, struct buf *out)
{
    if (source_name(report->sources, err->place.source) == NULL) {
        buf_add_string(out, "reeve: ");
    } else {
        report_place_write(report, err->place, out);
    }
    buf_printf(out, "%s: ", severity_word(err->severity));
    glyph_write_text(out, text_from(err->text));
    buf_printf(out, " [%s]\n", code_get(err->code)->name);
}

/* Write how many errors were left out, and the effect of warnings. */
static void report_rest_write(const struct report *report, const struct err_list *errors,
                              size_t shown, struct buf *out)
{
    size_t all = errors->errors + errors->warnings;

    if (all > shown) {
        buf_printf(out, "\n... and %zu more %s%s", all - shown,
                   errors->errors > 0 ? "error" : "warning", TEXT_PLURAL(all - shown));
        if (report->more != NULL && errors->count > shown) {
            buf_printf(out, "; %s shows %s", report->more,
                       errors->count == all ? "all" : "the first 50");
        }
        buf_add_bytes(out, '\n', 1);
    }
    if (report->is_strict && errors->errors == 0 && errors->warnings > 0) {
        buf_printf(out, "reeve: %zu warning%s, which --strict treats as errors\n", errors->warnings,
                   TEXT_PLURAL(errors->warnings));
    }
}

void report_write(const struct report *report, struct err_list *errors, struct buf *out)
{
    size_t shown = 0;

    if (errors->count == 0) {
        return;
    }
    err_list_sort(errors, report->arena);
    if (report->format == REPORT_JSON) {
        struct doc problem;

        report_problem(report, errors, &problem);
        json_format_pretty(out, &problem);
        return;
    }
    for (; shown < errors->count; shown++) {
        if (report->format == REPORT_GCC) {
            gcc_write(report, &errors->items[shown], out);
            continue;
        }
        if (shown == LIMIT_ERRORS_SHOWN) {
            break;
        }
        if (shown > 0) {
            buf_add_bytes(out, '\n', 1);
        }
        report_text_write(report, &errors->items[shown], out);
    }
    if (report->format == REPORT_TEXT) {
        report_rest_write(report, errors, shown, out);
    }
}
