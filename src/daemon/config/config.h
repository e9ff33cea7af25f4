#ifndef REEVE_DAEMON_CONFIG_H
#define REEVE_DAEMON_CONFIG_H

#include "plugin_fetch/plugin_fetch_settings.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/term/source.h"
#include "daemon/config/config_store.h"
#include "codec/doc.h"
#include "sys/address.h"
#include "http/http.h"
#include "sys/log.h"

/* A TCP address to listen on. */
struct config_listener {
    struct text host; /* an address, without brackets */
    uint16_t port;
    bool is_plain;           /* HTTP without TLS, on loopback only */
    const char *certificate; /* path of a file; NULL if is_plain */
    const char *key;
    struct place place;
};

enum { CONFIG_LISTENERS_MAX = 16 };

/* How playbooks are run. */
struct config_playbook {
    const char *ansible; /* absolute path of ansible-playbook */
    uint64_t runs;       /* maximum number of active runs */
};

/* The inventory of a tenant: machines that reeve did not create. */
struct config_inventory {
    struct text tenant;
    struct text user; /* login user of machines that have none; empty: root */
    struct text key;  /* secret with the login key of machines that have none; empty: none */
    /* the serf agent that reports the machines; port 0: no agent */
    struct text serf_address; /* numeric address of the agent */
    uint16_t serf_port;
    struct text serf_key; /* secret with the agent's RPC key; empty: none */
};

enum { CONFIG_INVENTORIES_MAX = 16 };

/* The compatibility API of Contiv (api/contiv). */
struct config_contiv {
    bool is_there;
    /* separate listener of the API; port 0: the API is served only below /contiv */
    struct config_listener listener;
    struct text tenant;
    struct text cluster;
    struct text user;
};

/* Machines that boot from the network (api/images/netboot.c). */
struct config_netboot {
    bool is_there;
    /* plain HTTP, because firmware speaks nothing else; port 0: other listeners serve it */
    struct config_listener listener;
    struct text tenant;
    const char *files; /* folder of the netboot system; NULL: the folder `netboot` in that of the
                        * store */
    struct text kernel_arguments;
};

/* The link to other managers. */
struct config_peer {
    bool is_there;
    struct text address; /* ADDRESS:PORT at which other managers reach this one */
    struct config_listener listener;
};

/* Backups, made on a schedule or on request. */
struct config_backups {
    uint64_t every_ms;  /* 0: on request only */
    uint64_t keep;      /* number of files to keep */
    const char *folder; /* NULL: the folder `backups` in the folder of the store */
};

/* The configuration of a manager. Its strings live in the arena that it was read into. */
struct config {
    const char *data; /* folder of the store */
    struct config_store store;
    const char *name;         /* name of this manager, for display; NULL: the name of the host */
    const char *zone;         /* failure domain of this manager; NULL: none */
    const char *secret_key;   /* key file of secrets; NULL: next to the store's folder */
    const char *socket;       /* path of the unix socket */
    const char *socket_group; /* group whose members are admins */
    /* user to which the manager switches if root starts it; NULL: see rights.c */
    const char *user;
    /* origin of the page as browsers send it; empty: derived from the listeners */
    struct text public_url;
    const char *ui_dir; /* folder to read the web page from; NULL: the built-in page */
    enum log_level log;
    /* true: this manager reconciles clusters, so it creates, heals and destroys machines */
    bool has_control;
    uint32_t time_scale;  /* divisor of the guards' time windows; 1 in production */
    struct doc endpoints; /* a map: plugin to the endpoints that it may connect to (host/relay.h) */
    struct doc plugin_settings; /* a map: plugin to the settings that it receives when it starts */
    struct plugin_fetch_settings fetch;
    uint64_t bundles_retention_ms; /* how long unused bundles are kept */
    uint64_t volumes_keep_ms;      /* how long volumes without a machine are kept */
    uint64_t logs_bytes;           /* maximum bytes of the stored output of all stages */
    struct config_backups backups;
    struct config_playbook playbook;
    struct http_deadlines deadlines; /* time limits for HTTP clients */
    struct config_listener listeners[CONFIG_LISTENERS_MAX];
    size_t listener_count;
    uint64_t per_address; /* maximum number of connections from one address */
    /* networks of proxies; the connections from a proxy belong to many clients */
    struct fetch_net proxies[LIMIT_FETCH_NETWORKS];
    size_t proxy_count;
    struct config_contiv contiv;
    struct config_netboot netboot;
    struct config_peer peer;
    struct config_inventory inventories[CONFIG_INVENTORIES_MAX];
    size_t inventory_count;
};

/* Returns the inventory of a tenant; NULL: the file has none. */
const struct config_inventory *config_inventory_find(const struct config *config,
                                                     struct text tenant);

/* Returns true if the address is that of a proxy listed in `proxies`. `arg` is the
 * configuration. */
bool config_is_proxy(void *arg, struct text address);

/* Returns the default configuration. */
struct config config_defaults(void);

/* Reads a YAML file, or a JSON file if its name ends in .json. Its values override those in
 * `config`. Errors are added to the list, with their places in `sources`. */
void config_read(struct arena *arena, struct source_set *sources, const char *path,
                 struct config *config, struct err_list *errors);

/* Sets the base URL from which plugins without a URL are fetched: https://HOST[:PORT][/PATH]. Fails
 * with R0640. */
MUST_CHECK bool config_releases(struct config *config, struct arena *arena, struct text url,
                                struct err *err);

/* Adds the listener of the flag --listen-plain: ADDRESS:PORT on loopback. */
MUST_CHECK bool config_listen_plain(struct config *config, struct text address, struct err *err);

/* Returns the URL of the web page: `publicUrl` of the configuration, otherwise the address of the
 * first listener for a browser on this host or for one that can resolve its name. It has no
 * trailing slash; empty if there is none. */
struct text config_page_address(struct arena *arena, const struct config *config);

#endif
