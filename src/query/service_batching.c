#include "query/query_parts.h"

/* public names start with: service_ */

/* Divides many machines into batches as the request specifies (decision 0062). */

enum { SEEDS = 1000000000 }; /* upper bound of drawn seeds, small enough for users to type */

size_t service_share_of(const struct service_share *share, size_t count)
{
    size_t number =
        share->is_percent ? (count * (size_t)share->number + 99) / 100 : (size_t)share->number;

    return number == 0 ? 1 : number;
}

MUST_CHECK static bool by_read(struct text word, enum exec_by *out, struct err *err)
{
    static const char *const words[] = {
        [EXEC_BY_NAME] = "name", [EXEC_BY_ZONE] = "zone", [EXEC_BY_RANDOM] = "random"
    };

    *out = EXEC_BY_NAME;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (text_is(word, words[i])) {
            *out = (enum exec_by)i;
            return true;
        }
    }
    return word.length == 0 ||
           err_set(err, CODE_R0426, "'%.*s' is not an order: the orders are name, zone and random",
                   TEXT_ARG(word));
}

/* Draws a seed. It need not be secret, but must differ each time. */
static uint64_t seed_draw(const struct service *service)
{
    return (uint64_t)service->ports.wall_ms(service->ports.arg) % SEEDS + 1;
}

bool service_batches_make(const struct service *service, struct arena *arena,
                          const struct service_batching *batching, size_t usual, bool is_repairing,
                          struct select_nodes *nodes, struct exec_batches *out, uint64_t *out_seed,
                          struct err *err)
{
    size_t count = nodes->count;
    struct exec_arrangement how = {
        .is_zone_apart = batching->is_zone_apart,
        .is_broken_first = is_repairing,
        .batch = batching->batch.is_given ? service_share_of(&batching->batch, count) : usual,
        .canary = batching->canary < count ? (size_t)batching->canary : count,
    };

    *out_seed = 0;
    if (!by_read(batching->by, &how.by, err)) {
        return false;
    }
    if (batching->bake_ms > 0 && batching->canary == 0) {
        return err_set(err, CODE_R0426,
                       "bakeMs is the wait after the canaries: set canary as "
                       "well");
    }
    if (batching->seed > 0 && how.by != EXEC_BY_RANDOM) {
        return err_set(err, CODE_R0426, "seed is used by a random order only: set order as well");
    }
    if (how.by == EXEC_BY_RANDOM) {
        how.seed = *out_seed = batching->seed > 0 ? batching->seed : seed_draw(service);
    }
    *out = exec_arrange(arena, nodes, &how);
    return true;
}
