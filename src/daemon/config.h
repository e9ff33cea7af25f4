#ifndef REEVE_DAEMON_CONFIG_H
#define REEVE_DAEMON_CONFIG_H

#include "base/err.h"
#include "base/mem.h"
#include "cli/term/source.h"
#include "codec/doc.h"
#include "sys/address.h"
#include "http/http.h"
#include "sys/log.h"

/* Where to listen on TCP. */
struct config_listener {
    struct text host; /* an address, without brackets */
    uint16_t port;
    bool is_plain;           /* HTTP without TLS, on loopback only */
    const char *certificate; /* file; NULL where is_plain */
    const char *key;
    struct place place;
};

enum { CONFIG_LISTENERS_MAX = 16 };

/* Plugins from elsewhere. */
struct config_fetch {
    bool is_enabled;          /* they are fetched at all */
    bool is_file_url_allowed; /* file:///PATH is an address as well */
    const char *releases;     /* where plugins without an address are; NULL: nowhere */
    const char *folder;       /* what was fetched is kept there; NULL: in the manager's own */
    const char *ca;           /* authorities besides the machine's; NULL: none */
    struct fetch_net allowed[LIMIT_FETCH_NETWORKS]; /* that are not public, and may be reached */
    size_t allowed_count;
};

/* Backups on a schedule or on request. */
struct config_backups {
    uint64_t every_ms;  /* 0: on request only */
    uint64_t keep;      /* files that stay */
    const char *folder; /* NULL: backups, in the folder of the store */
};

/* How a manager runs. Strings live in the arena it was read into. */
struct config {
    const char *data;         /* folder of the store */
    const char *secret_key;   /* file of the key of secrets; NULL: beside the store's folder */
    const char *socket;       /* path of the unix socket */
    const char *socket_group; /* its members are admins */
    const char *user;         /* that the manager becomes when root starts it; NULL: see rights.c */
    struct text
        public_url; /* where browsers reach it, as they say it in Origin; empty: as it listens */
    const char *ui_dir; /* the web page is read from this folder; NULL: as it was built in */
    enum log_level log;
    bool has_control;           /* clusters are kept here: machines are made, healed, destroyed */
    uint32_t time_scale;        /* windows of the guards are so many times shorter; 1 in earnest */
    struct doc endpoints;       /* a map: plugin, the endpoints that it may reach (host/relay.h) */
    struct doc plugin_settings; /* a map: plugin, the settings that it receives when it starts */
    struct config_fetch fetch;
    uint64_t bundles_retention_ms; /* bundles that nothing names are kept for so long */
    uint64_t logs_bytes;           /* of the output of stages that is kept, in all */
    struct config_backups backups;
    struct http_deadlines deadlines; /* of clients */
    struct config_listener listeners[CONFIG_LISTENERS_MAX];
    size_t listener_count;
    uint64_t per_address;                           /* connections that one address may have */
    struct fetch_net proxies[LIMIT_FETCH_NETWORKS]; /* stand before many clients */
    size_t proxy_count;
};

/* Is it the address of a proxy, as `proxies` says? `arg` is the configuration. */
bool config_is_proxy(void *arg, struct text address);

/* The defaults. */
struct config config_defaults(void);

/* Read a file, YAML or (named .json) JSON. Its values override those in `config`. All errors go to
 * the list, with places in `sources`. */
void config_read(struct arena *arena, struct source_set *sources, const char *path,
                 struct config *config, struct err_list *errors);

/* Where plugins without an address are: https://HOST[:PORT][/PATH]. R0640. */
MUST_CHECK bool config_releases(struct config *config, struct arena *arena, struct text url,
                                struct err *err);

/* Add the listener that --listen-plain names: ADDRESS:PORT of loopback. */
MUST_CHECK bool config_listen_plain(struct config *config, struct text address, struct err *err);

#endif
