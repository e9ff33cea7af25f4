#ifndef REEVE_SERVICE_CHANGE_WORK_H
#define REEVE_SERVICE_CHANGE_WORK_H

#include "service/change.h"

/* Inside of change.h: what its parts share. */

/* One object that the request is about, while the change is made. */
struct change_target {
    struct change_object *out;
    size_t index; /* of its object in the set */
    const struct doc
        *file; /* what the request says, in normal form; NULL for a cluster whose groups
                                    alone are named */
    struct stored_object stored;       /* as it stands, groups moved as renamedFrom says */
    const struct model_others *others; /* groups that are not looked at; NULL = none */
    bool is_request;                   /* the request says all of it, not a file to be laid over */
    bool is_group_only;                /* only groups of it are named */
};

struct change_work {
    struct arena *arena;
    const struct cache *cache;
    const struct change_request *request;
    struct err_list *errors;
    struct model_set set;
    struct model_set *named;   /* the documents of the request: `set`, or those of what shall go */
    struct map targets;        /* "KIND/NAME" to struct change_target */
    struct model_set *current; /* the current state, made by change_was_named; NULL before */
    struct change_target **order;
    size_t count;
    size_t room;
    struct map
        known; /* "KIND/NAME" of what was added because others are made from it, to its object */
    struct store_compare *pins;
    size_t pin_count;
    size_t pin_room;
    struct doc *lifts; /* pauses that end with what is deleted */
    size_t lift_count;
    size_t lift_room;
    bool is_protected; /* see struct change */
    bool is_early;     /* the same */
};

/* Pin a key to the revision it was read at. */
void change_pin(struct change_work *work, struct text key, uint64_t revision);

/* Paths of the groups of a cluster that documents of their own name, sorted (change.c). */
struct text *change_paths_named(struct change_work *work, struct text cluster, size_t *count);

/* Read only those groups of a standing cluster that the request can change, where that is all that needs to
 * be looked at. False: it is not; read all (change_partial.c). For a cluster of which groups alone are
 * named; and for one whose document is given, which loses the groups that are as they stand. */
bool change_partial_groups(struct change_work *work, struct change_target *target,
                           const struct cache_object *current);
bool change_partial_file(struct change_work *work, struct change_target *target,
                         const struct cache_object *current);

/* Add what the documents of the set are made from and that is not among them (change_references.c). */
void change_references_add(struct change_work *work);

/* Faults where a group names an account that is not there or is another plugin's, an account a secret that is not there;
 * and where a secret still has its value, which stands nowhere in the clear (change_accounts.c). */
void change_accounts_check(struct change_work *work);

/* Refuse fields that only the command line reads (change_fields.c). */
void change_fields_check(struct change_work *work);

/* Visit the groups that the request brings or changes; and does a group of the same cluster name this as it stands? Whoever changes
 * something else of a cluster is not stopped by what it names already (change_leaves.c). */
typedef void change_leaf_visit(void *arg, const struct model_object *object,
                               const struct model_leaf *leaf);
typedef bool change_leaf_names(const struct model_leaf *leaf, struct text name);
void change_leaves_visit(struct change_work *work, change_leaf_visit *visit, void *arg);
bool change_was_named(struct change_work *work, const struct model_object *object,
                      change_leaf_names *names, struct text name);

/* Faults where a group comes to name a bundle that is not here (change_bundles.c). */
void change_bundles_check(struct change_work *work);

/* Faults where a group comes to name a plugin that nobody here knows; warnings where that was agreed to, or where it named that
 * plugin before (change_plugins.c). */
void change_plugins_check(struct change_work *work);

/* The set of the current state, of the objects of the request; its faults are nobody's (change.c). */
void change_against_make(struct change_work *work, struct model_set *against,
                         struct err_list *unheard);

/* Faults where an account or a secret goes that is in use. */
void change_accounts_keep(struct change_work *work);

/* Faults where the plan destroys what is protected as it stands; and whether it changes such a thing (change_protect.c). */
void change_protect_check(struct change_work *work, const struct model_set *against,
                          const struct doc *plan);

/* Pauses that end with what is deleted; faults where what is paused would go without being named (change_pauses.c). */
void change_pauses_note(struct change_work *work);

/* The records of every target that differ from the current state, as keys to write (change_records.c). */
void change_records_make(struct change_work *work, struct change *change);

#endif
