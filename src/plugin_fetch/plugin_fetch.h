#ifndef REEVE_DAEMON_PLUGIN_FETCH_H
#define REEVE_DAEMON_PLUGIN_FETCH_H

#include "plugin_fetch/plugin_fetch_settings.h"
#include "state/cache.h"
#include "records/plugin_origin.h"
#include "provider/plugins.h"
#include "sys/clock.h"
#include "sys/random.h"

/* Plugins from other hosts. A plugin that files use and that is not installed is fetched once for
 * each tenant and stored by its digest. It runs only if the file pins that digest or an operator
 * has approved it (SAFETY.md I25).
 *
 * The record of a plugin is in the store, at /TENANT/Plugin/NAME: the digest that may run, with
 * address and version. Its member `next` describes fetched bytes that wait for approval. Only
 * plugin_fetch_upgrade replaces the bytes of a plugin. */
struct plugin_fetch;

struct plugin_fetch_options {
    struct loop *loop;
    struct log *log;
    struct clock clock;
    struct random random;
    struct store *store;
    struct cache *cache;
    const struct plugin_fetch_settings *config;
    const char *program; /* path of reeve-fetch */
    const char *folder;  /* folder for fetched plugins if the configuration has none */
    bool is_dry;         /* nothing is started or written */
    uint32_t time_scale; /* divisor of pauses and time limits; 1 in production */
    /* Returns true if the bytes of a plugin are being transferred from another manager. NULL: there
     * are no such transfers. */
    bool (*blob_want)(void *arg, struct text digest);
    /* called when something has changed for this cluster (TENANT/ID) */
    void (*look)(void *arg, struct text cluster);
    void *arg;
};

MUST_CHECK bool plugin_fetch_open(const struct plugin_fetch_options *options,
                                  struct plugin_fetch **out, struct err *err);

/* Sets the plugins that are available. Call it before all other functions; `plugins` must outlive
 * `fetch`. */
void plugin_fetch_join(struct plugin_fetch *fetch, struct plugins *plugins);

/* Implements plugin_want and plugin_approve of the controller's ports (reconcile/control.h). */
void plugin_fetch_want(struct plugin_fetch *fetch, struct text cluster,
                       const struct plugin_origin *origin, struct plugin_waiting *out);
void plugin_fetch_approve(struct plugin_fetch *fetch, struct text tenant, struct text plugin,
                          struct text digest);

/* Returns the provider of a plugin; installed plugins take precedence. NULL: *problem is the
 * reason. */
struct provider *plugin_fetch_find(struct plugin_fetch *fetch, struct text tenant,
                                   struct text plugin, const char **problem);

/* Receives the result of an upgrade or installation: a document {name, state, digest, version, url,
 * ...}, or an error. */
typedef void plugin_fetch_done(void *arg, const struct doc *doc, const struct err *err);

/* Fetches a plugin again as files request it. `done` is called once. Its state is `moved` if the
 * file pins the fetched digest, `waits` if the bytes require an approval, and `same` if they are
 * unchanged. */
void plugin_fetch_upgrade(struct plugin_fetch *fetch, struct text tenant, struct text plugin,
                          plugin_fetch_done *done, void *arg);

/* Installs a plugin for a tenant. `done` is called once, possibly immediately: {name, state,
 * digest, version, url, bytes, by, profile, contract}, with state installed, same, or replaced (of
 * `replaced`). R0669: another plugin of this name exists here. R0670: the bytes are not a plugin
 * for this reeve. R0640 and following: it cannot be fetched. After a failure nothing of the plugin
 * is stored. */
void plugin_fetch_install(struct plugin_fetch *fetch, const struct plugin_order *order,
                          plugin_fetch_done *done, void *arg);

/* Rejects the requests that wait for an upgrade or an installation, because the manager shuts
 * down. */
void plugin_fetch_refuse(struct plugin_fetch *fetch);

/* Continues the work. Returns the number of milliseconds until something is due. */
uint64_t plugin_fetch_run(struct plugin_fetch *fetch);

/* Returns true if the tenant stores this digest of the plugin. */
bool plugin_fetch_has(const struct plugin_fetch *fetch, struct text tenant,
                      const struct plugins_entry *entry);

/* Appends to `out`, after its first `count` entries, the plugins that the tenant stores or that its
 * files name, but that are not available yet. `out` must have room for plugin_fetch_count more.
 * Returns the new number of entries. */
size_t plugin_fetch_show(struct plugin_fetch *fetch, struct arena *arena, struct text tenant,
                         struct doc *out, size_t count);
size_t plugin_fetch_count(const struct plugin_fetch *fetch, struct text tenant);

/* Loads all plugins that the tenant stores, including those not requested since the start. */
void plugin_fetch_know(struct plugin_fetch *fetch, struct text tenant);

/* Adds the stored and the waiting bytes of a plugin to a document about it: `fetched`,
 * `waiting`. */
void plugin_fetch_put(const struct plugin_fetch *fetch, struct arena *arena, struct text tenant,
                      struct text name, struct doc_builder *builder);

/* Returns the settings for fetching, for display (doctor). */
struct doc plugin_fetch_policy(const struct plugin_fetch *fetch, struct arena *arena);

/* Access to the files of fetched and installed plugins, by digest, for other managers.
 * plugin_fetch_blob_has returns whether this manager has the file. plugin_fetch_blob_read reads a
 * part of it into the arena, and returns its whole size. plugin_fetch_blob_put stores a file that
 * comes from another manager. They fail with R0403, R0534 or the errors of an installation. */
bool plugin_fetch_blob_has(const struct plugin_fetch *fetch, struct text digest);
MUST_CHECK bool plugin_fetch_blob_read(const struct plugin_fetch *fetch, struct arena *arena,
                                       struct text digest, uint64_t offset, uint64_t length,
                                       struct text *out, uint64_t *out_size, struct err *err);
MUST_CHECK bool plugin_fetch_blob_put(struct plugin_fetch *fetch, struct text digest,
                                      struct text bytes, struct err *err);

/* plugin_fetch_close cancels active fetches. After it, run the loop until plugin_fetch_is_over
 * returns true, then call plugin_fetch_free. All three functions accept NULL. */
void plugin_fetch_close(struct plugin_fetch *fetch);
bool plugin_fetch_is_over(const struct plugin_fetch *fetch);
void plugin_fetch_free(struct plugin_fetch *fetch);

#endif
