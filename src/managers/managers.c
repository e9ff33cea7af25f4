#include "managers/managers.h"

#include "base/macros.h"
#include "codec/doc.h"
#include "codec/json.h"
#include "managers/lease.h"
#include "records/identity.h"
#include "state/objects.h"

#include <assert.h>
#include <string.h>

/* public names start with: managers_ */

#define MANAGERS_PREFIX "/" OBJECTS_SYSTEM_TENANT "/Manager/"

enum { MANAGERS_LACKS = 64, MANAGERS_TEXT_BYTES = 320 };

/* A plugin that does not work on this manager. */
struct managers_own_lack {
    char plugin[MANAGERS_TEXT_BYTES]; /* empty: this entry is free */
    char reason[MANAGERS_TEXT_BYTES];
};

struct managers {
    struct arena *memory;
    struct arena *rows_memory;
    struct managers_options options;
    struct managers_row *rows; /* in order of name */
    size_t count;
    uint64_t clusters; /* number of clusters of this manager, for its status */
    uint64_t machines;
    int64_t started_wall_ms;
    char missing_key[MANAGERS_TEXT_BYTES];
    char leaving[MANAGERS_TEXT_BYTES];
    char silent[MANAGERS_TEXT_BYTES]; /* names of members that are not heard, separated by spaces */
    bool is_drained;
    bool is_writing;
    bool is_end_writing;
    struct managers_own_lack lacks[MANAGERS_LACKS];
};

struct managers *managers_new(const struct managers_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct managers *managers = arena_one(memory, struct managers);
    struct roster_plugin *plugins =
        arena_array(memory, struct roster_plugin, options->manager.plugin_count);

    *managers = (struct managers){ .memory = memory,
                                   .rows_memory = arena_new_small(SIZE_MAX),
                                   .options = *options };
    for (size_t i = 0; i < options->manager.plugin_count; i++) {
        plugins[i].name = arena_text(memory, options->manager.plugins[i].name);
        plugins[i].digest = arena_text(memory, options->manager.plugins[i].digest);
        plugins[i].is_host = options->manager.plugins[i].is_host;
    }
    managers->options.manager.plugins = plugins;
    managers->options.manager.id = arena_text(memory, options->manager.id);
    managers->options.manager.name = arena_text(memory, options->manager.name);
    managers->options.manager.zone = arena_text(memory, options->manager.zone);
    managers->options.manager.version = arena_text(memory, options->manager.version);
    managers->options.manager.address = arena_text(memory, options->manager.address);
    managers->options.manager.peer = arena_text(memory, options->manager.peer);
    managers->options.manager.member_peer = arena_text(memory, options->manager.member_peer);
    managers->options.manager.member_client = arena_text(memory, options->manager.member_client);
    managers->options.session = arena_text(memory, options->session);
    managers->options.clock = arena_text(memory, options->clock);
    managers->started_wall_ms = options->wall_ms(options->arg);
    return managers;
}

void managers_free(struct managers *managers)
{
    if (managers != NULL) {
        arena_free(managers->rows_memory);
        arena_free(managers->memory);
    }
}

const char *managers_state_name(enum managers_state state)
{
    static const char *const names[] = {
        [MANAGERS_LIVE] = "live",       [MANAGERS_DRAINING] = "draining",
        [MANAGERS_DRAINED] = "drained", [MANAGERS_SILENT] = "silent",
        [MANAGERS_ENDED] = "ended",     [MANAGERS_GONE] = "gone",
    };

    assert(state < MANAGERS_STATE_COUNT);
    return names[state];
}

/* ---- reading ---- */

static bool managers_part_read(struct arena *arena, const struct cache_object *object,
                               enum cache_part part, struct doc *out)
{
    struct err err;

    *out = (struct doc){ .kind = DOC_KIND_NONE };
    return object->parts[part].bytes != NULL &&
           json_parse(arena, arena_text(arena, blob_text(object->parts[part].bytes)), NULL, out,
                      &err);
}

static struct text managers_member(const struct doc *doc, const char *name)
{
    const struct doc *member = doc_is_map(doc) ? doc_child(doc, name) : NULL;

    return doc_is_scalar(member) ? member->text : TEXT("");
}

static int64_t managers_number(const struct doc *doc, const char *name)
{
    int64_t number = 0;

    return text_parse_int64(managers_member(doc, name), &number) ? number : 0;
}

static void managers_plugins_read(struct arena *arena, const struct doc *status,
                                  struct managers_row *row)
{
    const struct doc *plugins = doc_is_map(status) ? doc_child(status, "plugins") : NULL;
    const struct doc *lacks = doc_is_map(status) ? doc_child(status, "unavailable") : NULL;
    size_t count = doc_is_list(plugins) ? plugins->item_count : 0;
    struct text *names = arena_array(arena, struct text, count);
    struct managers_lack *found;

    for (size_t i = 0; i < count; i++) {
        names[i] = managers_member(&plugins->items[i], "name");
    }
    row->has_plugins = doc_is_list(plugins);
    row->plugins = names;
    row->plugin_count = count;
    count = doc_is_list(lacks) ? lacks->item_count : 0;
    found = arena_array(arena, struct managers_lack, count);
    for (size_t i = 0; i < count; i++) {
        found[i] = (struct managers_lack){ managers_member(&lacks->items[i], "plugin"),
                                           managers_member(&lacks->items[i], "reason") };
    }
    row->lacks = found;
    row->lack_count = count;
}

/* Determines the state of the process of a manager. */
static void managers_state_set(const struct managers *managers, const struct doc *base,
                               struct managers_row *row, bool is_drained)
{
    const struct managers_options *options = &managers->options;
    int64_t ended_ms = managers_number(base, "at");
    bool has_session = cache_find(options->cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Session"),
                                  row->session) != NULL;

    if (row->is_here) {
        row->is_live = roster_is_alive(options->roster);
    } else {
        row->is_live = has_session && !roster_has_ended(options->roster, row->session);
        row->silent_ms = roster_silent_ms(options->roster, row->session);
    }
    if (row->is_live) {
        row->state = !row->is_here && roster_misses_beats(options->roster, row->session)
                         ? MANAGERS_SILENT
                     : !row->is_draining ? MANAGERS_LIVE
                     : is_drained        ? MANAGERS_DRAINED
                                         : MANAGERS_DRAINING;
        return;
    }
    row->state = MANAGERS_ENDED;
    if (text_is_equal(managers_member(base, "session"), row->session)) {
        row->is_forgotten = text_is(managers_member(base, "forgotten"), "true");
        row->since_wall_ms = ended_ms;
        row->state = options->wall_ms(options->arg) - ended_ms > MANAGERS_GONE_MS ? MANAGERS_GONE
                                                                                  : MANAGERS_ENDED;
    }
}

static void managers_end_reported(void *arg, enum outcome outcome,
                                  const struct store_answer *answer)
{
    struct managers *managers = arg;

    (void)outcome; /* another manager may have written it first; otherwise it is written again */
    (void)answer;
    managers->is_end_writing = false;
}

/* Reports the end of another manager's process. It is reported only once, because the session is
 * then recorded in the base of the manager's object. */
static void managers_end_write(struct managers *managers, const struct cache_object *object,
                               const struct managers_row *row)
{
    const struct managers_options *options = &managers->options;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct cache_object *session =
        cache_find(options->cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Session"), row->session);
    struct managers_ending ending = { .manager = row->id,
                                      .session = row->session,
                                      .end = roster_is_silent(options->roster, row->session)
                                                 ? MANAGERS_END_SILENT
                                                 : MANAGERS_END_ENDED,
                                      .wall_ms = options->wall_ms(options->arg) };
    struct store_compare compares[2];
    struct store_op op;
    struct store_event event;
    struct store_txn txn = { .compares = compares,
                             .compare_count = 2,
                             .ops = &op,
                             .op_count = 1,
                             .events = &event,
                             .event_count = 1 };

    if (managers->is_end_writing || !roster_is_fresh(options->roster) ||
        !managers_end_describe(arena, options->cache, &ending, &op, &event)) {
        return;
    }
    compares[0] = (struct store_compare){ op.key, object->parts[CACHE_BASE].revision };
    /* the session must not have sent a heartbeat in the meantime */
    compares[1] =
        (struct store_compare){ objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Session"),
                                            row->session, CACHE_STATUS),
                                session == NULL ? 0 : session->parts[CACHE_STATUS].revision };
    managers->is_end_writing = true;
    store_txn(options->store, &txn, managers_end_reported, managers);
}

static void managers_silent_read(struct arena *arena, struct text names, struct managers_row *row)
{
    struct text *list = arena_array(arena, struct text, names.length / 2 + 1);
    size_t count = 0;

    while (names.length > 0) {
        size_t end = text_find_byte(names, ' ');
        struct text name = text_slice(names, 0, end);

        if (name.length > 0) {
            list[count++] = name;
        }
        names = text_slice(names, end == SIZE_MAX ? names.length : end + 1, SIZE_MAX);
    }
    row->silent = list;
    row->silent_count = count;
}

static void managers_row_read(struct managers *managers, const struct cache_object *object,
                              struct managers_row *row)
{
    struct arena *arena = managers->rows_memory;
    struct doc status;
    struct doc base;
    struct doc spec;

    (void)managers_part_read(arena, object, CACHE_STATUS, &status);
    (void)managers_part_read(arena, object, CACHE_BASE, &base);
    (void)managers_part_read(arena, object, CACHE_SPEC, &spec);
    *row = (struct managers_row){
        .id = arena_text(arena, cache_id(object)),
        .name = managers_member(&status, "name"),
        .zone = managers_member(&status, "zone"),
        .version = managers_member(&status, "version"),
        .address = managers_member(&status, "address"),
        .peer = managers_member(&status, "peer"),
        .member_peer = managers_member(&status, "memberPeer"),
        .member_client = managers_member(&status, "memberClient"),
        .session = managers_member(&status, "session"),
        .since_wall_ms = managers_number(&status, "since"),
        .is_here = text_is_equal(cache_id(object), managers->options.manager.id),
        .is_draining = text_is(managers_member(&spec, "drain"), "true"),
        .is_leaving = text_is(managers_member(&spec, "leave"), "true"),
        .leaving = managers_member(&status, "leaving"),
        .drain_wall_ms = managers_number(&spec, "at"),
        .drain_by = managers_member(&spec, "by"),
        .drain_message = managers_member(&spec, "message"),
        .is_fetching = text_is(managers_member(&status, "fetch"), "true"),
        .missing_key = managers_member(&status, "missingKey"),
    };
    if (row->is_here) { /* an earlier process of this manager may have written it */
        row->session = managers->options.session;
        row->missing_key = text_from(managers->missing_key);
    }
    managers_silent_read(arena, managers_member(&status, "silentMembers"), row);
    managers_plugins_read(arena, &status, row);
    managers_state_set(managers, &base, row, text_is(managers_member(&status, "drained"), "true"));
    if (row->state == MANAGERS_ENDED && !row->is_here &&
        !text_is_equal(managers_member(&base, "session"), row->session)) {
        managers_end_write(managers, object, row);
    }
}

/* ---- the status of this manager ---- */

static void managers_put(struct doc_builder *builder, const char *name, struct text value)
{
    if (value.length > 0) {
        doc_builder_put(builder, name, doc_text(value, NULL));
    }
}

static struct text managers_text(struct arena *arena, struct doc_builder *builder)
{
    struct doc doc = doc_builder_map(builder, NULL);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

static struct doc managers_plugins_doc(const struct managers *managers, struct arena *arena)
{
    const struct roster_manager *manager = &managers->options.manager;
    struct doc *items = arena_array(arena, struct doc, manager->plugin_count);

    for (size_t i = 0; i < manager->plugin_count; i++) {
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        managers_put(&builder, "digest", manager->plugins[i].digest);
        managers_put(&builder, "name", manager->plugins[i].name);
        managers_put(&builder, "scope", manager->plugins[i].is_host ? TEXT("host") : TEXT("world"));
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, manager->plugin_count, NULL);
}

static struct doc managers_lacks_doc(const struct managers *managers, struct arena *arena,
                                     size_t *out_count)
{
    struct doc *items = arena_array(arena, struct doc, MANAGERS_LACKS);

    *out_count = 0;
    for (size_t i = 0; i < MANAGERS_LACKS; i++) {
        struct doc_builder builder;

        if (managers->lacks[i].plugin[0] == '\0') {
            continue;
        }
        doc_builder_init(&builder, arena);
        managers_put(&builder, "plugin", text_from(managers->lacks[i].plugin));
        managers_put(&builder, "reason", text_from(managers->lacks[i].reason));
        items[(*out_count)++] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, *out_count, NULL);
}

static struct text managers_status_format(const struct managers *managers, struct arena *arena)
{
    const struct managers_options *options = &managers->options;
    size_t lack_count;
    struct doc lacks = managers_lacks_doc(managers, arena, &lack_count);
    struct doc_builder builder;
    struct doc_builder load;

    doc_builder_init(&load, arena);
    doc_builder_put(&load, "clusters", doc_int(arena, (int64_t)managers->clusters, NULL));
    doc_builder_put(&load, "machines", doc_int(arena, (int64_t)managers->machines, NULL));
    doc_builder_init(&builder, arena);
    managers_put(&builder, "address", options->manager.address);
    managers_put(&builder, "clock", options->clock);
    if (managers->is_drained) {
        doc_builder_put(&builder, "drained", doc_bool(true, NULL));
    }
    doc_builder_put(&builder, "fetch", doc_bool(options->manager.is_fetching, NULL));
    managers_put(&builder, "leaving", text_from(managers->leaving));
    doc_builder_put(&builder, "load", doc_builder_map(&load, NULL));
    managers_put(&builder, "missingKey", text_from(managers->missing_key));
    managers_put(&builder, "memberClient", options->manager.member_client);
    managers_put(&builder, "memberPeer", options->manager.member_peer);
    managers_put(&builder, "name", options->manager.name);
    managers_put(&builder, "peer", options->manager.peer);
    doc_builder_put(&builder, "plugins", managers_plugins_doc(managers, arena));
    managers_put(&builder, "session", options->session);
    managers_put(&builder, "silentMembers", text_from(managers->silent));
    doc_builder_put(&builder, "since", doc_int(arena, managers->started_wall_ms, NULL));
    if (lack_count > 0) {
        doc_builder_put(&builder, "unavailable", lacks);
    }
    managers_put(&builder, "version", options->manager.version);
    managers_put(&builder, "zone", options->manager.zone);
    return managers_text(arena, &builder);
}

/* Make the body of an event about a manager. */
static struct text managers_event_body(struct arena *arena, const char *type, struct text id,
                                       struct text name, struct text fact)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    managers_put(&builder, "actor", TEXT("reeve"));
    managers_put(&builder, "fact", fact);
    managers_put(&builder, "kind", TEXT("Manager"));
    managers_put(&builder, "name", name);
    managers_put(&builder, "object", id);
    managers_put(&builder, "type", text_from(type));
    return managers_text(arena, &builder);
}

static struct store_event managers_event_make(struct text body, int64_t wall_ms)
{
    return (struct store_event){ .cluster = TEXT(IDENTITY_TENANT_DEFAULT "/"),
                                 .body = body,
                                 .time_ms = (uint64_t)wall_ms };
}

static void managers_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct managers *managers = arg;

    (void)outcome; /* if the stored status differs, it is written again */
    (void)answer;
    managers->is_writing = false;
}

static struct text managers_key(struct arena *arena, struct text id, enum cache_part part)
{
    return objects_key(arena, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Manager"), id, part);
}

/* Writes the status of this manager if it differs from the stored one. A new session is reported as
 * `manager.joined`, the end of a drain as `manager.drained`. */
static void managers_introduce(struct managers *managers)
{
    const struct managers_options *options = &managers->options;
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    const struct cache_object *object = cache_find(options->cache, TEXT(OBJECTS_SYSTEM_TENANT),
                                                   TEXT("Manager"), options->manager.id);
    struct store_op ops[2] = { { .key = managers_key(arena, options->manager.id, CACHE_STATUS),
                                 .value = managers_status_format(managers, arena) } };
    struct store_event event;
    struct store_txn txn = { .ops = ops, .op_count = 1, .events = &event };
    struct doc former = { .kind = DOC_KIND_NONE };
    bool is_joining;

    if (managers->is_writing || !roster_is_fresh(options->roster)) {
        return;
    }
    if (object != NULL && object->parts[CACHE_STATUS].bytes != NULL &&
        text_is_equal(blob_text(object->parts[CACHE_STATUS].bytes), ops[0].value)) {
        return;
    }
    if (object != NULL) {
        (void)managers_part_read(arena, object, CACHE_STATUS, &former);
    }
    is_joining = !text_is_equal(managers_member(&former, "session"), options->session);
    if (is_joining ||
        (managers->is_drained && !text_is(managers_member(&former, "drained"), "true"))) {
        event = managers_event_make(
            managers_event_body(arena, is_joining ? "manager.joined" : "manager.drained",
                                options->manager.id, options->manager.name,
                                is_joining ? options->manager.version
                                           : TEXT("the manager has handed over its clusters")),
            options->wall_ms(options->arg));
        txn.event_count = 1;
    }
    if (is_joining && object != NULL && object->parts[CACHE_BASE].bytes != NULL) {
        ops[txn.op_count++] =
            (struct store_op){ .key = managers_key(arena, options->manager.id, CACHE_BASE),
                               .is_delete = true };
    }
    managers->is_writing = true;
    store_txn(options->store, &txn, managers_written, managers);
}

static bool managers_is_before(const struct managers_row *a, const struct managers_row *b)
{
    int order = text_compare(a->name, b->name);

    return order < 0 || (order == 0 && text_compare(a->id, b->id) < 0);
}

/* Moves the last row to its position in the order of names. */
static void managers_row_sort(struct managers *managers)
{
    for (size_t i = managers->count - 1;
         i > 0 && managers_is_before(&managers->rows[i], &managers->rows[i - 1]); i--) {
        struct managers_row row = managers->rows[i];

        managers->rows[i] = managers->rows[i - 1];
        managers->rows[i - 1] = row;
    }
}

void managers_read(struct managers *managers)
{
    struct cache *cache = managers->options.cache;
    struct text prefix = TEXT(MANAGERS_PREFIX);
    const struct cache_object *object;
    size_t count = 0;

    arena_clear(managers->rows_memory);
    managers->count = 0;
    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        count++;
    }
    managers->rows = arena_array(managers->rows_memory, struct managers_row, count);
    for (object = cache_first(cache, prefix); object != NULL;
         object = cache_next(cache, prefix, object)) {
        if (object->parts[CACHE_STATUS].bytes != NULL) {
            managers_row_read(managers, object, &managers->rows[managers->count++]);
            managers_row_sort(managers);
        }
    }
    managers_introduce(managers);
}

struct managers_row *managers_holder(const struct managers *managers, struct text tenant,
                                     struct text cluster)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache_object *lease =
        cache_find(managers->options.cache, tenant, TEXT("Lease"), cluster);
    const struct doc *content = lease_read(arena, lease);

    return content == NULL ? NULL : managers_find_session(managers, lease_session(content));
}

size_t managers_count(const struct managers *managers)
{
    return managers->count;
}

struct managers_row *managers_at(const struct managers *managers, size_t index)
{
    assert(index < managers->count);
    return &managers->rows[index];
}

struct managers_row *managers_find(const struct managers *managers, struct text id)
{
    for (size_t i = 0; i < managers->count; i++) {
        if (text_is_equal(managers->rows[i].id, id)) {
            return &managers->rows[i];
        }
    }
    return NULL;
}

struct managers_row *managers_find_session(const struct managers *managers, struct text session)
{
    for (size_t i = 0; i < managers->count; i++) {
        if (text_is_equal(managers->rows[i].session, session)) {
            return &managers->rows[i];
        }
    }
    return NULL;
}

struct managers_row *managers_here(const struct managers *managers)
{
    return managers_find(managers, managers->options.manager.id);
}

void managers_load_set(struct managers *managers, uint64_t clusters, uint64_t machines,
                       bool is_drained)
{
    managers->clusters = clusters;
    managers->machines = machines;
    managers->is_drained = is_drained;
}

static void managers_string_set(char out[static MANAGERS_TEXT_BYTES], struct text text)
{
    size_t length = text.length < MANAGERS_TEXT_BYTES ? text.length : MANAGERS_TEXT_BYTES - 1;

    memcpy(out, text.data, length);
    out[length] = '\0';
}

void managers_key_set(struct managers *managers, struct text missing)
{
    managers_string_set(managers->missing_key, missing);
}

void managers_silent_set(struct managers *managers, const struct text *names, size_t count)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct buf buf;

    buf_init(&buf, arena);
    for (size_t i = 0; i < count; i++) {
        buf_printf(&buf, "%s%.*s", i == 0 ? "" : " ", TEXT_ARG(names[i]));
    }
    managers_string_set(managers->silent, buf_text(&buf));
}

void managers_leaving_set(struct managers *managers, struct text waits_for)
{
    managers_string_set(managers->leaving, waits_for);
}

bool managers_leaving_is_written(const struct managers *managers)
{
    const struct managers_row *here = managers_here(managers);

    return here != NULL && text_is(here->leaving, managers->leaving);
}

void managers_lack_set(struct managers *managers, struct text plugin, struct text reason)
{
    struct managers_own_lack *unused = NULL;

    for (size_t i = 0; i < MANAGERS_LACKS; i++) {
        struct managers_own_lack *lack = &managers->lacks[i];

        if (text_is(plugin, lack->plugin)) {
            if (reason.length == 0) {
                lack->plugin[0] = '\0';
            }
            return;
        }
        unused = unused == NULL && lack->plugin[0] == '\0' ? lack : unused;
    }
    if (unused != NULL && reason.length > 0 && plugin.length < MANAGERS_TEXT_BYTES) {
        managers_string_set(unused->plugin, plugin);
        managers_string_set(unused->reason, reason);
    }
}

/* ---- end of a process ---- */

bool managers_end_describe(struct arena *arena, const struct cache *cache,
                           const struct managers_ending *ending, struct store_op *op,
                           struct store_event *event)
{
    static const char *const types[] = { [MANAGERS_END_LEFT] = "manager.left",
                                         [MANAGERS_END_ENDED] = "manager.ended",
                                         [MANAGERS_END_SILENT] = "manager.silent" };
    static const char *const facts[] = {
        [MANAGERS_END_LEFT] = "the process of the manager was stopped",
        [MANAGERS_END_ENDED] = "the host refuses connections: the process of the manager has ended",
        [MANAGERS_END_SILENT] = "the heartbeats of the manager have stopped",
    };
    const struct cache_object *object =
        ending->manager.length == 0
            ? NULL
            : cache_find(cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Manager"), ending->manager);
    struct doc status;

    if (object == NULL || !managers_part_read(arena, object, CACHE_STATUS, &status) ||
        !text_is_equal(managers_member(&status, "session"), ending->session)) {
        return false;
    }
    *op = (struct store_op){
        .key = managers_key(arena, ending->manager, CACHE_BASE),
        .value = arena_printf(arena, "{\"at\":%lld,\"end\":\"%s\",\"session\":\"%.*s\"}",
                              (long long)ending->wall_ms, types[ending->end] + strlen("manager."),
                              TEXT_ARG(ending->session)),
    };
    *event = managers_event_make(managers_event_body(arena, types[ending->end], ending->manager,
                                                     managers_member(&status, "name"),
                                                     text_from(facts[ending->end])),
                                 ending->wall_ms);
    return true;
}

void managers_removal_describe(struct arena *arena, const struct cache *cache, struct text id,
                               int64_t wall_ms, struct store_op ops[static CACHE_PART_COUNT],
                               struct store_event *event)
{
    const struct cache_object *object =
        cache_find(cache, TEXT(OBJECTS_SYSTEM_TENANT), TEXT("Manager"), id);
    struct doc status = { .kind = DOC_KIND_NONE };

    if (object != NULL) {
        (void)managers_part_read(arena, object, CACHE_STATUS, &status);
    }
    for (int part = 0; part < CACHE_PART_COUNT; part++) {
        ops[part] = (struct store_op){ .key = managers_key(arena, id, (enum cache_part)part),
                                       .is_delete = true };
    }
    *event = managers_event_make(
        managers_event_body(arena, "manager.removed", id, managers_member(&status, "name"),
                            TEXT("the manager has left the store for good")),
        wall_ms);
}
