#ifndef REEVE_BASE_BUF_H
#define REEVE_BASE_BUF_H

#include "base/mem.h"

/* Text that grows at its end, in an arena. What buf_text returns is valid until the next add. */
struct buf {
    struct arena *arena;
    char *data;
    size_t length;
    size_t room;
};

/* An empty buffer in memory of the caller. */
void buf_init(struct buf *buf, struct arena *arena);

/* Append bytes, a string, one byte `count` times, a formatted text. */
void buf_add(struct buf *buf, struct text text);
void buf_add_string(struct buf *buf, const char *string);
void buf_add_number(struct buf *buf, uint64_t number);
void buf_add_bytes(struct buf *buf, char byte, size_t count);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);

/* Make room for `bytes` more and a NUL. */
void buf_grow(struct buf *buf, size_t bytes);

/* Room for `bytes` more: the caller writes up to as many there and adds what it wrote to buf->length. The
 * next add ends the room. */
static inline char *buf_reserve(struct buf *buf, size_t bytes)
{
    if (bytes >= buf->room - buf->length) { /* one is for the NUL */
        buf_grow(buf, bytes);
    }
    return buf->data + buf->length;
}

/* Append one byte. Like what is written into reserved room, it has no NUL behind it before the next add or buf_text. */
static inline void buf_add_byte(struct buf *buf, char byte)
{
    *buf_reserve(buf, 1) = byte;
    buf->length++;
}

/* What stands in it, terminated by NUL. Borrowed. */
struct text buf_text(struct buf *buf);

#endif
