#ifndef REEVE_CODEC_JSON_H
#define REEVE_CODEC_JSON_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Read one JSON text (RFC 8259, strict). Numbers keep their spelling, and nodes have positions.
 *
 * `origin` is the source of every node. The tree lives in the arena and borrows from `bytes` for
 * strings without escapes. Fails at the first error, with its position: syntax (with the expected
 * token), a limit of limits.h, a duplicate key, NUL (also \u0000), invalid UTF-8 or a lone
 * surrogate, an integer beyond 64 bits, or anything after the value. */
MUST_CHECK bool json_parse(struct arena *arena, struct text bytes, const struct origin *origin,
                           struct doc *out, struct err *err);

/* Like json_parse(), but duplicate keys are added to `tolerated` while it has space, and reading
 * continues. */
MUST_CHECK bool json_parse_tolerant(struct arena *arena, struct text bytes,
                                    const struct origin *origin, struct doc *out,
                                    struct err_list *tolerated, struct err *err);

/* Like json_parse(), for an answer of a manager. The limit is LIMIT_ANSWER_NODES in place of the
 * limits for documents of users; the size in bytes was checked on receipt. */
MUST_CHECK bool json_parse_answer(struct arena *arena, struct text bytes, struct doc *out,
                                  struct err *err);

/* Like json_parse(), for text that json_format() wrote and a store kept, but much faster.
 * Nodes have no position, because no user wrote the text. Any other text is read or rejected as by
 * json_parse(). */
MUST_CHECK bool json_parse_record(struct arena *arena, struct text bytes,
                                  const struct origin *origin, struct doc *out, struct err *err);

/* Write the canonical form: UTF-8, keys in byte order, no spaces, shortest escapes, numbers as
 * spelled. Plain scalars are written by their core type. A number with another spelling than JSON
 * permits is converted (0x1F to 31, +1 to 1, .5 to 0.5, 007 to 7). `.inf` and `.nan`, which JSON
 * lacks, are written as text, and empty scalars as null. The same tree always gives the same
 * bytes. */
void json_format(struct buf *buf, const struct doc *doc);

/* Write a tree for display: two spaces per level, one entry per line. Ends in a newline. */
void json_format_pretty(struct buf *buf, const struct doc *doc);

/* Return the length of the canonical form in bytes, without writing it. */
size_t json_count_bytes(const struct doc *doc);

/* True if the canonical form has more than this many bytes. The exact count is computed only if a
 * quick upper bound exceeds the limit. */
bool json_is_longer(const struct doc *doc, size_t bytes);

#endif
