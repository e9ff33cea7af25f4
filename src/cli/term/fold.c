#include "cli/term/fold.h"

#include "base/macros.h"
#include "cli/term/glyph.h"

#include <assert.h>
#include <stdbool.h>

/* The state of folding one line. */
struct fold {
    struct buf *out;
    struct text line;
    struct text lead; /* blanks, marks and tree branches at the start of the line */
    size_t columns;
    size_t hang; /* column at which continuation lines start */
};

/* Return the length of an escape code for colours at the start of a text: ESC [ ... letter. 0:
 * there is none. */
static size_t code_length(struct text text)
{
    size_t at = 2;

    if (text.length < 2 || text.data[0] != '\x1b' || text.data[1] != '[') {
        return 0;
    }
    while (at < text.length && (text.data[at] < '@' || text.data[at] > '~')) {
        at++;
    }
    return at < text.length ? at + 1 : text.length;
}

static size_t width_of(struct text text)
{
    size_t width = 0;

    for (size_t at = 0; at < text.length;) {
        size_t code = code_length(text_slice(text, at, text.length));

        if (code > 0) {
            at += code;
        } else {
            width += glyph_columns(glyph_next(text, &at));
        }
    }
    return width;
}

/* True if the character is a mark in front of the text of a line: + ~ - ! x, or a branch of a tree
 * (ASCII or box-drawing). */
static bool point_is_mark(uint32_t point)
{
    static const char marks[] = "+~-!x|`";

    for (size_t i = 0; i + 1 < sizeof(marks); i++) {
        if (point == (unsigned char)marks[i]) {
            return true;
        }
    }
    return point >= 0x2500 && point <= 0x257f;
}

/* Return the text below a mark or tree branch in continuation lines. A branch that does not end is
 * continued; a mark is replaced by a blank. */
static const char *lead_below(uint32_t point)
{
    return point == '|' ? "|" : point == 0x2502 || point == 0x251c ? "\u2502" : " ";
}

static size_t blank_count(struct text text)
{
    size_t count = 0;

    while (count < text.length && text.data[count] == ' ') {
        count++;
    }
    return count;
}

/* Return the prefix of a line: blanks, and marks of one or two letters that are followed by a
 * blank. */
static struct text lead_of(struct text line)
{
    size_t lead = 0;

    for (;;) {
        size_t at;
        size_t marks = 0;

        lead += blank_count(text_slice(line, lead, line.length));
        at = lead;
        while (at < line.length && marks < 3 && line.data[at] != ' ') {
            size_t code = code_length(text_slice(line, at, line.length));

            if (code > 0) {
                at += code;
            } else if (point_is_mark(glyph_next(line, &at))) {
                marks++;
            } else {
                marks = 3;
            }
        }
        if (marks == 0 || marks > 2 || at >= line.length) {
            return text_slice(line, 0, lead);
        }
        lead = at;
    }
}

/* Return the column of continuation lines: below the last column of the line, if that leaves half
 * of the terminal, or else below the text. A text without a mark gets a little more indentation, to
 * distinguish its continuation from the next line. */
static size_t hang_of(const struct fold *fold)
{
    size_t lead = width_of(fold->lead);
    size_t hang = lead;
    size_t width = lead;

    for (size_t at = fold->lead.length; at < fold->line.length && width <= fold->columns / 2;) {
        size_t end = at;
        size_t blanks;

        while (end < fold->line.length && fold->line.data[end] != ' ') {
            end++;
        }
        blanks = blank_count(text_slice(fold->line, end, fold->line.length));
        width += width_of(text_slice(fold->line, at, end - at)) + blanks;
        if (blanks > 1 && width <= fold->columns / 2) {
            hang = width;
        }
        at = end + blanks;
    }
    return hang > lead || fold->lead.length > blank_count(fold->lead) ? hang : lead + 2;
}

/* Begin a continuation line at column `hang`, or further to the left if `width` columns would not
 * fit. */
static size_t line_begin(const struct fold *fold, size_t width)
{
    size_t room = width < fold->columns ? fold->columns - width : 0;
    size_t indent = fold->hang < room ? fold->hang : room;
    size_t used = 0;

    buf_add_byte(fold->out, '\n');
    for (size_t at = 0; at < fold->lead.length && used < indent;) {
        size_t code = code_length(text_slice(fold->lead, at, fold->lead.length));

        if (code > 0) {
            at += code;
        } else {
            buf_add_string(fold->out, lead_below(glyph_next(fold->lead, &at)));
            used++;
        }
    }
    buf_add_bytes(fold->out, ' ', indent - used);
    return indent;
}

static void line_fold(const struct fold *fold)
{
    struct text line = fold->line;
    size_t used = width_of(fold->lead);
    size_t blanks = 0;
    bool is_at_start = true;

    buf_add(fold->out, fold->lead);
    for (size_t at = fold->lead.length; at < line.length;) {
        size_t end = at;
        size_t width;

        while (end < line.length && line.data[end] != ' ') {
            end++;
        }
        width = width_of(text_slice(line, at, end - at));
        if (!is_at_start && used + blanks + width > fold->columns) {
            used = line_begin(fold, width);
        } else {
            buf_add_bytes(fold->out, ' ', blanks);
            used += blanks;
        }
        buf_add(fold->out, text_slice(line, at, end - at));
        used += width;
        is_at_start = false;
        blanks = blank_count(text_slice(line, end, line.length));
        at = end + blanks;
    }
    /* a question has no line end, because the user types the answer after it */
    buf_add_bytes(fold->out, ' ', blanks);
}

void fold_lines(struct arena *arena, struct buf *buf, size_t from, size_t columns, size_t hang)
{
    struct text text = text_slice(buf_text(buf), from, buf->length - from);
    struct buf folded;

    assert(from <= buf->length);
    if (columns == 0 || text.length == 0) {
        return;
    }
    buf_init(&folded, arena);
    for (size_t at = 0; at < text.length;) {
        size_t rest = text_find_byte(text_slice(text, at, text.length), '\n');
        struct fold fold = { .out = &folded, .columns = columns };

        fold.line = text_slice(text, at, rest);
        if (width_of(fold.line) <= columns) {
            buf_add(&folded, fold.line);
        } else {
            fold.lead = lead_of(fold.line);
            fold.hang = hang > 0 ? hang : hang_of(&fold);
            line_fold(&fold);
        }
        at += fold.line.length;
        if (at < text.length) {
            buf_add_byte(&folded, '\n');
            at++;
        }
    }
    buf->length = from;
    buf_add(buf, buf_text(&folded));
}

size_t fold_rows(struct text lines, size_t columns)
{
    size_t rows = 0;

    assert(columns > 0);
    for (size_t at = 0; at < lines.length;) {
        size_t rest = text_find_byte(text_slice(lines, at, lines.length), '\n');
        struct text line = text_slice(lines, at, rest);
        size_t width = width_of(line);

        rows += width == 0 ? 1 : (width + columns - 1) / columns;
        at += line.length + 1;
    }
    return rows;
}
