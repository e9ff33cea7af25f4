#include "base/limits.h"
#include "etcd/etcd_link_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A unary call: one message to etcd, and one message and a status from etcd. */
struct etcd_call {
    struct etcd_call *next;
    struct etcd_link *link;
    CURL *easy;
    char error[CURL_ERROR_SIZE];
    const char *method;
    struct etcd_exchange exchange;
    uint64_t begun_ms;
    uint64_t retry_ms; /* time at which a paused call is sent again */
    size_t tries;
    size_t reach;                /* of the link, when the transfer was set up */
    size_t cuts;                 /* attempts whose connection the member reset */
    const char *alert_endpoint;  /* the endpoint that sent a TLS alert; NULL: none did */
    char alert[CURL_ERROR_SIZE]; /* libcurl's error message for it */

    unsigned char head[ETCD_FRAME_BYTES]; /* followed by the message */
    struct text message;
    size_t sent;

    struct arena *arena; /* the answer lives in this arena */
    unsigned char answer_head[ETCD_FRAME_BYTES];
    size_t head_got;
    char *answer;
    size_t answer_length;
    size_t answer_got;

    etcd_replied *replied;
    void *arg;
};

/* ---- callbacks of libcurl ---- */

/* Passes the message to libcurl. The message cannot be rewound, so libcurl cannot send it twice. */
static size_t etcd_call_send(char *out, size_t size, size_t count, void *arg)
{
    struct etcd_call *call = arg;
    size_t room = size * count;
    size_t copied = 0;

    call->exchange.was_sent = true;
    while (copied < room && call->sent < ETCD_FRAME_BYTES + call->message.length) {
        bool is_in_head = call->sent < ETCD_FRAME_BYTES;
        const char *from = is_in_head ? (const char *)call->head + call->sent
                                      : call->message.data + (call->sent - ETCD_FRAME_BYTES);
        size_t left = is_in_head ? ETCD_FRAME_BYTES - call->sent
                                 : call->message.length - (call->sent - ETCD_FRAME_BYTES);
        size_t part = left < room - copied ? left : room - copied;

        memcpy(out + copied, from, part);
        copied += part;
        call->sent += part;
    }
    return copied;
}

/* Reads the length of the answer from its first five bytes, and reserves memory for it. */
MUST_CHECK static bool answer_begin(struct etcd_call *call)
{
    if (!etcd_frame_read(call->answer_head, &call->answer_length) ||
        call->answer_length >= arena_left(call->arena)) {
        call->exchange.is_too_large = true;
        return false;
    }
    call->answer = arena_alloc(call->arena, call->answer_length);
    call->exchange.has_message = call->answer_length == 0;
    return true;
}

static size_t call_receive(char *data, size_t size, size_t count, void *arg)
{
    struct etcd_call *call = arg;
    size_t length = size * count;
    size_t at = 0;

    while (at < length && call->head_got < ETCD_FRAME_BYTES) {
        call->answer_head[call->head_got++] = (unsigned char)data[at++];
        if (call->head_got == ETCD_FRAME_BYTES && !answer_begin(call)) {
            return 0;
        }
    }
    if (at < length) {
        if (length - at > call->answer_length - call->answer_got) {
            return 0; /* the answer is longer than its announced length */
        }
        memcpy(call->answer + call->answer_got, data + at, length - at);
        call->answer_got += length - at;
        call->exchange.has_message = call->answer_got == call->answer_length;
    }
    return length;
}

static size_t call_header(char *data, size_t size, size_t count, void *arg)
{
    struct etcd_call *call = arg;

    etcd_exchange_header(&call->exchange, (struct text){ data, size * count });
    return size * count;
}

/* ---- start ---- */

static struct etcd_call *etcd_call_take(struct etcd_link *link)
{
    struct etcd_call *call = link->idle;

    if (link->call_pool == NULL) {
        link->call_pool = pool_new(sizeof(struct etcd_call), LIMIT_STORE_PENDING + 1);
    }
    if (call != NULL) {
        link->idle = call->next;
        call->next = NULL;
        return call;
    }
    call = pool_take(link->call_pool);
    assert(call != NULL && "too many calls of the store are in progress");
    call->link = link;
    return call;
}

static void call_easy_make(struct etcd_call *call)
{
    call->easy = etcd_easy_new(&call->link->options);
    call->reach = call->link->reach;
    curl_easy_setopt(call->easy, CURLOPT_PRIVATE, call);
    curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->link->call_headers);
    curl_easy_setopt(call->easy, CURLOPT_READFUNCTION, etcd_call_send);
    curl_easy_setopt(call->easy, CURLOPT_READDATA, call);
    curl_easy_setopt(call->easy, CURLOPT_WRITEFUNCTION, call_receive);
    curl_easy_setopt(call->easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(call->easy, CURLOPT_HEADERFUNCTION, call_header);
    curl_easy_setopt(call->easy, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(call->easy, CURLOPT_ERRORBUFFER, call->error);
}

/* Returns the time in ms until the deadline; 0: the deadline has passed. */
static uint64_t call_left_ms(const struct etcd_call *call)
{
    uint64_t waited_ms = etcd_link_now_ms() - call->begun_ms;
    uint64_t timeout_ms = call->link->options.call_timeout_ms;

    return waited_ms < timeout_ms ? timeout_ms - waited_ms : 0;
}

static void call_start(struct etcd_call *call)
{
    struct etcd_link *link = call->link;
    uint64_t left_ms = call_left_ms(call);
    if (call->easy == NULL) {
        call_easy_make(call);
    } else if (call->reach != link->reach) {
        etcd_easy_reach(call->easy, &link->options);
        call->reach = link->reach;
    }
    call->exchange = (struct etcd_exchange){ .status = ETCD_STATUS_NONE,
                                             .endpoint = etcd_link_endpoint(link),
                                             .detail = call->error };
    call->error[0] = '\0';
    call->sent = 0;
    call->head_got = 0;
    call->answer_got = 0;
    call->tries++;
    etcd_easy_address(call->easy, call->exchange.endpoint, call->method);
    curl_easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)(ETCD_FRAME_BYTES + call->message.length));
    curl_easy_setopt(call->easy, CURLOPT_TIMEOUT_MS, left_ms > 0 ? (long)left_ms : 1L);
    call->next = link->running;
    link->running = call;
    link->running_count++;
    curl_multi_add_handle(link->call_hub.multi, call->easy);
}

void etcd_link_call(struct etcd_link *link, const char *method, struct text message,
                    struct arena *arena, etcd_replied *replied, void *arg)
{
    struct etcd_call *call = etcd_call_take(link);
    CURL *easy = call->easy;
    size_t reach = call->reach;

    *call = (struct etcd_call){
        .link = link,
        .easy = easy,
        .reach = reach,
        .method = method,
        .begun_ms = etcd_link_now_ms(),
        .message = message,
        .arena = arena,
        .replied = replied,
        .arg = arg,
    };
    etcd_frame_write(call->head, message.length);
    if (link->running_count < LIMIT_ETCD_CALLS) {
        call_start(call);
    } else if (link->last_waiting == NULL) {
        link->first_waiting = link->last_waiting = call;
    } else {
        link->last_waiting->next = call;
        link->last_waiting = call;
    }
}

/* ---- end ---- */

static void running_remove(struct etcd_link *link, const struct etcd_call *call)
{
    struct etcd_call **at = &link->running;

    while (*at != call) {
        assert(*at != NULL);
        at = &(*at)->next;
    }
    *at = call->next;
    link->running_count--;
}

/* Reports a call that has ended. Keeps it for reuse if it has a transfer. */
static void call_reply(struct etcd_call *call)
{
    struct etcd_reply reply = { 0 };
    struct etcd_link *link = call->link;
    etcd_replied *replied = call->replied;
    void *arg = call->arg;

    if (call->exchange.curl != CURLE_OK && call->alert_endpoint != NULL) {
        call->exchange.detail = call->alert;
        call->exchange.endpoint = call->alert_endpoint;
    }
    call->exchange.is_rejected = call->cuts >= LIMIT_ETCD_CUTS;
    etcd_exchange_judge(&call->exchange, &reply);
    reply.message = (struct text){ call->answer, call->answer_got };
    if (call->easy == NULL) {
        pool_give(link->call_pool, call);
    } else {
        call->next = link->idle;
        link->idle = call;
    }
    replied(arg, &reply);
}

enum { GRPC_UNAVAILABLE = 14 };

static bool method_is_read(const char *method)
{
    return strcmp(method, "KV/Range") == 0 || strcmp(method, "Maintenance/Status") == 0 ||
           strcmp(method, "Cluster/MemberList") == 0;
}

/* Remembers how an attempt failed, for the decision about another one and for the final error. */
static void call_failure_note(struct etcd_call *call)
{
    if (strstr(call->error, ETCD_TLS_ALERT) != NULL) {
        memcpy(call->alert, call->error, sizeof(call->alert));
        call->alert_endpoint = call->exchange.endpoint;
    }
    if (etcd_detail_is_reset(call->error)) {
        call->cuts++;
    }
}

/* True if certainly no member has executed the call, or it only reads, and another attempt, at this
 * or another member, may succeed. */
static bool call_is_repeatable(const struct etcd_call *call, CURLcode code)
{
    const struct etcd_exchange *exchange = &call->exchange;

    if (code != CURLE_OK) {
        return !exchange->was_sent ||
               (method_is_read(call->method) && etcd_detail_is_reset(call->error));
    }
    return exchange->status == GRPC_UNAVAILABLE &&
           (strstr(exchange->reason, "not supported for learner") != NULL ||
            strcmp(exchange->reason, "etcdserver: no leader") == 0);
}

/* True if a later attempt at the same endpoint may succeed without a change of the
 * configuration. */
static bool end_is_temporary(CURLcode code)
{
    return code == CURLE_OK || code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT;
}

/* True if another attempt may show why the member ends the connection: no alert has come yet. */
static bool is_cause_awaited(const struct etcd_call *call)
{
    return call->alert_endpoint == NULL && call->cuts < LIMIT_ETCD_CUTS &&
           etcd_detail_is_reset(call->error);
}

/* Sends the call again, after a pause if all endpoints were tried. Returns false if no attempts are
 * left. */
MUST_CHECK static bool call_repeat(struct etcd_call *call, CURLcode code)
{
    struct etcd_link *link = call->link;

    if (call->tries % link->options.endpoint_count != 0) {
        call_start(call);
        return true;
    }
    if (!end_is_temporary(code) && !is_cause_awaited(call)) {
        return false;
    }
    call->retry_ms = etcd_link_now_ms() + LIMIT_ETCD_REPEAT_MS;
    call->next = link->paused;
    link->paused = call;
    etcd_link_wake(link, LIMIT_ETCD_REPEAT_MS);
    return true;
}

static void etcd_call_end(struct etcd_call *call, CURLcode code)
{
    struct etcd_link *link = call->link;
    long http = 0;

    running_remove(link, call);
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &http);
    call->exchange.curl = code;
    call->exchange.http = (unsigned)http;
    if (code != CURLE_OK || call->exchange.status == GRPC_UNAVAILABLE) {
        etcd_link_endpoint_failed(link, call->exchange.endpoint);
    }
    if (code != CURLE_OK) {
        call_failure_note(call);
    }
    if (!call_is_repeatable(call, code) || call_left_ms(call) <= LIMIT_ETCD_REPEAT_MS ||
        !call_repeat(call, code)) {
        call_reply(call);
    }
}

/* Ends a call that was never sent. */
static void call_reply_unsent(struct etcd_call *call, const char *why)
{
    call->exchange = (struct etcd_exchange){ .curl = CURLE_OPERATION_TIMEDOUT,
                                             .status = ETCD_STATUS_NONE,
                                             .endpoint = etcd_link_endpoint(call->link),
                                             .detail = why };
    call_reply(call);
}

static struct etcd_call *waiting_take(struct etcd_link *link)
{
    struct etcd_call *call = link->first_waiting;

    link->first_waiting = call->next;
    link->last_waiting = call->next == NULL ? NULL : link->last_waiting;
    call->next = NULL;
    return call;
}

static void waiting_start(struct etcd_link *link)
{
    while (link->first_waiting != NULL && link->running_count < LIMIT_ETCD_CALLS) {
        struct etcd_call *call = waiting_take(link);

        if (call_left_ms(call) > 0) {
            call_start(call);
        } else {
            call_reply_unsent(call, "too many calls were queued before it");
        }
    }
}

/* Sends the paused calls whose pause is over. */
static void paused_start(struct etcd_link *link)
{
    uint64_t now_ms = etcd_link_now_ms();

    for (struct etcd_call **at = &link->paused; *at != NULL;) {
        struct etcd_call *call = *at;

        if (call->retry_ms > now_ms) {
            etcd_link_wake(link, (unsigned)(call->retry_ms - now_ms));
            at = &call->next;
            continue;
        }
        *at = call->next;
        call_start(call);
    }
}

size_t etcd_calls_run(struct etcd_link *link)
{
    CURLcode code;
    CURL *easy;
    size_t count = 0;

    while ((easy = etcd_hub_take_ended(&link->call_hub, &code)) != NULL) {
        struct etcd_call *call = NULL;

        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
        etcd_call_end(call, code);
        count++;
    }
    paused_start(link);
    waiting_start(link);
    return count;
}

void etcd_link_abort(struct etcd_link *link)
{
    static const char why[] = "the store was closed before the answer came";

    while (link->running != NULL || link->paused != NULL || link->first_waiting != NULL) {
        struct etcd_call *call = link->running;

        if (call == NULL && link->paused != NULL) {
            call = link->paused;
            link->paused = call->next;
            call_reply(call); /* reports the failure that has caused the pause */
            continue;
        }
        if (call == NULL) {
            call_reply_unsent(waiting_take(link), why);
            continue;
        }
        curl_multi_remove_handle(link->call_hub.multi, call->easy);
        running_remove(link, call);
        call->exchange.curl = CURLE_ABORTED_BY_CALLBACK;
        call->exchange.detail = why;
        call_reply(call);
    }
}

void etcd_calls_free(struct etcd_link *link)
{
    assert(link->running == NULL && link->paused == NULL && link->first_waiting == NULL);
    while (link->idle != NULL) {
        struct etcd_call *call = link->idle;

        link->idle = call->next;
        curl_easy_cleanup(call->easy);
    }
    pool_free(link->call_pool);
}
