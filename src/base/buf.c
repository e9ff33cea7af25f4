#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void buf_init(struct buf *buf, struct arena *arena)
{
    assert(arena != NULL);
    *buf = (struct buf){ .arena = arena };
}

void buf_grow(struct buf *buf, size_t bytes)
{
    size_t needed = buf->length + bytes + 1;
    size_t room = buf->room < 64 ? 64 : buf->room * 2;

    assert(needed > bytes);
    if (room < needed) {
        room = needed;
    }
    buf->data = arena_grow_room(buf->arena, buf->data, buf->room, room);
    buf->room = room;
}

void buf_add(struct buf *buf, struct text text)
{
    char *at = buf_reserve(buf, text.length);

    if (text.length > 0) {
        memcpy(at, text.data, text.length);
    }
    buf->length += text.length;
    buf->data[buf->length] = '\0';
}

void buf_add_string(struct buf *buf, const char *string)
{
    buf_add(buf, text_from(string));
}

void buf_add_number(struct buf *buf, uint64_t number)
{
    char room[20];

    buf_add(buf, text_digits(number, room));
}

void buf_add_bytes(struct buf *buf, char byte, size_t count)
{
    memset(buf_reserve(buf, count), byte, count);
    buf->length += count;
    buf->data[buf->length] = '\0';
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_list again;
    int length;

    assert(format != NULL);
    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    assert(length >= 0);
    vsnprintf(buf_reserve(buf, (size_t)length), (size_t)length + 1, format, again);
    buf->length += (size_t)length;
    va_end(again);
    va_end(args);
}

struct text buf_text(struct buf *buf)
{
    buf_reserve(buf, 0)[0] = '\0';
    return (struct text){ buf->data, buf->length };
}
