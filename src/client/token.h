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

/* Reads a token; the bytes live in the arena. R0022: other users may read the file, or the token is
 * not valid for any of the addresses. There must be at least one address. */
MUST_CHECK bool token_read(struct arena *arena, const char *path, const struct text *urls,
                           size_t url_count, struct secret *out, struct err *err);

/* Stores a token as FOLDER/NAME with mode 0600. A missing folder is created. */
MUST_CHECK bool token_keep(struct arena *arena, const char *folder, const char *name,
                           struct secret token, struct text url, struct err *err);

/* Creates a folder and its parents with mode 0700. */
MUST_CHECK bool token_folder_make(struct arena *arena, const char *folder, struct err *err);

#endif
