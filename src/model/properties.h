#ifndef REEVE_MODEL_PROPERTIES_H
#define REEVE_MODEL_PROPERTIES_H

#include "base/err.h"
#include "codec/doc.h"
#include "wire/wire.h"

/* public names start with: properties_ */

/* The properties of a group's machines as its plugin receives them. They consist of
 * resourceProperties in their own spelling, the portable fields that the plugin's schema maps by
 * their roles, and the defaults of that schema. Sizes are in bytes. A plugin without a schema
 * receives resourceProperties unchanged and validates them itself. */

/* True if the plugin has a property with this role (REEVE_ROLE_...). */
bool properties_has_role(const struct wire_hello *plugin, uint64_t role);

/* Return the portable field of a role; NULL for a property that only the plugin has. */
const char *properties_portable(uint64_t role);

/* Make the properties of a leaf, or of its stored part. `more` is a second document with further
 * portable fields (NULL: none). Invalid values are omitted; properties_check() reports them. The
 * document lives in the arena. */
struct doc properties_make(struct arena *arena, const struct wire_hello *plugin,
                           const struct doc *leaf, const struct doc *more);

/* Check a leaf against the plugin's schema. A fault has the position of the value, or that of the
 * group. Faults are: unknown names, wrong types, missing or out-of-bounds values, values that are
 * given twice, and fields without a role in this plugin. */
void properties_check(const struct wire_hello *plugin, const struct doc *leaf, struct place place,
                      struct err_list *errors);

/* Find the paths of group fields that the plugin changes in place (REEVE_PROPERTY_IN_PLACE):
 * "resourceProperties.addresses", or a portable field. A changed value of such a field does not
 * replace the machine. Returns their number; the list lives in the arena. */
size_t properties_in_place(struct arena *arena, const struct wire_hello *plugin,
                           const struct text **out);

/* True if `path` equals one of these paths, or is below one of them. */
bool properties_is_below(struct text path, const struct text *paths, size_t count);

/* Translate a JSON Pointer into the properties, as a plugin reports it, to a path in the leaf: that
 * of the portable field, if the property was made from one. The text lives in the arena. */
struct text properties_place(struct arena *arena, const struct wire_hello *plugin,
                             const struct doc *leaf, struct text pointer);

#endif
