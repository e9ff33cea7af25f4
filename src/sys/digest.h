#ifndef REEVE_SYS_DIGEST_H
#define REEVE_SYS_DIGEST_H

#include "base/text.h"

enum { DIGEST_TEXT_BYTES = 65 };

/* Write the SHA-256 of bytes in lower-case hex, with a final NUL. There is no error: if the library
 * cannot compute it, the process ends. */
void digest_sha256(struct text bytes, char out[static DIGEST_TEXT_BYTES]);

enum { DIGEST_STAMP_BYTES = 33 };

/* Write the first half of the HMAC-SHA-256 of bytes in lower-case hex, with a final NUL. It cannot
 * be computed without the key. */
void digest_stamp(struct text key, struct text bytes, char out[static DIGEST_STAMP_BYTES]);

/* SHA-256 of bytes that are added in pieces. digest_stream_end() frees the stream. */
struct digest_stream;
struct digest_stream *digest_stream_new(void);
void digest_stream_add(struct digest_stream *stream, struct text bytes);
void digest_stream_end(struct digest_stream *stream, char out[static DIGEST_TEXT_BYTES]);

/* Write the digest as 32 binary bytes, and free the stream. */
enum { DIGEST_BYTES = 32 };
void digest_stream_end_raw(struct digest_stream *stream, unsigned char out[static DIGEST_BYTES]);

#endif
