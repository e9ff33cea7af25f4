#ifndef REEVE_SERVICE_MUTATION_MEMBERS_H
#define REEVE_SERVICE_MUTATION_MEMBERS_H

#include "service/service_parts.h"

/* names: mutation_members_ */

/* Requests about some members of one node group, sent with an empty patch of that group: `replace` and `reboot` (private to mutation*.c).
 *
 * Normal case: mutation_members_begin reads the records of the group, mutation_members_choose those that the request names, the caller
 * makes a document of mutation_members_tokens, mutation_members_write puts it among the group's stored requests in the transaction of
 * the change, and mutation_members_report adds counts and names to the plan.
 *
 * Failure modes: each function that returns false has filled *err, and nothing is written. */

struct mutation_members;

/* What is requested. */
struct mutation_members_kind {
    enum code code;
    const char *name;     /* of the parameter, the stored request and the plan's member: "reboot" */
    const char *past;     /* "rebooted": in errors, and as the plan's list of names */
    size_t named_max;     /* members that one request may name */
    const char *max_hint; /* where it names more */
    const char *gone_hint; /* where the machine of a member is being destroyed */
    /* May this member be meant? It is neither being created nor destroyed. */
    bool (*check)(const struct mutation_members *members, const struct record *record,
                  struct err *err);
    /* Was the same requested of it before, so that it is not counted again? NULL: `check` decides that. */
    bool (*is_requested)(const struct record *record);
};

struct mutation_members {
    const struct mutation_members_kind *kind;
    struct mutation *mutation;
    struct arena *arena;
    struct text cluster_id;
    struct text path; /* of the group */
    /* Stored requests of operators about the group, and their key (words.h). */
    const struct cache_object *control;
    struct text control_id;
    struct doc requests;
    struct record *records; /* of the group */
    size_t record_count;
    bool *is_chosen;   /* of each record */
    size_t count;      /* of those that are chosen */
    bool is_protected; /* the whole group is; only `replace` asks */
};

/* Fill *out. The request may change nothing else. */
MUST_CHECK bool mutation_members_begin(struct mutation *mutation,
                                       const struct mutation_members_kind *kind,
                                       struct mutation_members *out, struct err *err);

/* Refuse the request because of one member; `name` is as the request or the record has it. Returns false. */
MUST_CHECK bool mutation_members_refuse(const struct mutation_members *members, struct text name,
                                        const char *why, const char *hint, struct err *err);

/* May this member be meant? Also refuses one that is being created or destroyed. */
MUST_CHECK bool mutation_members_check(const struct mutation_members *members,
                                       const struct record *record, struct err *err);

/* Choose one record, unless it was requested before. */
void mutation_members_add(struct mutation_members *members, size_t index);

/* Choose the members that the request names: by name, range of names, id or token. Of two machines in a slot the one that is being
 * destroyed is meant by its token alone. */
MUST_CHECK bool mutation_members_choose(struct mutation_members *members, struct text names,
                                        struct err *err);

/* A list of the tokens of those that are chosen. */
struct doc mutation_members_tokens(const struct mutation_members *members);

/* Write the request into the stored requests of the group, in place of an earlier one of this kind. */
void mutation_members_write(struct mutation_members *members, struct doc request);

/* The plan says how many members are meant, and which. */
void mutation_members_report(struct mutation_members *members);

#endif
