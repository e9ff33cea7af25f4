#ifndef REEVE_MANAGERS_ROSTER_H
#define REEVE_MANAGERS_ROSTER_H

#include "records/fleet.h"
#include "state/cache.h"
#include "state/store.h"

/* The sessions of the managers that share a store. A manager process has a session, which other
 * processes see by its heartbeats. All calls are on the loop thread. */
struct roster;

/* Receives whether a host has refused a connection. */
typedef void roster_refused(void *arg, bool is_refused);

/* A plugin that a manager has. */
struct roster_plugin {
    struct text name;
    struct text digest; /* empty: the plugin is a part of the manager */
    bool is_host;       /* Its machines exist on the host of the manager. */
};

/* The manager whose process this is. Two processes of one manager never run at the same time on one
 * machine, which a lock proves. Texts are copied. */
struct roster_manager {
    struct text id;      /* empty: the manager has no id, and takes every free lease */
    struct text name;    /* for display */
    struct text zone;    /* empty: none */
    struct text version; /* of the program */
    struct text address; /* HOST:PORT where it accepts connections; empty: none */
    struct text peer;    /* the same for connections of other managers */
    /* The plugins that it has for all tenants. */
    const struct roster_plugin *plugins;
    size_t plugin_count;
    bool is_fetching; /* It downloads plugins that it does not have. */
};

struct roster_options {
    struct store *store;
    struct cache *cache;           /* READY */
    uint64_t (*now_ms)(void *arg); /* includes the time that the machine sleeps */
    /* Since 1970, for display. NULL: the ends of processes are not recorded. */
    int64_t (*wall_ms)(void *arg);
    /* Tries to connect to HOST:PORT, an address of a manager on this machine (`is_here`) or
     * elsewhere. `done` is called once, in a later iteration. NULL: no connections are tried. */
    void (*refuses)(void *arg, struct text address, bool is_here, roster_refused *done,
                    void *done_arg);
    void *arg;
    struct text session; /* name of the session of this process; unique */
    struct roster_manager manager;
    struct text clock; /* the boot of this machine; empty: unknown */
    uint64_t beat_ms;  /* interval of heartbeats */
    uint64_t fresh_ms; /* age of the newest heartbeat up to which this manager is fresh */
    uint64_t ttl_ms;   /* time without a heartbeat after which a session has ended */
};

struct roster *roster_new(const struct roster_options *options);

/* Frees the roster, after its store. NULL is allowed. */
void roster_free(struct roster *roster);

/* Sends a heartbeat if one is due, and checks the heartbeats of the others. Returns when to call it
 * again, by now_ms. */
uint64_t roster_run(struct roster *roster);

/* True if this session is still valid as far as this process can know: a heartbeat that was sent
 * less than ttl_ms ago was acknowledged. This is a hint: the compare of an epoch decides. */
bool roster_is_alive(const struct roster *roster);

/* True while the latest heartbeat that was acknowledged and received through the watch was sent
 * less than fresh_ms ago. Only then are the cache's data about other managers valid. */
bool roster_is_fresh(const struct roster *roster);

/* True if this manager has not been fresh for fresh_ms, counted from its start at the earliest:
 * the data that it shows may be outdated. */
bool roster_is_stale(const struct roster *roster);

/* The time since that heartbeat was sent; since the start, if there is none. */
uint64_t roster_stale_ms(const struct roster *roster);

/* True if a session has ended: its key no longer exists, its manager now runs as this process, its
 * host refuses connections while heartbeats are missing, or its heartbeats were missing for ttl_ms
 * while this manager was fresh. False unless this manager is fresh. */
bool roster_has_ended(struct roster *roster, struct text session);

/* The time since a heartbeat of another session was seen; 0: the session is unknown. */
uint64_t roster_silent_ms(const struct roster *roster, struct text session);

/* True if another session counts as ended only because of missing heartbeats. */
bool roster_is_silent(const struct roster *roster, struct text session);

/* True if another session has not sent a heartbeat for fresh_ms. False unless this manager is
 * fresh. */
bool roster_misses_beats(const struct roster *roster, struct text session);

/* Number of sessions that were seen to end. */
uint64_t roster_ends(const struct roster *roster);

/* Remove the keys of ended sessions that hold no lease of a cluster. */
void roster_sweep(struct roster *roster, struct fleet *fleet);

/* Ends this session at an orderly shutdown: its key is removed, which voids all its leases
 * immediately. `done` is called once, unless the store is closed first. */
void roster_leave(struct roster *roster, void (*done)(void *arg), void *arg);

/* Lets roster_leave also remove the objects of this manager: it leaves the store for good. */
void roster_remove_own(struct roster *roster);

#endif
