#ifndef REEVE_PLAN_FILE_PARTS_H
#define REEVE_PLAN_FILE_PARTS_H

#include "model/diff.h"
#include "plan/file_plan.h"

/* private to src/plan */
/* public names start with: plan_ planning */

/* Internal parts of file_plan.h that its source files share. */

/* One plan under construction. */
struct planning {
    struct arena *arena;
    struct file_plan_options options;
    struct file_plan_summary *summary;
    /* Provides the fields that a plugin changes without replacing the machine; NULL: unknown. */
    const struct model_plugins *plugins;
    bool is_compared;
    bool has_machines; /* the described object has machines; false for a template */
};

/* A list of documents. It grows in the arena. */
struct plan_list {
    struct arena *arena;
    struct doc *items;
    size_t count;
    size_t room;
};

/* Add an item. */
void plan_list_add(struct plan_list *list, struct doc item);

/* Return the list as a document. */
struct doc plan_list_doc(const struct plan_list *list);

/* Return a document that contains the text. */
struct doc plan_text(struct text text);

/* Return a number as a document. */
struct doc plan_number(struct planning *planning, uint64_t number);

/* Returns "create", "destroy", "change" or "none" for a pair of versions. A version that is NULL
 * does not exist. */
const char *plan_change_word(const void *old_side, const void *new_side, bool differs);

/* Add every value of a tree to the list, with its path below `outer`, its origin and its position.
 * A list counts as one value. */
void plan_values_add(struct planning *planning, struct plan_list *values, struct text outer,
                     const struct doc *doc);

/* Add the built-in defaults of an owner that the document does not set. */
void plan_defaults_add(struct planning *planning, struct plan_list *values, enum schema_owner owner,
                       const struct doc *doc);

/* Return the list of changes without the paths for which is_left_out() returns true. NULL keeps all
 * paths. */
struct doc plan_changes_doc(struct planning *planning, const struct diff *diff,
                            bool (*is_left_out)(struct text path));

/* Return the labels of a leaf: its own labels, and the labels of its parent that it drops or
 * overrides (M22). */
struct doc plan_labels_doc(struct planning *planning, const struct model_leaf *leaf);

/* Describes the groups of two versions of an object and adds to the summary (file_groups.c). One of
 * the versions may be NULL. */
struct doc plan_groups_doc(struct planning *planning, const struct model_object *old_object,
                           const struct model_object *new_object);

#endif
