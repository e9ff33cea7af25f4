#ifndef REEVE_TESTS_PLUGIN_ENV_H
#define REEVE_TESTS_PLUGIN_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "provider/plugins.h"

/* public names start with: plugin_env_ */

/* A plugin registry with a loop, a log and a folder, for tests. It starts real reeve-host
 * processes. */
struct plugin_env {
    struct arena *arena;
    struct loop *loop;
    struct log *log;
    struct plugins *plugins;
    char folder[64];
    int log_fd;
};

/* Opens it with the plugins of a folder. All plugins were queried when this returns. Fails the test
 * on an error. */
struct plugin_env *plugin_env_open(const char *host, const char *plugins,
                                   struct hosted_patience patience);

/* Runs one iteration: waits for events for at most `wait_ms`, and does the due work. */
void plugin_env_turn(struct plugin_env *env, uint64_t wait_ms);

/* Returns the provider of a plugin for a tenant. Fails the test if there is none. */
struct provider *plugin_env_find(struct plugin_env *env, const char *tenant, const char *plugin);

/* Returns the log output so far. */
struct text plugin_env_log(struct plugin_env *env);

/* Closes it, waits for the processes, and removes the folder. Fails the test if a process does not
 * end. NULL is allowed. */
void plugin_env_close(struct plugin_env *env);

#endif
