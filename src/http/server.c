#include "http/server.h"

#include "http/gate.h"
#include "sys/fd.h"

#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* libmicrohttpd runs inside the loop of the process. The loop watches its epoll descriptor, and
 * immediate work of the library becomes a task. The library's own timeout restarts with every byte.
 * Therefore each connection is also in a list with absolute deadlines; there is one list for each
 * event that a connection can wait for. */

enum { SWEEP_MS = 500 };

/* A connection starts while it is passed to the library (gate.c). From 1.0 on (Debian 13) the
 * library would otherwise queue it for another thread, although there is none. */
#if MHD_VERSION >= 0x00097707
#define BEGIN_AT_ONCE MHD_USE_NO_THREAD_SAFETY
#else
#define BEGIN_AT_ONCE 0u
#endif

#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3"

/* ---- deadlines ---- */

static void server_row_remove(struct connection_row *row, struct connection *connection)
{
    *(connection->before == NULL ? &row->first : &connection->before->next) = connection->next;
    *(connection->next == NULL ? &row->last : &connection->next->before) = connection->before;
    connection->before = NULL;
    connection->next = NULL;
}

static void server_row_append(struct connection_row *row, struct connection *connection)
{
    connection->before = row->last;
    connection->next = NULL;
    *(row->last == NULL ? &row->first : &row->last->next) = connection;
    row->last = connection;
}

void connection_wait(struct connection *connection, enum http_wait wait)
{
    struct http_server *server = connection->listener->server;

    if (connection->wait != HTTP_WAIT_NONE) {
        server_row_remove(&server->rows[connection->wait], connection);
    }
    connection->wait = wait;
    if (wait != HTTP_WAIT_NONE) {
        connection->due_ms = loop_now_ms(server->loop) + server->wait_ms[wait];
        server_row_append(&server->rows[wait], connection);
    }
}

/* Shuts a connection down. The library notices the end at its next run and cleans up. */
static void connection_cut(struct connection *connection)
{
    connection_wait(connection, HTTP_WAIT_NONE);
    shutdown(connection->fd, SHUT_RDWR);
    http_listener_wake(connection->listener);
}

static void listener_close(struct listener *listener)
{
    loop_descriptor_close(listener->descriptor);
    MHD_stop_daemon(listener->daemon);
    loop_task_cancel(listener->run_wanted);
}

/* Frees replaced listeners whose last connection has ended. */
static void replaced_end(struct http_server *server)
{
    for (struct listener **link = &server->listeners; *link != NULL;) {
        struct listener *listener = *link;

        if (listener->is_replaced && listener->run_wanted == NULL &&
            MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
                    ->num_connections == 0) {
            *link = listener->next;
            listener_close(listener);
        } else {
            link = &listener->next;
        }
    }
}

static void server_sweep_due(void *arg)
{
    struct http_server *server = arg;
    uint64_t now_ms = loop_now_ms(server->loop);

    for (size_t i = 0; i < HTTP_WAIT_COUNT; i++) {
        while (server->rows[i].first != NULL && server->rows[i].first->due_ms <= now_ms) {
            connection_cut(server->rows[i].first);
        }
    }
    gates_sweep(server);
    replaced_end(server);
    for (struct listener *listener = server->listeners; listener != NULL;
         listener = listener->next) {
        /* wake the listener, so that the library checks its own timeouts */
        http_listener_wake(listener);
    }
}

/* ---- running ---- */

static void listener_run(struct listener *listener)
{
    MHD_UNSIGNED_LONG_LONG wait = 1;

    MHD_run(listener->daemon);
    if (MHD_get_timeout(listener->daemon, &wait) == MHD_YES && wait == 0) {
        http_listener_wake(listener);
    }
}

static void listener_ready(void *arg, unsigned events)
{
    (void)events;
    listener_run(arg);
}

static void listener_due(void *arg)
{
    struct listener *listener = arg;

    listener->run_wanted = NULL;
    listener_run(listener);
}

void http_listener_wake(struct listener *listener)
{
    struct err err;

    if (listener->run_wanted == NULL && !loop_task_open(listener->server->loop, listener_due,
                                                        listener, &listener->run_wanted, &err)) {
        listener->run_wanted = NULL; /* no task is available: the sweep runs the listener */
    }
}

/* ---- connections ---- */

/* Reads the groups of the peer. If a user has too many groups for the kernel's report, the user
 * counts as a member of no group. */
static void server_groups_read(struct connection *connection)
{
    struct http_peer *peer = &connection->peer;
    socklen_t bytes = sizeof(peer->groups);

    if (getsockopt(connection->fd, SOL_SOCKET, SO_PEERGROUPS, peer->groups, &bytes) == 0) {
        peer->group_count = bytes / sizeof(peer->groups[0]);
    }
}

/* Writes an address as text. An IPv4 address that is mapped into IPv6 is written as an IPv4
 * address. */
void http_address_format(const struct sockaddr_storage *address, char out[HTTP_ADDRESS_BYTES])
{
    out[0] = '\0';
    if (address->ss_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, out,
                  HTTP_ADDRESS_BYTES);
    } else if (address->ss_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;

        inet_ntop(IN6_IS_ADDR_V4MAPPED(six) ? AF_INET : AF_INET6,
                  IN6_IS_ADDR_V4MAPPED(six) ? (const void *)&six->s6_addr[12] : six, out,
                  HTTP_ADDRESS_BYTES);
    }
}

bool http_address_is_proxy(const struct http_server *server, const char *address)
{
    return server->crowd.is_proxy != NULL && address[0] != '\0' &&
           server->crowd.is_proxy(server->crowd.arg, text_from(address));
}

static void peer_read(struct connection *connection)
{
    struct http_peer *peer = &connection->peer;
    struct sockaddr_storage address = { 0 };
    socklen_t length = sizeof(address);
    struct ucred credentials;
    socklen_t credentials_bytes = sizeof(credentials);

    peer->is_local = connection->listener->is_local;
    peer->tag = connection->listener->tag;
    peer->is_tls = connection->listener->is_tls;
    peer->uid = (uid_t)-1;
    peer->gid = (gid_t)-1;
    if (peer->is_local) {
        if (getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &credentials, &credentials_bytes) ==
            0) {
            peer->uid = credentials.uid;
            peer->gid = credentials.gid;
        }
        server_groups_read(connection);
        snprintf(peer->address, sizeof(peer->address), "uid:%lld", (long long)(int64_t)peer->uid);
        return;
    }
    if (getpeername(connection->fd, (struct sockaddr *)&address, &length) != 0) {
        return;
    }
    http_address_format(&address, peer->address);
    peer->is_proxy = http_address_is_proxy(connection->listener->server, peer->address);
}

static void connection_begin(struct listener *listener, struct MHD_Connection *mhd, void **context)
{
    struct http_server *server = listener->server;
    struct connection *connection = pool_take(server->connections);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);

    assert(info != NULL && server->arrival != NULL);
    assert(connection != NULL && "as many as there may be connections");
    connection->listener = listener;
    connection->fd = info->connect_fd;
    connection->wait = HTTP_WAIT_NONE;
    connection->visitor = server->arrival->visitor;
    server->arrival->is_taken = true;
    peer_read(connection);
    connection_wait(connection, HTTP_WAIT_HEAD);
    *context = connection;
}

static void connection_seen(void *arg, struct MHD_Connection *mhd, void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct listener *listener = arg;
    struct connection *connection = *context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        connection_begin(listener, mhd, context);
        return;
    }
    connection_wait(connection, HTTP_WAIT_NONE);
    visitor_leave(listener->server, connection->visitor);
    pool_give(listener->server->connections, connection);
    *context = NULL;
}

/* ---- life ---- */

/* Leaves escapes unchanged: target.c parses the target from the original bytes. */
static size_t escapes_leave(void *arg, struct MHD_Connection *mhd, char *text)
{
    (void)arg;
    (void)mhd;
    return strlen(text);
}

static void library_logged(void *arg, const char *format, va_list args)
{
    /* drop the library's messages, because misbehaving clients could fill the log with them */
    (void)arg;
    (void)format;
    (void)args;
}

int http_spare_open(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Returns the maximum number of connections. Enough descriptors are left for other parts of this
 * process, mainly the store. */
static size_t guests_max(void)
{
    struct rlimit limit;
    size_t files = LIMIT_HTTP_CONNECTIONS + LIMIT_HTTP_SPARE_FILES;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < files) {
        files = (size_t)limit.rlim_cur;
    }
    return files > 2 * LIMIT_HTTP_SPARE_FILES ? files - LIMIT_HTTP_SPARE_FILES : files / 2;
}

struct http_deadlines http_deadlines_default(void)
{
    return (struct http_deadlines){
        .head_ms = LIMIT_HTTP_HEAD_MS,
        .idle_ms = LIMIT_HTTP_IDLE_MS,
        .body_ms = LIMIT_HTTP_BODY_MS,
        .answer_ms = LIMIT_HTTP_ANSWER_MS,
    };
}

struct http_server *http_server_new(struct loop *loop, const struct http_handler *handler,
                                    const struct http_deadlines *deadlines)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct http_server *server = arena_one(memory, struct http_server);
    struct err err;

    assert(handler->serve != NULL && handler->body_max != NULL);
    *server = (struct http_server){
        .memory = memory,
        .loop = loop,
        .handler = *handler,
        .guests_max = guests_max(),
        .spare_fd = http_spare_open(),
        .has_strict_library = strverscmp(MHD_get_version(), "0.9.76") >= 0,
        .wait_ms = { [HTTP_WAIT_HEAD] = deadlines->head_ms,
                     [HTTP_WAIT_IDLE] = deadlines->idle_ms,
                     [HTTP_WAIT_BODY] = deadlines->body_ms,
                     [HTTP_WAIT_READER] = deadlines->answer_ms },
    };
    server->crowd.per_address = LIMIT_HTTP_CONNECTIONS_ADDRESS;
    map_init(&server->visitors, memory);
    server->visitor_pool = pool_new(sizeof(struct visitor), LIMIT_HTTP_CONNECTIONS);
    server->waiter_pool = pool_new(gate_waiter_bytes(), LIMIT_HTTP_CONNECTIONS);
    server->connections = pool_new(sizeof(struct connection), LIMIT_HTTP_CONNECTIONS);
    server->exchanges = pool_new(sizeof(struct http_exchange), LIMIT_HTTP_CONNECTIONS);
    if (loop_timer_open(loop, server_sweep_due, server, &server->sweep, &err)) {
        loop_timer_start(server->sweep, SWEEP_MS, SWEEP_MS);
    }
    assert(server->sweep != NULL && "a server is made while the loop has room");
    return server;
}

void http_server_crowd(struct http_server *server, const struct http_crowd *crowd)
{
    assert(server->listeners == NULL && crowd->per_address > 0);
    server->crowd = *crowd;
}

MUST_CHECK static bool daemon_start(struct listener *listener, const struct http_listen *listen,
                                    struct arena *scratch, struct err *err)
{
    unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_ERROR_LOG | BEGIN_AT_ONCE;
    struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)listen->certificate },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, NULL },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_PRIORITIES },
        { MHD_OPTION_END, 0, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };

    if (listen->certificate != NULL) {
        flags |= MHD_USE_TLS;
        tls[1].ptr_value = arena_string(scratch, secret_reveal(listen->key));
        if (listen->authority != NULL) {
            /* makes the library request client certificates; exchange.c verifies them */
            tls[3] = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_TRUST, 0,
                                              (void *)(uintptr_t)listen->authority };
        }
    }
    listener->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, exchange_go_on, listener, MHD_OPTION_EXTERNAL_LOGGER, library_logged,
        NULL, MHD_OPTION_CONNECTION_LIMIT, (unsigned)LIMIT_HTTP_CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LIMIT_HTTP_CONNECTION_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)LIMIT_HTTP_SILENCE_S, MHD_OPTION_STRICT_FOR_CLIENT,
        1, MHD_OPTION_NOTIFY_CONNECTION, connection_seen, listener, MHD_OPTION_URI_LOG_CALLBACK,
        exchange_begin, listener, MHD_OPTION_NOTIFY_COMPLETED, exchange_end, listener,
        MHD_OPTION_UNESCAPE_CALLBACK, escapes_leave, NULL, MHD_OPTION_ARRAY,
        listen->certificate != NULL ? tls : none, MHD_OPTION_END);
    if (listener->daemon == NULL) {
        return err_set(err, CODE_R0551, "%s",
                       listen->certificate != NULL
                           ? "the certificate or its key cannot be used for TLS"
                           : "the HTTP server cannot be started on the socket");
    }
    return true;
}

MUST_CHECK static bool server_listener_open(struct listener *listener,
                                            const struct http_listen *listen, struct err *err)
{
    struct http_server *server = listener->server;
    struct arena *scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    bool is_started = daemon_start(listener, listen, scratch, err);

    arena_free(scratch);
    if (!is_started) {
        return false;
    }
    if (!loop_descriptor_open(
            server->loop, MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
            listener_ready, listener, &listener->descriptor, err)) {
        MHD_stop_daemon(listener->daemon);
        return false;
    }
    loop_descriptor_want(listener->descriptor, LOOP_READABLE);
    listener->next = server->listeners;
    server->listeners = listener;
    return true;
}

bool http_server_listen(struct http_server *server, const struct http_listen *listen,
                        struct err *err)
{
    struct listener *listener = arena_one(server->memory, struct listener);
    struct gate *gate;

    *listener = (struct listener){
        .server = server,
        .number = server->listener_count,
        .is_local = listen->is_local,
        .tag = listen->tag,
        .is_tls = listen->certificate != NULL,
        .has_authority = listen->authority != NULL,
    };
    if (!gate_open(server, listen, &gate, err)) {
        return false;
    }
    listener->gate = gate;
    if (!server_listener_open(listener, listen, err)) {
        return false; /* the gate stays closed and is freed with the server */
    }
    gate_pass(gate, listener);
    server->listener_count++;
    return true;
}

bool http_server_renew(struct http_server *server, size_t number, const struct http_listen *listen,
                       struct err *err)
{
    struct listener *old = server->listeners;
    struct listener *listener = arena_one(server->memory, struct listener);

    while (old != NULL && (old->number != number || old->is_replaced)) {
        old = old->next;
    }
    assert(old != NULL && old->is_tls && listen->certificate != NULL);
    assert(old->has_authority == (listen->authority != NULL));
    *listener = (struct listener){ .server = server,
                                   .gate = old->gate,
                                   .number = number,
                                   .tag = old->tag,
                                   .is_tls = true,
                                   .has_authority = old->has_authority };
    if (!server_listener_open(listener, listen, err)) {
        return false;
    }
    gate_pass(old->gate, listener);
    old->is_replaced = true;
    return true;
}

void http_server_drain(struct http_server *server)
{
    server->is_draining = true;
    gates_close(server);
    while (server->rows[HTTP_WAIT_IDLE].first != NULL) {
        connection_cut(server->rows[HTTP_WAIT_IDLE].first);
    }
}

void http_server_free(struct http_server *server)
{
    if (server == NULL) {
        return;
    }
    loop_timer_close(server->sweep);
    gates_close(server);
    for (struct listener *listener = server->listeners; listener != NULL;
         listener = listener->next) {
        listener_close(listener);
    }
    assert(pool_count(server->exchanges) == 0 && server->guests == 0);
    fd_cleanup(&server->spare_fd);
    pool_free(server->visitor_pool);
    pool_free(server->waiter_pool);
    pool_free(server->exchanges);
    stock_fini(&server->arenas);
    pool_free(server->connections);
    arena_free(server->memory);
}

size_t http_server_exchanges(const struct http_server *server)
{
    return pool_count(server->exchanges);
}

size_t http_server_connections(const struct http_server *server)
{
    return server->guests;
}

uint64_t http_server_refused(const struct http_server *server)
{
    return server->refused;
}
