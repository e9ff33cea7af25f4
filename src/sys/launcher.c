#include "sys/launcher.h"

#include "base/mem.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The code of both processes, manager and launcher, is in this file, so that requests are built and
 * checked in one place. The manager sends one request and waits for its answer, as it would wait
 * for execve without a launcher. */

enum { DESCRIPTORS_MAX = 3 + LIMIT_CHILD_DESCRIPTORS, STEP_BYTES = 64 };

enum operation { LAUNCH_SPAWN, LAUNCH_SIGNAL, LAUNCH_OPEN, LAUNCH_CALL, LAUNCH_REMOVE };

struct spawn_request {
    uint32_t program;
    uint32_t argument_count;
    uint32_t words[LAUNCHER_WORDS_MAX];
    uint32_t descriptor_count; /* number of descriptors besides the three streams */
    int32_t as[LIMIT_CHILD_DESCRIPTORS];
    bool is_session;
    bool is_killed_with_parent;
};

struct launch_request {
    enum operation operation;
    union {
        struct spawn_request spawn;
        struct {
            int32_t pid;
            int32_t number;
        } signal;
        struct {
            uint32_t file;
            int32_t flags;
            uint32_t mode;
        } open;
        struct {
            uint32_t number;
            uint32_t bytes;
            /* aligned, because the bytes are read as a struct */
            _Alignas(max_align_t) unsigned char data[LAUNCHER_CALL_BYTES];
        } call;
    };
};

struct launch_answer {
    int32_t number;        /* errno; 0: success */
    int32_t pid;           /* pid of the new process, even if its program could not be executed */
    char step[STEP_BYTES]; /* the step that failed */
    _Alignas(max_align_t) unsigned char data[LAUNCHER_CALL_BYTES];
};

/* A started program. Its pid cannot be reused until the manager has waited for it. */
struct launched {
    pid_t pid;
    int pid_fd;
    bool is_killed_with_parent;
};

/* Static, because the launcher, like the privileges, belongs to the whole process. */
static struct {
    const struct launcher_options *options;
    int socket; /* socket of the manager; valid if is_running */
    int pid_fd; /* pid descriptor of the launcher; FD_NONE: the kernel has none */
    bool is_running;
} launcher;

/* ---- messages ---- */

/* Send bytes together with descriptors, of which the receiver gets copies. Returns false if the
 * other process has ended. */
static bool launcher_message_send(int socket, const void *bytes, size_t length,
                                  const int *descriptors, size_t count)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
    } control = { 0 };
    struct iovec piece = { (void *)(uintptr_t)bytes, length };
    struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1 };
    ssize_t sent;

    assert(count <= DESCRIPTORS_MAX);
    if (count > 0) {
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        CMSG_FIRSTHDR(&message)->cmsg_level = SOL_SOCKET;
        CMSG_FIRSTHDR(&message)->cmsg_type = SCM_RIGHTS;
        CMSG_FIRSTHDR(&message)->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), descriptors, sizeof(int) * count);
    }
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

/* Receive a message of exactly `length` bytes. Returns false if the other process has ended, or if
 * a part of the message is missing. */
static bool message_receive(int socket, void *bytes, size_t length, int *descriptors, size_t room,
                            size_t *out_count)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
    } control = { 0 };
    struct iovec piece = { bytes, length };
    struct msghdr message = { .msg_iov = &piece,
                              .msg_iovlen = 1,
                              .msg_control = control.room,
                              .msg_controllen = sizeof(control.room) };
    ssize_t received;

    *out_count = 0;
    do {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); received >= 0 && head != NULL;
         head = CMSG_NXTHDR(&message, head)) {
        size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && count <= room) {
            memcpy(descriptors, CMSG_DATA(head), count * sizeof(int));
            *out_count = count;
        }
    }
    return received == (ssize_t)length && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
}

/* ---- the launcher ---- */

struct server {
    const struct launcher_options *options;
    int socket;
    pid_t manager;
    struct launched *rows;
    size_t row_count;
};

static void failure_set(struct launch_answer *answer, const char *step, int number)
{
    answer->number = number;
    strncpy(answer->step, step, STEP_BYTES - 1);
}

/* Remove the programs that the manager has waited for from the list. */
static void launched_prune(struct server *server)
{
    size_t left = 0;

    for (size_t i = 0; i < server->row_count; i++) {
        if (syscall(SYS_pidfd_send_signal, server->rows[i].pid_fd, 0, NULL, 0) != 0 &&
            errno == ESRCH) {
            close(server->rows[i].pid_fd);
        } else {
            server->rows[left++] = server->rows[i];
        }
    }
    server->row_count = left;
}

static void launched_add(struct server *server, const struct spawn_request *request,
                         const struct child_spawned *spawned)
{
    launched_prune(server);
    server->rows = rows_resize(server->rows, (server->row_count + 1) * sizeof(struct launched));
    server->rows[server->row_count++] =
        (struct launched){ spawned->pid, spawned->pid_fd, request->is_killed_with_parent };
}

/* True if all numbers of the request are in range. */
static bool spawn_request_is_valid(const struct server *server, const struct spawn_request *request,
                                   size_t descriptor_count)
{
    if (request->program >= server->options->program_count || request->argument_count == 0 ||
        request->argument_count > LAUNCHER_WORDS_MAX ||
        request->descriptor_count > LIMIT_CHILD_DESCRIPTORS ||
        descriptor_count != 3 + (size_t)request->descriptor_count) {
        return false;
    }
    for (uint32_t i = 0; i < request->argument_count; i++) {
        if (request->words[i] >= LAUNCHER_WORDS_MAX ||
            server->options->programs[request->program].words[request->words[i]] == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < request->descriptor_count; i++) {
        if (request->as[i] <= STDERR_FILENO || request->as[i] > 1023) {
            return false;
        }
    }
    return true;
}

static void spawn_serve(struct server *server, const struct spawn_request *request,
                        const int *descriptors, size_t descriptor_count,
                        struct launch_answer *answer, int *out_pid_fd)
{
    const struct launcher_program *program;
    struct child_descriptor moves[LIMIT_CHILD_DESCRIPTORS];
    const char *argv[LAUNCHER_WORDS_MAX + 2] = { NULL };
    struct child_options options = { .descriptors = moves };
    struct child_spawned spawned;

    if (!spawn_request_is_valid(server, request, descriptor_count)) {
        failure_set(answer, "the request is not valid", EINVAL);
        return;
    }
    program = &server->options->programs[request->program];
    for (uint32_t i = 0; i < request->argument_count; i++) {
        argv[i] = program->words[request->words[i]];
    }
    argv[request->argument_count] = program->last;
    for (uint32_t i = 0; i < request->descriptor_count; i++) {
        moves[i] = (struct child_descriptor){ descriptors[3 + i], request->as[i] };
    }
    options.path = program->path;
    options.argv = argv;
    options.descriptor_count = request->descriptor_count;
    options.is_session = request->is_session;
    options.is_killed_with_parent = request->is_killed_with_parent;
    answer->pid = 0;
    if (child_spawn_for(server->manager, &options, descriptors, &spawned)) {
        answer->pid = spawned.pid;
        *out_pid_fd = spawned.pid_fd;
        launched_add(server, request, &spawned);
    } else {
        answer->pid = spawned.pid;
        failure_set(answer, spawned.step, spawned.number);
    }
}

static void signal_serve(struct server *server, pid_t pid, int number, struct launch_answer *answer)
{
    answer->number = ESRCH;
    launched_prune(server);
    for (size_t i = 0; i < server->row_count; i++) {
        if (server->rows[i].pid == pid &&
            (number == SIGTERM || number == SIGKILL || number == SIGCONT)) {
            answer->number = kill(-pid, number) == 0 ? 0 : errno;
        }
    }
}

/* Open a listed file for reading, or create it if it does not exist. All other flags are
 * ignored. */
static void open_serve(const struct server *server, const struct launch_request *request,
                       struct launch_answer *answer, int *out_fd)
{
    bool is_creation = (request->open.flags & O_CREAT) != 0;
    int flags = is_creation ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY;

    if (request->open.file >= server->options->file_count) {
        answer->number = EINVAL;
        return;
    }
    *out_fd = open(server->options->files[request->open.file],
                   flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (request->open.flags & O_NOFOLLOW),
                   request->open.mode & 0600);
    answer->number = *out_fd < 0 ? errno : 0;
}

static void call_serve(const struct server *server, struct launch_request *request,
                       struct launch_answer *answer)
{
    if (request->call.number >= LAUNCHER_CALLS_MAX ||
        server->options->calls[request->call.number] == NULL ||
        request->call.bytes > LAUNCHER_CALL_BYTES) {
        answer->number = EINVAL;
        return;
    }
    server->options->calls[request->call.number](request->call.data, request->call.bytes);
    memcpy(answer->data, request->call.data, LAUNCHER_CALL_BYTES);
}

/* Handle one request. Returns false if the manager has ended. */
static bool request_serve(struct server *server)
{
    struct launch_answer answer = { 0 };
    struct launch_request request;
    int descriptors[DESCRIPTORS_MAX];
    size_t count;
    AUTO(fd) opened = FD_NONE;
    int given = FD_NONE;
    bool is_good;

    is_good = message_receive(server->socket, &request, sizeof(request), descriptors,
                              DESCRIPTORS_MAX, &count);
    if (is_good) {
        switch (request.operation) {
        case LAUNCH_SPAWN:
            spawn_serve(server, &request.spawn, descriptors, count, &answer, &given);
            break;
        case LAUNCH_SIGNAL:
            signal_serve(server, request.signal.pid, request.signal.number, &answer);
            break;
        case LAUNCH_OPEN:
            open_serve(server, &request, &answer, &opened);
            given = opened;
            break;
        case LAUNCH_CALL:
            call_serve(server, &request, &answer);
            break;
        case LAUNCH_REMOVE:
            answer.number =
                server->options->socket != NULL && unlink(server->options->socket) != 0 ? errno : 0;
            break;
        default:
            answer.number = EINVAL;
            break;
        }
    }
    for (size_t i = 0; i < count; i++) {
        close(descriptors[i]);
    }
    return is_good && launcher_message_send(server->socket, &answer, sizeof(answer), &given,
                                            given >= 0 ? 1 : 0);
}

/* Called when the manager has ended: kill the programs that must not outlive it, and exit. */
static _Noreturn void launcher_end(struct server *server)
{
    launched_prune(server);
    for (size_t i = 0; i < server->row_count; i++) {
        if (server->rows[i].is_killed_with_parent) {
            (void)!syscall(SYS_pidfd_send_signal, server->rows[i].pid_fd, SIGKILL, NULL, 0);
        }
    }
    _exit(0);
}

/* Detach from the terminal and the service manager. Their signals are meant for the manager, which
 * ends its programs itself. */
static void launcher_detach(int socket)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

    for (size_t i = 0; i < ARRAY_COUNT(ignored); i++) {
        signal(ignored[i], SIG_IGN);
    }
    prctl(PR_SET_NAME, "reeve-launcher", 0, 0, 0);
    for (int fd = STDERR_FILENO + 1; fd < socket; fd++) {
        close(fd);
    }
    (void)!syscall(SYS_close_range, (unsigned)socket + 1, ~0u, 0);
}

static _Noreturn void launcher_serve(const struct launcher_options *options, int socket)
{
    struct server server = { .options = options, .socket = socket, .manager = getppid() };

    launcher_detach(socket);
    while (request_serve(&server)) {
    }
    launcher_end(&server);
}

/* ---- the manager ---- */

bool launcher_start(const struct launcher_options *options, struct err *err)
{
    int pair[2];
    pid_t pid;

    assert(!launcher.is_running);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return err_set(err, CODE_R0533, "the launcher cannot be started: no socket: %s",
                       strerror(errno));
    }
    pid = fork();
    if (pid < 0) {
        int number = errno;

        close(pair[0]);
        close(pair[1]);
        return err_set(err, CODE_R0533, "the launcher cannot be started: %s", strerror(number));
    }
    if (pid == 0) {
        close(pair[0]);
        launcher_serve(options, pair[1]);
    }
    close(pair[1]);
    launcher.options = options;
    launcher.socket = pair[0];
    launcher.pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    launcher.is_running = true;
    return true;
}

bool launcher_is_running(void)
{
    return launcher.is_running;
}

int launcher_descriptor(void)
{
    return launcher.is_running ? launcher.pid_fd : FD_NONE;
}

/* Send a request and wait for the answer. Returns false if the launcher has ended. */
static bool launcher_ask(const struct launch_request *request, const int *descriptors, size_t count,
                         struct launch_answer *out, int *out_fd)
{
    size_t received = 0;

    *out_fd = FD_NONE;
    return launcher_message_send(launcher.socket, request, sizeof(*request), descriptors, count) &&
           message_receive(launcher.socket, out, sizeof(*out), out_fd, 1, &received);
}

/* Find the program and its arguments in the lists. Returns false if one of them is not listed. */
static bool spawn_request_fill(const struct child_options *options, struct spawn_request *out)
{
    const struct launcher_options *listed = launcher.options;
    const struct launcher_program *program;
    uint32_t at = 0;

    while (at < listed->program_count && strcmp(listed->programs[at].path, options->path) != 0) {
        at++;
    }
    if (at == listed->program_count) {
        return false;
    }
    program = &listed->programs[at];
    *out = (struct spawn_request){ .program = at,
                                   .descriptor_count = (uint32_t)options->descriptor_count,
                                   .is_session = options->is_session,
                                   .is_killed_with_parent = options->is_killed_with_parent };
    for (size_t i = 0; options->argv[i] != NULL; i++) {
        uint32_t word = 0;

        while (word < LAUNCHER_WORDS_MAX && program->words[word] != NULL &&
               strcmp(program->words[word], options->argv[i]) != 0) {
            word++;
        }
        if (i == LAUNCHER_WORDS_MAX || word == LAUNCHER_WORDS_MAX || program->words[word] == NULL) {
            return false;
        }
        out->words[out->argument_count++] = word;
    }
    for (size_t i = 0; i < options->descriptor_count; i++) {
        out->as[i] = options->descriptors[i].as;
    }
    return true;
}

bool launcher_spawn(const struct child_options *options, const int standard[static 3],
                    struct child_spawned *out, struct err *err)
{
    struct launch_request request = { .operation = LAUNCH_SPAWN };
    int descriptors[DESCRIPTORS_MAX] = { standard[0], standard[1], standard[2] };
    struct launch_answer answer;
    int pid_fd;

    assert(options->envp == NULL && options->folder == NULL && options->limit_count == 0);
    assert(options->descriptor_count <= LIMIT_CHILD_DESCRIPTORS);
    if (!spawn_request_fill(options, &request.spawn)) {
        return err_set(
            err, CODE_R0533,
            "'%s' cannot be started: the launcher starts only programs that belong to reeve",
            options->path);
    }
    for (size_t i = 0; i < options->descriptor_count; i++) {
        descriptors[3 + i] = options->descriptors[i].fd;
    }
    if (!launcher_ask(&request, descriptors, 3 + options->descriptor_count, &answer, &pid_fd)) {
        return err_set(err, CODE_R0533, "'%s' cannot be started: the launcher has ended",
                       options->path);
    }
    if (answer.number != 0) {
        fd_cleanup(&pid_fd);
        while (answer.pid > 0 && waitpid(answer.pid, NULL, 0) < 0 && errno == EINTR) {
        }
        answer.step[STEP_BYTES - 1] = '\0';
        return child_spawn_error(options->path, answer.step, answer.number, err);
    }
    *out = (struct child_spawned){ .pid = answer.pid, .pid_fd = pid_fd };
    return true;
}

void launcher_signal(pid_t pid, int number)
{
    struct launch_request request = { .operation = LAUNCH_SIGNAL };
    struct launch_answer answer;
    int unused;

    request.signal.pid = pid;
    request.signal.number = number;
    (void)!launcher_ask(&request, NULL, 0, &answer, &unused);
}

int launcher_open(const char *path, int flags, mode_t mode)
{
    struct launch_request request = { .operation = LAUNCH_OPEN };
    struct launch_answer answer;
    uint32_t at = 0;
    int fd;

    while (launcher.is_running && at < launcher.options->file_count &&
           strcmp(launcher.options->files[at], path) != 0) {
        at++;
    }
    if (!launcher.is_running || at == launcher.options->file_count) {
        return open(path, flags, mode);
    }
    request.open.file = at;
    request.open.flags = flags;
    request.open.mode = mode;
    if (!launcher_ask(&request, NULL, 0, &answer, &fd)) {
        answer.number = EPIPE;
    }
    if (answer.number != 0) {
        fd_cleanup(&fd);
        errno = answer.number;
        return FD_NONE;
    }
    return fd;
}

bool launcher_call(unsigned number, void *data, size_t bytes)
{
    struct launch_request request = { .operation = LAUNCH_CALL };
    struct launch_answer answer;
    int unused;

    assert(bytes <= LAUNCHER_CALL_BYTES);
    if (!launcher.is_running) {
        return false;
    }
    request.call.number = number;
    request.call.bytes = (uint32_t)bytes;
    memcpy(request.call.data, data, bytes);
    if (launcher_ask(&request, NULL, 0, &answer, &unused) && answer.number == 0) {
        memcpy(data, answer.data, bytes);
    }
    return true;
}

void launcher_socket_remove(void)
{
    struct launch_request request = { .operation = LAUNCH_REMOVE };
    struct launch_answer answer;
    int unused;

    (void)!launcher_ask(&request, NULL, 0, &answer, &unused);
}
