#include "sys/stream.h"

#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

void stream_prepare(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            /* All lower numbers are open, so open() returns fd. The wrong direction is deliberate:
             * reading from a closed input must be an error, and not the end of a file. */
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
    signal(SIGPIPE, SIG_IGN);
}

MUST_CHECK static bool stream_write(int fd, const char *name, struct text bytes, struct err *err)
{
    size_t done = 0;

    while (done < bytes.length) {
        ssize_t count = write(fd, bytes.data + done, bytes.length - done);

        if (count >= 0) {
            done += (size_t)count;
        } else if (errno == EPIPE) {
            return true;
        } else if (errno == EAGAIN) { /* another program made the terminal or pipe non-blocking:
                                       * wait */
            struct pollfd waiting = { .fd = fd, .events = POLLOUT };

            poll(&waiting, 1, -1);
        } else if (errno == EBADF) {
            return err_set(err, CODE_R0014, "%s is closed", name);
        } else if (errno != EINTR) {
            return err_set(err, CODE_R0014, "%s cannot be written: %s", name, strerror(errno));
        }
    }
    return true;
}

bool stream_write_out(struct text bytes, struct err *err)
{
    return stream_write(STDOUT_FILENO, "standard output", bytes, err);
}

bool stream_write_error(struct text bytes, struct err *err)
{
    return stream_write(STDERR_FILENO, "standard error", bytes, err);
}

bool stream_read_line(char *out, size_t room)
{
    size_t length = 0;
    bool has_any = false;

    for (;;) {
        char letter;
        ssize_t count = read(STDIN_FILENO, &letter, 1); /* skip the rest of a line that is too
                                                         * long */

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            break;
        }
        has_any = true;
        if (letter == '\n') {
            break;
        }
        if (length + 1 < room) {
            out[length++] = letter;
        }
    }
    out[length] = '\0';
    return has_any;
}

/* Wait for a line or for one of these signals, which are blocked, so they stay pending. Returns
 * false for a signal. */
static bool line_wait(const sigset_t *signals)
{
    AUTO(fd) signal_fd = signalfd(-1, signals, SFD_CLOEXEC);
    struct pollfd waiting[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                                { .fd = signal_fd, .events = POLLIN } };

    while (poll(waiting, ARRAY_COUNT(waiting), -1) < 0 && errno == EINTR) {
    }
    return waiting[1].revents == 0;
}

bool stream_read_hidden(char *out, size_t room)
{
    struct termios shown;
    struct termios hidden;
    sigset_t interrupt;
    sigset_t before;
    bool is_read;

    if (tcgetattr(STDIN_FILENO, &shown) != 0) {
        return stream_read_line(out, room);
    }
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigaddset(&interrupt, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupt,
                &before); /* blocked first, because a signal in between would leave the echo off */
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    is_read = line_wait(&interrupt) && stream_read_line(out, room);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    sigprocmask(SIG_SETMASK, &before, NULL); /* a pending Ctrl-C takes effect here, when the echo is
                                              * on again */
    return is_read;
}

bool stream_is_terminal_in(void)
{
    return isatty(STDIN_FILENO) == 1;
}

bool stream_is_terminal_out(void)
{
    return isatty(STDOUT_FILENO) == 1;
}

bool stream_is_terminal_error(void)
{
    return isatty(STDERR_FILENO) == 1;
}

static unsigned terminal_columns(int fd)
{
    struct winsize size = { 0 };

    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned stream_rows_out(void)
{
    struct winsize size = { 0 };

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

unsigned stream_columns_out(void)
{
    return terminal_columns(STDOUT_FILENO);
}

unsigned stream_columns_error(void)
{
    return terminal_columns(STDERR_FILENO);
}
