#include "query/query_parts.h"
#include "volumes/volume.h"

/* public names start with: service_volume_ volume_ */

/* Handles an operator's command to delete a volume that no machine uses. The command is in the spec
 * part of the volume's record. The lease holder then lists the volumes again, writes its intent,
 * and calls the plugin (src/volumes). */

struct volume_deletion {
    struct service *service;
    struct arena *arena;
    struct doc answer;
    service_done *done;
    void *arg;
};

static void volume_deletion_written(void *arg, enum outcome outcome,
                                    const struct store_answer *answer)
{
    const struct volume_deletion *deletion = arg;
    struct err err = answer->err;

    if (outcome != OUTCOME_OK) {
        if (err.code == CODE_R0502) {
            err_hint(&err, "the volume has changed in the meantime: repeat the command");
        }
        service_refuse(deletion->service, deletion->arena, &err, deletion->done, deletion->arg);
        return;
    }
    service_report(deletion->service, deletion->arena, &deletion->answer, deletion->done,
                   deletion->arg);
}

/* True if the object is the volume in the request, given by key, by the provider's id, or by the
 * displayed name. */
static bool volume_is_named(struct arena *arena, const struct volume *volume, struct text name)
{
    return text_is_equal(volume->key, name) || text_is_equal(volume->id, name) ||
           text_is_equal(volume_name(arena, volume), name);
}

/* Finds the volume. `*out_count` is the number of volumes that match the request. */
static const struct cache_object *service_volume_find(const struct service *service,
                                                      struct arena *arena,
                                                      const struct service_actor *actor,
                                                      const struct service_volume *request,
                                                      struct volume *out, size_t *out_count)
{
    struct text prefix = arena_printf(arena, "/%.*s/" VOLUME_KIND "/", TEXT_ARG(actor->tenant));
    const struct cache_object *found = NULL;
    const struct cache_object *object;

    *out_count = 0;
    for (object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct text id = text_slice(cache_id(object), 0, text_find_byte(cache_id(object), '/'));
        struct arena_mark mark = arena_mark(arena);
        struct volume volume;

        if (!volume_read(arena, object, &volume) ||
            !volume_is_named(arena, &volume, request->name) ||
            (request->cluster.length > 0 && !text_is_equal(request->cluster, volume.cluster) &&
             !text_is_equal(request->cluster, id))) {
            arena_rewind(arena, mark);
            continue;
        }
        *out = volume;
        found = object;
        ++*out_count;
    }
    return found;
}

MUST_CHECK static bool volume_check(const struct service_volume *request,
                                    const struct volume *volume, size_t count, struct err *err)
{
    struct text name = request->name;

    if (count == 0) {
        err_set(err, CODE_R0403, "there is no volume '%.*s'", TEXT_ARG(name));
        return err_hint(err, "reeve get volumes lists them");
    }
    if (count > 1) {
        err_set(err, CODE_R0426, "%zu volumes are called '%.*s'", count, TEXT_ARG(name));
        return err_hint(err, "select one by its key: reeve get volumes -o wide");
    }
    if (volume->state == VOLUME_STATE_DELETING) {
        err_set(err, CODE_R0848, "volume %.*s is being deleted already", TEXT_ARG(name));
        return err_hint(err, "reeve get volumes shows what the provider has answered");
    }
    if (volume->state == VOLUME_STATE_FOREIGN) {
        err_set(err, CODE_R0848, "the tags of volume %.*s are not stamped by this reeve",
                TEXT_ARG(name));
        return err_hint(err, "delete it at the provider, if it is no longer needed");
    }
    if (volume->state == VOLUME_STATE_USED) {
        err_set(err, CODE_R0848, "volume %.*s is used by %.*s", TEXT_ARG(name),
                TEXT_ARG(volume->node.length > 0 ? volume->node : TEXT("a machine")));
        return err_hint(err, "a volume can be deleted when its slot has no machine: reeve scale");
    }
    if (request->destroy < 1) {
        err_set(err, CODE_R0405, "this would destroy 1 volume, but only 0 are allowed");
        return err_hint(err, "its data would be lost permanently; to allow it: --allow destroy=1");
    }
    return true;
}

void service_volume_delete(struct service *service, struct arena *arena,
                           const struct service_actor *actor, const struct service_volume *request,
                           service_done *done, void *arg)
{
    struct volume_deletion *deletion = arena_one(arena, struct volume_deletion);
    struct store_compare compares[2];
    struct doc_builder builder;
    struct store_event event;
    struct volume volume = { 0 };
    struct store_op op;
    struct text cluster;
    struct err err;
    size_t count;
    const struct cache_object *object =
        service_volume_find(service, arena, actor, request, &volume, &count);

    if (!volume_check(request, &volume, count, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    cluster = text_slice(cache_id(object), 0, text_find_byte(cache_id(object), '/'));
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "cluster", doc_text(volume.cluster, NULL));
    doc_builder_put(&builder, "id", doc_text(volume.id, NULL));
    doc_builder_put(&builder, "key", doc_text(volume.key, NULL));
    doc_builder_put(&builder, "name", doc_text(volume_name(arena, &volume), NULL));
    *deletion =
        (struct volume_deletion){ service, arena, doc_builder_map(&builder, NULL), done, arg };
    op = (struct store_op){
        .key = objects_key(arena, actor->tenant, TEXT(VOLUME_KIND), cache_id(object), CACHE_SPEC),
        .value = volume_command_format(arena, actor->user, request->message,
                                       service->ports.wall_ms(service->ports.arg)),
    };
    compares[0] = (struct store_compare){ op.key, object->parts[CACHE_SPEC].revision };
    compares[1] = (struct store_compare){ objects_key(arena, actor->tenant, TEXT(VOLUME_KIND),
                                                      cache_id(object), CACHE_STATUS),
                                          object->parts[CACHE_STATUS].revision };
    event = service_event(service, arena, actor,
                          &(struct service_event){ .type = "volume.delete",
                                                   .cluster = volume.cluster,
                                                   .cluster_id = cluster,
                                                   .group = volume.group,
                                                   .fact = volume_name(arena, &volume),
                                                   .why = request->message });
    service_txn(service, arena, actor, &(struct store_txn){ compares, 2, &op, 1, &event, 1 },
                volume_deletion_written, deletion);
}
