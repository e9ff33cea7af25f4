#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "plugin_env.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURN_MS = 20, TURNS_MAX = 3000 };

static void wake(void *arg)
{
    (void)arg; /* nothing to do: every iteration runs all parts */
}

static void log_begin(struct plugin_env *env)
{
    char *path = arena_string(env->arena, arena_printf(env->arena, "%s/log", env->folder));

    env->log_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600);
    assert_true(env->log_fd >= 0);
    env->log = log_new(&(struct log_options){ .fd = env->log_fd, .level = LOG_LEVEL_INFO });
}

struct plugin_env *plugin_env_open(const char *host, const char *plugins,
                                   struct hosted_patience patience)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct plugin_env *env = arena_one(arena, struct plugin_env);
    const char *const folders[] = { plugins, NULL };
    /* NULL: the program does not exist, which some tests need */
    char *program = realpath(host, NULL);
    struct plugins_options options = { .program = program == NULL ? host : program,
                                       .folders = folders,
                                       .patience = patience,
                                       .wake = wake };
    struct err err;

    env->arena = arena;
    snprintf(env->folder, sizeof(env->folder), "/tmp/plugins-XXXXXX");
    assert_non_null(mkdtemp(env->folder));
    log_begin(env);
    assert_true(loop_open(&env->loop, &err));
    options.loop = env->loop;
    options.log = env->log;
    options.memory = env->folder;
    assert_true(plugins_open(&options, &env->plugins, &err));
    free(program);
    for (int turn = 0; !plugins_are_asked(env->plugins); turn++) {
        assert_true(turn < TURNS_MAX);
        plugin_env_turn(env, TURN_MS);
    }
    return env;
}

void plugin_env_turn(struct plugin_env *env, uint64_t wait_ms)
{
    uint64_t due = plugins_due(env->plugins);

    loop_run_once(env->loop, due < wait_ms ? due : wait_ms);
    plugins_run(env->plugins);
}

struct provider *plugin_env_find(struct plugin_env *env, const char *tenant, const char *plugin)
{
    const char *problem = "";
    struct provider *provider =
        plugins_find(env->plugins, text_from(tenant), text_from(plugin), &problem);

    if (provider == NULL) {
        fail_msg("%s: %s", plugin, problem);
    }
    return provider;
}

struct text plugin_env_log(struct plugin_env *env)
{
    off_t bytes = lseek(env->log_fd, 0, SEEK_END);
    char *out = arena_alloc(env->arena, (size_t)bytes + 1);

    assert_int_equal(pread(env->log_fd, out, (size_t)bytes, 0), bytes);
    return (struct text){ out, (size_t)bytes };
}

static int path_remove(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void plugin_env_close(struct plugin_env *env)
{
    if (env == NULL) {
        return;
    }
    plugins_close(env->plugins);
    for (int turn = 0; !plugins_are_over(env->plugins); turn++) {
        assert_true(turn < TURNS_MAX);
        loop_run_once(env->loop, TURN_MS);
    }
    plugins_free(env->plugins);
    loop_close(env->loop);
    log_free(env->log);
    close(env->log_fd);
    nftw(env->folder, path_remove, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(env->arena);
}
