#include "daemon/daemon.h"

#include "api/api.h"
#include "base/limits.h"
#include "daemon/backups.h"
#include "daemon/blob_files.h"
#include "daemon/bundles.h"
#include "daemon/configurations.h"
#include "daemon/controller.h"
#include "daemon/daemon_parts.h"
#include "daemon/managers_port.h"
#include "daemon/store_open.h"
#include "service/service_command.h"
#include "sqlite/sqlite.h"
#include "state/damage.h"
#include "state/migrate.h"
#include "sys/account.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "sys/process.h"
#include "vault/vault.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    STALE_REASON_BYTES = 400,
    SIGNALS = 3,
    MARKS = LIMIT_COMPACT_KEEP_S / 60 + 1
};

enum { BUNDLE_PROOFS = 16, DAMAGE_LOGGED = 20 };

/* The upload of one bundle by one tenant, in pieces. */
struct bundle_proof {
    char name[LIMIT_TENANT_BYTES + DIGEST_TEXT_BYTES + 1]; /* TENANT/DIGEST */
    /* digest of the received bytes; NULL: none */
    struct digest_stream *stream;
    uint64_t offset;
    uint64_t used_ms;
};

struct daemon {
    struct arena *memory;
    const struct daemon_options *options;
    struct config config;
    struct clock clock;
    struct random random;
    struct random_stock random_stock; /* random numbers from that source */
    struct log *log;
    struct loop *loop;
    struct store *store;
    struct store_member member;    /* this manager as a member of a shared store */
    struct roster_manager manager; /* the data of this manager that other managers see */
    struct cache *cache;
    struct service *service;
    struct depot *bundles;
    struct depot *archives; /* archives of configurations */
    /* The sweepers that delete unused bundles, and archives of removed revisions. */
    struct bundles *sweeper;
    struct bundles *archive_sweeper;
    struct bundle_proof proofs[BUNDLE_PROOFS];
    struct backups *backups;       /* backups of the store */
    struct controller *controller; /* NULL: this manager does not reconcile clusters */
    struct vault *vault;
    struct rights rights;
    struct loop_descriptor *launcher; /* readable when the launcher has ended */
    int notify;                       /* the connection to the service manager; FD_NONE: none */
    int local; /* the bound unix socket; FD_NONE: none, or the server owns it */
    struct api *api;
    struct peers *peers; /* NULL: this manager has no links to others */
    struct blobs *blobs;
    struct blob_files blob_files;
    struct http_server *server;
    struct loop_descriptor *store_descriptor;
    struct loop_timer *tick;
    struct loop_timer *retention_timer;
    struct loop_timer *drain;
    struct loop_signal *signals[SIGNALS];
    struct page_disk *page_disk; /* NULL: the built-in page */
    struct store_monitor problem;
    uint64_t start_ms;
    uint64_t ticks;
    uint64_t drain_due_ms;
    size_t heap_known;     /* last result of heap_give_back */
    uint64_t given_back;   /* revision of the store when memory was last returned to the system */
    uint64_t marks[MARKS]; /* revisions of the store, one per minute, the newest at ticks / 60 */
    bool is_ready;
    bool is_held; /* the store is damaged or read-only: its content is shown, but nothing is
                   * changed */
    bool is_turn_wanted;
    bool is_drained;
    bool is_closing; /* no more requests are accepted */
    bool has_peer_listener;
    bool is_left;    /* the session of this manager has been ended in the store */
    bool has_socket; /* this process must remove the socket at config.socket */
    bool has_user;
    uid_t user; /* the user whose name is in user_name */
    char user_name[ACCOUNT_NAME_BYTES];
    char stale_reason[STALE_REASON_BYTES];
};

/* ---- iterations ---- */

static void loop_turn_want(void *arg);

/* Logs each damaged object on a separate line. Their names are known only after the other rows
 * have been read. */
static void damage_log(struct daemon *daemon)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct store_status status;
    struct text *lines;
    size_t count;

    store_status(daemon->store, &status);
    if (status.damage == NULL) {
        return;
    }
    log_error(daemon->log, "store", "damaged", log_string("reason", status.problem.text),
              log_string("hint", status.problem.hint));
    count = damage_lines(arena, daemon->cache, status.damage, &lines);
    for (size_t i = 0; i < count && i < DAMAGE_LOGGED; i++) {
        log_error(daemon->log, "store", "damaged_part", log_text("what", lines[i]));
    }
}

static void ready_report(struct daemon *daemon)
{
    daemon->is_ready = true;
    notify_send(daemon->notify, "READY=1");
    log_info(daemon->log, "daemon", "ready",
             log_duration("after", clock_monotonic_ms(daemon->clock) - daemon->start_ms),
             log_int("objects", (int64_t)cache_count(daemon->cache)),
             log_int("revision", (int64_t)cache_revision(daemon->cache)));
    damage_log(daemon);
}

/* A timer is never due before the current iteration ends, so work that is due immediately is run as
 * a task of the loop. */
static void controller_turn(struct daemon *daemon)
{
    uint64_t due = daemon->controller == NULL || !daemon->is_ready || daemon->drain_due_ms > 0
                       ? UINT64_MAX
                       : controller_run(daemon->controller);

    if (daemon->drain_due_ms > 0 && controller_roster(daemon->controller) != NULL) {
        roster_run(controller_roster(daemon->controller)); /* the manager still owns its leases */
    }
    if (due == 0) {
        loop_turn_want(daemon);
    } else if (due != UINT64_MAX) {
        loop_timer_start(daemon->retention_timer, due, 0);
    }
}

static void daemon_turn(struct daemon *daemon)
{
    if (daemon->is_closing) {
        return; /* only processes of plugins are still running; everything needed to serve requests
                 * is freed */
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
    uint64_t *mark = &daemon->marks[minute % MARKS];
    /* revision MARKS minutes ago; 0 if the process has not run that long */
    uint64_t oldest = *mark;

    *mark = cache_revision(daemon->cache);
    /* only one manager of a shared store does this work */
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

static const struct managers *managers_ask(void *arg)
{
    return controller_managers(((const struct daemon *)arg)->controller);
}

/* Keeps links to the live managers, and notices new certificates. */
static void daemon_peers_look(struct daemon *daemon)
{
    const struct managers *managers = managers_ask(daemon);
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
        bundles_look(daemon->sweeper);
        bundles_look(daemon->archive_sweeper);
        backups_look(daemon->backups);
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

/* True while the cache loads a store of this process, which takes seconds at most. A shared store
 * may not answer for days. */
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

static void drain_start(struct daemon *daemon, int number)
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

/* A key that other users can read is not a secret. The members of its group may read it, because a
 * group is the usual way to share a key with a service. */
MUST_CHECK static bool daemon_key_check(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status) != 0 || (status.st_mode & (S_IWGRP | S_IRWXO)) == 0) {
        return true; /* a missing key is reported when it is read */
    }
    err_set(err, CODE_R0536, "other users can read the key '%s' (mode %04o)", path,
            (unsigned)status.st_mode & 07777);
    return err_hint(err, "chmod 0600 %s; if others may have read the key, use a new one", path);
}

MUST_CHECK static bool certificate_read(struct arena *arena, const struct config_listener *listener,
                                        struct http_listen *out, struct err *err)
{
    struct text certificate;
    struct text key;

    if (!daemon_key_check(listener->key, err) ||
        !file_read(arena, listener->certificate, LIMIT_CERTIFICATE_BYTES, &certificate, err) ||
        !file_read(arena, listener->key, LIMIT_CERTIFICATE_BYTES, &key, err)) {
        return false;
    }
    out->certificate = arena_string(arena, certificate);
    out->key = secret_from(key);
    return true;
}

/* Reloads the certificates. The listeners themselves stay open: certificates are renewed more often
 * than a manager restarts. */
static void certificates_renew(struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->config.listener_count; i++) {
        AUTO(arena) scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
        const struct config_listener *listener = &daemon->config.listeners[i];
        struct http_listen read = { 0 };
        struct err err;

        if (listener->is_plain) {
            continue;
        }
        if (!certificate_read(scratch, listener, &read, &err) ||
            !http_server_renew(daemon->server, i + 1, &read, &err)) {
            log_error(daemon->log, "daemon", "certificate_not_renewed",
                      log_string("file", listener->certificate), log_string("reason", err.text));
        }
    }
}

static void daemon_reload(struct daemon *daemon)
{
    struct config config;

    notify_send(daemon->notify, "RELOADING=1");
    if (daemon->options->reload(daemon->options->arg, &config)) {
        log_level_set(daemon->log, config.log);
        daemon->config.log = config.log;
        certificates_renew(daemon);
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
        drain_start(daemon, number);
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

static void loop_turn_want(void *arg)
{
    struct daemon *daemon = arg;
    struct err err;

    /* if the loop has no room for a task, the next tick runs the iteration */
    if (!daemon->is_turn_wanted) {
        daemon->is_turn_wanted = loop_task_open(daemon->loop, turn_due, daemon, NULL, &err);
    }
}

/* Caches the name of one user, because the most recent sender is likely to send the next
 * request. */
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

/* A manager of a shared store is stale while it has no connection to the store. This is determined
 * by its heartbeats or, if it sends none, by the age of the latest answer. */
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

static struct api_managers_figures managers_figures(void *arg);

/* ---- start ---- */

MUST_CHECK static bool folder_refuse(const char *path, struct err *err)
{
    int number = errno;

    err_set(err, CODE_R0553, "%s: %s", path, strerror(number));
    return err_hint(
        err,
        number == ENOENT
            ? "create the parent folder, or name another folder: --data DIR"
            : "run reeved as a user with write access, or name another folder: --data DIR, and --socket PATH");
}

/* Closes the folder to other users, so that they cannot read the files in it, regardless of their
 * modes. A mode that was too open is reported. */
MUST_CHECK static bool folder_close_to_others(struct daemon *daemon, int folder, struct err *err)
{
    const char *path = daemon->config.data;
    struct stat status;

    if (fstat(folder, &status) == 0 && (status.st_mode & 07077) == 0) {
        return true; /* the owner may have made the folder read-only */
    }
    if (fchmod(folder, status.st_mode & 0700) != 0) {
        if (errno == EROFS) {
            log_warn(daemon->log, "daemon", "folder_open_to_others", log_string("folder", path));
            return true; /* the folder was open before, and nothing new is written there */
        }
        return folder_refuse(path, err);
    }
    log_warn(
        daemon->log, "daemon", "folder_mode_repaired", log_string("folder", path),
        log_text("was", arena_printf(daemon->memory, "%04o", (unsigned)status.st_mode & 07777)),
        log_text("now", arena_printf(daemon->memory, "%04o", (unsigned)status.st_mode & 0700)));
    return true;
}

/* Logs the progress of migrating a store from an earlier format. A large store delays the start. */
static void store_migrating(void *arg, uint64_t done, uint64_t rows, bool is_over)
{
    struct daemon *daemon = arg;

    if (is_over) {
        log_info(daemon->log, "store", "migrated", log_int("format", STORE_FORMAT),
                 log_int("rows", (int64_t)rows));
    } else {
        log_info(daemon->log, "store", "migrating", log_int("format", STORE_FORMAT),
                 log_int("done", (int64_t)done), log_int("rows", (int64_t)rows));
    }
}

/* Waits before another try to open a store that another process has. Returns false if that process
 * has had the time to end. */
static bool store_is_awaited(const struct daemon *daemon, const struct err *err)
{
    if (err->code != CODE_R0507 ||
        clock_monotonic_ms(daemon->clock) - daemon->start_ms >= DAEMON_LOCK_PATIENCE_MS) {
        return false;
    }
    (void)!poll(NULL, 0, DAEMON_LOCK_RETRY_MS);
    return true;
}

/* Opens the store in etcd. An etcd without quorum is no reason not to start. */
MUST_CHECK static bool store_shared_start(struct daemon *daemon, int folder, struct err *err)
{
    struct store_status status;

    if (daemon->config.store.key != NULL && !daemon_key_check(daemon->config.store.key, err)) {
        return false;
    }
    while (!store_open_etcd(&daemon->config, folder, daemon->random, &daemon->store,
                            &daemon->member, err)) {
        if (!store_is_awaited(daemon, err)) {
            return false;
        }
    }
    daemon->cache = cache_new(daemon->store, LIMIT_CACHE_CHANGES);
    store_status(daemon->store, &status);
    log_info(daemon->log, "store", "shared", log_string("manager", daemon->member.id),
             log_string("name", daemon->config.name),
             log_string("prefix", daemon->config.store.prefix),
             log_string("problem", status.problem.text));
    return true;
}

/* Opens the embedded store; while it is opened, the cache receives its content. */
MUST_CHECK static bool store_embedded_start(struct daemon *daemon, struct err *err)
{
    const char *path = daemon->config.data;
    unsigned char incarnation[16];
    struct store_reading reading;

    if (!store_check_embedded(&daemon->config, "reeved", err)) {
        return false;
    }
    random_fill(daemon->random, incarnation, sizeof(incarnation));
    heap_expect(sqlite_folder_bytes(path));
    daemon->cache = cache_new_ahead(LIMIT_CACHE_CHANGES);
    reading = cache_reading(daemon->cache);
    reading.migrating = store_migrating;
    reading.migrating_arg = daemon;
    while (!sqlite_open_reading(path, incarnation, &reading, &daemon->store, err)) {
        if (!store_is_awaited(daemon, err)) {
            return false;
        }
    }
    cache_follow(daemon->cache, daemon->store);
    return true;
}

/* Creates the folder if it is missing, without access for other users. */
MUST_CHECK static bool store_start(struct daemon *daemon, struct err *err)
{
    const char *path = daemon->config.data;
    struct store_status status;
    AUTO(fd) folder = FD_NONE;

    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return folder_refuse(path, err);
    }
    if (!folder_open(path, &folder, err) || !folder_check_owner(folder, path, err)) {
        return false;
    }
    if (!folder_close_to_others(daemon, folder, err)) {
        return false;
    }
    if (!(daemon->config.store.is_etcd ? store_shared_start(daemon, folder, err)
                                       : store_embedded_start(daemon, err))) {
        return false;
    }
    store_status(daemon->store, &status);
    daemon->is_held = status.is_held;
    if (status.audit_fault != NULL) {
        log_error(daemon->log, "store", "events_missing", log_string("reason", status.audit_fault),
                  log_string("hint", "reeve audit; compare with a backup from before"));
    }
    return true;
}

static const char *backups_folder(struct daemon *daemon)
{
    const struct config *config = &daemon->config;

    return config->backups.folder != NULL
               ? config->backups.folder
               : arena_string(daemon->memory,
                              arena_printf(daemon->memory, "%s/backups", config->data));
}

/* ---- the compatibility API of Contiv ---- */

static void daemon_contiv_observed(void *arg, struct text tenant,
                                   const struct membership_report *report)
{
    const struct daemon *daemon = arg;

    if (daemon->controller != NULL) {
        controller_membership(daemon->controller, tenant, TEXT("posted"), report);
    }
}

/* Returns the options of the compatibility API; NULL: it is not served. */
static const struct api_contiv *daemon_contiv(struct daemon *daemon)
{
    const struct config_contiv *config = &daemon->config.contiv;
    const struct config_inventory *inventory =
        config_inventory_find(&daemon->config, config->tenant);
    struct api_contiv *contiv;

    if (!config->is_there) {
        return NULL;
    }
    contiv = arena_one(daemon->memory, struct api_contiv);
    *contiv = (struct api_contiv){
        .tenant = config->tenant,
        .cluster = config->cluster,
        .user = config->user,
        .address = config->listener.port == 0
                       ? TEXT("")
                       : arena_printf(daemon->memory, "%.*s:%u", TEXT_ARG(config->listener.host),
                                      config->listener.port),
        .serf = inventory == NULL || inventory->serf_port == 0
                    ? TEXT("")
                    : arena_printf(daemon->memory, "%.*s:%u", TEXT_ARG(inventory->serf_address),
                                   inventory->serf_port),
        .observed = daemon_contiv_observed,
        .arg = daemon,
    };
    return contiv;
}

/* ---- links to other managers ---- */

/* Opens the listener of peers with certificates, or replaces its certificates. Implements
 * peers_options.renewed. */
MUST_CHECK static bool daemon_peer_renewed(void *arg, const struct peers_identity *identity,
                                           struct err *err)
{
    struct daemon *daemon = arg;
    const struct config *config = &daemon->config;
    struct http_listen listen = { .tag = API_TAG_PEER,
                                  .certificate = identity->certificate,
                                  .key = identity->key,
                                  .authority = identity->authority };

    if (daemon->has_peer_listener) {
        /* the listener of peers is the last one */
        return http_server_renew(daemon->server,
                                 config->listener_count + 1 + (config->contiv.listener.port > 0),
                                 &listen, err);
    }
    if (!listen_tcp(&config->peer.listener, &listen.fd, err) ||
        !http_server_listen(daemon->server, &listen, err)) {
        return false;
    }
    daemon->has_peer_listener = true;
    log_info(daemon->log, "daemon", "listening", log_text("address", config->peer.listener.host),
             log_int("port", config->peer.listener.port), log_string("with", "tls, for managers"));
    return true;
}

static void daemon_blobs_ended(void *arg)
{
    controller_blobs_ended(((struct daemon *)arg)->controller);
}

static void daemon_peers_start(struct daemon *daemon)
{
    if (!daemon->config.peer.is_there || !daemon->config.store.is_etcd) {
        return;
    }
    /* the depots are opened after this */
    daemon->blob_files =
        (struct blob_files){ .controller = &daemon->controller, .clock = daemon->clock };
    daemon->peers = peers_new(&(struct peers_options){
        .loop = daemon->loop,
        .clock = daemon->clock,
        .log = daemon->log,
        .folder = arena_string(daemon->memory,
                               arena_printf(daemon->memory, "%s/peer", daemon->config.data)),
        .id = text_from(daemon->member.id),
        .renewed = daemon_peer_renewed,
        .arg = daemon,
    });
    daemon->blobs = blobs_new(&(struct blobs_options){
        .peers = daemon->peers,
        .loop = daemon->loop,
        .log = daemon->log,
        .has = blob_files_has,
        .read = blob_files_read,
        .put = blob_files_put,
        .ended = daemon_blobs_ended,
        .file_arg = &daemon->blob_files,
        .arg = daemon,
    });
}

static bool daemon_blob_want(void *arg, enum blobs_kind kind, struct text digest)
{
    return blobs_want(((const struct daemon *)arg)->blobs, kind, digest);
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
        .page_address = page_address(daemon->memory, &daemon->config),
        .public_origin = daemon->config.public_url,
        .page_disk = daemon->page_disk,
        .user_name = user_name,
        .server_figures = server_figures,
        .managers_figures = managers_figures,
        .managers = managers_ask,
        .peers = daemon->peers,
        .blobs = daemon->blobs,
        .instances = daemon_instances,
        .is_stale = is_stale_ask,
        .loop_turn_want = loop_turn_want,
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
        .is_elsewhere = daemon->config.store.is_etcd,
    });
    options.backups = backups_api(daemon->backups);
    options.contiv = daemon_contiv(daemon);
    daemon->api = api_new(&options);
    handler = api_handler(daemon->api);
    daemon->server = http_server_new(daemon->loop, &handler, &daemon->config.deadlines);
    http_server_crowd(daemon->server,
                      &(struct http_crowd){ .per_address = (size_t)daemon->config.per_address,
                                            .is_proxy = config_is_proxy,
                                            .arg = &daemon->config });
}

static bool daemon_pass_ask(void *arg, struct text cluster, bool is_dry,
                            void (*done)(void *done_arg, struct text report), void *done_arg)
{
    struct daemon *daemon = arg;
    bool is_there = controller_pass(daemon->controller, cluster, is_dry, done, done_arg);

    loop_turn_want(daemon);
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
                                   daemon->peers };
}

static struct doc managers_show(void *arg, struct arena *arena,
                                const struct service_managers_query *query)
{
    struct managers_port port = daemon_managers(arg);

    return managers_port_show(&port, arena, query);
}

static struct api_managers_figures managers_figures(void *arg)
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
    /* the result may already have been known before this call; it is written in the next
     * iteration */
    loop_turn_want(daemon);
}

MUST_CHECK static bool daemon_bundle_take(void *arg, struct text bytes, struct arena *arena,
                                          struct doc *out, struct err *err)
{
    const struct daemon *daemon = arg;
    struct doc_builder builder;
    struct bundle bundle;

    if (daemon->bundles == NULL) {
        return err_set(err, CODE_R0726,
                       "this manager cannot store bundles: its log has the reason");
    }
    if (!bundle_from_archive(arena, BUNDLE_STAGE, bytes, &bundle, err) ||
        !depot_put(daemon->bundles, &bundle, err)) {
        return false;
    }
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "bytes", doc_int(arena, (int64_t)bundle.bytes.length, NULL));
    doc_builder_put(&builder, "digest",
                    doc_text(arena_text(arena, text_from(bundle.digest)), NULL));
    doc_builder_put(&builder, "members", doc_int(arena, (int64_t)bundle.members, NULL));
    *out = doc_builder_map(&builder, NULL);
    return true;
}

/* Reports an archive that is being transferred from another manager. */
MUST_CHECK static bool configuration_check(const struct daemon *daemon, struct text digest,
                                           struct err *err)
{
    return !blobs_want(daemon->blobs, BLOBS_CONFIGURATION, digest) ||
           err_set(err, CODE_R0428,
                   "this revision is being fetched from another manager: try again in a moment");
}

MUST_CHECK static bool configuration_read_ask(void *arg, struct text digest, struct arena *arena,
                                              struct doc *out, struct err_list *errors)
{
    const struct daemon *daemon = arg;
    struct err err;

    if (!configuration_check(daemon, digest, &err)) {
        err_list_add(errors, &err);
        return false;
    }
    return configurations_read(&(struct configurations){ daemon->archives, daemon->bundles },
                               digest, arena, out, errors);
}

MUST_CHECK static bool configuration_files_ask(void *arg, struct text digest, struct arena *arena,
                                               struct doc *out, struct err *err)
{
    const struct daemon *daemon = arg;

    return configuration_check(daemon, digest, err) &&
           configurations_files(&(struct configurations){ daemon->archives, daemon->bundles },
                                digest, arena, out, err);
}

/* After sending a complete bundle in pieces a tenant may use it. So the tenant itself must send all
 * of its bytes, even if another tenant has sent them or is sending them: knowing only the digest
 * gives no access. */
static void proof_end(struct bundle_proof *proof)
{
    if (proof->stream != NULL) {
        char unused[DIGEST_TEXT_BYTES];

        digest_stream_end(proof->stream, unused);
    }
    *proof = (struct bundle_proof){ .stream = NULL };
}

/* Returns the upload of this tenant for this digest, or a new entry in place of the upload that has
 * been idle for the longest time. */
static struct bundle_proof *proof_have(struct daemon *daemon, const struct service_piece *piece)
{
    char name[LIMIT_TENANT_BYTES + DIGEST_TEXT_BYTES + 1];
    struct bundle_proof *oldest = &daemon->proofs[0];

    snprintf(name, sizeof(name), "%.*s/%.*s", TEXT_ARG(piece->tenant), TEXT_ARG(piece->digest));
    for (size_t i = 0; i < BUNDLE_PROOFS; i++) {
        struct bundle_proof *proof = &daemon->proofs[i];

        if (proof->stream != NULL && strcmp(proof->name, name) == 0) {
            return proof;
        }
        oldest = proof->used_ms < oldest->used_ms ? proof : oldest;
    }
    proof_end(oldest);
    memcpy(oldest->name, name, sizeof(name));
    oldest->stream = digest_stream_new();
    return oldest;
}

/* Writes to the depot the bytes of a piece that it lacks. *out_have is the number of bytes that the
 * depot has. */
MUST_CHECK static bool depot_fill(struct daemon *daemon, const struct service_piece *piece,
                                  uint64_t *out_have, struct err *err)
{
    struct depot_piece taken = { .digest = piece->digest,
                                 .size = piece->size,
                                 .offset = piece->offset,
                                 .bytes = piece->bytes,
                                 .now_ms = clock_wall_ms(daemon->clock) };
    uint64_t end = piece->offset + piece->bytes.length;
    struct depot *depot = piece->is_configuration ? daemon->archives : daemon->bundles;

    if (!depot_take(depot, &taken, out_have, err)) {
        return false;
    }
    if (*out_have > piece->offset && *out_have < end) { /* other tenants have sent a part of it */
        taken.offset = *out_have;
        taken.bytes = text_slice(piece->bytes, (size_t)(*out_have - piece->offset), SIZE_MAX);
        return depot_take(depot, &taken, out_have, err);
    }
    return true;
}

MUST_CHECK static bool proof_take(struct daemon *daemon, const struct service_piece *piece,
                                  uint64_t *out_have, struct err *err)
{
    struct bundle_proof *proof = proof_have(daemon, piece);
    char digest[DIGEST_TEXT_BYTES];
    uint64_t kept;

    proof->used_ms = clock_monotonic_ms(daemon->clock);
    if (piece->offset != proof->offset) {
        *out_have = proof->offset;
        return true;
    }
    if (!depot_fill(daemon, piece, &kept, err)) {
        proof_end(proof);
        return false;
    }
    /* the upload waits for a free slot, or was replaced by another one */
    if (kept < proof->offset + piece->bytes.length) {
        if (kept < proof->offset) {
            proof_end(proof);
            kept = 0;
        }
        *out_have = kept < proof->offset ? kept : proof->offset;
        return true;
    }
    digest_stream_add(proof->stream, piece->bytes);
    proof->offset += piece->bytes.length;
    *out_have = proof->offset;
    if (proof->offset < piece->size) {
        return true;
    }
    digest_stream_end(proof->stream, digest);
    *proof = (struct bundle_proof){ .stream = NULL };
    if (!text_is(piece->digest, digest)) {
        return err_set(err, CODE_R0721, "the received bytes do not have the digest of the bundle");
    }
    *out_have = kept; /* an upload that was replaced in the meantime is sent again */
    return true;
}

MUST_CHECK static bool daemon_piece_take(void *arg, const struct service_piece *piece,
                                         uint64_t *out_have, struct err *err)
{
    struct daemon *daemon = arg;

    if ((piece->is_configuration ? daemon->archives : daemon->bundles) == NULL) {
        return err_set(err, CODE_R0726,
                       "this manager cannot store bundles: its log has the reason");
    }
    return piece->is_owned ? depot_fill(daemon, piece, out_have, err)
                           : proof_take(daemon, piece, out_have, err);
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

static bool daemon_bundle_has(void *arg, struct text digest)
{
    const struct daemon *daemon = arg;

    struct depot *depots[] = { daemon->bundles, daemon->archives };

    for (size_t i = 0; i < ARRAY_COUNT(depots); i++) {
        if (depots[i] != NULL && depot_has(depots[i], digest)) {
            /* the client that requests the bundle is about to store a reference to it */
            depot_use(depots[i], digest);
            return true;
        }
    }
    /* get the bundle from another manager, unless none had it a moment ago */
    return blobs_want(daemon->blobs, BLOBS_BUNDLE, digest);
}

static bool bundle_is_run(void *arg, struct text digest)
{
    const struct daemon *daemon = arg;

    return daemon->controller != NULL && controller_runs_bundle(daemon->controller, digest);
}

/* Opens a depot in the folder of the manager's data. NULL: it cannot be used, which is logged. */
static struct depot *depot_start(struct daemon *daemon, const char *name, enum bundle_kind kind,
                                 const char *means)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const char *path = arena_string(arena, arena_printf(arena, "%s/%s", daemon->config.data, name));
    struct depot *depot;
    struct err err;

    if (!depot_open(path, kind, &depot, &err)) {
        log_error(daemon->log, "bundles", "none", log_string("folder", name),
                  log_string("reason", err.text), log_string("means", means));
        return NULL;
    }
    return depot;
}

static struct bundles *sweeper_start(struct daemon *daemon, struct depot *depot)
{
    return depot == NULL ? NULL
                         : bundles_new(&(struct bundles_options){
                               .store = daemon->store,
                               .cache = daemon->cache,
                               .depot = depot,
                               .log = daemon->log,
                               .clock = daemon->clock,
                               .retention_ms = daemon->config.bundles_retention_ms,
                               .every_ms = LIMIT_BUNDLES_LOOK_MS / daemon->config.time_scale,
                               .first_ms = LIMIT_BUNDLES_FIRST_MS / daemon->config.time_scale,
                               .is_run = bundle_is_run,
                               .arg = daemon,
                           });
}

/* Opens the depots. Every manager stores bundles, no matter which manager reconciles the clusters
 * that use them. */
static void bundles_start(struct daemon *daemon)
{
    daemon->archives = depot_start(daemon, "configurations", BUNDLE_CONFIGURATION,
                                   "no configuration can be pushed");
    daemon->bundles = depot_start(daemon, "bundles", BUNDLE_STAGE,
                                  "a stage runs only on a node that already has its bundle");
    daemon->blob_files.bundles = daemon->bundles;
    daemon->blob_files.archives = daemon->archives;
    daemon->sweeper = sweeper_start(daemon, daemon->bundles);
    daemon->archive_sweeper = sweeper_start(daemon, daemon->archives);
}

/* Returns where this manager accepts connections, for other managers; empty: not by TCP, or at
 * every address of its host. */
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

static struct key_ring_own daemon_secrets_key(void *arg)
{
    return vault_own_key(((const struct daemon *)arg)->vault);
}

MUST_CHECK static bool controller_start(struct daemon *daemon, struct err *err)
{
    struct text addresses[] = { text_from(daemon->config.name),
                                daemon->config.listener_count == 0
                                    ? TEXT("")
                                    : daemon->config.listeners[0].host };
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
        .address_count = manager_address(daemon).length > 0 ? 2 : 1,
        .bundles = daemon->bundles,
        .archives = daemon->archives,
        .playbook = &daemon->config.playbook,
        .logs_bytes = daemon->config.logs_bytes,
        .config = &daemon->config,
        .fetch = &daemon->config.fetch,
        .blob_want = daemon_blob_want,
        .wake = loop_turn_want,
        .arg = daemon,
    };

    daemon->manager = (struct roster_manager){
        .id = text_from(daemon->member.id),
        .name = text_from(daemon->config.name),
        .zone = text_from(daemon->config.zone == NULL ? "" : daemon->config.zone),
        .version = TEXT(REEVE_VERSION),
        .address = manager_address(daemon),
        .peer = daemon->config.peer.is_there ? daemon->config.peer.address : TEXT(""),
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
                                                    .config_read = configuration_read_ask,
                                                    .config_files = configuration_files_ask,
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
                                                .config_read = configuration_read_ask,
                                                .config_files = configuration_files_ask,
                                                .bundle_has = daemon_bundle_has,
                                                .logs_in = logs_in_ask,
                                                .logs = logs_ask,
                                                .logs_gone = logs_gone,
                                                .enter = enter_ask,
                                                .exec = controller_exec(daemon->controller),
                                                .arg = daemon });
    return true;
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
    drain_start(daemon, SIGTERM);
}

MUST_CHECK static bool daemon_loop_wire(struct daemon *daemon, struct err *err)
{
    static const int numbers[SIGNALS] = { SIGTERM, SIGINT, SIGHUP };

    for (size_t i = 0; i < SIGNALS; i++) {
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

MUST_CHECK static bool daemon_listener_open(struct daemon *daemon,
                                            const struct config_listener *listener, unsigned tag,
                                            struct err *err)
{
    struct arena *scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct http_listen listen = { .tag = tag };
    bool is_open;

    is_open = listener->is_plain || certificate_read(scratch, listener, &listen, err);
    is_open = is_open && listen_tcp(listener, &listen.fd, err);
    is_open = is_open && http_server_listen(daemon->server, &listen, err);
    arena_free(scratch);
    return is_open;
}

/* Writes the address file for reeve-controller, which finds the store in use by this process. A
 * failure has no other effect. */
static void address_write(struct daemon *daemon)
{
    AUTO(fd) folder = FD_NONE;
    char absolute[PATH_MAX];
    struct err err = { .text = "its path cannot be resolved" };

    if (realpath(daemon->config.socket, absolute) == NULL ||
        !folder_open(daemon->config.data, &folder, &err) ||
        !file_replace(folder, CONTROLLER_ADDRESS_FILE,
                      arena_printf(daemon->memory, "unix:%s\n", absolute), 0600, &err)) {
        log_warn(daemon->log, "daemon", "address_not_reported", log_string("reason", err.text));
    }
}

MUST_CHECK static bool listeners_open(struct daemon *daemon, struct err *err)
{
    struct http_listen local = { .fd = daemon->local, .is_local = true };

    daemon->local = FD_NONE;
    if (!listen_begin(local.fd, daemon->config.socket, err)) {
        close(local.fd);
        return false;
    }
    address_write(daemon);
    if (!http_server_listen(daemon->server, &local, err)) {
        return false;
    }
    for (size_t i = 0; i < daemon->config.listener_count; i++) {
        const struct config_listener *listener = &daemon->config.listeners[i];

        if (!daemon_listener_open(daemon, listener, API_TAG_NONE, err)) {
            return false;
        }
        log_info(daemon->log, "daemon", "listening", log_text("address", listener->host),
                 log_int("port", listener->port),
                 log_string("with", listener->is_plain ? "http" : "tls"));
    }
    if (daemon->config.contiv.listener.port > 0) {
        /* opened last, because certificates are renewed by the numbers of the other listeners */
        if (!daemon_listener_open(daemon, &daemon->config.contiv.listener, API_TAG_CONTIV, err)) {
            return false;
        }
        log_info(daemon->log, "daemon", "listening",
                 log_text("address", daemon->config.contiv.listener.host),
                 log_int("port", daemon->config.contiv.listener.port),
                 log_string("with", "contiv, without logins"));
    }
    return true;
}

/* Serves the page from a folder if one is configured. This is logged, because every user with write
 * access to that folder can change the page. */
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

/* Raises the limit of open files, and so of connections, as far as the system permits. */
static void files_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Binds the unix socket while the process has the privilege to do so; connections are accepted only
 * when the API is ready. Then gives up all privileges that are not needed. */
MUST_CHECK static bool rights_start(struct daemon *daemon, gid_t group, struct err *err)
{
    struct rights_options options = { .config = &daemon->config,
                                      .arena = daemon->memory,
                                      .config_path = daemon->options->config_path,
                                      .admins = group };

    /* as for the lock of the store: the previous manager may still be ending */
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
    /* Called before root gives up its privileges, because the account that it switches to owns no
     * folder yet. */
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
        !store_start(daemon, err)) {
        daemon_close(daemon);
        return false;
    }
    if (!loop_open(&daemon->loop, err)) {
        daemon_close(daemon);
        return false;
    }
    daemon_peers_start(daemon);
    engine_start(daemon, owner, group);
    bundles_start(daemon);
    if (!controller_start(daemon, err)) {
        daemon_close(daemon);
        return false;
    }
    if (!daemon_loop_wire(daemon, err) || !listeners_open(daemon, err)) {
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

/* Waits for the loading of the cache to end. */
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

/* Ends the session, so that other managers take over immediately. All calls of plugins have
 * ended. */
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
    bundles_free(daemon->sweeper);
    bundles_free(daemon->archive_sweeper);
    backups_free(daemon->backups);
    for (size_t i = 0; i < BUNDLE_PROOFS; i++) {
        proof_end(&daemon->proofs[i]);
    }
    depot_close(daemon->bundles);
    depot_close(daemon->archives);
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
