#include "etcd/etcd_link.h"

#include "base/limits.h"
#include "etcd/etcd_link_parts.h"

#include <assert.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { READY_MAX = 64, MS_PER_S = 1000, NS_PER_MS = 1000000 };

uint64_t etcd_link_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * MS_PER_S + (uint64_t)now.tv_nsec / NS_PER_MS;
}

/* ---- endpoints ---- */

const char *etcd_link_endpoint(const struct etcd_link *link)
{
    return link->options.endpoints[link->endpoint];
}

void etcd_link_endpoint_failed(struct etcd_link *link, const char *endpoint)
{
    if (strcmp(endpoint, etcd_link_endpoint(link)) == 0) {
        link->endpoint = (link->endpoint + 1) % link->options.endpoint_count;
    }
}

void etcd_link_endpoint_next(struct etcd_link *link)
{
    link->endpoint = (link->endpoint + 1) % link->options.endpoint_count;
}

const struct etcd_options *etcd_link_options(const struct etcd_link *link)
{
    return &link->options;
}

uint64_t etcd_link_stream_ms(const struct etcd_link *link)
{
    return link->stream_ms;
}

void etcd_link_watch(struct etcd_link *link, int descriptor)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = (uint64_t)ETCD_READY_OTHER << 32 };
    int code = epoll_ctl(link->epoll, EPOLL_CTL_ADD, descriptor, &event);

    assert(code == 0);
    (void)code;
}

/* ---- options ---- */

MUST_CHECK static bool endpoint_check(const char *endpoint, struct err *err)
{
    struct text text = text_from(endpoint);

    if (text_has_prefix(text, TEXT(ETCD_LOCAL_SCHEME "/")) &&
        text.length <= LIMIT_ETCD_ENDPOINT_BYTES) {
        return true;
    }
    if (!text_has_prefix(text, TEXT("https://")) || text.length > LIMIT_ETCD_ENDPOINT_BYTES ||
        text_find_byte(text_slice(text, sizeof("https://") - 1, text.length), '/') != SIZE_MAX) {
        err_set(err, CODE_R0516, "the endpoint '%s' is not of the form https://HOST:PORT",
                endpoint);
        return err_hint(err, "reeve connects to etcd only with TLS");
    }
    return true;
}

MUST_CHECK static bool file_check(const char *what, const char *path, struct err *err)
{
    if (access(path, R_OK) != 0) {
        return err_set(err, CODE_R0512, "the %s '%s' cannot be read", what, path);
    }
    return true;
}

/* True if all endpoints are on this host. */
static bool is_etcd_local(const struct etcd_options *options)
{
    for (size_t i = 0; i < options->endpoint_count; i++) {
        if (!text_has_prefix(text_from(options->endpoints[i]), TEXT(ETCD_LOCAL_SCHEME))) {
            return false;
        }
    }
    return true;
}

MUST_CHECK static bool etcd_link_options_check(const struct etcd_options *options, struct err *err)
{
    size_t prefix_length = strlen(options->prefix);

    if (options->endpoint_count == 0 || options->endpoint_count > LIMIT_ETCD_ENDPOINTS) {
        return err_set(err, CODE_R0516, "%zu endpoints are given, 1 to %d are allowed",
                       options->endpoint_count, LIMIT_ETCD_ENDPOINTS);
    }
    for (size_t i = 0; i < options->endpoint_count; i++) {
        if (!endpoint_check(options->endpoints[i], err)) {
            return false;
        }
    }
    if (prefix_length == 0 || prefix_length > LIMIT_ETCD_PREFIX_BYTES ||
        options->prefix[prefix_length - 1] != '/') {
        return err_set(err, CODE_R0516, "the prefix '%s' does not end in '/'", options->prefix);
    }
    if (is_etcd_local(options)) {
        return true;
    }
    if (options->ca_file == NULL ||
        (options->certificate_file == NULL) != (options->key_file == NULL)) {
        return err_set(err, CODE_R0516, "a CA file is needed, and a certificate with its key");
    }
    return file_check("CA file", options->ca_file, err) &&
           (options->key_file == NULL ||
            (file_check("certificate", options->certificate_file, err) &&
             file_check("key", options->key_file, err)));
}

static const char *string_copy(struct arena *arena, const char *string)
{
    return string == NULL ? NULL : arena_string(arena, text_from(string));
}

/* Copies what etcd_reach_set can change. The former texts stay valid for calls in progress. */
static void etcd_link_reach_copy(struct etcd_link *link, const struct etcd_options *options)
{
    const char **endpoints = arena_array(link->memory, const char *, options->endpoint_count);

    for (size_t i = 0; i < options->endpoint_count; i++) {
        endpoints[i] = string_copy(link->memory, options->endpoints[i]);
    }
    link->options.endpoints = endpoints;
    link->options.endpoint_count = options->endpoint_count;
    link->options.ca_file = string_copy(link->memory, options->ca_file);
    link->options.certificate_file = string_copy(link->memory, options->certificate_file);
    link->options.key_file = string_copy(link->memory, options->key_file);
    link->endpoint = 0;
}

static void etcd_link_options_copy(struct etcd_link *link, const struct etcd_options *options)
{
    link->options = (struct etcd_options){
        .prefix = string_copy(link->memory, options->prefix),
        .call_timeout_ms =
            options->call_timeout_ms == 0 ? LIMIT_ETCD_CALL_MS : options->call_timeout_ms,
        .is_patient = options->is_patient,
    };
    etcd_link_reach_copy(link, options);
}

bool etcd_link_reach_set(struct etcd_link *link, const struct etcd_options *options,
                         struct err *err)
{
    struct etcd_options checked = *options;

    checked.prefix = link->options.prefix;
    if (!etcd_link_options_check(&checked, err)) {
        return false;
    }
    etcd_link_reach_copy(link, options);
    link->reach++;
    return true;
}

/* ---- the link ---- */

bool etcd_link_open(const struct etcd_options *options, struct etcd_link **out, struct err *err)
{
    struct arena *memory;
    struct etcd_link *link;

    if (!etcd_link_options_check(options, err)) {
        return false;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return err_set(err, CODE_R0512, "the HTTP library cannot be used");
    }
    memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    link = arena_one(memory, struct etcd_link);
    link->memory = memory;
    etcd_link_options_copy(link, options);
    link->epoll = epoll_create1(EPOLL_CLOEXEC);
    assert(link->epoll >= 0);
    link->wake = etcd_timer_new(link->epoll, ETCD_READY_WAKE);
    etcd_hub_init(&link->call_hub, link->epoll, 0);
    etcd_hub_init(&link->stream_hub, link->epoll, 1);
    link->call_headers = etcd_headers_new(link->options.call_timeout_ms);
    link->stream_headers = etcd_headers_new(0);
    *out = link;
    return true;
}

void etcd_link_close(struct etcd_link *link)
{
    if (link == NULL) {
        return;
    }
    if (link->stream != NULL) {
        etcd_link_stream_close(link, link->stream);
    }
    etcd_calls_free(link);
    etcd_hub_fini(&link->call_hub);
    etcd_hub_fini(&link->stream_hub);
    curl_slist_free_all(link->call_headers);
    curl_slist_free_all(link->stream_headers);
    close(link->wake);
    close(link->epoll);
    arena_free(link->memory);
    curl_global_cleanup();
}

int etcd_link_descriptor(const struct etcd_link *link)
{
    return link->epoll;
}

void etcd_link_wake(struct etcd_link *link, unsigned after_ms)
{
    uint64_t at_ms = etcd_link_now_ms() + after_ms;

    if (link->wake_at_ms == 0 || at_ms < link->wake_at_ms) {
        link->wake_at_ms = at_ms;
        etcd_timer_set(link->wake, (long)after_ms);
    }
}

static void ready_run(struct etcd_link *link, const struct epoll_event *event)
{
    int fd = (int)(uint32_t)event->data.u64;

    switch (event->data.u64 >> 32) {
    case ETCD_READY_SOCKET:
        etcd_hub_run_socket(&link->call_hub, fd, event->events);
        break;
    case ETCD_READY_SOCKET + 1:
        etcd_hub_run_socket(&link->stream_hub, fd, event->events);
        break;
    case ETCD_READY_TIMER:
        etcd_hub_run_timer(&link->call_hub);
        break;
    case ETCD_READY_TIMER + 1:
        etcd_hub_run_timer(&link->stream_hub);
        break;
    case ETCD_READY_WAKE:
        etcd_timer_clear(link->wake);
        link->wake_at_ms = 0;
        break;
    case ETCD_READY_OTHER: /* the owner of the descriptor reads it in every run */
        break;
    default:
        assert(false && "nothing else is in the epoll");
    }
}

size_t etcd_link_run(struct etcd_link *link)
{
    struct epoll_event ready[READY_MAX];
    int count = epoll_wait(link->epoll, ready, READY_MAX, 0);

    for (int i = 0; i < count; i++) {
        ready_run(link, &ready[i]);
    }
    return etcd_calls_run(link) + etcd_stream_run(link);
}
