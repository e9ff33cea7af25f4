#ifndef REEVE_MANAGERS_ROSTER_H
#define REEVE_MANAGERS_ROSTER_H

#include "records/fleet.h"
#include "state/cache.h"
#include "state/store.h"

/* The sessions of the managers that share a store. Each manager process has a session, which other
 * processes observe by its heartbeats. All calls are on the loop thread. */
struct roster;

/* Receives the result of a connection attempt: whether the host has refused it. */
typedef void roster_refused(void *arg, bool is_refused);

/* A plugin that a manager has. */
struct roster_plugin {
    struct text name;
    struct text digest; /* digest of the plugin; empty: the plugin is built into the manager */
    bool is_host;       /* its machines exist on the host of the manager */
};

/* The manager to which this process belongs. A lock ensures that two processes of one manager never
 * run at the same time on one machine. Texts are copied. */
struct roster_manager {
    struct text id;      /* id; empty: the manager has no id, and takes every free lease */
    struct text name;    /* name for display */
    struct text zone;    /* zone; empty: none */
    struct text version; /* version of the program */
    struct text address; /* HOST:PORT for connections of clients; empty: none */
    struct text peer;    /* HOST:PORT for connections of other managers; empty: none */
    /* https://HOST:PORT at which a member of the managed store on its host would be reached by
     * other members, and by clients; empty: it can hold no member */
    struct text member_peer;
    struct text member_client;
    /* The plugins that it has for all tenants. */
    const struct roster_plugin *plugins;
    size_t plugin_count;
    bool is_fetching; /* it downloads plugins that it does not have */
};

struct roster_options {
    struct store *store;
    struct cache *cache; /* the object cache, which must be READY */
    /* monotonic clock in ms; includes the time during which the machine sleeps */
    uint64_t (*now_ms)(void *arg);
    /* Wall clock in ms since 1970, for display. NULL: the ends of processes are not recorded. */
    int64_t (*wall_ms)(void *arg);
    /* Tries to connect to HOST:PORT, the address of a manager on this machine (`is_here`) or on
     * another one. `done` is called once, in a later iteration. NULL: no connections are tried. */
    void (*refuses)(void *arg, struct text address, bool is_here, roster_refused *done,
                    void *done_arg);
    void *arg;
    struct text session; /* unique name of the session of this process */
    struct roster_manager manager;
    struct text clock; /* identifies the boot of this machine; empty: unknown */
    uint64_t beat_ms;  /* interval of heartbeats, in ms */
    /* maximum age of the newest heartbeat, in ms, while this manager counts as fresh */
    uint64_t fresh_ms;
    uint64_t ttl_ms; /* time without a heartbeat, in ms, after which a session has ended */
};

struct roster *roster_new(const struct roster_options *options);

/* Frees the roster, after its store. NULL is allowed. */
void roster_free(struct roster *roster);

/* Sends a heartbeat if one is due, and checks the heartbeats of other sessions. Returns the time of
 * the next call, by now_ms. */
uint64_t roster_run(struct roster *roster);

/* True if this session is still valid as far as this process can know: the store has acknowledged a
 * heartbeat that was sent less than ttl_ms ago. This is only a hint: the compare of the epoch
 * decides. */
bool roster_is_alive(const struct roster *roster);

/* True if this manager is fresh: the latest heartbeat that was acknowledged and received through
 * the watch was sent less than fresh_ms ago. Only then is the data about other managers in the
 * cache valid. */
bool roster_is_fresh(const struct roster *roster);

/* True if this manager has not been fresh for fresh_ms. The time is counted at the earliest from
 * its start. The data that it shows may then be outdated. */
bool roster_is_stale(const struct roster *roster);

/* Return the time in ms since the heartbeat of roster_is_fresh was sent; without one, since the
 * start. */
uint64_t roster_stale_ms(const struct roster *roster);

/* True if a session has ended. There are four cases: its key no longer exists; its manager now runs
 * as this process; its host refuses connections while heartbeats are missing; or its heartbeats
 * were missing for ttl_ms while this manager was fresh. Always false if this manager is not
 * fresh. */
bool roster_has_ended(struct roster *roster, struct text session);

/* Return the time in ms since a heartbeat of another session was seen; 0: the session is
 * unknown. */
uint64_t roster_silent_ms(const struct roster *roster, struct text session);

/* True if another session counts as ended only because of missing heartbeats. */
bool roster_is_silent(const struct roster *roster, struct text session);

/* True if another session has not sent a heartbeat for fresh_ms. Always false if this manager is
 * not fresh. */
bool roster_misses_beats(const struct roster *roster, struct text session);

/* Return the number of sessions that have ended since the start of this process. */
uint64_t roster_ends(const struct roster *roster);

/* Remove the keys of ended sessions that hold no lease of a cluster. */
void roster_sweep(struct roster *roster, struct fleet *fleet);

/* Ends this session at an orderly shutdown: its key is removed, which voids all its leases
 * immediately. `done` is called once, unless the store is closed first. */
void roster_leave(struct roster *roster, void (*done)(void *arg), void *arg);

/* Makes roster_leave also remove the objects of this manager, because it leaves the store
 * permanently. */
void roster_remove_own(struct roster *roster);

#endif
