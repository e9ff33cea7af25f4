#include "daemon/daemon_state.h"
#include "daemon/managers_port.h"
#include "vault/vault.h"

/* public names start with: daemon_ */

/* Creates the controller that reconciles the clusters, and has the functions of this process that
 * the service and the API call. */

const struct managers *daemon_managers_ask(void *arg)
{
    return controller_managers(((const struct daemon *)arg)->controller);
}

static bool daemon_blob_want(void *arg, enum blobs_kind kind, struct text digest)
{
    return blobs_want(((const struct daemon *)arg)->blobs, kind, digest);
}

static bool daemon_pass_ask(void *arg, struct text cluster, bool is_dry,
                            void (*done)(void *done_arg, struct text report), void *done_arg)
{
    struct daemon *daemon = arg;
    bool is_there = controller_pass(daemon->controller, cluster, is_dry, done, done_arg);

    daemon_turn_want(daemon);
    return is_there;
}

static void plugin_ask(void *arg, struct text tenant, struct text plugin, struct text properties,
                       void (*done)(void *done_arg, struct wire_list faults, struct text problem),
                       void *done_arg)
{
    struct daemon *daemon = arg;

    controller_judge(daemon->controller, tenant, plugin, properties, done, done_arg);
}

static void daemon_preflight(void *arg, struct text tenant, struct text plugin,
                             const struct wire_call *call,
                             void (*done)(void *done_arg, const struct provider_preflight *found),
                             void *done_arg)
{
    struct daemon *daemon = arg;

    controller_preflight(daemon->controller, tenant, plugin, call, done, done_arg);
}

static void daemon_console(void *arg, struct text tenant, struct text plugin,
                           const struct wire_call *call, provider_done *done, void *done_arg)
{
    struct daemon *daemon = arg;

    controller_console(daemon->controller, tenant, plugin, call, done, done_arg);
}

static void host_key_ask(void *arg, struct text address, uint16_t port,
                         void (*done)(void *done_arg, struct text host_key, struct text why),
                         void *done_arg)
{
    controller_host_key(((struct daemon *)arg)->controller, address, port, done, done_arg);
}

static bool sweep_ask(void *arg, uint32_t first, size_t count, uint16_t port,
                      void (*done)(void *done_arg, const bool *are_alive), void *done_arg)
{
    return controller_sweep(((struct daemon *)arg)->controller, first, count, port, done, done_arg);
}

static struct doc plugins_show(void *arg, struct arena *arena, struct text tenant)
{
    return controller_plugins_doc(((struct daemon *)arg)->controller, arena, tenant);
}

static struct doc accounts_show(void *arg, struct arena *arena, struct text tenant)
{
    return vault_accounts_doc(((struct daemon *)arg)->vault, arena, tenant);
}

static struct doc manager_show(void *arg, struct arena *arena)
{
    return rights_doc(&((const struct daemon *)arg)->rights, arena);
}

static struct managers_port daemon_managers(const struct daemon *daemon)
{
    return (struct managers_port){ &daemon->config, daemon->controller, daemon->cache,
                                   daemon->peers, daemon->members_view };
}

static struct doc managers_show(void *arg, struct arena *arena,
                                const struct service_managers_query *query)
{
    struct managers_port port = daemon_managers(arg);

    return managers_port_show(&port, arena, query);
}

struct api_managers_figures daemon_managers_figures(void *arg)
{
    struct managers_port port = daemon_managers(arg);

    return managers_port_figures(&port);
}

static struct doc fetch_show(void *arg, struct arena *arena)
{
    return controller_policy(((const struct daemon *)arg)->controller, arena);
}

static void upgrade_ask(void *arg, struct text tenant, struct text plugin,
                        void (*done)(void *done_arg, const struct doc *doc, const struct err *err),
                        void *done_arg)
{
    struct daemon *daemon = arg;

    controller_upgrade(daemon->controller, tenant, plugin, done, done_arg);
}

static void enter_ask(void *arg, struct text cluster, struct text who, struct text key,
                      void (*done)(void *done_arg, struct text certificate, const struct err *err),
                      void *done_arg)
{
    controller_enter(((struct daemon *)arg)->controller, cluster, who, key, done, done_arg);
}

static void install_ask(void *arg, const struct plugin_order *order,
                        void (*done)(void *done_arg, const struct doc *doc, const struct err *err),
                        void *done_arg)
{
    struct daemon *daemon = arg;

    controller_install(daemon->controller, order, done, done_arg);
    /* the result may have been known before this call, so it is written in the next iteration */
    daemon_turn_want(daemon);
}

static bool behind_ask(void *arg, struct text tenant, uint64_t revision)
{
    return controller_is_behind(((struct daemon *)arg)->controller, tenant, revision);
}

static bool calling_ask(void *arg, struct text cluster, struct text token)
{
    return controller_is_calling(((struct daemon *)arg)->controller, cluster, token);
}

static uint64_t clock_ask(void *arg, struct text cluster)
{
    const struct daemon *daemon = arg;

    return controller_clock(daemon->controller, cluster);
}

static bool logs_in_ask(void *arg, struct text plugin)
{
    const struct daemon *daemon = arg;

    return controller_logs_in(daemon->controller, plugin);
}

MUST_CHECK static bool logs_ask(void *arg, struct arena *arena, struct text token,
                                const struct service_logs *logs, struct doc *out, struct err *err)
{
    const struct daemon *daemon = arg;

    return controller_logs(daemon->controller, arena, token, logs, out, err);
}

static bool logs_gone(void *arg, struct arena *arena, struct text tenant, struct text cluster,
                      struct text node, struct text *out_token)
{
    const struct daemon *daemon = arg;

    return controller_logs_gone(daemon->controller, arena, tenant, cluster, node, out_token);
}

/* Returns the address at which other managers can reach this manager; empty: it has no TCP
 * listener, or listens at every address of its host. */
static struct text manager_address(struct daemon *daemon)
{
    const struct config_listener *listener = &daemon->config.listeners[0];
    bool is_bracketed;

    if (daemon->config.listener_count == 0 || text_is(listener->host, "0.0.0.0") ||
        text_is(listener->host, "::")) {
        return TEXT("");
    }
    is_bracketed = text_find_byte(listener->host, ':') != SIZE_MAX;
    return arena_printf(daemon->memory, is_bracketed ? "[%.*s]:%u" : "%.*s:%u",
                        TEXT_ARG(listener->host), listener->port);
}

/* Returns where a member of the managed store on this host would be reached; empty: it can hold
 * none, because it has no address for others. */
static struct text manager_member_url(struct daemon *daemon, bool is_client)
{
    const struct config_managed *managed = daemon->config.store.managed;

    if (managed == NULL || managed->address.length == 0) {
        return TEXT("");
    }
    return arena_printf(daemon->memory, "https://%.*s",
                        TEXT_ARG(is_client ? managed->clients : managed->address));
}

enum { MANAGER_ADDRESSES = 3 };

/* Completes the names and addresses in the certificate of this manager: its name, the address of
 * its API, and that of its member of the store, which other members verify. Returns their
 * number. */
static size_t manager_addresses(struct daemon *daemon, struct text out[static MANAGER_ADDRESSES])
{
    const struct config_managed *managed = daemon->config.store.managed;
    struct text member = managed == NULL ? TEXT("") : config_store_host(managed->address);
    size_t count = 1;

    if (manager_address(daemon).length > 0) {
        out[count++] = daemon->config.listeners[0].host;
    }
    if (member.length > 0) {
        out[count++] = member.data[0] == '[' ? text_slice(member, 1, member.length - 2) : member;
    }
    return count;
}

static struct key_ring_own daemon_secrets_key(void *arg)
{
    return vault_own_key(((const struct daemon *)arg)->vault);
}

bool daemon_controller_start(struct daemon *daemon, struct err *err)
{
    struct text addresses[MANAGER_ADDRESSES] = { text_from(daemon->config.name) };
    struct controller_options options = {
        .store = daemon->store,
        .cache = daemon->cache,
        .clock = daemon->clock,
        .random = daemon->random,
        .log = daemon->log,
        .folder = daemon->config.data,
        .manager = daemon->config.store.is_etcd ? &daemon->manager : NULL,
        .peers = daemon->peers,
        .time_scale = daemon->config.time_scale,
        .loop = daemon->loop,
        .plugin_settings = &daemon->config.plugin_settings,
        .endpoints = &daemon->config.endpoints,
        .trusted = daemon->options->trusted,
        .vault = vault_hosted(daemon->vault),
        .keys = vault_keys(daemon->vault),
        .secrets = { vault_reveal, daemon->vault },
        .secrets_key = daemon_secrets_key,
        .addresses = addresses,
        .address_count = manager_addresses(daemon, addresses),
        .bundles = daemon->bundles,
        .archives = daemon->archives,
        .playbook = &daemon->config.playbook,
        .logs_bytes = daemon->config.logs_bytes,
        .config = &daemon->config,
        .fetch = &daemon->config.fetch,
        .blob_want = daemon_blob_want,
        .wake = daemon_turn_want,
        .arg = daemon,
    };

    daemon->manager = (struct roster_manager){
        .id = text_from(daemon->member.id),
        .name = text_from(daemon->config.name),
        .zone = text_from(daemon->config.zone == NULL ? "" : daemon->config.zone),
        .version = TEXT(REEVE_VERSION),
        .address = manager_address(daemon),
        .peer = daemon->config.peer.is_there ? daemon->config.peer.address : TEXT(""),
        .member_peer = manager_member_url(daemon, false),
        .member_client = manager_member_url(daemon, true),
    };
    if (daemon->config.has_control && daemon->config.time_scale > 1) {
        log_warn(daemon->log, "control", "in_haste", log_int("times", daemon->config.time_scale),
                 log_string("means", "windows of the guards are shorter; not for production use"));
    }
    if (daemon->is_held) {
        log_error(daemon->log, "control", "held",
                  log_string("means", "clusters are not reconciled: the store is incomplete, or "
                                      "cannot be written"));
    }
    if (!daemon->config.has_control || daemon->is_held) {
        service_keeps(daemon->service,
                      &(struct service_controller){ .manager_show = manager_show,
                                                    .managers_show = managers_show,
                                                    .bundle_put = daemon_bundle_take,
                                                    .bundle_piece = daemon_piece_take,
                                                    .config_read = daemon_configuration_read,
                                                    .config_files = daemon_configuration_files,
                                                    .bundle_has = daemon_bundle_has,
                                                    .arg = daemon });
        return true;
    }
    if (!controller_open(&options, &daemon->controller, err)) {
        return false;
    }
    service_keeps(daemon->service,
                  &(struct service_controller){ .pass = daemon_pass_ask,
                                                .plugins = controller_plugins(daemon->controller),
                                                .volumes_keep_ms = daemon->config.volumes_keep_ms,
                                                .clock = clock_ask,
                                                .is_calling = calling_ask,
                                                .is_behind = behind_ask,
                                                .judge = plugin_ask,
                                                .preflight = daemon_preflight,
                                                .console = daemon_console,
                                                .host_key = host_key_ask,
                                                .sweep = sweep_ask,
                                                .plugins_show = plugins_show,
                                                .fetch_show = fetch_show,
                                                .manager_show = manager_show,
                                                .managers_show = managers_show,
                                                .accounts_show = accounts_show,
                                                .plugin_upgrade = upgrade_ask,
                                                .plugin_install = install_ask,
                                                .bundle_put = daemon_bundle_take,
                                                .bundle_piece = daemon_piece_take,
                                                .config_read = daemon_configuration_read,
                                                .config_files = daemon_configuration_files,
                                                .bundle_has = daemon_bundle_has,
                                                .logs_in = logs_in_ask,
                                                .logs = logs_ask,
                                                .logs_gone = logs_gone,
                                                .enter = enter_ask,
                                                .exec = controller_exec(daemon->controller),
                                                .arg = daemon });
    return true;
}
