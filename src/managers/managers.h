#ifndef REEVE_MANAGERS_MANAGERS_H
#define REEVE_MANAGERS_MANAGERS_H

#include "codec/doc.h"
#include "managers/roster.h"

/* The managers of a store, as their objects describe them (docs/spec/MANAGERS.md section 3):
 *
 *     /_/Manager/ID/spec    written for operators: {drain, leave, by, at, message, name, zone}
 *     /_/Manager/ID/status  written by the manager: {address, name, plugins, session, ...}
 *     /_/Manager/ID/base    how its process ended: {at, end, session}, written by another manager,
 *                           or by the process itself when it ends normally; in addition {forgotten,
 *                           forgottenAt, forgottenBy} if an operator has declared the machines of
 *                           its host lost */
struct managers;

enum managers_state {
    MANAGERS_LIVE,
    MANAGERS_DRAINING, /* the process is live, and is handing its clusters over */
    MANAGERS_DRAINED,  /* the process is live, and has handed over all clusters */
    MANAGERS_SILENT,   /* heartbeats are missing */
    MANAGERS_ENDED,    /* the process has ended */
    MANAGERS_GONE,     /* the process ended long ago (MANAGERS_GONE_MS) */
    MANAGERS_STATE_COUNT
};

/* A manager whose process ended longer ago than this, in ms, is ignored. */
#define MANAGERS_GONE_MS (INT64_C(7) * 24 * 3600 * 1000)

/* A plugin that does not work on a manager. */
struct managers_lack {
    struct text plugin; /* NAME, or NAME/ACCOUNT of a tenant: TENANT:NAME/ACCOUNT */
    struct text reason;
};

/* One manager. Texts are valid until the next managers_read. */
struct managers_row {
    struct text id;
    struct text name;
    struct text zone;
    struct text version;
    struct text address;
    struct text peer;        /* HOST:PORT for connections of other managers; empty: none */
    struct text member_peer; /* roster.h */
    struct text member_client;
    /* The members of the managed store that it has not heard for a while, by their names. */
    const struct text *silent;
    size_t silent_count;
    struct text session;
    enum managers_state state;
    /* when its process started or, if it has ended, when it ended; 0: unknown */
    int64_t since_wall_ms;
    uint64_t silent_ms; /* time since its last heartbeat was seen, in ms */
    bool is_here;       /* the manager is this process */
    bool is_live;       /* as far as this manager can determine, its process has not ended */
    bool is_draining;
    bool is_leaving;     /* an operator has requested that it leaves the store permanently */
    struct text leaving; /* the reason why it has not left yet; empty: unknown */
    /* The process of the manager has ended, and an operator has declared the machines of its host
     * lost. */
    bool is_forgotten;
    int64_t drain_wall_ms; /* when an operator requested the drain; 0: unknown */
    struct text drain_by;
    struct text drain_message;
    bool is_fetching; /* it downloads plugins that it does not have */
    /* The status of the manager lists its plugins. The status of a manager of an earlier version
     * does not. */
    bool has_plugins;
    const struct text *plugins;
    size_t plugin_count;
    const struct managers_lack *lacks;
    size_t lack_count;
    /* name of a key of the store that it does not have; empty: it has all keys */
    struct text missing_key;
    /* Number of clusters whose leases it holds, and of their machines (assignment.h). */
    uint64_t clusters;
    uint64_t machines;
};

struct managers_options {
    struct store *store;
    struct cache *cache;
    struct roster *roster;
    int64_t (*wall_ms)(void *arg);
    void *arg;
    struct roster_manager manager; /* identity of this process */
    struct text session;
    struct text clock;
};

struct managers *managers_new(const struct managers_options *options);

/* Frees the managers, after their store. NULL is allowed. */
void managers_free(struct managers *managers);

/* Reads all managers again, in order of their names, and writes the status of this manager if it
 * differs from the stored one. */
void managers_read(struct managers *managers);

size_t managers_count(const struct managers *managers);
struct managers_row *managers_at(const struct managers *managers, size_t index);

/* managers_find returns the manager with this id, managers_find_session the manager of a session,
 * and managers_here this manager. NULL: there is none. */
struct managers_row *managers_find(const struct managers *managers, struct text id);
struct managers_row *managers_find_session(const struct managers *managers, struct text session);
struct managers_row *managers_here(const struct managers *managers);

/* Returns the manager whose process holds the lease of a cluster (by its id); NULL: no known
 * manager. */
struct managers_row *managers_holder(const struct managers *managers, struct text tenant,
                                     struct text cluster);

/* Sets the load of this manager for its next status, and whether it has handed over all
 * clusters. */
void managers_load_set(struct managers *managers, uint64_t clusters, uint64_t machines,
                       bool is_drained);

/* Adds a plugin to the plugins that do not work on this manager. An empty reason removes it. */
void managers_lack_set(struct managers *managers, struct text plugin, struct text reason);

/* Sets the key of the store that this manager lacks ("secrets 1a2b3c4d"); empty: it has all
 * keys. */
void managers_key_set(struct managers *managers, struct text missing);

/* Sets the members of the managed store that this manager does not hear, for its next status. The
 * order must not change without cause, because each change is written. */
void managers_silent_set(struct managers *managers, const struct text *names, size_t count);

/* Sets for display the reason why this manager has not left the store yet; empty: it is not
 * leaving. A long text is cut. */
void managers_leaving_set(struct managers *managers, struct text waits_for);

/* True if the status in the store has the text of managers_leaving_set. */
bool managers_leaving_is_written(const struct managers *managers);

/* Returns the word for a state. */
const char *managers_state_name(enum managers_state state);

/* Options for showing managers. */
struct managers_query {
    struct text tenant;
    struct text cluster; /* only this cluster, by name or id; empty: all clusters of the tenant */
    bool has_clusters;   /* the holder of each cluster is shown */
    /* id of the manager whose hosted machines are shown; empty: they are not shown */
    struct text host;
    /* Adds the state of the link to another manager. NULL: adds nothing. */
    void (*link_show)(void *arg, struct arena *arena, const struct managers_row *row,
                      struct doc_builder *builder);
    void *arg;
};

/* How a process ended. */
enum managers_end { MANAGERS_END_LEFT, MANAGERS_END_ENDED, MANAGERS_END_SILENT };

struct managers_ending {
    struct text manager; /* id of the manager */
    struct text session;
    enum managers_end end;
    int64_t wall_ms;
};

/* Describes the end of the process of a manager, for the transaction that records it: the base of
 * the object in *op, and the event `manager.left`, `.ended` or `.silent`. Both live in the arena.
 * Returns false if the manager is unknown, or already has another process. */
bool managers_end_describe(struct arena *arena, const struct cache *cache,
                           const struct managers_ending *ending, struct store_op *op,
                           struct store_event *event);

/* Describes the removal of a manager that has left the store: the deletes of its objects in `ops`,
 * and the event `manager.removed`. Both live in the arena. */
void managers_removal_describe(struct arena *arena, const struct cache *cache, struct text id,
                               int64_t wall_ms, struct store_op ops[static CACHE_PART_COUNT],
                               struct store_event *event);

#endif
