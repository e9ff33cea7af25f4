#ifndef REEVE_REMOTE_DEPOT_H
#define REEVE_REMOTE_DEPOT_H

#include "remote/bundle.h"

/* Bundles by their digest, in a folder of the manager's. A bundle is there whole or not at all, whatever was cut off, and what
 * was checked has the digest that it was asked for by: damaged bytes are an error, never a bundle. One process at a time. */
struct depot;

/* Open the folder, made where it is missing; what a life that was cut off has left half is removed. R0534, R0536: it cannot be
 * used. */
MUST_CHECK bool depot_open(const char *path, struct depot **out, struct err *err);

/* Keep a bundle, unless it is kept; somebody wants it now (depot_use). R0727: there are REMOTE_DEPOT_BUNDLES, or the disk would be full; R0534: it cannot be
 * written. */
MUST_CHECK bool depot_put(struct depot *depot, const struct bundle *bundle, struct err *err);

/* A piece of the archive of a bundle as bundle_read has it: `size` bytes in all. */
struct depot_piece {
    struct text digest;
    uint64_t size;
    uint64_t offset;
    struct text bytes;
    int64_t now_ms; /* when it came, since 1970 */
};

/* Take a piece of a bundle. They come in their order: one that does not begin where the last one has ended is not taken. *out_have
 * is how many bytes are there then; all of them: the bundle is kept, as by depot_put. A bundle of which nothing has come for
 * REMOTE_DEPOT_SILENT_MS gives way to others, and begins anew; where none does, and REMOTE_DEPOT_COMING come, no other one begins. R0426, R0721 to R0727: it is no bundle, or another one, or has no room; nothing is left of it. */
MUST_CHECK bool depot_take(struct depot *depot, const struct depot_piece *piece, uint64_t *out_have,
                           struct err *err);

/* Is the bundle of a digest whole? Its archive has so many bytes then. They are read for this once, and again when the file is
 * another one, or was written. R0726: it is not kept, or damaged; then it is removed, so that it can be put anew. */
MUST_CHECK bool depot_check(struct depot *depot, struct text digest, uint64_t *out_bytes,
                            struct err *err);

/* Bytes of an archive from `offset` on, exactly so many: a bundle is never in memory as a whole, however many it is sent to.
 * R0726: there are not so many. */
MUST_CHECK bool depot_read(struct depot *depot, struct text digest, uint64_t offset, char *out,
                           size_t length, struct err *err);

/* Is it kept? Whether it is whole only depot_check tells. */
bool depot_has(const struct depot *depot, struct text digest);

/* Somebody wants it now, or has it in a file: what nobody has wanted for long may be removed. */
void depot_use(struct depot *depot, struct text digest);

/* A bundle that is kept. */
struct depot_row {
    char digest[65];
    int64_t used_ms; /* since 1970: when it was last wanted */
};

/* All that are kept, in no order, at most REMOTE_DEPOT_BUNDLES; in the arena. */
size_t depot_list(const struct depot *depot, struct arena *arena, struct depot_row **out);

/* Remove one. False: it is not kept, or stays until the next time. */
bool depot_remove(struct depot *depot, struct text digest);

/* NULL is allowed. */
void depot_close(struct depot *depot);

#endif
