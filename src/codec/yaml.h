#ifndef REEVE_CODEC_YAML_H
#define REEVE_CODEC_YAML_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* The documents of a text. The bytes of the text must live as long as the trees. */
struct yaml_docs {
    const struct doc *items;
    size_t count;
};

/* Read all documents of a YAML 1.2 stream (separated by `---`; empty documents are omitted).
 *
 * `origin` is the source of every node. Trees live in the arena and borrow from `bytes`. Fails at
 * the first error, with its position: syntax, a limit of limits.h (checked before memory is
 * allocated), a duplicate key (note: position of the first one), a tag, `<<`, a key that is not a
 * scalar, an unknown or self-containing alias, NUL, invalid UTF-8, or an integer beyond 64 bits. */
MUST_CHECK bool yaml_parse(struct arena *arena, struct text bytes, const struct origin *origin,
                           struct yaml_docs *out, struct err *err);

/* Like yaml_parse(), but reports all errors in the text to the user. Errors after which reading can
 * continue (duplicate keys, tags, integers beyond 64 bits) are added to `tolerated` while it has
 * space. Only an error that ends the reading goes to `err`. */
MUST_CHECK bool yaml_parse_tolerant(struct arena *arena, struct text bytes,
                                    const struct origin *origin, struct yaml_docs *out,
                                    struct err_list *tolerated, struct err *err);

/* Write a tree as block YAML that reads back as the same tree: two blanks per level, keys in the
 * order of the tree, text quoted only if its plain spelling has another meaning. Ends in a
 * newline. */
void yaml_format(struct buf *buf, const struct doc *doc);

#endif
