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
    char store[LIMIT_ANSWER_FIELD_BYTES]; /* Reeve-Store: why it takes no changes; empty: it does */
    uint64_t revision;                    /* Reeve-Revision; 0 = not sent */
    uint64_t retry_after;                 /* seconds; 0 = not sent */
};

/* A piece of the body, as it comes. False: enough, no more of it is wanted. */
typedef bool answer_body_fn(void *arg, struct text piece);

enum answer_state {
    ANSWER_STATUS_LINE,
    ANSWER_FIELDS,
    ANSWER_BODY_COUNTED, /* Content-Length */
    ANSWER_BODY_TO_END,  /* up to the end of the connection */
    ANSWER_CHUNK_SIZE,
    ANSWER_CHUNK,
    ANSWER_CHUNK_END, /* the CR LF after it */
    ANSWER_TRAILER,
    ANSWER_DONE,
};

/* One answer of HTTP/1.1 (RFC 9112), read as it comes in. Strict: what two readers could understand
 * differently is refused. Bounded: a line, the head and the body have their limits.
 *
 * Owns nothing; in memory of the caller. */
struct answer_reader {
    enum answer_state state;
    struct answer_head head; /* complete once the first piece of the body comes, or state is DONE */
    bool is_head_only;       /* the request was HEAD: no body follows */
    answer_body_fn *body;
    void *arg;
    bool is_enough; /* body said so */
    uint64_t left;  /* bytes of the body, or of the chunk, that are still to come */
    uint64_t body_bytes;
    uint64_t body_bytes_max;
    size_t head_bytes;
    bool has_length;
    bool is_chunked;
    char line[LIMIT_ANSWER_LINE_BYTES];
    size_t line_length;
};

/* Start. `body` gets the pieces. */
void answer_reader_init(struct answer_reader *reader, uint64_t body_bytes_max, answer_body_fn *body,
                        void *arg);

/* Take bytes. What lies after the end of the answer is refused, for nothing was asked that it could
 * answer. R0017: it is no such answer. */
MUST_CHECK bool answer_reader_feed(struct answer_reader *reader, struct text bytes,
                                   struct err *err);

/* The connection has ended. R0018: too early. */
MUST_CHECK bool answer_reader_end(struct answer_reader *reader, struct err *err);

/* Is nothing more to be read? */
bool answer_reader_is_done(const struct answer_reader *reader);

#endif
