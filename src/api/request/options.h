#ifndef REEVE_API_REQUEST_OPTIONS_H
#define REEVE_API_REQUEST_OPTIONS_H

#include "base/secret.h"
#include "image_files/image_files.h"
#include "instances/instances.h"
#include "managers/managers.h"
#include "page/disk.h"
#include "peers/blobs.h"
#include "peers/peers.h"
#include "records/membership.h"
#include "service/service.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/random.h"

#include <sys/types.h>

/* The ports and options of the API of one manager (api/api.h). */

/* The port through which the API makes, lists and reads backups of the store. */
struct api_backups {
    /* Creates a backup. `done` is called once, possibly immediately, with {bytes, created, name,
     * revision, sha256} or with the error. */
    void (*make)(void *arg,
                 void (*done)(void *done_arg, const struct doc *doc, const struct err *err),
                 void *done_arg);
    /* Lists the existing backups, newest first: [{bytes, created, name, revision}]. */
    struct doc (*list)(void *arg, struct arena *arena);
    /* Reads bytes of a backup from an offset on; the result is empty at the end of the backup.
     * Fails with R0403 if no backup has this name. */
    bool (*read)(void *arg, struct arena *arena, struct text name, uint64_t offset,
                 struct text *out, struct err *err);
    void *arg;
};

/* The number of open connections, and of connections refused because there were too many. */
struct api_server_figures {
    size_t connections;
    uint64_t refused;
};

/* Numbers of managers by state (managers_state), and of clusters that they hold. */
enum { API_MANAGERS_STATES = 6 };
struct api_managers_figures {
    bool is_alone;  /* true: the store has only this manager */
    bool is_known;  /* true: this process knows the list of the other managers */
    bool has_level; /* true: the store has service levels */
    unsigned level; /* 0: A, 1: B, 2: C */
    uint64_t states[API_MANAGERS_STATES];
    uint64_t assigned;
    uint64_t unassigned;
    uint64_t taken;    /* leases that this manager took over */
    uint64_t taken_ms; /* total time for which these leases had no holder, in ms */
};

/* How old the answers of a manager may be while it is disconnected from its store. */
struct api_stale {
    uint64_t age_ms;
    struct text reason; /* borrowed until the next call */
};

/* A secret value in a request, which is stored separately. */
struct api_secret {
    struct text name;
    struct secret value;
    struct text digest; /* out: digest of the value, shown to users */
    struct text key;    /* out: id of the key that seals the value */
};

/* The port to the store of secret values. */
struct api_vault {
    /* Seals and stores the values; with is_dry it only computes their digests. `done` is called
     * once, possibly immediately; `err` is NULL on success. All data lives in the arena of the
     * request, which outlives the call. */
    void (*keep)(void *arg, struct arena *arena, struct text tenant, struct api_secret *secrets,
                 size_t count, bool is_dry, void (*done)(void *done_arg, const struct err *err),
                 void *done_arg);
    void *arg;
};

/* The tags of listeners (http_listen.tag). The listener of the compatibility API of Contiv serves
 * only that API, without its prefix, and without logins. The listener of peers serves requests that
 * other managers forward, and requests below /peer. The listener of netboot serves requests below
 * /netboot only. */
enum { API_TAG_NONE, API_TAG_CONTIV, API_TAG_PEER, API_TAG_NETBOOT };

/* The compatibility API of Contiv. */
struct api_contiv {
    struct text tenant;
    struct text cluster; /* the cluster that the compatibility API serves */
    struct text user;    /* user of requests on this listener, because they have no login */
    struct text address; /* address of that listener, for display */
    struct text serf;    /* address of the Serf agent that lists the machines, for display */
    /* Processes a membership report that a user has posted. */
    void (*observed)(void *arg, struct text tenant, const struct membership_report *report);
    void *arg;
};

/* Machines that boot from the network. */
struct api_netboot {
    struct text tenant; /* whose inventory gets the machines */
    const char *files;  /* folder of vmlinuz and initrd.img */
    struct text kernel_arguments;
};

/* The options of the API. All of them must outlive it. */
struct api_options {
    struct service *service;
    struct cache *cache;
    struct store *store;
    struct clock clock;
    struct random random;
    struct log *log;
    const char *version;
    /* The user that started the manager. On a unix socket this user is an owner like root, because
     * the store and the keys belong to this user. 0: only root is an owner. This includes a manager
     * that root started and that has dropped its privileges. */
    uid_t owner;
    /* Members of this group are admins on a unix socket, like root. (gid_t)-1: only root. */
    gid_t admin_group;
    /* The address at which browsers reach the page, such as http://127.0.0.1:8080; empty: none. */
    struct text page_address;
    /* The origin of the page behind a proxy, as browsers send it in the header `Origin`. Empty:
     * there is no proxy. */
    struct text public_origin;
    /* Folder from which the page is read; NULL: the built-in page is used. */
    const struct page_disk *page_disk;
    struct api_vault vault;          /* all zero: no secret can be written */
    struct api_backups backups;      /* all zero: no backup can be made */
    const struct api_contiv *contiv; /* NULL: the compatibility API is not served */
    /* Returns the name of a user of this machine; borrowed until the next call. */
    struct text (*user_name)(void *arg, uid_t uid);
    /* State and counters of the HTTP server. */
    struct api_server_figures (*server_figures)(void *arg);
    struct api_managers_figures (*managers_figures)(void *arg); /* NULL: unknown */
    /* Returns the managers of the store. NULL: this manager is the only one, or does not know the
     * others yet. */
    const struct managers *(*managers)(void *arg);
    struct peers *peers;               /* NULL: this manager has no links to others */
    struct blobs *blobs;               /* NULL exactly if `peers` is */
    struct image_files *images;        /* NULL: this manager cannot store images */
    const struct api_netboot *netboot; /* NULL: machines cannot boot from this manager */
    /* Returns the object that sends and serves calls to plugin instances. NULL: it does not exist
     * yet. */
    struct instances *(*instances)(void *arg);
    /* Returns whether answers may be more than a few seconds old. Sets out->age_ms in any case. */
    bool (*is_stale)(void *arg, struct api_stale *out);
    /* Requests that the loop soon runs the store, the cache, the service and api_run. */
    void (*loop_turn_want)(void *arg);
    void *arg;
};

#endif
