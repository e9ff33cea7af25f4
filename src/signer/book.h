#ifndef REEVE_SIGNER_BOOK_H
#define REEVE_SIGNER_BOOK_H

#include "base/err.h"
#include "base/macros.h"
#include "sys/log_line.h"

/* The log of signings: a file that is only added to, one line for each thing that was done with a key. Unlike sys/log it drops
 * nothing, repeats everything, and says when it could not be written: then nothing is signed. */
struct book {
    int fd;
    bool is_half; /* a full disk took half a line: the next one ends it first */
};

/* May it stand there as one word, up to so many bytes? Visible ASCII without blanks; the same for ids of certificates. */
bool book_is_word(struct text text, size_t most);

/* Write a line. R0748: it is not there. */
MUST_CHECK bool book_write(struct book *book, const struct log_event *event, int64_t wall_ms,
                           struct err *err);

#endif
