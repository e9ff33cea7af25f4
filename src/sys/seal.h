#ifndef REEVE_SYS_SEAL_H
#define REEVE_SYS_SEAL_H

#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/secret.h"

/* public names start with: seal_ */

/* Secrets at rest (docs/decisions/0044). A master key in a separate file seals values with
 * XChaCha20-Poly1305. A sealed value is bound to its subject, so that it cannot be opened for
 * another subject. The sealed form is text:
 *
 *     1.KEYID.BASE64
 *
 * The same value of the same subject under the same key gives the same text, because the nonce is
 * derived from all three. A key is in locked memory, is absent from core dumps, and is wiped when
 * it is closed. */
struct seal_key;

/* Bytes of the id of a key, and of a digest of a value, with their NUL. */
enum { SEAL_ID_BYTES = 9, SEAL_DIGEST_BYTES = 9 };

/* Read a key. Fails with R0660 if there is none, if it is invalid, or if others than its owner may
 * read it. */
MUST_CHECK bool seal_key_open(const char *path, struct seal_key **out, struct err *err);

/* Read a key in two steps, for a process that loses the right to open the file before it may have
 * the key in memory. seal_key_file() opens the file and checks its owner; seal_key_read() reads it.
 * `path` is for messages. R0660. */
MUST_CHECK bool seal_key_file(const char *path, int *out, struct err *err);
MUST_CHECK bool seal_key_read(int fd, const char *path, struct seal_key **out, struct err *err);

/* Draw a key and write it to a new file of mode 0400. An existing file is never changed. Fails with
 * R0660. */
MUST_CHECK bool seal_key_make(const char *path, struct seal_key **out, struct err *err);

/* True if a file exists at this path. */
bool seal_key_is_there(const char *path);

/* ---- handing a key to another machine ---- */

/* Bytes of the content of a key's file, and of a key as text, with their NUL. */
enum { SEAL_FILE_BYTES = 64, SEAL_TEXT_BYTES = 44 };

/* Read the content of a key's file, which the caller wipes. R0660. */
MUST_CHECK bool seal_file_read(const char *path, char out[static SEAL_FILE_BYTES], struct err *err);

/* Writes the content of another machine's key file to `path`. If that file has a key with another
 * id, it is moved to `PATH.ID`, and *out_former is that id; else *out_former is empty. Fails with
 * R0660 if `content` is not that of a key, or it cannot be written. */
MUST_CHECK bool seal_file_write(const char *path, struct secret content,
                                char out_former[static SEAL_ID_BYTES], struct err *err);

/* seal_text_draw draws a key that exists only as text, of the characters A-Z, a-z, 0-9, '-' and
 * '_'. seal_text_parse reads a key from its text; false: the text is not a key. */
void seal_text_draw(char out_text[static SEAL_TEXT_BYTES], struct seal_key **out);
MUST_CHECK bool seal_text_parse(struct text text, struct seal_key **out);

/* Wipe and free the key. NULL is allowed. */
void seal_key_close(struct seal_key *key);

/* Identifies the key among others, without any information about it. */
const char *seal_key_id(const struct seal_key *key);

/* Seal a value and bind it to the subject `about`. The result lives in the arena. */
struct text seal_close(struct arena *arena, const struct seal_key *key, struct text about,
                       struct secret value);

/* The id of the key in a sealed text; empty if the text is not sealed. */
struct text seal_id(struct text sealed);

/* Open a sealed text into `room` bytes of the caller, who wipes them. R0661: it was sealed by
 * another key. R0662: it was changed, belongs to another subject, or does not fit. */
MUST_CHECK bool seal_open(const struct seal_key *key, struct text about, struct text sealed,
                          char *out, size_t room, size_t *out_length, struct err *err);

/* A digest for display, which shows whether a value has changed. Without the key it cannot be used
 * to guess the value. */
void seal_digest(const struct seal_key *key, struct text about, struct secret value,
                 char out[static SEAL_DIGEST_BYTES]);

/* From here on this process writes no core file, and no other process of its user can inspect
 * it. */
void seal_process(void);

#endif
