#ifndef REEVE_REMOTE_REVISION_H
#define REEVE_REMOTE_REVISION_H

#include "codec/doc.h"
#include "remote/bundle.h"

/* public names start with: revision_ */

/* A revision of a configuration repository: an archive of BUNDLE_CONFIGURATION. It is checked
 * completely before it gets a number. With the runner `bundles`, each of its bundles is a folder
 * with bootstrap.sh. Each such folder becomes a bundle, which is identified by its digest. So a
 * stage runs again only if files in its folder have changed.
 *
 * With the runner `ansible`, the only stage is the playbook of the hook `configure`. Its item
 * contains the archive of the revision and the file: {bundle: configure@sha256:ARCHIVE, playbook:
 * site.yml, timeout, idempotent}. */
#define REVISION_MANIFEST "configuration.yaml"

struct revision {
    const struct bundle *bundles; /* in the order in which they run; a bundle may occur twice */
    size_t bundle_count;
    /* A list with one item for each bundle, in the form of `bootstrap`:
     * {bundle: NAME@sha256:DIGEST, args, ...}. */
    struct doc stages;
    struct doc files; /* paths of the manifest's files; absent: none */
    struct doc vars;  /* variables of the manifest; absent: none */
    /* a map from a variable to the secret that has its value, secret://NAME; absent: none */
    struct doc secrets;
    /* runner ansible: a map from the name of a hook to its playbook; otherwise absent */
    struct doc hooks;
};

/* Returns the content of the manifest; its `data` is NULL if the archive has no manifest. The
 * archive must be valid for bundle_from_archive. */
struct text revision_manifest(struct arena *arena, struct text archive);

/* Reads and checks a revision. All errors are added to `errors`. `origin` is the origin of the
 * manifest, for the positions of errors; it may be NULL. Results live in the arena and borrow from
 * the archive. Returns false if there are errors: R0828, those of the manifest's fields, and those
 * of bundle_read. */
MUST_CHECK bool revision_read(struct arena *arena, struct text archive, const struct origin *origin,
                              struct revision *out, struct err_list *errors);

/* Lists the files and links of an archive: [{name, sha256, bytes, program} or {name, link}], sorted
 * by name. */
MUST_CHECK bool revision_files(struct arena *arena, struct text archive, struct doc *out,
                               struct err *err);

#endif
