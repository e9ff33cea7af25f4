#include "daemon/config/config.h"
#include "daemon/controller_state.h"
#include "provider/plugin_state.h"
#include "reeve/plugin.h"
#include "state/objects.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/process.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* public names start with: controller_ */

/* Starts the parts of the controller: plugins, access to machines, the inventory, and the runs on
 * nodes. */

/* Called when a key or certificate that a pass or a probe waits for is available, or has failed. */
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

/* Called when members need a new revocation list, or when the list that members wait for is
 * available. */
static void authority_listed(void *arg, struct text cluster)
{
    struct controller *controller = arg;

    if (!controller->is_closed && controller->control != NULL) {
        node_runs_go_on(controller->nodes);
        control_bootstrap(controller->control, cluster);
        controller->options.wake(controller->options.arg);
    }
}

/* Handles a plugin's access to its stored state. A dry run changes nothing. */
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

bool controller_plugins_start(struct controller *controller, struct err *err)
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

bool controller_fetch_start(struct controller *controller, struct err *err)
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

/* Returns a path beside the folder of the store, for files that must not be in that folder. */
static const char *beside(struct controller *controller, const char *what)
{
    return arena_string(controller->memory, arena_printf(controller->memory, "%s.%s",
                                                         controller->options.folder, what));
}

/* Returns the settings of a tenant's inventory; all empty: the tenant has none. */
static struct config_inventory inventory_settings(const struct controller *controller,
                                                  struct text tenant)
{
    const struct config *config = controller->options.config;
    const struct config_inventory *found =
        config == NULL ? NULL : config_inventory_find(config, tenant);

    return found == NULL ? (struct config_inventory){ 0 } : *found;
}

/* Returns the secret with the login key of an inventory machine, or else of its inventory. */
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

bool controller_reach_start(struct controller *controller, struct err *err)
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
    return controller_user_exists(controller, plugin);
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

/* Starts to follow the serf agents of the configuration. */
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

static const struct fleet *inventory_fleet(void *arg)
{
    const struct controller *controller = arg;

    return controller->control == NULL ? NULL : control_fleet(controller->control);
}

void controller_inventory_start(struct controller *controller)
{
    controller->inventory =
        inventory_new(&(struct inventory_options){ .store = controller->options.store,
                                                   .cache = controller->options.cache,
                                                   .wall_ms = controller_wall_ms,
                                                   .wake = nodes_wake,
                                                   .times = controller->options.time_scale,
                                                   .user = inventory_user_give,
                                                   .facts_ask = inventory_facts_want,
                                                   .fleet = inventory_fleet,
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
    controller_power_start(controller);
    controller_agents_start(controller);
}

static bool plugin_logs_in(void *arg, struct text plugin)
{
    return controller_user_exists(arg, plugin);
}

/* Returns true if the machine exists. The logs of existing machines are kept longer. */
static bool machine_is_there(void *arg, struct text token)
{
    const struct controller *controller = arg;

    return controller->control == NULL || control_has_machine(controller->control, token);
}

bool controller_certificate_start(struct controller *controller, struct err *err)
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

void controller_nodes_start(struct controller *controller)
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
