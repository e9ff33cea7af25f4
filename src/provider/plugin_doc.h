#ifndef REEVE_PROVIDER_PLUGIN_DOC_H
#define REEVE_PROVIDER_PLUGIN_DOC_H

#include "codec/doc.h"
#include "wire/wire.h"

/* public names start with: plugin_doc_ */

/* Adds a plugin's description in the format of the API: version, about, contract, can, lag, late,
 * properties. Texts are not copied. */
void plugin_doc_put(struct doc_builder *builder, struct arena *arena,
                    const struct wire_hello *hello);

/* Returns the version of plugin.h that the plugin was built for, such as 1.0; empty if unknown. */
struct text plugin_doc_contract(struct arena *arena, const struct wire_hello *hello);

#endif
