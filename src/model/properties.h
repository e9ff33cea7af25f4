#ifndef REEVE_MODEL_PROPERTIES_H
#define REEVE_MODEL_PROPERTIES_H

#include "base/err.h"
#include "codec/doc.h"
#include "wire/wire.h"

/* names: properties_ */

/* What a group says of its machines, as its plugin gets it: resourceProperties in their own spelling, the portable
 * fields by the roles of the plugin's schema, and what the schema gives where nobody says anything. Sizes are bytes.
 * A plugin without a schema gets resourceProperties as they are, and judges them alone. */

/* Has the plugin a property with this role (REEVE_ROLE_...)? */
bool properties_has_role(const struct wire_hello *plugin, uint64_t role);

/* The portable field of a role; NULL: a property of the plugin's own. */
const char *properties_portable(uint64_t role);

/* Make them of a leaf, or of what is kept of one, and of a second document that may hold more portable fields (NULL:
 * none). What is wrong is left out; properties_check says what. */
struct doc properties_make(struct arena *arena, const struct wire_hello *plugin,
                           const struct doc *leaf, const struct doc *more);

/* Is what a leaf says right by the plugin's schema? Faults have the place of the value, or that of the group: unknown
 * names, wrong types, what is missing, out of bounds, said twice, or has no role in this plugin. */
void properties_check(const struct wire_hello *plugin, const struct doc *leaf, struct place place,
                      struct err_list *errors);

/* Paths of fields of a group that its plugin changes in place (REEVE_PROPERTY_IN_PLACE): "resourceProperties.addresses", or a
 * portable field. Another value of these makes no other machine. Returns how many; the list lives in the arena. */
size_t properties_in_place(struct arena *arena, const struct wire_hello *plugin,
                           const struct text **out);

/* Is a path one of these, or below one of them? */
bool properties_is_below(struct text path, const struct text *paths, size_t count);

/* The path from the leaf on of a pointer that the plugin gave into its properties: what a portable field became is
 * found under that field. */
struct text properties_place(struct arena *arena, const struct wire_hello *plugin,
                             const struct doc *leaf, struct text pointer);

#endif
