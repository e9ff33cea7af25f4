#include "base/limits.h"
#include "query/query_parts.h"
#include "service/exec.h"

/* public names start with: service_ */

/* A command on many machines. It selects them, writes an event with the user and the command, and
 * then runs the command. So no command runs without an event. As in service_enter.c, a key is
 * written with the event, because no watch reports a transaction without a key. Each tenant has one
 * key for this purpose. It is not compared, so that commands do not block each other. */

struct executing {
    struct service *service;
    struct arena *arena;
    struct text cluster; /* cluster name */
    struct select_nodes nodes;
    struct exec_order order;
    uint64_t seed; /* seed of a random order; otherwise 0 */
    exec_event_fn *reported;
    service_exec_done *done;
    void *arg;
};

static void exec_refuse(const struct executing *executing, const struct err *err)
{
    executing->done(executing->arg, NULL, err);
}

/* Returns the command in quotes. Unprintable characters become '?'. */
static struct text command_plain(struct arena *arena, struct text command)
{
    char *out = arena_string(arena, command);
    struct text plain = text_from(out);

    for (size_t i = 0; i < plain.length; i++) {
        out[i] = out[i] < ' ' || out[i] > '~' ? '?' : out[i];
    }
    return plain;
}

static struct store_event exec_event_make(const struct executing *executing,
                                          const struct service_actor *actor, struct text id)
{
    struct arena *arena = executing->arena;
    const struct exec_order *order = &executing->order;
    struct text shown =
        command_plain(arena, text_slice(order->command, 0, LIMIT_EXEC_COMMAND_SHOWN_BYTES));
    struct text fact =
        arena_printf(arena, "%.*s runs on %zu machine%s: %.*s%s", TEXT_ARG(actor->user),
                     order->count, order->count == 1 ? "" : "s", TEXT_ARG(shown),
                     shown.length < order->command.length ? " ..." : "");

    return service_event(executing->service, arena, actor,
                         &(struct service_event){ .type = "machines.commanded",
                                                  .cluster = executing->cluster,
                                                  .cluster_id = id,
                                                  .fact = fact,
                                                  .count = order->count });
}

static void written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct executing *executing = arg;
    const struct exec_port *port = executing->service->reconciler.exec;
    struct service_exec_begun begun = { .nodes = &executing->nodes,
                                        .order = &executing->order,
                                        .port = port,
                                        .seed = executing->seed };
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_NONE) {
            err_set(&err, CODE_R0542, "it is not known whether the command was recorded");
        }
        exec_refuse(executing, &err);
        return;
    }
    begun.run =
        port->begin(port->arg, &executing->order, executing->reported, executing->arg, &err);
    if (begun.run == NULL) {
        exec_refuse(executing, &err);
        return;
    }
    begun.revision = answer->revision;
    executing->done(executing->arg, &begun, NULL);
}

MUST_CHECK static bool exec_nodes_find(struct executing *executing,
                                       const struct service_actor *actor,
                                       const struct service_exec *exec, struct err *err)
{
    const struct service *service = executing->service;

    if (service->reconciler.exec == NULL) {
        err_set(err, CODE_R0548, "this manager reconciles no clusters");
        return err_hint(err, "the manager was started with --no-control");
    }
    if (!select_nodes(service->cache, executing->arena, actor, exec->request, &executing->nodes,
                      err)) {
        return false;
    }
    if (executing->nodes.count == 0) {
        err_set(err, CODE_R0780, "the selection matches no machine of '%.*s'",
                TEXT_ARG(exec->request->cluster));
        return err_hint(err, "reeve tree %.*s shows the machines",
                        TEXT_ARG(exec->request->cluster));
    }
    executing->cluster = executing->nodes.items[0].cluster;
    return true;
}

MUST_CHECK static bool order_make(struct executing *executing, const struct service_exec *exec,
                                  struct err *err)
{
    const struct service_batching *batching = &exec->batching;
    size_t count = executing->nodes.count;
    struct exec_batches batches;

    if (!service_batches_make(executing->service, executing->arena, batching, count, false,
                              &executing->nodes, &batches, &executing->seed, err)) {
        return false;
    }
    executing->order = (struct exec_order){
        .nodes = executing->nodes.items,
        .count = count,
        .command = arena_text(executing->arena, exec->command),
        .timeout_ms = exec->timeout_ms == 0 ? LIMIT_EXEC_MS : exec->timeout_ms,
        .output_max = exec->output_max == 0 ? LIMIT_EXEC_OUTPUT_BYTES : exec->output_max,
        .batches = batches,
        .pause_ms = batching->pause_ms,
        .bake_ms = batching->bake_ms,
        .deadline_ms = batching->deadline_ms,
        .max_fail = batching->max_fail.is_given ? service_share_of(&batching->max_fail, count) : 0,
    };
    return true;
}

/* Reports the machines of a dry run, which writes nothing. */
static void dry_report(struct executing *executing)
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
                  const struct service_exec *exec, exec_event_fn *reported, service_exec_done *done,
                  void *arg)
{
    struct executing *executing = arena_one(arena, struct executing);
    struct store_event event;
    struct store_op op;
    struct text key;
    struct text id;
    struct err err;

    *executing = (struct executing){
        .service = service, .arena = arena, .reported = reported, .done = done, .arg = arg
    };
    if (!exec_nodes_find(executing, actor, exec, &err) || !order_make(executing, exec, &err)) {
        exec_refuse(executing, &err);
        return;
    }
    if (exec->is_dry) {
        dry_report(executing);
        return;
    }
    key = executing->nodes.items[0].key;
    id = text_slice(key, text_find_byte(key, '/') + 1, key.length);
    event = exec_event_make(executing, actor, id);
    op = (struct store_op){
        .key = objects_key(arena, actor->tenant, TEXT("Command"), TEXT("last"), CACHE_BASE),
        .value = arena_printf(arena, "{\"time\":%llu}", (unsigned long long)event.time_ms),
    };
    service_txn(service, arena, actor, &(struct store_txn){ NULL, 0, &op, 1, &event, 1 }, written,
                executing);
}
