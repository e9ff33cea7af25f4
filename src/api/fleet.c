#include "api/call.h"
#include "api/handlers.h"
#include "base/limits.h"
#include "base/map.h"
#include "codec/json.h"
#include "engine/objects.h"
#include "engine/record.h"

#include <assert.h>
#include <string.h>

/* Machines as pages show them: one by itself, and all at once.
 *
 * GET /v1/fleet: every machine of a tenant in columns, for pages that show all of them. A row is a place in each column;
 * what many machines have in common stands once, in a table of its own. It is true at one revision, behind which a watch
 * tells what changes. */

/* What is known of a machine in a small number, see docs/reference/api.md: where it is between being asked for and gone,
 * and what is wrong with it. */
enum {
    FLEET_STARTING = 1 << 2,
    FLEET_SICK = 1 << 3,
    FLEET_UNREACHABLE = 1 << 4,
    FLEET_REFUSED = 1 << 5,
};

enum table { TABLE_CLUSTER, TABLE_GENERATION, TABLE_GROUP, TABLE_PLUGIN, TABLE_ZONE, TABLE_COUNT };
enum column {
    COLUMN_CLUSTER,
    COLUMN_GENERATION,
    COLUMN_GROUP,
    COLUMN_ID,
    COLUMN_NAME,
    COLUMN_PLUGIN,
    COLUMN_STATE,
    COLUMN_ZONE,
    COLUMN_COUNT,
};

static const char *const table_names[TABLE_COUNT] = { "clusters", "generations", "groups",
                                                      "plugins", "zones" };
static const char *const column_names[COLUMN_COUNT] = { "cluster", "generation", "group", "id",
                                                        "name",    "plugin",     "state", "zone" };

/* Texts by the order in which they came. */
struct texts {
    struct map places; /* text to its place + 1 */
    struct buf json;
    size_t count;
    struct text last; /* neighbours mostly have the same */
    size_t last_place;
};

struct fleet_writing {
    struct arena *arena;
    struct arena *scratch;
    struct texts tables[TABLE_COUNT];
    struct buf columns[COLUMN_COUNT];
    size_t count;
};

static size_t place_of(struct fleet_writing *writing, enum table table, struct text text)
{
    struct texts *texts = &writing->tables[table];
    struct doc doc;
    void *found;

    if (texts->count > 0 && text_is_equal(texts->last, text)) {
        return texts->last_place;
    }
    found = map_find(&texts->places, text);
    if (found == NULL) {
        text = arena_text(writing->arena, text);
        doc = doc_text(text, NULL);
        buf_add_string(&texts->json, texts->count == 0 ? "" : ",");
        json_format(&texts->json, &doc);
        found = (void *)(uintptr_t)++texts->count; /* NOLINT(performance-no-int-to-ptr) */
        map_put(&texts->places, text, found);
    } else {
        text = arena_text(writing->arena, text);
    }
    texts->last = text;
    texts->last_place = (size_t)(uintptr_t)found - 1;
    return texts->last_place;
}

/* Texts of records are plain: they need no escape. */
static void text_put(struct fleet_writing *writing, enum column column, struct text text)
{
    struct buf *buf = &writing->columns[column];

    buf_add_string(buf, writing->count == 0 ? "\"" : ",\"");
    buf_add(buf, text);
    buf_add_byte(buf, '"');
}

static void number_put(struct fleet_writing *writing, enum column column, size_t number)
{
    struct buf *buf = &writing->columns[column];

    if (writing->count > 0) {
        buf_add_byte(buf, ',');
    }
    buf_add_number(buf, number);
}

static unsigned state_of(const struct record *record)
{
    unsigned state = (unsigned)record->plan.state;

    assert(state < FLEET_STARTING);
    return state | (record->plan.is_starting ? FLEET_STARTING : 0u) |
           (record->plan.sick_since_ms > 0 ? FLEET_SICK : 0u) |
           (record->plan.unreachable_since_ms > 0 ? FLEET_UNREACHABLE : 0u) |
           (record->fault != PROVIDER_FAULT_NONE ? FLEET_REFUSED : 0u);
}

/* A record that cannot be read is shown as a machine that is unreachable: it is there, and nobody knows more. */
static void machine_put(struct fleet_writing *writing, const struct cache_object *object)
{
    struct arena_mark mark = arena_mark(writing->scratch);
    struct text id = cache_id(object);
    struct text cluster = text_slice(id, 0, text_find_byte(id, '/'));
    struct text token = text_slice(id, cluster.length + 1, id.length);
    struct record record;
    struct err err;

    if (!record_parse(writing->scratch, token, blob_text(object->parts[CACHE_STATUS].bytes),
                      &record, &err)) {
        record =
            (struct record){ .plan.state = PLAN_RECORD_ACTIVE, .plan.unreachable_since_ms = 1 };
    }
    number_put(writing, COLUMN_CLUSTER, place_of(writing, TABLE_CLUSTER, cluster));
    number_put(writing, COLUMN_GENERATION,
               place_of(writing, TABLE_GENERATION, record.plan.generation));
    number_put(writing, COLUMN_GROUP, place_of(writing, TABLE_GROUP, record.plan.group));
    text_put(writing, COLUMN_ID, token);
    text_put(writing, COLUMN_NAME, record.name.length == 0 ? token : record.name);
    number_put(writing, COLUMN_PLUGIN, place_of(writing, TABLE_PLUGIN, record.plugin));
    number_put(writing, COLUMN_STATE, state_of(&record));
    number_put(writing, COLUMN_ZONE, place_of(writing, TABLE_ZONE, record.plan.zone));
    writing->count++;
    arena_rewind(writing->scratch, mark);
}

/* Machines name their cluster by its id; for people it has a name. */
static void cluster_names_put(struct call *call, struct fleet_writing *writing, struct buf *out)
{
    struct text *names =
        arena_array(call->arena, struct text, writing->tables[TABLE_CLUSTER].count + 1);
    const struct map *places = &writing->tables[TABLE_CLUSTER].places;

    for (const struct map_node *node = map_first(places, TEXT("")); node != NULL;
         node = map_after(places, node->key)) {
        struct text name = objects_cluster_name(call->api->options.cache, call->arena,
                                                call->actor.tenant, node->key);

        names[(uintptr_t)node->value - 1] = name.length > 0 ? name : node->key;
    }
    buf_add_string(out, "\"clusterNames\":[");
    for (size_t i = 0; i < writing->tables[TABLE_CLUSTER].count; i++) {
        struct doc name = doc_text(names[i], NULL);

        buf_add_string(out, i == 0 ? "" : ",");
        json_format(out, &name);
    }
    buf_add_string(out, "]");
}

static struct text body_make(struct call *call, struct fleet_writing *writing)
{
    struct buf buf;

    buf_init(&buf, call->arena);
    buf_add_string(&buf, "{");
    cluster_names_put(call, writing, &buf);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        buf_printf(&buf, ",\"%s\":[", table_names[i]);
        buf_add(&buf, buf_text(&writing->tables[i].json));
        buf_add_string(&buf, "]");
    }
    buf_add_string(&buf, ",\"columns\":{");
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        buf_printf(&buf, "%s\"%s\":[", i == 0 ? "" : ",", column_names[i]);
        buf_add(&buf, buf_text(&writing->columns[i]));
        buf_add_string(&buf, "]");
    }
    buf_printf(&buf, "},\"count\":%zu,\"revision\":%llu}", writing->count,
               (unsigned long long)cache_revision(call->api->options.cache));
    return buf_text(&buf);
}

/* The cluster that the request names; NULL: it names none. False: there is none of this name. */
MUST_CHECK static bool cluster_find(struct call *call, const struct cache_object **out,
                                    struct err *err)
{
    struct text name = call_parameter(call, "cluster");

    *out = name.length == 0 ? NULL
                            : objects_find(call->api->options.cache, call->actor.tenant,
                                           objects_kind("Cluster"), name);
    return name.length == 0 || *out != NULL ||
           err_set(err, CODE_R0403, "there is no cluster '%.*s'", TEXT_ARG(name));
}

void api_resource(struct call *call)
{
    const struct cache *cache = call->api->options.cache;
    const struct cache_object *cluster = NULL;
    const struct cache_object *object = NULL;
    struct service_kept_row row;
    struct buf buf;
    struct err err;

    if (!cluster_find(call, &cluster, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (cluster != NULL) {
        row.id = arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(cache_id(cluster)),
                              TEXT_ARG(call->name));
        object = cache_find(cache, call->actor.tenant, TEXT("Resource"), row.id);
    }
    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL) {
        err_set(&err, CODE_R0403, "there is no machine '%.*s' in this cluster",
                TEXT_ARG(call->name));
        (void)!err_hint(&err, "a machine is named by its token, with cluster=NAME beside it");
        call_refuse(call, &err);
        return;
    }
    row.spec = TEXT("");
    row.status = blob_text(object->parts[CACHE_STATUS].bytes);
    row.revision = object->parts[CACHE_STATUS].revision;
    buf_init(&buf, call->arena);
    service_kept_show(call->api->options.service, call->arena, call->actor.tenant,
                      schema_kind_find(TEXT("Resource")), &row, &buf);
    call_answer(call, 200, "application/json", buf_text(&buf));
}

void api_fleet(struct call *call)
{
    const struct cache *cache = call->api->options.cache;
    struct text etag =
        arena_printf(call->arena, "\"%llu\"", (unsigned long long)cache_revision(cache));
    struct http_field field = { "ETag", etag.data };
    struct http_answer answer = { .status = 304, .fields = &field, .field_count = 1 };
    struct fleet_writing writing = { .arena = call->arena };
    const struct cache_object *cluster;
    struct text prefix;
    struct err err;

    if (!cluster_find(call, &cluster, &err)) {
        call_refuse(call, &err);
        return;
    }
    prefix = arena_printf(call->arena, "/%.*s/Resource/%.*s%s", TEXT_ARG(call->actor.tenant),
                          TEXT_ARG(cluster == NULL ? TEXT("") : cache_id(cluster)),
                          cluster == NULL ? "" : "/");
    if (text_is_equal(call_header(call, HTTP_IF_NONE_MATCH), etag)) {
        call_answer_fields(call, &answer);
        return;
    }
    writing.scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        map_init(&writing.tables[i].places, call->arena);
        buf_init(&writing.tables[i].json, call->arena);
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        buf_init(&writing.columns[i], call->arena);
    }
    for (const struct cache_object *object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL) {
            machine_put(&writing, object);
        }
    }
    arena_free(writing.scratch);
    answer.status = 200;
    answer.content_type = "application/json";
    answer.body = body_make(call, &writing);
    call_answer_fields(call, &answer);
}
