#ifndef REEVE_REMOTE_DEPOT_H
#define REEVE_REMOTE_DEPOT_H

#include "remote/bundle.h"

/* Store of bundles by digest, in a folder of the manager. A bundle is either complete or absent,
 * even after a crash. A checked bundle has the requested digest; damaged bytes are an error. Only
 * one process may use the folder. */
struct depot;

/* Opens the folder, creating it if missing. All its archives have this kind. Incomplete files of an
 * earlier process are removed. Fails with R0534 or R0536 if the folder cannot be used. */
MUST_CHECK bool depot_open(const char *path, enum bundle_kind kind, struct depot **out,
                           struct err *err);

/* Stores a bundle unless it is already stored, and marks it as used (depot_use). Fails with R0727
 * if there are already REMOTE_DEPOT_BUNDLES bundles or the disk would be full, and with R0534 if it
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

/* Stores a piece of a bundle. Pieces must come in order; a piece that does not begin where the last
 * one ended is ignored. *out_have is the number of bytes received. When it equals the size, the
 * bundle is stored as by depot_put.
 *
 * An upload without data for REMOTE_DEPOT_SILENT_MS may be replaced by another upload, and must
 * then start again. If no upload can be replaced and REMOTE_DEPOT_COMING are active, a new one is
 * rejected. Fails with R0426 or R0721 to R0727 if the bundle is invalid, has another digest, or
 * does not fit; none of its bytes are kept then. */
MUST_CHECK bool depot_take(struct depot *depot, const struct depot_piece *piece, uint64_t *out_have,
                           struct err *err);

/* Checks that the bundle of a digest is complete, and writes the size of its archive. The bytes are
 * read once, and again if the file was replaced or written. Fails with R0726 if the bundle is
 * missing or damaged; a damaged one is removed, so that it can be stored again. */
MUST_CHECK bool depot_check(struct depot *depot, struct text digest, uint64_t *out_bytes,
                            struct err *err);

/* Reads exactly `length` bytes of an archive from `offset` on. So a bundle is never in memory as a
 * whole, even if many nodes receive it. Fails with R0726 if there are fewer bytes. */
MUST_CHECK bool depot_read(struct depot *depot, struct text digest, uint64_t offset, char *out,
                           size_t length, struct err *err);

/* Checks a bundle (depot_check) and maps its bytes; depot_unmap releases them. */
MUST_CHECK bool depot_map(struct depot *depot, struct text digest, struct text *out,
                          struct err *err);
void depot_unmap(struct text bytes);

/* Returns whether the bundle is stored. Only depot_check verifies that it is intact. */
bool depot_has(const struct depot *depot, struct text digest);

/* Marks a bundle as used now. Bundles that were unused for a long time may be removed. */
void depot_use(struct depot *depot, struct text digest);

/* A stored bundle. */
struct depot_row {
    char digest[65];
    int64_t used_ms; /* time of the last use, in milliseconds since 1970 */
};

/* Lists the stored bundles in no particular order, at most REMOTE_DEPOT_BUNDLES. The list lives in
 * the arena. */
size_t depot_list(const struct depot *depot, struct arena *arena, struct depot_row **out);

/* Removes a bundle. Returns false if it is not stored or cannot be removed now. */
bool depot_remove(struct depot *depot, struct text digest);

/* Closes the store. NULL is allowed. */
void depot_close(struct depot *depot);

#endif
