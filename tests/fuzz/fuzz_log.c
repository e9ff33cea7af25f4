/* Log lines: with any values, a line is one line of printable UTF-8. A reader that knows the
 * quoting rules gets exactly the written fields, and the record of the journal has the bytes
 * unchanged. */
#include <string.h>

#include "base/limits.h"
#include "fuzz.h"
#include "sys/log_line.h"

enum { FIELDS = 5 };

/* Reads and unquotes one value of a line into `out`. Returns the position after it. */
static size_t value_read(struct text line, size_t at, char *out, size_t *out_length)
{
    size_t length = 0;

    if (line.data[at] != '"') {
        while (at < line.length && line.data[at] != ' ') {
            out[length++] = line.data[at++];
        }
        *out_length = length;
        return at;
    }
    for (at++; line.data[at] != '"'; at++) {
        unsigned point = 0;

        FUZZ_CHECK(at + 1 < line.length);
        if (line.data[at] != '\\') {
            out[length++] = line.data[at];
            continue;
        }
        at++;
        switch (line.data[at]) {
        case 'n':
            out[length++] = '\n';
            break;
        case 'r':
            out[length++] = '\r';
            break;
        case 't':
            out[length++] = '\t';
            break;
        case 'x':
            FUZZ_CHECK(sscanf(line.data + at + 1, "%2x", &point) == 1);
            out[length++] = (char)point;
            at += 2;
            break;
        case 'u':
            FUZZ_CHECK(sscanf(line.data + at + 2, "%x", &point) == 1);
            if (point >= 0x10000) {
                out[length++] = (char)(0xf0 | point >> 18);
                out[length++] = (char)(0x80 | (point >> 12 & 0x3f));
            } else if (point >= 0x800) {
                out[length++] = (char)(0xe0 | point >> 12);
            }
            if (point >= 0x800) {
                out[length++] = (char)(0x80 | (point >> 6 & 0x3f));
            } else {
                out[length++] = (char)(0xc0 | point >> 6);
            }
            out[length++] = (char)(0x80 | (point & 0x3f));
            while (line.data[at] != '}') {
                at++;
            }
            break;
        default:
            out[length++] = line.data[at];
            break;
        }
    }
    *out_length = length;
    return at + 1;
}

static void message_check(struct arena *arena, struct text message, const struct text *values)
{
    char *value = arena_alloc(arena, message.length + 1);
    size_t at = strlen("area: event");

    for (size_t i = 0; i < FIELDS; i++) {
        const char name[] = { ' ', (char)('a' + i), '=', '\0' };
        size_t length;

        FUZZ_CHECK(text_has_prefix(text_slice(message, at, SIZE_MAX), text_from(name)));
        at = value_read(message, at + 3, value, &length);
        FUZZ_CHECK(text_is_equal((struct text){ value, length }, values[i]));
    }
    FUZZ_CHECK(at == message.length);
}

static void line_check(struct text line)
{
    FUZZ_CHECK(line.length > 0 && line.length <= LIMIT_LOG_LINE_BYTES);
    FUZZ_CHECK(text_find_byte(line, '\n') == line.length - 1);
    FUZZ_CHECK(text_find_bad_utf8(line) == SIZE_MAX);
    for (size_t i = 0; i + 1 < line.length; i++) {
        FUZZ_CHECK((unsigned char)line.data[i] >= 0x20 && line.data[i] != 0x7f);
    }
}

/* Parses the record as the journal does: NAME=value, or NAME, newline, 8 bytes of length, value. */
static void record_check(struct text record, const struct text *values)
{
    size_t entries = 0;
    size_t at = 0;

    while (at < record.length) {
        struct text rest = text_slice(record, at, SIZE_MAX);
        size_t line_end = text_find_byte(rest, '\n');
        size_t equals = text_find_byte(text_slice(rest, 0, line_end), '=');
        struct text value;

        FUZZ_CHECK(line_end != SIZE_MAX);
        if (equals == SIZE_MAX) {
            uint64_t length;

            memcpy(&length, rest.data + line_end + 1, sizeof(length));
            FUZZ_CHECK(length <= rest.length - line_end - 10);
            value = text_slice(rest, line_end + 9, (size_t)length);
            line_end += 9 + (size_t)length;
            FUZZ_CHECK(rest.data[line_end] == '\n');
        } else {
            value = text_slice(rest, equals + 1, line_end - equals - 1);
        }
        if (entries >= 5) {
            FUZZ_CHECK(text_is_equal(value, values[entries - 5]));
        }
        entries++;
        at += line_end + 1;
    }
    FUZZ_CHECK(entries == 5 + FIELDS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new((size_t)64 << 20);
    struct text rest = { (const char *)data, size };
    struct text values[FIELDS];
    struct log_field fields[FIELDS + 1] = { 0 };
    static const char *const names[FIELDS] = { "a", "b", "c", "d", "e" };
    struct log_event event = { .area = "area", .event = "event", .fields = fields };
    struct buf buf;

    /* values are separated by 0xfe, which does not occur in UTF-8 */
    for (size_t i = 0; i < FIELDS; i++) {
        size_t end = i + 1 < FIELDS ? text_find_byte(rest, (char)0xfe) : SIZE_MAX;

        values[i] = text_slice(rest, 0, end < LIMIT_LOG_VALUE_BYTES ? end : LIMIT_LOG_VALUE_BYTES);
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, SIZE_MAX);
        fields[i] = log_text(names[i], values[i]);
    }
    buf_init(&buf, arena);
    log_message_format(&buf, &event, SIZE_MAX);
    message_check(arena, buf_text(&buf), values);
    buf_init(&buf, arena);
    log_line_format(&buf, &event, 0);
    line_check(buf_text(&buf));
    buf_init(&buf, arena);
    log_record_format(&buf, &event, "reeved");
    record_check(buf_text(&buf), values);
    arena_free(arena);
    return 0;
}
