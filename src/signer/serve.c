#include "signer/serve.h"

#include "base/limits.h"
#include "host/sandbox.h"
#include "signer/desk.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs the process. While it serves requests, it has only these descriptors: the socket, the log
 * and, until the key is read, the file of the key. The key is read inside the sandbox. If it were
 * read before, the process outside the sandbox, which waits for this one, would keep a copy. */

/* Exit codes, which the manager logs. */
enum { EXIT_OVER = 0, EXIT_UNREADABLE = 3, EXIT_UNUSABLE = 4, EXIT_LOST = 6 };

struct server {
    int socket;
    struct desk *desk;
    struct seal_key *key;
    struct book book;
    struct sandbox_report sandbox;
};

/* ---- frames ---- */

/* Receives exactly `bytes` bytes. Returns false if the manager has closed the socket. */
static bool signer_serve_bytes_receive(int socket, char *out, size_t bytes)
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

static bool serve_bytes_send(int socket, struct text bytes)
{
    while (bytes.length > 0) {
        ssize_t sent = send(socket, bytes.data, bytes.length, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR) {
            return false;
        }
        bytes = text_slice(bytes, sent < 0 ? 0 : (size_t)sent, bytes.length);
    }
    return true;
}

static bool signer_serve_message_send(const struct server *server, struct arena *arena,
                                      const struct sign_message *message)
{
    struct buf buf;

    buf_init(&buf, arena);
    sign_format(&buf, message);
    return serve_bytes_send(server->socket, buf_text(&buf));
}

/* Receives the next request. Returns false if there are no further requests; *exit is then the exit
 * code. */
static bool ask_receive(const struct server *server, struct arena *arena, struct sign_message *out,
                        int *exit)
{
    char head[FRAME_HEAD_BYTES];
    struct err err = { 0 };
    size_t bytes;
    char *frame;

    *exit = EXIT_OVER;
    if (!signer_serve_bytes_receive(server->socket, head, sizeof(head))) {
        return false;
    }
    *exit = EXIT_UNREADABLE;
    if (!frame_measure((struct text){ head, sizeof(head) }, CODE_R0752, &bytes, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    frame = arena_alloc(arena, bytes);
    if (!signer_serve_bytes_receive(server->socket, frame + FRAME_HEAD_BYTES,
                                    bytes - FRAME_HEAD_BYTES)) {
        *exit = EXIT_OVER;
        return false;
    }
    if (!sign_parse(arena, (struct text){ frame, bytes }, out, &err) || out->type != SIGN_ASK) {
        fprintf(stderr, "%s\n", err.code == CODE_NONE ? "the message is not a request" : err.text);
        return false;
    }
    return true;
}

static int questions_answer(struct server *server)
{
    struct arena *arena =
        arena_new((size_t)LIMIT_WIRE_ARENA_BYTES + (size_t)8 * LIMIT_WIRE_FRAME_BYTES);
    struct sign_message answer = { .type = SIGN_REPORTED };
    struct sign_message ask;
    int exit;

    while (ask_receive(server, arena, &ask, &exit)) {
        desk_answer(server->desk, arena, &ask.ask, &answer.reported);
        if (!signer_serve_message_send(server, arena, &answer)) {
            exit = EXIT_LOST;
            break;
        }
        arena_clear(arena);
    }
    arena_free(arena);
    return exit;
}

/* ---- start ---- */

MUST_CHECK static bool key_open(const struct serve_options *options, int *out, struct err *err)
{
    struct seal_key *made = NULL;

    if (options->can_make_key && !seal_key_is_there(options->key)) {
        if (!seal_key_make(options->key, &made, err)) {
            return false;
        }
        seal_key_close(made); /* the file is opened again inside the sandbox */
    }
    return seal_key_file(options->key, out, err);
}

MUST_CHECK static bool book_open(const struct serve_options *options, int *out, struct err *err)
{
    AUTO(fd)
    file = open(options->book, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                0600);
    struct stat status;

    if (file < 0 || fstat(file, &status) != 0) {
        return err_set(err, CODE_R0748, "the signing log %s cannot be opened: %s", options->book,
                       strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return err_set(err, CODE_R0748, "the signing log %s is not a file", options->book);
    }
    *out = file;
    file = FD_NONE;
    return true;
}

/* Enters the sandbox, which may fork. Parts that this machine does not support are reported to the
 * manager. Without a system call filter, the signer does not run. */
MUST_CHECK static bool signer_serve_shut_in(struct server *server, int key, struct err *err)
{
    const int kept[] = { server->socket, server->book.fd, key };
    struct sandbox_options options = sandbox_options_of(SANDBOX_KEYS);

    options.descriptors = kept;
    options.descriptor_count = ARRAY_COUNT(kept);
    if (!sandbox_enter(&options, &server->sandbox, err)) {
        return false;
    }
    return server->sandbox.parts[SANDBOX_CALLS].state == SANDBOX_IN_FORCE ||
           err_set(err, CODE_R0748, "this machine cannot sandbox the signer: %s",
                   server->sandbox.parts[SANDBOX_CALLS].why);
}

static bool signer_serve_ready_send(const struct server *server)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct wire_pair memory = {
        TEXT("lockedMemory"),
        desk_is_locked(server->desk) ? TEXT("in force")
                                     : TEXT("the limit of locked memory is too low"),
    };
    struct sign_message message = {
        .type = SIGN_READY,
        .ready = { .key = text_from(seal_key_id(server->key)),
                   .sandbox = sandbox_report_pairs(arena, &server->sandbox, &memory) },
    };

    return signer_serve_message_send(server, arena, &message);
}

MUST_CHECK static bool signer_serve_begin(struct server *server,
                                          const struct serve_options *options, struct err *err)
{
    AUTO(fd) key = FD_NONE;

    if (!book_open(options, &server->book.fd, err) || !key_open(options, &key, err) ||
        !signer_serve_shut_in(server, key, err) ||
        !seal_key_read(key, options->key, &server->key, err)) {
        return false;
    }
    server->desk = desk_new(server->key, &server->book, clock_system());
    return true;
}

int serve_run(const struct serve_options *options)
{
    struct server server = { .socket = options->socket, .book = { .fd = FD_NONE } };
    struct err err = { 0 };
    int exit;

    if (sodium_init() < 0 || !signer_serve_begin(&server, options, &err)) {
        fprintf(stderr, "%s\n",
                err.code == CODE_NONE ? "the system returned no random numbers" : err.text);
        return EXIT_UNUSABLE;
    }
    exit = signer_serve_ready_send(&server) ? questions_answer(&server) : EXIT_LOST;
    desk_free(server.desk);
    seal_key_close(server.key);
    return exit;
}
