#ifndef REEVE_REMOTE_DEPOT_H
#define REEVE_REMOTE_DEPOT_H

#include "remote/bundle.h"

/* Store of bundles by digest, in a folder of the manager. A bundle is either complete or absent,
 * even after a crash. Reading checks the digest: damaged bytes are an error. Only one process may
 * use the folder. */
struct depot;

/* Opens the folder; creates it if it is missing. All archives in it have the kind `kind`.
 * Incomplete files of an earlier process are removed. Fails with R0534 or R0536 if the folder
 * cannot be used. */
MUST_CHECK bool depot_open(const char *path, enum bundle_kind kind, struct depot **out,
                           struct err *err);

/* Stores a bundle, unless it is already stored, and marks it as used (depot_use). Fails with R0727
 * if there are REMOTE_DEPOT_BUNDLES bundles or too little space on the disk, and with R0534 if it
 * cannot be written. */
MUST_CHECK bool depot_put(struct depot *depot, const struct bundle *bundle, struct err *err);

/* A piece of a canonical archive (bundle_read) of `size` bytes in total. */
struct depot_piece {
    struct text digest;
    uint64_t size;
    uint64_t offset;
    struct text bytes;
    int64_t now_ms; /* time of arrival, in milliseconds since 1970 */
};

/* Stores a piece of a bundle. Pieces must arrive in order: a piece that does not begin at the end
 * of the previous one is ignored. *out_have is the number of bytes received so far. When it equals
 * the size, the bundle is stored as by depot_put.
 *
 * An upload without data for REMOTE_DEPOT_SILENT_MS may be replaced by another upload, and must
 * then start again. If REMOTE_DEPOT_COMING uploads are active and none can be replaced, a new one
 * is rejected. Fails with R0426 or R0721 to R0727 if the bundle is invalid, has another digest, or
 * does not fit; then none of its bytes are kept. */
MUST_CHECK bool depot_take(struct depot *depot, const struct depot_piece *piece, uint64_t *out_have,
                           struct err *err);

/* Checks that the bundle with a digest is complete, and returns the size of its archive. Its bytes
 * are read only once, unless the file is replaced or written later. Fails with R0726 if the bundle
 * is missing or damaged. A damaged bundle is removed, so that it can be stored again. */
MUST_CHECK bool depot_check(struct depot *depot, struct text digest, uint64_t *out_bytes,
                            struct err *err);

/* Reads exactly `length` bytes of an archive from `offset` on. So a whole bundle is never in
 * memory, even if many nodes receive it. Fails with R0726 if the archive is shorter. */
MUST_CHECK bool depot_read(struct depot *depot, struct text digest, uint64_t offset, char *out,
                           size_t length, struct err *err);

/* Checks a bundle (depot_check) and maps its bytes; depot_unmap releases them. */
MUST_CHECK bool depot_map(struct depot *depot, struct text digest, struct text *out,
                          struct err *err);
void depot_unmap(struct text bytes);

/* Returns whether the bundle is stored. Whether it is intact is checked only by depot_check. */
bool depot_has(const struct depot *depot, struct text digest);

/* Marks a bundle as used now. Bundles that were unused for a long time may be removed. */
void depot_use(struct depot *depot, struct text digest);

/* A stored bundle. */
struct depot_row {
    char digest[65];
    int64_t used_ms; /* time of the last use, in milliseconds since 1970 */
};

/* Lists the stored bundles in no particular order, at most REMOTE_DEPOT_BUNDLES. *out lives in the
 * arena. */
size_t depot_list(const struct depot *depot, struct arena *arena, struct depot_row **out);

/* Removes a bundle. Returns false if it is not stored or cannot be removed now. */
bool depot_remove(struct depot *depot, struct text digest);

/* Closes the depot. NULL is allowed. */
void depot_close(struct depot *depot);

#endif
