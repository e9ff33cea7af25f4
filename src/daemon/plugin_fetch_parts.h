#ifndef REEVE_DAEMON_PLUGIN_FETCH_PARTS_H
#define REEVE_DAEMON_PLUGIN_FETCH_PARTS_H

#include "daemon/plugin_fetch.h"
#include "daemon/plugin_fetch_record.h"
#include "fetch/fetcher.h"

/* private to src/daemon */
/* names: controller_ want_ installs_ news_ plugin_ */

/* Inside of plugin_fetch.h. */

/* A cluster that is notified when something changes. */
struct want_cluster {
    struct want_cluster *next;
    struct text key;
};

/* A plugin that files of a tenant want and that is not installed. It lives as long as the manager;
 * what counts is in the store. */
struct want {
    struct want *next;
    struct plugin_fetch *fetch;
    struct text tenant;
    struct plugin_origin origin; /* as a file said last; texts live in: */
    struct arena *said;
    uint64_t serial; /* changes with each reported state */
    struct arena *reported;
    struct want_cluster *clusters;        /* in the arena `reported` */
    char problem[LIMIT_ERROR_TEXT_BYTES]; /* why it is not here; empty: nothing went wrong */
    uint64_t due_ms;                      /* not tried again before */
    unsigned failures;                    /* in a row */
    bool is_busy;                         /* it is being fetched, or written down */
    bool is_asked;                        /* its identity, not known yet */
    uint64_t written_revision;            /* that the cache has to reach; 0: none */
    uint64_t fetched_serial;              /* of what is being fetched */
    bool is_restored;                     /* what was kept, and is not there any more */
    const char *state;                    /* how an upgrade comes out, once it is written down */
    plugin_fetch_done *done;              /* of an upgrade; NULL: no request waits */
    void *arg;
};

struct plugin_fetch {
    struct plugin_fetch_options options;
    struct arena *memory;
    struct arena *scratch; /* of one call */
    struct fetcher *fetcher;
    struct plugins *plugins;
    struct want *wants;
    size_t count;
    struct install *installs;             /* under way */
    char refusal[LIMIT_ERROR_TEXT_BYTES]; /* of what was wanted last; empty: none */
    char problem[LIMIT_ERROR_TEXT_BYTES]; /* reported last */
    bool is_closed;
};

/* ---- plugin_fetch.c ---- */

#define KEEP_LOST                                                                                 \
    "the file that was installed is not here, or is another one: reeve plugin install brings it " \
    "again"

/* Is it stored, and has it reported its identity? If not, *problem is the reason. */
bool want_is_there(struct want *want, const char **problem);

/* ---- plugin_fetch_wants.c ---- */

#define KEEP_LATEST "latest"

/* What files of a tenant say of a plugin; NULL: nothing yet. */
struct want *want_find(const struct plugin_fetch *fetch, struct text tenant, struct text name);

/* The same for what a file names now. A change is tried at once. NULL: there are too many. */
struct want *want_get(struct plugin_fetch *fetch, struct text tenant,
                      const struct plugin_origin *origin);

/* A digest as it is compared: in lower case. */
struct text want_digest(struct arena *arena, struct text digest);

/* Notify this cluster when something changes. */
void want_add(struct want *want, struct text cluster);

/* Where a plugin is: `url`, and `also` where that has none (empty: nowhere else). Texts live in the
 * arena, or in what was asked. R0611, R0640, R0647: nowhere that anything is fetched from. */
MUST_CHECK bool want_place(const struct plugin_fetch *fetch, struct arena *arena,
                           const struct plugin_origin *origin, struct text *url, struct text *also,
                           struct err *err);

/* ---- plugin_fetch_install.c ---- */

/* Continue the installations under way. */
void installs_run(struct plugin_fetch *fetch);

/* Stop installing, and fail the requests that wait. */
void installs_refuse(struct plugin_fetch *fetch, const struct err *err);
void installs_free(struct plugin_fetch *fetch);

/* ---- plugin_fetch_write.c ---- */

/* An event about a plugin of a tenant, by `actor`: about these bytes, or an error. */
struct plugin_report {
    struct text tenant;
    struct text name;
    struct text actor;
    const char *type;
    const struct kept_bytes *bytes; /* where there is no error */
    const struct err *err;
};
struct store_event news_event(struct arena *arena, const struct plugin_fetch *fetch,
                              const struct plugin_report *reports);

/* Where it is written why a plugin is not here. */
struct text news_problem_key(struct arena *arena, struct text tenant, struct text name);

/* Store the record of a plugin, with an event of this type about these bytes; then answer the
 * waiting requests. */
void want_write(struct want *want, const struct kept *kept, const char *type,
                const struct kept_bytes *bytes);

/* It could not be fetched: report the reason by an event where it is a new one, and try again
 * later. */
void want_fail(struct want *want, const struct err *err);

/* Something has changed: its clusters are reconciled, and requests that wait for an upgrade are
 * answered. */
void want_wake(struct want *want);
void want_answer(struct want *want, const struct err *err);

#endif
