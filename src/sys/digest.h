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

/* SHA-256 of bytes that come piece by piece. digest_stream_end takes the stream away. */
struct digest_stream;
struct digest_stream *digest_stream_new(void);
void digest_stream_add(struct digest_stream *stream, struct text bytes);
void digest_stream_end(struct digest_stream *stream, char out[static DIGEST_TEXT_BYTES]);

/* The same, as its 32 bytes. */
enum { DIGEST_BYTES = 32 };
void digest_stream_end_raw(struct digest_stream *stream, unsigned char out[static DIGEST_BYTES]);

#endif
