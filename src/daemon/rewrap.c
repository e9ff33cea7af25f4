#include "base/limits.h"
#include "daemon/maintenance.h"
#include "daemon/store_open.h"
#include "sqlite/sqlite.h"
#include "sys/random.h"
#include "vault/vault.h"

#include <poll.h>
#include <unistd.h>

/* public names start with: rewrap_ */

enum { TURN_MS = 10, LOADING_MS = 120000 };

static void turn(void *arg)
{
    struct store *store = arg;
    struct pollfd ready = { .fd = store_descriptor(store), .events = POLLIN };

    (void)!poll(&ready, 1, TURN_MS);
    store_run(store);
}

/* Loads the cache. It is frozen when it is complete, so that values read from it stay valid. */
MUST_CHECK static bool cache_load(struct store *store, struct cache *cache, struct err *err)
{
    struct clock clock = clock_system();
    uint64_t until_ms = clock_monotonic_ms(clock) + LOADING_MS;

    while (cache_state(cache) == CACHE_LOADING && clock_monotonic_ms(clock) < until_ms) {
        turn(store);
        cache_run(cache);
    }
    return cache_state(cache) == CACHE_READY ||
           err_set(err, CODE_R0501, "the store could not be read within %d s", LOADING_MS / 1000);
}

bool rewrap_run(const struct config *config, const char *path, size_t *out_count, struct err *err)
{
    unsigned char incarnation[16];
    struct clock clock = clock_system();
    struct log *log;
    struct store *store;
    struct cache *cache;
    struct vault *vault;
    bool is_done;

    if (!store_check_embedded(config, "--rewrap", err)) {
        return false;
    }
    random_fill(random_system(), incarnation, sizeof(incarnation));
    if (!sqlite_open_brief(config->data, incarnation, &store, err)) {
        return false;
    }
    log = log_new(&(struct log_options){
        .clock = clock, .identifier = "reeved", .fd = STDERR_FILENO, .level = LOG_LEVEL_ERROR });
    cache = cache_new_latest(store, LIMIT_CACHE_CHANGES);
    vault = vault_open(&(struct vault_options){ .store = store,
                                                .cache = cache,
                                                .clock = clock,
                                                .log = log,
                                                .data = config->data,
                                                .key = config->secret_key });
    is_done =
        cache_load(store, cache, err) && vault_rewrap(vault, path, turn, store, out_count, err);
    cache_free(cache);
    store_close(store);
    vault_close(vault);
    log_free(log);
    return is_done;
}
