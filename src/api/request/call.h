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

/* public names start with: call_ api_ */

/* Counters of requests. */

enum { METRICS_ROUTES = 128, METRICS_STATUSES = 24, METRICS_STEPS = 7 };

struct metrics {
    /* The last index of each dimension counts all routes or statuses that have no index of their
     * own. */
    uint64_t answers[METRICS_ROUTES + 1][METRICS_STATUSES + 1];
    /* Histogram of answer times. The upper bounds are 0.1 ms, 1 ms, ... 10 s; the last step has no
     * bound. */
    uint64_t steps[METRICS_STEPS];
    uint64_t sum_ns;
};

/* Counts an answer. `route` is NULL if no route matched. A stream is counted when it begins. */
void metrics_count(struct metrics *metrics, const struct route *route, unsigned status,
                   uint64_t took_ns);

/* The prefix of the routes of Contiv's compatibility API. The listener for that API alone omits
 * it. */
#define CONTIV_PREFIX "/contiv"

/* One active request; internal to the API. It lives in the request's arena. */
struct call {
    struct call *next; /* next call in the list of calls that wait for a revision */
    struct api *api;
    struct http_exchange *exchange;
    const struct http_request *request;
    struct arena *arena;
    const struct route *route;
    const struct schema_kind *kind; /* value of {kinds} in the route; otherwise NULL */
    struct text name;               /* value of {name} in the route; otherwise empty */
    struct service_actor actor;
    struct identity identity;            /* identity of the token; empty on a unix socket */
    struct text token_hash;              /* key of the same token after /_/Token/ */
    const struct identity_grant *grants; /* grants of the token */
    size_t grant_count;
    enum route_who role; /* role of the sender in the whole tenant */
    void *state;         /* data of the function that answers the call */
    route_fn *run;       /* continues the call when the cache has reached `wanted` */
    struct trace trace;
    uint64_t start_ns;
    uint64_t wanted; /* revision for which the call waits */
    uint64_t deadline_ms;
    struct text location; /* path of the created object: kinds/NAME */
};

struct api {
    struct arena *memory;
    struct api_options options;
    struct call *waiting;
    size_t waiting_count;
    struct attempts *attempts;
    struct poll *polls;
    size_t poll_count;
    struct watcher *watchers;
    size_t watcher_count;
    struct execution *executions;
    struct contiv_log *contiv_logs;
    struct forward *forwards;
    struct outputs *outputs;
    struct image_wait *image_checks; /* images that are being checked (api/images) */
    struct fleet_making *fleets;     /* answers of /v1/fleet that are being made, newest first */
    struct pool *watch_entries;
    struct metrics metrics;
    uint64_t watch_swept_ms;
    bool is_stale;         /* the manager was disconnected from its store when watch_run last
                            * checked */
    uint64_t watch_resets; /* number of watches that were ended because their clients did not
                            * read */
    bool is_draining;
};

/* call_parameter returns the value of a parameter, call_header that of a header; empty if it was
 * not sent. */
struct text call_parameter(const struct call *call, const char *name);
struct text call_header(const struct call *call, enum http_header header);

/* Returns whether the request is one of the compatibility API of Contiv. */
bool call_is_contiv(const struct http_request *request);

/* Returns whether the body of the request is binary (application/octet-stream). */
bool call_is_bytes(const struct http_request *request);

/* Reads a parameter that is a number. If it is missing, the result is 0. R0426: it is invalid. */
MUST_CHECK bool call_number(const struct call *call, const char *name, uint64_t *out,
                            struct err *err);

/* Reads a boolean parameter: 1, true or the bare name; 0 or false. R0426: any other value. */
MUST_CHECK bool call_switch(const struct call *call, const char *name, bool *out, struct err *err);

/* Continues with call->run when the cache has reached call->wanted. If that takes too long, the
 * call is rejected. */
void call_wait(struct call *call);

/* call_answer answers with a body, call_answer_fields with a body and header fields. The data must
 * live in the arena of the request, or longer. Both add the common headers of every answer. */
void call_answer(struct call *call, unsigned status, const char *content_type, struct text body);
void call_answer_fields(struct call *call, const struct http_answer *answer);

/* Returns the age of the manager's data as JSON {reason, revision, seconds, since}. Empty if the
 * manager is connected to its store. */
struct text call_stale_json(const struct api *api, struct arena *arena);

/* Answers with a document. */
void call_report(struct call *call, unsigned status, const struct doc *body);

/* call_refuse answers with one error, call_refuse_all with all errors. `plan` is the plan of the
 * rejected change as JSON, or empty. */
void call_refuse(struct call *call, const struct err *err);
void call_refuse_all(struct call *call, const struct err_list *errors, struct text plan);

/* Answers with the result of the service. It is a service_done callback; `arg` is the call. */
void call_answered(void *arg, const struct service_answer *answer);

#endif
