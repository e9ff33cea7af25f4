#ifndef REEVE_CODEC_MSGPACK_H
#define REEVE_CODEC_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* MessagePack, item by item: what plugins' processes and serf's agents speak (docs/decisions/0040).
 *
 * A list or a map is a head with a count, and so many items (pairs) after it; there is no tree. Reading borrows
 * from the bytes, allocates nothing, and believes no length: a count is a promise of the sender's, and memory is
 * to be asked for as items come. */

enum msgpack_kind {
    MSGPACK_NIL,
    MSGPACK_BOOL,     /* natural is 0 or 1 */
    MSGPACK_NATURAL,  /* natural; integer as well where it fits */
    MSGPACK_NEGATIVE, /* integer, below 0 */
    MSGPACK_REAL,     /* real */
    MSGPACK_TEXT,     /* bytes; not checked to be UTF-8 */
    MSGPACK_BINARY,   /* bytes */
    MSGPACK_LIST,     /* count items follow */
    MSGPACK_MAP,      /* count pairs follow */
    MSGPACK_OTHER,    /* a type of somebody's own: bytes */
};

struct msgpack_item {
    enum msgpack_kind kind;
    uint64_t natural;
    int64_t integer;
    double real;
    struct text bytes;
    size_t count;
};

/* Where reading stands. */
struct msgpack_reader {
    const unsigned char *at;
    const unsigned char *end;
};

/* Begin at the first byte. */
struct msgpack_reader msgpack_read(struct text bytes);

/* The next item. False: the bytes end within it, or it is none; *reader is where it was. */
MUST_CHECK bool msgpack_next(struct msgpack_reader *reader, struct msgpack_item *out);

/* Pass over the next item with all that belongs to it. False: as above, or it is nested too deep
 * (LIMIT_DOCUMENT_DEPTH). */
MUST_CHECK bool msgpack_pass(struct msgpack_reader *reader);

/* Has all been read? */
bool msgpack_is_over(const struct msgpack_reader *reader);

/* Add an item, each in its shortest form. */
void msgpack_add_nil(struct buf *buf);
void msgpack_add_bool(struct buf *buf, bool value);
void msgpack_add_natural(struct buf *buf, uint64_t value);
void msgpack_add_integer(struct buf *buf, int64_t value);
void msgpack_add_text(struct buf *buf, struct text text);
void msgpack_add_binary(struct buf *buf, struct text bytes);
void msgpack_add_list(struct buf *buf, size_t count);
void msgpack_add_map(struct buf *buf, size_t count);

#endif
