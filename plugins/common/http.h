#ifndef COMMON_HTTP_H
#define COMMON_HTTP_H

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* public names start with: http_ */

/* Requests to a provider, for callers on several threads.
 *
 * One thread with one curl multi handle makes all requests of a process. A caller blocks in
 * http_send() until its answer is complete or its deadline has passed. At most four requests are
 * active at the same time; further requests wait in order of priority. Connections are kept for 60
 * s.
 *
 * Environment variables are not read, with one exception: in a separate network namespace, the
 * sandbox offers a proxy as the only exit and sets `https_proxy` to it. */
struct http;

struct http_settings {
    struct text user_agent; /* user agent: "reeve-aws/0.1.0" */
    struct text ca;         /* file of certificate authorities; empty: the system's authorities */
    struct text proxy;      /* "http://10.0.0.1:3128"; empty: the sandbox's proxy, or none */
};

/* Start the thread. Called once, before the process has other threads. On failure it returns NULL
 * and sets *out_why to a static text. The settings are copied. */
struct http *http_new(const struct http_settings *settings, const char **out_why);

/* Ends the thread. No call may be active. NULL is allowed. */
void http_free(struct http *http);

/* True if a URL may be used: https, or plain http to a loopback address. */
bool http_url_is_allowed(struct text url);

struct http_header {
    struct text name;
    struct text value;
};

/* Priorities of requests. Requests of a higher priority are sent first. */
enum http_priority { HTTP_LISTING, HTTP_READ, HTTP_CHANGE };

/* Receives a part of the body, on the thread of the caller of http_send(). Returns false to stop:
 * the outcome is then HTTP_NO_ANSWER, with the reason "the reader stopped". */
typedef bool http_on_body(void *arg, struct text part);

struct http_request {
    struct text method; /* method: GET, POST, PUT, DELETE, ... */
    struct text url;
    const struct http_header *headers; /* headers without Host, Content-Length, Accept-Encoding */
    size_t header_count;
    struct text body; /* empty: none */
    uint64_t ends_ms; /* deadline by http_now_ms() */
    enum http_priority priority;
    /* The request must not be sent twice, so it gets a new connection. After a failure of a kept
     * connection it would be unknown whether the request arrived. */
    bool is_single;
    /* True for a request to this computer's own metadata service: plain http, and no proxy. */
    bool is_metadata;
    size_t body_bytes_max; /* limit of the decompressed answer, in bytes; 0: 64 MiB */
    http_on_body *on_body; /* NULL: the body is collected in the answer */
    void *arg;
};

enum http_outcome {
    HTTP_NOT_SENT,  /* certainly not sent: no name, no connection, invalid certificate, deadline */
    HTTP_NO_ANSWER, /* sent partly or completely, but there is no complete answer */
    HTTP_ANSWER,
};

struct http_answer {
    enum http_outcome outcome;
    unsigned status;     /* status with HTTP_ANSWER; otherwise 0 */
    bool is_past_end;    /* the deadline has passed */
    struct text why;     /* if there is no answer: the reason, for users */
    struct text headers; /* headers as received, with the status line */
    struct text body;    /* empty if the request has on_body */
};

/* Makes a request and waits for its end. All of *out is in the arena. Returns true if there is a
 * complete answer, regardless of its status. */
bool http_send(struct http *http, struct arena *arena, const struct http_request *request,
               struct http_answer *out);

/* Returns the value of a header of the answer. Empty: the answer does not have it. The name is in
 * lower case. */
struct text http_answer_header(const struct http_answer *answer, const char *name);

/* Returns the delay in the header `retry-after`, in ms. 0: there is none. A date is converted
 * relative to the date of the answer. */
uint64_t http_answer_retry_after_ms(const struct http_answer *answer);

/* Returns the header `date` of the answer, in seconds since 1970. 0: there is none. */
int64_t http_answer_date_s(const struct http_answer *answer);

/* Returns the time of the monotonic clock, in ms. */
uint64_t http_now_ms(void);

#endif
