#ifndef REEVE_QUERY_QUERY_PARTS_H
#define REEVE_QUERY_QUERY_PARTS_H

#include "service/service_command.h"
#include "service/service_parts.h"
#include "service/service_read.h"

/* names: service_ */

/* private to src/query */

/* An actor's action, for the event log of a cluster. It is committed with the action. Empty or 0
 * fields are left out. */
struct service_event {
    const char *type;
    struct text cluster; /* name and id of the cluster */
    struct text cluster_id;
    struct text group;
    /* The machine concerned, and its group; NULL: no single machine. */
    const struct record *machine;
    struct text fact;
    struct text rule;
    struct text why;
    size_t count; /* number of machines */
};
struct store_event service_event(const struct service *service, struct arena *arena,
                                 const struct service_actor *actor,
                                 const struct service_event *event);

/* Index the values of all keys with this last part by the key before it. The index lives as long as
 * the answer. */
struct map service_values_index(struct arena *arena, const struct store_answer *answer,
                                struct text part);

/* A list at a former revision (service_past_list.c). */
void service_past_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_list *list,
                       service_done *done, void *arg);

/* Find the revision at a time (service_seek.c). On failure `fault` is set, mostly R0503. */
typedef void service_seek_done(void *arg, uint64_t revision, const struct err *fault);

void service_seek(struct service *service, struct arena *arena, uint64_t at_ms,
                  service_seek_done *done, void *arg);

/* Find the position before the first event that is newer than a revision, or (at_revision 0) of
 * this wall time or later. Of a cluster (TENANT/ID) it is a number, of all (empty) a revision. */
struct service_seek_events {
    struct text cluster;
    uint64_t at_revision;
    uint64_t at_ms;
};
void service_seek_events(struct service *service, struct arena *arena,
                         const struct service_seek_events *wanted, service_seek_done *done,
                         void *arg);

/* Append a row of a list, reduced to the requested fields; the arena is for temporary data
 * (service_list.c). */
void service_row_trim(struct arena *arena, struct buf *out, struct text fields, struct text row);

/* The id of a cluster by name or id, also of a deleted one with archived passes. Empty: there is
 * none, and *err is set (service_passes.c). */
struct text service_kept_cluster(struct service *service, struct arena *arena, struct text tenant,
                                 struct text cluster, struct err *err);

/* Does a group (empty: any) have machines of another than the desired generation, by the newest job
 * of the cluster? False if no job is running (service_roll.c). */
bool service_is_rolling(struct service *service, struct arena *arena, struct text tenant,
                        struct text cluster_id, struct text group);

/* Of a member that waits for its rollout slot: {job, next, since, waitsFor}; absent: it does not
 * wait (service_slots.c). */
struct doc service_slot_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text cluster_id, struct text cluster, struct text node);

/* Is a rollout in place of a group (empty: of any) running or held? */
bool service_is_rolling_in_place(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text cluster_id, struct text group);

/* Read an archived pass. On failure `fault` is R0435 or R0558 (service_passes.c). */
typedef void service_pass_read(void *arg, const struct ledger_pass *pass, const struct err *fault);

void service_pass_load(struct service *service, struct arena *arena, struct text tenant,
                       struct text cluster_id, uint64_t number, service_pass_read *done, void *arg);

/* The providers' messages for refused machines of a group: [{count, node, text}]. `node` is the
 * first of them; each text occurs once; at most LIMIT_WHY_WORDS entries (service_refused.c). */
struct doc service_refusals(const struct service *service, struct arena *arena, struct text tenant,
                            struct text cluster_id, struct text group);

/* For a deleted cluster whose last pass is older than LIMIT_PASSES_DAYS: the operations that remove
 * its passes and their index, at most `room`. Returns their number (service_passes.c). */
size_t service_passes_expire(struct service *service, struct arena *arena,
                             const struct cache_object *object, int64_t now_ms,
                             struct store_op *ops, size_t room);

/* Does a command that runs stages again have consent for non-idempotent ones? Checks the machines
 * of a cluster or group, or one machine (`only`; NULL: all). R0811: there is no consent. */
MUST_CHECK bool service_again_check(const struct service *service, struct text tenant,
                                    struct text cluster_id, struct text group,
                                    const struct record *only, const struct service_say *say,
                                    struct err *err);

/* The record of a machine of the cluster with this id, by name, token or machine id. Of several
 * matches one that is ready, else one that is not being destroyed. Its texts live in the arena.
 * False: there is none (service_nodes.c). */
bool service_machine_find(const struct service *service, struct arena *arena, struct text tenant,
                          struct text id, struct text name, struct record *out);

/* The same for machines that are being destroyed. */
bool service_machine_leaving_find(const struct service *service, struct arena *arena,
                                  struct text tenant, struct text id, struct text name,
                                  struct record *out);

/* Set *err for a name without a usable machine, as selections do: it may be the name of a group,
 * match several machines, or a machine that does not run. R0403, or R0426 if the name is invalid.
 * Always false (service_nodes.c). */
MUST_CHECK bool service_machine_unfound(const struct service *service, struct arena *arena,
                                        const struct service_actor *actor, struct text cluster,
                                        struct text node, struct err *err);

/* The displayed node state (CLUSTER/TOKEN) beside its record, as node_state_show
 * (service_nodes.c). */
struct doc service_node_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text id);

/* May the authorities of a cluster be rotated? `request` is the newest such request. R0754: not
 * now. */
MUST_CHECK bool service_rotate_check(const struct service *service, struct text tenant,
                                     struct text cluster_id, const struct service_say *say,
                                     struct text request, struct err *err);

/* The same for several machines, each with the stage from which on all run again; or with is_failed
 * for stages that did not end well. */
struct service_again_node {
    struct text name;
    struct text token;
    uint64_t from;
};
MUST_CHECK bool service_again_check_nodes(const struct service *service, struct text tenant,
                                          struct text cluster_id,
                                          const struct service_again_node *nodes, size_t count,
                                          bool is_failed, struct err *err);

/* The number, or the percentage of `count`, rounded up; at least one. */
size_t service_share_of(const struct service_share *share, size_t count);

/* Sort the nodes in place and divide them into batches, of `usual` machines by default. With
 * is_repairing, unhealthy machines come first. Sets *out_seed for a random order, else to 0. R0426:
 * the batching is invalid. */
MUST_CHECK bool service_batches_make(const struct service *service, struct arena *arena,
                                     const struct service_batching *batching, size_t usual,
                                     bool is_repairing, struct select_nodes *nodes,
                                     struct exec_batches *out, uint64_t *out_seed, struct err *err);

/* A command about one machine: revoke its keys, or run its stages again; as service_say. */
void service_say_of_node(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct service_say *say,
                         service_done *done, void *arg);

/* A transaction with an operator command. Its sender receives the revision or the error. */
struct service_saying {
    struct service *service;
    struct arena *arena;
    service_done *done;
    void *arg;
    /* The opposite answer to a hold that this one replaces; absent: none. */
    struct doc before;
    /* Groups that stay paused when their cluster is resumed: "shop/web shop/db"; empty: none. */
    struct text paused;
};

/* The store's answer to it; `arg` is a service_saying. */
void service_said(void *arg, enum outcome outcome, const struct store_answer *answer);

#endif
