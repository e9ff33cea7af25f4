#ifndef REEVE_DAEMON_BUNDLES_H
#define REEVE_DAEMON_BUNDLES_H

#include "state/cache.h"
#include "remote/depot.h"
#include "sys/clock.h"
#include "sys/log.h"

/* Deletes unused bundles: those to which nothing in the store has referred for `retention_ms`.
 * References are in current objects of every kind, in their revisions that can be restored, and in
 * active runs.
 *
 * The modification time of a bundle's file is the time of its last use. It is renewed when the
 * bundle is sent or requested, and when a check finds a reference to it. So no state is kept in
 * memory, and a crash loses nothing. */
struct bundles;

struct bundles_options {
    struct store *store;
    struct cache *cache;
    struct depot *depot;
    struct log *log;
    struct clock clock;
    uint64_t retention_ms;
    uint64_t every_ms;                             /* time between two checks */
    uint64_t first_ms;                             /* time from bundles_new to the first check */
    bool (*is_run)(void *arg, struct text digest); /* returns whether a run uses the bundle */
    void *arg;
};

/* Creates the checker. It borrows everything in the options. */
struct bundles *bundles_new(const struct bundles_options *options);

/* Check the bundles if a check is due. To be called about once a second while the cache is ready.
 * NULL is allowed. */
void bundles_look(struct bundles *bundles);

/* Stops checking. Call it before the cache and the store are closed. bundles_stop and bundles_free
 * accept NULL. */
void bundles_stop(struct bundles *bundles);

/* Frees the checker. Call it after the store is closed. */
void bundles_free(struct bundles *bundles);

#endif
