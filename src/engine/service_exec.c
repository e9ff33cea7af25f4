#include "base/limits.h"
#include "codec/json.h"
#include "engine/exec.h"
#include "engine/service_parts.h"

/* names: service_ */

/* A command on many machines: which they are, then it is written down who runs what, then it begins. The order is that of
 * service_enter: what is in no log has never been run. The event goes with a key that nobody reads, for a transaction without one
 * is told to no watch; one key for a tenant, written without a compare, so that commands do not get into each other's way. */

enum { SEEDS = 1000000000 }; /* drawn ones: people say them again */

struct executing {
    struct service *service;
    struct arena *arena;
    struct text cluster; /* its name */
    struct select_nodes nodes;
    struct exec_order order;
    uint64_t seed; /* of a random order; else 0 */
    exec_told_fn *told;
    service_exec_done *done;
    void *arg;
};

static void refuse(const struct executing *executing, const struct err *err)
{
    executing->done(executing->arg, NULL, err);
}

static struct text event_make(const struct executing *executing, const struct service_actor *actor,
                              struct text id)
{
    struct arena *arena = executing->arena;
    struct text shown = text_slice(executing->order.command, 0, LIMIT_EXEC_COMMAND_SHOWN_BYTES);
    struct doc_builder builder;
    struct text fact;
    struct doc doc;
    struct buf buf;

    fact = record_sentence(
        arena, arena_printf(arena, "%.*s runs on %zu machine%s: %.*s%s", TEXT_ARG(actor->user),
                            executing->order.count, executing->order.count == 1 ? "" : "s",
                            TEXT_ARG(shown),
                            shown.length < executing->order.command.length ? " ..." : ""));
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "actor", doc_text(actor->user, NULL));
    doc_builder_put(&builder, "count", doc_int(arena, (int64_t)executing->order.count, NULL));
    doc_builder_put(&builder, "fact", doc_text(fact, NULL));
    doc_builder_put(&builder, "kind", doc_text(TEXT("Cluster"), NULL));
    doc_builder_put(&builder, "name", doc_text(executing->cluster, NULL));
    doc_builder_put(&builder, "object", doc_text(id, NULL));
    doc_builder_put(&builder, "type", doc_text(TEXT("machines.commanded"), NULL));
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct executing *executing = arg;
    const struct exec_port *port = executing->service->keeper.exec;
    struct service_exec_begun begun = { .nodes = &executing->nodes,
                                        .order = &executing->order,
                                        .port = port,
                                        .seed = executing->seed };
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_NONE) {
            err_set(&err, CODE_R0542, "whether it was written down who runs this is not known");
        }
        refuse(executing, &err);
        return;
    }
    begun.run = port->begin(port->arg, &executing->order, executing->told, executing->arg, &err);
    if (begun.run == NULL) {
        refuse(executing, &err);
        return;
    }
    begun.revision = answer->revision;
    executing->done(executing->arg, &begun, NULL);
}

MUST_CHECK static bool nodes_find(struct executing *executing, const struct service_actor *actor,
                                  const struct service_exec *exec, struct err *err)
{
    const struct service *service = executing->service;

    if (service->keeper.exec == NULL) {
        err_set(err, CODE_R0548, "this manager keeps no clusters");
        return err_hint(err, "it was started with --no-control");
    }
    if (!select_nodes(service->cache, executing->arena, actor, exec->wish, &executing->nodes,
                      err)) {
        return false;
    }
    if (executing->nodes.count == 0) {
        err_set(err, CODE_R0780, "no machine of '%.*s' is meant", TEXT_ARG(exec->wish->cluster));
        return err_hint(err, "reeve tree %.*s shows what there is", TEXT_ARG(exec->wish->cluster));
    }
    executing->cluster = executing->nodes.items[0].cluster;
    return true;
}

/* N, or so many of a hundred of them, rounded up; at least one. */
static size_t share_of(const struct service_share *share, size_t count)
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
           err_set(err, CODE_R0426, "'%.*s' is no order: there are name, zone and random",
                   TEXT_ARG(word));
}

/* Nobody gains by guessing it: it only has to be another one each time. */
static uint64_t seed_draw(const struct executing *executing)
{
    const struct service *service = executing->service;

    return (uint64_t)service->ports.wall_ms(service->ports.arg) % SEEDS + 1;
}

MUST_CHECK static bool order_make(struct executing *executing, const struct service_exec *exec,
                                  struct err *err)
{
    size_t count = executing->nodes.count;
    struct exec_arrangement how = {
        .is_zone_apart = exec->is_zone_apart,
        .batch = exec->batch.is_given ? share_of(&exec->batch, count) : count,
        .canary = exec->canary < count ? (size_t)exec->canary : count,
    };

    if (!by_read(exec->by, &how.by, err)) {
        return false;
    }
    if (exec->bake_ms > 0 && exec->canary == 0) {
        return err_set(err, CODE_R0426, "bakeMs is a wait behind canaries: say canary as well");
    }
    if (exec->seed > 0 && how.by != EXEC_BY_RANDOM) {
        return err_set(err, CODE_R0426, "seed is of a random order: say order as well");
    }
    if (how.by == EXEC_BY_RANDOM) {
        how.seed = executing->seed = exec->seed > 0 ? exec->seed : seed_draw(executing);
    }
    executing->order = (struct exec_order){
        .nodes = executing->nodes.items,
        .count = count,
        .command = arena_text(executing->arena, exec->command),
        .timeout_ms = exec->timeout_ms == 0 ? LIMIT_EXEC_MS : exec->timeout_ms,
        .output_max = exec->output_max == 0 ? LIMIT_EXEC_OUTPUT_BYTES : exec->output_max,
        .batches = exec_arrange(executing->arena, &executing->nodes, &how),
        .pause_ms = exec->pause_ms,
        .bake_ms = exec->bake_ms,
        .deadline_ms = exec->deadline_ms,
        .max_fail = exec->max_fail.is_given ? share_of(&exec->max_fail, count) : 0,
    };
    return true;
}

/* Only who it would be: nothing is written down. */
static void dry_tell(struct executing *executing)
{
    executing->done(executing->arg,
                    &(struct service_exec_begun){
                        .nodes = &executing->nodes,
                        .order = &executing->order,
                        .revision = cache_revision(executing->service->cache),
                        .seed = executing->seed,
                    },
                    NULL);
}

void service_exec(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_exec *exec, exec_told_fn *told, service_exec_done *done,
                  void *arg)
{
    struct executing *executing = arena_one(arena, struct executing);
    struct store_event event;
    struct store_op op;
    struct text key;
    struct text id;
    struct err err;

    *executing = (struct executing){
        .service = service, .arena = arena, .told = told, .done = done, .arg = arg
    };
    if (!nodes_find(executing, actor, exec, &err) || !order_make(executing, exec, &err)) {
        refuse(executing, &err);
        return;
    }
    if (exec->is_dry) {
        dry_tell(executing);
        return;
    }
    key = executing->nodes.items[0].key;
    id = text_slice(key, text_find_byte(key, '/') + 1, key.length);
    event = (struct store_event){
        .cluster = key,
        .body = event_make(executing, actor, id),
        .time_ms = (uint64_t)service->ports.wall_ms(service->ports.arg),
    };
    op = (struct store_op){
        .key = objects_key(arena, actor->tenant, TEXT("Command"), TEXT("last"), CACHE_BASE),
        .value = arena_printf(arena, "{\"time\":%llu}", (unsigned long long)event.time_ms),
    };
    store_txn(service->store, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, written,
              executing);
}
