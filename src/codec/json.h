#ifndef REEVE_CODEC_JSON_H
#define REEVE_CODEC_JSON_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Read one JSON text (RFC 8259, strict): numbers keep their spelling, places are kept.
 *
 * origin names the source of every node. The tree lives in the arena and borrows from `bytes` where
 * a string has no escapes. Fails at the first fault, with its place: syntax (what was expected), a
 * limit of limits.h, a duplicate key, NUL (also \u0000), invalid UTF-8 or a lone surrogate, an
 * integer beyond 64 bits, anything after the value. */
MUST_CHECK bool json_parse(struct arena *arena, struct text bytes, const struct origin *origin,
                           struct doc *out, struct err *err);

/* The same, but duplicate keys go to `tolerated`, as many as a list keeps, and reading goes on. */
MUST_CHECK bool json_parse_tolerant(struct arena *arena, struct text bytes,
                                    const struct origin *origin, struct doc *out,
                                    struct err_list *tolerated, struct err *err);

/* The same for an answer of a manager: bounded by LIMIT_ANSWER_NODES, and not by what people may write into a file; its
 * bytes were bounded as they came. */
MUST_CHECK bool json_parse_answer(struct arena *arena, struct text bytes, struct doc *out,
                                  struct err *err);

/* The same for what json_format wrote and a store kept, in a fraction of the time: nodes have no place, as the text is
 * nobody's. Whatever else stands in `bytes` is read, or refused, as json_parse does it. */
MUST_CHECK bool json_parse_record(struct arena *arena, struct text bytes,
                                  const struct origin *origin, struct doc *out, struct err *err);

/* The canonical form: UTF-8, keys in byte order, no spaces, shortest escapes, numbers as spelled.
 * Plain scalars are written by their core meaning; a number whose spelling is not JSON's is written
 * in JSON's (0x1F as 31, +1 as 1, .5 as 0.5, 007 as 7); `.inf` and `.nan`, which JSON lacks, as text.
 * Empty scalars are null. The same tree gives the same bytes, always. */
void json_format(struct buf *buf, const struct doc *doc);

/* The same tree for people: two blanks a level, one entry a line. Ends in a newline. */
void json_format_pretty(struct buf *buf, const struct doc *doc);

/* Length of the canonical form in bytes, without making it. */
size_t json_count_bytes(const struct doc *doc);

/* Has the canonical form more bytes than this? Looks closer only where it has nearly as many. */
bool json_is_longer(const struct doc *doc, size_t bytes);

#endif
