#ifndef LOCAL_META_H
#define LOCAL_META_H

#include "machine.h"

#include <stdbool.h>

/* Conversion of a machine's record to bytes and back. */

/* Returns canonical JSON in the work's arena. */
struct text meta_format(struct work *work, const struct machine *machine);

/* Reads machines/ID/meta.json. On failure errno is set: ENOENT if there is no such machine, EBADMSG
 * if the file is invalid. */
MUST_CHECK bool meta_read(struct work *work, const char *id, struct machine *out);

/* Replaces the record. On failure errno is set. */
MUST_CHECK bool meta_replace(struct work *work, const struct machine *machine);

/* Convert the values "slot", "node" and "always" to and from text. */
const char *meta_keep_name(enum machine_keep keep);
MUST_CHECK bool meta_keep_find(struct text name, enum machine_keep *out);

#endif
