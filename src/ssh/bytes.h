#ifndef REEVE_SSH_BYTES_H
#define REEVE_SSH_BYTES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/text.h"

/* public names start with: ssh_ */

/* The elements of OpenSSH's formats (RFC 4251, section 5): numbers with the most significant byte
 * first, and strings of bytes with their length in front. Texts that are read borrow from the
 * bytes. A failed read leaves *rest unchanged. */

/* Read an element from the start of `rest`, and remove it. Return false if the element is
 * incomplete. */
MUST_CHECK bool ssh_take_byte(struct text *rest, uint8_t *out);
MUST_CHECK bool ssh_take_u32(struct text *rest, uint32_t *out);
MUST_CHECK bool ssh_take_u64(struct text *rest, uint64_t *out);
MUST_CHECK bool ssh_take_string(struct text *rest, struct text *out);

/* Like ssh_take_string, for a string that must have exactly this length. */
MUST_CHECK bool ssh_take_fixed(struct text *rest, void *out, size_t bytes);

/* Append an element. */
void ssh_add_u32(struct buf *buf, uint32_t value);
void ssh_add_u64(struct buf *buf, uint64_t value);
void ssh_add_string(struct buf *buf, struct text bytes);

/* Append a string in parts: the bytes that are appended between the two calls form the string. `at`
 * is the result of ssh_string_begin. */
size_t ssh_string_begin(struct buf *buf);
void ssh_string_end(struct buf *buf, size_t at);

/* Append the bytes as base64 with padding. */
void ssh_add_base64(struct buf *buf, struct text bytes);

/* Decode base64. The bytes live in the arena. Returns false if the text is not in the canonical
 * spelling. */
MUST_CHECK bool ssh_base64_parse(struct arena *arena, struct text text, struct text *out);

/* Remove the next word, and the spaces after it, from the line. The word is empty at the end of the
 * line. */
struct text ssh_take_word(struct text *rest);

#endif
