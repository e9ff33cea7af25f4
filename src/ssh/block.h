#ifndef REEVE_SSH_BLOCK_H
#define REEVE_SSH_BLOCK_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* names: ssh_ */

/* reeve's lines in a file that is somebody else's (`sshTrust: classic`: root's authorized_keys), between two marks:
 *
 *     # reeve begin acme/0f3c: these lines are reeve's, and are written anew
 *     ssh-ed25519 AAAA... root@web-1
 *     # reeve end acme/0f3c
 *
 * A text in, a text out, which the caller puts in its place at once. Each cluster has a block of its own; all other lines
 * stay, byte by byte, and so does the place of a block. */

/* Put these lines into the block of this name (ssh_block_is_name), which is made at the end where there is none; no lines:
 * it is taken away. What comes out lives in the arena, or is `before` itself. R0745, with the line: a mark is there twice, or without its other
 * half; nothing is guessed then. R0744: a line that is no single line, or is a mark itself. */
MUST_CHECK bool ssh_block_put(struct arena *arena, struct text before, struct text name,
                              const struct text *lines, size_t count, struct text *out,
                              struct err *err);

/* Letters, digits and ._/- only, not empty, up to LIMIT_SSH_NAME_BYTES. */
bool ssh_block_is_name(struct text name);

#endif
