#include "change/change_work.h"

/* public names start with: change_ */

/* Visits the groups that a request adds or changes, to check the objects to which they refer. Also
 * finds out whether groups of the same cluster already had a reference. */

void change_leaves_visit(struct change_work *work, change_leaf_visit *visit, void *arg)
{
    for (size_t i = 0; i < work->set.count; i++) {
        const struct model_object *object = &work->set.objects[i];

        for (size_t j = 0;
             object->kind->owner == OWNER_CLUSTER && !object->is_known && j < object->leaf_count;
             j++) {
            visit(arg, object, &object->leaves[j]);
        }
    }
}

bool change_was_named(struct change_work *work, const struct model_object *object,
                      change_leaf_names *names, struct text name)
{
    struct err_list unheard;

    if (work->current == NULL) {
        work->current = arena_one(work->arena, struct model_set);
        change_against_make(work, work->current, &unheard);
    }
    for (size_t i = 0; i < work->current->count; i++) {
        const struct model_object *current = &work->current->objects[i];
        bool is_same = current->kind == object->kind && text_is_equal(current->name, object->name);

        for (size_t j = 0; is_same && j < current->leaf_count; j++) {
            if (names(&current->leaves[j], name)) {
                return true;
            }
        }
    }
    return false;
}
