#ifndef REEVE_SERVICE_MUTATION_MEMBERS_H
#define REEVE_SERVICE_MUTATION_MEMBERS_H

#include "service/service_parts.h"

/* Report the free slots that the change fills. Omit lower free slots, which would be filled without
 * the change too, and slots from which a machine is being removed. */
/* public names start with: mutation_members_ */

/* Requests about some members of one node group, sent with an empty patch of that group: `replace`
 * and `reboot` (private to mutation*.c).
 *
 * Normal case: mutation_members_begin reads the records of the group. mutation_members_choose
 * selects the members in the request. The caller builds a document from mutation_members_tokens.
 * mutation_members_write puts that document among the group's stored requests, in the transaction
 * of the change. mutation_members_report adds counts and names to the plan.
 *
 * Failure modes: each function that returns false has filled *err, and nothing is written. */

struct mutation_members;

/* The properties of one kind of request. */
struct mutation_members_kind {
    enum code code;
    /* name of the request parameter, of the stored request, and of its member in the plan:
     * "reboot" */
    const char *name;
    /* past participle for errors, and the name of the plan's list of names: "rebooted" */
    const char *past;
    size_t named_max;      /* maximal number of members in one request */
    const char *max_hint;  /* hint if the request contains more members */
    const char *gone_hint; /* hint if the machine of a member is being destroyed */
    /* True if the request may include this member. Not called for members that are being created or
     * destroyed. */
    bool (*check)(const struct mutation_members *members, const struct record *record,
                  struct err *err);
    /* True if the same was already requested for the member, so that it is not counted again. NULL:
     * `check` decides that. */
    bool (*is_requested)(const struct record *record);
};

struct mutation_members {
    const struct mutation_members_kind *kind;
    struct mutation *mutation;
    struct arena *arena;
    struct text cluster_id;
    struct text path; /* path of the group */
    /* The stored operator requests about the group, and their key (records/commands.h). */
    const struct cache_object *control;
    struct text control_id;
    struct doc requests;
    struct record *records; /* records of the group */
    size_t record_count;
    bool *is_chosen;   /* true for chosen records; one entry for each record */
    size_t count;      /* number of chosen records */
    bool is_protected; /* true: the whole group is protected; only `replace` uses this */
};

/* Fill *out. Fails with the code of the kind if the request changes anything else. */
MUST_CHECK bool mutation_members_begin(struct mutation *mutation,
                                       const struct mutation_members_kind *kind,
                                       struct mutation_members *out, struct err *err);

/* Reject the request because of one member. `name` is spelled as in the request or in the record.
 * Always returns false. */
MUST_CHECK bool mutation_members_refuse(const struct mutation_members *members, struct text name,
                                        const char *why, const char *hint, struct err *err);

/* True if the request may include this member. Sets *err for a member that is being created or
 * destroyed. */
MUST_CHECK bool mutation_members_check(const struct mutation_members *members,
                                       const struct record *record, struct err *err);

/* Choose one record. A record that is already chosen or requested is not counted again. */
void mutation_members_add(struct mutation_members *members, size_t index);

/* Choose the members that the request gives by name, range of names, id or token. If a slot has two
 * machines, the one that is being destroyed can be given only by its token. */
MUST_CHECK bool mutation_members_choose(struct mutation_members *members, struct text names,
                                        struct err *err);

/* Return a list of the tokens of the chosen members. */
struct doc mutation_members_tokens(const struct mutation_members *members);

/* Write the request into the stored requests of the group, where it replaces an earlier request of
 * this kind. */
void mutation_members_write(struct mutation_members *members, struct doc request);

/* Add the number and the names of the chosen members to the plan. */
void mutation_members_report(struct mutation_members *members);

#endif
