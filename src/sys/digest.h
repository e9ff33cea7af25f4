#ifndef REEVE_SYS_DIGEST_H
#define REEVE_SYS_DIGEST_H

#include "base/text.h"

enum { DIGEST_TEXT_BYTES = 65 };

/* SHA-256 of bytes, in lower-case hex with its NUL. There is no failure: a machine whose library cannot do that
 * cannot run reeve, and the process ends. */
void digest_sha256(struct text bytes, char out[static DIGEST_TEXT_BYTES]);

enum { DIGEST_STAMP_BYTES = 33 };

/* The first half of HMAC-SHA-256 of bytes with a key, in lower-case hex with its NUL: whoever does not have the
 * key cannot make it. */
void digest_stamp(struct text key, struct text bytes, char out[static DIGEST_STAMP_BYTES]);

#endif
