#ifndef REEVE_DAEMON_PLUGIN_FETCH_PARTS_H
#define REEVE_DAEMON_PLUGIN_FETCH_PARTS_H

#include "plugin_fetch/plugin_fetch.h"
#include "plugin_fetch/plugin_fetch_record.h"
#include "fetch/fetcher.h"

/* private to src/plugin_fetch */
/* public names start with: controller_ want_ installs_ news_ plugin_ */

/* Internals of plugin_fetch.h. */

/* A cluster that is notified when something changes. */
struct want_cluster {
    struct want_cluster *next;
    struct text key;
};

/* A plugin that files of a tenant use and that is not installed. It has the lifetime of the
 * manager; its persistent state is in the store. */
struct want {
    struct want *next;
    struct plugin_fetch *fetch;
    struct text tenant;
    /* source of the plugin in the latest specification; its texts live in `said` */
    struct plugin_origin origin;
    struct arena *said;
    uint64_t serial; /* changes with each reported state */
    struct arena *reported;
    struct want_cluster *clusters;        /* clusters to notify, in the arena `reported` */
    char problem[LIMIT_ERROR_TEXT_BYTES]; /* why the plugin is not available; empty: no error */
    uint64_t due_ms;                      /* no attempt before this time */
    unsigned failures;                    /* number of consecutive failures */
    bool is_busy;                         /* the plugin is being fetched or written */
    bool is_asked;             /* the plugin's identity was requested and is still unknown */
    uint64_t written_revision; /* revision that the cache must reach; 0: none */
    uint64_t fetched_serial;   /* serial of the request being fetched */
    bool is_restored;          /* the fetch restores stored bytes whose file is missing */
    const char *state;         /* result of an upgrade, reported once it is written */
    plugin_fetch_done *done;   /* callback of an upgrade; NULL: no request waits */
    void *arg;
};

struct plugin_fetch {
    struct plugin_fetch_options options;
    struct arena *memory;
    struct arena *scratch; /* memory of one call */
    struct fetcher *fetcher;
    struct plugins *plugins;
    struct want *wants;
    size_t count;
    struct install *installs;             /* installations in progress */
    char refusal[LIMIT_ERROR_TEXT_BYTES]; /* error of the newest request; empty: none */
    char problem[LIMIT_ERROR_TEXT_BYTES]; /* last reported problem */
    bool is_closed;
};

/* ---- plugin_fetch.c ---- */

#define KEEP_LOST \
    "the installed file is missing or was changed: install it again with reeve plugin install"

/* Returns true if the plugin is stored and has reported its identity. Otherwise *problem is the
 * reason. */
bool want_is_there(struct want *want, const char **problem);

/* ---- plugin_fetch_wants.c ---- */

#define KEEP_LATEST "latest"

/* Returns the record of a plugin that files of a tenant name; NULL: none yet. */
struct want *want_find(const struct plugin_fetch *fetch, struct text tenant, struct text name);

/* Like want_find, but updates the record to the current source in a file. A change is attempted
 * immediately. NULL: there are too many. */
struct want *want_get(struct plugin_fetch *fetch, struct text tenant,
                      const struct plugin_origin *origin);

/* Returns a digest in lower case, for comparisons. */
struct text want_digest(struct arena *arena, struct text digest);

/* Registers a cluster, which is notified when something changes. */
void want_add(struct want *want, struct text cluster);

/* Determines the address of a plugin: `url`, or `also` if the first does not exist (empty: no
 * other). Texts live in the arena or in the request. Fails with R0611, R0640 or R0647 if there is
 * no address to fetch it from. */
MUST_CHECK bool want_place(const struct plugin_fetch *fetch, struct arena *arena,
                           const struct plugin_origin *origin, struct text *url, struct text *also,
                           struct err *err);

/* ---- plugin_fetch_install.c ---- */

/* Continues the active installations. */
void installs_run(struct plugin_fetch *fetch);

/* Stops installing and rejects the requests that wait. */
void installs_refuse(struct plugin_fetch *fetch, const struct err *err);
void installs_free(struct plugin_fetch *fetch);

/* ---- plugin_fetch_write.c ---- */

/* An event about a plugin of a tenant, caused by `actor`: it contains the digest of these bytes or
 * an error. */
struct plugin_report {
    struct text tenant;
    struct text name;
    struct text actor;
    const char *type;
    const struct kept_bytes *bytes; /* set if there is no error */
    const struct err *err;
};
struct store_event news_event(struct arena *arena, const struct plugin_fetch *fetch,
                              const struct plugin_report *reports);

/* Returns the key of the record with the reason why a plugin is not available. */
struct text news_problem_key(struct arena *arena, struct text tenant, struct text name);

/* Stores the record of a plugin together with an event of this type about these bytes. Then answers
 * the waiting requests. */
void want_write(struct want *want, const struct kept *kept, const char *type,
                const struct kept_bytes *bytes);

/* Handles a failed fetch: reports the reason by an event if it is new, and schedules the next
 * attempt. */
void want_fail(struct want *want, const struct err *err);

/* want_wake reconciles the clusters of a changed plugin. want_answer answers requests that wait for
 * its upgrade. */
void want_wake(struct want *want);
void want_answer(struct want *want, const struct err *err);

#endif
