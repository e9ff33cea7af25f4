#include "base/limits.h"
#include "base/secret.h"
#include "host/host.h"
#include "host/relay.h"
#include "host/sandbox.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Exit codes, which the manager logs. */
enum { EXIT_OK = 0, EXIT_UNREADABLE = 3, EXIT_UNLOADABLE = 4, EXIT_FLOODED = 5 };

/* A frame that was received, with its message. */
struct frame {
    struct frame *next;
    struct arena *arena;
    struct wire_message message;
};

/* The queue of calls, and the threads that make them. */
struct server {
    int socket;
    struct arena *memory; /* lives as long as the process */
    const struct host_bounds *bounds;
    struct relay_policy relay; /* endpoints that a plugin in the profile cloud may connect to */
    struct held held;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_cond_t rested; /* signalled when a call has ended */
    struct frame *first;
    struct frame **last;
    size_t waiting;
    size_t idle;
    size_t threads;
    size_t threads_max;
    bool is_started;
    struct sandbox_report sandbox;
};

/* ---- receiving ---- */

/* Receives exactly `bytes` bytes. Returns false if the manager has closed the socket. */
static bool serve_bytes_receive(int socket, char *out, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t got = recv(socket, out + at, bytes - at, 0);

        if (got > 0) {
            at += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Receives the next frame. Returns NULL if there are no further frames; *exit is then the exit
 * code. */
static struct frame *frame_receive(int socket, int *exit)
{
    char head[WIRE_HEAD_BYTES];
    struct arena *arena;
    struct frame *frame;
    struct err err;
    size_t bytes;
    char *data;

    *exit = EXIT_OK;
    if (!serve_bytes_receive(socket, head, sizeof(head))) {
        return NULL;
    }
    *exit = EXIT_UNREADABLE;
    if (!wire_measure((struct text){ head, sizeof(head) }, &bytes, &err)) {
        return NULL;
    }
    arena = arena_new_small((size_t)LIMIT_WIRE_ARENA_BYTES + LIMIT_WIRE_FRAME_BYTES);
    frame = arena_one(arena, struct frame);
    frame->arena = arena;
    data = arena_alloc(arena, bytes);
    if (!serve_bytes_receive(socket, data + WIRE_HEAD_BYTES, bytes - WIRE_HEAD_BYTES)) {
        *exit = EXIT_OK;
        arena_free(arena);
        return NULL;
    }
    if (!wire_parse(arena, (struct text){ data, bytes }, &frame->message, &err)) {
        arena_free(arena);
        return NULL;
    }
    return frame;
}

/* Wipes the credential in the frame after the call, because texts of a message are borrowed from
 * its bytes. */
static void credential_wipe(struct frame *frame)
{
    struct text credential = frame->message.call.secret;

    if (credential.length > 0) {
        secret_wipe((char *)(uintptr_t)credential.data, credential.length);
    }
}

/* ---- threads ---- */

static void *thread_run(void *arg)
{
    struct server *server = arg;

    for (;;) {
        struct frame *frame;

        pthread_mutex_lock(&server->mutex);
        server->idle++;
        pthread_cond_signal(&server->rested);
        while (server->first == NULL) {
            pthread_cond_wait(&server->changed, &server->mutex);
        }
        server->idle--;
        frame = server->first;
        server->first = frame->next;
        if (server->first == NULL) {
            server->last = &server->first;
        }
        server->waiting--;
        pthread_mutex_unlock(&server->mutex);
        call_make(&server->held, &frame->message.call);
        credential_wipe(frame);
        arena_free(frame->arena);
    }
    return NULL;
}

/* Adds a thread if no thread is idle. If that fails, the call waits for an existing thread. */
static void thread_add(struct server *server)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, LIMIT_HOST_STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, thread_run, server) == 0) {
        server->threads++;
    }
    pthread_attr_destroy(&attributes);
}

/* Queues a call. Returns false if too many calls wait. The manager never sends so many, so the
 * sender cannot be the manager. */
static bool frame_queue(struct server *server, struct frame *frame)
{
    bool is_room;

    pthread_mutex_lock(&server->mutex);
    is_room = server->waiting < LIMIT_HOST_WAITING;
    if (is_room) {
        frame->next = NULL;
        *server->last = frame;
        server->last = &frame->next;
        server->waiting++;
        if (server->waiting > server->idle && server->threads < server->threads_max) {
            thread_add(server);
        }
        pthread_cond_signal(&server->changed);
    }
    pthread_mutex_unlock(&server->mutex);
    return is_room && server->threads > 0;
}

/* ---- start and end ---- */

static size_t threads_most(const struct reeve_plugin_v1 *plugin, const struct wire_open *open)
{
    uint64_t most = plugin->calls_max != 0 ? plugin->calls_max
                    : open->calls_max != 0 ? open->calls_max
                                           : LIMIT_HOST_CALLS;

    return most < LIMIT_HOST_CALLS_MAX ? (size_t)most : LIMIT_HOST_CALLS_MAX;
}

static void failed_send(struct out *out, const struct err *err)
{
    struct wire_message message = { .type = WIRE_FAILED };

    message.failed.message = text_from(err->text);
    out_send(out, &message);
}

static void hello_send(const struct server *server, struct out *out)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct wire_message message = { .type = WIRE_HELLO };

    host_describe(arena, server->held.plugin, &message.hello);
    message.hello.calls_max = server->threads_max;
    message.hello.sandbox = sandbox_report_pairs(arena, &server->sandbox, NULL);
    out_send(out, &message);
}

/* Checks that the plugin may use the profile `host`, which keeps nearly all privileges. */
MUST_CHECK static bool profile_check(const struct server *server, const struct wire_open *open,
                                     struct err *err)
{
    const struct plugins_trusted *trusted = server->bounds->trusted;

    if (open->profile != SANDBOX_HOST || trusted == NULL) {
        return true;
    }
    while (trusted->name != NULL && !text_is(open->digest, trusted->digest)) {
        trusted++;
    }
    return trusted->name != NULL ||
           err_set(err, CODE_R0567, "a plugin with the digest %.*s may not run in the profile host",
                   TEXT_ARG(open->digest));
}

MUST_CHECK static bool relay_fill(struct server *server, const struct wire_open *open,
                                  struct err *err)
{
    const struct text *endpoints = open->endpoints.items;

    for (size_t i = 0; i < open->endpoints.count; i++) {
        if (!relay_policy_add(&server->relay, endpoints[i], err)) {
            return false;
        }
    }
    return open->endpoints.count > 0 || relay_policy_add(&server->relay, TEXT("public"), err);
}

/* Enters the sandbox before any code of the plugin runs. This may fork. */
MUST_CHECK static bool serve_shut_in(struct server *server, const struct wire_open *open,
                                     int memory, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const int kept[] = { server->socket, memory };
    struct sandbox_options options;
    AUTO(fd) folder = FD_NONE;

    if (open->profile >= SANDBOX_PROFILE_COUNT ||
        (open->folder.length > 0 && open->folder.data[0] != '/')) {
        err_set(err, CODE_R0567, "no such profile, or a folder that is not absolute");
        return false;
    }
    options = sandbox_options_of((enum sandbox_profile)open->profile);
    options.folder = open->folder.length == 0 ? NULL : arena_string(arena, open->folder);
    options.within = server->bounds->within;
    if (open->profile == SANDBOX_CLOUD) {
        options.relay = &server->relay;
        options.folder_bytes = LIMIT_SANDBOX_FOLDER_BYTES;
    }
    if (!profile_check(server, open, err) || !relay_fill(server, open, err) ||
        (options.folder != NULL && options.within != NULL &&
         !sandbox_folder_open(options.within, options.folder, &folder, err))) {
        return false;
    }
    options.descriptors = kept;
    options.descriptor_count = ARRAY_COUNT(kept);
    return sandbox_enter(&options, &server->sandbox, err);
}

/* Loads and starts the plugin. From here on, the memory of `open` must stay valid. */
static bool serve_begin(struct server *server, struct out *out, const struct wire_open *open)
{
    const struct reeve_plugin_v1 *plugin;
    AUTO(fd) memory = FD_NONE;
    struct err err;

    if (!host_read(open, &memory, &err) || !serve_shut_in(server, open, memory, &err) ||
        !host_load(open, memory, &plugin, &err)) {
        failed_send(out, &err);
        return false;
    }
    host_hold(
        &server->held, plugin, out,
        state_new(out, open->has_state != 0,
                  open->folder.length == 0 ? NULL : arena_string(server->memory, open->folder)),
        open);
    server->threads_max = threads_most(plugin, open);
    if (open->is_question != 0) {
        hello_send(server, out);
        return true;
    }
    if (plugin->start != NULL &&
        plugin->start(&server->held.host, &server->held.self) != REEVE_OK) {
        err_set(&err, CODE_R0602, "the start of the plugin failed; the log has its output");
        failed_send(out, &err);
        return false;
    }
    server->is_started = true;
    hello_send(server, out);
    return true;
}

/* Ends the process. Queued calls are dropped, and active calls are completed, so that no call is
 * left half done. Then the plugin is stopped. If this takes too long, the manager kills the
 * process. */
static void end(struct server *server)
{
    state_close(server->held.state);
    pthread_mutex_lock(&server->mutex);
    server->first = NULL;
    server->waiting = 0;
    while (server->idle < server->threads) {
        pthread_cond_wait(&server->rested, &server->mutex);
    }
    pthread_mutex_unlock(&server->mutex);
    if (server->is_started && server->held.plugin->stop != NULL) {
        server->held.plugin->stop(server->held.self);
    }
}

int host_serve(int socket, const struct host_bounds *bounds)
{
    struct out *out = out_new(socket);
    struct server server = { .socket = socket,
                             .memory = arena_new_small(SIZE_MAX),
                             .bounds = bounds,
                             .mutex = PTHREAD_MUTEX_INITIALIZER,
                             .changed = PTHREAD_COND_INITIALIZER,
                             .rested = PTHREAD_COND_INITIALIZER };
    struct frame *frame;
    int exit;

    server.last = &server.first;
    frame = frame_receive(socket, &exit);
    if (frame == NULL || frame->message.type != WIRE_OPEN) {
        return frame == NULL ? exit : EXIT_UNREADABLE;
    }
    if (!serve_begin(&server, out, &frame->message.open)) {
        return EXIT_UNLOADABLE;
    }
    while ((frame = frame_receive(socket, &exit)) != NULL) {
        if (frame->message.type == WIRE_STATE && server.is_started) {
            state_answer(server.held.state, &frame->message.state);
            arena_free(frame->arena);
            continue;
        }
        if (frame->message.type != WIRE_CALL || !server.is_started ||
            frame->message.call.method >= WIRE_METHOD_COUNT) {
            exit = EXIT_UNREADABLE;
            break;
        }
        if (!frame_queue(&server, frame)) {
            exit = EXIT_FLOODED;
            break;
        }
    }
    end(&server);
    /* without cleanup: threads of the plugin may still run and use memory */
    _exit(exit);
}
