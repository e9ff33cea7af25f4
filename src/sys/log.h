#ifndef REEVE_SYS_LOG_H
#define REEVE_SYS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/clock.h"
#include "sys/log_line.h"

/* The log of a process: one event per line. If standard error is the journal, events go there with
 * their fields; otherwise lines go to standard error. The log is passed to the code that uses it;
 * there is no global log.
 *
 * An event is a repetition if area, event and level are the same. In LIMIT_LOG_WINDOW_MS the first
 * LIMIT_LOG_BURST repetitions are written; afterwards the field `suppressed` has the number of the
 * others. A slow reader does not block the process for long: lines are then dropped, and counted in
 * the event `log: lost`. All calls are on one thread. */
struct log;

/* Options of a log. A field that is 0 or NULL selects the default in parentheses. */
struct log_options {
    struct clock clock;     /* (the clock of the system) */
    const char *identifier; /* name in the journal ("reeve") */
    int fd;                 /* descriptor of standard error; -1: write nowhere */
    /* the variable JOURNAL_STREAM, which identifies standard error (NULL: it is not the journal) */
    const char *journal_stream;
    const char *journal_socket; /* ("/run/systemd/journal/socket") */
    enum log_level level;       /* the least urgent level that is written (error) */
};

/* Create a log. The caller frees it with log_free(). Strings of the options must outlive it. */
struct log *log_new(const struct log_options *options);

/* Write the pending counts of suppressed events and free the log. NULL is allowed. */
void log_free(struct log *log);

/* True if the log writes to the journal. */
bool log_is_journal(const struct log *log);

/* Change the least urgent level that is written. */
void log_level_set(struct log *log, enum log_level level);

/* Write an event. */
void log_write(struct log *log, const struct log_event *event);

/* Write the counts of suppressed events whose window is over. Call it about once a second. */
void log_tick(struct log *log);

/* Example: log_info(log, "store", "opened", log_int("revision", 42), log_string("path", path)); */
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
