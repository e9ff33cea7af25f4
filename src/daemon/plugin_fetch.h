#ifndef REEVE_DAEMON_PLUGIN_FETCH_H
#define REEVE_DAEMON_PLUGIN_FETCH_H

#include "daemon/config.h"
#include "state/cache.h"
#include "records/plugin_origin.h"
#include "provider/plugins.h"
#include "sys/clock.h"
#include "sys/random.h"

/* Plugins from elsewhere: what files want that is not installed here is fetched, once for each
 * tenant, kept by its digest, and run only when the file pins that digest or an operator has
 * approved it (SAFETY.md I25).
 *
 * What is kept of a plugin is in the store, /TENANT/Plugin/NAME: the digest that may be run, with
 * address and version, and beside it (next) what was fetched and waits. What a plugin is moves by
 * plugin_fetch_upgrade alone. */
struct plugin_fetch;

struct plugin_fetch_options {
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct random random;
    struct store *store;
    struct cache *cache;
    const struct config_fetch *config;
    const char *program; /* reeve-fetch */
    const char *folder;  /* of what was fetched, where the configuration names none */
    bool is_dry;         /* nothing is begun or written */
    uint32_t time_scale; /* pauses and patience are so many times shorter */
    void (*look)(void *arg,
                 struct text cluster); /* something has changed for this cluster (TENANT/ID) */
    void *arg;
};

MUST_CHECK bool plugin_fetch_open(const struct plugin_fetch_options *options,
                                  struct plugin_fetch **out, struct err *err);

/* The plugins that are here; before anything else is called, and they outlive it. */
void plugin_fetch_join(struct plugin_fetch *fetch, struct plugins *plugins);

/* Implements plugin_want and plugin_approve of the controller's ports (reconcile/control.h). */
void plugin_fetch_want(struct plugin_fetch *fetch, struct text cluster,
                       const struct plugin_origin *origin, struct plugin_waiting *out);
void plugin_fetch_approve(struct plugin_fetch *fetch, struct text tenant, struct text plugin,
                          struct text digest);

/* The provider of a plugin; installed ones come first. NULL: *problem says why. */
struct provider *plugin_fetch_find(struct plugin_fetch *fetch, struct text tenant,
                                   struct text plugin, const char **problem);

/* How an upgrade came out; a document {name, state, digest, version, url, ...}, or an error. */
typedef void plugin_fetch_done(void *arg, const struct doc *doc, const struct err *err);

/* Fetch anew what files want of a plugin. `done` comes once: `moved` where the file pins what came,
 * `waits` where it has to be approved, `same` where it is what is kept. */
void plugin_fetch_upgrade(struct plugin_fetch *fetch, struct text tenant, struct text plugin,
                          plugin_fetch_done *done, void *arg);

/* Install a plugin for a tenant. `done` comes once, possibly at once: {name, state, digest,
 * version, url, bytes, by, profile, contract}, state installed, same, or replaced (of `replaced`).
 * R0669: it is here as another one. R0670: it is not a plugin of this reeve. R0640 and on: it
 * cannot be fetched. Where it is refused nothing of it is kept. */
void plugin_fetch_install(struct plugin_fetch *fetch, const struct plugin_order *order,
                          plugin_fetch_done *done, void *arg);

/* Stop: requests that wait for an upgrade or an installation fail because the manager ends. */
void plugin_fetch_refuse(struct plugin_fetch *fetch);

/* Carry on; returns in how many milliseconds something is due. */
uint64_t plugin_fetch_run(struct plugin_fetch *fetch);

/* Is this digest of a plugin one that the tenant keeps? */
bool plugin_fetch_has(const struct plugin_fetch *fetch, struct text tenant,
                      const struct plugins_entry *entry);

/* The plugins that the tenant keeps or that its files want, and that are not here (yet), behind the
 * `count` of `out`, which has room for plugin_fetch_count more; returns how many there are then. */
size_t plugin_fetch_show(struct plugin_fetch *fetch, struct arena *arena, struct text tenant,
                         struct doc *out, size_t count);
size_t plugin_fetch_count(const struct plugin_fetch *fetch, struct text tenant);

/* Know all that the tenant keeps, also what nothing has wanted since the start. */
void plugin_fetch_know(struct plugin_fetch *fetch, struct text tenant);

/* What is kept of a plugin, and what waits, into a document about it: `fetched`, `waiting`. */
void plugin_fetch_put(const struct plugin_fetch *fetch, struct arena *arena, struct text tenant,
                      struct text name, struct doc_builder *builder);

/* How fetching is set here, for people (doctor). */
struct doc plugin_fetch_policy(const struct plugin_fetch *fetch, struct arena *arena);

/* As of a fetcher. NULL is allowed. */
void plugin_fetch_close(struct plugin_fetch *fetch);
bool plugin_fetch_is_over(const struct plugin_fetch *fetch);
void plugin_fetch_free(struct plugin_fetch *fetch);

#endif
