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

/* One event of a stream. Its texts are valid until the next event. */
struct client_event {
    struct text type; /* "message" if none was sent */
    struct text id;   /* the newest id received in the stream; may be empty */
    struct text data; /* lines joined by LF */
};

/* Receives an event. Returns false to stop: no more events are wanted. */
typedef bool client_event_fn(void *arg, const struct client_event *event);

/* An incremental parser of Server-Sent Events (WHATWG HTML, 9.2). One event has at most
 * LIMIT_EVENT_BYTES. It owns its memory; event_reader_fini frees it. */
struct event_reader {
    struct arena *arena;
    client_event_fn *event;
    void *arg;
    struct buf line;
    struct buf data;
    bool has_data;
    bool is_behind_cr; /* the last byte was CR, so a following LF belongs to the same line end */
    /* The first line was read; a byte order mark is no longer expected. */
    bool is_begun;
    bool is_enough;
    /* Set by the caller: each line is a separate event (application/jsonl, text/plain). */
    bool is_lines;
    char type[LIMIT_EVENT_NAME_BYTES];
    size_t type_length;
    char id[LIMIT_EVENT_NAME_BYTES];
    size_t id_length;
};

/* Initializes a reader in memory of the caller. */
void event_reader_init(struct event_reader *reader, client_event_fn *event, void *arg);

/* Frees the memory of a reader. */
void event_reader_fini(struct event_reader *reader);

/* Parses bytes and calls `event` for each complete event. Fails with R0020 if an event is too
 * large. */
MUST_CHECK bool event_reader_feed(struct event_reader *reader, struct text bytes, struct err *err);

#endif
