#include "base/time.h"
#include "change/change_work.h"
#include "records/commands.h"

/* public names start with: change_ */

/* Checks pauses of deleted objects. An operator has paused a cluster or a group so that reeve
 * changes nothing there, and its deletion would also remove the pause. If an object is deleted by
 * name, its pause is removed in the same transaction: the change lists these pauses, and the sender
 * must confirm them (decision 0092). If an object would be deleted because a file omits it, the
 * change is rejected, because the sender has not explicitly listed the object. */

static const struct cache_object *words_find(struct change_work *work,
                                             const struct change_object *object, struct text path)
{
    struct text id =
        path.length == 0 ? object->id : objects_group_id(work->arena, object->id, path);

    return cache_find(work->cache, work->request->tenant, TEXT("Control"), id);
}

/* True if the group exists after the change, possibly at another path. */
static bool stays(const struct change_object *object, const struct stored_group *group)
{
    for (size_t i = 0; !object->is_deleted && i < object->new_stored.group_count; i++) {
        if (text_is_equal(object->new_stored.groups[i].part.meta.id, group->part.meta.id)) {
            return true;
        }
    }
    return false;
}

/* Add a pause that the change removes: {kind, name} of the paused object, and {at, by, until?,
 * why?} of the pause. */
static void lift_add(struct change_work *work, const char *kind, struct text name,
                     const struct doc *paused)
{
    struct doc_builder builder;

    doc_builder_init(&builder, work->arena);
    for (size_t i = 0; i < paused->entry_count; i++) {
        doc_builder_add(&builder, &paused->entries[i]);
    }
    doc_builder_put(&builder, "kind", doc_text(text_from(kind), NULL));
    doc_builder_put(&builder, "name", doc_text(name, NULL));
    if (work->lift_count == work->lift_room) {
        size_t room = work->lift_room * 2 + 4;

        work->lifts = arena_grow(work->arena, work->lifts, work->lift_room * sizeof(*work->lifts),
                                 room * sizeof(*work->lifts));
        work->lift_room = room;
    }
    work->lifts[work->lift_count++] = doc_builder_map(&builder, NULL);
}

/* Record the pause of a deleted cluster or, with `path`, of a group that is deleted alone or with
 * its cluster. */
static void pause_note(struct change_work *work, const struct change_object *object,
                       struct text path)
{
    bool is_group = path.length > 0;
    struct text name = arena_printf(work->arena, "%.*s%s%.*s", TEXT_ARG(object->old_name),
                                    is_group ? "/" : "", TEXT_ARG(path));
    struct doc commands = commands_read(work->arena, words_find(work, object, path));
    int64_t now_ms = 0;
    struct err *err;

    if (!time_parse(work->request->now, &now_ms) ||
        !commands_is_paused(&commands, (uint64_t)now_ms)) {
        return;
    }
    if (work->request->mode == CHANGE_DELETE) {
        lift_add(work, is_group ? "NodeGroup" : "Cluster", name, doc_child(&commands, "paused"));
        return;
    }
    err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0437,
                       "%s '%.*s' is paused: none of its machines is destroyed",
                       is_group ? "nodegroup" : "cluster", TEXT_ARG(name));
    err_hint(err, "reeve resume %.*s first; reeve delete %s %.*s ends the pause automatically",
             TEXT_ARG(name), is_group ? "nodegroup" : "cluster", TEXT_ARG(name));
}

void change_pauses_note(struct change_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        const struct change_object *object = work->order[i]->out;

        if (object->kind->owner != OWNER_CLUSTER || object->revision == 0) {
            continue;
        }
        if (object->is_deleted) {
            pause_note(work, object, TEXT(""));
        }
        for (size_t j = 0; j < object->old_stored.group_count; j++) {
            const struct stored_group *group = &object->old_stored.groups[j];

            if (words_find(work, object, group->path) != NULL && !stays(object, group)) {
                pause_note(work, object, group->path);
            }
        }
    }
}
