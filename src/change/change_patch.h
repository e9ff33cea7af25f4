#ifndef REEVE_CHANGE_CHANGE_PATCH_H
#define REEVE_CHANGE_CHANGE_PATCH_H

#include "change/change.h"

/* A patch of one object, applied to the current state: the result is a document with the complete
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

/* Apply a patch. If it patches only groups of a cluster, and `names` knows the other groups, the
 * patch is applied to these groups alone: its cost does not depend on the other groups, and the
 * document omits them. With `names` NULL the patch is always applied to the whole cluster. False:
 * the object does not exist, or the patch does not fit it. Everything lives in the arena and is
 * valid until the current callback returns. */
MUST_CHECK bool change_patch_lay(struct arena *arena, const struct cache *cache,
                                 struct names *names, const struct change_patch *patch,
                                 struct change_patched *out, struct err *err);

#endif
