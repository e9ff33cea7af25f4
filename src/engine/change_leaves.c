#include "engine/change_work.h"

/* names: change_ */

/* The groups that a request brings or changes, and what the same clusters named before: for checks of what groups refer to. */

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

    if (work->standing == NULL) {
        work->standing = arena_one(work->arena, struct model_set);
        change_against_make(work, work->standing, &unheard);
    }
    for (size_t i = 0; i < work->standing->count; i++) {
        const struct model_object *standing = &work->standing->objects[i];
        bool is_same =
            standing->kind == object->kind && text_is_equal(standing->name, object->name);

        for (size_t j = 0; is_same && j < standing->leaf_count; j++) {
            if (names(&standing->leaves[j], name)) {
                return true;
            }
        }
    }
    return false;
}
