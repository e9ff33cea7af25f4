#ifndef REEVE_REMOTE_BUNDLE_H
#define REEVE_REMOTE_BUNDLE_H

#include "base/err.h"
#include "base/macros.h"

/* public names start with: bundle_ */

/* A bundle: a tar archive or a folder with bootstrap.sh. Any input is rewritten into a canonical
 * archive: sorted, without owners and times, with mode 0644 or 0755. That archive is stored under
 * its digest, and is sent to nodes. So equal files have equal digests, and the tar program of a
 * node never reads an archive that a user has made. */
struct bundle {
    struct text bytes; /* the canonical archive */
    char digest[65];   /* SHA-256 of `bytes` */
    size_t members;
    uint64_t tree_bytes; /* approximate disk usage when expanded */
};

/* The kind of an archive. A stage has bootstrap.sh in its root folder. A configuration repository
 * may have any files; revision_read checks it. When its folder is read, .git is skipped. */
enum bundle_kind { BUNDLE_STAGE, BUNDLE_CONFIGURATION };

/* Reads a bundle from a path. Its data lives in the arena. Fails with R0011 (no such file) or R0721
 * to R0725; the error contains the name of the member. */
MUST_CHECK bool bundle_read(struct arena *arena, enum bundle_kind kind, const char *path,
                            struct bundle *out, struct err *err);

/* Reads a bundle from an archive in memory. */
MUST_CHECK bool bundle_from_archive(struct arena *arena, enum bundle_kind kind, struct text bytes,
                                    struct bundle *out, struct err *err);

/* Returns the name of the bundle at a path: the name of the file or folder without .tar, reduced to
 * the characters that are allowed in names. */
struct text bundle_path_name(struct arena *arena, struct text path);

#endif
