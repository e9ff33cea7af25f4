#ifndef REEVE_REMOTE_BUNDLE_CHECK_H
#define REEVE_REMOTE_BUNDLE_CHECK_H

#include "remote/bundle.h"

/* Is an archive that comes piece by piece one that we have written, of members that a bundle may have? Whoever sends it has read
 * the bundle as bundle_read does; that it is so is found out again here, and none of it is kept in memory but the names, and
 * bootstrap.sh.
 *
 * What we would have written of its members has a digest of its own, made beside that of what came: they are the same, or it is
 * not ours. */
struct bundle_check;

struct bundle_check *bundle_check_new(void);

/* The next bytes. The reasons are those of bundle_from_archive. Nothing more may be fed then. */
MUST_CHECK bool bundle_check_feed(struct bundle_check *check, struct text bytes, struct err *err);

/* It has ended: is it the bundle of this digest? R0721: it is another one, or not as we write it. */
MUST_CHECK bool bundle_check_end(struct bundle_check *check, struct text digest, struct err *err);

/* NULL is allowed. */
void bundle_check_free(struct bundle_check *check);

#endif
