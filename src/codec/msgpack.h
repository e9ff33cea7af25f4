#ifndef REEVE_CODEC_MSGPACK_H
#define REEVE_CODEC_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* Reads and writes MessagePack item by item: the format of plugin processes and of serf agents
 * (docs/decisions/0011).
 *
 * A list or a map is a head with a count, followed by as many items (pairs); there is no tree.
 * Reading borrows from the bytes and allocates nothing. A count is not trustworthy: allocate memory
 * as items arrive, not by the count. */

enum msgpack_kind {
    MSGPACK_NIL,
    MSGPACK_BOOL,     /* natural is 0 or 1 */
    MSGPACK_NATURAL,  /* natural; also integer if it fits */
    MSGPACK_NEGATIVE, /* integer, below 0 */
    MSGPACK_REAL,     /* a float, in the member `real` */
    MSGPACK_TEXT,     /* bytes; not checked to be UTF-8 */
    MSGPACK_BINARY,   /* binary bytes */
    MSGPACK_LIST,     /* count items follow */
    MSGPACK_MAP,      /* count pairs follow */
    MSGPACK_OTHER,    /* an extension type: bytes */
};

struct msgpack_item {
    enum msgpack_kind kind;
    uint64_t natural;
    int64_t integer;
    double real;
    struct text bytes;
    size_t count;
};

/* The state of a reader. */
struct msgpack_reader {
    const unsigned char *at;
    const unsigned char *end;
};

/* Start at the first byte. */
struct msgpack_reader msgpack_read(struct text bytes);

/* Read the next item. Returns false, with *reader unchanged, if the bytes end within it or are
 * invalid. */
MUST_CHECK bool msgpack_next(struct msgpack_reader *reader, struct msgpack_item *out);

/* Skip the next item with all items inside it. Returns false as above, or if it is nested too deep
 * (LIMIT_DOCUMENT_DEPTH). */
MUST_CHECK bool msgpack_pass(struct msgpack_reader *reader);

/* True if all bytes were read. */
bool msgpack_is_over(const struct msgpack_reader *reader);

/* Append an item in its shortest form. */
void msgpack_add_nil(struct buf *buf);
void msgpack_add_bool(struct buf *buf, bool value);
void msgpack_add_natural(struct buf *buf, uint64_t value);
void msgpack_add_integer(struct buf *buf, int64_t value);
void msgpack_add_text(struct buf *buf, struct text text);
void msgpack_add_binary(struct buf *buf, struct text bytes);
void msgpack_add_list(struct buf *buf, size_t count);
void msgpack_add_map(struct buf *buf, size_t count);

#endif
