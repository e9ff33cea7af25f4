#ifndef REEVE_DAEMON_DAEMON_STATE_H
#define REEVE_DAEMON_DAEMON_STATE_H

#include "api/api.h"
#include "base/limits.h"
#include "daemon/backups.h"
#include "daemon/blob_files.h"
#include "daemon/bundles.h"
#include "daemon/controller.h"
#include "daemon/daemon.h"
#include "daemon/daemon_parts.h"
#include "daemon/store_open.h"
#include "moving/leave.h"
#include "service/service_command.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "managed_store/managed_watch.h"
#include "voting/members_view.h"

/* private to src/daemon */

/* One run of the manager; shared by the files daemon*.c. */

enum {
    DAEMON_SIGNALS = 3,
    DAEMON_MARKS = LIMIT_COMPACT_KEEP_S / 60 + 1,
    DAEMON_PROOFS = 16,
    DAEMON_REASON_BYTES = 400
};

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
    struct random_stock random_stock; /* random numbers from `random` */
    struct log *log;
    struct loop *loop;
    struct store *store;
    struct store_member member;    /* this manager's membership in a shared store */
    struct etcd_options etcd;      /* how to connect to a store in etcd */
    struct roster_manager manager; /* data of this manager for the other managers */
    struct cache *cache;
    struct service *service;
    struct depot *bundles;
    struct depot *archives; /* archives of configurations */
    struct image_files *images;
    uint64_t images_due_ms; /* when unused images are removed next */
    /* The sweepers that delete unused bundles, and archives of removed revisions. */
    struct bundles *sweeper;
    struct bundles *archive_sweeper;
    struct bundle_proof proofs[DAEMON_PROOFS];
    struct backups *backups;             /* backups of the store */
    struct controller *controller;       /* NULL: this manager does not reconcile clusters */
    struct leave *leave;                 /* NULL: the store is embedded */
    struct members_view *members_view;   /* the members of etcd; NULL: the store is embedded */
    struct daemon_voting *voting;        /* NULL: the store is not managed, or not reconciled */
    struct managed_watch *managed_watch; /* NULL: `voting` has it, or this host has no member */
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
    struct loop_signal *signals[DAEMON_SIGNALS];
    struct page_disk *page_disk; /* NULL: the built-in page */
    struct store_monitor problem;
    uint64_t start_ms;
    uint64_t ticks;
    uint64_t drain_due_ms;
    size_t heap_known;   /* previous result of heap_give_back */
    uint64_t given_back; /* store revision at which unused memory was last returned to the system */
    uint64_t
        marks[DAEMON_MARKS]; /* revisions of the store, one per minute, the newest at ticks / 60 */
    bool is_ready;
    bool is_held; /* true: the store is damaged or read-only; its content is served, but nothing is
                   * changed */
    bool is_turn_wanted;
    bool is_drained;
    bool is_closing; /* true: no more requests are accepted */
    bool has_peer_listener;
    bool is_left;    /* true: this manager's session in the store has been ended */
    bool has_socket; /* true: this process must remove the socket at config.socket */
    bool has_user;
    uid_t user; /* the user whose name is in user_name */
    char user_name[ACCOUNT_NAME_BYTES];
    char stale_reason[DAEMON_REASON_BYTES];
};

/* ---- daemon.c ---- */

/* Requests that the loop soon runs an iteration of the manager. `arg` is the daemon. */
void daemon_turn_want(void *arg);

/* Begins to end the manager: it accepts no more requests, and answers those in progress. `number`
 * is the signal, which is logged as the reason. */
void daemon_drain_start(struct daemon *daemon, int number);

/* ---- daemon_leave.c ---- */

/* Prepares for a request of an operator to remove this manager from a shared store. */
void daemon_leave_start(struct daemon *daemon);

/* ---- daemon_voting.c ---- */

/* Starts the housekeeper of the managed store's members. Does nothing for other stores, and if this
 * manager does not reconcile clusters. Fails with R0532. */
MUST_CHECK bool daemon_voting_start(struct daemon *daemon, struct err *err);

/* Makes the next step for the members, and keeps the store's endpoints current. To be called about
 * once a second. */
void daemon_voting_look(struct daemon *daemon);

/* True if this host has a member of the managed store, or it is not known yet. */
bool daemon_voting_has_member(const struct daemon *daemon);

/* daemon_voting_end ends a change in progress, before the cache is freed; daemon_voting_free frees
 * the state, after the store was closed. */
void daemon_voting_end(struct daemon *daemon);
void daemon_voting_free(struct daemon *daemon);

/* ---- daemon_store.c ---- */

/* Opens the configured store. Creates the data folder if it is missing, without access for other
 * users. */
MUST_CHECK bool daemon_store_start(struct daemon *daemon, struct err *err);

/* Logs each damaged object of the store on a separate line. Call it after the other rows have been
 * read, because the names of the objects are not known before. */
void daemon_damage_log(struct daemon *daemon);

/* ---- daemon_listen.c ---- */

/* Rejects a key file that other users can read, because its key is not secret. The members of the
 * file's group may read it: a group is the usual way to share a key with a service. */
MUST_CHECK bool daemon_key_check(const char *path, struct err *err);

/* Opens all listeners except that of the peers, whose certificates are not available yet. */
MUST_CHECK bool daemon_listeners_open(struct daemon *daemon, struct err *err);

/* Reloads the certificates. The listeners stay open, because certificates are renewed more often
 * than a manager restarts. */
void daemon_certificates_renew(struct daemon *daemon);

/* Returns the options of the compatibility API; NULL: it is not served. */
const struct api_contiv *daemon_contiv(struct daemon *daemon);

/* Returns the options of netboot; NULL: it is not served. */
const struct api_netboot *daemon_netboot(struct daemon *daemon);

/* Creates the links to other managers, if the configuration has them. */
void daemon_peers_start(struct daemon *daemon);

/* ---- daemon_archives.c ---- */

/* Opens the depots. Every manager stores bundles, whether or not it reconciles the clusters that
 * use them. */
void daemon_archives_start(struct daemon *daemon);

/* Implement members of struct service_controller; `arg` is the daemon. */
MUST_CHECK bool daemon_bundle_take(void *arg, struct text bytes, struct arena *arena,
                                   struct doc *out, struct err *err);
MUST_CHECK bool daemon_piece_take(void *arg, const struct service_piece *piece, uint64_t *out_have,
                                  struct err *err);
MUST_CHECK bool daemon_configuration_read(void *arg, struct text digest, struct arena *arena,
                                          struct doc *out, struct err_list *errors);
MUST_CHECK bool daemon_configuration_files(void *arg, struct text digest, struct arena *arena,
                                           struct doc *out, struct err *err);
bool daemon_bundle_has(void *arg, struct text digest);

/* Opens the files of images; NULL: they cannot be used, which is logged. */
struct image_files *daemon_images_start(struct daemon *daemon);

/* Removes the files of images that no image names, once an hour. To be called about once a
 * second. */
void daemon_images_sweep(struct daemon *daemon);

/* Ends the uploads that are not complete, and closes the depots. */
void daemon_archives_close(struct daemon *daemon);

/* ---- daemon_controller.c ---- */

/* Starts to reconcile clusters and connects the service to the controller. Does nothing if the
 * configuration or the state of the store forbids that. */
MUST_CHECK bool daemon_controller_start(struct daemon *daemon, struct err *err);

/* Returns the managers of the store. NULL: the store is not shared. `arg` is the daemon. */
const struct managers *daemon_managers_ask(void *arg);

/* Returns the managers as metrics. `arg` is the daemon. */
struct api_managers_figures daemon_managers_figures(void *arg);

#endif
