#include "ssh/block.h"

#include "base/buf.h"
#include "base/limits.h"

#include <assert.h>
#include <string.h>

/* public names start with: ssh_ */

/* Normal case: one pass over the lines finds the markers. Then the text before the block, the new
 * block and the text after it are joined.
 *
 * Failures: markers that do not match are an error, even those of another cluster, because an
 * editor may have moved lines between them. A file that is too large is also an error. */

#define BEGIN "# reeve begin"
#define END   "# reeve end"

#define NO_PLACE SIZE_MAX

struct marks {
    struct text open; /* name of the block that contains the current line; empty: none */
    size_t open_line;
    /* Offset of the first byte of the block to replace; `end` is the offset after its last byte. */
    size_t begin;
    size_t end;
};

bool ssh_block_is_name(struct text name)
{
    static const char others[] = "._/-";

    for (size_t i = 0; i < name.length; i++) {
        char c = name.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c != '\0' && strchr(others, c) != NULL))) {
            return false;
        }
    }
    return name.length > 0 && name.length <= LIMIT_SSH_NAME_BYTES;
}

static struct text line_at(struct text text, size_t at)
{
    struct text rest = text_slice(text, at, text.length);
    size_t end = text_find_byte(rest, '\n');

    return end == SIZE_MAX ? rest : text_slice(rest, 0, end);
}

/* True for a marker, even without a name, because an editor may have removed the name. */
static bool is_mark(struct text line, struct text mark)
{
    return text_has_prefix(line, mark) &&
           (line.length == mark.length || line.data[mark.length] == ' ' ||
            line.data[mark.length] == '\t');
}

/* Returns the name in a marker: the part up to the colon or the end of the line. */
static struct text block_name_of(struct text line, size_t head)
{
    struct text name = text_trim(text_slice(line, head, line.length));
    size_t colon = text_find_byte(name, ':');

    return colon == SIZE_MAX ? name : text_slice(name, 0, colon);
}

MUST_CHECK static bool block_refuse(size_t line, const char *why, struct text name, struct err *err)
{
    err_set(err, CODE_R0745, "line %zu: %s of '%.*s'", line, why,
            TEXT_ARG(text_slice(name, 0, LIMIT_SSH_NAME_BYTES)));
    err_hint(err, "take the lines from '" BEGIN "' to '" END
                  "' out of the file; reeve writes them again");
    return err_place(err, (struct place){ .line = (uint32_t)line, .column = 1, .length = 1 });
}

MUST_CHECK static bool block_begin_take(struct marks *marks, struct text name, struct text ours,
                                        size_t at, size_t line, struct err *err)
{
    if (marks->open.length > 0) {
        return block_refuse(line, "another block begins inside the block", marks->open, err);
    }
    if (!ssh_block_is_name(name)) {
        return block_refuse(line, "a mark with a damaged name: the block", name, err);
    }
    if (text_is_equal(name, ours)) {
        if (marks->begin != NO_PLACE) {
            return block_refuse(line, "a second block", name, err);
        }
        marks->begin = at;
    }
    marks->open = name;
    marks->open_line = line;
    return true;
}

MUST_CHECK static bool block_end_take(struct marks *marks, struct text name, struct text ours,
                                      size_t behind, size_t line, struct err *err)
{
    if (!text_is_equal(name, marks->open)) {
        return block_refuse(line, "an end without its beginning", name, err);
    }
    if (text_is_equal(name, ours)) {
        marks->end = behind;
    }
    marks->open = TEXT("");
    return true;
}

MUST_CHECK static bool block_marks_find(struct text text, struct text name, struct marks *out,
                                        struct err *err)
{
    struct marks marks = { .open = TEXT(""), .begin = NO_PLACE, .end = NO_PLACE };
    size_t number = 1;

    for (size_t at = 0; at < text.length; number++) {
        struct text line = line_at(text, at);
        size_t behind = at + line.length + (at + line.length < text.length);
        struct text bare = text_trim(line);

        if (is_mark(bare, TEXT(BEGIN)) &&
            !block_begin_take(&marks, block_name_of(bare, sizeof(BEGIN) - 1), name, at, number,
                              err)) {
            return false;
        }
        if (is_mark(bare, TEXT(END)) &&
            !block_end_take(&marks, block_name_of(bare, sizeof(END) - 1), name, behind, number,
                            err)) {
            return false;
        }
        at = behind;
    }
    if (marks.open.length > 0) {
        return block_refuse(marks.open_line, "the end is missing", marks.open, err);
    }
    *out = marks;
    return true;
}

/* ---- writing ---- */

/* Checks one of the new lines. A line that looks like a marker would end the block, or begin
 * another one. */
MUST_CHECK static bool line_check(struct text line, struct err *err)
{
    struct text bare = text_trim(line);

    if (bare.length > 0 && line.length <= LIMIT_SSH_LINE_BYTES &&
        text_find_byte(line, '\n') == SIZE_MAX && text_find_byte(line, '\r') == SIZE_MAX &&
        text_find_bad_utf8(line) == SIZE_MAX && bare.data[0] != '#') {
        return true;
    }
    return err_set(err, CODE_R0744, "a line that authorized_keys cannot contain: '%.*s'",
                   TEXT_ARG(text_slice(line, 0, 80)));
}

MUST_CHECK static bool block_block_add(struct buf *buf, struct text name, const struct text *lines,
                                       size_t count, struct err *err)
{
    buf_printf(buf, BEGIN " %.*s: these lines are reeve's, and are written anew\n", TEXT_ARG(name));
    for (size_t i = 0; i < count; i++) {
        if (!line_check(lines[i], err)) {
            return false;
        }
        buf_add(buf, lines[i]);
        buf_add_string(buf, "\n");
    }
    buf_printf(buf, END " %.*s\n", TEXT_ARG(name));
    return true;
}

bool ssh_block_put(struct arena *arena, struct text before, struct text name,
                   const struct text *lines, size_t count, struct text *out, struct err *err)
{
    struct marks marks = { 0 };
    struct text head;
    struct buf buf;

    assert(ssh_block_is_name(name));
    if (before.length > LIMIT_SSH_FILE_BYTES) {
        return err_set(err, CODE_R0745, "a file of %zu bytes; %d are allowed", before.length,
                       LIMIT_SSH_FILE_BYTES);
    }
    if (!block_marks_find(before, name, &marks, err)) {
        return false;
    }
    if (marks.begin == NO_PLACE && count == 0) {
        *out = before;
        return true;
    }
    head = marks.begin == NO_PLACE ? before : text_slice(before, 0, marks.begin);
    buf_init(&buf, arena);
    buf_add(&buf, head);
    if (head.length > 0 && head.data[head.length - 1] != '\n') {
        buf_add_string(&buf, "\n");
    }
    if (count > 0 && !block_block_add(&buf, name, lines, count, err)) {
        return false;
    }
    if (marks.begin != NO_PLACE) {
        buf_add(&buf, text_slice(before, marks.end, before.length));
    }
    *out = buf_text(&buf);
    return true;
}
