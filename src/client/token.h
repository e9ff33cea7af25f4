#ifndef REEVE_CLIENT_TOKEN_H
#define REEVE_CLIENT_TOKEN_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/secret.h"

/* Tokens of this user. Each is in a separate file that no other user may read. The file of a
 * context also contains the address that the token is for; the token is sent to no other address:
 *
 *     TOKEN
 *     https://reeve.example.org */

/* Reads a token into the arena. `urls` has at least one address. Fails with R0022 if other users
 * may read the file, or if the token is for none of these addresses. */
MUST_CHECK bool token_read(struct arena *arena, const char *path, const struct text *urls,
                           size_t url_count, struct secret *out, struct err *err);

/* Stores a token as FOLDER/NAME with mode 0600. A missing folder is created. */
MUST_CHECK bool token_keep(struct arena *arena, const char *folder, const char *name,
                           struct secret token, struct text url, struct err *err);

/* Creates a folder and its parents with mode 0700. */
MUST_CHECK bool token_folder_make(struct arena *arena, const char *folder, struct err *err);

#endif
