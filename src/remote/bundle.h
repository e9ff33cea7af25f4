#ifndef REEVE_REMOTE_BUNDLE_H
#define REEVE_REMOTE_BUNDLE_H

#include "base/err.h"
#include "base/macros.h"

/* names: bundle_ */

/* A bundle: a tar archive or a folder with bootstrap.sh. Whatever it came as, what is kept, named by its digest and sent to nodes
 * is written by us from what was read: sorted, without owners and times, every mode 0644 or 0755. So the same files have the
 * same digest, and a node's tar never reads what somebody else has written. */
struct bundle {
    struct text bytes; /* the archive */
    char digest[65];   /* SHA-256 of it */
    size_t members;
    uint64_t tree_bytes; /* what it takes on a disk when it is expanded, about */
};

/* Read one from a path. What it needs lives in the arena. The reason is R0011 (no such file), R0721 to R0725, and names the
 * member. */
MUST_CHECK bool bundle_read(struct arena *arena, const char *path, struct bundle *out,
                            struct err *err);

/* The same of an archive in memory. */
MUST_CHECK bool bundle_from_archive(struct arena *arena, struct text bytes, struct bundle *out,
                                    struct err *err);

#endif
