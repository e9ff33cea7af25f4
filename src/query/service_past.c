#include "change/show.h"
#include "query/query_parts.h"

#include <assert.h>
#include <string.h>

/* Reads one object at an earlier revision from the store, because the cache has only the current
 * state. It looks up the object's id by its name at that time, then the spec and the keys below it,
 * and then the groups of a cluster. */

struct past {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    struct service_get get;
    struct text cluster; /* name or id of the cluster */
    struct text path;    /* path of the requested group */
    struct text id;
    struct text bytes;
    struct text base;
    uint64_t revision; /* revision of the spec */
    service_done *done;
    void *arg;
};

static void past_refuse(struct past *past, const struct err *err)
{
    service_refuse(past->service, past->arena, err, past->done, past->arg);
}

static void past_unfound(struct past *past)
{
    struct err err;

    err_set(&err, CODE_R0403, "there was no %s '%.*s' at revision %llu", past->get.kind->singular,
            TEXT_ARG(past->get.name), (unsigned long long)past->get.at_revision);
    past_refuse(past, &err);
}

static void past_report(struct past *past, const struct show *show)
{
    struct service *service = past->service;
    struct err_list errors;
    struct buf buf;
    struct err err;

    buf_init(&buf, past->arena);
    if (!show_whole(&buf, show, &err)) {
        past_refuse(past, &err);
        return;
    }
    err_list_init(&errors, past->arena);
    past->done(past->arg, &(struct service_answer){ .errors = &errors,
                                                    .body = buf_text(&buf),
                                                    .revision = cache_revision(service->cache),
                                                    .etag = past->revision });
}

struct map service_values_index(struct arena *arena, const struct store_answer *answer,
                                struct text part)
{
    struct map map;

    map_init(&map, arena);
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];

        if (text_has_suffix(item->key, part)) {
            map_put(&map, text_slice(item->key, 0, item->key.length - part.length),
                    (void *)&item->value);
        }
    }
    return map;
}

static void past_groups_read(struct past *past, const struct store_answer *answer,
                             struct show *show)
{
    size_t skip = objects_group_prefix(past->arena, past->actor.tenant, past->id).length;
    struct map bases = service_values_index(past->arena, answer, TEXT("/base"));

    show->groups = arena_array(past->arena, struct show_group, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_item *item = &answer->items[i];
        struct text front = text_slice(item->key, 0, item->key.length - strlen("/spec"));
        const struct text *base = map_find(&bases, front);

        if (text_has_suffix(item->key, TEXT("/spec"))) {
            show->groups[show->group_count++] =
                (struct show_group){ arena_text(past->arena,
                                                text_slice(front, skip, front.length - skip)),
                                     arena_text(past->arena, item->value),
                                     base == NULL ? TEXT("") : arena_text(past->arena, *base) };
        }
    }
}

static void groups_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past *past = arg;
    struct show show = { .kind = text_from(past->get.kind->name),
                         .bytes = past->bytes,
                         .base = past->base,
                         .revision = past->revision };

    if (outcome != OUTCOME_OK) {
        past_refuse(past, &answer->err);
        return;
    }
    past_groups_read(past, answer, &show);
    past_report(past, &show);
}

static void past_base_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past *past = arg;
    struct store_range range = { .at_revision = past->get.at_revision };

    if (outcome != OUTCOME_OK) {
        past_refuse(past, &answer->err);
        return;
    }
    past->base = answer->count > 0 ? arena_text(past->arena, answer->items[0].value) : TEXT("");
    if (past->get.kind->owner != OWNER_CLUSTER) {
        past_report(past, &(struct show){ .kind = text_from(past->get.kind->name),
                                          .bytes = past->bytes,
                                          .base = past->base,
                                          .revision = past->revision });
        return;
    }
    range.prefix = objects_group_prefix(past->arena, past->actor.tenant, past->id);
    store_list(past->service->store, &range, groups_known, past);
}

static void past_part_read(struct past *past, enum cache_part part, store_done *done)
{
    struct text id =
        past->path.length > 0 ? objects_group_id(past->arena, past->id, past->path) : past->id;

    store_get(
        past->service->store,
        objects_key(past->arena, past->actor.tenant, text_from(past->get.kind->name), id, part),
        past->get.at_revision, done, past);
}

static void spec_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past *past = arg;

    if (outcome != OUTCOME_OK) {
        past_refuse(past, &answer->err);
        return;
    }
    if (answer->count == 0) {
        past_unfound(past);
        return;
    }
    past->bytes = arena_text(past->arena, answer->items[0].value);
    past->revision = answer->items[0].revision;
    past_part_read(past, CACHE_BASE, past_base_known);
}

static void past_spec_read(struct past *past)
{
    past_part_read(past, CACHE_SPEC, spec_known);
}

static void name_known(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct past *past = arg;

    if (outcome != OUTCOME_OK) {
        past_refuse(past, &answer->err);
        return;
    }
    past->id = answer->count > 0 ? arena_text(past->arena, answer->items[0].value) : past->cluster;
    past_spec_read(past);
}

static void past_object_find(struct past *past)
{
    enum schema_owner owner = past->get.kind->owner;

    if (owner != OWNER_CLUSTER && owner != OWNER_NODEGROUP) {
        past_spec_read(past);
        return;
    }
    store_get(past->service->store,
              objects_key(past->arena, past->actor.tenant, TEXT("Name"),
                          arena_printf(past->arena, "Cluster/%.*s", TEXT_ARG(past->cluster)),
                          CACHE_BASE),
              past->get.at_revision, name_known, past);
}

static void past_revision_known(void *arg, uint64_t revision, const struct err *fault)
{
    struct past *past = arg;

    if (fault != NULL) {
        past_refuse(past, fault);
        return;
    }
    past->get.at_revision = revision;
    past_object_find(past);
}

void service_past_get(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_get *get,
                      service_done *done, void *arg)
{
    struct past *past = arena_one(arena, struct past);
    size_t slash = text_find_byte(get->name, '/');

    assert(get->at_revision > 0 || get->at_ms > 0);
    *past = (struct past){
        .service = service,
        .arena = arena,
        .actor = *actor,
        .get = *get,
        .cluster = get->name,
        .id = get->name,
        .done = done,
        .arg = arg,
    };
    past->get.name = arena_text(arena, get->name);
    if (get->name.length == 0) {
        past_unfound(past);
        return;
    }
    if (get->kind->owner == OWNER_NODEGROUP) {
        past->cluster = text_slice(past->get.name, 0, slash);
        past->path = slash == SIZE_MAX
                         ? TEXT("")
                         : text_slice(past->get.name, slash + 1, past->get.name.length);
        if (past->path.length == 0 || past->cluster.length == 0) {
            past_unfound(past);
            return;
        }
    }
    if (get->at_revision > 0) {
        past_object_find(past);
    } else {
        service_seek(service, arena, get->at_ms, past_revision_known, past);
    }
}
