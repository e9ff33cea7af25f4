#ifndef REEVE_MODEL_SELECTOR_H
#define REEVE_MODEL_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* What stands behind -l and in `selector=`: conditions on labels, facts and state, parted by commas, all
 * of which must hold.
 *
 *     role=web            is this (== means the same)     role!=web   is not this, or is not there
 *     zone in (a, b)      is one of these                 zone notin (a, b)   is none, or is not there
 *     gpu                 is there                        !gpu        is not there
 *     mem>=64Gi           compares numbers; also > < <=   what is not there or no number never holds
 *
 * Numbers may have a unit of size: Ki Mi Gi Ti, and B kB MB GB TB KiB MiB GiB TiB; all are bytes then. A
 * value with other signs than letters, digits and `_ . / : @ + * % -` stands in quotes, '...' or "...",
 * in which a backslash makes the next sign stand for itself. Case counts. */

enum selector_op {
    SELECTOR_IN, /* = is this with one value */
    SELECTOR_NOT_IN,
    SELECTOR_EXISTS,
    SELECTOR_MISSING,
    SELECTOR_ABOVE,
    SELECTOR_AT_LEAST,
    SELECTOR_BELOW,
    SELECTOR_AT_MOST,
    SELECTOR_OP_COUNT,
};

struct selector_clause {
    struct text key;
    enum selector_op op;
    const struct text *values; /* of IN and NOT_IN; one, the number, of comparisons */
    size_t value_count;
    double number; /* of comparisons */
};

/* Lives in the arena it was parsed into. Never empty: "everything" is said in another way. */
struct selector {
    const struct selector_clause *clauses;
    size_t count;
};

/* Read a selector; nothing of `text` is needed afterwards. R0531, with the place in the text (line 1). */
MUST_CHECK bool selector_parse(struct arena *arena, struct text text, struct selector *out,
                               struct err *err);

/* Gives the value of a key; false: it is not there. */
typedef bool selector_find(void *arg, struct text key, struct text *out);

/* Do all conditions hold? */
bool selector_matches(const struct selector *selector, selector_find *find, void *arg);

/* Write it in its one canonical form, which reads back as the same. */
void selector_format(struct buf *buf, const struct selector *selector);

#endif
