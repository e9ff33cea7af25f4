#ifndef REEVE_PROVIDER_PLUGIN_STATE_H
#define REEVE_PROVIDER_PLUGIN_STATE_H

#include "provider/hosted.h"
#include "state/store.h"

/* The state of plugins in the store: /TENANT/PluginState/PLUGIN/KEY/base. With an account, the key
 * has PLUGIN@ACCOUNT in place of PLUGIN. The version of a value is its revision. Requests go to the
 * store and not to the cache, so that a manager never reads an older state than before. */

#define PLUGIN_STATE_KIND "PluginState"

/* Starts one read or write of the state. `store` must be closed before the receiver of `done` is
 * freed, because a store still answers calls while it is being closed. */
void plugin_state_access(struct store *store, const struct hosted_use *user,
                         const struct wire_state_ask *ask, hosted_state_done *done, void *arg);

#endif
