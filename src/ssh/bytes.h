#ifndef REEVE_SSH_BYTES_H
#define REEVE_SSH_BYTES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* public names start with: ssh_ */

/* The elements of OpenSSH's formats (RFC 4251, section 5): numbers with their highest byte first,
 * and strings of bytes after their length. Reading borrows from the bytes. A failed read leaves
 * *rest unchanged. */

/* Read an element and remove it from the start of `rest`. Returns false if it is incomplete. */
MUST_CHECK bool ssh_take_byte(struct text *rest, uint8_t *out);
MUST_CHECK bool ssh_take_u32(struct text *rest, uint32_t *out);
MUST_CHECK bool ssh_take_u64(struct text *rest, uint64_t *out);
MUST_CHECK bool ssh_take_string(struct text *rest, struct text *out);

/* The same for a string of exactly this length. */
MUST_CHECK bool ssh_take_fixed(struct text *rest, void *out, size_t bytes);

/* Append an element. */
void ssh_add_u32(struct buf *buf, uint32_t value);
void ssh_add_u64(struct buf *buf, uint64_t value);
void ssh_add_string(struct buf *buf, struct text bytes);

/* Append a string in parts: the bytes that are appended between these two calls form the string.
 * `at` is the result of the first call. */
size_t ssh_string_begin(struct buf *buf);
void ssh_string_end(struct buf *buf, size_t at);

/* Append as base64, padded. */
void ssh_add_base64(struct buf *buf, struct text bytes);

/* Decode base64 in its canonical spelling; the bytes live in the arena. Returns false for any other
 * text. */
MUST_CHECK bool ssh_base64_parse(struct arena *arena, struct text text, struct text *out);

/* Remove the next word and the spaces after it from the line. Returns an empty text if there is
 * none. */
struct text ssh_take_word(struct text *rest);

#endif
