#include "codec/source.h"

#include "base/limits.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES ((size_t)24) /* maximum number of bytes of a found word that are shown */

uint16_t source_number(const struct origin *origin)
{
    return origin == NULL ? 0 : origin->source;
}

size_t source_count_points(const char *data, size_t bytes)
{
    size_t count = 0;

    assert(data != NULL || bytes == 0);
    for (size_t i = 0; i < bytes; i++) {
        count += ((unsigned char)data[i] & 0xc0) != 0x80;
    }
    assert(count <= bytes);
    return count;
}

size_t source_point_put(char *out, unsigned point)
{
    assert(out != NULL);
    assert(point < 0xd800 || point > 0xdfff);
    assert(point <= 0x10ffff);
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

struct place source_place_next(struct source_cursor *cursor, struct text bytes, size_t offset,
                               size_t length, const struct origin *origin)
{
    struct text before;
    size_t end;

    assert(cursor->line_start <= bytes.length || offset < cursor->line_start);
    assert(offset <= bytes.length);
    if (offset < cursor->line_start) {
        *cursor = (struct source_cursor){ 0 };
    }
    before = text_slice(bytes, cursor->line_start, offset - cursor->line_start);
    end = text_find_byte(before, '\n');
    while (end != SIZE_MAX) {
        cursor->line++;
        cursor->line_start += end + 1;
        before = text_slice(bytes, cursor->line_start, offset - cursor->line_start);
        end = text_find_byte(before, '\n');
    }
    return (struct place){
        .line = cursor->line + 1,
        .column = (uint32_t)text_count_points(before) + 1,
        .length = (uint32_t)length,
        .source = source_number(origin),
    };
}

struct place source_place(struct text bytes, size_t offset, size_t length,
                          const struct origin *origin)
{
    struct source_cursor cursor = { 0 };

    return source_place_next(&cursor, bytes, offset, length, origin);
}

size_t source_line_bytes(struct text bytes, size_t start, size_t end)
{
    size_t line_end;

    assert(start <= end && end <= bytes.length);
    line_end = text_find_byte(text_slice(bytes, start, end - start), '\n');
    if (line_end == SIZE_MAX) {
        return end - start;
    }
    if (line_end > 0 && bytes.data[start + line_end - 1] == '\r') {
        line_end--;
    }
    return line_end;
}

bool source_check(struct text bytes, const struct origin *origin, struct err *err)
{
    assert(err != NULL);
    assert(bytes.data != NULL || bytes.length == 0);
    if (bytes.length > LIMIT_DOCUMENT_BYTES) {
        err_set(err, CODE_R0106, "the text has %zu bytes, at most %d are read", bytes.length,
                LIMIT_DOCUMENT_BYTES);
        err_hint(err, "split it into several files");
        return err_place(err, (struct place){ 1, 1, 1, source_number(origin) });
    }
    return source_check_text(bytes, origin, err);
}

bool source_check_text(struct text bytes, const struct origin *origin, struct err *err)
{
    size_t bad;

    assert(err != NULL);
    assert(bytes.data != NULL || bytes.length == 0);
    bad = text_find_bad_utf8(bytes);
    if (bad == SIZE_MAX) {
        return true;
    }
    if (bytes.data[bad] == '\0') {
        err_set(err, CODE_R0104, "expected text, found a NUL byte");
    } else {
        err_set(err, CODE_R0103, "expected UTF-8, found the byte 0x%02X",
                (unsigned char)bytes.data[bad]);
        err_hint(err, "save the file as UTF-8");
    }
    return err_place(err, source_place(bytes, bad, 1, origin));
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '+' || (c & 0x80) != 0;
}

const char *source_found(struct text bytes, size_t offset, char out[SOURCE_FOUND_BYTES])
{
    struct text rest = text_slice(bytes, offset, bytes.length);
    size_t word = 0;
    char first = rest.length == 0 ? '\0' : rest.data[0];

    assert(out != NULL);
    assert(offset <= bytes.length);
    while (word < rest.length && is_word_byte(rest.data[word])) {
        word++;
    }
    if (rest.length == 0) {
        snprintf(out, SOURCE_FOUND_BYTES, "the end of the text");
    } else if (first == '\n' || first == '\r') {
        snprintf(out, SOURCE_FOUND_BYTES, "the end of the line");
    } else if (first == '\t') {
        snprintf(out, SOURCE_FOUND_BYTES, "a tab");
    } else if (first == ' ') {
        snprintf(out, SOURCE_FOUND_BYTES, "a blank");
    } else if (first == '\'') {
        snprintf(out, SOURCE_FOUND_BYTES, "a single quote");
    } else if ((unsigned char)first < 0x20 || first == 0x7f) {
        snprintf(out, SOURCE_FOUND_BYTES, "the control character U+%04X", (unsigned)first);
    } else if (word <= 1) {
        snprintf(out, SOURCE_FOUND_BYTES, "'%c'", first);
    } else if (word <= WORD_BYTES) {
        snprintf(out, SOURCE_FOUND_BYTES, "'%.*s'", (int)word, rest.data);
    } else {
        word = WORD_BYTES;
        while (((unsigned char)rest.data[word] & 0xc0) == 0x80) {
            word--; /* do not cut a code point */
        }
        snprintf(out, SOURCE_FOUND_BYTES, "'%.*s...'", (int)word, rest.data);
    }
    return out;
}
