#ifndef REEVE_HTTP_SQUEEZE_H
#define REEVE_HTTP_SQUEEZE_H

#include "http/http.h"

/* public names start with: squeeze_ */

/* Compresses long answers with gzip. Each step compresses only a small piece, so that the loop is
 * never blocked for long. */

/* Returns whether the client accepts gzip (Accept-Encoding). */
bool squeeze_is_wanted(const struct http_request *request);

/* Returns a stream that compresses `inner`, which must have an end. It lives in the arena. Closing
 * it also closes `inner`. */
struct http_stream squeeze_stream(struct arena *arena, const struct http_stream *inner);

#endif
