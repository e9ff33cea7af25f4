#ifndef REEVE_PROVIDER_INVENTORY_PLUGIN_H
#define REEVE_PROVIDER_INVENTORY_PLUGIN_H

#include "codec/doc.h"
#include "records/way.h"
#include "state/cache.h"
#include "wire/wire.h"

/* Returns the description of the plugin `inventory`, which is a part of the manager
 * (inventory/inventory.h), in the format of the HELLO message of other plugins. */
const struct wire_hello *inventory_plugin_hello(void);

/* Returns the description of the plugin as GET /v1/plugins shows it. */
struct doc inventory_plugin_doc(struct arena *arena);

/* Implements reach_options.machine_secret. Returns the name of the secret of the row that the
 * machine's record has claimed, or `otherwise` if the row has none. Returns an empty text if the
 * machine is not from the inventory. */
struct text inventory_plugin_secret(struct arena *arena, const struct cache *cache,
                                    const struct control_way *way, struct text otherwise);

/* Returns whether the name of a plugin, NAME or NAME/ACCOUNT, is that of the inventory. */
bool inventory_plugin_is(struct text name);

/* The faults of properties: a list of struct wire_pair, pointer and text. The image must exist. */
struct wire_list inventory_plugin_judge(struct arena *arena, const struct cache *cache,
                                        struct text tenant, struct text properties);

#endif
