#ifndef REEVE_PROVIDER_INVENTORY_PLUGIN_H
#define REEVE_PROVIDER_INVENTORY_PLUGIN_H

#include "codec/doc.h"
#include "records/way.h"
#include "state/cache.h"
#include "wire/wire.h"

/* The plugin `inventory`, which is a part of the manager (inventory/inventory.h), in the form in
 * which other plugins describe themselves. */
const struct wire_hello *inventory_plugin_hello(void);

/* Returns the description of the plugin as GET /v1/plugins shows it. */
struct doc inventory_plugin_doc(struct arena *arena);

/* Implements reach_options.machine_secret: returns the secret of the row that the machine's record
 * has claimed, or `otherwise` if that row has none; empty: not a machine of the inventory. */
struct text inventory_plugin_secret(struct arena *arena, const struct cache *cache,
                                    const struct control_way *way, struct text otherwise);

/* Returns whether the name of a plugin, NAME or NAME/ACCOUNT, is that of the inventory. */
bool inventory_plugin_is(struct text name);

#endif
