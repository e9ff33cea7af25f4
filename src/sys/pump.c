#include "sys/pump.h"

#include "sys/clock.h"
#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIECE_BYTES = 256 * 1024 };

/* Start a program with `fd` as its standard input or output. */
MUST_CHECK static bool part_start(const char *const *argv, int fd, int as, const sigset_t *mask,
                                  pid_t *out, struct err *err)
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
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    number =
        posix_spawnp(out, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return number == 0 ||
           err_set(err, CODE_R0714, "%s cannot be started: %s", argv[0], strerror(number));
}

static int part_wait(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* All of a piece; false: nobody reads any more. */
static bool piece_write(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);

        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static void copy(const struct pump *pump, int source, int sink, uint64_t *bytes)
{
    uint64_t due_ms = clock_monotonic_ms(clock_system()) + PUMP_TICK_MS;
    char piece[PIECE_BYTES];

    for (;;) {
        uint64_t now_ms = clock_monotonic_ms(clock_system());
        struct pollfd look = { .fd = source, .events = POLLIN };
        ssize_t count;

        if (now_ms >= due_ms) {
            due_ms = now_ms + PUMP_TICK_MS;
            if (pump->tick != NULL) {
                pump->tick(pump->arg, *bytes);
            }
        }
        if (poll(&look, 1, PUMP_TICK_MS) == 0) {
            continue;
        }
        count = read(source, piece, sizeof(piece));
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return;
        }
        if (count > 0 && !piece_write(sink, piece, (size_t)count)) {
            return;
        }
        *bytes += count > 0 ? (uint64_t)count : 0;
    }
}

/* What the terminal sends goes to both programs; who waits for them ends after them, and knows then that it came. */
static void interrupts_hold(sigset_t *before)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, before);
}

static bool interrupts_take(const sigset_t *before)
{
    struct timespec now = { 0 };
    sigset_t set;
    bool is_any;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    is_any = sigtimedwait(&set, NULL, &now) == SIGINT;
    sigprocmask(SIG_SETMASK, before, NULL);
    return is_any;
}

bool pump_run(const struct pump *pump, struct pump_end *out, struct err *err)
{
    sigset_t before;
    int front[2];
    int back[2];
    pid_t from;
    pid_t to;
    bool is_begun;

    *out = (struct pump_end){ 0 };
    if (pipe2(front, O_CLOEXEC) != 0) {
        return err_set(err, CODE_R0714, "no pipe: %s", strerror(errno));
    }
    if (pipe2(back, O_CLOEXEC) != 0) {
        close(front[0]);
        close(front[1]);
        return err_set(err, CODE_R0714, "no pipe: %s", strerror(errno));
    }
    interrupts_hold(&before);
    is_begun = part_start(pump->from, front[1], STDOUT_FILENO, &before, &from, err);
    close(front[1]);
    if (is_begun && !part_start(pump->to, back[0], STDIN_FILENO, &before, &to, err)) {
        is_begun = false;
        close(front[0]); /* it writes to nobody, and ends */
        front[0] = FD_NONE;
        (void)part_wait(from);
    }
    close(back[0]);
    if (is_begun) {
        copy(pump, front[0], back[1], &out->bytes);
    }
    if (front[0] != FD_NONE) {
        close(front[0]);
    }
    close(back[1]);
    if (is_begun) {
        out->from_code = part_wait(from);
        out->to_code = part_wait(to);
    }
    out->is_interrupted = interrupts_take(&before);
    return is_begun;
}
