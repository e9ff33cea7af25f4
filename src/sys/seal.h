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
 * The same value of the same subject under the same key always gives the same text, because the
 * nonce is derived from all three. A key is kept in locked memory, is absent from core dumps, and
 * is wiped when it is closed. */
struct seal_key;

/* Sizes of a key's id and of a value's digest in bytes, with the NUL. */
enum { SEAL_ID_BYTES = 9, SEAL_DIGEST_BYTES = 9 };

/* Read a key. Fails with R0660 if the file does not exist, is invalid, or is readable by others
 * than its owner. */
MUST_CHECK bool seal_key_open(const char *path, struct seal_key **out, struct err *err);

/* Read a key in two steps, for a process that loses the right to open the file before it may have
 * the key in memory. seal_key_file() opens the file and checks its owner; seal_key_read() reads the
 * key. `path` is for messages. Both fail with R0660. */
MUST_CHECK bool seal_key_file(const char *path, int *out, struct err *err);
MUST_CHECK bool seal_key_read(int fd, const char *path, struct seal_key **out, struct err *err);

/* Create a random key and write it to a new file with mode 0400. An existing file is never changed.
 * Fails with R0660. */
MUST_CHECK bool seal_key_make(const char *path, struct seal_key **out, struct err *err);

/* True if a file exists at this path. */
bool seal_key_is_there(const char *path);

/* ---- handing a key to another machine ---- */

/* Sizes of the content of a key file and of a key as text in bytes, with the NUL. */
enum { SEAL_FILE_BYTES = 64, SEAL_TEXT_BYTES = 44 };

/* Read the content of a key file. The caller wipes it. Fails with R0660. */
MUST_CHECK bool seal_file_read(const char *path, char out[static SEAL_FILE_BYTES], struct err *err);

/* Writes the content of another machine's key file to `path`. If `path` has a key with another id,
 * that file is moved to `PATH.ID`, and *out_former is its id; otherwise *out_former is empty. Fails
 * with R0660 if `content` is not that of a key file, or it cannot be written. */
MUST_CHECK bool seal_file_write(const char *path, struct secret content,
                                char out_former[static SEAL_ID_BYTES], struct err *err);

/* seal_text_draw creates a random key that exists only as text, of the characters A-Z, a-z, 0-9,
 * '-' and '_'. seal_text_parse reads a key from its text, and returns false if the text is not a
 * key. */
void seal_text_draw(char out_text[static SEAL_TEXT_BYTES], struct seal_key **out);
MUST_CHECK bool seal_text_parse(struct text text, struct seal_key **out);

/* Wipe and free the key. NULL is allowed. */
void seal_key_close(struct seal_key *key);

/* Return the id of the key. It reveals nothing about the key itself. */
const char *seal_key_id(const struct seal_key *key);

/* Seal a value and bind it to the subject `about`. The result lives in the arena. */
struct text seal_close(struct arena *arena, const struct seal_key *key, struct text about,
                       struct secret value);

/* Return the id of the key in a sealed text; empty if the text is not a sealed value. */
struct text seal_id(struct text sealed);

/* Open a sealed text. `out` has `room` bytes, which the caller wipes after use. R0661: another key
 * sealed the text. R0662: the text was changed, belongs to another subject, or does not fit. */
MUST_CHECK bool seal_open(const struct seal_key *key, struct text about, struct text sealed,
                          char *out, size_t room, size_t *out_length, struct err *err);

/* Write a digest of a value for display. It shows whether the value has changed, but without the
 * key it cannot be used to guess the value. */
void seal_digest(const struct seal_key *key, struct text about, struct secret value,
                 char out[static SEAL_DIGEST_BYTES]);

/* Protect this process from now on: it writes no core file, and no other process of its user can
 * inspect it. */
void seal_process(void);

#endif
