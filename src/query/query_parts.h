#ifndef REEVE_QUERY_QUERY_PARTS_H
#define REEVE_QUERY_QUERY_PARTS_H

#include "service/service_command.h"
#include "service/service_parts.h"
#include "service/service_read.h"

/* public names start with: service_ */

/* private to src/query src/configs src/discovery src/managing src/volume_requests
 * src/image_requests src/power_requests src/netboot src/upgrades */

/* An event about an action of a user, for the event log of a cluster. It is committed together with
 * the action. Empty fields and fields that are 0 are omitted. */
struct service_event {
    const char *type;
    struct text cluster; /* name and id of the cluster */
    struct text cluster_id;
    struct text group;
    /* The machine that the action is about, with its group; NULL: the action is not about one
     * machine. */
    const struct record *machine;
    struct text fact;
    struct text rule;
    struct text why;
    size_t count; /* number of machines */
};
struct store_event service_event(const struct service *service, struct arena *arena,
                                 const struct service_actor *actor,
                                 const struct service_event *event);

/* Index the values of all keys whose last part is `part`. The index key is the rest of the key,
 * before that part. The index lives as long as the answer. */
struct map service_values_index(struct arena *arena, const struct store_answer *answer,
                                struct text part);

/* Answers a list with the state of an earlier revision (service_past_list.c). */
void service_past_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, const struct service_list *list,
                       service_done *done, void *arg);

/* Finds the revision at a wall-clock time (service_seek.c). On failure `fault` is set, in most
 * cases to R0503. */
typedef void service_seek_done(void *arg, uint64_t revision, const struct err *fault);

void service_seek(struct service *service, struct arena *arena, uint64_t at_ms,
                  service_seek_done *done, void *arg);

/* Finds the position in the events before the first event that is newer than `at_revision`. If that
 * is 0: before the first event that is not older than the wall clock time `at_ms`. For a cluster
 * (TENANT/ID) the position is an event number; for all events (cluster empty) it is a revision. */
struct service_seek_events {
    struct text cluster;
    uint64_t at_revision;
    uint64_t at_ms;
};
void service_seek_events(struct service *service, struct arena *arena,
                         const struct service_seek_events *wanted, service_seek_done *done,
                         void *arg);

/* Append a row of a list that has only the requested fields. The arena holds temporary data
 * (service_list.c). */
void service_row_trim(struct arena *arena, struct buf *out, struct text fields, struct text row);

/* Returns the id of a cluster that is given by name or id, including a deleted cluster with
 * archived passes. Empty: no cluster matches, and *err is set (service_passes.c). */
struct text service_kept_cluster(struct service *service, struct arena *arena, struct text tenant,
                                 struct text cluster, struct err *err);

/* True if a group (empty: any group) has machines of another generation than the desired one,
 * according to the cluster's latest job. False if no job is running (service_roll.c). */
bool service_is_rolling(struct service *service, struct arena *arena, struct text tenant,
                        struct text cluster_id, struct text group);

/* Shows why a member waits for its rollout slot: {job, next, since, waitsFor}. Absent if it does
 * not wait (service_slots.c). */
struct doc service_slot_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text cluster_id, struct text cluster, struct text node);

/* True if the group (empty: any group) has a rollout in place that is running or held. */
bool service_is_rolling_in_place(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text cluster_id, struct text group);

/* Read an archived pass. On failure `fault` is R0435 or R0558 (service_passes.c). */
typedef void service_pass_read(void *arg, const struct ledger_pass *pass, const struct err *fault);

void service_pass_load(struct service *service, struct arena *arena, struct text tenant,
                       struct text cluster_id, uint64_t number, service_pass_read *done, void *arg);

/* Return the messages of providers that refused machines of a group: [{count, node, text}]. Each
 * text occurs once; `node` is the first machine with it. There are at most LIMIT_WHY_WORDS entries
 * (service_refused.c). */
struct doc service_refusals(const struct service *service, struct arena *arena, struct text tenant,
                            struct text cluster_id, struct text group);

/* Builds the operations that remove the pass index and the archived passes of a deleted cluster, if
 * its last pass is older than LIMIT_PASSES_DAYS. Builds at most `room` operations, and returns
 * their number (service_passes.c). */
size_t service_passes_expire(struct service *service, struct arena *arena,
                             const struct cache_object *object, int64_t now_ms,
                             struct store_op *ops, size_t room);

/* Checks a command that runs stages again: true if no non-idempotent stage would run again, or if
 * the user consents to it. Checks one machine (`only`) or, if that is NULL, all machines of the
 * cluster or group. R0811: consent is missing. */
MUST_CHECK bool service_again_check(const struct service *service, struct text tenant,
                                    struct text cluster_id, struct text group,
                                    const struct record *only, const struct service_say *say,
                                    struct err *err);

/* Finds the record of a machine by name, token or machine id in the cluster with this id. If
 * several machines match, a ready machine is preferred, then one that is not being destroyed. The
 * record's texts live in the arena. False: no machine matches (service_nodes.c). */
bool service_machine_find(const struct service *service, struct arena *arena, struct text tenant,
                          struct text id, struct text name, struct record *out);

/* Like service_machine_find, but only among the machines that are being destroyed. */
bool service_machine_leaving_find(const struct service *service, struct arena *arena,
                                  struct text tenant, struct text id, struct text name,
                                  struct record *out);

/* Sets *err for a name that has no usable machine, with the same errors as a selection. The name
 * may belong to a group, to several machines, or to a machine that does not run. R0403: the machine
 * does not exist; R0426: the name is invalid. Always returns false (service_nodes.c). */
MUST_CHECK bool service_machine_unfound(const struct service *service, struct arena *arena,
                                        const struct service_actor *actor, struct text cluster,
                                        struct text node, struct err *err);

/* Show the state of a node (CLUSTER/TOKEN) for display with its record; see node_state_show
 * (service_nodes.c). */
struct doc service_node_show(const struct service *service, struct arena *arena, struct text tenant,
                             struct text id);

/* True if the authorities of a cluster may be rotated. `request` is the newest rotation request.
 * R0754: they cannot be rotated now. */
MUST_CHECK bool service_rotate_check(const struct service *service, struct text tenant,
                                     struct text cluster_id, const struct service_say *say,
                                     struct text request, struct err *err);

/* Like service_again_check, for several machines. Each machine has a first stage to run again; all
 * later stages follow. With is_failed, only stages that did not succeed run again. */
struct service_again_node {
    struct text name;
    struct text token;
    uint64_t from;
};
MUST_CHECK bool service_again_check_nodes(const struct service *service, struct text tenant,
                                          struct text cluster_id,
                                          const struct service_again_node *nodes, size_t count,
                                          bool is_failed, struct err *err);

/* Returns a share as a number: `share` itself, or its percentage of `count`, rounded up. The result
 * is at least 1. */
size_t service_share_of(const struct service_share *share, size_t count);

/* Sorts the nodes in place and divides them into batches, by default of `usual` machines. With
 * is_repairing, unhealthy machines come first. *out_seed is the seed of a random order, or 0.
 * R0426: the batching is invalid. */
MUST_CHECK bool service_batches_make(const struct service *service, struct arena *arena,
                                     const struct service_batching *batching, size_t usual,
                                     bool is_repairing, struct select_nodes *nodes,
                                     struct exec_batches *out, uint64_t *out_seed, struct err *err);

/* Checks the policies of all groups: with these nodes out of service, no group may have more
 * members out of service than its policy permits. R0836: a group would have more. */
MUST_CHECK bool service_drain_check(struct service *service, struct arena *arena,
                                    const struct service_actor *actor,
                                    const struct fleet_cluster *wanted,
                                    const struct select_nodes *nodes, struct err *err);

/* Executes a command about one machine: revoke its keys, run its stages again, or accept its host
 * key. The arguments are those of service_say. */
void service_say_of_node(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct service_say *say,
                         service_done *done, void *arg);

/* A transaction that writes an operator command. The sender of the command gets the revision or the
 * error. */
struct service_saying {
    struct service *service;
    struct arena *arena;
    service_done *done;
    void *arg;
    /* The stored answer to a hold, if this command replaces it; otherwise absent. */
    struct doc before;
    /* Groups that stay paused when their cluster is resumed: "shop/web shop/db"; empty: none. */
    struct text paused;
};

/* Handle the store's answer to the transaction; `arg` is a service_saying. */
void service_said(void *arg, enum outcome outcome, const struct store_answer *answer);

#endif
