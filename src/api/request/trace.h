#ifndef REEVE_API_REQUEST_TRACE_H
#define REEVE_API_REQUEST_TRACE_H

#include <stdbool.h>

#include "base/text.h"
#include "sys/random.h"

/* Identifies a request, so that users and programs can follow it across several services (W3C Trace
 * Context). The trace id comes from the client, or is new if the client sends none. Each request
 * gets a new span id. */

enum { TRACE_ID_BYTES = 33, TRACE_SPAN_BYTES = 17, TRACE_TEXT_BYTES = 56 };

struct trace {
    char id[TRACE_ID_BYTES];     /* 32 hexadecimal digits; problem documents have it as `request` */
    char span[TRACE_SPAN_BYTES]; /* 16 hexadecimal digits */
    unsigned char flags;
};

/* Parses a `traceparent` header. Returns false if it is invalid; the specification requires that
 * the caller then ignores the header. */
bool trace_parse(struct text header, struct trace *out);

/* Begins a new span for a request. `header` is the client's `traceparent` and may be empty. */
struct trace trace_begin(struct text header, struct random random);

/* Writes the trace as a `traceparent`, NUL-terminated. */
void trace_format(const struct trace *trace, char out[static TRACE_TEXT_BYTES]);

#endif
