#include "native/say.h"

#include "native/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 2000, GATHERED_BYTES = 16 * 1024 };

static char gathered[GATHERED_BYTES];
static size_t length;
static int answer_fd = STDOUT_FILENO;

void say_flush(void)
{
    if (length > 0 && !file_write(answer_fd, gathered, length)) {
        _exit(1); /* nobody hears it any more */
    }
    length = 0;
}

/* As programs/common.sh does: what moves the cursor is a blank, all else that cannot be seen is left out. */
static size_t make_plain(char *line, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        char c = line[i];

        if (c == '\n' || c == '\r' || c == '\t') {
            line[kept++] = ' ';
        } else if (c >= ' ' && c <= '~') {
            line[kept++] = c;
        }
    }
    return kept;
}

__attribute__((format(printf, 1, 0))) static void line_add(const char *format, va_list words)
{
    char *line = gathered + length;
    int said;

    if (sizeof(gathered) - length < LINE_BYTES + 2) {
        say_flush();
        line = gathered;
    }
    said = vsnprintf(line, LINE_BYTES + 1, format, words);
    if (said < 0) {
        _exit(1);
    }
    length += make_plain(line, said > LINE_BYTES ? LINE_BYTES : (size_t)said);
    gathered[length++] = '\n';
}

void say_open(int fd)
{
    static const char first[] =
        "\nreeve1\n"; /* what a login shell has written may have no end of line */

    answer_fd = fd;
    memcpy(gathered, first, sizeof(first) - 1);
    length = sizeof(first) - 1;
}

void say_line(const char *format, ...)
{
    va_list words;

    va_start(words, format);
    line_add(format, words);
    va_end(words);
}

_Noreturn void say_end(void)
{
    say_line("end");
    say_flush();
    _exit(0);
}

_Noreturn void say_fail(const char *word, int error, const char *format, ...)
{
    char why[LINE_BYTES];
    va_list words;

    va_start(words, format);
    (void)vsnprintf(why, sizeof(why), format, words);
    va_end(words);
    say_line("fault %s", error == ENOSPC || error == EDQUOT ? "space" : word);
    say_line("why %s%s%s", why, error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
    say_end();
}
