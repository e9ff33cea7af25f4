#ifndef REEVE_CLIENT_ANSWER_READER_H
#define REEVE_CLIENT_ANSWER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/text.h"

/* The head of an answer. */
struct answer_head {
    int status;
    char content_type[LIMIT_ANSWER_FIELD_BYTES]; /* lower case, without parameters */
    char etag[LIMIT_ANSWER_FIELD_BYTES];
    char location[LIMIT_ANSWER_FIELD_BYTES];
    char content_range[LIMIT_ANSWER_FIELD_BYTES];
    /* Header Reeve-Store: the reason why the store accepts no changes. Empty: it accepts
     * changes. */
    char store[LIMIT_ANSWER_FIELD_BYTES];
    /* Headers Reeve-Stale and Reeve-Stale-Reason: the age of an outdated answer, and the reason.
     * Empty: the answer is current. */
    char stale[LIMIT_ANSWER_FIELD_BYTES];
    char stale_reason[LIMIT_ANSWER_FIELD_BYTES];
    uint64_t revision;    /* Reeve-Revision; 0 = not sent */
    uint64_t retry_after; /* seconds; 0 = not sent */
};

/* Receives a piece of the body. Returns false to stop: the rest of the body is not needed. */
typedef bool answer_body_fn(void *arg, struct text piece);

enum answer_state {
    ANSWER_STATUS_LINE,
    ANSWER_FIELDS,
    ANSWER_BODY_COUNTED, /* the length is in Content-Length */
    ANSWER_BODY_TO_END,  /* up to the end of the connection */
    ANSWER_CHUNK_SIZE,
    ANSWER_CHUNK,
    ANSWER_CHUNK_END, /* the CR LF after the chunk */
    ANSWER_TRAILER,
    ANSWER_DONE,
};

/* An incremental parser of one HTTP/1.1 answer (RFC 9112). It is strict: it rejects an answer that
 * two parsers could read differently. It is bounded: lines, the head and the body have limits.
 *
 * It owns no memory; the caller provides the struct. */
struct answer_reader {
    enum answer_state state;
    /* The head of the answer. It is complete when the first piece of the body arrives, or when the
     * state is DONE. */
    struct answer_head head;
    bool is_head_only; /* the request was HEAD: no body follows */
    answer_body_fn *body;
    void *arg;
    bool is_enough; /* `body` returned false */
    uint64_t left;  /* remaining bytes of the body or of the chunk */
    uint64_t body_bytes;
    uint64_t body_bytes_max;
    size_t head_bytes;
    bool has_length;
    bool is_chunked;
    char line[LIMIT_ANSWER_LINE_BYTES];
    size_t line_length;
};

/* Initializes the reader. `body` receives the pieces of the body. */
void answer_reader_init(struct answer_reader *reader, uint64_t body_bytes_max, answer_body_fn *body,
                        void *arg);

/* Parses bytes. Bytes after the end of the answer are an error, because no other request is
 * pending. R0017: it is not a valid answer. */
MUST_CHECK bool answer_reader_feed(struct answer_reader *reader, struct text bytes,
                                   struct err *err);

/* Records the end of the connection. R0018: the answer was incomplete. */
MUST_CHECK bool answer_reader_end(struct answer_reader *reader, struct err *err);

/* Returns whether the answer is complete, or its rest is not needed. */
bool answer_reader_is_done(const struct answer_reader *reader);

#endif
