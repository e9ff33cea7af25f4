#ifndef REEVE_CLIENT_TOKEN_H
#define REEVE_CLIENT_TOKEN_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/secret.h"

/* Tokens of this user, one file each, which nobody else may read. The file of a context also says
 * for which address the token was given, and it is sent to no other:
 *
 *     TOKEN
 *     https://reeve.example.org */

/* Read a token; the bytes live in the arena. R0022: others may read the file, or the token belongs
 * to another address than `url`. */
MUST_CHECK bool token_read(struct arena *arena, const char *path, struct text url,
                           struct secret *out, struct err *err);

/* Keep a token as FOLDER/NAME, mode 0600; the folder is made where it is missing. */
MUST_CHECK bool token_keep(struct arena *arena, const char *folder, const char *name,
                           struct secret token, struct text url, struct err *err);

/* Make a folder and those above it, mode 0700. */
MUST_CHECK bool token_folder_make(struct arena *arena, const char *folder, struct err *err);

#endif
