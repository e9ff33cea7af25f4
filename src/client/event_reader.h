#ifndef REEVE_CLIENT_EVENT_READER_H
#define REEVE_CLIENT_EVENT_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* One event of a stream. Borrowed until the next one. */
struct client_event {
    struct text type; /* "message" where none was sent */
    struct text id;   /* the newest one received; may be empty */
    struct text data; /* lines joined by LF */
};

/* False: enough, no more of them is wanted. */
typedef bool client_event_fn(void *arg, const struct client_event *event);

/* Server-Sent Events (WHATWG HTML, 9.2), read as they come in. Bounded: one event may have
 * LIMIT_EVENT_BYTES. Its memory is its own; event_reader_fini frees it. */
struct event_reader {
    struct arena *arena;
    client_event_fn *event;
    void *arg;
    struct buf line;
    struct buf data;
    bool has_data;
    bool is_behind_cr; /* an LF that follows belongs to that line end */
    bool is_begun;     /* the first line was read: no byte order mark any more */
    bool is_enough;
    bool is_lines; /* set by the caller: each line is an event of its own (application/jsonl) */
    char type[LIMIT_EVENT_NAME_BYTES];
    size_t type_length;
    char id[LIMIT_EVENT_NAME_BYTES];
    size_t id_length;
};

/* Start in memory of the caller. */
void event_reader_init(struct event_reader *reader, client_event_fn *event, void *arg);

/* Free what it took. */
void event_reader_fini(struct event_reader *reader);

/* Take bytes. R0020: an event is too large. */
MUST_CHECK bool event_reader_feed(struct event_reader *reader, struct text bytes, struct err *err);

#endif
