#ifndef REEVE_STATE_OBJECTS_H
#define REEVE_STATE_OBJECTS_H

#include "state/cache.h"
#include "model/stored.h"

/* Where objects stand in the store, and reading them from the watch cache.
 *
 *     /TENANT/Cluster/ID            a cluster
 *     /TENANT/NodeGroup/ID/PATH     a leaf group of the cluster with this id
 *     /TENANT/KIND/NAME             templates: their name is their id
 *     /TENANT/Name/Cluster/NAME     base: the id of the cluster with this name
 *
 * each with /spec, /base and /status behind it, as cache.h has it. */

/* Tenants whose names begin with this are reeve's own; no person can name one. */
#define OBJECTS_SYSTEM_TENANT "_"

/* A kind by its name in files; it must be one. */
const struct schema_kind *objects_kind(const char *name);

/* The part of a key that follows the kind, for an object of this id; of a group: ID/PATH. */
struct text objects_group_id(struct arena *arena, struct text cluster_id, struct text path);

/* Is this group the other one, or within it? An empty path is that of no group: every group is within it. */
bool objects_group_is_below(struct text path, struct text outer);

/* The whole key of one part: "/TENANT/KIND/ID/spec". */
struct text objects_key(struct arena *arena, struct text tenant, struct text kind, struct text id,
                        enum cache_part part);

/* An object by name or id; of a NodeGroup CLUSTER/PATH, where CLUSTER is either. NULL: there is none. */
const struct cache_object *objects_find(const struct cache *cache, struct text tenant,
                                        const struct schema_kind *kind, struct text name);

/* Read an object, a cluster with its groups. False: the current state there cannot be understood. */
MUST_CHECK bool objects_read(struct arena *arena, const struct cache *cache,
                             const struct schema_kind *kind, const struct cache_object *object,
                             struct stored_object *out, struct err *err);

/* The name of the cluster with this id; empty where there is none (any more). In the arena. */
struct text objects_cluster_name(const struct cache *cache, struct arena *arena, struct text tenant,
                                 struct text id);

/* Read a cluster with only those of its groups that have one of these paths. */
MUST_CHECK bool objects_read_some(struct arena *arena, const struct cache *cache,
                                  const struct cache_object *object, const struct text *paths,
                                  size_t count, struct stored_object *out, struct err *err);

/* The first group of the cluster with this id, and the one behind a group; NULL at the end. In byte
 * order of paths. `prefix` is what objects_group_prefix gives. */
struct text objects_group_prefix(struct arena *arena, struct text tenant, struct text cluster_id);

/* Of a row of the kind Job: is it a change's job (pass_jobs.c), and none that works off batches (batches.h)? */
bool objects_is_change(const struct cache_object *job);

/* When it ended, by the wall clock; 0: it has not. */
int64_t objects_job_ended(const struct cache_object *job);

/* The row of the job that works off the batches of this request (its name), among those with this prefix: the rows of its cluster. */
const struct cache_object *objects_job_of(const struct cache *cache, struct arena *arena,
                                          struct text prefix, struct text request);

/* The path of a group, from its cache object. */
struct text objects_group_path(const struct cache_object *group);

#endif
