#ifndef REEVE_PROVIDER_PLUGIN_STATE_H
#define REEVE_PROVIDER_PLUGIN_STATE_H

#include "provider/hosted.h"
#include "state/store.h"

/* The state of plugins in the store: /TENANT/PluginState/PLUGIN/KEY/base. With an account,
 * PLUGIN@ACCOUNT stands in place of PLUGIN. The version of a value is its revision. Accesses go to
 * the store and not to the cache: no manager sees an older state than it has seen before. */

#define PLUGIN_STATE_KIND "PluginState"

/* Makes one access. `store` must be closed before the receiver of `done` is freed, as every store
 * answers while it is closed. */
void plugin_state_access(struct store *store, const struct hosted_use *user,
                         const struct wire_state_ask *ask, hosted_state_done *done, void *arg);

#endif
