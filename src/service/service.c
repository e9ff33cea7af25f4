#include "service/service.h"

#include "base/limits.h"
#include "base/time.h"
#include "change/show.h"
#include "codec/json.h"
#include "model/nest.h"
#include "service/service_parts.h"
#include "service/service_read.h"
#include "state/event_tail.h"
#include "state/flat.h"

#include <assert.h>

/* ---- creation and end ---- */

struct service *service_new(struct store *store, struct cache *cache, struct service_ports ports)
{
    struct arena *memory = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct service *service = arena_one(memory, struct service);

    assert(store != NULL && cache != NULL && ports.wall_ms != NULL && ports.id_make != NULL);
    *service = (struct service){ .memory = memory, .store = store, .cache = cache, .ports = ports };
    /* an earlier process may have ended before it upgraded all groups */
    service->has_config_upgrades = true;
    service->names = names_new(cache);
    service->tail = event_tail_new(store, cache);
    return service;
}

void service_keeps(struct service *service, const struct service_controller *reconciler)
{
    service->reconciler = *reconciler;
}

void service_free(struct service *service)
{
    if (service == NULL) {
        return;
    }
    assert(service->operations == 0 && "the store is closed first, which ends what is under way");
    names_free(service->names);
    event_tail_free(service->tail);
    arena_free(service->config_change_arena);
    arena_free(service->config_arena);
    arena_free(service->returns_arena);
    arena_free(service->commissions_arena);
    arena_free(service->leaves_arena);
    arena_free(service->spare);
    arena_free(service->memory);
}

static void resumed(void *arg, const struct commit_answer *answer)
{
    struct service *service = arg;

    service->is_resuming = false;
    /* on failure, the next run tries again */
    service->is_resumed = answer->outcome == OUTCOME_OK;
}

void service_run(struct service *service)
{
    if (!service->is_resumed && !service->is_resuming) {
        service->is_resuming = true;
        commit_resume(service->memory, service->store, resumed, service);
    }
    if (service_is_ready(service)) {
        service_follow(service);
    }
    /* changes are computed from the content of the cache */
    if (cache_state(service->cache) == CACHE_READY) {
        mutation_run_waiting(service);
    }
}

bool service_is_ready(const struct service *service)
{
    return service->is_resumed && cache_state(service->cache) == CACHE_READY;
}

struct text service_now(const struct service *service, struct arena *arena)
{
    char text[TIME_TEXT_BYTES];

    time_format(service->ports.wall_ms(service->ports.arg), text);
    return arena_text(arena, text_from(text));
}

/* ---- answers ---- */

void service_refuse(struct service *service, struct arena *arena, const struct err *err,
                    service_done *done, void *arg)
{
    struct err_list errors;

    err_list_init(&errors, arena);
    err_list_add(&errors, err);
    done(arg,
         &(struct service_answer){ .errors = &errors, .revision = cache_revision(service->cache) });
}

static void bytes_report(struct service *service, struct arena *arena, struct text body,
                         uint64_t etag, service_done *done, void *arg)
{
    struct err_list errors;

    err_list_init(&errors, arena);
    done(arg, &(struct service_answer){ .errors = &errors,
                                        .body = body,
                                        .revision = cache_revision(service->cache),
                                        .etag = etag });
}

void service_report(struct service *service, struct arena *arena, const struct doc *body,
                    service_done *done, void *arg)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, body);
    bytes_report(service, arena, buf_text(&buf), 0, done, arg);
}

void service_report_body(struct service *service, struct arena *arena, struct text body,
                         service_done *done, void *arg)
{
    bytes_report(service, arena, body, 0, done, arg);
}

void service_report_items(struct service *service, struct arena *arena, struct buf *items,
                          const struct cache_page *page, service_done *done, void *arg)
{
    struct buf body;

    buf_init(&body, arena);
    buf_add_string(&body, "{\"items\":[");
    buf_add(&body, buf_text(items));
    buf_add_string(&body, "]");
    if (page->token.length > 0) {
        buf_printf(&body, ",\"next\":\"%.*s\"", TEXT_ARG(page->token));
    }
    buf_printf(&body, ",\"revision\":%llu}", (unsigned long long)page->revision);
    bytes_report(service, arena, buf_text(&body), 0, done, arg);
}

bool service_unfound(const struct schema_kind *kind, struct text name, struct err *err)
{
    err_set(err, CODE_R0403, "there is no %s '%.*s'", kind->singular, TEXT_ARG(name));
    return err_hint(err, "reeve get %s lists those that exist", kind->plural);
}

/* ---- one object ---- */

static void service_object_report(struct service *service, struct arena *arena,
                                  const struct cache_object *object, service_done *done, void *arg)
{
    struct buf buf;
    struct err err;

    buf_init(&buf, arena);
    if (!show_object_whole(&buf, service->cache, object, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    bytes_report(service, arena, buf_text(&buf), object->parts[CACHE_SPEC].revision, done, arg);
}

static void export_report(struct service *service, struct arena *arena,
                          const struct schema_kind *kind, const struct cache_object *object,
                          service_done *done, void *arg)
{
    struct stored_object stored;
    struct doc flat;
    struct err err;

    if (!objects_read(arena, service->cache, kind, object, &stored, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    flat = flat_export(arena, &stored, cache_id(object));
    service_report(service, arena, &flat, done, arg);
}

/* Report every effective value with its origin. It is computed as the plan of the object against an
 * empty state. */
static void effective_report(struct service *service, struct arena *arena,
                             const struct service_actor *actor, const struct schema_kind *kind,
                             const struct cache_object *object, service_done *done, void *arg)
{
    struct file_plan_options options = { .with_values = true, .with_defaults = true };
    struct file_plan_summary summary;
    struct stored_object stored;
    struct err_list errors;
    struct model_set set;
    struct doc plan;
    struct doc own;
    struct err err;

    if (!objects_read(arena, service->cache, kind, object, &stored, &err)) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    err_list_init(&errors, arena);
    model_set_init(&set, arena, &errors);
    own = stored_join(arena, &stored, STORED_OWN);
    own = nest_put(arena, &own, "name", doc_text(stored.part.meta.name, NULL));
    model_set_add_stored(&set, kind, &own, stored_made(arena, &stored), false);
    model_set_resolve(&set);
    plan = file_plan_make(arena, &set, NULL, options, &summary);
    if (plan.item_count == 1) {
        struct doc view = plan.items[0];

        if (kind->owner == OWNER_CLUSTER && service->reconciler.pass != NULL) {
            size_t count;
            struct record *records =
                service_records(service->cache, arena, actor->tenant, cache_id(object), &count);

            view = service_members_put(arena, &stored, records, count, &view);
        }
        service_report(service, arena, &view, done, arg);
    } else {
        service_report(service, arena, &plan, done, arg);
    }
}

/* ---- history ---- */

struct history {
    struct service *service;
    struct arena *arena;
    service_done *done;
    void *arg;
};

/* Describe one revision: author, time and reason. Clients read the value itself with ?at=. */
static struct doc revision_doc(struct arena *arena, const struct store_item *item)
{
    static const char *const names[] = { "by", "generation", "updated", "why" };
    struct doc_builder builder;
    struct doc value = { 0 };
    struct err err;

    doc_builder_init(&builder, arena);
    if (item->value.length == 0) {
        doc_builder_put(&builder, "deleted", doc_bool(true, NULL));
    } else if (json_parse(arena, arena_text(arena, item->value), NULL, &value, &err)) {
        const struct doc *meta = doc_child(&value, "metadata");

        for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
            if (doc_child(meta, names[i]) != NULL) {
                doc_builder_put(&builder, names[i], *doc_child(meta, names[i]));
            }
        }
    }
    doc_builder_put(&builder, "revision", doc_int(arena, (int64_t)item->revision, NULL));
    return doc_builder_map(&builder, NULL);
}

static void history_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct history *history = arg;
    struct doc *items = arena_array(history->arena, struct doc, answer->count);
    struct doc_builder builder;
    struct doc body;

    if (outcome != OUTCOME_OK) {
        service_refuse(history->service, history->arena, &answer->err, history->done, history->arg);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        items[i] = revision_doc(history->arena, &answer->items[i]);
    }
    doc_builder_init(&builder, history->arena);
    doc_builder_put(&builder, "items", doc_list(items, answer->count, NULL));
    doc_builder_put(&builder, "revision", doc_int(history->arena, (int64_t)answer->revision, NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(history->service, history->arena, &body, history->done, history->arg);
}

static struct history *history_new(struct service *service, struct arena *arena, service_done *done,
                                   void *arg)
{
    struct history *history = arena_one(arena, struct history);

    *history = (struct history){ service, arena, done, arg };
    return history;
}

void service_get(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_get *get, service_done *done, void *arg)
{
    const struct cache_object *object =
        objects_find(service->cache, actor->tenant, get->kind, get->name);
    struct err err;

    if (get->at_revision > 0 || get->at_ms > 0) {
        service_past_get(service, arena, actor, get, done, arg);
        return;
    }
    if (object == NULL) {
        (void)!service_unfound(get->kind, get->name, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    switch (get->view) {
    case SERVICE_VIEW_OBJECT:
        service_object_report(service, arena, object, done, arg);
        break;
    case SERVICE_VIEW_EXPORT:
        export_report(service, arena, get->kind, object, done, arg);
        break;
    case SERVICE_VIEW_EFFECTIVE:
        effective_report(service, arena, actor, get->kind, object, done, arg);
        break;
    case SERVICE_VIEW_HISTORY:
        store_history(
            service->store,
            objects_key(arena, actor->tenant, cache_kind(object), cache_id(object), CACHE_SPEC),
            history_reported, history_new(service, arena, done, arg));
        break;
    }
}

/* ---- changes ---- */

void service_change(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct service_change *change, service_done *done, void *arg)
{
    mutation_start(mutation_new(service, arena, actor, change, done, arg));
}

void service_patch(struct service *service, struct arena *arena, const struct service_actor *actor,
                   const struct service_patch *patch, service_done *done, void *arg)
{
    struct mutation *mutation = mutation_new(service, arena, actor, &patch->change, done, arg);
    struct service_patch *kept = arena_one(arena, struct service_patch);

    *kept = *patch;
    mutation->patch = kept;
    mutation->request.mode = CHANGE_REPLACE;
    mutation_start(mutation);
}
