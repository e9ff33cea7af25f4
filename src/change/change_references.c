#include "change/change_work.h"
#include "model/nest.h"

/* Reads the objects outside the request to which a `from` of the request refers, from the current
 * state. Their own references are already resolved, so they are not followed. */

/* True if the sender may read the object. A reference must not give access to an object that the
 * sender may not read. */
static bool is_readable(const struct change_work *work, const struct schema_kind *kind,
                        struct text name, struct text path)
{
    const struct change_reach *reach = work->request->reach;

    return reach == NULL || reach->may_read(reach->arg, kind, name, path);
}

static void reference_add(struct change_work *work, const char *kind_name, struct text name,
                          struct text path)
{
    const struct schema_kind *kind = objects_kind(kind_name);
    struct text key = arena_printf(work->arena, "%s/%.*s", kind_name, TEXT_ARG(name));
    const struct cache_object *object;
    struct stored_object stored;
    struct doc own;
    struct err err;

    if (map_find(&work->targets, key) != NULL || map_find(&work->known, key) != NULL) {
        return;
    }
    object = objects_find(work->cache, work->request->tenant, kind, name);
    if (object == NULL) {
        return; /* reported at the position of the reference when the reference is resolved */
    }
    if (!objects_read(work->arena, work->cache, kind, object, &stored, &err)) {
        err_list_add(work->errors, &err);
        return;
    }
    if (!is_readable(work, kind, stored.part.meta.name, path)) {
        return;
    }
    own = stored_join(work->arena, &stored, STORED_OWN);
    own = nest_put(work->arena, &own, "name", doc_text(stored.part.meta.name, NULL));
    own = nest_put(work->arena, &own, "fixed", stored.part.fixed);
    model_set_add_stored(&work->set, kind, &own, stored_made(work->arena, &stored), true)
        ->revision = object->parts[CACHE_SPEC].revision;
    map_put(&work->known, key, work);
    change_pin(work,
               objects_key(work->arena, work->request->tenant, text_from(kind->name),
                           cache_id(object), CACHE_SPEC),
               object->parts[CACHE_SPEC].revision);
}

/* Add the owner of a reference to an object or to a group in it: OBJECT/PATH. */
static void owner_add(struct change_work *work, const char *kind, const struct doc *reference)
{
    if (doc_is_scalar(reference) && !doc_is_null(reference) && reference->text.length > 0) {
        size_t slash = text_find_byte(reference->text, '/');

        reference_add(work, kind, text_slice(reference->text, 0, slash),
                      slash == SIZE_MAX
                          ? TEXT("")
                          : text_slice(reference->text, slash + 1, reference->text.length));
    }
}

static void from_add(struct change_work *work, const struct doc *from)
{
    const struct doc *template = doc_child(from, "nodegrouptemplate");

    owner_add(work, "ClusterTemplate", doc_child(from, "template"));
    owner_add(work, "Cluster", doc_child(from, "cluster"));
    owner_add(work, "Cluster", doc_child(from, "nodegroup"));
    if (doc_is_scalar(template)) {
        bool is_in_cluster = text_find_byte(template->text, '/') != SIZE_MAX;

        owner_add(work, is_in_cluster ? "ClusterTemplate" : "NodeGroupTemplate", template);
    }
}

static void groups_add(struct change_work *work, const struct doc *groups)
{
    for (size_t i = 0; doc_is_map(groups) && i < groups->entry_count; i++) {
        from_add(work, doc_child(&groups->entries[i].value, "from"));
        groups_add(work, doc_child(&groups->entries[i].value, "groups"));
    }
}

void change_references_add(struct change_work *work)
{
    size_t count = work->set.count;

    for (size_t i = 0; i < count; i++) {
        struct doc own = work->set.objects[i].own; /* adding an object moves the other objects */

        from_add(work, doc_child(&own, "from"));
        groups_add(work, doc_child(&own, "groups"));
    }
}
