/* The thread that makes requests. README.md has the rules for its callers.
 *
 * A job is on the stack of its caller. It is first in the queue, then active in one of the slots,
 * then done. Its `state` changes only with the mutex locked. The thread appends to the body of an
 * active job, and the caller takes the available bytes. If the caller is slow, the transfer is
 * paused, so that a listing of any size needs little memory. */
#include "http_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum {
    CLOCK_STEP_MS = 1000,
    HEADERS_MAX = 32 * 1024,
    BODY_MAX = 64 * 1024 * 1024,
    /* A transfer is paused while its caller has at least this many unread bytes. */
    UNREAD_MAX = 256 * 1024
};

uint64_t http_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the thread ---- */

static void http_lock(struct http *http)
{
    (void)pthread_mutex_lock(&http->mutex);
}

static void http_unlock(struct http *http)
{
    (void)pthread_mutex_unlock(&http->mutex);
}

/* Marks a job as done, so that its caller continues. Called with the mutex locked. */
static void http_job_end(struct http_job *job, CURLcode code, long status)
{
    job->code = code;
    job->status = status;
    job->state = HTTP_JOB_DONE;
    (void)pthread_cond_signal(&job->changed);
}

static void http_slot_clear(struct http *http, struct http_slot *slot)
{
    (void)curl_multi_remove_handle(http->multi, slot->easy);
    http_setup_wipe(slot);
    curl_easy_reset(slot->easy);
    slot->job = NULL;
}

/* Moves queued jobs to free slots. */
static void http_begin_jobs(struct http *http)
{
    for (size_t i = 0; i < ARRAY_COUNT(http->slots); i++) {
        struct http_slot *slot = &http->slots[i];
        struct http_job *job;

        if (slot->job != NULL) {
            continue;
        }
        http_lock(http);
        job = http_queue_take(http);
        if (job != NULL) {
            job->state = HTTP_JOB_ACTIVE;
        }
        http_unlock(http);
        if (job == NULL) {
            return;
        }
        slot->job = job;
        if (!http_setup(http, slot) || curl_multi_add_handle(http->multi, slot->easy) != CURLM_OK) {
            http_slot_clear(http, slot);
            http_lock(http);
            http_job_end(job, CURLE_FAILED_INIT, 0);
            http_unlock(http);
        }
    }
}

/* Ends the transfers whose callers gave up, and resumes those whose callers have read the buffered
 * bytes. */
static void http_follow_callers(struct http *http)
{
    for (size_t i = 0; i < ARRAY_COUNT(http->slots); i++) {
        struct http_slot *slot = &http->slots[i];
        struct http_job *job = slot->job;
        bool is_stopped = false;
        bool is_resumed = false;

        if (job == NULL) {
            continue;
        }
        http_lock(http);
        is_stopped = job->is_stopped;
        if (job->is_paused && job->unread_length == 0) {
            job->is_paused = false;
            is_resumed = true;
        }
        http_unlock(http);
        if (is_stopped) {
            http_slot_clear(http, slot);
            http_lock(http);
            http_job_end(job, CURLE_ABORTED_BY_CALLBACK, 0);
            http_unlock(http);
        } else if (is_resumed) {
            (void)curl_easy_pause(slot->easy, CURLPAUSE_CONT);
        }
    }
}

static void http_finish_jobs(struct http *http)
{
    const CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(http->multi, &left)) != NULL) {
        struct http_slot *slot = NULL;
        struct http_job *job;
        CURLcode code;
        long status = 0;

        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        code = message->data.result;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&slot);
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
        assert(slot != NULL && slot->job != NULL);
        job = slot->job;
        memcpy(job->error, slot->error, sizeof(job->error));
        http_slot_clear(http, slot);
        http_lock(http);
        http_job_end(job, code, status);
        http_unlock(http);
    }
}

static void *http_run(void *arg)
{
    struct http *http = arg;

    for (;;) {
        int running;
        bool is_stopping;

        http_begin_jobs(http);
        http_follow_callers(http);
        (void)curl_multi_perform(http->multi, &running);
        http_finish_jobs(http);
        http_lock(http);
        is_stopping = http->is_stopping;
        if (!is_stopping && http->queue != NULL && http_has_free_slot(http)) {
            http_unlock(http);
            continue;
        }
        http_unlock(http);
        if (is_stopping) {
            return NULL;
        }
        (void)curl_multi_poll(http->multi, NULL, 0,
                              running > 0 ? CLOCK_STEP_MS : 60 * CLOCK_STEP_MS, NULL);
    }
}

/* ---- callbacks of curl, in the thread ---- */

size_t http_on_header(char *bytes, size_t size, size_t count, void *arg)
{
    struct http_job *job = ((struct http_slot *)arg)->job;
    struct http *http = job->http;
    size_t length = size * count;
    bool has_room;

    http_lock(http);
    if (length >= 5 && memcmp(bytes, "HTTP/", 5) == 0) {
        /* these headers belong to a later answer; the earlier answer was 100 Continue */
        job->headers_length = 0;
        job->has_headers = false;
    }
    job->has_headers |= length <= 2 && bytes[length - 1] == '\n';
    has_room = job->headers_length + length <= HEADERS_MAX;
    if (has_room) {
        job->headers = rows_resize(job->headers, job->headers_length + length);
        memcpy(job->headers + job->headers_length, bytes, length);
        job->headers_length += length;
    }
    http_unlock(http);
    return has_room ? length : 0;
}

size_t http_on_bytes(char *bytes, size_t size, size_t count, void *arg)
{
    struct http_job *job = ((struct http_slot *)arg)->job;
    struct http *http = job->http;
    size_t length = size * count;
    size_t result = length;

    http_lock(http);
    if (job->unread_length > 0 && job->unread_length + length > UNREAD_MAX) {
        job->is_paused = true;
        result = CURL_WRITEFUNC_PAUSE;
    } else if (length > job->body_max - job->body_length) {
        job->is_too_large = true;
        result = 0;
    } else {
        if (job->unread_length + length > job->unread_room) {
            job->unread_room = job->unread_length + length + 16 * 1024;
            job->unread = rows_resize(job->unread, job->unread_room);
        }
        memcpy(job->unread + job->unread_length, bytes, length);
        job->unread_length += length;
        job->body_length += length;
    }
    (void)pthread_cond_signal(&job->changed);
    http_unlock(http);
    return result;
}

int http_on_send(void *arg, char *from, char *to, int from_port, int to_port)
{
    struct http_job *job = ((struct http_slot *)arg)->job;
    int answer = CURL_PREREQFUNC_OK;

    (void)from;
    (void)to;
    (void)from_port;
    (void)to_port;
    http_lock(job->http);
    /* curl would repeat a request if its kept connection ended without an answer; but the first
     * request may have had its effect, so only the caller can decide about a repetition */
    if (job->is_sent) {
        answer = CURL_PREREQFUNC_ABORT;
    }
    job->is_sent = true;
    http_unlock(job->http);
    return answer;
}

/* ---- callers ---- */

static struct timespec http_moment(uint64_t at_ms)
{
    return (struct timespec){ .tv_sec = (time_t)(at_ms / 1000),
                              .tv_nsec = (long)(at_ms % 1000) * 1000000 };
}

/* Passes the received bytes to the reader. Called with the mutex locked; it is released during the
 * call of the reader. Returns false if the reader stops. */
static bool http_read_part(struct http_job *job, struct http_part *part)
{
    char *bytes = job->unread;
    size_t length = job->unread_length;
    size_t room = job->unread_room;
    bool goes_on;

    job->unread = part->spare;
    job->unread_room = part->spare_room;
    job->unread_length = 0;
    part->spare = bytes;
    part->spare_room = room;
    http_unlock(job->http);
    goes_on = part->take(part, (struct text){ bytes, length });
    http_lock(job->http);
    return goes_on;
}

static bool http_collect(struct http_part *part, struct text bytes)
{
    const struct http_request *request = part->request;

    if (request->on_body != NULL) {
        return request->on_body(request->arg, bytes);
    }
    if (arena_left(part->body.arena) / 4 < part->body.length + bytes.length) {
        part->is_too_large = true;
        return false;
    }
    buf_add(&part->body, bytes);
    return true;
}

/* Waits until the job is done, and passes the parts of its body to the reader as they arrive.
 * Called with the mutex locked. */
static void http_wait(struct http_job *job, struct http_part *part)
{
    struct http *http = job->http;
    struct timespec end = http_moment(job->request->ends_ms);

    while (job->state != HTTP_JOB_DONE || job->unread_length > 0) {
        if (job->unread_length > 0) {
            if (job->is_stopped) {
                job->unread_length = 0;
            } else if (!http_read_part(job, part)) {
                job->is_stopped = true;
                part->is_stopped = true;
            }
            if (job->is_paused || job->is_stopped) {
                (void)curl_multi_wakeup(http->multi);
            }
        } else if (job->state == HTTP_JOB_QUEUED && http_now_ms() >= job->request->ends_ms) {
            http_queue_remove(http, job);
            http_job_end(job, CURLE_OPERATION_TIMEDOUT, 0);
        } else if (job->state == HTTP_JOB_QUEUED) {
            (void)pthread_cond_timedwait(&job->changed, &http->mutex, &end);
        } else {
            (void)pthread_cond_wait(&job->changed, &http->mutex);
        }
    }
}

bool http_send(struct http *http, struct arena *arena, const struct http_request *request,
               struct http_answer *out)
{
    struct http_job job = { .http = http, .request = request };
    struct http_part part = { .request = request, .take = http_collect };
    struct arena_mark before;

    assert(request->method.length > 0 && request->url.length > 0);
    *out = (struct http_answer){ 0 };
    if (!request->is_metadata && !http_url_is_allowed(request->url)) {
        out->why = TEXT("the address is not one that reeve uses: https, or http to this computer");
        return false;
    }
    job.body_max = request->body_bytes_max == 0 ? BODY_MAX : request->body_bytes_max;
    before = arena_mark(arena);
    buf_init(&part.body, arena);
    (void)pthread_cond_init(&job.changed, &http->clock);
    http_lock(http);
    http_queue_add(http, &job);
    (void)curl_multi_wakeup(http->multi);
    http_wait(&job, &part);
    http_unlock(http);
    (void)pthread_cond_destroy(&job.changed);
    if (request->on_body == NULL && !http_is_whole(&job, &part)) {
        /* otherwise the parts of long answers would exceed the memory */
        arena_rewind(arena, before);
    }
    http_answer_fill(arena, &job, &part, out);
    rows_free(job.headers);
    rows_free(job.unread);
    rows_free(part.spare);
    return out->outcome == HTTP_ANSWER;
}

/* ---- start and stop ---- */

static bool http_begin(struct http *http)
{
    for (size_t i = 0; i < ARRAY_COUNT(http->slots); i++) {
        http->slots[i].easy = curl_easy_init();
        if (http->slots[i].easy == NULL) {
            return false;
        }
    }
    (void)curl_multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)HTTP_SLOTS);
    (void)curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)HTTP_SLOTS);
    (void)curl_multi_setopt(http->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    return pthread_create(&http->thread, NULL, http_run, http) == 0;
}

static void http_end(struct http *http)
{
    for (size_t i = 0; i < ARRAY_COUNT(http->slots); i++) {
        curl_easy_cleanup(http->slots[i].easy);
    }
    (void)curl_multi_cleanup(http->multi);
    (void)pthread_condattr_destroy(&http->clock);
    (void)pthread_mutex_destroy(&http->mutex);
    arena_free(http->arena);
}

struct http *http_new(const struct http_settings *settings, const char **out_why)
{
    const char *offered = getenv("https_proxy");
    struct arena *arena;
    struct http *http;

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        *out_why = "libcurl does not start";
        return NULL;
    }
    arena = arena_new_small(HTTP_ARENA_BYTES);
    http = arena_one(arena, struct http);
    http->arena = arena;
    http->user_agent = arena_string(arena, settings->user_agent);
    http->ca = arena_string(
        arena, settings->ca.length > 0 ? settings->ca : TEXT("/etc/ssl/certs/ca-certificates.crt"));
    http->is_proxy_of_sandbox = offered != NULL;
    http->proxy = arena_string(arena, offered != NULL ? text_from(offered) : settings->proxy);
    (void)pthread_mutex_init(&http->mutex, NULL);
    (void)pthread_condattr_init(&http->clock);
    (void)pthread_condattr_setclock(&http->clock, CLOCK_MONOTONIC);
    http->multi = curl_multi_init();
    if (http->multi == NULL || !http_begin(http)) {
        http_end(http);
        *out_why = "the thread for requests does not start";
        return NULL;
    }
    return http;
}

void http_free(struct http *http)
{
    if (http == NULL) {
        return;
    }
    http_lock(http);
    assert(http->queue == NULL);
    http->is_stopping = true;
    http_unlock(http);
    (void)curl_multi_wakeup(http->multi);
    (void)pthread_join(http->thread, NULL);
    http_end(http);
}
