#ifndef REEVE_REMOTE_BUNDLE_CHECK_H
#define REEVE_REMOTE_BUNDLE_CHECK_H

#include "remote/bundle.h"

/* Checks that an archive which arrives piece by piece is canonical and has only members that a
 * bundle may have. The sender has read it with bundle_read; this repeats the check. Only names and
 * the content of bootstrap.sh are kept in memory.
 *
 * A second digest covers the canonical form of the members received. It must equal the digest of
 * the received bytes. */
struct bundle_check;

struct bundle_check *bundle_check_new(enum bundle_kind kind);

/* Reads the next bytes. Fails like bundle_from_archive. After a failure no more bytes may be
 * passed. */
MUST_CHECK bool bundle_check_feed(struct bundle_check *check, struct text bytes, struct err *err);

/* Ends the check. Succeeds if the archive is the bundle of this digest. Fails with R0721 if the
 * digest differs or the archive is not canonical. */
MUST_CHECK bool bundle_check_end(struct bundle_check *check, struct text digest, struct err *err);

/* Frees the check. NULL is allowed. */
void bundle_check_free(struct bundle_check *check);

#endif
