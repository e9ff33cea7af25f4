#ifndef REEVE_PROVIDER_PLUGIN_VIEW_H
#define REEVE_PROVIDER_PLUGIN_VIEW_H

#include "model/properties.h"
#include "provider/plugins.h"

/* Returns a plugin as GET /v1/plugins shows it, with the state of its process in one tenant (NULL:
 * not started yet) and further properties (a map). */
struct doc plugin_view(struct arena *arena, const struct plugins_entry *entry,
                       const struct hosted_state *state, struct doc more);

#endif
