#ifndef REEVE_DAEMON_BUNDLES_H
#define REEVE_DAEMON_BUNDLES_H

#include "state/cache.h"
#include "remote/depot.h"
#include "sys/clock.h"
#include "sys/log.h"

/* Deletes unused bundles: those that nothing in the store has named for `retention_ms`. Current
 * objects of every kind, revisions of them that can be restored, and runs under way name bundles.
 *
 * When a bundle was last wanted is the time of its file: sending or requesting it renews the time,
 * and so does a look that finds it named. So nothing is lost by a kill, and nothing has to be
 * counted on in memory. */
struct bundles;

struct bundles_options {
    struct store *store;
    struct cache *cache;
    struct depot *depot;
    struct log *log;
    struct clock clock;
    uint64_t retention_ms;
    uint64_t every_ms;                             /* from one look to the next */
    uint64_t first_ms;                             /* from now to the first */
    bool (*is_run)(void *arg, struct text digest); /* a run names it */
    void *arg;
};

/* All of it is borrowed. */
struct bundles *bundles_new(const struct bundles_options *options);

/* Check the bundles if a check is due. To be called about once a second while the cache is
 * ready. */
void bundles_look(struct bundles *bundles);

/* No more looks: to be called before the cache and the store end. NULL is allowed, as for the next
 * one. */
void bundles_stop(struct bundles *bundles);

/* When the store has ended. */
void bundles_free(struct bundles *bundles);

#endif
