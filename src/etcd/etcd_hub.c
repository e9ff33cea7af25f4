#include "etcd/etcd_hub.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
    STREAMS_MAX = 2 * LIMIT_ETCD_CALLS, /* streams per connection: all calls, and a reserve */
    KEEPALIVE_S = 5,
    KEEPALIVE_EVERY_S = 1,
};

/* ---- timers ---- */

int etcd_timer_new(int epoll, unsigned ready)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = ETCD_READY_DATA(ready, timer) };

    assert(timer >= 0);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) != 0) {
        assert(false && "a timer always fits into an epoll");
    }
    return timer;
}

void etcd_timer_set(int timer, long after_ms)
{
    struct itimerspec when = { 0 };

    if (after_ms > 0) {
        when.it_value.tv_sec = after_ms / MS_PER_S;
        when.it_value.tv_nsec = after_ms % MS_PER_S * NS_PER_MS;
    } else if (after_ms == 0) {
        when.it_value.tv_nsec = 1; /* a value of zero would stop the timer */
    }
    timerfd_settime(timer, 0, &when, NULL);
}

void etcd_timer_clear(int timer)
{
    uint64_t count;

    while (read(timer, &count, sizeof(count)) < 0 && errno == EINTR) {
    }
}

/* ---- callbacks of libcurl ---- */

static int hub_timer_wanted(CURLM *multi, long after_ms, void *arg)
{
    const struct etcd_hub *hub = arg;

    (void)multi;
    etcd_timer_set(hub->timer, after_ms);
    return 0;
}

static int hub_socket_wanted(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
    const struct etcd_hub *hub = arg;
    struct epoll_event event = {
        .data.u64 = ETCD_READY_DATA(ETCD_READY_SOCKET + hub->index, fd),
    };

    (void)easy;
    (void)socket_arg;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(hub->epoll, EPOLL_CTL_DEL, fd, NULL); /* a closed descriptor was already
                                                         * removed */
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) |
                   (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
    if (epoll_ctl(hub->epoll, EPOLL_CTL_MOD, fd, &event) != 0 &&
        epoll_ctl(hub->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        return -1;
    }
    return 0;
}

/* Sets socket options so that an unresponsive peer cannot hold a connection for minutes: sent data
 * must be acknowledged within the timeout of a call, and an idle connection is probed. */
static int socket_made(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    unsigned timeout_ms = *(const unsigned *)arg;
    int on = 1;
    int idle = KEEPALIVE_S;
    int every = KEEPALIVE_EVERY_S;

    (void)purpose;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
    return CURL_SOCKOPT_OK;
}

/* ---- hubs ---- */

void etcd_hub_init(struct etcd_hub *hub, int epoll, unsigned index)
{
    hub->multi = curl_multi_init();
    assert(hub->multi != NULL);
    hub->epoll = epoll;
    hub->index = index;
    hub->timer = etcd_timer_new(epoll, ETCD_READY_TIMER + index);
    curl_multi_setopt(hub->multi, CURLMOPT_SOCKETFUNCTION, hub_socket_wanted);
    curl_multi_setopt(hub->multi, CURLMOPT_SOCKETDATA, hub);
    curl_multi_setopt(hub->multi, CURLMOPT_TIMERFUNCTION, hub_timer_wanted);
    curl_multi_setopt(hub->multi, CURLMOPT_TIMERDATA, hub);
    curl_multi_setopt(hub->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    curl_multi_setopt(hub->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS_MAX);
}

void etcd_hub_fini(struct etcd_hub *hub)
{
    curl_multi_cleanup(hub->multi);
    close(hub->timer);
}

void etcd_hub_run_socket(const struct etcd_hub *hub, int fd, uint32_t events)
{
    int running;
    int flags = (events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);

    curl_multi_socket_action(hub->multi, fd, flags, &running);
}

void etcd_hub_run_timer(const struct etcd_hub *hub)
{
    int running;

    etcd_timer_clear(hub->timer);
    curl_multi_socket_action(hub->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

CURL *etcd_hub_take_ended(const struct etcd_hub *hub, CURLcode *out)
{
    const CURLMsg *reported;
    int left;

    while ((reported = curl_multi_info_read(hub->multi, &left)) != NULL) {
        if (reported->msg == CURLMSG_DONE) {
            CURL *easy = reported->easy_handle;

            /* the message is valid only until the transfer is removed */
            *out = reported->data.result;
            curl_multi_remove_handle(hub->multi, easy);
            return easy;
        }
    }
    return NULL;
}

/* ---- transfers ---- */

void etcd_easy_address(CURL *easy, const char *endpoint, const char *method)
{
    char url[LIMIT_ETCD_ENDPOINT_BYTES + 64];
    bool is_local = strncmp(endpoint, ETCD_LOCAL_SCHEME, sizeof(ETCD_LOCAL_SCHEME) - 1) == 0;

    snprintf(url, sizeof(url), "%s/etcdserverpb.%s", is_local ? "http://localhost" : endpoint,
             method);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH,
                     is_local ? endpoint + sizeof(ETCD_LOCAL_SCHEME) - 1 : NULL);
    /* without TLS there is no negotiation of the protocol */
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     is_local ? (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
                              : (long)CURL_HTTP_VERSION_2_0);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, is_local ? "http" : "https");
    /* libcurl 7.88 cannot use a connection without TLS for a second call */
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, is_local ? 1L : 0L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, is_local ? 1L : 0L);
    /* share a connection that is being opened */
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, is_local ? 0L : 1L);
}

void etcd_easy_reach(CURL *easy, const struct etcd_options *options)
{
    /* a NULL makes libcurl forget a former file */
    curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
    curl_easy_setopt(easy, CURLOPT_SSLCERT, options->certificate_file);
    curl_easy_setopt(easy, CURLOPT_SSLKEY, options->key_file);
    /* the limit leaves time for the other endpoints if one of them does not answer */
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)(options->call_timeout_ms / options->endpoint_count + 1));
}

CURL *etcd_easy_new(const struct etcd_options *options)
{
    CURL *easy = curl_easy_init();

    assert(easy != NULL);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* ignore proxy settings in the environment */
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL); /* trust this file only, not the CAs of the
                                                   * system */
    etcd_easy_reach(easy, options);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, socket_made);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, &options->call_timeout_ms);
    return easy;
}

struct curl_slist *etcd_headers_new(unsigned timeout_ms)
{
    struct curl_slist *headers = NULL;
    char timeout[64];

    headers = curl_slist_append(headers, "content-type: application/grpc");
    headers = curl_slist_append(headers, "te: trailers");
    headers = curl_slist_append(headers, "user-agent: reeve/" REEVE_VERSION);
    /* makes a member without a leader report that */
    headers = curl_slist_append(headers, "hasleader: true");
    headers = curl_slist_append(headers, "expect:");
    if (timeout_ms > 0) {
        snprintf(timeout, sizeof(timeout), "grpc-timeout: %um", timeout_ms);
        headers = curl_slist_append(headers, timeout);
    }
    assert(headers != NULL);
    return headers;
}

void etcd_frame_write(unsigned char head[ETCD_FRAME_BYTES], size_t length)
{
    assert(length <= UINT32_MAX);
    head[0] = 0; /* messages are not compressed */
    for (unsigned i = 1; i < ETCD_FRAME_BYTES; i++) {
        head[i] = (unsigned char)(length >> (8 * (ETCD_FRAME_BYTES - 1 - i)));
    }
}

bool etcd_frame_read(const unsigned char head[ETCD_FRAME_BYTES], size_t *out)
{
    size_t length = 0;

    for (unsigned i = 1; i < ETCD_FRAME_BYTES; i++) {
        length = length << 8 | head[i];
    }
    if (head[0] != 0 || length > LIMIT_ETCD_MESSAGE_BYTES) {
        return false;
    }
    *out = length;
    return true;
}
