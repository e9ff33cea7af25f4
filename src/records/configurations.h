#ifndef REEVE_RECORDS_CONFIGURATIONS_H
#define REEVE_RECORDS_CONFIGURATIONS_H

#include "base/err.h"
#include "codec/doc.h"
#include "state/cache.h"

/* public names start with: configuration_ */

/* Configurations and their revisions:
 *
 *     /TENANT/Config/NAME/base              {"newest": N, "upgraded": N}
 *     /TENANT/ConfigRevision/NAME/N/base    one revision, below; N has ten digits
 *
 * A revision never changes, except that it is pinned, unpinned or removed. Groups do not read it:
 * its stages are copied into the specification of a group when a file is applied. So a revision may
 * be removed while groups use it, and previous states of these groups can be restored.
 *
 *     {"archive": NAME@sha256:DIGEST, "at", "bundles": [{bundle: NAME@sha256:DIGEST, args, ...}],
 *      "by", "bytes", "digest", "files", "hooks": {NAME: PLAYBOOK}, "pinned", "ref", "vars"} */
#define CONFIGURATION_KIND          "Config"
#define CONFIGURATION_REVISION_KIND "ConfigRevision"

/* Returns the number of the latest revision. 0: there is no such configuration. *out_revision is
 * the store's revision of the record, for comparisons; it may be NULL. */
uint64_t configuration_newest(const struct cache *cache, struct text tenant, struct text name,
                              uint64_t *out_revision);

/* Returns the revision to which the groups with autoUpgrade were last moved. */
uint64_t configuration_upgraded(const struct cache *cache, struct text tenant, struct text name);

/* Returns the record of a configuration. */
struct text configuration_head(struct arena *arena, uint64_t newest, uint64_t upgraded);

/* Reads one revision into the arena. Returns false if it does not exist. */
MUST_CHECK bool configuration_read(struct arena *arena, const struct cache *cache,
                                   struct text tenant, struct text name, uint64_t number,
                                   struct doc *out);

/* The configuration to which a stored cluster, group or template refers, in its spec or (for a
 * cluster) in its defaults; empty: none. `is_following`: it has autoUpgrade. The texts live in the
 * arena. */
struct configuration_use {
    struct text reference;
    bool is_following;
};
struct configuration_use configuration_use_of(struct arena *arena,
                                              const struct cache_object *object);

/* Splits NAME or NAME@rN. *out_number is 0 if there is no number. Returns false if the text has
 * neither form. */
MUST_CHECK bool configuration_reference_parse(struct text reference, struct text *out_name,
                                              uint64_t *out_number);

/* Returns NAME@rN. */
struct text configuration_reference(struct arena *arena, struct text name, uint64_t number);

/* Returns the id of a revision in keys: NAME/N. */
struct text configuration_revision_id(struct arena *arena, struct text name, uint64_t number);

/* Returns the name and the number of the revision that an object stores. */
struct text configuration_name_of(const struct cache_object *revision);
uint64_t configuration_number_of(const struct cache_object *revision);

/* Sets *err to R0829: the revision does not exist (with number 0: the configuration does not). The
 * hint has the most similar configuration. Always returns false. */
MUST_CHECK bool configuration_unknown(struct arena *arena, const struct cache *cache,
                                      struct text tenant, struct text name, uint64_t number,
                                      struct err *err);

#endif
