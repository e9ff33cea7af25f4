#ifndef COMMON_HTTP_PARTS_H
#define COMMON_HTTP_PARTS_H

/* Internals shared by http.c, http_setup.c and http_answer.c. */

#include "base/buf.h"
#include "http.h"

#include <curl/curl.h>
#include <pthread.h>

enum { HTTP_SLOTS = 4, HTTP_ARENA_BYTES = 64 * 1024 };

enum http_job_state { HTTP_JOB_QUEUED, HTTP_JOB_ACTIVE, HTTP_JOB_DONE };

/* One request, on the stack of its caller; members are protected by the mutex of `http`. */
struct http_job {
    struct http *http;
    const struct http_request *request;
    struct http_job *next; /* next job in the queue */
    pthread_cond_t changed;
    enum http_job_state state;
    bool is_sent; /* bytes of the request may have been sent */
    bool is_paused;
    bool is_stopped; /* the caller has cancelled the request */
    bool is_too_large;
    bool has_headers; /* the headers of the answer were received to their end */
    CURLcode code;
    long status;
    char error[CURL_ERROR_SIZE];
    size_t body_max;
    size_t body_length; /* number of bytes received so far, after decompression */
    char *headers;
    size_t headers_length;
    char *unread; /* received bytes that the caller has not read yet */
    size_t unread_length;
    size_t unread_room;
};

/* The caller's side of a job. Two buffers alternate: one receives while the other is read. */
struct http_part {
    const struct http_request *request;
    bool (*take)(struct http_part *part, struct text bytes);
    char *spare;
    size_t spare_room;
    struct buf body;
    bool is_too_large;
    bool is_stopped;
};

/* A slot for a transfer. Only the thread uses it. */
struct http_slot {
    CURL *easy;
    struct http_job *job; /* NULL: the slot is free */
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
};

struct http {
    struct arena *arena;
    const char *user_agent;
    const char *ca;
    const char *proxy; /* proxy; "": none */
    bool is_proxy_of_sandbox;
    CURLM *multi;
    pthread_t thread;
    pthread_condattr_t clock;
    struct http_slot slots[HTTP_SLOTS];
    pthread_mutex_t mutex; /* protects the members below, and the jobs */
    struct http_job *queue;
    bool is_stopping;
};

/* Adds a job to the queue, in order of priority, then of arrival. Called with the mutex locked. */
void http_queue_add(struct http *http, struct http_job *job);
struct http_job *http_queue_take(struct http *http);
void http_queue_remove(struct http *http, struct http_job *job);

/* True if a slot is free. Called by the thread. */
bool http_has_free_slot(const struct http *http);

/* Prepares the transfer of the slot's job. */
bool http_setup(struct http *http, struct http_slot *slot);

/* Frees everything that http_setup() made, and wipes the headers, which may contain credentials. */
void http_setup_wipe(struct http_slot *slot);

/* Called by curl. */
size_t http_on_header(char *bytes, size_t size, size_t count, void *arg);
size_t http_on_bytes(char *bytes, size_t size, size_t count, void *arg);
int http_on_send(void *arg, char *from, char *to, int from_port, int to_port);

/* True if a completed job has a whole answer. */
bool http_is_whole(const struct http_job *job, const struct http_part *part);

/* Makes the answer of a completed job. */
void http_answer_fill(struct arena *arena, const struct http_job *job, struct http_part *part,
                      struct http_answer *out);

#endif
