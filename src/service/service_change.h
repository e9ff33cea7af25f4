#ifndef REEVE_SERVICE_SERVICE_CHANGE_H
#define REEVE_SERVICE_SERVICE_CHANGE_H

#include "change/change_patch.h"
#include "service/service.h"

/* public names start with: service_ */

/* Requests that change objects, and saved plans. */

/* Upper limits for the disruptive effects of a request. */
struct service_allow {
    uint64_t destroy; /* counts nodes and clusters */
    uint64_t replace;
    uint64_t reboot;
    uint64_t rename;
    uint64_t lift; /* pauses that end because their objects are deleted */
    /* members that have been ready, on which non-idempotent stages run again */
    uint64_t rerun;
};

struct service_change {
    enum change_mode mode;
    const struct doc *documents; /* the documents as sent */
    size_t document_count;
    bool is_file; /* The documents are from a file: warnings have line and column. */
    /* CHANGE_CREATE, CHANGE_REPLACE and CHANGE_DELETE of one object: "clusters/shop"; may be
     * empty. */
    struct text single;
    uint64_t if_match; /* revision that the object must have; 0: any */
    /* true: the request lacks the revision that the sender last read; then protected objects are
     * not changed */
    bool is_unpinned;
    const struct text *takes;
    size_t take_count;
    bool is_refreshing_from;
    /* for a dry run: digests of bundles that the client uploads before the real change */
    const struct text *bundles;
    size_t bundle_count;
    bool can_miss_plugins; /* A group may use a plugin that the manager does not know. */
    bool skips_preflight;  /* The providers are not asked to check whether the machines can be
                            * created. */
    bool supersedes;       /* CHANGE_APPLY: the change may supersede running rollouts. */
    bool is_dry_run;
    bool is_saved;              /* Store the plan instead of executing it. */
    bool is_saved_unless_empty; /* Store the plan, unless it would write nothing. */
    /* Names and ranges of machines that are removed first when one group shrinks; may be empty. */
    struct text victims;
    /* The victims have disappeared: they leave immediately, and their cleanup is pending. */
    bool is_absent;
    bool is_release; /* The removed machines are returned to their owners, who may use them for
                      * other purposes. */
    /* The removed machines are inventory machines whose commission failed (C25): the change
     * continues the job that commissioned them. Only the service itself sets this. */
    bool is_return;
    /* Names and ranges of machines that are replaced even if nothing changes; "*": all machines of
     * one group. May be empty. */
    struct text replaces;
    /* Names and ranges of machines to reboot. "-" drops the requested reboots of the group that
     * have not begun. May be empty. */
    struct text reboots;
    /* Machines of the inventory that the group receives, separated by commas: NAME, ID or
     * NAME=SHA256:... The last form approves a host key by its fingerprint. May be empty. */
    struct text commissions;
    /* Variables of the members that get these machines: a JSON map. May be empty. */
    struct text vars;
    bool is_adoption; /* These machines are already in service: no stages run on them. */
    /* Machines that are members of other groups are only reserved now, and join after they have
     * left those groups (decision 0153). */
    bool is_move;
    /* How these machines are divided into batches, in the order of the request. Without
     * `commissions`: the batches in which members run changed stages; these can only be stricter
     * than the policy of the group (decision 0172). NULL: all machines at once, or the policy. */
    const struct service_batching *batching;
    struct service_allow allow;
    struct text why;
    struct text idempotency_key; /* may be empty */
};

/* Make a change, or only compute its plan. Answers
 * {"revision","objects":[{kind,name,id,change}],"plan","kept","needs"}; a saved plan has an "id".
 * "lifts" is present if pauses are lifted, and "warnings" if there are any (format: fault.h). */
void service_change(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct service_change *change, service_done *done, void *arg);

/* Change one object by a patch. The fields have the meaning of service_change; mode and documents
 * are ignored. */
struct service_patch {
    const struct schema_kind *kind;
    struct text name;
    enum change_patch_kind patch_kind;
    const struct doc *patch;
    struct service_change change;
};

void service_patch(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_patch *patch, service_done *done, void *arg);

/* Restore an object to an earlier revision; 0: to the state before its newest change. */
struct service_undo {
    const struct schema_kind *kind;
    struct text name;
    uint64_t to_revision;
    struct service_change change;
};

void service_undo(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_undo *undo, service_done *done, void *arg);

/* List the saved plans of a tenant:
 * {"items":[{by,created,id,needs,objects,sums,why}],"revision"}. */
void service_plan_list(struct service *service, struct arena *arena,
                       const struct service_actor *actor, service_done *done, void *arg);

/* service_plan_get returns a saved plan. service_plan_apply executes exactly that plan; it uses
 * only `allow`, `supersedes` and the idempotency key of `requests`. */
void service_plan_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, struct text id, service_done *done,
                      void *arg);
void service_plan_apply(struct service *service, struct arena *arena,
                        const struct service_actor *actor, struct text id,
                        const struct service_change *requests, service_done *done, void *arg);

#endif
