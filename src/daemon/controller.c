#include "daemon/controller.h"

#include "codec/json.h"
#include "daemon/config/config.h"
#include "daemon/controller_state.h"
#include "daemon/report.h"
#include "provider/plugin_state.h"
#include "reeve/plugin.h"
#include "state/objects.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The key that signs the stamps of this manager's machines. It is in the store, so that a backup
 * contains it; the API never returns it. */
#define STAMP_KEY "/" OBJECTS_SYSTEM_TENANT "/Stamp/machines/base"

/* Interval of this manager's heartbeats, and the maximum time scale for session times. */
enum { SESSION_BEAT_MS = 1000, SESSION_SCALE_MAX = 3 };

/* Interval at which the keys of this manager are compared with those of the store. */
enum { CONTROLLER_KEYS_MS = 1000 };

/* ---- ports ---- */

uint64_t controller_now_ms(void *arg)
{
    return clock_monotonic_ms(((const struct controller *)arg)->options.clock);
}

int64_t controller_wall_ms(void *arg)
{
    return clock_wall_ms(((const struct controller *)arg)->options.clock);
}

static void random_give(void *arg, void *out, size_t bytes)
{
    random_fill(((const struct controller *)arg)->options.random, out, bytes);
}

static void controller_mac_make(void *arg, struct text data, char out[static DIGEST_STAMP_BYTES])
{
    digest_stamp(text_from(((const struct controller *)arg)->stamp), data, out);
}

struct provider *controller_provider_give(void *arg, struct text tenant, struct text plugin,
                                          const char **problem)
{
    const struct controller *controller = arg;

    if (inventory_plugin_is(plugin)) {
        return inventory_provider(controller->inventory, tenant);
    }
    return controller->fetch != NULL ? plugin_fetch_find(controller->fetch, tenant, plugin, problem)
                                     : plugins_find(controller->plugins, tenant, plugin, problem);
}

static struct provider *controller_instance_find(void *arg, const struct control_instance *instance,
                                                 const char **problem)
{
    return instances_find(((const struct controller *)arg)->instances, instance, problem);
}

/* Returns true if, to this manager's knowledge, the given manager holds the lease of a cluster
 * (TENANT/ID). */
static bool controller_is_holder(void *arg, struct text manager, struct text cluster)
{
    const struct managers *managers = controller_managers(arg);
    size_t slash = text_find_byte(cluster, '/');
    const struct managers_row *holder =
        managers == NULL || slash == SIZE_MAX
            ? NULL
            : managers_holder(managers, text_slice(cluster, 0, slash),
                              text_slice(cluster, slash + 1, cluster.length));

    return holder != NULL && text_is_equal(holder->id, manager);
}

static void controller_instances_wake(void *arg)
{
    const struct controller *controller = arg;

    controller->options.wake(controller->options.arg);
}

struct instances *controller_instances(const struct controller *controller)
{
    return controller == NULL ? NULL : controller->instances;
}

static void origin_want(void *arg, struct text cluster, const struct plugin_origin *origin,
                        struct plugin_waiting *out)
{
    plugin_fetch_want(((const struct controller *)arg)->fetch, cluster, origin, out);
}

static void waiting_approve(void *arg, struct text tenant, struct text plugin, struct text digest)
{
    plugin_fetch_approve(((const struct controller *)arg)->fetch, tenant, plugin, digest);
}

void controller_cluster_look(void *arg, struct text cluster)
{
    const struct controller *controller = arg;

    if (controller->control != NULL && !controller->is_closed) {
        control_wake(controller->control, cluster);
        controller->options.wake(controller->options.arg);
    }
}

bool controller_user_exists(const struct controller *controller, struct text plugin)
{
    struct plugins_entry entry;

    if (inventory_plugin_is(plugin)) {
        return true;
    }
    if (!plugins_look(controller->plugins, text_slice(plugin, 0, text_find_byte(plugin, '/')),
                      &entry) ||
        entry.hello == NULL) {
        return false;
    }
    for (size_t i = 0; i < entry.hello->properties.count; i++) {
        if (wire_item(entry.hello->properties, struct wire_property, i)->role == REEVE_ROLE_USER) {
            return true;
        }
    }
    return false;
}

static bool keys_give(void *arg, struct text cluster, struct text plugin, struct text *out)
{
    const struct controller *controller = arg;

    *out = TEXT("");
    return !controller_user_exists(controller, plugin) ||
           authorities_line(controller->authorities, cluster, out);
}

static void controller_probe_make(void *arg, const struct control_probe *probe,
                                  control_probe_done *done, void *done_arg)
{
    probe_runs_start(((struct controller *)arg)->probes, probe, done, done_arg);
}

static void controller_wait_end(struct pass_wait *wait, const struct control_report *report)
{
    struct doc doc;
    struct buf buf;

    buf_init(&buf, wait->arena);
    if (report != NULL) {
        doc = report_doc(wait->arena, report);
        json_format(&buf, &doc);
    }
    wait->done(wait->arg, buf_text(&buf));
    arena_free(wait->arena);
}

static void controller_waiting_report(struct controller *controller,
                                      const struct control_report *report)
{
    struct pass_wait **link = &controller->waiting;

    while (*link != NULL) {
        struct pass_wait *wait = *link;

        if (report->begun_ms >= wait->since_ms && text_is_equal(report->cluster, wait->cluster)) {
            *link = wait->next;
            controller_wait_end(wait, report);
        } else {
            link = &wait->next;
        }
    }
}

static void controller_on_pass(void *arg, const struct control_report *report)
{
    struct log *log = ((struct controller *)arg)->options.log;

    controller_waiting_report(arg, report);
    if (report->end == CONTROL_END_DAMAGED) {
        log_error(log, "control", "damaged", log_text("cluster", report->cluster),
                  log_text("reason", report->message));
    } else if (report->end == CONTROL_END_BROKEN) {
        log_warn(log, "control", "broken", log_text("cluster", report->cluster),
                 log_text("reason", report->message));
    } else if (report->end == CONTROL_END_FOREIGN) {
        log_debug(log, "control", "foreign", log_text("cluster", report->cluster),
                  log_text("reason", report->message));
    } else if (report->end == CONTROL_END_DONE) {
        log_debug(log, "control", "done", log_text("cluster", report->cluster),
                  log_int("actions", (int64_t)report->actions),
                  log_int("holds", (int64_t)report->holds));
    }
}

static void controller_damage_report(void *arg, struct text cluster, struct text what,
                                     const struct err *err)
{
    log_error(((struct controller *)arg)->options.log, "control", "damaged",
              log_text("cluster", cluster), log_text("what", what),
              log_string("code", code_get(err->code)->name), log_string("reason", err->text));
}

/* ---- start ---- */

static void stamp_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct controller *controller = arg;

    (void)outcome;
    (void)answer; /* the cache shows whether this key or that of another manager was stored */
    controller->is_asked = false;
}

static void stamp_offer(struct controller *controller)
{
    char token[RANDOM_TOKEN_BYTES];
    char value[RANDOM_TOKEN_BYTES + 16];
    struct store_compare compare = { .key = TEXT(STAMP_KEY) };
    struct store_op op = { .key = TEXT(STAMP_KEY) };
    struct store_txn txn = { .compares = &compare, .compare_count = 1, .ops = &op, .op_count = 1 };

    random_token(controller->options.random, token);
    snprintf(value, sizeof(value), "{\"key\":\"%s\"}", token);
    op.value = text_from(value);
    controller->is_asked = true;
    store_txn(controller->options.store, &txn, stamp_reported, controller);
}

/* Reads the stamp key, or requests that one is stored. Returns false while it is unknown. */
static bool stamp_is_known(struct controller *controller)
{
    const struct cache_object *object = cache_find(
        controller->options.cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Stamp"), TEXT("machines"));
    const struct doc *key;
    struct arena_mark mark;
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL) {
        if (!controller->is_asked) {
            stamp_offer(controller);
        }
        return false;
    }
    mark = arena_mark(controller->memory);
    if (json_parse(controller->memory, blob_text(object->parts[CACHE_BASE].bytes), NULL, &doc,
                   &err)) {
        key = doc_child(&doc, "key");
        if (doc_is_scalar(key) && key->text.length == RANDOM_TOKEN_BYTES - 1) {
            memcpy(controller->stamp, key->text.data, key->text.length);
        }
    }
    arena_rewind(controller->memory, mark);
    return controller->stamp[0] != '\0';
}

/* Returns the id of this boot of the host, in which the monotonic clock is valid; empty:
 * unknown. */
static struct text clock_name(struct controller *controller)
{
    struct text id;
    struct err err;

    return file_read(controller->memory, "/proc/sys/kernel/random/boot_id", LIMIT_GROUP_NAME_BYTES,
                     &id, &err)
               ? text_slice(id, 0, text_find_byte(id, '\n'))
               : TEXT("");
}

/* Shortens the times of sessions by the time scale, but keeps a reserve for a busy host. */
static void session_times_set(struct control_options *options, uint32_t time_scale)
{
    uint64_t scale = time_scale < SESSION_SCALE_MAX ? time_scale : SESSION_SCALE_MAX;

    options->session_ttl_ms /= scale;
    options->session_beat_ms = SESSION_BEAT_MS / scale;
}

static void controller_refuses(void *arg, struct text address, bool is_here, roster_refused *done,
                               void *done_arg)
{
    struct controller *controller = arg;

    refusals_ask(controller->refusals, address, is_here, done, done_arg);
}

/* Returns the plugins of this manager that all tenants can use. */
static const struct roster_plugin *controller_plugins_known(struct controller *controller,
                                                            size_t *out_count)
{
    size_t count = plugins_count(controller->plugins);
    struct roster_plugin *known = arena_array(controller->memory, struct roster_plugin, count + 1);

    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct plugins_entry entry = plugins_at(controller->plugins, i);

        if (!entry.is_fetched && entry.problem == NULL) {
            known[(*out_count)++] =
                (struct roster_plugin){ entry.name, entry.digest,
                                        entry.hello != NULL &&
                                            (entry.hello->capabilities & REEVE_CAN_HOST) != 0 };
        }
    }
    known[(*out_count)++] = (struct roster_plugin){ .name = TEXT(INVENTORY_PLUGIN) };
    return known;
}

static void controller_control_begin(struct controller *controller)
{
    struct control_options options = control_options_default();

    options.clock = clock_name(controller);
    options.session = text_from(controller->session);
    if (controller->options.manager != NULL) {
        options.is_alone = false;
        options.manager = *controller->options.manager;
        options.manager.plugins =
            controller_plugins_known(controller, &options.manager.plugin_count);
        options.manager.is_fetching =
            controller->fetch != NULL && controller->options.fetch->is_enabled;
        options.times = controller->options.time_scale;
        session_times_set(&options, controller->options.time_scale);
    }
    plan_limits_hasten(&options.limits, controller->options.time_scale);
    options.resync_ms /= controller->options.time_scale;
    options.volumes.every_ms /= controller->options.time_scale;
    options.volumes.orphan_ms /= controller->options.time_scale;
    if (controller->options.config != NULL) {
        options.volumes.retain_ms = controller->options.config->volumes_keep_ms;
    }
    options.volumes.retain_ms /= controller->options.time_scale;
    options.is_single = controller->options.is_single;
    options.is_dry = controller->options.is_dry;
    controller->control = control_new(
        controller->options.store, controller->options.cache,
        (struct control_ports){ .now_ms = controller_now_ms,
                                .wall_ms = controller_wall_ms,
                                .random = random_give,
                                .mac = controller_mac_make,
                                .provider_find = controller_provider_give,
                                .instance_find =
                                    controller->instances == NULL ? NULL : controller_instance_find,
                                .plugin_want = controller->fetch == NULL ? NULL : origin_want,
                                .plugin_approve = waiting_approve,
                                .keys = keys_give,
                                .probe = controller_probe_make,
                                .damaged = controller_damage_report,
                                .nodes = node_runs_port(controller->nodes),
                                .refuses = controller_refuses,
                                .arg = controller },
        options);
    control_watch(controller->control, controller_on_pass, controller);
}

/* Returns true if the controller has started. It starts when the cache is complete and the stamp
 * key is known. */
static bool control_is_begun(struct controller *controller)
{
    if (controller->control == NULL && cache_state(controller->options.cache) == CACHE_READY &&
        stamp_is_known(controller) && plugins_are_asked(controller->plugins)) {
        controller_control_begin(controller);
    }
    return controller->control != NULL;
}

/* Returns true if an object of this kind was last changed at this revision. The kind is a cluster,
 * or a request that deleted one. */
static bool is_changed_at(const struct controller *controller, struct text tenant, const char *kind,
                          uint64_t revision)
{
    char key[LIMIT_STORE_KEY_BYTES];
    int length = snprintf(key, sizeof key, "/%.*s/%s/", TEXT_ARG(tenant), kind);
    struct text prefix = { .data = key, .length = (size_t)length };

    for (const struct cache_object *object = cache_first(controller->options.cache, prefix);
         object != NULL; object = cache_next(controller->options.cache, prefix, object)) {
        if (object->parts[CACHE_SPEC].revision == revision) {
            return true;
        }
    }
    return false;
}

bool controller_is_behind(const struct controller *controller, struct text tenant,
                          uint64_t revision)
{
    if (controller->is_closed || controller->control != NULL) {
        return !controller->is_closed && control_is_behind(controller->control, tenant, revision);
    }
    return is_changed_at(controller, tenant, "Cluster", revision) ||
           is_changed_at(controller, tenant, "Control", revision);
}

bool controller_is_calling(const struct controller *controller, struct text cluster,
                           struct text token)
{
    return !controller->is_closed && controller->control != NULL &&
           control_is_calling(controller->control, cluster, token);
}

uint64_t controller_clock(const struct controller *controller, struct text cluster)
{
    return controller->is_closed || controller->control == NULL
               ? 0
               : control_clock(controller->control, cluster);
}

bool controller_pass(struct controller *controller, struct text cluster, bool is_dry,
                     void (*done)(void *arg, struct text report), void *arg)
{
    struct arena *arena;
    struct pass_wait *wait;

    if (controller->is_closed || !control_is_begun(controller) ||
        !(is_dry ? control_pass_dry : control_pass)(controller->control, cluster)) {
        return false;
    }
    arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    wait = arena_one(arena, struct pass_wait);
    *wait = (struct pass_wait){ .next = controller->waiting,
                                .arena = arena,
                                .cluster = arena_text(arena, cluster),
                                .since_ms = controller_now_ms(controller),
                                .done = done,
                                .arg = arg };
    controller->waiting = wait;
    return true;
}

bool controller_open(const struct controller_options *options, struct controller **out,
                     struct err *err)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct controller *controller = arena_one(memory, struct controller);

    controller->memory = memory;
    controller->options = *options;
    if (!folder_resolve(memory, options->folder, &controller->options.folder,
                        err)) { /* the folders of plugins are below it */
        arena_free(memory);
        return false;
    }
    random_id(options->random, controller->session);
    if (options->fetch != NULL && !controller_fetch_start(controller, err)) {
        arena_free(memory);
        return false;
    }
    if (!controller_plugins_start(controller, err)) {
        plugin_fetch_free(controller->fetch);
        arena_free(memory);
        return false;
    }
    if (!controller_reach_start(controller, err)) {
        plugin_fetch_free(controller->fetch);
        plugins_free(controller->plugins);
        arena_free(memory);
        return false;
    }
    if (!controller_certificate_start(controller, err)) {
        plugin_fetch_free(controller->fetch);
        plugins_free(controller->plugins);
        reach_free(controller->reach);
        authorities_free(controller->authorities);
        arena_free(memory);
        return false;
    }
    controller->refusals = refusals_new(options->loop);
    if (options->manager != NULL) {
        controller->instances =
            instances_new(&(struct instances_options){ .peers = options->peers,
                                                       .log = options->log,
                                                       .provider_find = controller_provider_give,
                                                       .is_holder = controller_is_holder,
                                                       .wake = controller_instances_wake,
                                                       .arg = controller });
    }
    controller_inventory_start(controller);
    controller_nodes_start(controller);
    controller->cleanups =
        cleanup_runs_new(node_runs_port(controller->nodes), controller->options.cache);
    if (controller->fetch != NULL) {
        plugin_fetch_join(controller->fetch, controller->plugins);
    }
    *out = controller;
    return true;
}

/* ---- iterations ---- */

static uint64_t controller_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Compares the keys of this manager with those of the store. A manager that lacks a key cannot
 * reconcile any cluster. */
static void controller_keys_look(struct controller *controller)
{
    struct managers *managers = controller_managers(controller);
    uint64_t now_ms = controller_now_ms(controller);
    AUTO(arena) arena = NULL;
    struct cache *cache = controller->options.cache;
    struct key_ring_own own;
    struct text missing;

    if (managers == NULL || controller->options.secrets_key == NULL ||
        now_ms - controller->keys_looked_ms < CONTROLLER_KEYS_MS) {
        return;
    }
    controller->keys_looked_ms = now_ms;
    arena = arena_new_small(SIZE_MAX);
    own = controller->options.secrets_key(controller->options.arg);
    missing = key_ring_missing(arena, cache, KEY_RING_SECRETS, &own);
    if (missing.length == 0) {
        own = authorities_own_key(controller->authorities);
        missing = key_ring_missing(arena, cache, KEY_RING_SIGNER, &own);
    }
    managers_key_set(managers, missing);
}

uint64_t controller_run(struct controller *controller)
{
    uint64_t fetch_due;
    uint64_t now;
    uint64_t due;

    if (controller->is_closed || cache_state(controller->options.cache) != CACHE_READY ||
        !control_is_begun(controller)) {
        if (!controller->is_closed) {
            plugins_run(controller->plugins);
            return plugins_due(controller->plugins);
        }
        return UINT64_MAX;
    }
    plugins_run(controller->plugins);
    instances_run(controller->instances);
    controller_keys_look(controller);
    inventory_run(controller->inventory);
    fetch_due = controller->fetch == NULL ? UINT64_MAX : plugin_fetch_run(controller->fetch);
    due = control_run(controller->control);
    now = controller_now_ms(controller);
    due = due == UINT64_MAX ? due : due > now ? due - now : 0;
    due = controller_earlier(due, inventory_due(controller->inventory));
    if (controller->observer != NULL) {
        due = controller_earlier(due, observer_run(controller->observer));
    }
    if (controller->power != NULL) {
        due = controller_earlier(due, power_runner_run(controller->power));
    }
    due = instances_are_due(controller->instances) ? 0 : due;
    return controller_earlier(controller_earlier(due, fetch_due), plugins_due(controller->plugins));
}

struct text controller_certificate_problem(const struct controller *controller)
{
    return controller == NULL ? TEXT("") : manager_certificate_problem(controller->certificate);
}

struct roster *controller_roster(const struct controller *controller)
{
    return controller == NULL || controller->control == NULL ? NULL
                                                             : control_roster(controller->control);
}

/* ---- bytes from other managers ---- */

struct plugin_fetch *controller_plugin_fetch(const struct controller *controller)
{
    return controller == NULL ? NULL : controller->fetch;
}

void controller_blobs_ended(struct controller *controller)
{
    if (controller != NULL && !controller->is_closed) {
        node_runs_go_on(controller->nodes);
        controller->options.wake(controller->options.arg);
    }
}

struct managers *controller_managers(const struct controller *controller)
{
    return controller == NULL || controller->control == NULL
               ? NULL
               : control_managers(controller->control);
}

struct assignment *controller_assignment(const struct controller *controller)
{
    return controller == NULL || controller->control == NULL
               ? NULL
               : control_assignment(controller->control);
}

bool controller_is_housekeeper(const struct controller *controller)
{
    return controller != NULL && controller->control != NULL &&
           control_is_housekeeper(controller->control);
}

void controller_managers_show(const struct controller *controller, struct arena *arena,
                              const struct managers_query *query, struct doc_builder *builder)
{
    if (controller != NULL && controller->control != NULL) {
        control_managers_show(controller->control, arena, query, builder);
    }
}

struct control *controller_control(struct controller *controller)
{
    return controller->control;
}

const struct exec_port *controller_exec(struct controller *controller)
{
    return exec_runs_port(controller->execs);
}

bool controller_has_commands(const struct controller *controller)
{
    return controller != NULL && !controller->is_closed && !exec_runs_are_idle(controller->execs);
}

void controller_refuse(struct controller *controller)
{
    if (controller == NULL || controller->is_closed) {
        return;
    }
    controller->is_refusing = true;
    instances_refuse(controller->instances);
    controller_waits_refuse(controller);
    if (controller->fetch != NULL) {
        plugin_fetch_refuse(controller->fetch);
    }
}

/* ---- end ---- */

void controller_close(struct controller *controller)
{
    if (controller != NULL && !controller->is_closed) {
        controller->is_closed = true;
        for (struct pass_wait *wait = controller->waiting, *next; wait != NULL; wait = next) {
            next = wait->next;
            controller_wait_end(wait, NULL);
        }
        controller->waiting = NULL;
        if (controller->control != NULL) {
            control_stop(controller->control);
        }
        refusals_free(controller->refusals);
        controller->refusals = NULL;
        plugin_fetch_close(controller->fetch);
        plugins_close(controller->plugins);
        inventory_close(controller->inventory);
        agents_stop(controller->agents);
        controller->agents = NULL;
        observer_close(controller->observer);
        power_runner_close(controller->power);
        bmc_runs_close(controller->bmcs);
        port_probes_free(controller->port_probes);
        controller->port_probes = NULL;
        port_sweeps_free(controller->port_sweeps);
        controller->port_sweeps = NULL;
        host_key_runs_free(controller->host_keys);
        controller->host_keys = NULL;
        fact_runs_free(controller->facts);
        controller->facts = NULL;
        probe_runs_free(controller->probes);
        controller->probes = NULL;
        exec_runs_close(controller->execs);
        authorities_close(controller->authorities); /* active runs wait for its answers */
        manager_certificate_close(controller->certificate);
        controller->certificate = NULL;
        node_runs_free(controller->nodes);
        controller->nodes = NULL;
        cleanup_runs_free(controller->cleanups);
        controller->cleanups = NULL;
        playbook_runs_close(controller->playbooks);
        reach_close(controller->reach);
        exec_runs_free(controller->execs);
        controller->execs = NULL;
    }
}

bool controller_is_over(const struct controller *controller)
{
    return controller == NULL ||
           (plugins_are_over(controller->plugins) && plugin_fetch_is_over(controller->fetch) &&
            playbook_runs_are_over(controller->playbooks) && bmc_runs_are_over(controller->bmcs) &&
            reach_is_over(controller->reach) && authorities_are_over(controller->authorities));
}

void controller_free(struct controller *controller)
{
    if (controller == NULL) {
        return;
    }
    controller_close(controller);
    control_free(controller->control);
    plugin_fetch_free(controller->fetch);
    plugins_free(controller->plugins);
    instances_free(controller->instances);
    playbook_runs_free(controller->playbooks);
    inventory_free(controller->inventory);
    observer_free(controller->observer);
    power_runner_free(controller->power);
    bmc_runs_free(controller->bmcs);
    reach_free(controller->reach);
    authorities_free(controller->authorities);
    logs_close(controller->logs);
    arena_free(controller->memory);
}
