#ifndef REEVE_SERVICE_CHANGE_PATCH_H
#define REEVE_SERVICE_CHANGE_PATCH_H

#include "service/change.h"

/* A patch of one object, laid on the current state: the document that says all that it shall be. */

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
    struct change_known known; /* for change_request.known */
};

/* Lay it on. A patch of a cluster that names groups, and nothing else, is laid on those alone where `names`
 * (NULL: on all of it, always) knows the others: what it costs does not depend on them, and the document
 * leaves them out. False: there is no such object, or the patch does not fit it. All lives in the arena
 * and is true within the turn of the loop. */
MUST_CHECK bool change_patch_lay(struct arena *arena, const struct cache *cache,
                                 struct names *names, const struct change_patch *patch,
                                 struct change_patched *out, struct err *err);

#endif
