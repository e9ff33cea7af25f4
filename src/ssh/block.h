#ifndef REEVE_SSH_BLOCK_H
#define REEVE_SSH_BLOCK_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: ssh_ */

/* Manages reeve's lines in a file that reeve shares with others (`sshTrust: classic`:
 * authorized_keys of root). They are between two markers:
 *
 *     # reeve begin acme/0f3c: these lines are reeve's, and are written again
 *     ssh-ed25519 AAAA... root@web-1
 *     # reeve end acme/0f3c
 *
 * The function maps the old text to the new text; the caller replaces the file in one step. Each
 * cluster has a separate block. All other lines are kept byte by byte, and a block keeps its
 * position. */

/* Replaces the lines of the block with this name (ssh_block_is_name). If the block is missing, it
 * is added at the end. Without lines, the block is removed. *out lives in the arena, or is `before`
 * itself. Fails with R0745 and the line number if a marker is duplicated or has no counterpart; the
 * function never guesses. Fails with R0744 if one of the lines is not a single line, or looks like
 * a marker. */
MUST_CHECK bool ssh_block_put(struct arena *arena, struct text before, struct text name,
                              const struct text *lines, size_t count, struct text *out,
                              struct err *err);

/* True if the name is not empty, has at most LIMIT_SSH_NAME_BYTES, and consists of letters, digits
 * and ._/- only. */
bool ssh_block_is_name(struct text name);

#endif
