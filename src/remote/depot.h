#ifndef REEVE_REMOTE_DEPOT_H
#define REEVE_REMOTE_DEPOT_H

#include "remote/bundle.h"

/* Bundles by their digest, in a folder of the manager's. A bundle is there whole or not at all, whatever was cut off, and what
 * comes out has the digest that it was asked for by: damaged bytes are an error, never a bundle. One process at a time. */
struct depot;

/* Open the folder, made where it is missing; what a life that was cut off has left half is removed. R0534, R0536: it cannot be
 * used. */
MUST_CHECK bool depot_open(const char *path, struct depot **out, struct err *err);

/* Keep a bundle, unless it is kept. R0727: there are REMOTE_DEPOT_BUNDLES, or the disk would be full; R0534: it cannot be
 * written. */
MUST_CHECK bool depot_put(struct depot *depot, const struct bundle *bundle, struct err *err);

/* The archive of a digest, read once for all who send it at the same time; the caller gives it back with blob_free, and then
 * calls depot_rest. R0726: it is not kept, or damaged; then it is removed, so that it can be put anew. */
MUST_CHECK bool depot_get(struct depot *depot, struct text digest, struct blob **out,
                          struct err *err);

/* Let go of what nobody sends any more. */
void depot_rest(struct depot *depot);

/* Is it kept? Whether it is whole only depot_get tells. */
bool depot_has(const struct depot *depot, struct text digest);

/* Remove all but these; how many were. What cannot be removed stays until the next time. */
size_t depot_sweep(struct depot *depot, const struct text *digests, size_t count);

/* NULL is allowed. */
void depot_close(struct depot *depot);

#endif
