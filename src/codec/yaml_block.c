#include "codec/yaml_block.h"

#include <assert.h>
#include <string.h>

/* Block scalars by YAML 1.2.2, section 8.1. There are three kinds of lines: empty ones, which are
 * not longer than the indentation; text; and spaced ones, which begin with a blank after the
 * indentation and are never folded. (docs/decisions/0010 says why libfyaml does not read them.) */

struct block {
    struct text lines;
    size_t at;
    size_t indent;
    char *out;
    size_t used;
};

/* Return the number of blanks from `at` to the end of the line. */
static size_t blanks_count(struct text lines, size_t at)
{
    size_t count = 0;

    assert(at <= lines.length);
    while (at + count < lines.length && lines.data[at + count] == ' ') {
        count++;
    }
    return count;
}

static bool is_line_end(struct text lines, size_t at)
{
    return at >= lines.length || lines.data[at] == '\n' || lines.data[at] == '\r';
}

/* Start of the line after the one at `at`. */
static size_t yaml_block_line_next(struct text lines, size_t at)
{
    size_t end = text_find_byte(text_slice(lines, at, lines.length), '\n');

    assert(at < lines.length);
    return end == SIZE_MAX ? lines.length : at + end + 1;
}

/* Return the indentation of the first line that is not empty. If all lines are empty, return that
 * of the longest line. */
static size_t indent_find(struct text lines)
{
    size_t longest = 0;

    for (size_t at = 0; at < lines.length; at = yaml_block_line_next(lines, at)) {
        size_t blanks = blanks_count(lines, at);

        if (!is_line_end(lines, at + blanks)) {
            return blanks;
        }
        longest = blanks > longest ? blanks : longest;
    }
    return longest;
}

size_t yaml_block_find_shallow(struct text lines, size_t parent)
{
    assert(lines.data != NULL || lines.length == 0);
    for (size_t at = 0; at < lines.length; at = yaml_block_line_next(lines, at)) {
        size_t blanks = blanks_count(lines, at);

        if (!is_line_end(lines, at + blanks)) {
            return blanks > parent ? SIZE_MAX : at + blanks;
        }
    }
    return SIZE_MAX;
}

/* Return the next line without its indentation and end. *out_has_end is true if it ends in a line
 * break. */
static struct text yaml_block_line_read(struct block *block, bool *out_has_end)
{
    struct text lines = block->lines;
    size_t blanks = blanks_count(lines, block->at);
    size_t start = block->at + (blanks < block->indent ? blanks : block->indent);
    size_t next = yaml_block_line_next(lines, block->at);
    size_t end = next;

    assert(block->at < block->lines.length);
    assert(next > block->at);
    *out_has_end = lines.data[next - 1] == '\n';
    if (*out_has_end) {
        end--;
        if (end > start && lines.data[end - 1] == '\r') {
            end--;
        }
    }
    block->at = next;
    return text_slice(lines, start, end < start ? 0 : end - start);
}

static void breaks_put(struct block *block, size_t count)
{
    assert(block->used + count <= block->lines.length + 1);
    memset(block->out + block->used, '\n', count);
    block->used += count;
}

static bool is_spaced(struct text line)
{
    return line.length > 0 && (line.data[0] == ' ' || line.data[0] == '\t');
}

/* Write the separator of two lines with `empty` empty lines between them. */
static void between_put(struct block *block, bool is_folded, struct text last, struct text line,
                        size_t empty)
{
    assert(last.length > 0);
    assert(line.length > 0);
    if (!is_folded || is_spaced(last) || is_spaced(line)) {
        breaks_put(block, empty + 1);
    } else if (empty > 0) {
        breaks_put(block, empty);
    } else {
        block->out[block->used++] = ' ';
    }
}

struct text yaml_block_text(struct arena *arena, struct text lines, struct yaml_block_header header,
                            size_t parent)
{
    struct block block = { .lines = lines };
    struct text last = { 0 };
    bool has_last = false;
    bool has_end = false;
    size_t empty = 0; /* lines since the last one that is not empty */

    assert(header.chomp == '\0' || header.chomp == '-' || header.chomp == '+');
    assert(header.indent <= 9);
    block.indent = header.indent > 0 ? parent + header.indent : indent_find(lines);
    block.out = arena_alloc(arena, lines.length + 1);
    while (block.at < lines.length) {
        bool ends = false;
        struct text line = yaml_block_line_read(&block, &ends);

        if (line.length == 0) {
            empty += ends;
            continue;
        }
        if (has_last) {
            between_put(&block, header.is_folded, last, line, empty);
        } else {
            breaks_put(&block, empty);
        }
        memcpy(block.out + block.used, line.data, line.length);
        block.used += line.length;
        last = line;
        has_last = true;
        has_end = ends;
        empty = 0;
    }
    if (header.chomp == '+') {
        breaks_put(&block, empty + (has_last && has_end));
    } else if (header.chomp == '\0') {
        breaks_put(&block, has_last && has_end);
    }
    assert(block.used <= lines.length + 1);
    return (struct text){ block.out, block.used };
}

struct yaml_block_header yaml_block_header(struct text bytes, size_t offset)
{
    struct yaml_block_header header = { 0 };

    assert(offset < bytes.length);
    assert(bytes.data[offset] == '|' || bytes.data[offset] == '>');
    header.is_folded = bytes.data[offset] == '>';
    for (size_t at = offset + 1; at < bytes.length; at++) {
        char c = bytes.data[at];

        if (c == '+' || c == '-') {
            header.chomp = c;
        } else if (c >= '1' && c <= '9') {
            header.indent = (unsigned)(c - '0');
        } else {
            break;
        }
    }
    return header;
}

size_t yaml_find_indent(struct text bytes, size_t start)
{
    size_t line = start;
    size_t found = start;

    assert(start <= bytes.length);
    while (line > 0 && bytes.data[line - 1] != '\n') {
        line--;
    }
    for (;;) {
        size_t word = found;

        while (word > line && (bytes.data[word - 1] == ' ' || bytes.data[word - 1] == '\t')) {
            word--;
        }
        while (word > line && bytes.data[word - 1] != ' ' && bytes.data[word - 1] != '\t') {
            word--;
        }
        if (word == found || (bytes.data[word] != '&' && bytes.data[word] != '!')) {
            return found - line;
        }
        found = word;
    }
}
