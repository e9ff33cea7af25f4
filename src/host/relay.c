#include "host/relay.h"

#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Each process serves one client, so all functions of this file may block. */

enum {
    HEAD_BYTES = 4096,
    HEAD_MS = 10 * 1000,
    CONNECT_MS = 10 * 1000,
    IDLE_MS = 10 * 60 * 1000,
    PUMP_BYTES = 64 * 1024,
    PORT_DEFAULT = 443
};

/* ---- endpoints ---- */

static bool is_relay_name(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '.' || c == '_')) {
            return false;
        }
    }
    return text.length > 0 && text.length < RELAY_NAME_BYTES - 1;
}

static bool port_split(struct text endpoint, struct text *out_host, uint16_t *out_port)
{
    size_t colon = SIZE_MAX;
    int64_t port;

    *out_host = endpoint;
    *out_port = PORT_DEFAULT;
    for (size_t i = 0; i < endpoint.length; i++) {
        colon = endpoint.data[i] == ':' ? i : colon;
    }
    if (endpoint.length > 0 && endpoint.data[0] == '[') { /* the form [2001:db8::]/32:8443 */
        size_t end = text_find_byte(endpoint, ']');

        if (end == SIZE_MAX || (colon != SIZE_MAX && colon < end)) {
            colon = SIZE_MAX;
        }
    } else if (colon != SIZE_MAX && text_find_byte(endpoint, ':') != colon) {
        return true; /* an IPv6 address without a port */
    }
    if (colon == SIZE_MAX) {
        return true;
    }
    *out_host = text_slice(endpoint, 0, colon);
    if (!text_parse_int64(text_slice(endpoint, colon + 1, SIZE_MAX), &port) || port < 1 ||
        port > UINT16_MAX) {
        return false;
    }
    *out_port = (uint16_t)port;
    return true;
}

static bool net_parse(struct text host, struct fetch_net *out)
{
    char plain[RELAY_NAME_BYTES];
    size_t length = 0;
    struct err unused;

    for (size_t i = 0; i < host.length && length < sizeof(plain); i++) {
        if (host.data[i] != '[' && host.data[i] != ']') {
            plain[length++] = host.data[i];
        }
    }
    return fetch_net_parse((struct text){ plain, length }, out, &unused);
}

bool relay_policy_add(struct relay_policy *policy, struct text endpoint, struct err *err)
{
    struct relay_endpoint *added = &policy->endpoints[policy->count];
    struct text host;

    if (policy->count == RELAY_ENDPOINTS_MAX) {
        return err_set(err, CODE_R0320, "there are more than %d endpoints", RELAY_ENDPOINTS_MAX);
    }
    *added = (struct relay_endpoint){ .kind = RELAY_PUBLIC };
    if (!port_split(endpoint, &host, &added->port)) {
        return err_set(err, CODE_R0314, "'%.*s' has no port from 1 to 65535", TEXT_ARG(endpoint));
    }
    if (net_parse(host, &added->net)) {
        added->kind = RELAY_NET;
    } else if (!text_is(host, "public")) {
        struct text name = text_has_prefix(host, TEXT("*.")) ? text_slice(host, 1, SIZE_MAX) : host;

        if (!is_relay_name(name)) {
            err_set(err, CODE_R0314, "'%.*s' is not an endpoint", TEXT_ARG(endpoint));
            return err_hint(err, "public:443, api.example.com, *.example.com:8443, 10.0.0.0/8:443");
        }
        added->kind = RELAY_NAME;
        for (size_t i = 0; i < name.length; i++) {
            char c = name.data[i];

            added->name[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
    }
    policy->count++;
    return true;
}

static bool endpoint_has_name(const struct relay_endpoint *endpoint, struct text name)
{
    struct text allowed = text_from(endpoint->name);
    bool is_below = allowed.data[0] == '.' && name.length > allowed.length;

    if (is_below) {
        name = text_slice(name, name.length - allowed.length, SIZE_MAX);
    }
    return name.length == allowed.length &&
           strncasecmp(name.data, allowed.data, allowed.length) == 0;
}

/* Returns whether the address is loopback or link-local. Such addresses belong to this machine, or
 * to the metadata service of a cloud. */
static bool is_near(const struct fetch_ip *ip)
{
    static const unsigned char loopback[16] = { [15] = 1 };
    static const unsigned char any[16] = { 0 };
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

    if (!ip->is_six) {
        return ip->bytes[0] == 127 || ip->bytes[0] == 0 ||
               (ip->bytes[0] == 169 && ip->bytes[1] == 254);
    }
    return memcmp(ip->bytes, loopback, 16) == 0 || memcmp(ip->bytes, any, 16) == 0 ||
           memcmp(ip->bytes, mapped, 12) == 0 ||
           (ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80);
}

bool relay_policy_allows(const struct relay_policy *policy, struct text name,
                         const struct fetch_ip *ip, uint16_t port)
{
    for (size_t i = 0; i < policy->count; i++) {
        const struct relay_endpoint *endpoint = &policy->endpoints[i];

        if (endpoint->port != port) {
            continue;
        }
        if ((endpoint->kind == RELAY_PUBLIC && fetch_ip_forbidden(ip) == NULL) ||
            (endpoint->kind == RELAY_NAME && endpoint_has_name(endpoint, name) && !is_near(ip)) ||
            (endpoint->kind == RELAY_NET && fetch_net_has(&endpoint->net, ip))) {
            return true;
        }
    }
    return false;
}

bool relay_policy_may_look_up(const struct relay_policy *policy, struct text name, uint16_t port)
{
    for (size_t i = 0; i < policy->count; i++) {
        const struct relay_endpoint *endpoint = &policy->endpoints[i];

        if (endpoint->port == port &&
            (endpoint->kind != RELAY_NAME || endpoint_has_name(endpoint, name))) {
            return true;
        }
    }
    return false;
}

/* ---- one client ---- */

static void relay_answer(int client, const char *line)
{
    char text[160];
    int length = snprintf(text, sizeof(text), "HTTP/1.1 %s\r\n\r\n", line);

    (void)!send(client, text, (size_t)length, MSG_NOSIGNAL);
}

static int64_t relay_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads the head of the request, and no byte after it. Returns false if no complete head has
 * arrived in time. */
static bool head_read(int client, char head[static HEAD_BYTES], struct text *out)
{
    int64_t until_ms = relay_now_ms() + HEAD_MS;
    size_t length = 0;

    while (length < HEAD_BYTES) {
        int64_t left_ms = until_ms - relay_now_ms();
        struct pollfd wait = { .fd = client, .events = POLLIN };
        ssize_t got;

        if (left_ms <= 0 || poll(&wait, 1, (int)left_ms) < 1) {
            return false;
        }
        /* one byte at a time, so that nothing after the head is read; a TLS client sends nothing
         * before the answer */
        got = recv(client, head + length, 1, 0);
        if (got < 1) {
            return false;
        }
        length += (size_t)got;
        if (length >= 4 && memcmp(head + length - 4, "\r\n\r\n", 4) == 0) {
            *out = (struct text){ head, length };
            return true;
        }
    }
    return false;
}

/* Parses "CONNECT HOST:PORT HTTP/1.1". */
static bool relay_head_parse(struct text head, char name[static RELAY_NAME_BYTES],
                             uint16_t *out_port)
{
    struct text line = text_slice(head, 0, text_find_byte(head, '\r'));
    struct text host;
    size_t space;

    if (!text_has_prefix(line, TEXT("CONNECT "))) {
        return false;
    }
    line = text_slice(line, 8, SIZE_MAX);
    space = text_find_byte(line, ' ');
    if (space == SIZE_MAX || !port_split(text_slice(line, 0, space), &host, out_port)) {
        return false;
    }
    if (host.length > 2 && host.data[0] == '[' && host.data[host.length - 1] == ']') {
        host = text_slice(host, 1, host.length - 2);
    }
    if (host.length == 0 || host.length >= RELAY_NAME_BYTES ||
        memchr(host.data, '\0', host.length) != NULL) {
        return false;
    }
    memcpy(name, host.data, host.length);
    name[host.length] = '\0';
    return true;
}

static struct fetch_ip ip_of(const struct sockaddr *address)
{
    struct fetch_ip ip = { .is_six = address->sa_family == AF_INET6 };

    if (ip.is_six) {
        memcpy(ip.bytes, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
    } else {
        memcpy(ip.bytes, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    }
    return ip;
}

static int address_connect(const struct addrinfo *address)
{
    AUTO(fd) fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd wait = { .fd = fd, .events = POLLOUT };
    socklen_t length = sizeof(int);
    int failed = 0;
    int out = fd;

    if (fd < 0 || (connect(fd, address->ai_addr, address->ai_addrlen) != 0 &&
                   (errno != EINPROGRESS || poll(&wait, 1, CONNECT_MS) != 1 ||
                    getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &length) != 0 || failed != 0))) {
        return FD_NONE;
    }
    fcntl(fd, F_SETFL, 0);
    fd = FD_NONE;
    return out;
}

/* Connects to the first permitted address of the name, and answers the client. *out_refused is true
 * if no address is permitted. */
static int name_connect(const char *name, uint16_t port, const struct relay_policy *policy,
                        bool *out_refused)
{
    struct addrinfo wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
    struct addrinfo *found = NULL;
    char service[8];
    int fd = FD_NONE;

    *out_refused = !relay_policy_may_look_up(policy, text_from(name), port);
    snprintf(service, sizeof(service), "%u", (unsigned)port);
    if (*out_refused || getaddrinfo(name, service, &wanted, &found) != 0) {
        return FD_NONE;
    }
    *out_refused = true;
    for (const struct addrinfo *at = found; at != NULL && fd == FD_NONE; at = at->ai_next) {
        struct fetch_ip ip = ip_of(at->ai_addr);

        if (relay_policy_allows(policy, text_from(name), &ip, port)) {
            *out_refused = false;
            fd = address_connect(at);
        }
    }
    freeaddrinfo(found);
    return fd;
}

enum pass_result { PASS_DONE, PASS_ENDED, PASS_BROKEN };

/* Passes on all bytes that have arrived. ENDED: one side sends nothing more, and the other side is
 * notified. BROKEN: a connection was reset, so the other connection is closed too. */
static enum pass_result bytes_pass(int from, int to, char *room)
{
    ssize_t got = recv(from, room, PUMP_BYTES, 0);

    for (ssize_t at = 0; at < got;) {
        ssize_t sent = send(to, room + at, (size_t)(got - at), MSG_NOSIGNAL);

        if (sent <= 0) {
            return PASS_BROKEN;
        }
        at += sent;
    }
    if (got == 0) {
        shutdown(to, SHUT_WR);
    }
    return got > 0 ? PASS_DONE : got == 0 ? PASS_ENDED : PASS_BROKEN;
}

static void relay_pump(int client, int server)
{
    static char room[PUMP_BYTES];
    struct pollfd waits[2] = { { .fd = client, .events = POLLIN },
                               { .fd = server, .events = POLLIN } };

    while ((waits[0].fd >= 0 || waits[1].fd >= 0) && poll(waits, 2, IDLE_MS) > 0) {
        for (int i = 0; i < 2; i++) {
            enum pass_result result =
                waits[i].fd < 0 || waits[i].revents == 0
                    ? PASS_DONE
                    : bytes_pass(i == 0 ? client : server, i == 0 ? server : client, room);

            if (result == PASS_BROKEN) {
                return;
            }
            if (result == PASS_ENDED) {
                waits[i].fd = -1;
            }
        }
    }
}

void relay_serve(int client, const struct relay_policy *policy)
{
    char head[HEAD_BYTES];
    char name[RELAY_NAME_BYTES];
    struct text request;
    AUTO(fd) server = FD_NONE;
    bool is_refused;
    uint16_t port;

    if (!head_read(client, head, &request)) {
        return;
    }
    if (!relay_head_parse(request, name, &port)) {
        relay_answer(client, "405 only CONNECT HOST:PORT is supported in the sandbox of a plugin");
        return;
    }
    server = name_connect(name, port, policy, &is_refused);
    if (is_refused) {
        relay_answer(client, "403 not an endpoint of this plugin: see endpoints in reeved.yaml");
    } else if (server == FD_NONE) {
        relay_answer(client, "502 the endpoint cannot be reached");
    } else {
        relay_answer(client, "200 connected");
        relay_pump(client, server);
    }
}
