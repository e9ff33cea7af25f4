#ifndef LOCAL_META_H
#define LOCAL_META_H

#include "machine.h"

#include <stdbool.h>

/* The record of a machine as bytes, and back. */

/* Canonical JSON, in the work's arena. */
struct text meta_format(struct work *work, const struct machine *machine);

/* Read machines/ID/meta.json. False, errno tells: ENOENT, there is no such machine; EBADMSG, the file is not
 * ours. */
MUST_CHECK bool meta_read(struct work *work, const char *id, struct machine *out);

/* Replace it. False, errno tells. */
MUST_CHECK bool meta_replace(struct work *work, const struct machine *machine);

/* "slot", "node", "always". */
const char *meta_keep_name(enum machine_keep keep);
MUST_CHECK bool meta_keep_find(struct text name, enum machine_keep *out);

#endif
