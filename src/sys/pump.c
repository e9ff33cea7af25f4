#include "sys/pump.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* One loop moves the bytes of all pumps. A pump reads the next piece when the previous one is
 * written, so that a slow machine does not delay other pumps. A pump has ended when its pipes are
 * closed and both of its programs have ended. If the reader ends, its pipe is closed, which ends
 * the writer. */

enum { PIECE_BYTES = 256 * 1024, WATCHED = 5 };

/* One of the two programs. */
struct part {
    pid_t pid;
    int watch; /* descriptor that is readable when the program has ended */
    int code;
};

struct pumping {
    struct pumping *next;
    struct arena *memory;
    size_t number;
    struct part from;
    struct part to;
    int source;
    int sink;
    int heard; /* pipe with the standard error of both programs; FD_NONE: they use that of this
                * command */
    char *piece;
    size_t start; /* start of the bytes in the buffer that are not written yet */
    size_t end;
    uint64_t bytes;
    char *said;
    size_t output_bytes;
};

struct pump_set {
    struct arena *memory;
    struct pumping *first;
    struct pumping *ended; /* the pump whose end was reported last */
    size_t count;
    uint64_t bytes;
    uint64_t due_ms; /* time of the next tick */
    void (*tick)(void *arg, uint64_t bytes);
    void *arg;
    sigset_t before;
};

/* ---- descriptors ---- */

static void fd_drop(int *fd)
{
    fd_cleanup(fd);
    *fd = FD_NONE;
}

static int fd_take(int *fd)
{
    int taken = *fd;

    *fd = FD_NONE;
    return taken;
}

/* ---- programs ---- */

/* Start a program with `fd` as its descriptor `as`, which is its standard input or output. */
MUST_CHECK static bool part_start(const char *const *argv, int fd, int as, int heard,
                                  const sigset_t *mask, struct part *out, struct err *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t standard;
    int number;

    sigemptyset(&standard);
    sigaddset(&standard, SIGINT);
    sigaddset(&standard, SIGQUIT);
    sigaddset(&standard, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, fd, as);
    if (heard != FD_NONE) {
        posix_spawn_file_actions_adddup2(&actions, heard, STDERR_FILENO);
    }
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    number = posix_spawnp(&out->pid, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv,
                          environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (number == 0) {
        out->watch = (int)syscall(SYS_pidfd_open, out->pid, 0);
        return true;
    }
    return err_set(err, CODE_R0714, "%s cannot be started: %s", argv[0], strerror(number));
}

static void part_wait(struct part *part)
{
    int status = 0;

    while (waitpid(part->pid, &status, 0) < 0 && errno == EINTR) {
    }
    part->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    part->pid = 0;
    fd_drop(&part->watch);
}

/* True if the program has ended. If too many descriptors are open for a pid descriptor, this waits
 * for the program once its pipes are closed. */
static bool part_look(struct part *part, bool is_closed)
{
    struct pollfd look = { .fd = part->watch, .events = POLLIN };

    if (part->pid != 0 && (part->watch == FD_NONE ? is_closed : poll(&look, 1, 0) == 1)) {
        part_wait(part);
    }
    return part->pid == 0;
}

/* ---- one pump ---- */

static void descriptor_set(int fd)
{
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* Pipes of a pump. front: from the first program to this process. back: from this process to the
 * second program. side: standard error of both programs. */
struct pipes {
    int front[2];
    int back[2];
    int side[2];
};

static void pipes_drop(struct pipes *pipes)
{
    for (int i = 0; i < 2; i++) {
        fd_drop(&pipes->front[i]);
        fd_drop(&pipes->back[i]);
        fd_drop(&pipes->side[i]);
    }
}

MUST_CHECK static bool pipes_open(struct pipes *pipes, bool is_heard, struct err *err)
{
    *pipes = (struct pipes){ { FD_NONE, FD_NONE }, { FD_NONE, FD_NONE }, { FD_NONE, FD_NONE } };
    if (pipe2(pipes->front, O_CLOEXEC) != 0 || pipe2(pipes->back, O_CLOEXEC) != 0 ||
        (is_heard && pipe2(pipes->side, O_CLOEXEC) != 0)) {
        err_set(err, CODE_R0714, "a pipe cannot be created: %s", strerror(errno));
        pipes_drop(pipes);
        return false;
    }
    return true;
}

MUST_CHECK static bool programs_start(struct pumping *pumping, const struct pump *pump,
                                      struct pipes *pipes, const sigset_t *mask, struct err *err)
{
    if (!part_start(pump->from, pipes->front[1], STDOUT_FILENO, pipes->side[1], mask,
                    &pumping->from, err)) {
        return false;
    }
    if (part_start(pump->to, pipes->back[0], STDIN_FILENO, pipes->side[1], mask, &pumping->to,
                   err)) {
        return true;
    }
    fd_drop(&pipes->front[0]); /* without a reader, the first program ends */
    fd_drop(&pipes->front[1]);
    part_wait(&pumping->from);
    return false;
}

MUST_CHECK static bool pumping_begin(struct pump_set *set, const struct pump *pump, size_t number,
                                     bool is_heard, struct err *err)
{
    struct arena *memory = arena_new(SIZE_MAX);
    struct pumping *pumping = arena_one(memory, struct pumping);
    struct pipes pipes;

    *pumping = (struct pumping){ .next = set->first, .memory = memory, .number = number };
    if (!pipes_open(&pipes, is_heard, err)) {
        arena_free(memory);
        return false;
    }
    if (!programs_start(pumping, pump, &pipes, &set->before, err)) {
        pipes_drop(&pipes);
        arena_free(memory);
        return false;
    }
    pumping->source = fd_take(&pipes.front[0]);
    pumping->sink = fd_take(&pipes.back[1]);
    pumping->heard = fd_take(&pipes.side[0]);
    pipes_drop(&pipes);
    descriptor_set(pumping->source);
    descriptor_set(pumping->sink);
    if (pumping->heard != FD_NONE) {
        descriptor_set(pumping->heard);
    }
    pumping->piece = arena_array(memory, char, PIECE_BYTES);
    pumping->said = arena_array(memory, char, PUMP_SAID_BYTES);
    set->first = pumping;
    set->count++;
    return true;
}

static bool is_later(ssize_t count)
{
    return count < 0 && (errno == EAGAIN || errno == EINTR);
}

static void pump_piece_read(struct pumping *pumping)
{
    ssize_t count = pumping->source == FD_NONE || pumping->start < pumping->end
                        ? 1
                        : read(pumping->source, pumping->piece, PIECE_BYTES);

    if (pumping->source == FD_NONE || pumping->start < pumping->end || is_later(count)) {
        return;
    }
    if (count <= 0) {
        fd_drop(&pumping->source);
        fd_drop(&pumping->sink);
        return;
    }
    pumping->start = 0;
    pumping->end = (size_t)count;
}

static void pump_piece_write(struct pump_set *set, struct pumping *pumping)
{
    ssize_t count;

    if (pumping->sink == FD_NONE || pumping->start == pumping->end) {
        return;
    }
    count = write(pumping->sink, pumping->piece + pumping->start, pumping->end - pumping->start);
    if (is_later(count)) {
        return;
    }
    if (count < 0) { /* the reader has ended */
        fd_drop(&pumping->source);
        fd_drop(&pumping->sink);
        pumping->start = pumping->end = 0;
        return;
    }
    pumping->start += (size_t)count;
    if (pumping->start == pumping->end) {
        pumping->bytes += pumping->end;
        set->bytes += pumping->end;
    }
}

/* Read the standard error of the programs. Output beyond the kept bytes is read too, because its
 * writer would block otherwise. */
static void pump_said_read(struct pumping *pumping)
{
    char beyond[PUMP_SAID_BYTES];
    ssize_t count = 1;

    while (pumping->heard != FD_NONE && count > 0) {
        size_t room = PUMP_SAID_BYTES - pumping->output_bytes;

        count = room > 0 ? read(pumping->heard, pumping->said + pumping->output_bytes, room)
                         : read(pumping->heard, beyond, sizeof(beyond));
        if (count > 0 && room > 0) {
            pumping->output_bytes += (size_t)count;
        } else if (count == 0 || (count < 0 && !is_later(count))) {
            fd_drop(&pumping->heard);
        }
    }
}

/* Run one iteration. Returns true when the pump has ended. */
static bool pumping_go_on(struct pump_set *set, struct pumping *pumping)
{
    bool is_closed;
    bool is_from_over;
    bool is_to_over;

    pump_piece_read(pumping);
    pump_piece_write(set, pumping);
    is_closed = pumping->source == FD_NONE;
    is_from_over = part_look(&pumping->from, is_closed);
    is_to_over = part_look(&pumping->to, is_closed);
    pump_said_read(pumping); /* now that both programs have ended, all of their output is
                              * available */
    if (!is_closed || !is_from_over || !is_to_over) {
        return false;
    }
    fd_drop(&pumping->heard);
    return true;
}

/* ---- all of them ---- */

static size_t watch_add(struct pollfd *looks, size_t count, int fd, short events)
{
    if (fd != FD_NONE) {
        looks[count++] = (struct pollfd){ .fd = fd, .events = events };
    }
    return count;
}

/* Wait for an event, or for the next tick. */
static void set_wait(struct pump_set *set, struct arena *arena)
{
    struct pollfd *looks = arena_array(arena, struct pollfd, set->count * WATCHED);
    uint64_t now_ms = clock_monotonic_ms(clock_system());
    size_t count = 0;

    for (struct pumping *at = set->first; at != NULL; at = at->next) {
        bool is_full = at->start < at->end;

        count = watch_add(looks, count, is_full ? FD_NONE : at->source, POLLIN);
        count = watch_add(looks, count, is_full ? at->sink : FD_NONE, POLLOUT);
        count = watch_add(looks, count, at->heard, POLLIN);
        count = watch_add(looks, count, at->from.watch, POLLIN);
        count = watch_add(looks, count, at->to.watch, POLLIN);
    }
    if (now_ms < set->due_ms) {
        (void)poll(looks, count, (int)(set->due_ms - now_ms));
    }
    now_ms = clock_monotonic_ms(clock_system());
    if (now_ms >= set->due_ms) {
        set->due_ms = now_ms + PUMP_TICK_MS;
        if (set->tick != NULL) {
            set->tick(set->arg, set->bytes);
        }
    }
}

static void ended_free(struct pump_set *set)
{
    if (set->ended != NULL) {
        arena_free(set->ended->memory);
        set->ended = NULL;
    }
}

/* Signals of the terminal go to the programs. This command only records them, and ends after the
 * programs. */
struct pump_set *pump_set_new(void (*tick)(void *arg, uint64_t bytes), void *arg)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct pump_set *set = arena_one(memory, struct pump_set);
    sigset_t interrupts;

    *set = (struct pump_set){
        .memory = memory,
        .due_ms = clock_monotonic_ms(clock_system()) + PUMP_TICK_MS,
        .tick = tick,
        .arg = arg,
    };
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupts, &set->before);
    return set;
}

bool pump_set_add(struct pump_set *set, const struct pump *pump, size_t number, struct err *err)
{
    return pumping_begin(set, pump, number, true, err);
}

bool pump_set_next(struct pump_set *set, struct pump_set_end *out)
{
    ended_free(set);
    while (set->first != NULL) {
        for (struct pumping **link = &set->first; *link != NULL; link = &(*link)->next) {
            struct pumping *pumping = *link;

            if (!pumping_go_on(set, pumping)) {
                continue;
            }
            *link = pumping->next;
            set->count--;
            set->ended = pumping;
            *out = (struct pump_set_end){
                .number = pumping->number,
                .end = { .from_code = pumping->from.code,
                         .to_code = pumping->to.code,
                         .bytes = pumping->bytes },
                .said = { pumping->said, pumping->output_bytes },
            };
            return true;
        }
        AUTO(arena) arena = arena_new_small(SIZE_MAX);

        set_wait(set, arena);
    }
    return false;
}

bool pump_set_free(struct pump_set *set)
{
    struct timespec now = { 0 };
    sigset_t interrupts;
    sigset_t before = set->before;
    bool is_any;

    assert(set->first == NULL);
    ended_free(set);
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    is_any = sigtimedwait(&interrupts, NULL, &now) == SIGINT;
    sigprocmask(SIG_SETMASK, &before, NULL);
    arena_free(set->memory);
    return is_any;
}

bool pump_run(const struct pump *pump, struct pump_end *out, struct err *err)
{
    struct pump_set *set = pump_set_new(pump->tick, pump->arg);
    struct pump_set_end end = { 0 };
    bool is_begun = pumping_begin(set, pump, 0, false, err);

    if (is_begun) {
        (void)pump_set_next(set, &end);
    }
    *out = end.end;
    out->is_interrupted = pump_set_free(set);
    return is_begun;
}
