#ifndef REEVE_SESSION_SCRIPT_H
#define REEVE_SESSION_SCRIPT_H

#include "base/buf.h"
#include "session/transport.h"

/* File transfers as shell commands, for nodes without SFTP. They need a POSIX shell with coreutils
 * or busybox. Pure.
 *
 * put writes PATH.part, checks its digest, syncs it and renames it. If the connection is cut, the
 * file is short and its digest is wrong. The script then removes PATH.part, and PATH stays
 * unchanged. */

/* Returns a text quoted as one word of a shell, in the arena. */
struct text script_quote(struct arena *arena, struct text word);

/* Appends a text quoted as one word of a shell. */
void script_quote_add(struct buf *buf, struct text word);

/* Returns the length of the quoted text. */
size_t script_quoted_bytes(struct text word);

/* Returns the command that writes its standard input to `path`. */
struct text script_put(struct arena *arena, struct text path, unsigned mode, struct text digest);

/* Maps the exit code of a put to a fault. TRANSPORT_FAULT_NONE: the file is complete. */
enum transport_fault script_put_fault(int code);

/* Returns the command that prints a file: its digest and size, and then up to limit_bytes + 1 bytes
 * of its content. */
struct text script_get(struct arena *arena, struct text path, uint64_t limit_bytes);

/* Parses the output of a get. Faults: LIMIT if the file is larger than limit_bytes, DIGEST if the
 * content does not match its digest, NODE if the node could not read the file. */
enum transport_fault script_get_read(int code, struct text output, uint64_t limit_bytes,
                                     struct text *out);

/* Returns the beginning of a node's output for a message, limited in length and without control
 * characters. */
struct text script_plain(struct arena *arena, struct text text);

#endif
