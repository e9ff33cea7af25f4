#include "base/limits.h"
#include "codec/json.h"
#include "query/query_parts.h"
#include "state/event_tail.h"

/* ---- formatting ---- */

static void events_text_put(struct doc_builder *builder, const char *key, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, key, doc_text(value, NULL));
    }
}

static struct text events_body_make(struct arena *arena, const struct service_actor *actor,
                                    const struct service_event *event)
{
    static const struct record none = { 0 };
    const struct record *machine = event->machine == NULL ? &none : event->machine;
    struct doc_builder builder;
    struct doc doc;
    struct buf buf;

    doc_builder_init(&builder, arena);
    events_text_put(&builder, "actor", actor->user);
    if (event->count > 0) {
        doc_builder_put(&builder, "count", doc_int(arena, (int64_t)event->count, NULL));
    }
    events_text_put(&builder, "fact", event->fact);
    events_text_put(&builder, "group",
                    event->group.length > 0 ? event->group : machine->plan.group);
    events_text_put(&builder, "id", machine->plan.id);
    events_text_put(&builder, "kind",
                    event->cluster_id.length > 0 ? TEXT("Cluster") : TEXT("Tenant"));
    events_text_put(&builder, "name",
                    event->cluster_id.length > 0 ? event->cluster : actor->tenant);
    events_text_put(&builder, "node", machine->name);
    events_text_put(&builder, "object", event->cluster_id);
    events_text_put(&builder, "rule", event->rule);
    events_text_put(&builder, "token", machine->plan.token);
    events_text_put(&builder, "type", text_from(event->type));
    events_text_put(&builder, "why", event->why);
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
        .body = events_body_make(arena, actor, event),
        .time_ms = (uint64_t)service->ports.wall_ms(service->ports.arg),
    };
}

/* ---- reading ---- */

/* A request that reads events. Events of one cluster are read in order of their numbers; events of
 * a tenant are filtered from all events, in order of revision. Both are read page by page, from
 * either end, until there are enough. */

struct reading {
    struct service *service;
    struct arena *arena;
    /* TENANT/ID; empty: events of the whole tenant. */
    struct text cluster;
    /* "TENANT/" if `cluster` is empty */
    struct text tenant;
    /* Only events above position `after` and, unless it is 0, below position `before` are read.
     * Positions are event numbers of the cluster, or revisions. */
    uint64_t after;
    uint64_t before;
    /* The bounds of the request, because `after` may be slightly too low; 0: no bound. */
    uint64_t since_revision;
    uint64_t since_ms;
    size_t limit;
    bool is_newest;
    /* The items as JSON, in the order in which they were found. */
    struct text *items;
    size_t count;
    size_t room;
    /* revision of the last item that was found */
    uint64_t last;
    service_done *done;
    void *arg;
};

static void events_item_add(struct reading *reading, const struct store_event *event)
{
    struct buf item;

    if (reading->count == reading->room) {
        size_t room = reading->room * 2 + 64;

        reading->items =
            arena_grow(reading->arena, reading->items, reading->room * sizeof(*reading->items),
                       room * sizeof(*reading->items));
        reading->room = room;
    }
    buf_init(&item, reading->arena);
    event_format(&item, event);
    reading->items[reading->count++] = buf_text(&item);
    reading->last = event->revision;
}

static bool is_since(const struct reading *reading, const struct store_event *event)
{
    return event->revision > reading->since_revision && event->time_ms >= reading->since_ms;
}

static void reading_end(struct reading *reading, bool has_more, uint64_t revision)
{
    struct err_list errors;
    struct buf body;

    buf_init(&body, reading->arena);
    buf_add_string(&body, "{\"items\":[");
    for (size_t i = 0; i < reading->count; i++) {
        size_t at = reading->is_newest ? reading->count - 1 - i : i;

        buf_add_string(&body, i == 0 ? "" : ",");
        buf_add(&body, reading->items[at]);
    }
    err_list_init(&errors, reading->arena);
    buf_printf(&body, "],\"more\":%s,\"revision\":%llu}", has_more ? "true" : "false",
               (unsigned long long)revision);
    reading->done(reading->arg,
                  &(struct service_answer){ .errors = &errors,
                                            .body = buf_text(&body),
                                            .revision = cache_revision(reading->service->cache) });
}

static void events_page_read(struct reading *reading);

/* Adds an event of the store if the tenant matches. False: there are enough items; events of one
 * revision are never separated. */
static bool tenant_event_take(struct reading *reading, const struct store_event *event)
{
    if (reading->count >= reading->limit && event->revision != reading->last) {
        return false;
    }
    if (text_has_prefix(event->cluster, reading->tenant) && is_since(reading, event)) {
        events_item_add(reading, event);
    }
    return true;
}

static void tenant_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reading *reading = arg;
    size_t count;

    if (outcome != OUTCOME_OK) {
        service_refuse(reading->service, reading->arena, &answer->err, reading->done, reading->arg);
        return;
    }
    count = event_tail_whole_count(answer);
    for (size_t i = 0; i < count; i++) {
        if (!tenant_event_take(reading, &answer->events[i])) {
            reading_end(reading, true, answer->revision);
            return;
        }
        reading->after = answer->events[i].revision;
    }
    if (answer->has_more) {
        events_page_read(reading);
    } else {
        reading_end(reading, false, answer->revision);
    }
}

/* Returns the number of events at the old end of a page that may be incomplete, because the next
 * page may have more events of their revision. They are left for that page, unless this page has
 * only such events. */
static size_t partial_count(const struct store_answer *answer)
{
    size_t count = 0;

    while (answer->has_more && count < answer->count &&
           answer->events[count].revision == answer->events[0].revision) {
        count++;
    }
    return count == answer->count ? 0 : count;
}

static void tenant_newest_reported(void *arg, enum outcome outcome,
                                   const struct store_answer *answer)
{
    struct reading *reading = arg;
    size_t partial;

    if (outcome != OUTCOME_OK) {
        service_refuse(reading->service, reading->arena, &answer->err, reading->done, reading->arg);
        return;
    }
    partial = partial_count(answer);
    for (size_t i = answer->count; i > partial; i--) {
        const struct store_event *event = &answer->events[i - 1];

        if (event->revision <= reading->after) {
            reading_end(reading, false, answer->revision);
            return;
        }
        if (!tenant_event_take(reading, event)) {
            reading_end(reading, true, answer->revision);
            return;
        }
        reading->before = event->revision;
    }
    if (answer->has_more) {
        events_page_read(reading);
    } else {
        reading_end(reading, false, answer->revision);
    }
}

static void cluster_reported(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct reading *reading = arg;
    bool has_more = answer->has_more;

    if (outcome != OUTCOME_OK) {
        service_refuse(reading->service, reading->arena, &answer->err, reading->done, reading->arg);
        return;
    }
    for (size_t i = 0; i < answer->count; i++) {
        const struct store_event *event =
            &answer->events[reading->is_newest ? answer->count - 1 - i : i];

        if (event->number <= reading->after) {
            has_more = false;
            break;
        }
        if (is_since(reading, event)) {
            events_item_add(reading, event);
        }
    }
    reading_end(reading, has_more, answer->revision);
}

static void events_page_read(struct reading *reading)
{
    struct store *store = reading->service->store;
    size_t page = reading->limit + LIMIT_STORE_TXN_OPERATIONS;

    page = page < LIMIT_EVENTS_PAGE ? page : LIMIT_EVENTS_PAGE;
    if (reading->cluster.length > 0 && reading->is_newest) {
        store_events_before(store, reading->cluster, reading->before, reading->limit,
                            cluster_reported, reading);
    } else if (reading->cluster.length > 0) {
        store_events(store, reading->cluster, reading->after, reading->limit, cluster_reported,
                     reading);
    } else if (reading->is_newest) {
        store_events_before(store, TEXT(""), reading->before, page, tenant_newest_reported,
                            reading);
    } else {
        store_events(store, TEXT(""), reading->after, page, tenant_reported, reading);
    }
}

static void since_known(void *arg, uint64_t after, const struct err *fault)
{
    struct reading *reading = arg;

    if (fault != NULL) {
        service_refuse(reading->service, reading->arena, fault, reading->done, reading->arg);
        return;
    }
    /* events of one revision may have different times; the search compared only the first of
     * them */
    if (reading->cluster.length == 0 && reading->since_ms > 0 && after > 0) {
        after--;
    }
    reading->after = after > reading->after ? after : reading->after;
    events_page_read(reading);
}

static void events_reading_begin(struct reading *reading, const struct service_events *events)
{
    if (events->since_revision > 0 || events->since_ms > 0) {
        service_seek_events(reading->service, reading->arena,
                            &(struct service_seek_events){ .cluster = reading->cluster,
                                                           .at_revision = events->since_revision,
                                                           .at_ms = events->since_ms },
                            since_known, reading);
    } else {
        events_page_read(reading);
    }
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
        .before = events->before,
        .is_newest = events->is_newest,
        .since_revision = events->since_revision,
        .since_ms = events->since_ms,
        .limit = events->limit == 0 || events->limit > LIMIT_EVENTS_PAGE ? LIMIT_EVENTS_PAGE
                                                                         : events->limit,
        .done = done,
        .arg = arg,
    };
    if (events->cluster.length == 0) {
        reading->tenant = arena_printf(arena, "%.*s/", TEXT_ARG(actor->tenant));
        events_reading_begin(reading, events);
        return;
    }
    cluster = objects_find(service->cache, actor->tenant, objects_kind("Cluster"), events->cluster);
    if (cluster == NULL) {
        struct err err;

        (void)!service_unfound(objects_kind("Cluster"), events->cluster, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    reading->cluster =
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(actor->tenant), TEXT_ARG(cache_id(cluster)));
    events_reading_begin(reading, events);
}

struct event_tail *service_event_tail(struct service *service)
{
    return service->tail;
}
