#ifndef REEVE_API_REQUEST_OPTIONS_H
#define REEVE_API_REQUEST_OPTIONS_H

#include "base/secret.h"
#include "page/disk.h"
#include "service/service.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/random.h"

#include <sys/types.h>

/* The ports and options of the API of one manager (api/api.h). */

/* Backups of the store, as the API needs them. */
struct api_backups {
    /* Make one. `done` comes once, possibly at once: {bytes, created, name, revision, sha256}, or
     * what went wrong. */
    void (*make)(void *arg,
                 void (*done)(void *done_arg, const struct doc *doc, const struct err *err),
                 void *done_arg);
    /* Those that are there, newest first: [{bytes, created, name, revision}]. */
    struct doc (*list)(void *arg, struct arena *arena);
    /* Bytes of one from an offset on; at its end none. R0403: there is none of this name. */
    bool (*read)(void *arg, struct arena *arena, struct text name, uint64_t offset,
                 struct text *out, struct err *err);
    void *arg;
};

/* Connections that are open, and that were refused because there were too many. */
struct api_server_figures {
    size_t connections;
    uint64_t refused;
};

/* A value that a request brings, on its way into the store. */
struct api_secret {
    struct text name;
    struct secret value;
    struct text digest; /* out: digest of the value, shown to users */
    struct text key;    /* out: id of the key that it is sealed under */
};

/* Where values are kept. */
struct api_vault {
    /* Seal and keep them, or (is_dry) only say their digests. `done` comes once, possibly at once;
     * err NULL: they are kept. Everything lives in the arena of the request, which outlives the
     * call. */
    void (*keep)(void *arg, struct arena *arena, struct text tenant, struct api_secret *secrets,
                 size_t count, bool is_dry, void (*done)(void *done_arg, const struct err *err),
                 void *done_arg);
    void *arg;
};

/* What it needs. All of it outlives the API. */
struct api_options {
    struct service *service;
    struct cache *cache;
    struct store *store;
    struct clock clock;
    struct random random;
    struct log *log;
    const char *version;
    /* The user that started the manager is an owner on a unix socket, as root is: store and keys
     * belong to him. 0: root alone, also where root started it and it gave up its rights since. */
    uid_t owner;
    gid_t
        admin_group; /* its members are admins on a unix socket, as root is; (gid_t)-1: only root */
    struct text page_address; /* where browsers reach it: http://127.0.0.1:8080; empty: nowhere */
    /* Which it has for them behind a proxy, as they write it; empty: none beside its own. */
    struct text public_origin;
    const struct page_disk *page_disk; /* the page is read from there; NULL: as it was built in */
    struct api_vault vault;            /* all zero: no secret can be written */
    struct api_backups backups;        /* all zero: no backup can be made */
    /* The name of a user of this machine; borrowed until the next call. */
    struct text (*user_name)(void *arg, uid_t uid);
    /* State and counters of the HTTP server. */
    struct api_server_figures (*server_figures)(void *arg);
    /* Run store, cache, service and api_run soon. */
    void (*loop_turn_want)(void *arg);
    void *arg;
};

#endif
