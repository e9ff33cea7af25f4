#include "sys/log_line.h"

#include "base/limits.h"
#include "base/time.h"

#include <assert.h>
#include <string.h>

/* Maximum bytes of a value in the readable line, so that one long value leaves space for the
 * others. */
enum { LINE_VALUE_BYTES = 1024 };

struct log_field log_text(const char *name, struct text text)
{
    return (struct log_field){ .name = name, .kind = LOG_KIND_TEXT, .text = text };
}

struct log_field log_string(const char *name, const char *string)
{
    return log_text(name, text_from(string));
}

struct log_field log_int(const char *name, int64_t number)
{
    return (struct log_field){ .name = name, .kind = LOG_KIND_INT, .number = number };
}

struct log_field log_duration(const char *name, uint64_t duration_ms)
{
    assert(duration_ms <= INT64_MAX);
    return (struct log_field){ .name = name,
                               .kind = LOG_KIND_DURATION,
                               .number = (int64_t)duration_ms };
}

struct log_field log_secret(const char *name, struct secret secret)
{
    (void)secret; /* the length of the secret is not kept either */
    return (struct log_field){ .name = name, .kind = LOG_KIND_SECRET };
}

const char *log_level_name(enum log_level level)
{
    static const char *const names[LOG_LEVEL_COUNT] = { "error", "warn", "info", "debug" };

    assert(level < LOG_LEVEL_COUNT);
    return names[level];
}

/* Return the length of the well-formed UTF-8 character at the start; 0 if there is none. */
static size_t character_length(struct text rest)
{
    size_t length = rest.length < 4 ? rest.length : 4;

    assert(rest.length > 0);
    for (size_t i = 1; i <= length; i++) {
        if (text_find_bad_utf8(text_slice(rest, 0, i)) == SIZE_MAX) {
            return i;
        }
    }
    return 0;
}

static unsigned code_point(struct text character)
{
    static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    unsigned point = (unsigned char)character.data[0] & first_bits[character.length];

    for (size_t i = 1; i < character.length; i++) {
        point = point << 6 | ((unsigned char)character.data[i] & 0x3fu);
    }
    return point;
}

/* True for a character that could mislead a reader: a line end, a control character for terminals,
 * or a change of the writing direction, which can make a text look like another one. */
static bool is_treacherous(unsigned point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c ||
           (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f) || point == 0xfeff ||
           (point >= 0xfff9 && point <= 0xfffb) || (point >= 0xe0000 && point <= 0xe007f);
}

/* True for a byte that needs no quotes, because readers split a line at blanks and '='. */
static bool is_log_line_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("-_./:@+,%#~*", byte) != NULL);
}

static bool log_line_text_is_plain(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (!is_log_line_plain(text.data[i])) {
            return false;
        }
    }
    return text.length > 0;
}

static void escape_add(struct buf *buf, struct text character, unsigned point)
{
    switch (point) {
    case '\n':
        buf_add_string(buf, "\\n");
        break;
    case '\r':
        buf_add_string(buf, "\\r");
        break;
    case '\t':
        buf_add_string(buf, "\\t");
        break;
    case '"':
    case '\\':
        buf_printf(buf, "\\%c", (char)point);
        break;
    default:
        if (character.length == 1) {
            buf_printf(buf, "\\x%02x", point);
        } else {
            buf_printf(buf, "\\u{%x}", point);
        }
        break;
    }
}

static void quoted_add(struct buf *buf, struct text text, size_t value_max)
{
    size_t at = 0;

    buf_add_string(buf, "\"");
    while (at < text.length && at < value_max) {
        struct text rest = text_slice(text, at, text.length);
        size_t length = character_length(rest);
        struct text character = text_slice(rest, 0, length == 0 ? 1 : length);
        unsigned point = length == 0 ? (unsigned char)rest.data[0] : code_point(character);

        if (length == 0 || is_treacherous(point) || point == '"' || point == '\\') {
            escape_add(buf, character, point);
        } else {
            buf_add(buf, character);
        }
        at += character.length;
    }
    buf_add_string(buf, at < text.length ? "...\"" : "\"");
}

static void log_line_text_add(struct buf *buf, struct text text, size_t value_max)
{
    if (text.length <= value_max && log_line_text_is_plain(text)) {
        buf_add(buf, text);
    } else {
        quoted_add(buf, text, value_max);
    }
}

static void log_line_value_add(struct buf *buf, const struct log_field *field, size_t value_max)
{
    switch (field->kind) {
    case LOG_KIND_TEXT:
        log_line_text_add(buf, field->text, value_max);
        break;
    case LOG_KIND_INT:
        buf_printf(buf, "%lld", (long long)field->number);
        break;
    case LOG_KIND_DURATION:
        buf_printf(buf, "%lldms", (long long)field->number);
        break;
    case LOG_KIND_SECRET:
        buf_add_string(buf, "***");
        break;
    case LOG_KIND_END:
    default:
        assert(false && "no field");
    }
}

static bool name_is_good(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

void log_message_format(struct buf *buf, const struct log_event *event, size_t value_max)
{
    assert(log_line_text_is_plain(text_from(event->area)));
    assert(log_line_text_is_plain(text_from(event->event)));
    buf_printf(buf, "%s: %s", event->area, event->event);
    for (const struct log_field *field = event->fields; field->kind != LOG_KIND_END; field++) {
        assert(name_is_good(field->name));
        buf_printf(buf, " %s=", field->name);
        log_line_value_add(buf, field, value_max);
    }
}

void log_line_format(struct buf *buf, const struct log_event *event, int64_t wall_ms)
{
    char time[TIME_TEXT_BYTES];
    size_t start = buf->length;
    size_t end = start + LIMIT_LOG_LINE_BYTES - 1; /* leaves one byte for the newline */

    time_format(wall_ms, time);
    buf_printf(buf, "%s %-5s ", time, log_level_name(event->level));
    log_message_format(buf, event, LINE_VALUE_BYTES);
    if (buf->length > end) {
        buf->length = end - strlen("...");
        while ((buf->data[buf->length] & 0xc0) == 0x80) { /* remove the rest of a truncated
                                                           * character */
            buf->length--;
        }
        buf_add_string(buf, "...");
    }
    buf_add_string(buf, "\n");
    assert(buf->length - start <= LIMIT_LOG_LINE_BYTES);
}

/* Add one field of a record: `NAME=value`, or the binary form with a length if the value has a
 * newline. */
static void log_line_entry_add(struct buf *buf, const char *prefix, const char *name,
                               struct text value)
{
    value = text_slice(value, 0, LIMIT_LOG_VALUE_BYTES);
    buf_add_string(buf, prefix);
    for (; *name != '\0'; name++) {
        buf_add_bytes(buf, *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name, 1);
    }
    if (text_find_byte(value, '\n') == SIZE_MAX) {
        buf_add_string(buf, "=");
    } else {
        buf_add_string(buf, "\n");
        /* write the length in little-endian order on every machine */
        for (unsigned shift = 0; shift < 64; shift += 8) {
            buf_add_bytes(buf, (char)((uint64_t)value.length >> shift & 0xff), 1);
        }
    }
    buf_add(buf, value);
    buf_add_string(buf, "\n");
}

void log_record_format(struct buf *buf, const struct log_event *event, const char *identifier)
{
    static const char *const priorities[LOG_LEVEL_COUNT] = { "3", "4", "6", "7" };
    struct buf part;

    buf_init(&part, buf->arena);
    log_message_format(&part, event, LIMIT_LOG_VALUE_BYTES);
    log_line_entry_add(buf, "", "MESSAGE", buf_text(&part));
    log_line_entry_add(buf, "", "PRIORITY", text_from(priorities[event->level]));
    log_line_entry_add(buf, "", "SYSLOG_IDENTIFIER", text_from(identifier));
    log_line_entry_add(buf, "REEVE_", "AREA", text_from(event->area));
    log_line_entry_add(buf, "REEVE_", "EVENT", text_from(event->event));
    for (const struct log_field *field = event->fields; field->kind != LOG_KIND_END; field++) {
        if (field->kind == LOG_KIND_TEXT) {
            log_line_entry_add(buf, "REEVE_", field->name, field->text);
            continue;
        }
        buf_init(&part, buf->arena);
        log_line_value_add(&part, field, LIMIT_LOG_VALUE_BYTES);
        log_line_entry_add(buf, "REEVE_", field->name, buf_text(&part));
    }
}
