#ifndef REEVE_API_API_H
#define REEVE_API_API_H

#include "api/request/options.h"
#include "http/http.h"

/* public names start with: api_ call_ */

/* The HTTP API of one manager. All calls are on the loop thread. */
struct api;

/* Creates the API. It serves no requests until a server uses its api_handler. */
struct api *api_new(const struct api_options *options);

/* Frees the API. The server must be freed first. NULL is allowed. */
void api_free(struct api *api);

/* Returns the handler for the HTTP server. */
struct http_handler api_handler(struct api *api);

/* Continues waiting requests. Call it after cache_run, and every second. */
void api_run(struct api *api);

/* Ends all streams and rejects new requests, so that the server can be freed. */
void api_drain(struct api *api);

#endif
