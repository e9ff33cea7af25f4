#include "daemon/controller.h"

#include "access/manager_certificate.h"
#include "base/limits.h"
#include "codec/json.h"
#include "daemon/config.h"
#include "daemon/refusals.h"
#include "daemon/report.h"
#include "inventory/inventory.h"
#include "inventory/observer.h"
#include "membership/agents.h"
#include "nodes/cleanup_runs.h"
#include "nodes/exec_runs.h"
#include "nodes/fact_runs.h"
#include "nodes/node_logs.h"
#include "nodes/node_runs.h"
#include "nodes/playbook_runs.h"
#include "nodes/port_probes.h"
#include "nodes/probe_runs.h"
#include "provider/inventory_plugin.h"
#include "provider/plugin_state.h"
#include "provider/plugin_view.h"
#include "provider/plugins.h"
#include "reeve/plugin.h"
#include "state/objects.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/process.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The key that signs the stamps of this manager's machines is in the store, so that a backup
 * contains it. No API returns it. */
#define STAMP_KEY "/" OBJECTS_SYSTEM_TENANT "/Stamp/machines/base"

/* Heartbeats of this manager's session, and the limit of a time scale for them. */
enum { SESSION_BEAT_MS = 1000, SESSION_SCALE_MAX = 3 };

/* A caller that waits for the report of a pass that begins after its request. */
struct pass_wait {
    struct pass_wait *next;
    struct arena *arena;
    struct text cluster;
    uint64_t since_ms;
    void (*done)(void *arg, struct text report);
    void *arg;
};

/* How often the keys of this manager are compared with those of the store. */
enum { CONTROLLER_KEYS_MS = 1000 };

struct controller {
    struct arena *memory;
    struct pass_wait *waiting;
    struct controller_options options;
    struct control *control;
    struct plugins *plugins;
    struct inventory *inventory;
    struct observer *observer;   /* NULL: this process observes no machines */
    struct plugin_fetch *fetch;  /* NULL: plugins are not fetched */
    struct instances *instances; /* plugin instances of other managers; NULL: there are no links */
    struct model_plugins known;
    struct authorities *authorities;
    struct reach *reach;
    struct probe_runs *probes;
    struct exec_runs *execs;
    struct host_key_runs *host_keys;
    struct port_probes *port_probes;
    struct port_sweeps *port_sweeps;
    struct cleanup_runs *cleanups;
    struct fact_runs *facts;
    struct agents *agents; /* serf agents of the inventories */
    struct logs *logs;     /* output of stages */
    struct node_runs *nodes;
    struct playbook_runs *playbooks;         /* NULL: this process runs no playbooks */
    struct refusals *refusals;               /* tries to connect to hosts of other managers */
    struct manager_certificate *certificate; /* NULL: this manager is the only one */
    uint64_t keys_looked_ms;                 /* when the keys were compared with the store's */
    char session[RANDOM_ID_BYTES];
    char stamp[RANDOM_TOKEN_BYTES]; /* empty: unknown so far */
    bool is_asked;                  /* a request to store a new stamp key is in progress */
    bool is_closed;
};

/* ---- ports ---- */

static uint64_t controller_now_ms(void *arg)
{
    return clock_monotonic_ms(((const struct controller *)arg)->options.clock);
}

static int64_t controller_wall_ms(void *arg)
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

static struct provider *controller_provider_give(void *arg, struct text tenant, struct text plugin,
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

/* Returns true if this manager has information that some manager holds the lease of a cluster
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

static void controller_cluster_look(void *arg, struct text cluster)
{
    const struct controller *controller = arg;

    if (controller->control != NULL && !controller->is_closed) {
        control_wake(controller->control, cluster);
        controller->options.wake(controller->options.arg);
    }
}

/* Returns true if the manager can log in to machines of a plugin, because it knows their user. */
static bool has_controller_user(const struct controller *controller, struct text plugin)
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
    return !has_controller_user(controller, plugin) ||
           authorities_line(controller->authorities, cluster, out);
}

/* Called when something that a pass or a probe waits for is available, or has failed. */
static void authority_moved(void *arg, struct text cluster)
{
    struct controller *controller = arg;

    if (!controller->is_closed) {
        probe_runs_go_on(controller->probes);
        exec_runs_go_on(controller->execs);
        node_runs_go_on(controller->nodes);
        controller_cluster_look(controller, cluster);
    }
}

/* Called when members need a new revocation list, or when members that wait for one can
 * continue. */
static void authority_listed(void *arg, struct text cluster)
{
    struct controller *controller = arg;

    if (!controller->is_closed && controller->control != NULL) {
        node_runs_go_on(controller->nodes);
        control_bootstrap(controller->control, cluster);
        controller->options.wake(controller->options.arg);
    }
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
    (void)answer; /* the cache shows whether our key or another one was stored */
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

/* Reads the stamp key, or requests that one is stored. Returns false if it is still unknown. */
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

/* Returns the id of this boot of the machine, from which the monotonic clock counts; empty if there
 * is none. */
static struct text clock_name(struct controller *controller)
{
    struct text id;
    struct err err;

    return file_read(controller->memory, "/proc/sys/kernel/random/boot_id", LIMIT_GROUP_NAME_BYTES,
                     &id, &err)
               ? text_slice(id, 0, text_find_byte(id, '\n'))
               : TEXT("");
}

/* A time scale shortens the times of sessions, but keeps a reserve for a busy machine. */
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

/* Returns the plugins that this manager has for all tenants. */
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

/* Returns true if an object of this kind (a cluster, or the request that deleted one) was last
 * changed at this revision. */
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

/* An access of a plugin to its state. A dry run changes nothing. */
static void controller_state_access(void *arg, const struct hosted_use *user,
                                    const struct wire_state_ask *ask, hosted_state_done *done,
                                    void *done_arg)
{
    const struct controller *controller = arg;

    if (controller->options.is_dry && ask->access == WIRE_STATE_PUT) {
        done(done_arg, &(struct wire_state){ .result = REEVE_TRANSIENT,
                                             .message = TEXT("a dry run changes nothing") });
        return;
    }
    plugin_state_access(controller->options.store, user, ask, done, done_arg);
}

/* Opens the plugins. They are in the folder `plugins` next to this program, where packages and
 * operators install them. Each tenant's plugin has its own folder below the folder of the store. */
MUST_CHECK static bool plugins_start(struct controller *controller, struct err *err)
{
    struct text program = process_folder(controller->memory);
    const char *const folders[] = {
        arena_string(controller->memory,
                     arena_printf(controller->memory, "%s/installed", controller->options.folder)),
        arena_string(controller->memory,
                     arena_printf(controller->memory, "%.*s/plugins", TEXT_ARG(program))),
        arena_string(
            controller->memory,
            arena_printf(controller->memory, "%.*s/../lib/reeve/plugins", TEXT_ARG(program))),
        NULL,
    };
    struct plugins_options options = {
        .loop = controller->options.loop,
        .log = controller->options.log,
        .program =
            arena_string(controller->memory,
                         arena_printf(controller->memory, "%.*s/reeve-host", TEXT_ARG(program))),
        .folders = folders,
        .memory = arena_string(controller->memory, arena_printf(controller->memory, "%s/plugins",
                                                                controller->options.folder)),
        .patience = hosted_patience_hastened(controller->options.time_scale),
        .settings = controller->options.plugin_settings,
        .endpoints = controller->options.endpoints,
        .trusted = controller->options.trusted,
        .vault = controller->options.vault,
        .state = { controller_state_access, controller },
        .wake = controller->options.wake,
        .arg = controller->options.arg,
    };
    AUTO(fd) folder = FD_NONE;
    AUTO(fd) own = FD_NONE;

    return folder_open(controller->options.folder, &folder, err) &&
           folder_make_beneath(folder, "plugins", 0700, &own, err) &&
           plugins_open(&options, &controller->plugins, err);
}

static bool controller_plugin_want(void *arg, struct text digest)
{
    const struct controller *controller = arg;

    return controller->options.blob_want(controller->options.arg, BLOBS_PLUGIN, digest);
}

static bool controller_blob_want(void *arg, bool is_configuration, struct text digest)
{
    const struct controller *controller = arg;

    return controller->options.blob_want != NULL &&
           controller->options.blob_want(controller->options.arg,
                                         is_configuration ? BLOBS_CONFIGURATION : BLOBS_BUNDLE,
                                         digest);
}

/* Starts the fetcher for plugins that files name and that are not installed. */
MUST_CHECK static bool fetch_start(struct controller *controller, struct err *err)
{
    struct text program = process_folder(controller->memory);
    struct plugin_fetch_options options = {
        .loop = controller->options.loop,
        .log = controller->options.log,
        .clock = controller->options.clock,
        .random = controller->options.random,
        .store = controller->options.store,
        .cache = controller->options.cache,
        .config = controller->options.fetch,
        .program =
            arena_string(controller->memory,
                         arena_printf(controller->memory, "%.*s/reeve-fetch", TEXT_ARG(program))),
        .folder = arena_string(controller->memory, arena_printf(controller->memory, "%s/fetched",
                                                                controller->options.folder)),
        .time_scale = controller->options.time_scale,
        .is_dry = controller->options.is_dry,
        .blob_want = controller->options.blob_want == NULL ? NULL : controller_plugin_want,
        .look = controller_cluster_look,
        .arg = controller,
    };

    return plugin_fetch_open(&options, &controller->fetch, err);
}

/* Returns a path next to the folder of the store, for files that must be kept separately. */
static const char *beside(struct controller *controller, const char *what)
{
    return arena_string(controller->memory, arena_printf(controller->memory, "%s.%s",
                                                         controller->options.folder, what));
}

/* The settings of a tenant's inventory; all empty: there are none. */
static struct config_inventory inventory_settings(const struct controller *controller,
                                                  struct text tenant)
{
    const struct config *config = controller->options.config;
    const struct config_inventory *found =
        config == NULL ? NULL : config_inventory_find(config, tenant);

    return found == NULL ? (struct config_inventory){ 0 } : *found;
}

/* The login of a machine of the inventory: its own key, else that of the settings. */
static struct text machine_secret_find(void *arg, struct arena *arena,
                                       const struct control_way *way)
{
    const struct controller *controller = arg;
    struct text tenant = text_slice(way->cluster, 0, text_find_byte(way->cluster, '/'));

    return inventory_plugin_secret(arena, controller->options.cache, way,
                                   inventory_settings(controller, tenant).key);
}

static struct text inventory_user_give(void *arg, struct text tenant)
{
    return inventory_settings(arg, tenant).user;
}

/* Prepares access to machines; none of its processes is started yet. */
MUST_CHECK static bool reach_start(struct controller *controller, struct err *err)
{
    struct text program = process_folder(controller->memory);
    struct authorities_options authorities = {
        .loop = controller->options.loop,
        .log = controller->options.log,
        .clock = controller->options.clock,
        .random = controller->options.random,
        .store = controller->options.store,
        .cache = controller->options.cache,
        .program =
            arena_string(controller->memory,
                         arena_printf(controller->memory, "%.*s/reeve-signer", TEXT_ARG(program))),
        .key = beside(controller, "signer.key"),
        .book = beside(controller, "signer.log"),
        .time_scale = controller->options.time_scale,
        .is_reader = controller->options.is_dry,
        .moved = authority_moved,
        .listed = authority_listed,
        .arg = controller,
    };
    struct reach_options reach = {
        .loop = controller->options.loop,
        .log = controller->options.log,
        .random = controller->options.random,
        .keys = controller->options.keys,
        .machine_secret = machine_secret_find,
        .machine_arg = controller,
        .program =
            arena_string(controller->memory,
                         arena_printf(controller->memory, "%.*s/reeve-session", TEXT_ARG(program))),
        .folder = arena_string(controller->memory, arena_printf(controller->memory, "%s/hands",
                                                                controller->options.folder)),
    };

    if (!authorities_open(&authorities, &controller->authorities, err)) {
        return false;
    }
    reach.authorities = controller->authorities;
    controller->reach = reach_new(&reach);
    controller->probes =
        probe_runs_new(controller->options.loop, controller->options.log, controller->reach,
                       controller->options.wake, controller->options.arg);
    controller->execs = exec_runs_new(controller->options.loop, controller->reach);
    controller->host_keys = host_key_runs_new(controller->reach, controller->options.random);
    controller->facts = fact_runs_new(controller->reach);
    controller->port_probes = port_probes_new(controller->options.loop);
    controller->port_sweeps = port_sweeps_new(controller->options.loop);
    return true;
}

bool controller_logs_in(const struct controller *controller, struct text plugin)
{
    return has_controller_user(controller, plugin);
}

static void nodes_wake(void *arg)
{
    const struct controller *controller = arg;

    controller->options.wake(controller->options.arg);
}

static void observer_id_make(void *arg, char out[static 37])
{
    random_id(((const struct controller *)arg)->options.random, out);
}

static void observer_probe_start(void *arg, struct text address, uint16_t port,
                                 void (*done)(void *done_arg, bool is_alive), void *done_arg)
{
    port_probes_start(((const struct controller *)arg)->port_probes, address, port, done, done_arg);
}

static void observer_key_ask(void *arg, struct text address, uint16_t port,
                             void (*done)(void *done_arg, struct text host_key, struct text why),
                             void *done_arg)
{
    host_key_runs_start(((const struct controller *)arg)->host_keys, address, port, done, done_arg);
}

static void observer_cleanup_start(void *arg, struct text tenant, const struct discovered *row,
                                   void (*done)(void *done_arg, bool is_done, struct text why),
                                   void *done_arg)
{
    const struct controller *controller = arg;

    cleanup_runs_start(controller->cleanups, tenant, row,
                       row->secret.length > 0 ? row->secret
                                              : inventory_settings(controller, tenant).key,
                       done, done_arg);
}

static bool observer_facts_start(void *arg, struct text tenant, const struct discovered *row,
                                 void (*done)(void *done_arg, const struct discovered_found *found),
                                 void *done_arg)
{
    const struct controller *controller = arg;
    struct config_inventory settings = inventory_settings(controller, tenant);
    struct fact_login login = {
        .user = row->user.length > 0 ? row->user : settings.user,
        .secret = row->secret.length > 0 ? row->secret : settings.key,
    };

    if (login.secret.length == 0) {
        return false;
    }
    fact_runs_start(controller->facts, tenant, row, &login, done, done_arg);
    return true;
}

static void inventory_facts_want(void *arg, struct text tenant, struct text row)
{
    const struct controller *controller = arg;

    if (controller->observer != NULL) {
        observer_facts_ask(controller->observer, tenant, row);
    }
}

static void agents_reported(void *arg, struct text tenant, const struct membership_report *report)
{
    controller_membership(arg, tenant, TEXT("serf"), report);
}

/* Starts to follow the agents in the configuration. */
static void controller_agents_start(struct controller *controller)
{
    const struct config *config = controller->options.config;
    struct agents_entry entries[CONFIG_INVENTORIES_MAX];
    size_t count = 0;

    for (size_t i = 0; config != NULL && i < config->inventory_count; i++) {
        const struct config_inventory *one = &config->inventories[i];

        if (one->serf_port != 0) {
            entries[count++] = (struct agents_entry){ one->tenant, one->serf_address,
                                                      one->serf_port, one->serf_key };
        }
    }
    controller->agents =
        agents_start(&(struct agents_options){ .loop = controller->options.loop,
                                               .entries = entries,
                                               .count = count,
                                               .reveal = controller->options.secrets.reveal,
                                               .reveal_arg = controller->options.secrets.arg,
                                               .reported = agents_reported,
                                               .arg = controller });
}

/* Prepares the machines of the inventory. */
static void inventory_start(struct controller *controller)
{
    controller->inventory =
        inventory_new(&(struct inventory_options){ .store = controller->options.store,
                                                   .cache = controller->options.cache,
                                                   .wall_ms = controller_wall_ms,
                                                   .wake = nodes_wake,
                                                   .times = controller->options.time_scale,
                                                   .user = inventory_user_give,
                                                   .facts_ask = inventory_facts_want,
                                                   .arg = controller });
    if (controller->options.is_single || controller->options.is_dry) {
        return;
    }
    controller->observer =
        observer_new(&(struct observer_options){ .store = controller->options.store,
                                                 .cache = controller->options.cache,
                                                 .now_ms = controller_now_ms,
                                                 .wall_ms = controller_wall_ms,
                                                 .id_make = observer_id_make,
                                                 .probe = observer_probe_start,
                                                 .host_key = observer_key_ask,
                                                 .cleanup = observer_cleanup_start,
                                                 .facts = observer_facts_start,
                                                 .wake = nodes_wake,
                                                 .times = controller->options.time_scale,
                                                 .arg = controller });
    controller_agents_start(controller);
}

static bool plugin_logs_in(void *arg, struct text plugin)
{
    return has_controller_user(arg, plugin);
}

/* Returns true if the machine exists; its logs are kept longer then. */
static bool machine_is_there(void *arg, struct text token)
{
    const struct controller *controller = arg;

    return controller->control == NULL || control_has_machine(controller->control, token);
}

/* Requests the certificate by which other managers authenticate this one. */
MUST_CHECK static bool certificate_start(struct controller *controller, struct err *err)
{
    const struct controller_options *options = &controller->options;
    AUTO(fd) folder = FD_NONE;

    return options->manager == NULL || options->is_single || options->is_dry ||
           (folder_open(options->folder, &folder, err) &&
            manager_certificate_open(
                &(struct manager_certificate_options){ .loop = options->loop,
                                                       .log = options->log,
                                                       .clock = options->clock,
                                                       .random = options->random,
                                                       .authorities = controller->authorities,
                                                       .folder = folder,
                                                       .id = options->manager->id,
                                                       .addresses = options->addresses,
                                                       .address_count = options->address_count,
                                                       .time_scale = options->time_scale },
                &controller->certificate, err));
}

/* Creates the runs of playbooks. */
static struct playbook_runs *playbooks_start(struct controller *controller)
{
    const struct config_playbook *playbook = controller->options.playbook;
    struct text program = process_folder(controller->memory);

    return playbook == NULL
               ? NULL
               : playbook_runs_new(&(struct playbook_runs_options){
                     .loop = controller->options.loop,
                     .log = controller->options.log,
                     .clock = controller->options.clock,
                     .random = controller->options.random,
                     .cache = controller->options.cache,
                     .authorities = controller->authorities,
                     .archives = controller->options.archives,
                     .program = arena_string(controller->memory,
                                             arena_printf(controller->memory, "%.*s/reeve-playbook",
                                                          TEXT_ARG(program))),
                     .ansible = playbook->ansible,
                     .runs = playbook->runs,
                     .secrets = { controller->options.secrets.reveal,
                                  controller->options.secrets.arg } });
}

/* Creates the runs of nodes, which bootstrap machines once they can be reached. */
static void nodes_start(struct controller *controller)
{
    struct logs_limits limits = logs_limits_usual();
    struct err err;

    limits.bytes =
        controller->options.logs_bytes > 0 ? controller->options.logs_bytes : limits.bytes;
    limits.is_there = machine_is_there;
    limits.arg = controller;
    if (!controller->options.is_single &&
        !logs_open(arena_string(controller->memory, arena_printf(controller->memory, "%s/logs",
                                                                 controller->options.folder)),
                   limits, &controller->logs, &err)) {
        controller->logs = NULL;
        log_error(controller->options.log, "logs", "none", log_string("reason", err.text),
                  log_string("means", "output of stages is not kept"));
    }
    controller->playbooks = playbooks_start(controller);
    controller->nodes = node_runs_new(&(struct node_runs_options){
        .cache = controller->options.cache,
        .loop = controller->options.loop,
        .log = controller->options.log,
        .clock = controller->options.clock,
        .reach = controller->reach,
        .authorities = controller->authorities,
        .depot = controller->options.bundles,
        .logs_in = plugin_logs_in,
        .blob_want = controller_blob_want,
        .wake = nodes_wake,
        .arg = controller,
        .logs = controller->logs,
        .playbooks = controller->playbooks,
        .secrets = { controller->options.secrets.reveal, controller->options.secrets.arg },
        .time_scale = controller->options.time_scale });
}

bool controller_open(const struct controller_options *options, struct controller **out,
                     struct err *err)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct controller *controller = arena_one(memory, struct controller);

    controller->memory = memory;
    controller->options = *options;
    if (!folder_resolve(memory, options->folder, &controller->options.folder,
                        err)) { /* plugins get folders below it */
        arena_free(memory);
        return false;
    }
    random_id(options->random, controller->session);
    if (options->fetch != NULL && !fetch_start(controller, err)) {
        arena_free(memory);
        return false;
    }
    if (!plugins_start(controller, err)) {
        plugin_fetch_free(controller->fetch);
        arena_free(memory);
        return false;
    }
    if (!reach_start(controller, err)) {
        plugin_fetch_free(controller->fetch);
        plugins_free(controller->plugins);
        arena_free(memory);
        return false;
    }
    if (!certificate_start(controller, err)) {
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
    inventory_start(controller);
    nodes_start(controller);
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

/* Compares the keys of this manager with those of the store. If it lacks one of them, it cannot
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

/* ---- validation of properties ---- */

static const struct wire_hello *hello_find(void *arg, struct text name)
{
    const struct controller *controller = arg;
    struct plugins_entry entry;

    if (inventory_plugin_is(name)) {
        return inventory_plugin_hello();
    }
    return plugins_look(controller->plugins, name, &entry) ? entry.hello : NULL;
}

static bool hello_is_asked(void *arg, struct text name)
{
    const struct controller *controller = arg;
    struct plugins_entry entry;

    return plugins_look(controller->plugins, name, &entry) && entry.is_asked;
}

const struct model_plugins *controller_plugins(struct controller *controller)
{
    controller->known = (struct model_plugins){ hello_find, hello_is_asked, controller };
    return &controller->known;
}

/* Returns where a plugin came from, and which of its bytes wait for approval. */
static struct doc fetched_doc(const struct controller *controller, struct arena *arena,
                              struct text tenant, const struct plugins_entry *entry)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    plugin_fetch_put(controller->fetch, arena, tenant, entry->name, &builder);
    return doc_builder_map(&builder, NULL);
}

struct doc controller_plugins_doc(struct controller *controller, struct arena *arena,
                                  struct text tenant)
{
    size_t wanted = controller->fetch == NULL ? 0 : plugin_fetch_count(controller->fetch, tenant);
    size_t shown = 0;
    struct doc *items;
    size_t count;

    if (controller->fetch != NULL) {
        plugin_fetch_know(controller->fetch, tenant);
    }
    count = plugins_count(controller->plugins);
    items = arena_array(arena, struct doc, count + wanted + 1);
    items[shown++] = inventory_plugin_doc(arena);
    for (size_t i = 0; i < count; i++) {
        struct plugins_entry entry = plugins_at(controller->plugins, i);
        const struct provider *instance = plugins_instance(controller->plugins, tenant, &entry);
        struct hosted_state state = { 0 };

        if (entry.is_fetched && !plugin_fetch_has(controller->fetch, tenant, &entry)) {
            continue; /* the entry belongs to another tenant, or is older */
        }
        if (instance != NULL) {
            state = hosted_state(instance);
        }
        items[shown++] =
            plugin_view(arena, &entry, instance == NULL ? NULL : &state,
                        entry.is_fetched ? fetched_doc(controller, arena, tenant, &entry)
                                         : doc_map(NULL, 0, NULL));
    }
    if (controller->fetch != NULL) {
        shown = plugin_fetch_show(controller->fetch, arena, tenant, items, shown);
    }
    return doc_list(items, shown, NULL);
}

void controller_upgrade(struct controller *controller, struct text tenant, struct text plugin,
                        plugin_fetch_done *done, void *arg)
{
    struct err err;

    if (controller->fetch == NULL || controller->is_closed) {
        err_set(&err, CODE_R0647, "this manager does not fetch plugins");
        done(arg, NULL, &err);
        return;
    }
    plugin_fetch_upgrade(controller->fetch, tenant, plugin, done, arg);
}

void controller_install(struct controller *controller, const struct plugin_order *order,
                        plugin_fetch_done *done, void *arg)
{
    struct err err;

    if (controller->fetch == NULL || controller->is_closed) {
        err_set(&err, CODE_R0647, "this manager does not store plugins");
        done(arg, NULL, &err);
        return;
    }
    plugin_fetch_install(controller->fetch, order, done, arg);
}

void controller_enter(struct controller *controller, struct text cluster, struct text who,
                      struct text key,
                      void (*done)(void *arg, struct text certificate, const struct err *err),
                      void *arg)
{
    struct err err;

    if (controller->is_closed || cache_state(controller->options.cache) != CACHE_READY) {
        err_set(&err, CODE_R0548, "this manager is starting or stopping");
        done(arg, TEXT(""), &err);
        return;
    }
    authorities_enter(controller->authorities, cluster, who, key, done, arg);
}

const struct exec_port *controller_exec(struct controller *controller)
{
    return exec_runs_port(controller->execs);
}

bool controller_has_commands(const struct controller *controller)
{
    return controller != NULL && !controller->is_closed && !exec_runs_are_idle(controller->execs);
}

bool controller_runs_bundle(const struct controller *controller, struct text digest)
{
    return !controller->is_closed && (node_runs_names(controller->nodes, digest) ||
                                      playbook_runs_names(controller->playbooks, digest));
}

void controller_refuse(struct controller *controller)
{
    if (controller != NULL && controller->fetch != NULL) {
        plugin_fetch_refuse(controller->fetch);
    }
}

bool controller_logs(const struct controller *controller, struct arena *arena, struct text token,
                     const struct service_logs *logs, struct doc *out, struct err *err)
{
    if (controller->logs == NULL) {
        return err_set(err, CODE_R0729, "this manager does not store the output of stages");
    }
    return node_logs_read(controller->logs, arena, token, logs, out, err);
}

bool controller_logs_gone(const struct controller *controller, struct arena *arena,
                          struct text tenant, struct text cluster, struct text node,
                          struct text *out_token)
{
    return controller->logs != NULL &&
           logs_owner_find(controller->logs, arena, node_logs_owner(arena, tenant, cluster, node),
                           out_token);
}

struct doc controller_policy(const struct controller *controller, struct arena *arena)
{
    return controller->fetch == NULL ? doc_map(NULL, 0, NULL)
                                     : plugin_fetch_policy(controller->fetch, arena);
}

/* A request that waits for a plugin. */
struct judging {
    void (*done)(void *arg, struct wire_list faults, struct text problem);
    void *arg;
};

static void plugin_judged(void *arg, struct wire_list faults, struct text problem)
{
    struct judging judging = *(struct judging *)arg;

    rows_free(arg);
    judging.done(judging.arg, faults, problem);
}

void controller_judge(struct controller *controller, struct text tenant, struct text plugin,
                      struct text properties,
                      void (*done)(void *arg, struct wire_list faults, struct text problem),
                      void *arg)
{
    const char *problem = "this manager is stopping";
    struct provider *provider =
        controller->is_closed ? NULL
                              : controller_provider_give(controller, tenant, plugin, &problem);
    struct judging *judging;

    if (inventory_plugin_is(plugin)) {
        done(arg, (struct wire_list){ 0 }, TEXT(""));
        return;
    }
    if (provider == NULL) {
        done(arg, (struct wire_list){ 0 }, text_from(problem));
        return;
    }
    judging = rows_resize(NULL, sizeof(*judging));
    *judging = (struct judging){ done, arg };
    hosted_validate(provider, properties, plugin_judged, judging);
}

void controller_preflight(struct controller *controller, struct text tenant, struct text plugin,
                          const struct wire_call *wire,
                          void (*done)(void *arg, const struct provider_preflight *found),
                          void *arg)
{
    const char *problem = "this manager is stopping";
    struct provider *provider =
        controller->is_closed ? NULL
                              : controller_provider_give(controller, tenant, plugin, &problem);

    if (inventory_plugin_is(plugin)) {
        done(arg, &(struct provider_preflight){ 0 });
        return;
    }
    if (provider == NULL) {
        done(arg, &(struct provider_preflight){ .problem = text_from(problem) });
        return;
    }
    hosted_preflight(provider, wire, done, arg);
}

void controller_host_key(struct controller *controller, struct text address, uint16_t port,
                         host_key_done *done, void *arg)
{
    if (controller->is_closed) {
        done(arg, TEXT(""), TEXT("this manager is stopping"));
        return;
    }
    host_key_runs_start(controller->host_keys, address, port, done, arg);
}

bool controller_sweep(struct controller *controller, uint32_t first, size_t count, uint16_t port,
                      port_sweep_done *done, void *arg)
{
    return !controller->is_closed &&
           port_sweeps_start(controller->port_sweeps, first, count, port, done, arg);
}

void controller_membership(struct controller *controller, struct text tenant, struct text source,
                           const struct membership_report *report)
{
    if (controller->observer != NULL && !controller->is_closed) {
        observer_report(controller->observer, tenant, source, report);
    }
}

void controller_console(struct controller *controller, struct text tenant, struct text plugin,
                        const struct wire_call *wire, provider_done *done, void *arg)
{
    const char *problem = "this manager is stopping";
    struct provider *provider =
        controller->is_closed ? NULL
                              : controller_provider_give(controller, tenant, plugin, &problem);

    assert(!inventory_plugin_is(plugin)); /* the plugin `inventory` does not have this method */
    if (provider == NULL) {
        done(arg, OUTCOME_REFUSED,
             &(struct provider_answer){ .fault = PROVIDER_FAULT_TRANSIENT,
                                        .message = text_from(problem) });
        return;
    }
    hosted_console(provider, wire, done, arg);
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
            playbook_runs_are_over(controller->playbooks) && reach_is_over(controller->reach) &&
            authorities_are_over(controller->authorities));
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
    reach_free(controller->reach);
    authorities_free(controller->authorities);
    logs_close(controller->logs);
    arena_free(controller->memory);
}
