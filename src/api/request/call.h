#ifndef REEVE_API_REQUEST_CALL_H
#define REEVE_API_REQUEST_CALL_H

#include "api/request/options.h"
#include "api/request/route.h"
#include "api/request/trace.h"
#include "codec/doc.h"
#include "http/http.h"
#include "records/identity.h"

#include <stddef.h>
#include <stdint.h>

/* names: call_ api_ */

/* What is counted of requests. */

enum { METRICS_ROUTES = 128, METRICS_STATUSES = 24, METRICS_STEPS = 7 };

struct metrics {
    uint64_t answers[METRICS_ROUTES + 1][METRICS_STATUSES + 1]; /* the last of each: any other */
    uint64_t steps[METRICS_STEPS]; /* answered within 0.1 ms, 1 ms, ... 10 s, or later */
    uint64_t sum_ns;
};

/* Count an answer; route NULL: there was none. A stream counts when it begins. */
void metrics_count(struct metrics *metrics, const struct route *route, unsigned status,
                   uint64_t took_ns);

/* Inside of the API: one request on its way. Lives in the request's arena. */
struct call {
    struct call *next; /* of those that wait for a revision */
    struct api *api;
    struct http_exchange *exchange;
    const struct http_request *request;
    struct arena *arena;
    const struct route *route;
    const struct schema_kind *kind; /* of {kinds}; else NULL */
    struct text name;               /* of {name}; else empty */
    struct service_actor actor;
    struct identity identity;            /* of a token; empty on a unix socket */
    struct text token_hash;              /* the same; after /_/Token/ */
    const struct identity_grant *grants; /* of a token */
    size_t grant_count;
    enum route_who role; /* what he may in the whole tenant */
    void *state;         /* of who answers it */
    route_fn *run;       /* what goes on when `wanted` is there */
    struct trace trace;
    uint64_t start_ns;
    uint64_t wanted; /* revision it waits for */
    uint64_t deadline_ms;
    struct text location; /* of what is made: kinds/NAME */
};

struct api {
    struct arena *memory;
    struct api_options options;
    struct call *waiting;
    size_t waiting_count;
    struct session_links *links;
    struct attempts *attempts;
    struct poll *polls;
    size_t poll_count;
    struct watcher *watchers;
    size_t watcher_count;
    struct execution *executions;
    struct fleet_making *fleets; /* newest first */
    struct pool *watch_entries;
    struct metrics metrics;
    uint64_t watch_swept_ms;
    uint64_t watch_resets; /* of watchers that did not read */
    bool is_draining;
};

/* The value of a parameter, or a header; empty where there is none. */
struct text call_parameter(const struct call *call, const char *name);
struct text call_header(const struct call *call, enum http_header header);

/* Is its body bytes that are no text (application/octet-stream)? */
bool call_is_bytes(const struct http_request *request);

/* A parameter that is a number; missing = 0. R0426. */
MUST_CHECK bool call_number(const struct call *call, const char *name, uint64_t *out,
                            struct err *err);

/* A boolean parameter: 1, true or the bare name; 0 or false. R0426 for other values. */
MUST_CHECK bool call_switch(const struct call *call, const char *name, bool *out, struct err *err);

/* Go on with call->run when the cache has reached call->wanted; refused where that takes too
 * long. */
void call_wait(struct call *call);

/* Answer: a body in the request's arena (or longer alive), or a whole answer, to which the headers
 * that every answer has are added. */
void call_answer(struct call *call, unsigned status, const char *content_type, struct text body);
void call_answer_fields(struct call *call, const struct http_answer *answer);

/* Answer with a document. */
void call_report(struct call *call, unsigned status, const struct doc *body);

/* Answer with what is wrong. `plan` is JSON that helps to understand it, or empty. */
void call_refuse(struct call *call, const struct err *err);
void call_refuse_all(struct call *call, const struct err_list *errors, struct text plan);

/* Answer with the result of the service: a service_done, whose arg is the call. */
void call_answered(void *arg, const struct service_answer *answer);

#endif
