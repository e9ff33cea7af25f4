#include "sys/foreground.h"

#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Start `sh -c LINE sh ARGUMENT`. `input` is its standard input (FD_NONE: that of this process).
 * Signals are reset to what a program on a terminal expects. Returns 0 or errno. */
static int shell_start(const char *line, const char *argument, int input, pid_t *out_child)
{
    char *const argv[] = { (char *)"sh", (char *)"-c",     (char *)line,
                           (char *)"sh", (char *)argument, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t standard;
    int number;

    sigemptyset(&standard);
    sigaddset(&standard, SIGINT);
    sigaddset(&standard, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (input != FD_NONE) {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    }
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    number = posix_spawn(out_child, "/bin/sh", &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

/* Wait for the end of the program. Returns its exit code, or -1 if a signal ended it. */
static int child_wait(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool foreground_run(const char *program, const char *argument, struct err *err)
{
    /* a shell splits $EDITOR into words, as other programs do */
    char line[LIMIT_PATH_BYTES];
    int length = snprintf(line, sizeof(line), "%s \"$1\"", program);
    int number;
    pid_t child;

    if (length < 0 || (size_t)length >= sizeof(line)) {
        return err_set(err, CODE_R0027, "the name of the editor is too long");
    }
    number = shell_start(line, argument, FD_NONE, &child);
    if (number != 0) {
        return err_set(err, CODE_R0027, "the editor cannot be started: %s", strerror(number));
    }
    if (child_wait(child) != 0) {
        err_set(err, CODE_R0027, "the editor '%s' failed", program);
        return err_hint(err, "set VISUAL or EDITOR to an installed editor");
    }
    return true;
}

/* The terminal sends its signals to both processes. This process ignores them, so that the program
 * decides what they do. */
static void interrupts_ignore(struct sigaction before[static 2], bool is_over)
{
    static const int signals[] = { SIGINT, SIGQUIT };
    struct sigaction ignore = { .sa_handler = SIG_IGN };

    for (size_t i = 0; i < 2; i++) {
        sigaction(signals[i], is_over ? &before[i] : &ignore, is_over ? NULL : &before[i]);
    }
}

bool foreground_command(const char *const *argv, int *out_code, struct err *err)
{
    posix_spawnattr_t attributes;
    struct sigaction before[2];
    sigset_t standard;
    int status = 0;
    pid_t child;
    int number;

    sigemptyset(&standard);
    sigaddset(&standard, SIGINT);
    sigaddset(&standard, SIGQUIT);
    sigaddset(&standard, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    interrupts_ignore(before, false);
    number =
        posix_spawnp(&child, argv[0], NULL, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    while (number == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    interrupts_ignore(before, true);
    if (number != 0) {
        return err_set(err, CODE_R0714, "%s cannot be started: %s", argv[0], strerror(number));
    }
    *out_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

/* exit code of a shell that cannot find the program */
#define SHELL_NOT_FOUND 127

bool foreground_page(const char *program, struct text text, struct err *err)
{
    char line[LIMIT_PATH_BYTES];
    int length = snprintf(line, sizeof(line), "LESS=\"${LESS-FRX}\" exec %s",
                          program == NULL ? "less" : program);
    AUTO(fd) input = FD_NONE;
    AUTO(fd) output = FD_NONE;
    int ends[2];
    int number;
    pid_t child;

    if (length < 0 || (size_t)length >= sizeof(line) || pipe2(ends, O_CLOEXEC) != 0) {
        return err_set(err, CODE_R0031, "the pager cannot be started");
    }
    input = ends[0];
    output = ends[1];
    number = shell_start(line, "", input, &child);
    if (number != 0) {
        return err_set(err, CODE_R0031, "the pager cannot be started: %s", strerror(number));
    }
    fd_cleanup(&input);
    while (text.length > 0) {
        ssize_t count = write(output, text.data, text.length);

        if (count < 0 && errno != EINTR) {
            break; /* the user left the pager early */
        }
        text = text_slice(text, count > 0 ? (size_t)count : 0, text.length);
    }
    fd_cleanup(&output);
    return child_wait(child) != SHELL_NOT_FOUND ||
           err_set(err, CODE_R0031, "the pager '%s' was not found",
                   program == NULL ? "less" : program);
}

MUST_CHECK static bool foreground_bytes_write(int fd, const char *path, struct text bytes,
                                              struct err *err)
{
    while (bytes.length > 0) {
        ssize_t count = write(fd, bytes.data, bytes.length);

        if (count < 0 && errno != EINTR) {
            return err_set(err, CODE_R0012, "'%s' cannot be written: %s", path, strerror(errno));
        }
        bytes = text_slice(bytes, count > 0 ? (size_t)count : 0, bytes.length);
    }
    return true;
}

bool foreground_file_make(struct arena *arena, const char *end, struct text bytes,
                          const char **out_path, struct err *err)
{
    const char *folder = getenv("TMPDIR");
    char *path = arena_string(
        arena, arena_printf(arena, "%s/reeve-XXXXXX%s",
                            folder != NULL && folder[0] == '/' ? folder : "/tmp", end));
    AUTO(fd) fd = mkostemps(path, (int)strlen(end), O_CLOEXEC);

    if (fd < 0) {
        return err_set(err, CODE_R0012, "'%s' cannot be made: %s", path, strerror(errno));
    }
    *out_path = path;
    return foreground_bytes_write(fd, path, bytes, err);
}

bool foreground_file_write(const char *path, struct text bytes, struct err *err)
{
    AUTO(fd) fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);

    if (fd < 0) {
        return err_set(err, CODE_R0012, "'%s' cannot be written: %s", path, strerror(errno));
    }
    return foreground_bytes_write(fd, path, bytes, err);
}

void foreground_file_remove(const char *path)
{
    unlink(path);
}
