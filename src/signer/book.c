#include "signer/book.h"

#include "base/limits.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { LINE_ARENA_BYTES = 64 * 1024 };

bool book_is_word(struct text text, size_t most)
{
    return text.length > 0 && text.length <= most && text_is_visible(text) &&
           text_find_byte(text, ' ') == SIZE_MAX;
}

bool book_write(struct book *book, const struct log_event *event, int64_t wall_ms, struct err *err)
{
    AUTO(arena) arena = arena_new_small(LINE_ARENA_BYTES);
    struct buf line;
    ssize_t written;

    buf_init(&line, arena);
    if (book->is_half) {
        buf_add_string(&line, "\n");
    }
    log_line_format(&line, event, wall_ms);
    do {
        written = write(book->fd, line.data, line.length);
    } while (written < 0 && errno == EINTR);
    if (written == (ssize_t)line.length) {
        book->is_half = false;
        return true;
    }
    book->is_half = book->is_half || written > 0;
    err_set(err, CODE_R0748, "the signing log cannot be written: %s",
            written < 0 ? strerror(errno) : "the disk is full");
    return err_hint(err,
                    "free disk space for the manager's data; nothing is signed without its line");
}
