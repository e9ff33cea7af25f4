#ifndef REEVE_CLI_TERM_PATH_H
#define REEVE_CLI_TERM_PATH_H

#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Path expressions: a subset of JSONPath (RFC 9535) with root, child, wildcard, index, slice and
 * filter (comparison, existence, && || !), without descendants (..) and functions. A leading $ may
 * be left out. */
struct path;

/* Parse an expression; its text must outlive the path. `place` is the start of the expression in a
 * source of the command, so that an error (R0008) has its caret under the invalid part. */
MUST_CHECK bool path_parse(struct arena *arena, struct text expression, struct place place,
                           struct path **out, struct err *err);

/* The result of an expression. Values point into the document. */
struct path_nodes {
    const struct doc **items;
    size_t count;
};

/* Evaluate the expression against a document, its root $. The list is in the arena. */
struct path_nodes path_find(struct arena *arena, const struct path *path, const struct doc *root);

#endif
