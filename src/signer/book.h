#ifndef REEVE_SIGNER_BOOK_H
#define REEVE_SIGNER_BOOK_H

#include "base/err.h"
#include "base/macros.h"
#include "sys/log_line.h"

/* The signing log: an append-only file with one line for each operation with a key. Unlike sys/log
 * it never drops or merges lines, and it reports write errors. If a line cannot be written, nothing
 * is signed. */
struct book {
    int fd;
    bool is_half; /* a full disk has truncated the last line; the next write ends that line first */
};

/* Returns whether the text is one word of 1 to `most` bytes: visible ASCII without blanks. Also
 * used for certificate ids. */
bool book_is_word(struct text text, size_t most);

/* Writes a line. Fails with R0748 if it cannot be written. */
MUST_CHECK bool book_write(struct book *book, const struct log_event *event, int64_t wall_ms,
                           struct err *err);

#endif
