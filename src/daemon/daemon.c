#include "daemon/daemon.h"

#include "base/limits.h"
#include "daemon/daemon_state.h"
#include "state/migrate.h"
#include "sys/account.h"
#include "sys/process.h"
#include "vault/vault.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* One iteration of the manager: the store reports finished calls and changes, the cache applies
 * them, the service continues, and the API answers waiting requests. An iteration runs when the
 * store has something to report, and once a second for modules that cannot signal that they have
 * work. */

enum {
    TICK_MS = 1000,
    GIVE_BACK_S = 4,
    DRAIN_STEP_MS = 10,
    LEAVE_MS = 1000,
    STALE_MS = 3000,
};

/* ---- iterations ---- */

static void ready_report(struct daemon *daemon)
{
    daemon->is_ready = true;
    notify_send(daemon->notify, "READY=1");
    log_info(daemon->log, "daemon", "ready",
             log_duration("after", clock_monotonic_ms(daemon->clock) - daemon->start_ms),
             log_int("objects", (int64_t)cache_count(daemon->cache)),
             log_int("revision", (int64_t)cache_revision(daemon->cache)));
    daemon_damage_log(daemon);
}

/* Runs the controller. If it is due again immediately, schedules a task of the loop, because a
 * timer is never due before the current iteration ends. */
static void controller_turn(struct daemon *daemon)
{
    uint64_t due = daemon->controller == NULL || !daemon->is_ready || daemon->drain_due_ms > 0
                       ? UINT64_MAX
                       : controller_run(daemon->controller);

    if (daemon->drain_due_ms > 0 && controller_roster(daemon->controller) != NULL) {
        roster_run(controller_roster(daemon->controller)); /* the manager still holds its leases */
    }
    if (due == 0) {
        daemon_turn_want(daemon);
    } else if (due != UINT64_MAX) {
        loop_timer_start(daemon->retention_timer, due, 0);
    }
}

static void daemon_turn(struct daemon *daemon)
{
    if (daemon->is_closing) {
        return; /* only plugin processes are still running; everything that serves requests is
                 * freed */
    }
    store_run(daemon->store);
    cache_run(daemon->cache);
    service_run(daemon->service);
    if (daemon->is_ready && daemon->drain_due_ms == 0 && !daemon->is_held) {
        service_config_upgrades(daemon->service);
        service_returns(daemon->service);
        service_commissions(daemon->service);
        service_leaves(daemon->service);
    }
    controller_turn(daemon);
    api_run(daemon->api);
    if (!daemon->is_ready && service_is_ready(daemon->service)) {
        ready_report(daemon);
    }
}

static void store_ready(void *arg, unsigned events)
{
    (void)events;
    daemon_turn(arg);
}

/* ---- periodic work ---- */

static void kept(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct daemon *daemon = arg;

    if (outcome != OUTCOME_OK) {
        log_warn(daemon->log, "store", "not_cleaned", log_string("reason", answer->err.text));
    }
}

static void house_keep(struct daemon *daemon)
{
    uint64_t minute = daemon->ticks / 60;
    uint64_t *mark = &daemon->marks[minute % DAEMON_MARKS];
    /* revision DAEMON_MARKS minutes ago; 0: the process has not run that long */
    uint64_t oldest = *mark;

    *mark = cache_revision(daemon->cache);
    /* in a shared store, only one manager does this work */
    if (daemon->config.store.is_etcd && !controller_is_housekeeper(daemon->controller)) {
        return;
    }
    service_sweep(daemon->service);
    vault_sweep(daemon->vault);
    key_ring_sweep(daemon->cache, daemon->store, clock_wall_ms(daemon->clock));
    if (oldest > 0 && oldest < *mark) {
        store_compact(daemon->store, oldest, kept, daemon);
    }
    if (minute % 60 == 1) {
        uint64_t retention_ms = (uint64_t)LIMIT_EVENTS_DAYS * 24 * 3600 * 1000;
        uint64_t now_ms = (uint64_t)clock_wall_ms(daemon->clock);

        store_events_drop(daemon->store, now_ms > retention_ms ? now_ms - retention_ms : 0,
                          LIMIT_EVENTS_ROWS, kept, daemon);
    }
}

/* Maintains the links to live managers, and loads new certificates. */
static void daemon_peers_look(struct daemon *daemon)
{
    const struct managers *managers = daemon_managers_ask(daemon);
    struct peers_manager list[LIMIT_PEERS];
    size_t count = 0;

    if (daemon->peers == NULL) {
        return;
    }
    for (size_t i = 0; managers != NULL && i < managers_count(managers) && count < LIMIT_PEERS;
         i++) {
        const struct managers_row *row = managers_at(managers, i);

        if (row->is_live && !row->is_here && row->peer.length > 0) {
            list[count++] = (struct peers_manager){ row->id, row->name, row->peer };
        }
    }
    peers_set(daemon->peers, list, count);
    peers_run(daemon->peers);
}

static void daemon_tick_due(void *arg)
{
    struct daemon *daemon = arg;

    if (daemon->is_closing) {
        return;
    }
    daemon_turn(daemon);
    daemon_peers_look(daemon);
    store_monitor_check(&daemon->problem);
    log_tick(daemon->log);
    daemon->ticks++;
    if (daemon->is_ready && daemon->drain_due_ms == 0 && !daemon->is_held) {
        leave_look(daemon->leave);
        daemon_voting_look(daemon);
        bundles_look(daemon->sweeper);
        daemon_images_sweep(daemon);
        bundles_look(daemon->archive_sweeper);
        /* the managers of a shared store make one backup together */
        if (!daemon->config.store.is_etcd || controller_is_housekeeper(daemon->controller)) {
            backups_look(daemon->backups);
        }
    }
    if (daemon->ticks % GIVE_BACK_S == 0 && cache_revision(daemon->cache) != daemon->given_back) {
        daemon->given_back = cache_revision(daemon->cache);
        daemon->heap_known = heap_give_back(daemon->heap_known);
    }
    if (daemon->ticks % 60 == 0 && daemon->is_ready && !daemon->is_held) {
        house_keep(daemon);
    }
}

/* ---- ending ---- */

/* True while the cache loads an embedded store, which takes seconds at most. A shared store is not
 * awaited, because it may not answer for days. */
static bool is_loading_awaited(const struct daemon *daemon)
{
    return !daemon->config.store.is_etcd && daemon->cache != NULL &&
           cache_state(daemon->cache) == CACHE_LOADING;
}

static void drain_due(void *arg)
{
    struct daemon *daemon = arg;

    if (daemon->is_closing) {
        return;
    }
    daemon_turn(daemon);
    daemon->is_drained = http_server_exchanges(daemon->server) == 0 &&
                         !is_loading_awaited(daemon) &&
                         !controller_has_commands(daemon->controller);
    if (daemon->is_drained || clock_monotonic_ms(daemon->clock) >= daemon->drain_due_ms) {
        loop_stop(daemon->loop);
    }
}

void daemon_drain_start(struct daemon *daemon, int number)
{
    if (daemon->drain_due_ms > 0) {
        return; /* the signal was reported twice */
    }
    notify_send(daemon->notify, "STOPPING=1");
    log_info(daemon->log, "daemon", "stopping", log_int("signal", number),
             log_int("requests", (int64_t)http_server_exchanges(daemon->server)));
    daemon->drain_due_ms = clock_monotonic_ms(daemon->clock) + LIMIT_DRAIN_MS;
    http_server_drain(daemon->server);
    blobs_close(daemon->blobs);
    api_drain(daemon->api);
    controller_refuse(daemon->controller);
    loop_timer_start(daemon->drain, 0, DRAIN_STEP_MS);
}

static void daemon_reload(struct daemon *daemon)
{
    struct config config;

    notify_send(daemon->notify, "RELOADING=1");
    if (daemon->options->reload(daemon->options->arg, &config)) {
        log_level_set(daemon->log, config.log);
        daemon->config.log = config.log;
        daemon_certificates_renew(daemon);
        log_info(daemon->log, "daemon", "reloaded");
    } else {
        log_error(
            daemon->log, "daemon", "not_reloaded",
            log_string("reason",
                       "the configuration has errors; the previous configuration stays in use"));
    }
    notify_send(daemon->notify, "READY=1");
}

static void daemon_signal_seen(void *arg, int number)
{
    struct daemon *daemon = arg;

    if (daemon->is_closing) {
        return;
    }
    if (number == SIGHUP) {
        daemon_reload(daemon);
    } else {
        daemon_drain_start(daemon, number);
    }
}

/* ---- ports ---- */

static int64_t daemon_wall_ms(void *arg)
{
    return clock_wall_ms(((struct daemon *)arg)->clock);
}

static void daemon_id_make(void *arg, char out[static 37])
{
    random_id(((struct daemon *)arg)->random, out);
}

static void turn_due(void *arg)
{
    struct daemon *daemon = arg;

    daemon->is_turn_wanted = false;
    daemon_turn(daemon);
}

void daemon_turn_want(void *arg)
{
    struct daemon *daemon = arg;
    struct err err;

    /* if the loop has no room for a task, the next tick runs the iteration */
    if (!daemon->is_turn_wanted) {
        daemon->is_turn_wanted = loop_task_open(daemon->loop, turn_due, daemon, NULL, &err);
    }
}

/* Returns the name of a user. The last result is cached, because the same user probably sends the
 * next request. */
static struct text user_name(void *arg, uid_t uid)
{
    struct daemon *daemon = arg;

    if (!daemon->has_user || daemon->user != uid) {
        account_user_name(uid, daemon->user_name);
        daemon->user = uid;
        daemon->has_user = true;
    }
    return text_from(daemon->user_name);
}

static struct api_server_figures server_figures(void *arg)
{
    const struct daemon *daemon = arg;

    return (struct api_server_figures){ http_server_connections(daemon->server),
                                        http_server_refused(daemon->server) };
}

/* A manager of a shared store is stale while it is disconnected from the store. Its heartbeats show
 * this or, if it sends none, the age of the latest answer. */
static bool is_stale_ask(void *arg, struct api_stale *out)
{
    struct daemon *daemon = arg;
    const struct roster *roster = controller_roster(daemon->controller);
    struct store_status status;

    *out = (struct api_stale){ .age_ms = 0 };
    if (!daemon->config.store.is_etcd) {
        return false;
    }
    store_status(daemon->store, &status);
    out->age_ms = roster == NULL ? status.linearizable_age_ms : roster_stale_ms(roster);
    if (roster == NULL ? out->age_ms < STALE_MS : !roster_is_stale(roster)) {
        return false;
    }
    snprintf(daemon->stale_reason, sizeof(daemon->stale_reason), "%s %s%s", daemon->config.name,
             status.is_writable ? "does not see the changes of its store"
                                : "cannot reach its store: ",
             status.is_writable ? "" : status.problem.text);
    out->reason = text_from(daemon->stale_reason);
    return true;
}

/* ---- start ---- */

static const char *backups_folder(struct daemon *daemon)
{
    const struct config *config = &daemon->config;

    return config->backups.folder != NULL
               ? config->backups.folder
               : arena_string(daemon->memory,
                              arena_printf(daemon->memory, "%s/backups", config->data));
}

static struct instances *daemon_instances(void *arg)
{
    return controller_instances(((const struct daemon *)arg)->controller);
}

static void engine_start(struct daemon *daemon, uid_t owner, gid_t group)
{
    struct api_options options = {
        .clock = daemon->clock,
        .random = daemon->random,
        .log = daemon->log,
        .version = REEVE_VERSION,
        .owner = owner,
        .admin_group = group,
        .page_address = config_page_address(daemon->memory, &daemon->config),
        .public_origin = daemon->config.public_url,
        .page_disk = daemon->page_disk,
        .user_name = user_name,
        .server_figures = server_figures,
        .managers_figures = daemon_managers_figures,
        .managers = daemon_managers_ask,
        .peers = daemon->peers,
        .blobs = daemon->blobs,
        .instances = daemon_instances,
        .is_stale = is_stale_ask,
        .loop_turn_want = daemon_turn_want,
        .arg = daemon,
    };
    struct http_handler handler;

    daemon->problem = (struct store_monitor){ .log = daemon->log,
                                              .store = daemon->store,
                                              .clock = daemon->clock };
    heap_settle();
    daemon->service = service_new(daemon->store, daemon->cache,
                                  (struct service_ports){ daemon_wall_ms, daemon_id_make, daemon });
    options.service = daemon->service;
    options.cache = daemon->cache;
    options.store = daemon->store;
    daemon->vault = vault_open(&(struct vault_options){
        .store = daemon->store,
        .cache = daemon->cache,
        .clock = daemon->clock,
        .log = daemon->log,
        .data = daemon->config.data,
        .key = daemon->config.secret_key,
    });
    options.vault = vault_api(daemon->vault);
    daemon->backups = backups_new(&(struct backups_options){
        .loop = daemon->loop,
        .store = daemon->store,
        .clock = daemon->clock,
        .log = daemon->log,
        .folder = backups_folder(daemon),
        .every_ms = daemon->config.backups.every_ms / daemon->config.time_scale,
        .first_ms = LIMIT_BACKUP_FIRST_MS / daemon->config.time_scale,
        .keep = (size_t)daemon->config.backups.keep,
        .etcd = daemon->config.store.is_etcd ? &daemon->etcd : NULL,
    });
    options.backups = backups_api(daemon->backups);
    options.contiv = daemon_contiv(daemon);
    options.netboot = daemon_netboot(daemon);
    options.images = daemon_images_start(daemon);
    daemon->api = api_new(&options);
    handler = api_handler(daemon->api);
    daemon->server = http_server_new(daemon->loop, &handler, &daemon->config.deadlines);
    http_server_crowd(daemon->server,
                      &(struct http_crowd){ .per_address = (size_t)daemon->config.per_address,
                                            .is_proxy = config_is_proxy,
                                            .arg = &daemon->config });
}

/* Ends the manager when its launcher has ended: without the launcher no program can be started or
 * stopped. A service manager restarts both. */
static void launcher_ended(void *arg, unsigned events)
{
    struct daemon *daemon = arg;

    (void)events;
    log_error(daemon->log, "daemon", "launcher_ended",
              log_string("means", "programs can no longer be started; the manager stops"));
    loop_descriptor_want(daemon->launcher, 0);
    daemon_drain_start(daemon, SIGTERM);
}

MUST_CHECK static bool daemon_loop_wire(struct daemon *daemon, struct err *err)
{
    static const int numbers[DAEMON_SIGNALS] = { SIGTERM, SIGINT, SIGHUP };

    for (size_t i = 0; i < DAEMON_SIGNALS; i++) {
        if (!loop_signal_open(daemon->loop, numbers[i], daemon_signal_seen, daemon,
                              &daemon->signals[i], err)) {
            return false;
        }
    }
    if (!loop_timer_open(daemon->loop, daemon_tick_due, daemon, &daemon->tick, err) ||
        !loop_timer_open(daemon->loop, turn_due, daemon, &daemon->retention_timer, err) ||
        !loop_timer_open(daemon->loop, drain_due, daemon, &daemon->drain, err) ||
        !loop_descriptor_open(daemon->loop, store_descriptor(daemon->store), store_ready, daemon,
                              &daemon->store_descriptor, err)) {
        return false;
    }
    if (launcher_descriptor() != FD_NONE) {
        if (!loop_descriptor_open(daemon->loop, launcher_descriptor(), launcher_ended, daemon,
                                  &daemon->launcher, err)) {
            return false;
        }
        loop_descriptor_want(daemon->launcher, LOOP_READABLE);
    }
    loop_timer_start(daemon->tick, 0, TICK_MS);
    loop_descriptor_want(daemon->store_descriptor, LOOP_READABLE);
    return true;
}

/* Serves the page from a folder if one is configured. This is logged, because any user who can
 * write to that folder can change the page. */
MUST_CHECK static bool page_start_from(struct daemon *daemon, struct err *err)
{
    if (daemon->config.ui_dir == NULL) {
        return true;
    }
    if (!page_disk_open(daemon->memory, daemon->config.ui_dir, &daemon->page_disk, err)) {
        return false;
    }
    log_warn(daemon->log, "page", "from_folder", log_string("folder", daemon->config.ui_dir),
             log_string("means", "for development of the page; not for production use"));
    return true;
}

/* Raises the limit of open files, and thereby of connections, as far as the system permits. */
static void files_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Binds the unix socket while the process still has the privileges for it. Connections are accepted
 * only when the API is ready. Then gives up all privileges that are not needed. */
MUST_CHECK static bool rights_start(struct daemon *daemon, gid_t group, struct err *err)
{
    struct rights_options options = { .config = &daemon->config,
                                      .arena = daemon->memory,
                                      .config_path = daemon->options->config_path,
                                      .admins = group };

    /* the previous manager may still be ending: wait until it no longer listens */
    while (listen_is_taken(daemon->config.socket) &&
           clock_monotonic_ms(daemon->clock) - daemon->start_ms < DAEMON_LOCK_PATIENCE_MS) {
        (void)!poll(NULL, 0, DAEMON_LOCK_RETRY_MS);
    }
    if (!listen_local(daemon->config.socket, group, &daemon->local, err)) {
        return false;
    }
    daemon->has_socket = true;
    if (!rights_give_up(&options, &daemon->rights, err)) {
        return false;
    }
    log_info(daemon->log, "daemon", "rights", log_string("user", daemon->rights.user),
             log_string("why", daemon->rights.stays_root == NULL ? "" : daemon->rights.stays_root));
    return true;
}

bool daemon_open(const struct daemon_options *options, struct daemon **out, struct err *err)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct daemon *daemon = arena_one(memory, struct daemon);
    /* determined before root gives up its privileges, because the other account owns no folder
     * yet */
    uid_t owner = geteuid();
    gid_t group;

    daemon->memory = memory;
    daemon->options = options;
    daemon->config = *options->config;
    daemon->local = FD_NONE;
    daemon->member.lock = FD_NONE;
    if (daemon->config.name == NULL) {
        daemon->config.name = config_manager_name(memory);
    }
    daemon->notify = notify_open(options->notify_socket);
    daemon->clock = clock_system();
    daemon->random_stock.source = random_system();
    daemon->random = random_stocked(&daemon->random_stock);
    daemon->start_ms = clock_monotonic_ms(daemon->clock);
    daemon->log = log_new(&(struct log_options){
        .clock = daemon->clock,
        .identifier = "reeved",
        .fd = STDERR_FILENO,
        .journal_stream = options->journal_stream,
        .level = daemon->config.log,
    });
    umask(077);
    files_raise();
    log_info(daemon->log, "daemon", "starting", log_string("version", REEVE_VERSION),
             log_string("data", daemon->config.data), log_string("socket", daemon->config.socket));
    group = account_group_find(daemon->config.socket_group);
    if (!page_start_from(daemon, err) || !rights_start(daemon, group, err) ||
        !daemon_store_start(daemon, err)) {
        daemon_close(daemon);
        return false;
    }
    if (!loop_open(&daemon->loop, err)) {
        daemon_close(daemon);
        return false;
    }
    daemon_peers_start(daemon);
    engine_start(daemon, owner, group);
    daemon_archives_start(daemon);
    if (!daemon_controller_start(daemon, err)) {
        daemon_close(daemon);
        return false;
    }
    daemon_leave_start(daemon);
    if (daemon->config.store.is_etcd &&
        !members_view_open(&(struct members_view_options){ .loop = daemon->loop,
                                                           .store = daemon->store,
                                                           .etcd = daemon->etcd },
                           &daemon->members_view, err)) {
        daemon_close(daemon);
        return false;
    }
    if (!daemon_voting_start(daemon, err)) {
        daemon_close(daemon);
        return false;
    }
    if (daemon->voting == NULL && daemon->config.store.managed != NULL &&
        daemon->config.store.managed->found.has_member &&
        !managed_watch_open(daemon->memory, daemon->loop, daemon->log, daemon->config.data,
                            &daemon->managed_watch, err)) {
        daemon_close(daemon);
        return false;
    }
    if (!daemon_loop_wire(daemon, err) || !daemon_listeners_open(daemon, err)) {
        daemon_close(daemon);
        return false;
    }
    *out = daemon;
    return true;
}

bool daemon_run(struct daemon *daemon)
{
    loop_run(daemon->loop);
    if (!daemon->is_drained) {
        log_warn(daemon->log, "daemon", "stopped",
                 log_int("unanswered", (int64_t)http_server_exchanges(daemon->server)));
        return false;
    }
    log_info(daemon->log, "daemon", "stopped",
             log_int("revision", (int64_t)cache_revision(daemon->cache)));
    return true;
}

/* Waits until the cache is loaded. */
static void loading_end(struct daemon *daemon)
{
    while (is_loading_awaited(daemon)) {
        store_run(daemon->store);
        cache_run(daemon->cache);
        if (is_loading_awaited(daemon)) {
            loop_run_once(daemon->loop, DRAIN_STEP_MS);
        }
    }
}

static void session_left(void *arg)
{
    *(bool *)arg = true;
}

/* Ends the session in the store, so that other managers can take over immediately. All calls of
 * plugins have ended before. */
static void session_leave(struct daemon *daemon)
{
    struct roster *roster = controller_roster(daemon->controller);
    uint64_t until_ms = clock_monotonic_ms(daemon->clock) + LEAVE_MS;

    if (roster == NULL) {
        return;
    }
    daemon->is_left = false;
    roster_leave(roster, session_left, &daemon->is_left);
    while (!daemon->is_left && clock_monotonic_ms(daemon->clock) < until_ms) {
        loop_run_once(daemon->loop, DRAIN_STEP_MS);
        store_run(daemon->store);
    }
}

void daemon_close(struct daemon *daemon)
{
    if (daemon == NULL) {
        return;
    }
    if (daemon->store_descriptor != NULL) {
        loading_end(daemon);
    }
    daemon->is_closing = true;
    daemon_voting_end(daemon);
    members_view_close(daemon->members_view);
    daemon->members_view = NULL;
    managed_watch_close(daemon->managed_watch);
    daemon->managed_watch = NULL;
    instances_close(controller_instances(daemon->controller));
    http_server_free(daemon->server);
    blobs_free(daemon->blobs);
    peers_free(daemon->peers);
    api_free(daemon->api);
    controller_close(daemon->controller);
    bundles_stop(daemon->sweeper);
    bundles_stop(daemon->archive_sweeper);
    backups_stop(daemon->backups);
    while (!controller_is_over(daemon->controller)) {
        loop_run_once(daemon->loop, DRAIN_STEP_MS);
    }
    session_leave(daemon);
    cache_free(daemon->cache);
    if (daemon->store_descriptor != NULL) {
        loop_descriptor_close(daemon->store_descriptor);
    }
    store_close(daemon->store);
    fd_cleanup(&daemon->member.lock);
    controller_free(daemon->controller);
    leave_free(daemon->leave);
    daemon_voting_free(daemon);
    bundles_free(daemon->sweeper);
    bundles_free(daemon->archive_sweeper);
    backups_free(daemon->backups);
    daemon_archives_close(daemon);
    service_free(daemon->service);
    vault_close(daemon->vault);
    page_disk_close(daemon->page_disk);
    loop_close(daemon->loop);
    if (daemon->has_socket && launcher_is_running()) {
        launcher_socket_remove();
    } else if (daemon->has_socket) {
        unlink(daemon->config.socket);
    }
    fd_cleanup(&daemon->local);
    fd_cleanup(&daemon->notify);
    log_free(daemon->log);
    arena_free(daemon->memory);
}
