#include "daemon/daemon_state.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* public names start with: daemon_ */

/* The listeners of this process: the unix socket, those in the configuration, that of the
 * compatibility API, and that for other managers. */

bool daemon_key_check(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status) != 0 || (status.st_mode & (S_IWGRP | S_IRWXO)) == 0) {
        return true; /* a missing key is reported later, when it is read */
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

void daemon_certificates_renew(struct daemon *daemon)
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

static void daemon_contiv_observed(void *arg, struct text tenant,
                                   const struct membership_report *report)
{
    const struct daemon *daemon = arg;

    if (daemon->controller != NULL) {
        controller_membership(daemon->controller, tenant, TEXT("posted"), report);
    }
}

const struct api_contiv *daemon_contiv(struct daemon *daemon)
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

const struct api_netboot *daemon_netboot(struct daemon *daemon)
{
    const struct config_netboot *config = &daemon->config.netboot;
    struct api_netboot *netboot;

    if (!config->is_there) {
        return NULL;
    }
    netboot = arena_one(daemon->memory, struct api_netboot);
    *netboot = (struct api_netboot){
        .tenant = config->tenant,
        .files = config->files != NULL
                     ? config->files
                     : arena_string(daemon->memory, arena_printf(daemon->memory, "%s/netboot",
                                                                 daemon->config.data)),
        .kernel_arguments = config->kernel_arguments,
    };
    return netboot;
}

/* Opens the listener of peers with certificates, or replaces its certificates. Implements
 * peers_options.renewed. */
/* Lets the member of this host listen for other hosts, because this manager has a certificate now.
 * That restarts etcd, once in the life of a store. Later certificates are read by etcd itself. */
static void daemon_member_open(struct daemon *daemon, const struct peers_identity *identity)
{
    struct config_managed *managed = daemon->config.store.managed;
    AUTO(arena) arena = arena_new_small(LIMIT_WIRE_ARENA_BYTES);
    struct managed_store_options options;
    struct managed_store_found found;
    struct managed_store_certificate certificate = {
        .authority = text_from(identity->authority),
        .certificate = text_from(identity->certificate),
        .key = identity->key,
    };
    AUTO(fd) folder = FD_NONE;
    struct err err = { 0 };

    if (managed == NULL) {
        return;
    }
    if (!folder_open(daemon->config.data, &folder, &err) ||
        !managed_store_certificate_write(folder, &certificate, &err)) {
        log_warn(daemon->log, "store", "certificate_not_kept", log_string("reason", err.text));
    }
    if (!managed->found.has_member) {
        return;
    }
    options = store_managed_options(&daemon->config, daemon->member.id, daemon->random);
    options.can_create = false;
    if (managed_store_is_behind(&options) && managed_store_open(arena, &options, &found, &err)) {
        log_info(daemon->log, "store", "member_open", log_text("peers", managed->address),
                 log_text("clients", managed->clients));
    } else if (err.code != CODE_NONE) {
        log_warn(daemon->log, "store", "member_not_open", log_string("reason", err.text));
    }
}

MUST_CHECK static bool daemon_peer_renewed(void *arg, const struct peers_identity *identity,
                                           struct err *err)
{
    struct daemon *daemon = arg;
    const struct config *config = &daemon->config;
    struct http_listen listen = { .tag = API_TAG_PEER,
                                  .certificate = identity->certificate,
                                  .key = identity->key,
                                  .authority = identity->authority };

    daemon_member_open(daemon, identity);
    if (daemon->has_peer_listener) {
        /* the listener of peers has the last number */
        return http_server_renew(daemon->server,
                                 config->listener_count + 1 + (config->contiv.listener.port > 0) +
                                     (config->netboot.listener.port > 0),
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

void daemon_peers_start(struct daemon *daemon)
{
    if (!daemon->config.peer.is_there || !daemon->config.store.is_etcd) {
        return;
    }
    /* these depots are opened later */
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

/* Writes the address file that reeve-controller reads if this process has locked the store. A
 * failure to write it has no other effect. */
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

bool daemon_listeners_open(struct daemon *daemon, struct err *err)
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
        /* opened after the others, because certificates are renewed by listener number */
        if (!daemon_listener_open(daemon, &daemon->config.contiv.listener, API_TAG_CONTIV, err)) {
            return false;
        }
        log_info(daemon->log, "daemon", "listening",
                 log_text("address", daemon->config.contiv.listener.host),
                 log_int("port", daemon->config.contiv.listener.port),
                 log_string("with", "contiv, without logins"));
    }
    if (daemon->config.netboot.listener.port > 0) {
        if (!daemon_listener_open(daemon, &daemon->config.netboot.listener, API_TAG_NETBOOT, err)) {
            return false;
        }
        log_info(daemon->log, "daemon", "listening",
                 log_text("address", daemon->config.netboot.listener.host),
                 log_int("port", daemon->config.netboot.listener.port),
                 log_string("with", "http, for machines that boot from the network"));
    }
    return true;
}
