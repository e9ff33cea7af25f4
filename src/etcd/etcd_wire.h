#ifndef REEVE_ETCD_ETCD_WIRE_H
#define REEVE_ETCD_ETCD_WIRE_H

#include "base/buf.h"

/* names: wire_ */

/* Protocol buffers as bytes: what docs/decisions/0011 says why we write and read by hand.
 *
 * Reading copies nothing and takes no memory: a field's bytes are a slice of the message, and every
 * length is checked against what is there. Fields nobody knows are passed over, as the format
 * demands. */

/* One field of a message: a number, or bytes (a text or a message within). */
struct wire_field {
    uint32_t number;
    bool is_bytes;
    uint64_t value; /* where it is a number */
    struct text bytes;
};

enum wire_step {
    WIRE_STEP_FIELD,  /* here is one */
    WIRE_STEP_END,    /* the message was read whole */
    WIRE_STEP_BROKEN, /* these bytes are no message */
};

/* Take the next field off the front of *rest. */
enum wire_step wire_next(struct text *rest, struct wire_field *out);

/* Append a field. Numbers that are 0 are left out by wire_add_number, as the format's default. */
void wire_add_number(struct buf *buf, uint32_t field, uint64_t value);
void wire_add_zero(struct buf *buf, uint32_t field);
void wire_add_text(struct buf *buf, uint32_t field, struct text text);

/* Begin and end a message within: all that is added between the two belongs to it. */
size_t wire_open(struct buf *buf, uint32_t field);
void wire_close(struct buf *buf, size_t opened);

#endif
