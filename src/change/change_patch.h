#ifndef REEVE_CHANGE_CHANGE_PATCH_H
#define REEVE_CHANGE_CHANGE_PATCH_H

#include "change/change.h"

/* Applies a patch to the current state of one object. The result is a document with the complete
 * new value. */

enum change_patch_kind {
    CHANGE_PATCH_MERGE, /* RFC 7396 */
    CHANGE_PATCH_JSON,  /* RFC 6902 */
};

struct change_patch {
    enum change_patch_kind patch_kind;
    struct text tenant;
    const struct schema_kind *kind;
    struct text name;
    const struct doc *patch;
};

struct change_patched {
    struct doc document;
    struct change_known known; /* data for change_request.known */
};

/* Applies a patch. If it changes only groups of a cluster, and `names` knows the other groups, only
 * the changed groups are read: the cost does not depend on the other groups, and the document omits
 * them. With `names` NULL, the patch is always applied to the whole cluster. Returns false if the
 * object does not exist, or if the patch cannot be applied to it. Results live in the arena and are
 * valid until the current callback returns. */
MUST_CHECK bool change_patch_lay(struct arena *arena, const struct cache *cache,
                                 struct names *names, const struct change_patch *patch,
                                 struct change_patched *out, struct err *err);

#endif
