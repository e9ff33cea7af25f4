#ifndef REEVE_HTTP_SQUEEZE_H
#define REEVE_HTTP_SQUEEZE_H

#include "http/http.h"

/* names: squeeze_ */

/* Long answers in gzip. What is compressed at a time is little, so that the loop is never held for
 * long. */

/* Does the client take gzip (Accept-Encoding)? */
bool squeeze_is_wanted(const struct http_request *request);

/* A stream that gives another one, which has an end, in gzip. Lives in the arena; the other one is
 * closed with it. */
struct http_stream squeeze_stream(struct arena *arena, const struct http_stream *inner);

#endif
