#ifndef REEVE_CODEC_JSON_MEMBER_H
#define REEVE_CODEC_JSON_MEMBER_H

#include <stdbool.h>

#include "base/text.h"

/* names: json_ */

/* Find one member of an object in canonical JSON without reading the rest into a tree: a list of 100,000
 * objects looks at the labels of each. `object` are the bytes of the object from { to }, `key` has no
 * sign that JSON escapes. *out are the bytes of the value, borrowed.
 *
 * False: there is no such member, or the bytes are not canonical JSON; in no case is anything read beyond
 * them. */
bool json_member_find(struct text object, struct text key, struct text *out);

#endif
