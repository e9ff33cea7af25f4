#ifndef REEVE_STATE_OBJECTS_H
#define REEVE_STATE_OBJECTS_H

#include "state/cache.h"
#include "model/stored.h"

/* Keys of objects in the store, and reading objects from the cache.
 *
 *     /TENANT/Cluster/ID            a cluster
 *     /TENANT/NodeGroup/ID/PATH     a leaf group of the cluster with this id
 *     /TENANT/KIND/NAME             templates: their name is their id
 *     /TENANT/Name/Cluster/NAME     base: the id of the cluster with this name
 *
 * each followed by /spec, /base and /status, as in cache.h. */

/* Prefix of the names of reeve's own tenants. Users cannot use such a name. */
#define OBJECTS_SYSTEM_TENANT "_"

/* Return the schema of a kind. `name` is the kind's name in files and must be valid. */
const struct schema_kind *objects_kind(const char *name);

/* Return the part of a group's key that follows the kind: ID/PATH. */
struct text objects_group_id(struct arena *arena, struct text cluster_id, struct text path);

/* True if `path` is the path of the group `outer` or of a group below it. An empty `outer` is the
 * whole cluster: every group is below it. */
bool objects_group_is_below(struct text path, struct text outer);

/* Return the whole key of one part: "/TENANT/KIND/ID/spec". */
struct text objects_key(struct arena *arena, struct text tenant, struct text kind, struct text id,
                        enum cache_part part);

/* Finds an object by name or id. The name of a NodeGroup is CLUSTER/PATH, where CLUSTER is a name
 * or an id. Returns NULL if there is no match. */
const struct cache_object *objects_find(const struct cache *cache, struct text tenant,
                                        const struct schema_kind *kind, struct text name);

/* Read an object; a cluster includes its groups. Returns false if it cannot be parsed. */
MUST_CHECK bool objects_read(struct arena *arena, const struct cache *cache,
                             const struct schema_kind *kind, const struct cache_object *object,
                             struct stored_object *out, struct err *err);

/* Return the name of the cluster with this id; empty if the cluster does not exist. It lives in the
 * arena. */
struct text objects_cluster_name(const struct cache *cache, struct arena *arena, struct text tenant,
                                 struct text id);

/* Reads a cluster with only those of its groups that have these paths. */
MUST_CHECK bool objects_read_some(struct arena *arena, const struct cache *cache,
                                  const struct cache_object *object, const struct text *paths,
                                  size_t count, struct stored_object *out, struct err *err);

/* Return the key prefix of the groups of the cluster with this id. With this prefix, cache_first
 * and cache_next return the groups in byte order of paths. */
struct text objects_group_prefix(struct arena *arena, struct text tenant, struct text cluster_id);

/* True if this row of the kind Job is the job of a change (pass_jobs.c), false if it is a batch job
 * (batches.h). */
bool objects_is_change(const struct cache_object *job);

/* Return when the job ended, by the wall clock; 0 if it has not ended. */
int64_t objects_job_ended(const struct cache_object *job);

/* Find the row of the batch job that executes the request with this name. `prefix` is the key
 * prefix of the rows of its cluster. */
const struct cache_object *objects_job_of(const struct cache *cache, struct arena *arena,
                                          struct text prefix, struct text request);

/* Find the metadata of the change that wrote the specification of a cluster, or of one of its
 * groups, at this revision: its author and the reason. Texts live in the arena. Returns false if
 * there is no such metadata. */
bool objects_author_find(struct arena *arena, const struct cache *cache, struct text tenant,
                         struct text cluster_id, uint64_t revision, struct stored_meta *out);

/* Return the path of a group, from its cache object. */
struct text objects_group_path(const struct cache_object *group);

#endif
