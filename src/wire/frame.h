#ifndef REEVE_WIRE_FRAME_H
#define REEVE_WIRE_FRAME_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: frame_ wire_ */

/* Frames between the manager and its processes. A frame is a length (4 bytes, least significant
 * byte first) and a MessagePack list: the type of the message, and its fields in the order of a
 * table. New fields are appended. A receiver skips fields that it does not know; a field that was
 * not sent is empty. Both sides check all lengths, counts and UTF-8.
 *
 * The messages are in wire.h for plugin processes, in session_ipc.h for session processes, in
 * sign.h for the signer, and in playbook_ipc.h for playbook processes. */

/* An array and the number of its items. */
struct wire_list {
    void *items;
    size_t count;
};

/* Returns item i of a list with items of this type. */
#define wire_item(list, type, i) (&((type *)(list).items)[i])

/* A name and a value, or a pointer and an error. */
struct wire_pair {
    struct text name;
    struct text value;
};

/* The type of a field: uint64_t, int64_t, UTF-8 text, text of any bytes, list of structs (struct
 * wire_list), list of texts (struct wire_list of struct text). */
enum frame_kind {
    FRAME_NATURAL,
    FRAME_INTEGER,
    FRAME_TEXT,
    FRAME_BYTES,
    FRAME_LIST,
    FRAME_TEXTS,
};

struct frame_field {
    size_t offset;
    enum frame_kind kind;
    const struct frame_shape *items; /* shape of the items of a FRAME_LIST */
};

/* The table of a struct, with which it is written and read. */
struct frame_shape {
    const struct frame_field *fields;
    size_t count;
    size_t bytes; /* size of the struct in bytes */
};

/* Macros for the rows of a table, and for the struct frame_shape itself. */
#define FRAME_FIELD(type, member, kind)           \
    {                                             \
        offsetof(struct type, member), kind, NULL \
    }
#define NATURAL(type, member) FRAME_FIELD(type, member, FRAME_NATURAL)
#define INTEGER(type, member) FRAME_FIELD(type, member, FRAME_INTEGER)
#define WORDS(type, member)   FRAME_FIELD(type, member, FRAME_TEXT)
#define BYTES(type, member)   FRAME_FIELD(type, member, FRAME_BYTES)
#define TEXTS(type, member)   FRAME_FIELD(type, member, FRAME_TEXTS)
#define LIST(type, member, shape)                           \
    {                                                       \
        offsetof(struct type, member), FRAME_LIST, &(shape) \
    }
#define SHAPE(type, fields)                              \
    {                                                    \
        fields, ARRAY_COUNT(fields), sizeof(struct type) \
    }

/* The table of struct wire_pair. */
extern const struct frame_shape frame_pair_shape;

/* Returns the table of a type of message; NULL: the type is unknown. */
typedef const struct frame_shape *frame_shape_fn(uint64_t type);

/* Append the frame of a message with the fields in `body`. */
void frame_format(struct buf *buf, uint64_t type, const struct frame_shape *shape,
                  const void *body);

/* Length of the head of a frame in bytes. */
enum { FRAME_HEAD_BYTES = 4 };

/* Set *out to the length of the frame at the start of these bytes; 0: its head is incomplete.
 * Fails, with the error code `code`, if the frame exceeds the maximum length. */
MUST_CHECK bool frame_measure(struct text bytes, enum code code, size_t *out, struct err *err);

/* Read a complete frame into `body`, which must be all zero and large enough for every type. Texts
 * borrow from the frame; lists live in the arena, whose limit bounds them. Fails, with the error
 * code `code`, if the frame is invalid or of an unknown type. */
MUST_CHECK bool frame_parse(struct arena *arena, struct text frame, frame_shape_fn *shape_of,
                            enum code code, uint64_t *type, void *body, struct err *err);

#endif
