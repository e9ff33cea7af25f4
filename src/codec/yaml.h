#ifndef REEVE_CODEC_YAML_H
#define REEVE_CODEC_YAML_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* A text that documents are read from. The bytes must live as long as the trees. */
struct yaml_docs {
    const struct doc *items;
    size_t count;
};

/* Read all documents of a YAML 1.2 stream (`---` separates them; an empty document is left out).
 *
 * origin names the source of every node. Trees live in the arena and borrow from `bytes`.
 * Fails at the first fault, with its place: syntax, a limit of limits.h (checked before memory is
 * taken), a duplicate key (note: where the first one is), a tag, `<<`, a key that is no scalar,
 * an unknown or self-containing alias, NUL, invalid UTF-8, an integer beyond 64 bits. */
MUST_CHECK bool yaml_parse(struct arena *arena, struct text bytes, const struct origin *origin,
                           struct yaml_docs *out, struct err *err);

/* The same for a text that a person wins by seeing all faults of: what reading can go on after
 * (duplicate keys, tags, integers beyond 64 bits) goes to `tolerated`, as many as a list keeps, and
 * only what ends the reading to `err`. */
MUST_CHECK bool yaml_parse_tolerant(struct arena *arena, struct text bytes,
                                    const struct origin *origin, struct yaml_docs *out,
                                    struct err_list *tolerated, struct err *err);

/* Write a tree as block YAML that reads back as the same tree, two blanks a level, keys in the order
 * of the tree, text quoted only where its spelling would mean something else. Ends in a newline. */
void yaml_format(struct buf *buf, const struct doc *doc);

#endif
