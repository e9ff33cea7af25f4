#ifndef REEVE_BASE_BUF_H
#define REEVE_BASE_BUF_H

#include "base/mem.h"

/* Text that grows at its end, in an arena. The result of buf_text() is valid until the next
 * append. */
struct buf {
    struct arena *arena;
    char *data;
    size_t length;
    size_t room;
};

/* Initialize an empty buffer in memory of the caller. */
void buf_init(struct buf *buf, struct arena *arena);

/* Append to the buffer. buf_add appends a text, buf_add_string a string, buf_add_number a decimal
 * number, buf_add_bytes `count` copies of one byte, and buf_printf a formatted text. */
void buf_add(struct buf *buf, struct text text);
void buf_add_string(struct buf *buf, const char *string);
void buf_add_number(struct buf *buf, uint64_t number);
void buf_add_bytes(struct buf *buf, char byte, size_t count);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);

/* Reserve space for at least `bytes` more bytes and a terminating NUL. */
void buf_grow(struct buf *buf, size_t bytes);

/* Reserve space for `bytes` more bytes and return it. The caller writes at most that many bytes and
 * adds the number written to buf->length. The space is valid until the next append. */
static inline char *buf_reserve(struct buf *buf, size_t bytes)
{
    if (bytes >= buf->room - buf->length) { /* one byte is for the NUL */
        buf_grow(buf, bytes);
    }
    return buf->data + buf->length;
}

/* Append one byte. The content then has no terminating NUL until the next append or buf_text(); the
 * same holds for bytes written into reserved space. */
static inline void buf_add_byte(struct buf *buf, char byte)
{
    *buf_reserve(buf, 1) = byte;
    buf->length++;
}

/* Return the content, with a terminating NUL. Borrowed from the buffer. */
struct text buf_text(struct buf *buf);

#endif
