#ifndef REEVE_WIRE_FRAME_H
#define REEVE_WIRE_FRAME_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* names: frame_ wire_ */

/* Frames between the manager and its processes: a length (4 bytes, lowest first) and a MessagePack list: the type of the
 * message and its fields in their order in a table. New fields are appended; who does not know them passes over them, and
 * who does not get them has them empty. Both sides check everything: lengths, counts, UTF-8.
 *
 * wire.h has the messages of plugins' processes, hand.h those of the hands. */

/* So many of something; the items stand in a row. */
struct wire_list {
    void *items;
    size_t count;
};

/* Item i of a list of this type. */
#define wire_item(list, type, i) (&((type *)(list).items)[i])

/* A name and a value, or a pointer and what is wrong there. */
struct wire_pair {
    struct text name;
    struct text value;
};

/* What a field is: uint64_t, int64_t, struct text of UTF-8, struct text of any bytes, struct wire_list of structs or of
 * struct text. */
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
    const struct frame_shape *items; /* of FRAME_LIST */
};

/* How a struct is written and read: one table says both. */
struct frame_shape {
    const struct frame_field *fields;
    size_t count;
    size_t bytes; /* of the struct */
};

/* Lines of such a table, and the table. */
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

/* The table of a type of message; NULL: there is none. */
typedef const struct frame_shape *frame_shape_fn(uint64_t type);

/* Add the frame of a message whose fields stand at `body`. */
void frame_format(struct buf *buf, uint64_t type, const struct frame_shape *shape,
                  const void *body);

/* The length of a frame's head. */
enum { FRAME_HEAD_BYTES = 4 };

/* The length of the whole frame that these bytes begin with; 0: its head is not there yet. False: it is longer
 * than a frame may be (err of this code). */
MUST_CHECK bool frame_measure(struct text bytes, enum code code, size_t *out, struct err *err);

/* Read a whole frame into `body`, which is all zero and large enough for every type. Texts are borrowed from it, lists
 * live in the arena, which bounds them. False: it is none, or none that is known (err of this code). */
MUST_CHECK bool frame_parse(struct arena *arena, struct text frame, frame_shape_fn *shape_of,
                            enum code code, uint64_t *type, void *body, struct err *err);

#endif
