#ifndef REEVE_CHANGE_CHANGE_WORK_H
#define REEVE_CHANGE_CHANGE_WORK_H

#include "change/change.h"

/* private to src/change */

/* Internals of change.h, shared by the files of this module. */

/* One object of the request, while the change is computed. */
struct change_target {
    struct change_object *out;
    size_t index; /* index of the target's object in the set */
    /* The document of the request in normal form. NULL: the request contains only groups of this
     * cluster. */
    const struct doc *file;
    struct stored_object stored;       /* the current state, with groups moved by renamedFrom */
    const struct model_others *others; /* groups that are not read; NULL: none */
    bool is_request;    /* the request is the complete value, not a file to be merged */
    bool is_group_only; /* The request contains only groups of the cluster. */
};

struct change_work {
    struct arena *arena;
    const struct cache *cache;
    const struct change_request *request;
    struct err_list *errors;
    struct model_set set;
    /* set with the documents of the request: `set`, or the set of deleted objects */
    struct model_set *named;
    struct map targets; /* maps "KIND/NAME" to struct change_target */
    /* the current state; NULL until the first call of change_was_named, which builds it */
    struct model_set *current;
    struct change_target **order;
    size_t count;
    size_t room;
    /* Maps "KIND/NAME" to objects that were added because objects of the request derive from
     * them. */
    struct map known;
    struct store_compare *pins;
    size_t pin_count;
    size_t pin_room;
    struct doc *lifts; /* pauses that end with deleted objects */
    size_t lift_count;
    size_t lift_room;
    bool is_protected; /* see struct change */
    bool is_early;     /* see struct change */
};

/* Pins a key to the revision at which it was read. */
void change_pin(struct change_work *work, struct text key, uint64_t revision);

/* Return the sorted paths of those groups of a cluster that are documents of the request
 * (change.c). */
struct text *change_paths_named(struct change_work *work, struct text cluster, size_t *count);

/* Reads only those groups of an existing cluster that the request can change. Returns false if this
 * is not sufficient; the caller then reads all groups (change_partial.c). change_partial_groups is
 * used if the request contains only groups of the cluster. change_partial_file is used if the
 * request has a document of the cluster, from which it removes unchanged groups. */
bool change_partial_groups(struct change_work *work, struct change_target *target,
                           const struct cache_object *current);
bool change_partial_file(struct change_work *work, struct change_target *target,
                         const struct cache_object *current);

/* Add the sources from which documents of the set derive, unless they are in the set
 * (change_references.c). */
void change_references_add(struct change_work *work);

/* Report errors: a group refers to an account that does not exist or belongs to another plugin; an
 * account refers to a secret that does not exist; a secret still has its value in clear text, which
 * must not be stored (change_accounts.c). */
void change_accounts_check(struct change_work *work);

/* Warns about stages of machines to which reeve cannot log in (change_plugins.c). This check is
 * last, because the answer has the code of the first problem. */
void change_stages_check(struct change_work *work);

/* Reject fields that only the command line reads (change_fields.c). */
void change_fields_check(struct change_work *work);

/* Rejects a path of `takes` at which no document has a value (change_takes.c). */
void change_takes_check(struct change_work *work);

/* change_leaves_visit visits the groups that the request adds or changes. change_was_named returns
 * true if a group of the same cluster already has this reference in its current state. Such a
 * reference must not block other changes of the cluster (change_leaves.c). */
typedef void change_leaf_visit(void *arg, const struct model_object *object,
                               const struct model_leaf *leaf);
typedef bool change_leaf_names(const struct model_leaf *leaf, struct text name);
void change_leaves_visit(struct change_work *work, change_leaf_visit *visit, void *arg);
bool change_was_named(struct change_work *work, const struct model_object *object,
                      change_leaf_names *names, struct text name);

/* Returns the document with each reference to a configuration resolved to a revision, and with the
 * content of the revision next to it. An unknown configuration is an error
 * (change_configurations.c). */
struct doc change_configurations_resolve(struct change_work *work, const struct doc *document);

/* Like change_configurations_resolve, for a merged document whose errors were already reported. */
struct doc change_configurations_follow(struct change_work *work, const struct doc *merged);

/* Report an error if a group has a new reference to a bundle that is not stored, or has more stages
 * than a node may have (change_bundles.c). */
void change_bundles_check(struct change_work *work);

/* Report an error if a group has a new reference to a plugin that this manager does not know.
 * Report only a warning if the request allows it, or if the group already used the plugin
 * (change_plugins.c). */
void change_plugins_check(struct change_work *work);

/* Build the set of the current state of the request's objects; its errors are discarded
 * (change.c). */
void change_against_make(struct change_work *work, struct model_set *against,
                         struct err_list *unheard);

/* Report an error if the request deletes an account or a secret that is in use. */
void change_accounts_keep(struct change_work *work);

/* Report an error if the plan destroys objects whose current state is protected, and record whether
 * it changes such objects (change_protect.c). */
void change_protect_check(struct change_work *work, const struct model_set *against,
                          const struct doc *plan);

/* Record the pauses that end with deleted objects. Report an error if a paused object would be
 * deleted that the sender has not listed (change_pauses.c). */
void change_pauses_note(struct change_work *work);

/* For every target, add the records that differ from the current state to the keys to write
 * (change_records.c). */
void change_records_make(struct change_work *work, struct change *change);

#endif
