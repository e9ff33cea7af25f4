#ifndef REEVE_SYS_LOG_LINE_H
#define REEVE_SYS_LOG_LINE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/secret.h"
#include "base/text.h"

/* public names start with: log_ */

/* The content and the format of one log line. Pure: it writes into a buffer, which log.h sends. */

enum log_level {
    LOG_LEVEL_ERROR, /* an operator must act */
    LOG_LEVEL_WARN,  /* the program recovered by itself */
    LOG_LEVEL_INFO,  /* state changed */
    LOG_LEVEL_DEBUG, /* off by default */
    LOG_LEVEL_COUNT,
};

enum log_kind { LOG_KIND_END, LOG_KIND_TEXT, LOG_KIND_INT, LOG_KIND_DURATION, LOG_KIND_SECRET };

/* One field. The name is a literal of a-z, 0-9 and _ that begins with a letter. */
struct log_field {
    const char *name;
    enum log_kind kind;
    struct text text;
    int64_t number;
};

/* One event. Area and event are literals without blanks, because they identify repetitions;
 * variable data belongs in fields. The fields end with one of LOG_KIND_END. */
struct log_event {
    enum log_level level;
    const char *area;
    const char *event;
    const struct log_field *fields;
};

/* Make a field: a text, a string (NULL: empty), an integer, a duration, or a secret, which is
 * written as ***. Texts are borrowed until the event is written. */
struct log_field log_text(const char *name, struct text text);
struct log_field log_string(const char *name, const char *string);
struct log_field log_int(const char *name, int64_t number);
struct log_field log_duration(const char *name, uint64_t duration_ms);
struct log_field log_secret(const char *name, struct secret secret);

/* Return the name of a level: "error", "warn", "info", "debug". */
const char *log_level_name(enum log_level level);

/* Append `area: event name=value ...`, without newline. A value is quoted if it is empty, longer
 * than value_max bytes, or has anything but letters, digits and harmless characters. Inside quotes
 * these are escaped: quotes, backslashes, control characters, characters that change the writing
 * direction, and bytes that are not UTF-8. So any value stays on one line and ends at its closing
 * quote. */
void log_message_format(struct buf *buf, const struct log_event *event, size_t value_max);

/* Appends the readable line, such as `2026-11-21T10:00:00.123Z info store: opened revision=42`, and
 * a newline. With the newline it has at most LIMIT_LOG_LINE_BYTES; a longer line is truncated and
 * ends with "...". */
void log_line_format(struct buf *buf, const struct log_event *event, int64_t wall_ms);

/* Append the record for the journal in its native form: MESSAGE, PRIORITY, SYSLOG_IDENTIFIER,
 * REEVE_AREA, REEVE_EVENT, and REEVE_<NAME> for each field with its unchanged bytes. */
void log_record_format(struct buf *buf, const struct log_event *event, const char *identifier);

#endif
