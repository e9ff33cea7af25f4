#ifndef REEVE_API_REQUEST_TRACE_H
#define REEVE_API_REQUEST_TRACE_H

#include <stdbool.h>

#include "base/text.h"
#include "sys/random.h"

/* Which request this is, for people and programs that follow it over several services: W3C Trace
 * Context. The trace is the client's where it names one, else a new one; our part of it is a new
 * span each time. */

enum { TRACE_ID_BYTES = 33, TRACE_SPAN_BYTES = 17, TRACE_TEXT_BYTES = 56 };

struct trace {
    char id[TRACE_ID_BYTES];     /* 32 hexadecimal digits; in problems it is `request` */
    char span[TRACE_SPAN_BYTES]; /* 16 of them */
    unsigned char flags;
};

/* Read a `traceparent`. False: it is none that counts, and the header is as if it were not there,
 * as the specification has it. */
bool trace_parse(struct text header, struct trace *out);

/* Begins a span of this manager in the trace of the header, which may be empty. */
struct trace trace_begin(struct text header, struct random random);

/* Write it as a `traceparent`, with its NUL. */
void trace_format(const struct trace *trace, char out[static TRACE_TEXT_BYTES]);

#endif
