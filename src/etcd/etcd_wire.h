#ifndef REEVE_ETCD_ETCD_WIRE_H
#define REEVE_ETCD_ETCD_WIRE_H

#include "base/buf.h"

/* public names start with: wire_ */

/* Encoding of protocol buffers. docs/decisions/0011 has the reasons for this implementation.
 *
 * Reading neither copies nor allocates: the bytes of a field are a slice of the message, and every
 * length is checked. Unknown fields are skipped, as the format requires. */

/* A field of a message: a number, or bytes (a text or an embedded message). */
struct wire_field {
    uint32_t number;
    bool is_bytes;
    uint64_t value; /* value of a number */
    struct text bytes;
};

enum wire_step {
    WIRE_STEP_FIELD,  /* a field was read */
    WIRE_STEP_END,    /* end of the message */
    WIRE_STEP_BROKEN, /* invalid message */
};

/* Reads the next field from the front of *rest, and removes it. */
enum wire_step wire_next(struct text *rest, struct wire_field *out);

/* Append a field. wire_add_number omits the value 0, which is the default of the format. */
void wire_add_number(struct buf *buf, uint32_t field, uint64_t value);
void wire_add_zero(struct buf *buf, uint32_t field);
void wire_add_text(struct buf *buf, uint32_t field, struct text text);

/* Begin and end an embedded message, which contains all fields that are added in between. */
size_t wire_open(struct buf *buf, uint32_t field);
void wire_close(struct buf *buf, size_t opened);

#endif
