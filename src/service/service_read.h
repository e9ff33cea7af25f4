#ifndef REEVE_SERVICE_SERVICE_READ_H
#define REEVE_SERVICE_SERVICE_READ_H

#include "service/service.h"

/* names: service_ */

/* Requests that read: lists, objects, events, records of the controller, archived passes, and the
 * state of machines. */

/* A list of objects of a kind. Zero fields are no condition. */
struct service_list {
    const struct schema_kind *kind;
    struct text cluster;  /* of node groups: only those of this cluster, by name or id */
    struct text selector; /* labels; see UX.md 3.2 */
    struct text next;     /* token of the former page */
    struct text fields;   /* only these fields: metadata.name,spec.size */
    size_t limit;
    uint64_t at_revision; /* at this revision; 0: now */
    uint64_t at_ms;       /* the same by time, since 1970; used if at_revision is 0 */
    bool is_lines;        /* one object on each line; the token is only in the answer */
    bool can_take_rows;   /* The sender accepts rows (service_rows.h) for a long list. */
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
    SERVICE_VIEW_HISTORY,   /* its revisions: who made them, when, and why */
};

/* One object by name or id, now or (OBJECT only) at a revision, by its name at that revision. */
struct service_get {
    const struct schema_kind *kind;
    struct text name;
    enum service_view view;
    uint64_t at_revision; /* 0: now */
    uint64_t at_ms;       /* the same by time, since 1970; used if at_revision is 0 */
};

void service_get(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_get *get, service_done *done, void *arg);

/* The name of an object given by name or id; of a group CLUSTER/PATH. Of the arena; empty if there
 * is none. */
struct text service_name_find(struct service *service, struct arena *arena,
                              const struct service_actor *actor, const struct schema_kind *kind,
                              struct text name);

/* The name of the cluster with this id; empty if there is none (any more). */
struct text service_cluster_name(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text id);

/* Events of one cluster, in order of their numbers, or (cluster empty) of the whole tenant in order
 * of revision; above a number, or revision. Answers {"items":[...],"more":BOOL,"revision":N}.
 *
 * Without `is_newest` these are the oldest above `after`, and `more` says that newer ones follow.
 * With it they are the newest below `before` (0: of all), and `more` says that older ones exist.
 * `since_revision` and `since_ms` (wall time) raise `after`; 0: they do not. */
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

/* The live stream of events (state/event_tail.h). It is freed with the service. */
struct event_tail *service_event_tail(struct service *service);

/* ---- records of the controller ---- */

/* Is this a kind that the controller writes: Resource, Hold, Job? */
bool service_is_kept(const struct schema_kind *kind);

/* The requested records: of a cluster, or (empty) of the whole tenant; pages as in service_list. */
struct service_kept {
    const struct schema_kind *kind;
    struct text cluster;
    struct text group; /* of holds: those of this group and of groups below it; empty: all */
    struct text next;
    size_t limit; /* 0: the page size */
};

/* The current records:
 * {"items":[{"kind":"Resource","metadata":{cluster,group,id,name,revision},
 * "status":{...}}],"next","revision"}.
 * The name of a hold is [GROUP:]RULE, that of a job the revision of its change. */
void service_kept(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_kept *kept, service_done *done, void *arg);

/* The jobs with this number, one for each cluster of the change. R0403: there is none. */
void service_job(struct service *service, struct arena *arena, const struct service_actor *actor,
                 struct text number, service_done *done, void *arg);

/* One such record, for display. */
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

/* The archived passes of a cluster, oldest first: {"items":[{"base","pass"}],"revision"}. */
void service_passes(struct service *service, struct arena *arena, const struct service_actor *actor,
                    struct text cluster, service_done *done, void *arg);

/* One archived pass:
 * {"actions","base","cluster","epoch","holds","kept","pass","planner","record","revision","time"}
 * and, unless only the record is requested, {"limits","plan":[LINE],"world":{...}}. The record is
 * the input from which the decision can be repeated (plan/ledger.h), in hexadecimal. R0435: the
 * pass is not archived. */
struct service_pass {
    struct text cluster;
    uint64_t number;
    bool is_record;
};

void service_pass_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_pass *pass,
                      service_done *done, void *arg);

/* The subject of a `why` request: a hold [GROUP:]RULE, an event by its number, or by name a node, a
 * machine's token or id, or a group's path; all empty: the cluster. A node is the machine that is
 * in its slot now; with is_previous it is the last machine that was destroyed there. */
struct service_why {
    struct text cluster;
    struct text hold;
    uint64_t event;
    struct text name;
    bool is_previous;
};

/* Answers
 * {"act","actor","cluster","description","fact","inputs":{...},"pass","revision","rule",
 * "steps":[EVENT],"subject","time"}:
 * the decision, the inputs of its rule, and earlier decisions about the same subject. For a node
 * also its present state ("machine":{"displayed",...}) and whether another machine was in its slot
 * before ("hasPrevious"). R0434: nothing is known. */
void service_why(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_why *why, service_done *done, void *arg);

/* The problem of each selected machine: the JSON of {cause,hint,kind,next,nextAt,since}; empty:
 * none. The repair policies of a cluster's groups are read once for consecutive machines of it
 * (service_problem.c). Of the arena. */
struct select_node;
struct service_problems;
struct service_problems *service_problems_new(const struct service *service, struct arena *arena);
struct text service_problem_text(struct service_problems *problems, const struct select_node *node);

/* The facts of a cluster's members: the bytes of /etc/cluster_facts.json, or (node not empty: name,
 * token or machine id) those of one member. R0403; R0730: no facts are known yet. */
void service_facts(struct service *service, struct arena *arena, const struct service_actor *actor,
                   struct text cluster, struct text node, service_done *done, void *arg);

/* Output of a machine's stages: {lines: [{attempt, stage, text, time}], more, next}. R0403; R0548:
 * this process has no controller; R0426: `from` is invalid; R0729: the output cannot be read. */
void service_logs(struct service *service, struct arena *arena, const struct service_actor *actor,
                  const struct service_logs *logs, service_done *done, void *arg);

/* The plugins of this manager, or (name not empty) one of them. R0611: there is none. */
void service_plugins(struct service *service, struct arena *arena,
                     const struct service_actor *actor, struct text name, service_done *done,
                     void *arg);

#endif
