#ifndef REEVE_MODEL_DECODE_H
#define REEVE_MODEL_DECODE_H

#include "base/mem.h"
#include "codec/doc.h"
#include "model/naming.h"

/* public names start with: group_ */

/* The last step of reading a document: converts a finished leaf to a typed struct, for code that
 * counts and decides. Only documents are merged, stored and compared, never typed structs. */

/* A leaf group. Texts borrow from the document. */
struct group {
    struct text path;
    uint32_t size;
    uint32_t min_size;
    uint32_t max_size; /* GROUP_NO_MAX = no bound */
    uint32_t first_number;
    bool has_size; /* false: the field is missing or invalid, which another check reports */
    struct naming naming;
    struct naming_affix affix;
    struct text plugin; /* name of the plugin; empty if it is missing */
};

#define GROUP_NO_MAX UINT32_MAX

/* Decode the effective document of a leaf. The document has the normal form, so this cannot fail. A
 * missing field gets the built-in default. The result borrows from the document and the arena. */
struct group group_decode(struct arena *arena, struct text cluster, struct text path,
                          const struct doc *leaf);

#endif
