#ifndef REEVE_SERVICE_SERVICE_READ_H
#define REEVE_SERVICE_SERVICE_READ_H

#include "service/service.h"

/* public names start with: service_ */

/* Requests that read: lists, objects, events, records of the controller, archived passes, and the
 * state of machines. */

/* A request for a list of objects of a kind. A field that is 0 or empty is no condition. */
struct service_list {
    const struct schema_kind *kind;
    struct text cluster;  /* for node groups: only groups of this cluster, by name or id */
    struct text selector; /* selector for labels; see UX.md 3.2 */
    struct text next;     /* token from the previous page */
    struct text fields;   /* answer only these fields: metadata.name,spec.size; empty: all */
    size_t limit;
    uint64_t at_revision; /* the list as of this revision; 0: now */
    uint64_t at_ms;       /* like at_revision, by time in ms since 1970; used if at_revision is 0 */
    /* true: the body has one object per line, and the token is only a field of the answer */
    bool is_lines;
    bool can_take_rows; /* For a long list the sender accepts rows (service_rows.h). */
};

/* Answers {"items":[...],"next":"...","revision":N}. All pages of a list show the revision of the
 * first page. */
void service_list(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_list *list, service_done *done, void *arg);

/* The representation of one object. */
enum service_view {
    SERVICE_VIEW_OBJECT,    /* kind, metadata, spec, status; a cluster with its groups */
    SERVICE_VIEW_EXPORT,    /* flat form that apply reads (FILE.md 9) */
    SERVICE_VIEW_EFFECTIVE, /* every value with its origin */
    SERVICE_VIEW_HISTORY,   /* all its revisions with author, time and reason */
};

/* A request to read one object by name or id. The object is read in its current state, or with
 * SERVICE_VIEW_OBJECT only, as of a revision; its name is then the name at that revision. */
struct service_get {
    const struct schema_kind *kind;
    struct text name;
    enum service_view view;
    uint64_t at_revision; /* revision to read; 0: now */
    uint64_t at_ms;       /* like at_revision, by time in ms since 1970; used if at_revision is 0 */
};

void service_get(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_get *get, service_done *done, void *arg);

/* Return the name of an object that is given by name or id. For a group it is CLUSTER/PATH. The
 * text lives in the arena; it is empty if the object does not exist. */
struct text service_name_find(struct service *service, struct arena *arena,
                              const struct service_actor *actor, const struct schema_kind *kind,
                              struct text name);

/* Return the name of the cluster with this id; empty if it does not exist or no longer exists. */
struct text service_cluster_name(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text id);

/* Read the events of one cluster in order of their numbers, or (cluster empty) those of the whole
 * tenant in order of revision. Only events above the number or revision `after` are read. Answers
 * {"items":[...],"more":BOOL,"revision":N}.
 *
 * Without `is_newest` the items are the oldest events above `after`, and `more` means that newer
 * events follow. With `is_newest` they are the newest events below `before` (0: no bound), and
 * `more` means that older events exist. `since_revision` and `since_ms` (wall time) raise `after`;
 * 0: no effect. */
struct service_events {
    struct text cluster;
    uint64_t after;
    uint64_t before;
    uint64_t since_revision;
    uint64_t since_ms;
    size_t limit;
    bool is_newest;
};

void service_events(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct service_events *events, service_done *done, void *arg);

/* Return the live stream of events (state/event_tail.h). It is freed with the service. */
struct event_tail *service_event_tail(struct service *service);

/* ---- records of the controller ---- */

/* True if the controller writes the objects of this kind: Resource, Hold, Job or Volume. */
bool service_is_kept(const struct schema_kind *kind);

/* A request for records of one cluster or, if cluster is empty, of the whole tenant. Pages work as
 * in service_list. */
struct service_kept {
    const struct schema_kind *kind;
    struct text cluster;
    struct text group; /* for holds: those of this group and of groups below it; empty: all */
    struct text next;
    size_t limit; /* 0: the page size */
    /* For machines of one cluster: answer in one page all machines that may have these names, ids
     * or tokens (selector/ranges.h); it may contain other machines too. Empty: all machines. */
    struct text names;
};

/* Answers the current records:
 * {"items":[{"kind":"Resource","metadata":{cluster,group,id,name,revision},
 * "status":{...}}],"next","revision"}. The name of a hold is [GROUP:]RULE. The name of a job is the
 * revision of its change. */
void service_kept(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_kept *kept, service_done *done, void *arg);

/* Answers the jobs with this number, one for each cluster of the change. R0403: there are none. */
void service_job(struct service *service, struct arena *arena, const struct service_actor *actor,
                 struct text number, service_done *done, void *arg);

/* One record of the reconciler (a key under /TENANT/KIND/), prepared for display. */
struct service_kept_row {
    struct text id; /* the part of the key after /TENANT/KIND/ */
    struct text spec;
    struct text status;
    uint64_t revision;
};

void service_kept_show(struct service *service, struct arena *arena, struct text tenant,
                       const struct schema_kind *kind, const struct service_kept_row *row,
                       struct buf *out);

/* ---- why ---- */

/* Answers the archived passes of a cluster, oldest first:
 * {"items":[{"base","pass"}],"revision"}. */
void service_passes(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text cluster, service_done *done, void *arg);

/* Answers one archived pass:
 * {"actions","base","cluster","epoch","holds","kept","pass","planner","record","revision","time"}
 * and, unless only the record is requested, {"limits","plan":[LINE],"world":{...}}. The record
 * (hexadecimal) is the complete input of the decision (plan/ledger.h). R0435: the pass is not
 * archived. */
struct service_pass {
    struct text cluster;
    uint64_t number;
    bool is_record;
};

void service_pass_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_pass *pass,
                      service_done *done, void *arg);

/* The subject of a `why` request: a hold [GROUP:]RULE, the number of an event, or the name of a
 * node, the token or id of a machine, or the path of a group. If all fields are empty, it is the
 * cluster. The name of a node means the machine that is in its slot now; with is_previous, the last
 * machine that was destroyed there. */
struct service_why {
    struct text cluster;
    struct text hold;
    uint64_t event;
    struct text name;
    bool is_previous;
};

/* Answers {"act","actor","cluster","description","fact","inputs":{...},"pass","revision","rule",
 * "steps":[EVENT],"subject","time"}: the decision, the inputs of its rule, and earlier decisions
 * about the same subject. For a node the answer also has its current state
 * ("machine":{"displayed",...}), and whether its slot had another machine before ("hasPrevious").
 * R0434: nothing is known about the subject. */
void service_why(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_why *why, service_done *done, void *arg);

/* The problem of each selected machine: the JSON of {cause,hint,kind,next,nextAt,since}; empty if
 * the machine has no problem. Everything lives in the arena. The repair policies of a cluster's
 * groups are read once for consecutive machines of the cluster (service_problem.c). */
struct select_node;
struct service_problems;

struct select_nodes;

/* Answers how reeve would repair the selected nodes that have a problem, within the policies of
 * their groups: {items: [{by, cause, cluster, group, node, state, why}], left: [{cluster, group,
 * node, state, why}], revision}. `by` is bootstrap, reboot or replace. Changes nothing
 * (service_repairs.c). */
void service_repairs(struct service *service, struct arena *arena, const struct select_nodes *nodes,
                     service_done *done, void *arg);

struct service_problems *service_problems_new(const struct service *service, struct arena *arena);
struct text service_problem_text(struct service_problems *problems, const struct select_node *node);

/* Answers the facts of the members of a cluster, in the form of /etc/cluster_facts.json. If `node`
 * (name, token or machine id) is not empty, answers the facts of that member only. R0403: the
 * cluster or node does not exist; R0730: no facts are known yet. */
void service_facts(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text cluster, struct text node, service_done *done, void *arg);

/* Answers the last part of a machine's console, as its provider returns it: {console, node}. R0403:
 * the machine does not exist; R0548: this process has no controller; R0717: the machine has no
 * console; R0718: the provider does not return it. */
void service_console(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text cluster, struct text node,
                     service_done *done, void *arg);

/* Answers the output of a machine's stages: {lines: [{attempt, stage, text, time}], more, next}.
 * R0403: the machine does not exist; R0548: this process has no controller; R0426: `from` is
 * invalid; R0729: the output cannot be read. */
void service_logs(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_logs *logs, service_done *done, void *arg);

/* Answers the managers of the store: {items, name, store, assigned, unassigned, waiting, clusters,
 * note}. `waiting` lists the clusters of the tenant without a lease holder, with the reason. If the
 * query requests it, `clusters` has the holder of each cluster. R0548: this process reconciles no
 * clusters of a shared store. */
void service_managers(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_managers_query *query,
                      service_done *done, void *arg);

/* Answers the plugins of this manager, or (name not empty) one. R0611: there is no such plugin. */
void service_plugins(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text name, service_done *done,
                     void *arg);

#endif
