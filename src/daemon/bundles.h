#ifndef REEVE_DAEMON_BUNDLES_H
#define REEVE_DAEMON_BUNDLES_H

#include "state/cache.h"
#include "remote/depot.h"
#include "sys/clock.h"
#include "sys/log.h"

/* Deletes unused bundles: those to which nothing in the store has referred for `retention_ms`.
 * References are in current objects of every kind, in revisions of them that can be restored, and
 * in active runs.
 *
 * The modification time of a bundle's file is the time of its last use. Sending or requesting the
 * bundle renews that time, and so does a check that finds a reference to the bundle. So a crash
 * loses nothing, and no state has to be kept in memory. */
struct bundles;

struct bundles_options {
    struct store *store;
    struct cache *cache;
    struct depot *depot;
    struct log *log;
    struct clock clock;
    uint64_t retention_ms;
    uint64_t every_ms;                             /* time between two checks */
    uint64_t first_ms;                             /* time from now to the first check */
    bool (*is_run)(void *arg, struct text digest); /* returns true if a run uses the bundle */
    void *arg;
};

/* Creates the checker. Everything in the options is borrowed. */
struct bundles *bundles_new(const struct bundles_options *options);

/* Check the bundles if a check is due. To be called about once a second while the cache is ready.
 * NULL is allowed. */
void bundles_look(struct bundles *bundles);

/* Stops checking. Call it before the cache and the store are closed. NULL is allowed, also in
 * bundles_free. */
void bundles_stop(struct bundles *bundles);

/* Frees the checker. Call it after the store is closed. */
void bundles_free(struct bundles *bundles);

#endif
