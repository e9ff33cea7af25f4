#include "base/buf.h"
#include "base/limits.h"
#include "etcd/etcd_link_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A call whose upload stays open. libcurl is paused while there is nothing to send. Received bytes
 * are processed only after libcurl has returned, because libcurl must not be called from its own
 * callbacks. */
struct etcd_stream {
    struct arena *memory; /* holds this struct */
    struct etcd_link *link;
    CURL *easy;
    char error[CURL_ERROR_SIZE];
    struct etcd_exchange exchange;
    struct etcd_stream_events events;
    struct arena *out_arena;
    struct buf out; /* frames to send */
    size_t out_sent;
    bool is_paused;
    struct arena *in_arena;
    struct buf in; /* received frames; the last one may be incomplete */
    bool is_ended;
    bool is_closed;
    bool is_reporting;
};

/* ---- callbacks of libcurl ---- */

static size_t stream_send(char *out, size_t size, size_t count, void *arg)
{
    struct etcd_stream *stream = arg;
    size_t left = stream->out.length - stream->out_sent;
    size_t part = left < size * count ? left : size * count;

    if (part == 0) {
        stream->is_paused = true;
        return CURL_READFUNC_PAUSE;
    }
    memcpy(out, stream->out.data + stream->out_sent, part);
    stream->out_sent += part;
    return part;
}

static size_t stream_receive(char *data, size_t size, size_t count, void *arg)
{
    struct etcd_stream *stream = arg;

    stream->link->stream_ms = etcd_link_now_ms();
    if (stream->in.length + size * count > 2 * (size_t)LIMIT_ETCD_MESSAGE_BYTES) {
        stream->exchange.is_too_large = true;
        return 0;
    }
    buf_add(&stream->in, (struct text){ data, size * count });
    return size * count;
}

static size_t stream_header(char *data, size_t size, size_t count, void *arg)
{
    struct etcd_stream *stream = arg;

    etcd_exchange_header(&stream->exchange, (struct text){ data, size * count });
    return size * count;
}

/* ---- the stream ---- */

static void buffer_renew(struct arena **arena, struct buf *buf, struct text kept)
{
    struct arena *old = *arena;

    *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    buf_init(buf, *arena);
    buf_add(buf, kept);
    arena_free(old);
}

struct etcd_stream *etcd_link_stream(struct etcd_link *link, const char *method,
                                     const struct etcd_stream_events *events)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct etcd_stream *stream = arena_one(memory, struct etcd_stream);

    assert(link->stream == NULL);
    link->stream = stream;
    stream->memory = memory;
    stream->link = link;
    stream->events = *events;
    buffer_renew(&stream->in_arena, &stream->in, TEXT(""));
    buffer_renew(&stream->out_arena, &stream->out, TEXT(""));
    stream->exchange = (struct etcd_exchange){ .status = ETCD_STATUS_NONE,
                                               .endpoint = etcd_link_endpoint(link),
                                               .detail = stream->error };
    stream->easy = etcd_easy_new(&link->options);
    etcd_easy_address(stream->easy, stream->exchange.endpoint, method);
    curl_easy_setopt(stream->easy, CURLOPT_HTTPHEADER, link->stream_headers);
    curl_easy_setopt(stream->easy, CURLOPT_READFUNCTION, stream_send);
    curl_easy_setopt(stream->easy, CURLOPT_READDATA, stream);
    curl_easy_setopt(stream->easy, CURLOPT_WRITEFUNCTION, stream_receive);
    curl_easy_setopt(stream->easy, CURLOPT_WRITEDATA, stream);
    curl_easy_setopt(stream->easy, CURLOPT_HEADERFUNCTION, stream_header);
    curl_easy_setopt(stream->easy, CURLOPT_HEADERDATA, stream);
    curl_easy_setopt(stream->easy, CURLOPT_ERRORBUFFER, stream->error);
    curl_multi_add_handle(link->stream_hub.multi, stream->easy);
    return stream;
}

void etcd_link_stream_send(struct etcd_link *link, struct etcd_stream *stream, struct text message)
{
    unsigned char head[ETCD_FRAME_BYTES];

    assert(stream == link->stream && !stream->is_closed);
    if (stream->out_sent == stream->out.length) {
        buffer_renew(&stream->out_arena, &stream->out, TEXT(""));
        stream->out_sent = 0;
    }
    etcd_frame_write(head, message.length);
    buf_add(&stream->out, (struct text){ (const char *)head, sizeof(head) });
    buf_add(&stream->out, message);
    if (stream->is_paused) {
        stream->is_paused = false;
        curl_easy_pause(stream->easy, CURLPAUSE_CONT);
    }
}

static void stream_free(struct etcd_stream *stream)
{
    assert(!stream->is_reporting);
    curl_multi_remove_handle(stream->link->stream_hub.multi, stream->easy);
    curl_easy_cleanup(stream->easy);
    arena_free(stream->in_arena);
    arena_free(stream->out_arena);
    arena_free(stream->memory);
}

void etcd_link_stream_close(struct etcd_link *link, struct etcd_stream *stream)
{
    assert(stream == link->stream);
    link->stream = NULL;
    stream->is_closed = true;
    if (!stream->is_reporting) {
        stream_free(stream);
    }
}

/* Processes a received frame. Returns false if the frame is incomplete, or if it is invalid; an
 * invalid frame ends the stream. */
MUST_CHECK static bool etcd_stream_frame_take(struct etcd_stream *stream, size_t *at,
                                              struct text *out)
{
    struct text rest = { stream->in.data + *at, stream->in.length - *at };
    size_t length;

    if (rest.length < ETCD_FRAME_BYTES) {
        return false;
    }
    if (!etcd_frame_read((const unsigned char *)rest.data, &length)) {
        stream->exchange.is_too_large = true;
        stream->is_ended = true;
        return false;
    }
    if (rest.length - ETCD_FRAME_BYTES < length) {
        return false;
    }
    *out = text_slice(rest, ETCD_FRAME_BYTES, length);
    *at += ETCD_FRAME_BYTES + length;
    return true;
}

static size_t etcd_stream_frames_report(struct etcd_stream *stream)
{
    struct text frame;
    size_t at = 0;
    size_t count = 0;

    if (stream->in.length == 0) {
        return 0;
    }
    while (!stream->is_closed && etcd_stream_frame_take(stream, &at, &frame)) {
        stream->events.got(stream->events.arg, frame);
        count++;
    }
    if (at > 0 && !stream->is_closed) {
        buffer_renew(&stream->in_arena, &stream->in,
                     (struct text){ stream->in.data + at, stream->in.length - at });
    }
    return count;
}

static void etcd_stream_end_report(struct etcd_stream *stream)
{
    struct etcd_reply reply = { 0 };
    long http = 0;

    curl_easy_getinfo(stream->easy, CURLINFO_RESPONSE_CODE, &http);
    stream->exchange.http = (unsigned)http;
    stream->exchange.was_sent = false; /* makes the error show the cause of the end, which is all
                                        * that matters for a stream */
    etcd_link_endpoint_failed(stream->link, stream->exchange.endpoint);
    if (stream->exchange.status == ETCD_STATUS_OK) {
        err_set(&reply.err, CODE_R0501, "%s ended the stream", stream->exchange.endpoint);
    } else {
        etcd_exchange_judge(&stream->exchange, &reply);
    }
    stream->link->stream = NULL;
    stream->is_closed = true;
    stream->events.ended(stream->events.arg, &reply.err);
}

size_t etcd_stream_run(struct etcd_link *link)
{
    struct etcd_stream *stream = link->stream;
    CURLcode code;
    size_t count;

    while (etcd_hub_take_ended(&link->stream_hub, &code) != NULL) {
        assert(stream != NULL);
        stream->exchange.curl = code;
        stream->is_ended = true;
    }
    if (stream == NULL) {
        return 0;
    }
    stream->is_reporting = true;
    count = etcd_stream_frames_report(stream);
    /* A status is etcd's last message. libcurl does not end the transfer by itself while the upload
     * is open. */
    stream->is_ended = stream->is_ended || stream->exchange.status != ETCD_STATUS_NONE;
    if (stream->is_ended && !stream->is_closed) {
        etcd_stream_end_report(stream);
        count++;
    }
    stream->is_reporting = false;
    if (stream->is_closed) {
        stream_free(stream);
    }
    return count;
}
