#include "base/limits.h"
#include "codec/json.h"
#include "engine/event_tail.h"
#include "engine/service_parts.h"

/* ---- telling ---- */

static void text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static struct text body_make(struct arena *arena, const struct service_actor *actor,
                             const struct service_event *event)
{
    static const struct record none = { 0 };
    const struct record *machine = event->machine == NULL ? &none : event->machine;
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    text_put(&builder, "actor", actor->user);
    if (event->count > 0) {
        doc_builder_put(&builder, "count", doc_int(arena, (int64_t)event->count, NULL));
    }
    text_put(&builder, "fact", event->fact);
    text_put(&builder, "group", event->group.length > 0 ? event->group : machine->plan.group);
    text_put(&builder, "id", machine->plan.id);
    text_put(&builder, "kind", event->cluster_id.length > 0 ? TEXT("Cluster") : TEXT("Tenant"));
    text_put(&builder, "name", event->cluster_id.length > 0 ? event->cluster : actor->tenant);
    text_put(&builder, "node", machine->name);
    text_put(&builder, "object", event->cluster_id);
    text_put(&builder, "rule", event->rule);
    text_put(&builder, "token", machine->plan.token);
    text_put(&builder, "type", text_from(event->type));
    text_put(&builder, "why", event->why);
    doc = doc_builder_map(&builder, NULL);
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

struct store_event service_event(const struct service *service, struct arena *arena,
                                 const struct service_actor *actor,
                                 const struct service_event *event)
{
    return (struct store_event){
        .cluster =
            arena_printf(arena, "%.*s/%.*s", TEXT_ARG(actor->tenant), TEXT_ARG(event->cluster_id)),
        .body = body_make(arena, actor, event),
        .time_ms = (uint64_t)service->ports.wall_ms(service->ports.arg),
    };
}

/* ---- reading ---- */

/* Events of one cluster are a row of their own, in order of their numbers. Those of a whole tenant are found
 * among those of all, in order of revision: page by page, until there are enough. */

struct reading {
    struct service *service;
    struct arena *arena;
    struct text tenant; /* "TENANT/"; empty: of one cluster */
    uint64_t after;
    size_t limit;
    struct buf items;
    size_t count;
    uint64_t last; /* revision of the newest item */
    service_done *done;
    void *arg;
};

static void item_add(struct reading *reading, const struct store_event *event)
{
    buf_add_string(&reading->items, reading->count == 0 ? "" : ",");
    event_format(&reading->items, event);
    reading->count++;
    reading->last = event->revision;
}

static void reading_end(struct reading *reading, bool has_more, uint64_t revision)
{
    struct err_list errors;

    err_list_init(&errors, reading->arena);
    buf_printf(&reading->items, "],\"more\":%s,\"revision\":%llu}", has_more ? "true" : "false",
               (unsigned long long)revision);
    reading->done(reading->arg,
                  &(struct service_answer){ .errors = &errors,
                                            .body = buf_text(&reading->items),
                                            .revision = cache_revision(reading->service->cache) });
}

static void page_read(struct reading *reading);

static void tenant_told(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reading *reading = arg;
    size_t count;

    if (outcome != OUTCOME_OK) {
        service_refuse(reading->service, reading->arena, &answer->err, reading->done, reading->arg);
        return;
    }
    count = event_tail_whole_count(answer);
    for (size_t i = 0; i < count; i++) {
        const struct store_event *event = &answer->events[i];
        bool is_over = reading->count >= reading->limit && event->revision != reading->last;

        if (is_over) { /* events of one revision are told together */
            reading_end(reading, true, answer->revision);
            return;
        }
        if (text_has_prefix(event->cluster, reading->tenant)) {
            item_add(reading, event);
        }
        reading->after = event->revision;
    }
    if (answer->has_more) {
        page_read(reading);
    } else {
        reading_end(reading, false, answer->revision);
    }
}

static void page_read(struct reading *reading)
{
    store_events(reading->service->store, TEXT(""), reading->after, LIMIT_EVENTS_PAGE, tenant_told,
                 reading);
}

static void cluster_told(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reading *reading = arg;

    if (outcome != OUTCOME_OK) {
        service_refuse(reading->service, reading->arena, &answer->err, reading->done, reading->arg);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        item_add(reading, &answer->events[i]);
    }
    reading_end(reading, answer->has_more, answer->revision);
}

void service_events(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct service_events *events, service_done *done, void *arg)
{
    struct reading *reading = arena_one(arena, struct reading);
    const struct cache_object *cluster;

    *reading = (struct reading){
        .service = service,
        .arena = arena,
        .after = events->after,
        .limit = events->limit == 0 || events->limit > LIMIT_EVENTS_PAGE ? LIMIT_EVENTS_PAGE
                                                                         : events->limit,
        .done = done,
        .arg = arg,
    };
    buf_init(&reading->items, arena);
    buf_add_string(&reading->items, "{\"items\":[");
    if (events->cluster.length == 0) {
        reading->tenant = arena_printf(arena, "%.*s/", TEXT_ARG(actor->tenant));
        page_read(reading);
        return;
    }
    cluster = objects_find(service->cache, actor->tenant, objects_kind("Cluster"), events->cluster);
    if (cluster == NULL) {
        struct err err;

        (void)!service_unfound(objects_kind("Cluster"), events->cluster, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    store_events(
        service->store,
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(actor->tenant), TEXT_ARG(cache_id(cluster))),
        reading->after, reading->limit, cluster_told, reading);
}

struct event_tail *service_event_tail(struct service *service)
{
    return service->tail;
}
