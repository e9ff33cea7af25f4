#include "upgrades/upgrades.h"

#include "codec/doc_child.h"
#include "codec/json.h"
#include "model/properties.h"
#include "query/query_parts.h"
#include "records/fleet.h"
#include "records/pins.h"

/* public names start with: service_ upgrades_ */

/* Checks pinned values: asks the provider of each group with pinned values to what the names in its
 * properties resolve at present. Groups with equal properties at the same provider share one
 * call. */

/* Maximal number of calls of one request; further groups have a problem in place of an answer. */
enum { UPGRADES_CALLS = 200 };

struct upgrades;

/* One call to a provider. */
struct upgrades_call {
    struct upgrades_call *next;
    struct upgrades *upgrades;
    struct text key; /* plugin, zones and properties */
    struct wire_list pins;
    struct text problem;
};

/* One choice of a group that has pinned values. */
struct upgrades_group {
    struct upgrades_group *next;
    struct text cluster; /* name */
    struct text path;
    struct text plugin;
    size_t choice;
    struct doc properties; /* as the plugin gets them */
    struct wire_list pins;
    const struct upgrades_call *call; /* NULL: there are too many calls */
};

struct upgrades {
    struct service *service;
    struct arena *arena;
    struct service_actor actor;
    service_done *done;
    void *arg;
    struct upgrades_group *groups; /* in order */
    struct upgrades_group **end;
    struct upgrades_call *calls;
    size_t call_count;
    size_t waiting; /* calls without an answer, and 1 while calls are being made */
};

/* ---- the answer ---- */

/* The scalar at a pointer ("/image"); empty if there is none. */
static struct text upgrades_value_at(const struct doc *properties, struct text pointer)
{
    const struct doc *value = doc_at(properties, pointer);

    return doc_is_scalar(value) ? value->text : TEXT("");
}

static void upgrades_text_put(struct doc_builder *builder, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(value, NULL));
    }
}

/* The item of a pinned value. */
static struct doc upgrades_item(struct arena *arena, const struct upgrades_group *group,
                                const struct wire_pair *pin)
{
    const struct upgrades_call *call = group->call;
    struct text now = TEXT("");
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "choice", doc_int(arena, (int64_t)group->choice, NULL));
    doc_builder_put(&builder, "cluster", doc_text(group->cluster, NULL));
    doc_builder_put(&builder, "group", doc_text(group->path, NULL));
    doc_builder_put(&builder, "plugin", doc_text(group->plugin, NULL));
    for (size_t i = 0; call != NULL && i < call->pins.count; i++) {
        const struct wire_pair *one = wire_item(call->pins, const struct wire_pair, i);

        now = text_is_equal(one->name, pin->name) ? one->value : now;
    }
    doc_builder_put(&builder, "field", doc_text(pin->name, NULL));
    upgrades_text_put(&builder, "name", upgrades_value_at(&group->properties, pin->name));
    upgrades_text_put(&builder, "now", now);
    doc_builder_put(&builder, "pinned", doc_text(pin->value, NULL));
    upgrades_text_put(&builder, "problem",
                      call == NULL ? TEXT("too many groups to check at once: select a cluster")
                                   : call->problem);
    return doc_builder_map(&builder, NULL);
}

static void upgrades_answer(struct upgrades *upgrades)
{
    struct arena *arena = upgrades->arena;
    struct cache_page page = { .revision = cache_revision(upgrades->service->cache) };
    struct buf items;

    buf_init(&items, arena);
    for (const struct upgrades_group *group = upgrades->groups; group != NULL;
         group = group->next) {
        for (size_t i = 0; i < group->pins.count; i++) {
            struct doc item =
                upgrades_item(arena, group, wire_item(group->pins, const struct wire_pair, i));

            buf_add_string(&items, items.length > 0 ? "," : "");
            json_format(&items, &item);
        }
    }
    service_report_items(upgrades->service, arena, &items, &page, upgrades->done, upgrades->arg);
}

/* ---- calls ---- */

static void upgrades_come(void *arg, const struct provider_preflight *found)
{
    struct upgrades_call *call = arg;
    struct upgrades *upgrades = call->upgrades;
    struct wire_pair *pins = arena_array(upgrades->arena, struct wire_pair, found->pins.count);

    for (size_t i = 0; i < found->pins.count; i++) {
        const struct wire_pair *pin = wire_item(found->pins, const struct wire_pair, i);

        pins[i] = (struct wire_pair){ arena_text(upgrades->arena, pin->name),
                                      arena_text(upgrades->arena, pin->value) };
    }
    call->pins = (struct wire_list){ pins, found->pins.count };
    call->problem = arena_text(upgrades->arena, found->problem);
    /* A name that the provider no longer knows has no pin, and the fault says why. */
    if (call->problem.length == 0 && found->pins.count == 0 && found->faults.count > 0) {
        call->problem =
            arena_text(upgrades->arena, wire_item(found->faults, const struct wire_pair, 0)->value);
    }
    if (--upgrades->waiting == 0) {
        upgrades_answer(upgrades);
    }
}

/* The call of a choice; one that another group has made already is shared. NULL: there are too
 * many. */
static struct upgrades_call *upgrades_call_make(struct upgrades *upgrades,
                                                const struct fleet_choice *choice,
                                                struct text cluster, struct text properties)
{
    const struct service_controller *reconciler = &upgrades->service->reconciler;
    struct wire_call wire = { .properties = properties, .count = 1 };
    struct upgrades_call *call;
    struct buf key;

    buf_init(&key, upgrades->arena);
    buf_printf(&key, "%.*s\n", TEXT_ARG(choice->plugin));
    for (size_t i = 0; i < choice->zone_count; i++) {
        buf_printf(&key, "%.*s ", TEXT_ARG(choice->zones[i]));
    }
    buf_printf(&key, "\n%.*s", TEXT_ARG(properties));
    for (call = upgrades->calls; call != NULL; call = call->next) {
        if (text_is_equal(call->key, buf_text(&key))) {
            return call;
        }
    }
    if (upgrades->call_count == UPGRADES_CALLS) {
        return NULL;
    }
    call = arena_one(upgrades->arena, struct upgrades_call);
    *call = (struct upgrades_call){ .next = upgrades->calls,
                                    .upgrades = upgrades,
                                    .key = buf_text(&key) };
    upgrades->calls = call;
    upgrades->call_count++;
    wire.cluster = arena_printf(upgrades->arena, "%.*s/%.*s", TEXT_ARG(upgrades->actor.tenant),
                                TEXT_ARG(cluster));
    wire.zones = (struct wire_list){ (void *)(uintptr_t)choice->zones, choice->zone_count };
    upgrades->waiting++;
    /* without pins: the plugin resolves the names again */
    reconciler->preflight(reconciler->arg, upgrades->actor.tenant, choice->plugin, &wire,
                          upgrades_come, call);
    return call;
}

/* ---- which groups are asked about ---- */

static void upgrades_of_choice_add(struct upgrades *upgrades, const struct cache_object *cluster,
                                   struct text name, const struct fleet_group *group, size_t index)
{
    const struct model_plugins *plugins = upgrades->service->reconciler.plugins;
    const struct fleet_choice *choice = &group->choices[index];
    struct arena *arena = upgrades->arena;
    const struct wire_hello *hello = plugins->find(
        plugins->arg, text_slice(choice->plugin, 0, text_find_byte(choice->plugin, '/')));
    struct text id = cache_id(cluster);
    struct wire_list pins = pins_read(arena, upgrades->service->cache, upgrades->actor.tenant, id,
                                      group->plan.path, choice->generation);
    struct upgrades_group *one;
    struct doc leaf = { 0 };
    struct doc more = { 0 };
    struct buf properties;
    struct err err;

    if (pins.count == 0 || hello == NULL || (hello->methods >> WIRE_PREFLIGHT & 1) == 0) {
        return;
    }
    (void)!json_parse(arena, arena_text(arena, choice->properties), NULL, &leaf, &err);
    (void)!json_parse(arena, arena_text(arena, group->more), NULL, &more, &err);
    one = arena_one(arena, struct upgrades_group);
    *one = (struct upgrades_group){
        .cluster = name,
        .path = group->plan.path,
        .plugin = choice->plugin,
        .choice = index,
        .properties = properties_make(arena, hello, &leaf, &more),
        .pins = pins,
    };
    buf_init(&properties, arena);
    json_format(&properties, &one->properties);
    one->call = upgrades_call_make(upgrades, choice, arena_text(arena, id), buf_text(&properties));
    *upgrades->end = one;
    upgrades->end = &one->next;
}

static void upgrades_of_cluster_add(struct upgrades *upgrades, const struct cache_object *cluster,
                                    struct text group)
{
    const struct service *service = upgrades->service;
    struct arena *arena = upgrades->arena;
    struct text prefix =
        arena_printf(arena, "/%.*s/" PINS_KIND "/%.*s/", TEXT_ARG(upgrades->actor.tenant),
                     TEXT_ARG(cache_id(cluster)));
    struct fleet_cluster groups = { .memory = arena };
    struct stored_object stored;
    struct text name;
    struct err err;

    if (cache_first(service->cache, prefix) == NULL ||
        !objects_read(arena, service->cache, objects_kind("Cluster"), cluster, &stored, &err) ||
        !fleet_groups_read(arena, &stored, &groups)) {
        return;
    }
    fleet_in_place_reduce(arena, service->reconciler.plugins, &groups);
    name = service_cluster_name(service, arena, upgrades->actor.tenant, cache_id(cluster));
    for (size_t i = 0; i < groups.group_count; i++) {
        const struct fleet_group *one = &groups.groups[i];

        for (size_t j = 0; j < one->choice_count; j++) {
            if (group.length == 0 || text_is_equal(one->plan.path, group)) {
                upgrades_of_choice_add(upgrades, cluster, name, one, j);
            }
        }
    }
}

void service_upgrades(struct service *service, struct arena *arena,
                      const struct service_actor *actor, const struct service_upgrades *request,
                      service_done *done, void *arg)
{
    const struct service_controller *reconciler = &service->reconciler;
    struct text prefix = arena_printf(arena, "/%.*s/Cluster/", TEXT_ARG(actor->tenant));
    const struct cache_object *only = NULL;
    struct upgrades *upgrades = arena_one(arena, struct upgrades);
    struct err err;

    *upgrades = (struct upgrades){
        .service = service, .arena = arena, .actor = *actor, .done = done, .arg = arg, .waiting = 1
    };
    upgrades->end = &upgrades->groups;
    if (request->cluster.length > 0) {
        only =
            objects_find(service->cache, actor->tenant, objects_kind("Cluster"), request->cluster);
        if (only == NULL) {
            (void)!service_unfound(objects_kind("Cluster"), request->cluster, &err);
            service_refuse(service, arena, &err, done, arg);
            return;
        }
    }
    if (reconciler->preflight != NULL && reconciler->plugins != NULL) {
        const struct cache_object *object =
            only != NULL ? only : cache_first(service->cache, prefix);

        while (object != NULL) {
            upgrades_of_cluster_add(upgrades, object, request->group);
            object = only != NULL ? NULL : cache_next(service->cache, prefix, object);
        }
    }
    if (--upgrades->waiting == 0) {
        upgrades_answer(upgrades);
    }
}
