#ifndef REEVE_SESSION_SCRIPT_H
#define REEVE_SESSION_SCRIPT_H

#include "base/buf.h"
#include "session/transport.h"

/* Files as commands: what a plain shell with coreutils or busybox can do, on nodes that have no SFTP. Pure.
 *
 * put writes PATH.part, checks its digest there, syncs and renames. A connection that is cut leaves a short file,
 * whose digest is wrong: the script removes it, and PATH stays as it was. */

/* A text as one word of a shell. */
struct text script_quote(struct arena *arena, struct text word);

/* The same, appended. */
void script_quote_add(struct buf *buf, struct text word);

/* Its length as such. */
size_t script_quoted_bytes(struct text word);

/* The command that puts what comes on its input. */
struct text script_put(struct arena *arena, struct text path, unsigned mode, struct text digest);

/* How it ended. NONE: it is there. `why` is what it wrote to its standard error, made plain. */
enum transport_fault script_put_fault(int code);

/* The command that tells a file: first its digest and its size, then as many bytes and one more. */
struct text script_get(struct arena *arena, struct text path, uint64_t limit_bytes);

/* Read what it wrote. LIMIT: there is more; DIGEST: it is not what its digest says; NODE: it could not. */
enum transport_fault script_get_read(int code, struct text output, uint64_t limit_bytes,
                                     struct text *out);

/* At most so many bytes of what a node wrote, without control characters, for a message. */
struct text script_plain(struct arena *arena, struct text text);

#endif
