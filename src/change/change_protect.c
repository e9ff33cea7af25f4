#include "change/change_work.h"

/* Objects with `protected: true`, and machines in them, are not destroyed until a separate change
 * sets the field to false. The check uses the current value of the field, not the value in the
 * request. */

static bool is_change_protect_true(const struct doc *doc, const char *field)
{
    const struct doc *value = doc_child(doc, field);

    return doc_is_scalar(value) && text_is(value->text, "true");
}

static void change_protect_fault(struct change_work *work, const char *what, struct text name,
                                 struct text destroyed)
{
    struct err *err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0404,
                                   "%s '%.*s' is protected, but this change would destroy %.*s",
                                   what, TEXT_ARG(name), TEXT_ARG(destroyed));

    err_hint(err, "remove the protection first: reeve set %s/%.*s protected=false", what,
             TEXT_ARG(name));
}

/* True if an object or a group of the plan changes. */
static bool is_change_protect_changed(const struct doc *planned)
{
    const struct doc *change = doc_child(planned, "change");

    return doc_is_scalar(change) && !text_is(change->text, "none");
}

/* Check one group of the plan against its current state. */
static void group_check(struct change_work *work, const struct model_object *current,
                        const struct doc *group)
{
    const struct doc *destroyed = doc_child(group, "destroy");
    const struct doc *was = doc_child(group, "was");
    const struct doc *path = was == NULL ? doc_child(group, "path") : was;
    const struct model_leaf *leaf = map_find(&current->leaf_by_path, path->text);

    if (leaf == NULL) {
        return;
    }
    work->is_protected = work->is_protected || (is_change_protect_changed(group) &&
                                                is_change_protect_true(&leaf->doc, "protected"));
    if (destroyed == NULL) {
        return;
    }
    if (is_change_protect_true(&leaf->doc, "protected")) {
        change_protect_fault(
            work, "nodegroup",
            arena_printf(work->arena, "%.*s/%.*s", TEXT_ARG(current->name), TEXT_ARG(leaf->path)),
            destroyed->text);
    } else if (is_change_protect_true(&current->merged, "protected")) {
        change_protect_fault(work, current->kind->singular, current->name, destroyed->text);
    }
}

/* Check one object of the plan. */
static void object_check(struct change_work *work, const struct model_set *against,
                         const struct doc *object)
{
    const struct doc *was = doc_child(object, "was");
    const struct doc *name = was == NULL ? doc_child(object, "name") : was;
    const struct doc *kind = doc_child(object, "kind");
    const struct doc *change = doc_child(object, "change");
    const struct doc *groups = doc_child(object, "groups");
    const struct schema_kind *row = schema_kind_find(kind->text);
    const struct model_object *current = model_set_find(against, row->name, name->text);

    if (current == NULL) {
        return;
    }
    work->is_protected =
        work->is_protected || (is_change_protect_changed(object) &&
                               is_change_protect_true(&current->merged, "protected"));
    if (change != NULL && text_is(change->text, "destroy") &&
        is_change_protect_true(&current->merged, "protected")) {
        change_protect_fault(work, row->singular, current->name, TEXT("it"));
        return;
    }
    for (size_t i = 0; row->owner == OWNER_CLUSTER && doc_is_list(groups) && i < groups->item_count;
         i++) {
        group_check(work, current, &groups->items[i]);
    }
}

void change_protect_check(struct change_work *work, const struct model_set *against,
                          const struct doc *plan)
{
    for (size_t i = 0; i < plan->item_count; i++) {
        object_check(work, against, &plan->items[i]);
    }
}
