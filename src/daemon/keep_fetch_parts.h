#ifndef REEVE_DAEMON_KEEP_FETCH_PARTS_H
#define REEVE_DAEMON_KEEP_FETCH_PARTS_H

#include "daemon/keep_fetch.h"
#include "daemon/keep_fetch_kept.h"
#include "fetch/fetcher.h"

/* names: keep_ want_ */

/* Inside of keep_fetch.h. */

/* Who is told when something changes. */
struct want_cluster {
    struct want_cluster *next;
    struct text key;
};

/* A plugin that files of a tenant want and that is not installed. It lives as long as the manager; what counts stands in the
 * store. */
struct want {
    struct want *next;
    struct keep_fetch *fetch;
    struct text tenant;
    struct plugin_origin origin; /* as a file said last; texts live in: */
    struct arena *said;
    uint64_t serial; /* another one with each change of what is said */
    struct arena *told;
    struct want_cluster *clusters;        /* in `told` */
    char trouble[LIMIT_ERROR_TEXT_BYTES]; /* why it is not here; empty: nothing went wrong */
    uint64_t due_ms;                      /* not tried again before */
    unsigned failures;                    /* in a row */
    bool is_busy;                         /* it is being fetched, or written down */
    bool is_asked;                        /* who it is; it has not said it yet */
    uint64_t written_revision;            /* that the cache has to reach; 0: none */
    uint64_t fetched_serial;              /* of what is being fetched */
    bool is_restored;                     /* what was kept, and is not there any more */
    const char *state;                    /* how an upgrade comes out, once it is written down */
    keep_fetch_done *done;                /* of an upgrade; NULL: nobody waits */
    void *arg;
};

struct keep_fetch {
    struct keep_fetch_options options;
    struct arena *home;
    struct arena *scratch; /* of one call */
    struct fetcher *fetcher;
    struct plugins *plugins;
    struct want *wants;
    size_t count;
    char refusal[LIMIT_ERROR_TEXT_BYTES]; /* of what was wanted last; empty: none */
    char trouble[LIMIT_ERROR_TEXT_BYTES]; /* told last */
    bool is_closed;
};

/* ---- keep_fetch_write.c ---- */

/* Write down what is kept of a plugin now, with an event of this type about these bytes; then tell who waits. */
void want_write(struct want *want, const struct kept *kept, const char *type,
                const struct kept_bytes *bytes);

/* It could not be fetched: told by an event where the reason is a new one, tried again later. */
void want_fail(struct want *want, const struct err *err);

/* Something has changed: its clusters are looked at, and whoever waits for an upgrade is told. */
void want_wake(struct want *want);
void want_answer(struct want *want, const struct err *err);

#endif
