#ifndef REEVE_TESTS_PLUGIN_ENV_H
#define REEVE_TESTS_PLUGIN_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "provider/plugins.h"

/* public names start with: plugin_env_ */

/* A registry of plugins with a loop, a log and a folder of its own, for tests: real processes of
 * reeve-host. */
struct plugin_env {
    struct arena *arena;
    struct loop *loop;
    struct log *log;
    struct plugins *plugins;
    char folder[64];
    int log_fd;
};

/* Open it with the plugins of a folder; all are asked when this returns. Fails the test where it
 * cannot. */
struct plugin_env *plugin_env_open(const char *host, const char *plugins,
                                   struct hosted_patience patience);

/* One turn: wait for something for at most so long, and do what is due. */
void plugin_env_turn(struct plugin_env *env, uint64_t wait_ms);

/* The provider of a plugin in a tenant; fails the test where there is none. */
struct provider *plugin_env_find(struct plugin_env *env, const char *tenant, const char *plugin);

/* All that was logged so far. */
struct text plugin_env_log(struct plugin_env *env);

/* End it, and wait for the processes; fails the test when one stays. The folder is removed. NULL is
 * allowed. */
void plugin_env_close(struct plugin_env *env);

#endif
