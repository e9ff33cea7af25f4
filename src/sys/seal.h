#ifndef REEVE_SYS_SEAL_H
#define REEVE_SYS_SEAL_H

#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/secret.h"

/* names: seal_ */

/* Secrets at rest (docs/decisions/0044). A master key in a file of its own seals values: XChaCha20-Poly1305, bound to
 * what the value is of, so that a sealed value in another place does not open. What comes out is text:
 *
 *     1.KEYID.BASE64
 *
 * The same value of the same thing under the same key is the same text: nonces are made of all three. A key is in
 * locked memory that no dump of the process has, and is wiped when it is closed. */
struct seal_key;

/* Of the id of a key, and of a digest of a value, with their NUL. */
enum { SEAL_ID_BYTES = 9, SEAL_DIGEST_BYTES = 9 };

/* Read a key. R0660: there is none, it is no key, or others than its owner may read it. */
MUST_CHECK bool seal_key_open(const char *path, struct seal_key **out, struct err *err);

/* The same in two steps, for whoever may not open any more when the key is to be in memory: open the file and look whose it
 * is; then read it. `path` is for words. R0660. */
MUST_CHECK bool seal_key_file(const char *path, int *out, struct err *err);
MUST_CHECK bool seal_key_read(int fd, const char *path, struct seal_key **out, struct err *err);

/* Draw a key and write it to a new file of mode 0400; what exists is never touched. R0660. */
MUST_CHECK bool seal_key_make(const char *path, struct seal_key **out, struct err *err);

/* Is something at this path? */
bool seal_key_is_there(const char *path);

/* Forget it. NULL is allowed. */
void seal_key_close(struct seal_key *key);

/* By which it is told from others; says nothing about it. */
const char *seal_key_id(const struct seal_key *key);

/* Seal a value that is of `about`. The text lives in the arena. */
struct text seal_close(struct arena *arena, const struct seal_key *key, struct text about,
                       struct secret value);

/* The id of the key that a sealed text names; empty: it is none. */
struct text seal_id(struct text sealed);

/* Open what was sealed: into `room` bytes of the caller, who wipes them. R0661: by another key. R0662: it was changed,
 * is of something else, or does not fit. */
MUST_CHECK bool seal_open(const struct seal_key *key, struct text about, struct text sealed,
                          char *out, size_t room, size_t *out_length, struct err *err);

/* By which people see whether a value is another one: nobody without the key can try values against it. */
void seal_digest(const struct seal_key *key, struct text about, struct secret value,
                 char out[static SEAL_DIGEST_BYTES]);

/* From here on this process leaves no core file and lets no other process of its user look into it. */
void seal_process(void);

#endif
