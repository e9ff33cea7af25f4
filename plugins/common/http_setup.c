/* The options of a transfer, and the queue of waiting jobs. */
#include "http_parts.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <strings.h>

enum { CONNECT_MS = 10000, KEEP_S = 60, CURL_EARLY_MS = 5 };

void http_queue_add(struct http *http, struct http_job *job)
{
    struct http_job **at = &http->queue;

    while (*at != NULL && (*at)->request->priority >= job->request->priority) {
        at = &(*at)->next;
    }
    job->next = *at;
    *at = job;
}

struct http_job *http_queue_take(struct http *http)
{
    struct http_job *job = http->queue;

    if (job != NULL) {
        http->queue = job->next;
    }
    return job;
}

void http_queue_remove(struct http *http, struct http_job *job)
{
    for (struct http_job **at = &http->queue; *at != NULL; at = &(*at)->next) {
        if (*at == job) {
            *at = job->next;
            return;
        }
    }
}

bool http_has_free_slot(const struct http *http)
{
    for (size_t i = 0; i < ARRAY_COUNT(http->slots); i++) {
        if (http->slots[i].job == NULL) {
            return true;
        }
    }
    return false;
}

bool http_url_is_allowed(struct text url)
{
    struct in_addr address;
    char host[INET_ADDRSTRLEN];
    struct text rest;
    size_t length = 0;

    if (text_has_prefix(url, TEXT("https://"))) {
        return url.length > 8;
    }
    if (!text_has_prefix(url, TEXT("http://"))) {
        return false;
    }
    rest = text_slice(url, 7, url.length);
    if (text_find_byte(rest, '@') != SIZE_MAX) {
        return false;
    }
    if (text_has_prefix(rest, TEXT("[::1]"))) {
        return rest.length == 5 || rest.data[5] == ':' || rest.data[5] == '/';
    }
    while (length < rest.length && strchr(":/?", rest.data[length]) == NULL) {
        length++;
    }
    if (text_is(text_slice(rest, 0, length), "localhost")) {
        return true;
    }
    if (length == 0 || length >= sizeof(host)) {
        return false;
    }
    memcpy(host, rest.data, length);
    host[length] = '\0';
    return inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

static bool http_header_add(struct http_slot *slot, struct text name, struct text value)
{
    AUTO(arena) arena = arena_new_small(name.length + value.length + 4096);
    const char *line =
        value.length == 0 ? arena_printf(arena, "%.*s;", TEXT_ARG(name)).data
                          : arena_printf(arena, "%.*s: %.*s", TEXT_ARG(name), TEXT_ARG(value)).data;
    struct curl_slist *longer = curl_slist_append(slot->headers, line);

    explicit_bzero((char *)(uintptr_t)line, strlen(line));
    if (longer == NULL) {
        return false;
    }
    slot->headers = longer;
    return true;
}

static bool http_setup_headers(struct http_slot *slot, const struct http_request *request)
{
    for (size_t i = 0; i < request->header_count; i++) {
        if (!http_header_add(slot, request->headers[i].name, request->headers[i].value)) {
            return false;
        }
    }
    /* A colon without a value removes a header that curl would otherwise add. */
    slot->headers = curl_slist_append(slot->headers, "Expect:");
    return slot->headers != NULL &&
           curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, slot->headers) == CURLE_OK;
}

/* Sets the method and the body; curl does not copy the body. */
static void http_setup_body(CURL *easy, const struct http_request *request, const char *method)
{
    if (text_is(request->method, "GET")) {
        (void)curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
        return;
    }
    if (request->body.length > 0 || text_is(request->method, "POST") ||
        text_is(request->method, "PUT")) {
        (void)curl_easy_setopt(easy, CURLOPT_POST, 1L);
        (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.length);
        (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDS,
                               request->body.length == 0 ? "" : request->body.data);
    }
    (void)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static void http_setup_network(const struct http *http, CURL *easy,
                               const struct http_request *request)
{
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    /* a name that is still being resolved must not delay the end of the transfer */
    (void)curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    (void)curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)KEEP_S);
    /* without this, curl on Debian would read a folder with all authorities for each connection */
    (void)curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    (void)curl_easy_setopt(easy, CURLOPT_CAINFO, http->ca);
    /* An empty proxy prevents curl from reading the environment. */
    (void)curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    (void)curl_easy_setopt(easy, CURLOPT_PROXY,
                           request->is_metadata && !http->is_proxy_of_sandbox ? "" : http->proxy);
    (void)curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (request->is_single) {
        (void)curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    }
}

static void http_setup_callbacks(CURL *easy, struct http_slot *slot)
{
    (void)curl_easy_setopt(easy, CURLOPT_PRIVATE, slot);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_on_header);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERDATA, slot);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_on_bytes);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, slot);
    (void)curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, http_on_send);
    (void)curl_easy_setopt(easy, CURLOPT_PREREQDATA, slot);
}

bool http_setup(struct http *http, struct http_slot *slot)
{
    const struct http_request *request = slot->job->request;
    uint64_t now = http_now_ms();
    AUTO(arena) arena = arena_new_small(request->url.length + request->method.length + 4096);
    CURL *easy = slot->easy;

    assert(slot->headers == NULL);
    slot->error[0] = '\0';
    (void)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, slot->error);
    http_setup_network(http, easy, request);
    http_setup_callbacks(easy, slot);
    (void)curl_easy_setopt(easy, CURLOPT_URL, arena_string(arena, request->url));
    (void)curl_easy_setopt(easy, CURLOPT_USERAGENT, http->user_agent);
    (void)curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    /* curl's timer starts from an earlier time stamp, so it may end slightly early; the margin
     * ensures that a request that the deadline ends is always reported as past the deadline */
    (void)curl_easy_setopt(
        easy, CURLOPT_TIMEOUT_MS,
        (long)((request->ends_ms > now ? request->ends_ms - now : 0) + CURL_EARLY_MS));
    http_setup_body(easy, request, arena_string(arena, request->method));
    return http_setup_headers(slot, request);
}

void http_setup_wipe(struct http_slot *slot)
{
    for (struct curl_slist *at = slot->headers; at != NULL; at = at->next) {
        explicit_bzero(at->data, strlen(at->data));
    }
    curl_slist_free_all(slot->headers);
    slot->headers = NULL;
}
