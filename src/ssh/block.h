#ifndef REEVE_SSH_BLOCK_H
#define REEVE_SSH_BLOCK_H

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: ssh_ */

/* Manages reeve's lines in a file that reeve does not own (`sshTrust: classic`: root's
 * authorized_keys), between two markers:
 *
 *     # reeve begin acme/0f3c: these lines are reeve's, and are written again
 *     ssh-ed25519 AAAA... root@web-1
 *     # reeve end acme/0f3c
 *
 * The function maps a text to a text; the caller replaces the file with it in one step. Each
 * cluster has a separate block. All other lines are kept byte by byte, and a block keeps its
 * position. */

/* Replaces the lines of the block with this name (ssh_block_is_name). A missing block is added at
 * the end. If there are no lines, the block is removed. *out lives in the arena, or is `before`
 * itself. Fails with R0745 and the line if a marker is duplicated or lacks its counterpart; the
 * function never guesses. Fails with R0744 if one of the lines is not a single line, or is itself a
 * marker. */
MUST_CHECK bool ssh_block_put(struct arena *arena, struct text before, struct text name,
                              const struct text *lines, size_t count, struct text *out,
                              struct err *err);

/* True for a name of letters, digits and ._/- only, not empty, of at most LIMIT_SSH_NAME_BYTES. */
bool ssh_block_is_name(struct text name);

#endif
