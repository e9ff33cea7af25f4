#ifndef REEVE_REMOTE_BUNDLE_CHECK_H
#define REEVE_REMOTE_BUNDLE_CHECK_H

#include "remote/bundle.h"

/* Checks an archive that arrives piece by piece: it must be canonical and have only members that
 * are allowed in a bundle. The sender has already checked it with bundle_read; this repeats the
 * check. Only names and the content of bootstrap.sh are kept in memory.
 *
 * A second digest is computed over the canonical form of the received members. It must equal the
 * digest of the received bytes. */
struct bundle_check;

struct bundle_check *bundle_check_new(enum bundle_kind kind);

/* Reads the next bytes. Fails like bundle_from_archive. After a failure no more bytes may be
 * passed. */
MUST_CHECK bool bundle_check_feed(struct bundle_check *check, struct text bytes, struct err *err);

/* Ends the check. Succeeds if the archive has this digest and is canonical. Otherwise fails with
 * R0721. */
MUST_CHECK bool bundle_check_end(struct bundle_check *check, struct text digest, struct err *err);

/* Frees the check. NULL is allowed. */
void bundle_check_free(struct bundle_check *check);

#endif
