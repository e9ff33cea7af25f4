#ifndef REEVE_API_API_H
#define REEVE_API_API_H

#include "api/request/options.h"
#include "http/http.h"

/* names: api_ call_ */

/* The HTTP API of one manager. All calls are on the loop thread. */
struct api;

/* Make it; nothing is served until a server has api_handler. */
struct api *api_new(const struct api_options *options);

/* End it; the server is freed first. NULL is allowed. */
void api_free(struct api *api);

/* What the HTTP server calls. */
struct http_handler api_handler(struct api *api);

/* Carry on with requests that wait; to be called after cache_run, and every second. */
void api_run(struct api *api);

/* Ends all streams and refuses new requests, so that the server can be freed. */
void api_drain(struct api *api);

#endif
