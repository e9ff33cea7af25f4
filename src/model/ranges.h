#ifndef REEVE_MODEL_RANGES_H
#define REEVE_MODEL_RANGES_H

#include "base/buf.h"
#include "base/text.h"

/* Names as people write many of them: `web-0`, `web-[0-39]`, `web-[01-24,30]`. Numbers that begin with a nought are as wide as
 * they are written; others have none in front. */

/* Take the first of patterns that are parted by commas (outside of brackets), blanks or line ends. False: there is none
 * left. */
bool ranges_next(struct text *rest, struct text *out);

/* Is it a pattern that can be read: no bracket, or one pair with numbers in it? */
bool ranges_is_pattern(struct text pattern);

/* Does a name fit a pattern? A pattern that cannot be read fits itself alone. */
bool ranges_has(struct text pattern, struct text name);

/* Order of names for people: by their letters, numbers by their value, web-2 before web-10. */
int ranges_compare(struct text a, struct text b);

/* Write names that stand in this order as patterns, in short: `db-0,web-[1-4,7]`. */
void ranges_format(struct buf *buf, const struct text *names, size_t count);

#endif
