#include "sys/foreground.h"

#include "sys/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool foreground_run(const char *program, const char *argument, struct err *err)
{
    /* a shell takes the words of $EDITOR apart, as every program that reads it does */
    char line[LIMIT_PATH_BYTES];
    char *const argv[] = { (char *)"sh", (char *)"-c", line, (char *)"sh", (char *)argument, NULL };
    int status = 0;
    int number;
    pid_t child;

    if (strlen(program) + sizeof(" \"$1\"") > sizeof(line)) {
        return err_set(err, CODE_R0027, "the name of the editor is too long");
    }
    strcpy(line, program);
    strcat(line, " \"$1\"");
    number = posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ);
    if (number != 0) {
        return err_set(err, CODE_R0027, "the editor cannot be started: %s", strerror(number));
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return err_set(err, CODE_R0027, "the editor was lost: %s", strerror(errno));
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        err_set(err, CODE_R0027, "the editor '%s' did not end well", program);
        return err_hint(err, "set VISUAL or EDITOR to an editor that is there");
    }
    return true;
}

MUST_CHECK static bool bytes_write(int fd, const char *path, struct text bytes, struct err *err)
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
    return bytes_write(fd, path, bytes, err);
}

bool foreground_file_write(const char *path, struct text bytes, struct err *err)
{
    AUTO(fd) fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);

    if (fd < 0) {
        return err_set(err, CODE_R0012, "'%s' cannot be written: %s", path, strerror(errno));
    }
    return bytes_write(fd, path, bytes, err);
}

void foreground_file_remove(const char *path)
{
    unlink(path);
}
