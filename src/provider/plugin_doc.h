#ifndef REEVE_PROVIDER_PLUGIN_DOC_H
#define REEVE_PROVIDER_PLUGIN_DOC_H

#include "codec/doc.h"
#include "wire/wire.h"

/* names: plugin_doc_ */

/* Add what a plugin says of itself, as people and programs see it: version, about, contract, can, lag, late, properties. Texts
 * are borrowed. */
void plugin_doc_put(struct doc_builder *builder, struct arena *arena,
                    const struct wire_hello *hello);

/* The version of plugin.h that it was made for, 1.0; empty: it has not said it. */
struct text plugin_doc_contract(struct arena *arena, const struct wire_hello *hello);

#endif
