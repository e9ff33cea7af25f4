#ifndef REEVE_HTTP_SQUEEZE_H
#define REEVE_HTTP_SQUEEZE_H

#include "http/http.h"

/* public names start with: squeeze_ */

/* Compresses long answers with gzip. Each step compresses a small piece, so that it never blocks
 * the loop for long. */

/* Returns whether the client accepts gzip (Accept-Encoding). */
bool squeeze_is_wanted(const struct http_request *request);

/* Returns a stream that compresses another stream, which must have an end. It lives in the arena.
 * Closing it also closes the other one. */
struct http_stream squeeze_stream(struct arena *arena, const struct http_stream *inner);

#endif
