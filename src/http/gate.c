#include "http/gate.h"

#include "sys/fd.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The stages of a connection:
 *
 *     accepted -> checked against the limits, in total and per address -> to the library
 *              -> with TLS: waits for its first bytes -> waits to be passed on, a few per iteration
 *                 -> to the library
 *
 * A TLS handshake costs the server one signature: about a millisecond of the one thread that serves
 * all connections. Therefore many new connections wait in a queue, so that they do not delay
 * established connections.
 *
 * Failure modes: too many connections: their maximum number is below the system's limit of
 * descriptors, so that descriptors are reserved for the store. If no descriptor is free
 * nevertheless, a spare descriptor is used to accept and reject a connection. A client that sends
 * nothing is disconnected at the deadline for the head. */

enum {
    ACCEPTS_A_TURN = 64,
    HELLOS_A_TURN = 4,
};

struct gate {
    struct gate *next;
    struct http_server *server;
    struct listener *listener;
    struct loop_descriptor *descriptor;
    int fd;
    bool is_local;
    bool is_tls;
    bool is_paused; /* paused because the system had no free descriptor */
};

/* A connection that waits at a TLS gate. */
struct waiter {
    struct waiter *next;
    struct waiter *before;
    struct gate *gate;
    struct visitor *visitor;
    struct loop_descriptor *descriptor;
    uint64_t due_ms;
    int fd;
    bool has_spoken; /* the first bytes have arrived: the connection is in the list `spoken` */
    struct sockaddr_storage address;
    socklen_t address_bytes;
};

size_t gate_waiter_bytes(void)
{
    return sizeof(struct waiter);
}

/* ---- visitors ---- */

/* Returns the key of an address. For IPv6 it is the network, because a client may use any number of
 * addresses in it. */
static bool visitor_key(const struct sockaddr_storage *address, char out[HTTP_ADDRESS_BYTES])
{
    if (address->ss_family == AF_INET) {
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, out,
                         HTTP_ADDRESS_BYTES) != NULL;
    }
    if (address->ss_family == AF_INET6) {
        struct in6_addr network = ((const struct sockaddr_in6 *)address)->sin6_addr;

        if (!IN6_IS_ADDR_V4MAPPED(&network)) {
            memset(&network.s6_addr[8], 0, 8);
        }
        return inet_ntop(AF_INET6, &network, out, HTTP_ADDRESS_BYTES) != NULL;
    }
    return false;
}

/* Counts one more connection of an address. Returns NULL if the address has too many. */
static struct visitor *visitor_come(struct http_server *server,
                                    const struct sockaddr_storage *address)
{
    char key[HTTP_ADDRESS_BYTES];
    struct visitor *visitor;

    if (!visitor_key(address, key)) {
        return NULL;
    }
    visitor = map_find(&server->visitors, text_from(key));
    if (visitor == NULL) {
        visitor = pool_take(server->visitor_pool);
        assert(visitor != NULL && "as many as there may be connections");
        memcpy(visitor->key, key, sizeof(key));
        map_put(&server->visitors, text_from(visitor->key), visitor);
    }
    if (visitor->count >= server->crowd.per_address) {
        return NULL;
    }
    visitor->count++;
    return visitor;
}

void visitor_leave(struct http_server *server, struct visitor *visitor)
{
    assert(server->guests > 0);
    server->guests--;
    if (visitor == NULL) {
        return;
    }
    assert(visitor->count > 0);
    if (--visitor->count == 0) {
        map_remove(&server->visitors, text_from(visitor->key));
        pool_give(server->visitor_pool, visitor);
    }
}

/* ---- refusing ---- */

/* Sends the answer and closes the connection, without waiting. First reads what the client has
 * sent, because a close with unread bytes would discard the answer. */
static void answer_and_close(int fd, const char *answer)
{
    char bytes[LIMIT_HTTP_TARGET_BYTES];

    (void)!recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    (void)!send(fd, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(fd, SHUT_RDWR);
    close(fd);
}

/* Rejects a connection with an HTTP answer. A TLS connection is only closed, because a handshake
 * would need the resources that are missing. */
static void gate_refuse(const struct gate *gate, int fd, unsigned status, const char *reason,
                        const struct err *err)
{
    const char *name = code_get(err->code)->name;
    char body[512];
    char answer[1024];

    gate->server->refused++;
    if (gate->is_tls) {
        close(fd);
        return;
    }
    snprintf(
        body, sizeof(body),
        "{\"code\":\"%s\",\"detail\":\"%s\",\"status\":%u,\"title\":\"%s\",\"type\":\"/errors/%s\"}",
        name, err->text, status, code_get(err->code)->title, name);
    snprintf(answer, sizeof(answer),
             "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\nContent-Length: %zu\r\n"
             "Retry-After: 1\r\nConnection: close\r\n\r\n%s",
             status, reason, strlen(body), body);
    answer_and_close(fd, answer);
}

static void refuse_full(const struct gate *gate, int fd)
{
    struct err err;

    err_set(&err, CODE_R0430, "this manager has reached its maximum number of connections");
    gate_refuse(gate, fd, 503, "Service Unavailable", &err);
}

static void refuse_address(const struct gate *gate, int fd)
{
    struct err err;

    err_set(&err, CODE_R0422, "there are already %zu connections from this address",
            gate->server->crowd.per_address);
    gate_refuse(gate, fd, 429, "Too Many Requests", &err);
}

/* ---- to the library ---- */

/* Passes the socket to the library, which then owns it. If the library does not accept it, it
 * closes the socket. */
static void hand_over(struct gate *gate, int fd, struct visitor *visitor,
                      const struct sockaddr_storage *address, socklen_t address_bytes)
{
    struct http_server *server = gate->server;
    struct arrival arrival = { .visitor = visitor };

    server->arrival = &arrival;
    (void)!MHD_add_connection(gate->listener->daemon, fd, (const struct sockaddr *)address,
                              address_bytes);
    if (!arrival.is_taken) {
        /* The library has version 1.0, but this program was built for an older version without
         * BEGIN_AT_ONCE. Then the connection begins when the library runs. */
        MHD_run(gate->listener->daemon);
    }
    server->arrival = NULL;
    if (!arrival.is_taken) {
        visitor_leave(server, visitor);
    }
    http_listener_wake(gate->listener);
}

/* ---- before the TLS gate ---- */

static void gate_row_remove(struct waiter_row *row, struct waiter *waiter)
{
    *(waiter->before == NULL ? &row->first : &waiter->before->next) = waiter->next;
    *(waiter->next == NULL ? &row->last : &waiter->next->before) = waiter->before;
}

static void gate_row_append(struct waiter_row *row, struct waiter *waiter)
{
    waiter->before = row->last;
    waiter->next = NULL;
    *(row->last == NULL ? &row->first : &row->last->next) = waiter;
    row->last = waiter;
}

/* Removes a waiter. The caller owns its socket. */
static void waiter_end(struct waiter *waiter)
{
    struct http_server *server = waiter->gate->server;

    gate_row_remove(waiter->has_spoken ? &server->spoken : &server->silent, waiter);
    if (waiter->descriptor != NULL) {
        loop_descriptor_close(waiter->descriptor);
    }
    pool_give(server->waiter_pool, waiter);
}

static void waiter_drop(struct waiter *waiter)
{
    struct http_server *server = waiter->gate->server;
    struct visitor *visitor = waiter->visitor;
    int fd = waiter->fd;

    waiter_end(waiter);
    close(fd);
    visitor_leave(server, visitor);
}

static void hello_take(struct waiter *waiter)
{
    struct waiter one = *waiter;

    waiter_end(waiter);
    hand_over(one.gate, one.fd, one.visitor, &one.address, one.address_bytes);
}

static void hellos_due(void *arg);

static void hellos_want(struct http_server *server)
{
    struct err err;

    if (!server->is_hello_wanted && server->spoken.first != NULL) {
        /* if no task is available, the sweep passes the connection on */
        server->is_hello_wanted = loop_task_open(server->loop, hellos_due, server, NULL, &err);
    }
}

static void hellos_due(void *arg)
{
    struct http_server *server = arg;

    server->is_hello_wanted = false;
    for (int i = 0; i < HELLOS_A_TURN && server->spoken.first != NULL; i++) {
        hello_take(server->spoken.first);
    }
    hellos_want(server);
}

/* Called when the first byte has arrived. A TLS connection never starts with a letter; an HTTP
 * request always does. */
static void waiter_ready(void *arg, unsigned events)
{
    static const char answer[] =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Connection: close\r\n\r\nthis port speaks TLS: write https:// in place of http://\n";
    struct waiter *waiter = arg;
    struct http_server *server = waiter->gate->server;
    char first;
    ssize_t got = recv(waiter->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT);

    (void)events;
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got == 1 && first >= 'A' && first <= 'Z') {
        struct visitor *visitor = waiter->visitor;
        int fd = waiter->fd;

        waiter_end(waiter);
        answer_and_close(fd, answer);
        visitor_leave(server, visitor);
        return;
    }
    if (got != 1) {
        waiter_drop(waiter);
        return;
    }
    gate_row_remove(&server->silent, waiter);
    waiter->has_spoken = true;
    loop_descriptor_close(waiter->descriptor);
    waiter->descriptor = NULL;
    gate_row_append(&server->spoken, waiter);
    hellos_want(server);
}

static void wait_before(struct gate *gate, int fd, struct visitor *visitor,
                        const struct sockaddr_storage *address, socklen_t address_bytes)
{
    struct http_server *server = gate->server;
    struct waiter *waiter = pool_take(server->waiter_pool);
    struct err err;

    assert(waiter != NULL && "as many as there may be connections");
    *waiter = (struct waiter){
        .gate = gate,
        .visitor = visitor,
        .fd = fd,
        .due_ms = loop_now_ms(server->loop) + server->wait_ms[HTTP_WAIT_HEAD],
        .address = *address,
        .address_bytes = address_bytes,
    };
    gate_row_append(&server->silent, waiter);
    if (!loop_descriptor_open(server->loop, fd, waiter_ready, waiter, &waiter->descriptor, &err)) {
        waiter_drop(waiter);
        return;
    }
    loop_descriptor_want(waiter->descriptor, LOOP_READABLE);
}

/* ---- accepting ---- */

/* Returns whether the maximum number of connections is reached. An eighth is reserved for unix
 * sockets, so that remote clients cannot lock out the administrator of this machine. */
static bool is_full(const struct gate *gate)
{
    size_t most = gate->server->guests_max;

    return gate->server->guests >= (gate->is_local ? most : most - most / 8);
}

static void connection_take(struct gate *gate, int fd, const struct sockaddr_storage *address,
                            socklen_t address_bytes)
{
    struct http_server *server = gate->server;
    struct visitor *visitor = NULL;
    char words[HTTP_ADDRESS_BYTES];

    if (is_full(gate)) {
        refuse_full(gate, fd);
        return;
    }
    http_address_format(address, words);
    if (!gate->is_local && !http_address_is_proxy(server, words)) {
        visitor = visitor_come(server, address);
        if (visitor == NULL) {
            refuse_address(gate, fd);
            return;
        }
    }
    server->guests++;
    if (gate->is_tls) {
        wait_before(gate, fd, visitor, address, address_bytes);
    } else {
        hand_over(gate, fd, visitor, address, address_bytes);
    }
}

/* Called if the system has no free descriptor: accepts and rejects one connection with the spare
 * descriptor. Returns false if that fails too. Then the gate is paused, because its waiting
 * connections would keep the loop busy. */
static bool refuse_by_spare(struct gate *gate)
{
    struct http_server *server = gate->server;
    int fd;

    if (server->spare_fd == FD_NONE) {
        return false;
    }
    close(server->spare_fd);
    fd = accept4(gate->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        refuse_full(gate, fd);
    }
    server->spare_fd = http_spare_open();
    return fd >= 0;
}

static void gate_ready(void *arg, unsigned events)
{
    struct gate *gate = arg;

    (void)events;
    for (int i = 0; i < ACCEPTS_A_TURN; i++) {
        struct sockaddr_storage address = { 0 };
        socklen_t bytes = sizeof(address);
        int fd =
            accept4(gate->fd, (struct sockaddr *)&address, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            connection_take(gate, fd, &address, bytes);
        } else if (errno == EAGAIN) {
            return;
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            if (!refuse_by_spare(gate)) {
                gate->is_paused = true; /* paused until the next sweep */
                loop_descriptor_want(gate->descriptor, 0);
                return;
            }
        } /* otherwise the client has disconnected */
    }
}

/* ---- life ---- */

bool gate_open(struct http_server *server, const struct http_listen *listen, struct gate **out,
               struct err *err)
{
    struct gate *gate = arena_one(server->memory, struct gate);

    *gate = (struct gate){
        .server = server,
        .fd = listen->fd,
        .is_local = listen->is_local,
        .is_tls = listen->certificate != NULL,
    };
    if (!loop_descriptor_open(server->loop, gate->fd, gate_ready, gate, &gate->descriptor, err)) {
        close(gate->fd);
        return false;
    }
    gate->next = server->gates;
    server->gates = gate;
    *out = gate;
    return true;
}

void gate_pass(struct gate *gate, struct listener *listener)
{
    assert(gate->fd != FD_NONE);
    gate->listener = listener;
    loop_descriptor_want(gate->descriptor, LOOP_READABLE);
}

void gates_close(struct http_server *server)
{
    while (server->silent.first != NULL) {
        waiter_drop(server->silent.first);
    }
    while (server->spoken.first != NULL) {
        waiter_drop(server->spoken.first);
    }
    for (struct gate *gate = server->gates; gate != NULL; gate = gate->next) {
        loop_descriptor_close(gate->descriptor);
        close(gate->fd);
        gate->fd = FD_NONE;
    }
    server->gates = NULL;
}

void gates_sweep(struct http_server *server)
{
    uint64_t now_ms = loop_now_ms(server->loop);

    while (server->silent.first != NULL && server->silent.first->due_ms <= now_ms) {
        waiter_drop(server->silent.first);
    }
    for (struct gate *gate = server->gates; gate != NULL; gate = gate->next) {
        if (gate->is_paused) {
            gate->is_paused = false;
            loop_descriptor_want(gate->descriptor, LOOP_READABLE);
        }
    }
    hellos_want(server);
}
