#include "api/request/call.h"
#include "api/request/handlers.h"
#include "api/streams/streams.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/map.h"
#include "codec/json.h"
#include "http/squeeze.h"
#include "query/problem.h"
#include "records/displayed.h"
#include "records/record.h"
#include "service/service_read.h"
#include "state/objects.h"

#include <assert.h>
#include <string.h>

/* public names start with: fleets_ */

/* Serves machines in the form that the web page shows: a single machine, or all machines in one
 * answer.
 *
 * GET /v1/fleet returns every machine of a tenant in columns, for views that show all of them. A
 * row is an index into each column. Values that many machines share are stored once, in a separate
 * table. The answer has the state of one revision; a watch can continue from it. The cache lists
 * that revision in pieces, one per iteration of the loop, so that very many machines do not delay
 * other requests. Failure modes: if the cache drops changes that the listing needs, the listing is
 * restarted; if the manager stops, the request is rejected. */

/* The state of a machine as a number (docs/reference/api.md): its phase from request to removal,
 * its problems, and whether it is outdated. The state that users see is in a separate column, as an
 * index into `displayedNames`. */
enum {
    FLEET_STARTING = 1 << 2,
    FLEET_UNHEALTHY = 1 << 3,
    FLEET_UNREACHABLE = 1 << 4,
    FLEET_REFUSED = 1 << 5,
    FLEET_FAILED = 1 << 6,
    FLEET_OUTDATED = 1 << 7,
    FLEET_BLOCKED = 1 << 8,
};

enum table {
    TABLE_CAUSE,
    TABLE_CLUSTER,
    TABLE_GENERATION,
    TABLE_GROUP,
    TABLE_HINT,
    TABLE_IMAGE,
    TABLE_NEXT,
    TABLE_PLUGIN,
    TABLE_ZONE,
    TABLE_COUNT
};
enum column {
    COLUMN_CLUSTER,
    COLUMN_DISPLAYED,
    COLUMN_GENERATION,
    COLUMN_GROUP,
    COLUMN_ID,
    COLUMN_IMAGE,
    COLUMN_NAME,
    COLUMN_PLUGIN,
    COLUMN_SILENT,
    COLUMN_STATE,
    COLUMN_ZONE,
    COLUMN_COUNT,
};

/* Separate columns for nodes that need attention. PROBLEM_ROW is the index of the node's row in the
 * columns above. */
enum problem {
    PROBLEM_CAUSE,
    PROBLEM_HINT,
    PROBLEM_NEXT,
    PROBLEM_NEXT_AT,
    PROBLEM_ROW,
    PROBLEM_SINCE,
    PROBLEM_COUNT,
};

static const char *const table_names[TABLE_COUNT] = { "causes", "clusters", "generations",
                                                      "groups", "hints",    "images",
                                                      "nexts",  "plugins",  "zones" };
static const char *const column_names[COLUMN_COUNT] = { "cluster", "displayed", "generation",
                                                        "group",   "id",        "image",
                                                        "name",    "plugin",    "silent",
                                                        "state",   "zone" };
static const char *const problem_names[PROBLEM_COUNT] = { "cause",  "hint", "next",
                                                          "nextAt", "row",  "since" };

/* FLEET_PIECE_ROWS: machines per iteration, about 4 ms of work. FLEET_TRIES: attempts before the
 * client is asked to retry; an attempt fails if the cache drops changes that the answer needs. */
enum { FLEET_PIECE_ROWS = 1000, FLEET_TRIES = 3 };

/* Distinct texts in the order of their first use. */
struct texts {
    struct map places; /* text to its index + 1 */
    struct buf json;
    size_t count;
    struct text last; /* adjacent machines mostly have the same text */
    size_t last_place;
};

struct fleet_writing {
    struct arena *arena;
    struct arena *scratch;
    struct texts tables[TABLE_COUNT];
    struct buf columns[COLUMN_COUNT];
    size_t count;
    struct buf problems[PROBLEM_COUNT];
    size_t problem_count;
    struct service_policies policies; /* policies of the cluster whose problem was formatted last */
    /* Only machines of this group and of groups below it are listed; empty: all machines. */
    struct text group;
};

/* Nodes of one group by displayed state. */
struct group_counts {
    struct text cluster; /* id of the cluster */
    struct text group;
    size_t displayed[DISPLAYED_COUNT];
    size_t outdated;
    size_t blocked;
};

/* A pending answer of GET /v1/fleet. */
struct fleet_making {
    struct fleet_making *next;
    struct call *call;
    bool is_counts;    /* view=counts: number of nodes per group and state */
    struct map groups; /* CLUSTER/GROUP to struct group_counts; in the arena of `writing` */
    struct cache_scope scope;
    struct cache_page page;
    struct fleet_writing writing;
    unsigned tries;
};

static size_t fleet_place_of(struct fleet_writing *writing, enum table table, struct text text)
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

/* Adds a text of a record without escapes, because such texts need none. */
static void fleet_text_put(struct fleet_writing *writing, enum column column, struct text text)
{
    struct buf *buf = &writing->columns[column];

    buf_add_string(buf, writing->count == 0 ? "\"" : ",\"");
    buf_add(buf, text);
    buf_add_byte(buf, '"');
}

static void fleet_number_put(struct fleet_writing *writing, enum column column, size_t number)
{
    struct buf *buf = &writing->columns[column];

    if (writing->count > 0) {
        buf_add_byte(buf, ',');
    }
    buf_add_number(buf, number);
}

/* Adds the problem of a node, the time since which it exists, and the next step. */
static void problem_put(struct fleet_writing *writing, struct text cluster,
                        const struct record *record)
{
    struct service_policies *policies = &writing->policies;
    struct service_problem problem;
    uint64_t values[PROBLEM_COUNT];

    if (!text_is_equal(policies->id, cluster)) {
        *policies = (struct service_policies){ .service = policies->service,
                                               .arena = writing->arena,
                                               .tenant = policies->tenant,
                                               .id = arena_text(writing->arena, cluster) };
    }
    if (!service_problem_find(policies, writing->scratch, record, &problem)) {
        return;
    }
    values[PROBLEM_CAUSE] = fleet_place_of(writing, TABLE_CAUSE, problem.cause);
    values[PROBLEM_HINT] = fleet_place_of(writing, TABLE_HINT, problem.hint);
    values[PROBLEM_NEXT] = fleet_place_of(writing, TABLE_NEXT, problem.next);
    values[PROBLEM_NEXT_AT] = (uint64_t)problem.next_at_ms;
    values[PROBLEM_ROW] = writing->count;
    values[PROBLEM_SINCE] = (uint64_t)problem.since_ms;
    for (size_t i = 0; i < PROBLEM_COUNT; i++) {
        if (writing->problem_count > 0) {
            buf_add_byte(&writing->problems[i], ',');
        }
        buf_add_number(&writing->problems[i], values[i]);
    }
    writing->problem_count++;
}

static unsigned fleet_state_of(const struct record *record)
{
    unsigned state = (unsigned)record->plan.state;

    assert(state < FLEET_STARTING);
    return state | (record->plan.is_starting ? FLEET_STARTING : 0u) |
           (record->plan.failing_since_ms > 0 ? FLEET_UNHEALTHY : 0u) |
           (record->plan.unreachable_since_ms > 0 ? FLEET_UNREACHABLE : 0u) |
           (record->fault != PROVIDER_FAULT_NONE ? FLEET_REFUSED : 0u) |
           (record->plan.failed_since_ms > 0 ? FLEET_FAILED : 0u) |
           (record->is_outdated ? FLEET_OUTDATED : 0u) | (record->is_blocked ? FLEET_BLOCKED : 0u);
}

/* Adds a machine. A machine with a damaged record is shown as unreachable, because its state is
 * unknown. */
static void fleet_machine_put(void *arg, const struct cache_object *object)
{
    struct fleet_writing *writing = arg;
    struct arena_mark mark = arena_mark(writing->scratch);
    struct text id = cache_id(object);
    struct text cluster = text_slice(id, 0, text_find_byte(id, '/'));
    struct text token = text_slice(id, cluster.length + 1, id.length);
    struct record record;
    struct err err;

    if (object->parts[CACHE_STATUS].bytes == NULL) {
        return;
    }
    if (!record_parse(writing->scratch, token, blob_text(object->parts[CACHE_STATUS].bytes),
                      &record, &err)) {
        record =
            (struct record){ .plan.state = PLAN_RECORD_ACTIVE, .plan.unreachable_since_ms = 1 };
    }
    if (!objects_group_is_below(record.plan.group, writing->group)) {
        arena_rewind(writing->scratch, mark);
        return;
    }
    fleet_number_put(writing, COLUMN_CLUSTER, fleet_place_of(writing, TABLE_CLUSTER, cluster));
    fleet_number_put(writing, COLUMN_DISPLAYED, displayed_of(&record.plan));
    fleet_number_put(writing, COLUMN_GENERATION,
                     fleet_place_of(writing, TABLE_GENERATION, record.plan.generation));
    fleet_number_put(writing, COLUMN_GROUP,
                     fleet_place_of(writing, TABLE_GROUP, record.plan.group));
    fleet_text_put(writing, COLUMN_ID, token);
    fleet_number_put(writing, COLUMN_IMAGE, fleet_place_of(writing, TABLE_IMAGE, record.image));
    fleet_text_put(writing, COLUMN_NAME, record.name.length == 0 ? token : record.name);
    fleet_number_put(writing, COLUMN_PLUGIN, fleet_place_of(writing, TABLE_PLUGIN, record.plugin));
    fleet_number_put(writing, COLUMN_SILENT, (size_t)record.silent_wall_ms / 1000);
    fleet_number_put(writing, COLUMN_STATE, fleet_state_of(&record));
    fleet_number_put(writing, COLUMN_ZONE, fleet_place_of(writing, TABLE_ZONE, record.plan.zone));
    problem_put(writing, cluster, &record);
    writing->count++;
    arena_rewind(writing->scratch, mark);
}

/* Returns the counts of the group of a record. They are created for its first machine. */
static struct group_counts *fleet_counts_of(struct fleet_making *making, struct text cluster,
                                            struct text group)
{
    struct arena *arena = making->writing.arena;
    struct text key =
        arena_printf(making->writing.scratch, "%.*s/%.*s", TEXT_ARG(cluster), TEXT_ARG(group));
    struct group_counts *counts = map_find(&making->groups, key);

    if (counts == NULL) {
        counts = arena_one(arena, struct group_counts);
        *counts = (struct group_counts){ .cluster = arena_text(arena, cluster),
                                         .group = arena_text(arena, group) };
        map_put(&making->groups, arena_text(arena, key), counts);
    }
    return counts;
}

static void machine_count(void *arg, const struct cache_object *object)
{
    struct fleet_making *making = arg;
    struct arena_mark mark = arena_mark(making->writing.scratch);
    struct text id = cache_id(object);
    struct text cluster = text_slice(id, 0, text_find_byte(id, '/'));
    struct text token = text_slice(id, cluster.length + 1, id.length);
    struct group_counts *counts;
    struct record record;
    struct err err;

    if (object->parts[CACHE_STATUS].bytes != NULL &&
        record_parse(making->writing.scratch, token, blob_text(object->parts[CACHE_STATUS].bytes),
                     &record, &err) &&
        objects_group_is_below(record.plan.group, making->writing.group)) {
        counts = fleet_counts_of(making, cluster, record.plan.group);
        counts->displayed[displayed_of(&record.plan)]++;
        counts->outdated += record.is_outdated;
        counts->blocked += record.is_blocked;
    }
    arena_rewind(making->writing.scratch, mark);
}

/* Adds the names of the clusters, because machines refer to their cluster by id. */
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

/* ---- the answer, in pieces ---- */

/* The answer that is sent: a sequence of texts. */
struct fleet_body {
    struct arena *rows; /* freed with this body */
    struct text parts[5 + 3 * (TABLE_COUNT + COLUMN_COUNT + PROBLEM_COUNT)];
    size_t count;
    size_t next;
};

static void fleet_part_add(struct fleet_body *body, struct text text)
{
    assert(body->count < ARRAY_COUNT(body->parts));
    body->parts[body->count++] = text;
}

static void fleet_list_add(struct fleet_body *body, struct arena *arena, const char *name,
                           bool is_first, struct buf *items)
{
    fleet_part_add(body, arena_printf(arena, "%s\"%s\":[", is_first ? "" : ",", name));
    fleet_part_add(body, buf_text(items));
    fleet_part_add(body, TEXT("]"));
}

static size_t fleet_body_read(void *arg, char *out, size_t room, bool *is_end)
{
    struct fleet_body *body = arg;
    size_t bytes = 0;

    while (bytes < room && body->next < body->count) {
        struct text *part = &body->parts[body->next];
        size_t step = part->length < room - bytes ? part->length : room - bytes;

        memcpy(out + bytes, part->data, step);
        bytes += step;
        *part = text_slice(*part, step, part->length);
        body->next += part->length == 0;
    }
    *is_end = body->next == body->count;
    return bytes;
}

static void fleet_body_closed(void *arg)
{
    arena_free(((struct fleet_body *)arg)->rows);
}

static struct fleet_body *fleet_body_make(struct fleet_making *making)
{
    struct call *call = making->call;
    struct fleet_writing *writing = &making->writing;
    struct fleet_body *body = arena_one(call->arena, struct fleet_body);
    struct buf buf;

    body->rows = writing->arena;
    buf_init(&buf, call->arena);
    buf_add_string(&buf, "{");
    cluster_names_put(call, writing, &buf);
    buf_printf(&buf, ",\"displayedNames\":[");
    for (enum displayed displayed = 0; displayed < DISPLAYED_COUNT; displayed++) {
        buf_printf(&buf, "%s\"%s\"", displayed == 0 ? "" : ",", displayed_name(displayed));
    }
    buf_add_string(&buf, "],");
    fleet_part_add(body, buf_text(&buf));
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        fleet_list_add(body, call->arena, table_names[i], i == 0, &writing->tables[i].json);
    }
    fleet_part_add(body, TEXT(",\"columns\":{"));
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        fleet_list_add(body, call->arena, column_names[i], i == 0, &writing->columns[i]);
    }
    fleet_part_add(body, TEXT("},\"problems\":{"));
    for (size_t i = 0; i < PROBLEM_COUNT; i++) {
        fleet_list_add(body, call->arena, problem_names[i], i == 0, &writing->problems[i]);
    }
    fleet_part_add(body, arena_printf(call->arena, "},\"count\":%zu,\"revision\":%llu}",
                                      writing->count, (unsigned long long)making->page.revision));
    return body;
}

static size_t body_bytes(const struct fleet_body *body)
{
    size_t bytes = 0;

    for (size_t i = 0; i < body->count; i++) {
        bytes += body->parts[i].length;
    }
    return bytes;
}

/* Format the counts: {"groups":[GROUP],"revision":N}, where GROUP is
 * {"cluster":NAME,"counts":{"blocked":N,STATE:N...,"outdated":N},"group":PATH}. */
static struct text fleet_counts_format(struct fleet_making *making)
{
    struct call *call = making->call;
    bool is_first = true;
    struct buf buf;

    buf_init(&buf, call->arena);
    buf_add_string(&buf, "{\"groups\":[");
    for (const struct map_node *node = map_first(&making->groups, TEXT("")); node != NULL;
         node = map_after(&making->groups, node->key)) {
        const struct group_counts *counts = node->value;
        struct text name = objects_cluster_name(call->api->options.cache, call->arena,
                                                call->actor.tenant, counts->cluster);
        struct doc cluster = doc_text(name.length > 0 ? name : counts->cluster, NULL);
        struct doc group = doc_text(counts->group, NULL);

        buf_add_string(&buf, is_first ? "{\"cluster\":" : ",{\"cluster\":");
        json_format(&buf, &cluster);
        buf_printf(&buf, ",\"counts\":{\"blocked\":%zu", counts->blocked);
        for (enum displayed displayed = 0; displayed < DISPLAYED_COUNT; displayed++) {
            buf_printf(&buf, ",\"%s\":%zu", displayed_name(displayed),
                       counts->displayed[displayed]);
        }
        buf_printf(&buf, ",\"outdated\":%zu},\"group\":", counts->outdated);
        json_format(&buf, &group);
        buf_add_string(&buf, "}");
        is_first = false;
    }
    buf_printf(&buf, "],\"revision\":%llu}", (unsigned long long)making->page.revision);
    return buf_text(&buf);
}

/* Finds the cluster in the request; NULL: the request has none. Returns false if the cluster does
 * not exist. */
MUST_CHECK static bool fleet_cluster_find(struct call *call, const struct cache_object **out,
                                          struct err *err)
{
    struct text name = call_parameter(call, "cluster");

    *out = name.length == 0 ? NULL
                            : objects_find(call->api->options.cache, call->actor.tenant,
                                           objects_kind("Cluster"), name);
    return name.length == 0 || *out != NULL ||
           err_set(err, CODE_R0403, "there is no cluster '%.*s'", TEXT_ARG(name));
}

/* Returns whether the machine belongs to the group in the request, or to a group below it. */
static bool is_fleet_of_group(const struct call *call, const struct cache_object *object)
{
    struct text group = call_parameter(call, "group");
    struct record record;
    struct err err;

    return group.length == 0 ||
           (record_parse(call->arena, call->name, blob_text(object->parts[CACHE_STATUS].bytes),
                         &record, &err) &&
            objects_group_is_below(record.plan.group, group));
}

void api_resource(struct call *call)
{
    const struct cache *cache = call->api->options.cache;
    const struct cache_object *cluster = NULL;
    const struct cache_object *object = NULL;
    struct service_kept_row row;
    struct buf buf;
    struct err err;

    if (!fleet_cluster_find(call, &cluster, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (cluster != NULL) {
        row.id = arena_printf(call->arena, "%.*s/%.*s", TEXT_ARG(cache_id(cluster)),
                              TEXT_ARG(call->name));
        object = cache_find(cache, call->actor.tenant, TEXT("Resource"), row.id);
    }
    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL ||
        !is_fleet_of_group(call, object)) {
        err_set(&err, CODE_R0403, "there is no machine '%.*s' in this cluster",
                TEXT_ARG(call->name));
        (void)!err_hint(&err, "name a machine by its token, and its cluster by cluster=NAME");
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

/* ---- a request ---- */

/* Returns whether the client already has this revision. Each encoding has a different ETag; a match
 * with any of them is sufficient. */
static bool is_fleet_known(const struct call *call, uint64_t revision)
{
    struct text known = call_header(call, HTTP_IF_NONE_MATCH);

    return text_is_equal(known,
                         arena_printf(call->arena, "\"%llu\"", (unsigned long long)revision)) ||
           text_is_equal(known,
                         arena_printf(call->arena, "\"%llu-gzip\"", (unsigned long long)revision));
}

static size_t fields_make(const struct call *call, uint64_t revision, bool is_gzip,
                          struct http_field out[static 3])
{
    out[0] = (struct http_field){ "ETag",
                                  arena_printf(call->arena, "\"%llu%s\"",
                                               (unsigned long long)revision, is_gzip ? "-gzip" : "")
                                      .data };
    out[1] = (struct http_field){ "Vary", "Accept-Encoding" };
    out[2] = (struct http_field){ "Content-Encoding", "gzip" };
    return is_gzip ? 3 : 2;
}

static void fleet_making_begin(struct fleet_making *making)
{
    struct fleet_writing *writing = &making->writing;

    *writing = (struct fleet_writing){ .arena = arena_new(LIMIT_WORK_ARENA_BYTES),
                                       .group = call_parameter(making->call, "group") };
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        map_init(&writing->tables[i].places, writing->arena);
        buf_init(&writing->tables[i].json, writing->arena);
    }
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        buf_init(&writing->columns[i], writing->arena);
    }
    for (size_t i = 0; i < PROBLEM_COUNT; i++) {
        buf_init(&writing->problems[i], writing->arena);
    }
    writing->policies = (struct service_policies){
        .service = making->call->api->options.service,
        .tenant = making->call->actor.tenant,
    };
    map_init(&making->groups, writing->arena);
    making->page = (struct cache_page){ 0 };
}

static void making_report(struct fleet_making *making)
{
    struct call *call = making->call;
    struct fleet_body *body = fleet_body_make(making);
    struct http_stream stream = { .read = fleet_body_read,
                                  .closed = fleet_body_closed,
                                  .arg = body };
    bool is_gzip = squeeze_is_wanted(call->request);
    struct http_field fields[3];
    struct http_answer answer = {
        .status = 200, .content_type = "application/json", .stream = &stream, .fields = fields
    };

    stream.bytes = body_bytes(body);
    if (is_gzip) {
        stream = squeeze_stream(call->arena, &stream);
    }
    answer.field_count = fields_make(call, making->page.revision, is_gzip, fields);
    call_answer_fields(call, &answer);
}

static void fleet_making_refuse(struct fleet_making *making, const struct err *err)
{
    arena_free(making->writing.arena);
    call_refuse(making->call, err);
}

/* Makes the next piece. Returns true if it was the last one and the request is answered. */
MUST_CHECK static bool making_go_on(struct fleet_making *making)
{
    struct cache *cache = making->call->api->options.cache;
    struct err err;

    making->writing.scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    if (!cache_list(cache, making->writing.scratch, &making->scope, &making->page, FLEET_PIECE_ROWS,
                    making->is_counts ? machine_count : fleet_machine_put,
                    making->is_counts ? (void *)making : &making->writing, &err)) {
        arena_free(making->writing.scratch);
        if (err.code == CODE_R0503 && ++making->tries < FLEET_TRIES) {
            /* the cache has dropped changes in the meantime: restart */
            arena_free(making->writing.arena);
            fleet_making_begin(making);
            return false;
        }
        fleet_making_refuse(making, &err);
        return true;
    }
    making->page.token = arena_text(making->call->arena, making->page.token);
    arena_free(making->writing.scratch);
    if (making->page.token.length > 0) {
        return false;
    }
    if (making->is_counts) {
        call_answer(making->call, 200, "application/json", fleet_counts_format(making));
        arena_free(making->writing.arena);
        return true;
    }
    making_report(making);
    return true;
}

void api_fleet(struct call *call)
{
    struct api *api = call->api;
    uint64_t revision = cache_revision(api->options.cache);
    struct fleet_making *making = arena_one(call->arena, struct fleet_making);
    struct text view = call_parameter(call, "view");
    const struct cache_object *cluster;
    struct http_field fields[3];
    struct err err;

    if (!fleet_cluster_find(call, &cluster, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (view.length > 0 && !text_is(view, "counts")) {
        err_set(&err, CODE_R0426, "view must be 'counts', or left out");
        call_refuse(call, &err);
        return;
    }
    if (view.length == 0 && is_fleet_known(call, revision)) {
        struct http_answer answer = { .status = 304, .fields = fields, .field_count = 2 };

        (void)fields_make(call, revision, squeeze_is_wanted(call->request), fields);
        call_answer_fields(call, &answer);
        return;
    }
    making->call = call;
    making->is_counts = view.length > 0;
    making->scope.prefix = arena_printf(
        call->arena, "/%.*s/Resource/%.*s%s", TEXT_ARG(call->actor.tenant),
        TEXT_ARG(cluster == NULL ? TEXT("") : cache_id(cluster)), cluster == NULL ? "" : "/");
    fleet_making_begin(making);
    if (making_go_on(making)) {
        return;
    }
    making->next = api->fleets;
    api->fleets = making;
    api->options.loop_turn_want(api->options.arg);
}

/* Makes one piece per iteration of the loop, for the oldest pending call. Other calls run between
 * pieces. */
void fleets_run(struct api *api)
{
    struct fleet_making **last = &api->fleets;
    struct fleet_making *making;

    if (api->fleets == NULL) {
        return;
    }
    while ((*last)->next != NULL) {
        last = &(*last)->next;
    }
    making = *last;
    *last = NULL;
    if (!making_go_on(making)) {
        making->next = api->fleets;
        api->fleets = making;
    }
    if (api->fleets != NULL) {
        api->options.loop_turn_want(api->options.arg);
    }
}

void fleets_drain(struct api *api)
{
    struct err err;

    while (api->fleets != NULL) {
        struct fleet_making *making = api->fleets;

        api->fleets = making->next;
        err_set(&err, CODE_R0428, "this manager is stopping");
        fleet_making_refuse(making, &err);
    }
}
