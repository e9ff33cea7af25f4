#ifndef REEVE_RECONCILE_CONTROL_H
#define REEVE_RECONCILE_CONTROL_H

#include "state/cache.h"
#include "records/nodes.h"
#include "records/plugin_origin.h"
#include "records/provider.h"
#include "state/store.h"
#include "records/way.h"
#include "plan/compute.h"

/* The controller: what is wanted becomes what is there. For each cluster it makes passes (SAFETY.md 5):
 *
 *     lease -> list the providers -> one snapshot -> check the rows -> decide (plan/compute.h)
 *           -> commit intents -> call -> commit what came of it
 *
 * It keeps nothing that counts: whatever it knows is in the store, and it may end at any instruction. The same
 * code runs in reeved (every cluster, on change and at intervals), in reeve-controller (one pass over one
 * cluster) and in the simulator. All calls are on one thread; everything of the world comes in by ports. */
struct control;

/* What a probe has found. */
enum control_probed {
    CONTROL_PROBED_WELL,
    CONTROL_PROBED_FAILING,     /* the machine is there, and does not do what it is for */
    CONTROL_PROBED_UNREACHABLE, /* no answer */
    CONTROL_PROBED_ALARM,       /* it is not let in: who answers has another host key */
    CONTROL_PROBED_NOTHING, /* it could not be asked, for a reason of ours: that says nothing of it */
};

/* What came of one; needed until the call returns. */
struct control_probed_answer {
    enum control_probed found;
    struct text why;
    struct text host_key; /* that it has shown: for the first time, to be written down, or
                              with an alarm; empty: none */
};
typedef void control_probe_done(void *arg, const struct control_probed_answer *answer);

/* A probe that is to be made. Valid until the call returns. */
struct control_probe {
    struct text plugin;
    struct control_way way;
    uint16_t port;            /* that has to take a connection; 0: a command is run */
    const struct text *words; /* of the command */
    size_t word_count;
    uint64_t timeout_ms;
    /* An SSH server has to send its banner there. */
    bool is_ssh;
};

struct control_ports {
    uint64_t (*now_ms)(void *arg); /* never steps back, goes on while the machine sleeps */
    int64_t (*wall_ms)(void *arg); /* since 1970, for people */
    void (*random)(void *arg, void *out, size_t bytes);
    /* A digest of data that only we can make (hexadecimal): the stamp of our machines. */
    void (*mac)(void *arg, struct text data, char out[static 33]);
    /* Who makes machines for this plugin in a tenant; NULL: nobody here, *problem says why. */
    struct provider *(*provider_find)(void *arg, struct text tenant, struct text plugin,
                                      const char **problem);
    /* A group of a cluster (TENANT/ID) says this of a plugin; asked before provider_find, in each pass. `out`, valid until
     * the next call: bytes of it that wait for an approval. NULL: nothing is fetched here. */
    void (*plugin_want)(void *arg, struct text cluster, const struct plugin_origin *origin,
                        struct plugin_waiting *out);
    /* An operator has approved the bytes with this digest, which wait. NULL where plugin_want is. */
    void (*plugin_approve)(void *arg, struct text tenant, struct text plugin, struct text digest);
    /* The lines of authorized_keys that let reeve in to machines that this plugin makes in a cluster (TENANT/ID); none where
     * nobody logs in there. Valid until the next call. False: they are being made, and the cluster is looked at again then.
     * NULL: there are none. */
    bool (*keys)(void *arg, struct text cluster, struct text plugin, struct text *out);
    /* Make a probe; `done` comes once, unless control_stop came before. NULL: none are made. */
    void (*probe)(void *arg, const struct control_probe *probe, control_probe_done *done,
                  void *done_arg);
    /* `what` of a cluster (TENANT/ID) stands damaged in the store, and this life has not told of it yet: whoever operates is to know.
     * NULL: nobody is told. */
    void (*damaged)(void *arg, struct text cluster, struct text what, const struct err *err);
    /* Keys, facts and stages of nodes; NULL: nothing of it is done. */
    const struct nodes_port *nodes;
    void *arg;
};

struct control_options {
    struct text session; /* names this manager's life; never used before */
    struct text clock; /* names what now_ms counts from: a start of the machine; empty: not known */
    bool is_alone;     /* the store has one owner: whoever held a lease before is dead */
    uint64_t resync_ms;      /* from one look at a cluster to the next */
    uint64_t session_ttl_ms; /* silence after which a manager's leases may be taken */
    bool is_single;          /* no cluster is looked at but by control_pass */
    bool is_dry;             /* decide and report; nothing is written or called */
    bool keeps_passes;       /* what was decided, and on what, is written down (N1) */
    struct plan_limits limits;
};

struct control_options control_options_default(void);

/* Keep the clusters of a store. The cache must be READY; cache and store outlive nothing of it: end with
 * provider_close of all, store_close, control_free. */
struct control *control_new(struct store *store, struct cache *cache, struct control_ports ports,
                            struct control_options options);
void control_free(struct control *control);

/* From now on nothing more is asked of the store, and the cache is not looked at any more, whatever store and providers
 * still answer: the end has begun. To be called before any of them is closed. */
void control_stop(struct control *control);

/* Carry on; to be called after cache_run. Returns when it wants to be called again, by its clock, if
 * nothing happens before. */
uint64_t control_run(struct control *control);

/* Look at this cluster (TENANT/ID) now. */
void control_wake(struct control *control, struct text cluster);

/* What its nodes are to trust may be another than it was; nothing else has changed. */
void control_bootstrap(struct control *control, struct text cluster);

/* Is a call to a provider about this machine of the cluster (TENANT/ID) under way, or does it wait for its turn? */
bool control_is_calling(const struct control *control, struct text cluster, struct text token);

/* The time by the clock of this cluster (TENANT/ID), which its records have; 0: somebody else keeps it. */
uint64_t control_clock(const struct control *control, struct text cluster);

/* Is a pass to come, or under way, over a cluster of this tenant that was changed at this revision, or could the last one not be
 * made? Until it has ended nobody knows whether the change has a job. */
bool control_is_behind(const struct control *control, struct text tenant, uint64_t revision);

/* Make one pass over this cluster. False: there is no such cluster, or it has no machines and is not wanted. */
bool control_pass(struct control *control, struct text cluster);

/* The same, but only to decide and to report; one in earnest follows when it is due. */
bool control_pass_dry(struct control *control, struct text cluster);

/* Is there a record of a machine with this token, in whichever cluster? */
bool control_has_machine(const struct control *control, struct text token);

/* How a pass over a cluster ended. */
enum control_end {
    CONTROL_END_DONE,    /* everything that it decided is committed, and called for */
    CONTROL_END_QUIET,   /* there was nothing to do */
    CONTROL_END_HELD,    /* something waits for a human, and nothing was to be done */
    CONTROL_END_FOREIGN, /* another manager keeps this cluster */
    CONTROL_END_UNHEARD, /* a provider gave no listing */
    CONTROL_END_BROKEN,  /* the store refused, or did not answer: look again */
    CONTROL_END_DAMAGED, /* what the store has of it cannot be understood */
};

/* What a pass was, for logs, metrics and reeve-controller. */
struct control_report {
    struct text cluster; /* TENANT/ID */
    enum control_end end;
    uint64_t revision; /* of its snapshot */
    uint64_t begun_ms; /* by the port's clock */
    size_t machines;
    size_t actions;
    size_t holds;
    struct text message;            /* what went wrong; may be empty */
    const struct plan_world *world; /* what it decided on, and what; NULL: it did not come so far */
    const struct plan *plan;
};

typedef void on_control(void *arg, const struct control_report *report);

/* Be told of the end of every pass. */
void control_watch(struct control *control, on_control *reported, void *arg);

/* Is nothing under way: no pass, no call, no outcome to be written? */
bool control_is_idle(const struct control *control);

#endif
