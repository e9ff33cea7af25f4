#include "native/follow.h"

#include "native/clock.h"
#include "native/file.h"
#include "native/piece.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* The happy path: who runs the stage is known, its file is read to the end, and read again whenever it changes, until that process has ended.
 *
 * Where the kernel gives no descriptor for a process, or none for changes (its users share a number of them), we look ten times a second. */

enum {
    READ_BYTES = 64 * 1024,
    LOOK_MS = 100,
    PIECES_LOOK_MS = 500,
    PID_PAUSE_MS = 50,
    PID_WAIT_MS = 2000
};

/* What is there from `at` on. Where whoever asked is gone, this ends. */
static void copy(int fd, uint64_t *inout_at)
{
    static char bytes[READ_BYTES];
    ssize_t count;

    while ((count = pread(fd, bytes, sizeof(bytes), (off_t)*inout_at)) > 0) {
        if (!file_write(STDOUT_FILENO, bytes, (size_t)count)) {
            _exit(1);
        }
        *inout_at += (uint64_t)count;
    }
}

/* Wait for who runs it, and read how it stands: what that says is younger than the number. Where a full disk or the stage has spoiled the mark
 * that names them, what is there is told, and whoever asks asks again. */
static void runner_find(struct follow *follow, struct mark *mark)
{
    const struct timespec pause = { .tv_nsec = PID_PAUSE_MS * 1000000L };
    uint64_t end_ms = clock_ms() + PID_WAIT_MS;
    char line[FILE_LINE_BYTES];
    char path[MARK_PATH_BYTES];
    uint64_t number;

    (void)snprintf(path, sizeof(path), "marks/%u.pid", mark->stage);
    for (;;) {
        mark_read(mark->stage, false, mark);
        if (mark->state != MARK_RUNNING || follow->runner > 0 || clock_ms() >= end_ms) {
            return;
        }
        if (file_line(path, line) && mark_number(line, &number) && number > 0 &&
            number <= INT32_MAX) {
            follow->runner = (pid_t)number;
        } else {
            (void)nanosleep(&pause, NULL);
        }
    }
}

/* A child of ours that has ended is there until it is waited for. */
static bool has_ended(pid_t runner)
{
    return waitpid(runner, NULL, WNOHANG) == runner || (kill(runner, 0) != 0 && errno == ESRCH);
}

/* What wakes whoever follows. */
struct waker {
    int runner;  /* ends; -1: it is looked for */
    int changes; /* of the file; -1: as above */
};

static struct waker waker_open(pid_t runner, const char *path)
{
    struct waker waker = { .runner = (int)syscall(SYS_pidfd_open, runner, 0),
                           .changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK) };

    if (waker.changes >= 0 && inotify_add_watch(waker.changes, path, IN_MODIFY) < 0) {
        (void)close(waker.changes);
        waker.changes = -1;
    }
    return waker;
}

static void waker_close(const struct waker *waker)
{
    if (waker->runner >= 0) {
        (void)close(waker->runner);
    }
    if (waker->changes >= 0) {
        (void)close(waker->changes);
    }
}

/* Until something may have changed. True: who runs the stage has ended. */
static bool waker_wait(const struct waker *waker)
{
    struct pollfd polled[3] = { { .fd = waker->runner, .events = POLLIN },
                                { .fd = waker->changes, .events = POLLIN },
                                { .fd = STDOUT_FILENO } };
    bool is_woken = waker->runner >= 0 && waker->changes >= 0;
    char changes[4096];

    (void)poll(polled, 3, is_woken ? PIECES_LOOK_MS : LOOK_MS);
    if ((polled[2].revents & (POLLERR | POLLHUP)) != 0) {
        _exit(1); /* nobody reads it any more */
    }
    if (polled[1].revents != 0) {
        (void)!read(waker->changes, changes, sizeof(changes));
    }
    return polled[0].revents != 0;
}

/* When another piece has begun, nothing comes to this one any more: whoever follows it asks again. So it is when its time is over.
 * False: so it was. */
static bool to_the_end(const struct follow *follow, unsigned stage, uint64_t begin, int fd)
{
    char path[MARK_PATH_BYTES];
    struct piece_list newest = { .next = UINT64_MAX };
    struct waker waker;
    uint64_t end_ms = clock_ms() + follow->seconds * 1000;
    uint64_t look_ms = clock_ms() + PIECES_LOOK_MS;
    uint64_t at = follow->offset - begin;
    bool is_over = false;

    piece_path(stage, follow->attempt, begin, path);
    waker = waker_open(follow->runner, path);
    for (;;) {
        is_over = is_over || has_ended(follow->runner);
        copy(fd, &at); /* behind that look: what was written before the end is there by then */
        if (is_over || newest.next != UINT64_MAX || clock_ms() >= end_ms) {
            break;
        }
        is_over = waker_wait(&waker);
        if (clock_ms() >= look_ms) {
            look_ms = clock_ms() + PIECES_LOOK_MS;
            piece_look(stage, follow->attempt, follow->offset, &newest);
        }
    }
    waker_close(&waker);
    return is_over;
}

void follow_output(struct follow *follow, struct mark *mark)
{
    char path[MARK_PATH_BYTES];
    struct piece_list list;
    bool is_over;
    int fd;

    runner_find(follow, mark);
    piece_look(mark->stage, follow->attempt, follow->offset, &list);
    piece_path(mark->stage, follow->attempt, list.at, path);
    fd = mark->attempt == follow->attempt ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                                          : -1;
    if (fd < 0) {
        return;
    }
    if (list.next != UINT64_MAX || follow->runner == 0) {
        uint64_t at = follow->offset - list.at;

        copy(fd, &at);
        follow->has_more = list.next != UINT64_MAX;
        follow->more = list.next;
        (void)close(fd);
        return;
    }
    is_over = to_the_end(follow, mark->stage, list.at, fd);
    (void)close(fd);
    follow->has_more = !is_over;
    follow->more = follow->offset;
    mark_read(mark->stage, false, mark);
    piece_look(mark->stage, follow->attempt, follow->offset, &list);
    if (list.next != UINT64_MAX) {
        follow->has_more = true;
        follow->more = access(path, F_OK) == 0 ? follow->offset : list.next;
    }
}
