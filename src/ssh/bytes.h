#ifndef REEVE_SSH_BYTES_H
#define REEVE_SSH_BYTES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* names: ssh_ */

/* What OpenSSH's formats are made of (RFC 4251, section 5): numbers with their highest byte first, and strings of bytes
 * behind their length. Reading borrows from the bytes; what could not be read leaves *rest as it was. */

/* Take what `rest` begins with. False: there is not as much. */
MUST_CHECK bool ssh_take_byte(struct text *rest, uint8_t *out);
MUST_CHECK bool ssh_take_u32(struct text *rest, uint32_t *out);
MUST_CHECK bool ssh_take_u64(struct text *rest, uint64_t *out);
MUST_CHECK bool ssh_take_string(struct text *rest, struct text *out);

/* The same where it has to be of this length. */
MUST_CHECK bool ssh_take_fixed(struct text *rest, void *out, size_t bytes);

/* Append one. */
void ssh_add_u32(struct buf *buf, uint32_t value);
void ssh_add_u64(struct buf *buf, uint64_t value);
void ssh_add_string(struct buf *buf, struct text bytes);

/* A string whose bytes are appended between these two; `at` is what the first one returned. */
size_t ssh_string_begin(struct buf *buf);
void ssh_string_end(struct buf *buf, size_t at);

/* Append as base64, padded. */
void ssh_add_base64(struct buf *buf, struct text bytes);

/* The bytes of base64 in its only right spelling; they live in the arena. False: it is none. */
MUST_CHECK bool ssh_base64_parse(struct arena *arena, struct text text, struct text *out);

/* The next word of a line, and the blanks behind it; empty where it has no more. */
struct text ssh_take_word(struct text *rest);

#endif
