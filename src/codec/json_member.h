#ifndef REEVE_CODEC_JSON_MEMBER_H
#define REEVE_CODEC_JSON_MEMBER_H

#include <stdbool.h>

#include "base/text.h"

/* public names start with: json_ */

/* Find one member of an object in canonical JSON without a tree, so that a list of 100,000 objects
 * can check the labels of each. `object` has the bytes of the object from { to }; `key` has no
 * character that JSON escapes. *out borrows the bytes of the value.
 *
 * Returns false if there is no such member, or if the bytes are not canonical JSON. It never reads
 * beyond the bytes. */
bool json_member_find(struct text object, struct text key, struct text *out);

#endif
