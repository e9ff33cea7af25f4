#ifndef REEVE_SYS_LOG_H
#define REEVE_SYS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/clock.h"
#include "sys/log_line.h"

/* The log of a process: one event a line, to the journal with its fields where standard error is the
 * journal, else to standard error. Handed to whoever logs; there is no global one.
 *
 * An event is repeated when area, event and level are the same: of each, LIMIT_LOG_BURST in
 * LIMIT_LOG_WINDOW_MS are written; how many were not is said afterwards in the field `suppressed`.
 * Nobody waits for a log for long: when the reader does not read, lines are dropped, and counted in
 * `log: lost`. All calls are on one thread. */
struct log;

/* How to log. Zero fields mean the current state in brackets. */
struct log_options {
    struct clock clock;         /* (of the system) */
    const char *identifier;     /* name in the journal ("reeve") */
    int fd;                     /* of standard error; -1: write nowhere */
    const char *journal_stream; /* the variable JOURNAL_STREAM, which says what standard error is
                                 * (NULL: it is no journal) */
    const char *journal_socket; /* ("/run/systemd/journal/socket") */
    enum log_level level;       /* the least urgent that is written (error) */
};

/* Begin to log; the caller ends it with log_free. Strings of the options must outlive it. */
struct log *log_new(const struct log_options *options);

/* Say what is still unsaid, and end. NULL is allowed. */
void log_free(struct log *log);

/* Does it write to the journal? */
bool log_is_journal(const struct log *log);

/* Change what is written. */
void log_level_set(struct log *log, enum log_level level);

/* Write an event. */
void log_write(struct log *log, const struct log_event *event);

/* Say what was suppressed, of events whose window is over; to be called every second or so. */
void log_tick(struct log *log);

/* log_info(log, "store", "opened", log_int("revision", 42), log_string("path", path)); */
#define log_error(log, area, event, ...) \
    log_write_(log, LOG_LEVEL_ERROR, area, event __VA_OPT__(, ) __VA_ARGS__)
#define log_warn(log, area, event, ...) \
    log_write_(log, LOG_LEVEL_WARN, area, event __VA_OPT__(, ) __VA_ARGS__)
#define log_info(log, area, event, ...) \
    log_write_(log, LOG_LEVEL_INFO, area, event __VA_OPT__(, ) __VA_ARGS__)
#define log_debug(log, area, event, ...) \
    log_write_(log, LOG_LEVEL_DEBUG, area, event __VA_OPT__(, ) __VA_ARGS__)

#define log_write_(log, level_, area_, event_, ...) \
    log_write(log, &(const struct log_event){       \
                       .level = (level_),           \
                       .area = "" area_,            \
                       .event = "" event_,          \
                       .fields = (const struct log_field[]){ __VA_ARGS__ __VA_OPT__(, ){ 0 } } })

#endif
