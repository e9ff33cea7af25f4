#include "playbook/serve.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/queue.h"
#include "playbook/events_file.h"
#include "playbook/shelter.h"
#include "playbook/unpack.h"
#include "sys/child.h"
#include "sys/fd.h"
#include "sys/loop.h"
#include "wire/playbook_ipc.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Exit codes, which the manager logs. */
enum { EXIT_OK = 0, EXIT_UNREADABLE = 3, EXIT_UNABLE = 4 };

enum {
    READ_BYTES = 64 * 1024,
    EVENTS = 3, /* descriptor of the callback in ansible-playbook */
    GRACE_MS = 2000,
    TAIL_BYTES = 8 * 1024,
    ENV_MAX = 24,
    ARGS_MAX = 24,
};

static const char *const ipc_files[PLAYBOOK_IPC_FILE_COUNT] = {
    [PLAYBOOK_IPC_ARCHIVE] = "archive",          [PLAYBOOK_IPC_INVENTORY] = "inventory.json",
    [PLAYBOOK_IPC_VARS] = "vars.json",           [PLAYBOOK_IPC_LIMIT] = "limit",
    [PLAYBOOK_IPC_KNOWN_HOSTS] = "known_hosts",  [PLAYBOOK_IPC_KEY] = "key",
    [PLAYBOOK_IPC_CERTIFICATE] = "key-cert.pub",
};

struct playbook_server {
    struct arena *memory;
    struct shelter shelter;
    int folder;
    struct loop *loop;
    struct loop_descriptor *descriptor;
    struct queue in;
    struct queue out;
    int socket;
    int exit;
    int files[PLAYBOOK_IPC_FILE_COUNT];
    /* the run of ansible-playbook */
    struct child *child;
    struct loop_timer *silence;
    int events; /* our end of the callback's pipe */
    struct loop_descriptor *events_watch;
    struct queue line; /* an incomplete line */
    bool is_line_long; /* the rest of a line that is too long is skipped */
    bool has_line;
    uint64_t line_bytes;
    uint64_t dropped;
    bool is_stopped;
    bool is_silent;
    bool is_alone; /* the manager has ended */
    bool is_over;  /* END was sent: the process ends when the manager has received it */
    size_t tail_length;
    char tail[TAIL_BYTES];
};

/* ---- sending ---- */

static void playbook_end(struct playbook_server *server, int exit)
{
    server->exit = exit;
    loop_stop(server->loop);
}

static void serve_give(struct playbook_server *server)
{
    if (loop_descriptor_send(server->descriptor, server->socket, &server->out) && server->is_over) {
        playbook_end(server, EXIT_OK);
    }
}

static void serve_send(struct playbook_server *server, const struct playbook_ipc_message *message)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text bytes;
    struct buf buf;

    buf_init(&buf, arena);
    playbook_ipc_format(&buf, message);
    bytes = buf_text(&buf);
    memcpy(queue_room(&server->out, bytes.length), bytes.data, bytes.length);
    server->out.length += bytes.length;
    serve_give(server);
}

/* ---- the callback ---- */

/* True for lines that determine the results of nodes. They are passed on even beyond the output
 * limit. */
static bool is_line_needed(struct text line)
{
    return text_has_prefix(line, TEXT("{\"kind\":\"stats\"")) ||
           text_has_prefix(line, TEXT("{\"kind\":\"stopped\"")) ||
           text_has_prefix(line, TEXT("{\"kind\":\"task\""));
}

static void events_line(struct playbook_server *server, struct text line)
{
    struct playbook_ipc_message message = { .type = PLAYBOOK_IPC_LINE, .line = { line } };

    server->has_line = true;
    loop_timer_stop(server->silence);
    if (server->line_bytes + line.length > LIMIT_PLAYBOOK_OUTPUT_BYTES && !is_line_needed(line)) {
        server->dropped++;
        return;
    }
    server->line_bytes += line.length;
    serve_send(server, &message);
}

static void events_split(struct playbook_server *server, struct text bytes)
{
    while (bytes.length > 0) {
        size_t end = text_find_byte(bytes, '\n');
        struct text part = text_slice(bytes, 0, end);

        if (!server->is_line_long &&
            server->line.length + part.length <= LIMIT_PLAYBOOK_LINE_BYTES) {
            memcpy(queue_room(&server->line, part.length), part.data, part.length);
            server->line.length += part.length;
        } else {
            server->is_line_long = true;
        }
        if (end == SIZE_MAX) {
            return;
        }
        if (server->is_line_long) {
            server->dropped++;
        } else {
            events_line(server, queue_text(&server->line));
        }
        queue_clear(&server->line);
        server->is_line_long = false;
        bytes = text_slice(bytes, end + 1, SIZE_MAX);
    }
}

static void events_drain(struct playbook_server *server)
{
    char bytes[READ_BYTES];
    ssize_t got;

    while ((got = read(server->events, bytes, sizeof(bytes))) > 0) {
        events_split(server, (struct text){ bytes, (size_t)got });
    }
    if (got == 0) {
        loop_descriptor_want(server->events_watch, 0);
    }
}

static void events_ready(void *arg, unsigned events)
{
    (void)events;
    events_drain(arg);
}

/* ---- the end of a run ---- */

static void tail_add(void *arg, enum child_stream stream, struct text piece)
{
    struct playbook_server *server = arg;

    (void)stream;
    if (piece.length > TAIL_BYTES) {
        piece = text_slice(piece, piece.length - TAIL_BYTES, SIZE_MAX);
    }
    if (server->tail_length + piece.length > TAIL_BYTES) {
        size_t gone = server->tail_length + piece.length - TAIL_BYTES;

        memmove(server->tail, server->tail + gone, server->tail_length - gone);
        server->tail_length -= gone;
    }
    memcpy(server->tail + server->tail_length, piece.data, piece.length);
    server->tail_length += piece.length;
}

static void over_send(struct playbook_server *server, const struct playbook_ipc_end *end)
{
    struct playbook_ipc_message output = { .type = PLAYBOOK_IPC_OUTPUT };
    struct playbook_ipc_message message = { .type = PLAYBOOK_IPC_END, .end = *end };

    output.output.bytes = (struct text){ server->tail, server->tail_length };
    message.end.dropped = server->dropped;
    serve_send(server, &output);
    server->is_over = true;
    serve_send(server, &message);
}

static void unstarted_send(struct playbook_server *server, const struct err *err)
{
    over_send(server, &(struct playbook_ipc_end){ .reason = PLAYBOOK_IPC_UNSTARTED,
                                                  .code = -1,
                                                  .message = text_from(err->text) });
}

static void ansible_ended(void *arg, const struct child_end *end)
{
    struct playbook_server *server = arg;
    struct playbook_ipc_end message = { .reason = PLAYBOOK_IPC_ENDED,
                                        .code = end->code,
                                        .signal = end->signal };

    server->child = NULL;
    shelter_clear(&server->shelter);
    if (server->is_alone) {
        playbook_end(server, EXIT_OK);
        return;
    }
    events_drain(server);
    message.reason = server->is_stopped  ? PLAYBOOK_IPC_STOPPED
                     : server->is_silent ? PLAYBOOK_IPC_SILENT
                     : end->is_late      ? PLAYBOOK_IPC_LATE
                                         : PLAYBOOK_IPC_ENDED;
    over_send(server, &message);
}

static void silence_due(void *arg)
{
    struct playbook_server *server = arg;

    if (!server->has_line && server->child != NULL) {
        server->is_silent = true;
        child_kill(server->child);
    }
}

/* ---- starting ---- */

static const char *serve_path(struct playbook_server *server, const char *name)
{
    return arena_string(server->memory,
                        arena_printf(server->memory, "%s/%s", server->shelter.folder, name));
}

MUST_CHECK static bool serve_file_write(struct playbook_server *server, const char *name,
                                        struct text bytes, struct err *err)
{
    AUTO(fd)
    file = openat(server->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    while (file >= 0 && bytes.length > 0) {
        ssize_t wrote = write(file, bytes.data, bytes.length);

        if (wrote < 0 && errno != EINTR) {
            break;
        }
        bytes = text_slice(bytes, wrote < 0 ? 0 : (size_t)wrote, SIZE_MAX);
    }
    return (file >= 0 && bytes.length == 0) ||
           err_set(err, CODE_R0843, "%s: %s", name, strerror(errno));
}

/* Maps the archive, writes its tree, and removes it. */
MUST_CHECK static bool archive_unpack(struct playbook_server *server, struct err *err)
{
    int file = server->files[PLAYBOOK_IPC_ARCHIVE];
    struct stat status;
    void *bytes;
    bool is_good;

    if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) {
        return err_set(err, CODE_R0843, "the archive of the revision is missing");
    }
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
        return err_set(err, CODE_R0843, "the archive: %s", strerror(errno));
    }
    is_good = unpack_archive((struct text){ bytes, (size_t)status.st_size },
                             serve_path(server, "repository"), err);
    munmap(bytes, (size_t)status.st_size);
    (void)!unlinkat(server->folder, ipc_files[PLAYBOOK_IPC_ARCHIVE], 0);
    return is_good;
}

MUST_CHECK static bool folders_make(struct playbook_server *server, struct err *err)
{
    static const char *const names[] = { "home", "tmp", "cp", "callback", "repository" };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (mkdirat(server->folder, names[i], i + 1 == ARRAY_COUNT(names) ? 0755 : 0700) != 0) {
            return err_set(err, CODE_R0843, "%s: %s", names[i], strerror(errno));
        }
    }
    return serve_file_write(server, "callback/reeve_events.py", playbook_files[0].bytes, err) &&
           archive_unpack(server, err);
}

/* Makes the environment of ansible-playbook with the settings that reeve controls. They override
 * the settings in an ansible.cfg of the repository. */
static const char *const *environment_make(struct playbook_server *server)
{
    struct arena *arena = server->memory;
    const char *folder = server->shelter.folder;
    const char **words = arena_array(arena, const char *, ENV_MAX);
    const struct text texts[] = {
        TEXT("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
        TEXT("LANG=C.UTF-8"),
        TEXT("LC_ALL=C.UTF-8"),
        TEXT("PYTHONDONTWRITEBYTECODE=1"),
        arena_printf(arena, "HOME=%s/home", folder),
        arena_printf(arena, "TMPDIR=%s/tmp", folder),
        arena_printf(arena, "ANSIBLE_LOCAL_TEMP=%s/tmp", folder),
        arena_printf(arena, "ANSIBLE_HOME=%s/home/.ansible", folder),
        arena_printf(arena, "ANSIBLE_CALLBACK_PLUGINS=%s/callback", folder),
        TEXT("ANSIBLE_STDOUT_CALLBACK=default"),
        TEXT("ANSIBLE_NOCOLOR=1"),
        TEXT("ANSIBLE_RETRY_FILES_ENABLED=0"),
        TEXT("ANSIBLE_HOST_KEY_CHECKING=1"),
        TEXT("ANSIBLE_SSH_HOST_KEY_CHECKING=1"),
        arena_printf(arena, "ANSIBLE_SSH_CONTROL_PATH_DIR=%s/cp", folder),
        arena_printf(arena,
                     "ANSIBLE_SSH_ARGS=-o ControlMaster=auto -o ControlPersist=60s "
                     "-o UserKnownHostsFile=%s/known_hosts -o GlobalKnownHostsFile=/dev/null "
                     "-o StrictHostKeyChecking=yes -o IdentitiesOnly=yes -o IdentityAgent=none",
                     folder),
        arena_printf(arena, "REEVE_EVENTS=%d", EVENTS),
        arena_printf(arena, "REEVE_ROOT=%s/repository", folder),
        arena_printf(arena, "REEVE_STOP=%s/stop", folder),
    };

    _Static_assert(ARRAY_COUNT(texts) < ENV_MAX, "ENV_MAX is too small");
    for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
        words[i] = arena_string(arena, texts[i]);
    }
    words[ARRAY_COUNT(texts)] = NULL;
    return words;
}

struct serve_arguments {
    const char **items;
    size_t count;
};

static void arguments_add(struct serve_arguments *list, const char *word)
{
    assert(list->count + 1 < ARGS_MAX);
    list->items[list->count++] = word;
    list->items[list->count] = NULL;
}

static void arguments_pair_add(struct serve_arguments *list, const char *flag, const char *value)
{
    arguments_add(list, flag);
    arguments_add(list, value);
}

/* Makes the arguments of ansible-playbook. They contain only paths and numbers; all other data is
 * in files. */
static const char *const *arguments_make(struct playbook_server *server,
                                         const struct playbook_ipc_start *start)
{
    struct arena *arena = server->memory;
    struct serve_arguments list = { arena_array(arena, const char *, ARGS_MAX), 0 };

    arguments_add(&list, "ansible-playbook");
    if (start->mode == PLAYBOOK_IPC_SYNTAX) {
        arguments_pair_add(&list, "-i", "localhost,");
        arguments_add(&list, "--syntax-check");
    } else {
        arguments_pair_add(&list, "-i", serve_path(server, "inventory.json"));
        arguments_pair_add(
            &list, "--limit",
            arena_string(arena, arena_printf(arena, "@%s/limit", server->shelter.folder)));
        arguments_pair_add(
            &list, "--forks",
            arena_string(arena, arena_printf(arena, "%llu", (unsigned long long)start->forks)));
        arguments_pair_add(&list, "--private-key", serve_path(server, "key"));
    }
    if (server->files[PLAYBOOK_IPC_VARS] >= 0) {
        arguments_pair_add(
            &list, "-e",
            arena_string(arena, arena_printf(arena, "@%s/vars.json", server->shelter.folder)));
    }
    if (start->mode == PLAYBOOK_IPC_CHECK) {
        arguments_add(&list, "--check");
        arguments_add(&list, "--diff");
    }
    arguments_add(
        &list, arena_string(arena, arena_printf(arena, "%s/repository/%.*s", server->shelter.folder,
                                                TEXT_ARG(start->playbook))));
    return list.items;
}

MUST_CHECK static bool ansible_start(struct playbook_server *server,
                                     const struct playbook_ipc_start *start, struct err *err)
{
    struct child_descriptor descriptor = { .as = EVENTS };
    struct child_options options = {
        .path = arena_string(server->memory, start->ansible),
        .argv = arguments_make(server, start),
        .envp = environment_make(server),
        .folder = serve_path(server, "repository"),
        .deadline_ms = start->timeout_ms,
        .grace_ms = GRACE_MS,
        .output = tail_add,
        .done = ansible_ended,
        .arg = server,
        .descriptors = &descriptor,
        .descriptor_count = 1,
        .is_session = true,
    };
    AUTO(fd) theirs = FD_NONE;
    int pair[2];

    if (pipe2(pair, O_CLOEXEC) != 0) {
        return err_set(err, CODE_R0843, "a pipe for the callback cannot be created: %s",
                       strerror(errno));
    }
    server->events = pair[0];
    theirs = pair[1];
    descriptor.fd = theirs;
    if (!loop_descriptor_open(server->loop, server->events, events_ready, server,
                              &server->events_watch, err) ||
        !child_start(server->loop, &options, &server->child, err)) {
        return false;
    }
    loop_descriptor_want(server->events_watch, LOOP_READABLE);
    if (start->mode != PLAYBOOK_IPC_SYNTAX) {
        loop_timer_start(server->silence, start->start_ms, 0);
    }
    return true;
}

static void start_take(struct playbook_server *server, const struct playbook_ipc_start *start)
{
    struct err err;

    if (!folders_make(server, &err) || !ansible_start(server, start, &err)) {
        unstarted_send(server, &err);
    }
}

/* ---- requests of the manager ---- */

MUST_CHECK static bool piece_take(struct playbook_server *server,
                                  const struct playbook_ipc_piece *piece)
{
    struct text bytes = piece->bytes;
    int *file;

    if (piece->file >= PLAYBOOK_IPC_FILE_COUNT) {
        return false;
    }
    file = &server->files[piece->file];
    if (*file < 0) {
        *file = openat(server->folder, ipc_files[piece->file],
                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    while (*file >= 0 && bytes.length > 0) {
        ssize_t wrote = write(*file, bytes.data, bytes.length);

        if (wrote < 0 && errno != EINTR) {
            return false;
        }
        bytes = text_slice(bytes, wrote < 0 ? 0 : (size_t)wrote, SIZE_MAX);
    }
    return *file >= 0;
}

static void stop_take(struct playbook_server *server, const struct playbook_ipc_stop *stop)
{
    struct err err;

    if (server->child == NULL) {
        return;
    }
    if (stop->is_now != 0) {
        server->is_stopped = true;
        child_kill(server->child);
    } else if (!serve_file_write(server, "stop", TEXT(""), &err) && errno != EEXIST) {
        server->is_stopped = true;
        child_stop(server->child);
    }
}

static void frame_take(struct playbook_server *server, struct text frame)
{
    AUTO(arena) arena = arena_new(LIMIT_WIRE_ARENA_BYTES);
    struct playbook_ipc_message message;
    struct err err;

    if (!playbook_ipc_parse(arena, frame, &message, &err)) {
        playbook_end(server, EXIT_UNREADABLE);
        return;
    }
    switch (message.type) {
    case PLAYBOOK_IPC_FILE:
        if (!server->is_over && !piece_take(server, &message.piece)) {
            err_set(&err, CODE_R0843, "a file of the run cannot be written: %s", strerror(errno));
            unstarted_send(server, &err);
        }
        break;
    case PLAYBOOK_IPC_START:
        if (!server->is_over && server->child == NULL) {
            start_take(server, &message.start);
        }
        break;
    case PLAYBOOK_IPC_STOP:
        stop_take(server, &message.stop);
        break;
    case PLAYBOOK_IPC_READY:
    case PLAYBOOK_IPC_LINE:
    case PLAYBOOK_IPC_OUTPUT:
    case PLAYBOOK_IPC_END:
        playbook_end(server, EXIT_UNREADABLE);
        break;
    }
}

/* Handles the end of the manager: ends the run, and then this process. */
static void manager_gone(struct playbook_server *server)
{
    server->is_alone = true;
    loop_descriptor_want(server->descriptor, 0);
    if (server->child != NULL) {
        child_kill(server->child);
    } else {
        playbook_end(server, EXIT_OK);
    }
}

static void socket_read(struct playbook_server *server)
{
    ssize_t got = recv(server->socket, queue_room(&server->in, READ_BYTES), READ_BYTES, 0);
    struct text bytes;
    struct err err;
    size_t length;

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) { /* the manager has ended, or no longer needs the run */
        manager_gone(server);
        return;
    }
    server->in.length += (size_t)got;
    for (;;) {
        bytes = queue_text(&server->in);
        if (!frame_measure(bytes, CODE_R0843, &length, &err)) {
            playbook_end(server, EXIT_UNREADABLE);
            return;
        }
        if (length == 0 || bytes.length < length) {
            return;
        }
        frame_take(server, text_slice(bytes, 0, length));
        server->in.gone += length;
    }
}

static void socket_ready(void *arg, unsigned events)
{
    struct playbook_server *server = arg;

    if ((events & LOOP_WRITABLE) != 0) {
        serve_give(server);
    }
    if ((events & LOOP_READABLE) != 0) {
        socket_read(server);
    }
}

MUST_CHECK static bool serve_open(struct playbook_server *server, struct err *err)
{
    server->folder = open(server->shelter.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (server->folder < 0) {
        return err_set(err, CODE_R0843, "%s: %s", server->shelter.folder, strerror(errno));
    }
    return loop_open(&server->loop, err) &&
           loop_timer_open(server->loop, silence_due, server, &server->silence, err) &&
           loop_descriptor_open(server->loop, server->socket, socket_ready, server,
                                &server->descriptor, err);
}

static void serve_close(struct playbook_server *server)
{
    loop_descriptor_close(server->events_watch);
    loop_descriptor_close(server->descriptor);
    loop_timer_close(server->silence);
    loop_close(server->loop);
    queue_clear(&server->in);
    queue_clear(&server->out);
    queue_clear(&server->line);
    fd_cleanup(&server->events);
    fd_cleanup(&server->folder);
    for (size_t i = 0; i < PLAYBOOK_IPC_FILE_COUNT; i++) {
        fd_cleanup(&server->files[i]);
    }
}

int playbook_serve(int socket)
{
    AUTO(arena) memory = arena_new_small(SIZE_MAX);
    struct playbook_server server = {
        .memory = memory, .socket = socket, .folder = FD_NONE, .events = FD_NONE
    };
    struct playbook_ipc_message ready = { .type = PLAYBOOK_IPC_READY };
    struct err err;

    for (size_t i = 0; i < PLAYBOOK_IPC_FILE_COUNT; i++) {
        server.files[i] = FD_NONE;
    }
    server.in.is_secret = true;
    if (!shelter_enter(memory, &server.shelter, &err) || !serve_open(&server, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_UNABLE;
    }
    loop_descriptor_want(server.descriptor, LOOP_READABLE);
    ready.ready.sandbox = server.shelter.parts;
    serve_send(&server, &ready);
    loop_run(server.loop);
    shelter_clear(&server.shelter);
    serve_close(&server);
    return server.exit;
}
