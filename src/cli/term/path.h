#ifndef REEVE_CLI_TERM_PATH_H
#define REEVE_CLI_TERM_PATH_H

#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Path expressions: the part of JSONPath (RFC 9535) with root, child, wildcard, index, slice and
 * filter (comparison, existence, && || !). A leading $ may be left out. No descendants (..), no
 * functions. */
struct path;

/* Read an expression, whose text is borrowed. `place` is the start of the expression in a source of
 * the command, so that an error (R0008) has its caret under the invalid part. */
MUST_CHECK bool path_parse(struct arena *arena, struct text expression, struct place place,
                           struct path **out, struct err *err);

/* The result of an expression. Values are borrowed from the document. */
struct path_nodes {
    const struct doc **items;
    size_t count;
};

/* Evaluate against a document ($). The list lives in the arena. */
struct path_nodes path_find(struct arena *arena, const struct path *path, const struct doc *root);

#endif
