#ifndef REEVE_SELECTOR_RANGES_H
#define REEVE_SELECTOR_RANGES_H

#include "base/buf.h"
#include "base/text.h"

/* Sets of names in display notation: `web-0`, `web-[0-39]`, `web-[01-24,30]`. A number with a
 * leading zero has the fixed width of its spelling. Other numbers have no leading zeros. */

/* Remove the first pattern from a list separated by commas (outside brackets), spaces or line ends.
 * Returns false at the end. */
bool ranges_next(struct text *rest, struct text *out);

/* True if the pattern is valid: no bracket, or one pair with numbers in it. */
bool ranges_is_pattern(struct text pattern);

/* True if a name matches a pattern. An invalid pattern matches only itself. */
bool ranges_has(struct text pattern, struct text name);

/* Returns false if the bytes of a record (JSON) do not contain any of these names, ids or its token
 * as a text. Then the record certainly does not match, and it need not be parsed. `patterns` is a
 * list as for ranges_next. */
bool ranges_may_have(struct text patterns, struct text token, struct text json);

/* Compare names in natural order: text by its bytes, numbers by value, web-2 before web-10. */
int ranges_compare(struct text a, struct text b);

/* Write names, sorted by ranges_compare, as short patterns: `db-0,web-[1-4,7]`. */
void ranges_format(struct buf *buf, const struct text *names, size_t count);

#endif
