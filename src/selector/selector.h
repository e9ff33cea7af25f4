#ifndef REEVE_SELECTOR_SELECTOR_H
#define REEVE_SELECTOR_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* The language of -l and of `selector=`: conditions on labels, facts and state, separated by
 * commas. All conditions must hold.
 *
 *     role=web            equals (also ==)        role!=web          differs, or is absent
 *     zone in (a, b)      is one of these         zone notin (a, b)  is none, or is absent
 *     gpu                 is present              !gpu               is absent
 *     mem>=64Gi           compares numbers; also > < <=   false if absent or no number
 *
 * A number may have a unit of size: Ki Mi Gi Ti, or B kB MB GB TB KiB MiB GiB TiB; it then counts
 * bytes. A value with other characters than letters, digits and `_ . / : @ + * % -` must be quoted,
 * '...' or "...". In quotes a backslash escapes the next character. Case matters. */

enum selector_op {
    SELECTOR_IN, /* `=` is IN with one value */
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
    /* values of IN and NOT_IN; for a comparison, the number as its only value */
    const struct text *values;
    size_t value_count;
    double number; /* the number of a comparison */
};

/* A parsed selector. It lives in the arena of selector_parse() and is never empty: an absent
 * selector matches everything. */
struct selector {
    const struct selector_clause *clauses;
    size_t count;
};

/* Parse a selector. *out does not borrow from `text`. Fails with R0531 and the position in the text
 * (line 1). */
MUST_CHECK bool selector_parse(struct arena *arena, struct text text, struct selector *out,
                               struct err *err);

/* Sets *out to the value of a key. Returns false if the key is absent. */
typedef bool selector_find(void *arg, struct text key, struct text *out);

/* True if all conditions hold. */
bool selector_matches(const struct selector *selector, selector_find *find, void *arg);

/* Write the canonical form. Parsing it gives the same selector. */
void selector_format(struct buf *buf, const struct selector *selector);

#endif
