#ifndef REEVE_CODEC_DOC_CHILD_H
#define REEVE_CODEC_DOC_CHILD_H

#include "codec/doc.h"

#include <stdint.h>

/* public names start with: doc_ */

/* Values of a map by their keys, with a default if there is no value or if it has another type. For
 * documents that were already checked, such as the answers of a manager. `doc` may be NULL. */

/* Return a scalar as text; empty by default. */
struct text doc_child_text(const struct doc *doc, const char *key);

/* Return a scalar as an integer; 0 by default. */
int64_t doc_child_number(const struct doc *doc, const char *key);

/* Return a scalar that is a time, in milliseconds since 1970; 0 by default. */
int64_t doc_child_moment(const struct doc *doc, const char *key);

/* Return the length of a list; 0 by default. */
size_t doc_child_count(const struct doc *doc, const char *key);

#endif
