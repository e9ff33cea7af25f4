/* Calls a plugin in this process, without a manager: plugin_driver PLUGIN.so FOLDER SETTINGS
 *
 * It reads one call per line as JSON and writes one answer per line: the result, and all data that
 * the plugin passed to the host. It is used to test single answers of a provider. The environment
 * variable REEVE_DRIVER_CREDENTIAL has the path of the file with the credential. */
#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "reeve/plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALL_BYTES = 512 * 1024 * 1024, LINE_BYTES = 1024 * 1024 };

struct reeve_call {
    struct arena *arena;
    struct doc request;
    uint64_t ends_ms;
    struct buf out; /* members of the answer */
};

static struct text driver_credential;
static pthread_mutex_t driver_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct text driver_text(struct reeve_text text)
{
    return (struct text){ text.bytes, text.length };
}

static struct reeve_text driver_answer(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

static uint64_t driver_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- writing the answer: one JSON object per thing that was handed over ---- */

static void driver_put(struct doc_builder *builder, const char *name, struct reeve_text text)
{
    doc_builder_put(builder, name, doc_text(driver_text(text), NULL));
}

static void driver_add(struct reeve_call *call, const char *kind, struct doc_builder *builder)
{
    struct doc doc;

    doc_builder_put(builder, "kind", doc_text(text_from(kind), NULL));
    doc = doc_builder_map(builder, NULL);
    (void)pthread_mutex_lock(&driver_mutex);
    buf_add_string(&call->out, call->out.length == 0 ? "" : ",");
    json_format(&call->out, &doc);
    (void)pthread_mutex_unlock(&driver_mutex);
}

static void driver_add_two(struct reeve_call *call, const char *kind, const char *first,
                           struct reeve_text a, const char *second, struct reeve_text b)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    driver_put(&builder, first, a);
    if (second != NULL) {
        driver_put(&builder, second, b);
    }
    driver_add(call, kind, &builder);
}

static void driver_fault(struct reeve_call *call, struct reeve_text pointer,
                         struct reeve_text message)
{
    driver_add_two(call, "fault", "pointer", pointer, "message", message);
}

static void driver_notice(struct reeve_call *call, struct reeve_text pointer,
                          struct reeve_text message)
{
    driver_add_two(call, "notice", "pointer", pointer, "message", message);
}

static void driver_fact(struct reeve_call *call, struct reeve_text name, struct reeve_text value)
{
    driver_add_two(call, "fact", "name", name, "value", value);
}

static void driver_pin(struct reeve_call *call, struct reeve_text pointer, struct reeve_text value)
{
    driver_add_two(call, "pin", "pointer", pointer, "value", value);
}

static void driver_made(struct reeve_call *call, struct reeve_text id)
{
    driver_add_two(call, "made", "id", id, NULL, id);
}

static void driver_mark(struct reeve_call *call, struct reeve_text mark)
{
    driver_add_two(call, "mark", "mark", mark, NULL, mark);
}

static void driver_console(struct reeve_call *call, struct reeve_text text)
{
    driver_add_two(call, "text", "text", text, NULL, text);
}

static void driver_retry_after(struct reeve_call *call, uint64_t milliseconds)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "ms", doc_int(call->arena, (int64_t)milliseconds, NULL));
    driver_add(call, "retryAfter", &builder);
}

static void driver_incomplete(struct reeve_call *call)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    driver_add(call, "incomplete", &builder);
}

static void driver_unchanged(struct reeve_call *call)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    driver_add(call, "unchanged", &builder);
}

static struct doc driver_tags(struct reeve_call *call, const struct reeve_tag *tags, uint32_t count)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    for (uint32_t i = 0; i < count; i++) {
        struct doc_entry entry = { .key = arena_text(call->arena, driver_text(tags[i].name)),
                                   .value = doc_text(driver_text(tags[i].value), NULL) };

        doc_builder_add(&builder, &entry);
    }
    return doc_builder_map(&builder, NULL);
}

static void driver_row(struct reeve_call *call, const struct reeve_row_v1 *row)
{
    struct doc_builder builder;
    struct doc properties = { 0 };
    struct err err;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "tags", driver_tags(call, row->tags, row->tag_count));
    driver_put(&builder, "id", row->id);
    driver_put(&builder, "address", row->address);
    driver_put(&builder, "zone", row->zone);
    doc_builder_put(&builder, "state", doc_int(call->arena, row->state, NULL));
    if (row->properties.length > 0 &&
        json_parse(call->arena, arena_text(call->arena, driver_text(row->properties)), NULL,
                   &properties, &err)) {
        doc_builder_put(&builder, "properties", properties);
    }
    driver_add(call, "row", &builder);
}

static void driver_resource(struct reeve_call *call, const struct reeve_resource_v1 *resource)
{
    struct doc_builder builder;

    doc_builder_init(&builder, call->arena);
    doc_builder_put(&builder, "tags", driver_tags(call, resource->tags, resource->tag_count));
    driver_put(&builder, "resource", resource->kind);
    driver_put(&builder, "id", resource->id);
    driver_put(&builder, "zone", resource->zone);
    driver_put(&builder, "attached", resource->attached);
    doc_builder_put(&builder, "bytes", doc_int(call->arena, (int64_t)resource->bytes, NULL));
    driver_add(call, "resource", &builder);
}

/* ---- reading the request ---- */

static void *driver_allocate(struct reeve_call *call, uint64_t bytes)
{
    void *memory;

    (void)pthread_mutex_lock(&driver_mutex);
    memory = arena_alloc(call->arena, bytes);
    (void)pthread_mutex_unlock(&driver_mutex);
    return memory;
}

static struct reeve_text driver_json(struct reeve_call *call, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, call->arena);
    json_format(&buf, doc);
    return driver_answer(buf_text(&buf));
}

static struct reeve_value_v1 driver_doc_value(struct reeve_call *call, const struct doc *doc)
{
    struct reeve_value_v1 value = { .type = REEVE_TYPE_ANY };

    if (!doc_is_present(doc)) {
        return value;
    }
    value.text = driver_json(call, doc);
    if (!doc_is_scalar(doc)) {
        value.type = doc_is_map(doc) ? REEVE_TYPE_MAP : REEVE_TYPE_LIST;
        value.integer = (int64_t)(doc_is_map(doc) ? doc->entry_count : doc->item_count);
        return value;
    }
    switch (doc_core_type(doc)) {
    case DOC_TYPE_BOOL:
        value.type = REEVE_TYPE_BOOLEAN;
        value.integer = text_is(doc->text, "true");
        break;
    case DOC_TYPE_INT:
        value.type =
            text_parse_int64(doc->text, &value.integer) ? REEVE_TYPE_INTEGER : REEVE_TYPE_NUMBER;
        break;
    case DOC_TYPE_FLOAT:
        value.type = REEVE_TYPE_NUMBER;
        break;
    case DOC_TYPE_TEXT:
        value.type = REEVE_TYPE_TEXT;
        value.text = driver_answer(doc->text);
        break;
    case DOC_TYPE_NULL:
    case DOC_TYPE_COUNT:
        break;
    }
    return value;
}

static const struct doc *driver_properties(struct reeve_call *call, struct reeve_text pointer)
{
    return doc_at(doc_child(&call->request, "properties"), driver_text(pointer));
}

static struct reeve_value_v1 driver_value(struct reeve_call *call, struct reeve_text pointer)
{
    return driver_doc_value(call, driver_properties(call, pointer));
}

static struct reeve_value_v1 driver_member(struct reeve_call *call, struct reeve_text pointer,
                                           uint64_t i, struct reeve_text *name)
{
    const struct doc *doc = driver_properties(call, pointer);

    if (doc_is_list(doc) && i < doc->item_count) {
        *name = REEVE_TEXT("");
        return driver_doc_value(call, &doc->items[i]);
    }
    if (doc_is_map(doc) && i < doc->entry_count) {
        *name = driver_answer(doc->entries[i].key);
        return driver_doc_value(call, &doc->entries[i].value);
    }
    *name = REEVE_TEXT("");
    return (struct reeve_value_v1){ .type = REEVE_TYPE_ANY };
}

static uint64_t driver_left_ms(struct reeve_call *call)
{
    uint64_t now_ms = driver_now_ms();

    return call->ends_ms > now_ms ? call->ends_ms - now_ms : 0;
}

static struct reeve_text driver_get_credential(struct reeve_call *call)
{
    const struct doc *own = doc_child(&call->request, "credential");

    return driver_answer(doc_is_scalar(own) ? own->text : driver_credential);
}

static struct reeve_text driver_token(struct reeve_call *call)
{
    return driver_answer(doc_child_text(&call->request, "token"));
}

static uint64_t driver_age_ms(struct reeve_call *call)
{
    const struct doc *age = doc_child(&call->request, "ageMs");

    return doc_is_scalar(age) ? (uint64_t)doc_child_number(&call->request, "ageMs") : UINT64_MAX;
}

static struct reeve_text driver_pinned(struct reeve_call *call, struct reeve_text pointer)
{
    const struct doc *pin = doc_find(doc_child(&call->request, "pinned"), driver_text(pointer));

    return doc_is_scalar(pin) ? driver_answer(pin->text) : REEVE_TEXT("");
}

static void driver_log(const struct reeve_host_v1 *host, int32_t level, struct reeve_text message)
{
    (void)host;
    (void)fprintf(stderr, "log %d %.*s\n", level, (int)message.length, message.bytes);
}

/* ---- calls ---- */

static struct reeve_tag *driver_request_tags(struct reeve_call *call, uint32_t *out_count)
{
    const struct doc *tags = doc_child(&call->request, "tags");
    size_t count = doc_is_map(tags) ? tags->entry_count : 0;
    struct reeve_tag *out = arena_array(call->arena, struct reeve_tag, count + 1);

    for (size_t i = 0; i < count; i++) {
        out[i] = (struct reeve_tag){ driver_answer(tags->entries[i].key),
                                     driver_answer(tags->entries[i].value.text) };
    }
    *out_count = (uint32_t)count;
    return out;
}

static struct reeve_text driver_field(struct reeve_call *call, const char *name)
{
    const struct doc *doc = doc_child(&call->request, name);

    return doc_is_container(doc) ? driver_json(call, doc)
                                 : driver_answer(doc_child_text(&call->request, name));
}

static struct reeve_text *driver_list(struct reeve_call *call, const char *name,
                                      uint32_t *out_count)
{
    const struct doc *list = doc_child(&call->request, name);
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct reeve_text *out = arena_array(call->arena, struct reeve_text, count + 1);

    for (size_t i = 0; i < count; i++) {
        out[i] = driver_answer(list->items[i].text);
    }
    *out_count = (uint32_t)count;
    return out;
}

static int32_t driver_create(const struct reeve_plugin_v1 *plugin, void *self,
                             struct reeve_call *call)
{
    struct reeve_wish_v1 request = { .struct_size = sizeof(request),
                                     .cluster = driver_field(call, "cluster"),
                                     .token = driver_field(call, "token"),
                                     .name = driver_field(call, "name"),
                                     .zone = driver_field(call, "zone"),
                                     .labels = driver_field(call, "labels"),
                                     .properties = driver_field(call, "properties"),
                                     .init = driver_field(call, "init"),
                                     .keys = driver_field(call, "keys") };

    request.tags = driver_request_tags(call, &request.tag_count);
    return plugin->create(self, call, &request);
}

static int32_t driver_describe(const struct reeve_plugin_v1 *plugin, void *self,
                               struct reeve_call *call)
{
    struct reeve_query_v1 query = { .struct_size = sizeof(query),
                                    .cluster = driver_field(call, "cluster"),
                                    .known = driver_field(call, "known") };

    query.ids = driver_list(call, "ids", &query.id_count);
    return plugin->describe(self, call, &query);
}

static int32_t driver_preflight(const struct reeve_plugin_v1 *plugin, void *self,
                                struct reeve_call *call)
{
    struct reeve_need_v1 need = { .struct_size = sizeof(need),
                                  .cluster = driver_field(call, "cluster"),
                                  .properties = driver_field(call, "properties"),
                                  .count = (uint64_t)doc_child_number(&call->request, "count") };

    need.zones = driver_list(call, "zones", &need.zone_count);
    return plugin->preflight(self, call, &need);
}

static int32_t driver_dispatch(const struct reeve_plugin_v1 *plugin, void *self,
                               struct reeve_call *call)
{
    struct text what = doc_child_text(&call->request, "call");
    struct reeve_text cluster = driver_field(call, "cluster");
    struct reeve_text id = driver_field(call, "id");

    if (text_is(what, "create")) {
        return driver_create(plugin, self, call);
    }
    if (text_is(what, "describe")) {
        return driver_describe(plugin, self, call);
    }
    if (text_is(what, "preflight")) {
        return driver_preflight(plugin, self, call);
    }
    if (text_is(what, "validate")) {
        return plugin->validate(self, call, driver_field(call, "properties"));
    }
    if (text_is(what, "destroy")) {
        return plugin->destroy(self, call, cluster, id, REEVE_TEXT("terminate"));
    }
    if (text_is(what, "label")) {
        return plugin->label(self, call, cluster, id, driver_field(call, "labels"));
    }
    if (text_is(what, "reboot")) {
        return plugin->reboot(self, call, cluster, id);
    }
    if (text_is(what, "console")) {
        return plugin->console(self, call, cluster, id);
    }
    if (text_is(what, "resources")) {
        return plugin->resources(self, call, cluster);
    }
    if (text_is(what, "resource_destroy")) {
        return plugin->resource_destroy(self, call, cluster, driver_field(call, "resource"), id);
    }
    return -1;
}

/* One thread per call, so that calls can run concurrently. The line "wait" waits for all calls. */
struct driver_job {
    const struct reeve_plugin_v1 *plugin;
    void *self;
    char *line;
};

static void *driver_run(void *arg)
{
    struct driver_job *job = arg;
    struct reeve_call call = { .arena = arena_new_small(CALL_BYTES) };
    int64_t left_ms;
    int32_t result;
    struct err err;

    buf_init(&call.out, arena_new_small(CALL_BYTES));
    if (!json_parse(call.arena, text_from(job->line), NULL, &call.request, &err)) {
        (void)fprintf(stderr, "not JSON: %s\n", err.text);
        exit(2);
    }
    left_ms = doc_child_number(&call.request, "leftMs");
    call.ends_ms = driver_now_ms() + (uint64_t)(left_ms > 0 ? left_ms : 10000);
    result = driver_dispatch(job->plugin, job->self, &call);
    (void)pthread_mutex_lock(&driver_mutex);
    (void)printf("{\"tag\":\"%.*s\",\"result\":%d,\"all\":[%.*s]}\n",
                 TEXT_ARG(doc_child_text(&call.request, "tag")), result,
                 TEXT_ARG(buf_text(&call.out)));
    (void)fflush(stdout);
    (void)pthread_mutex_unlock(&driver_mutex);
    arena_free(call.out.arena);
    arena_free(call.arena);
    free(job->line);
    free(job);
    return NULL;
}

static void driver_read_credential(void)
{
    const char *path = getenv("REEVE_DRIVER_CREDENTIAL");
    static char bytes[65536];
    FILE *file = path == NULL ? NULL : fopen(path, "r");

    if (file != NULL) {
        driver_credential = (struct text){ bytes, fread(bytes, 1, sizeof(bytes), file) };
        (void)fclose(file);
    }
}

static const struct reeve_plugin_v1 *driver_load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct reeve_plugin_v1 *plugin = library == NULL ? NULL : dlsym(library, "reeve_plugin");

    if (plugin == NULL) {
        (void)fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return plugin;
}

static void driver_start(const struct reeve_plugin_v1 *plugin, void *self, const char *line)
{
    struct driver_job *job = calloc(1, sizeof(*job));
    pthread_t thread;

    *job = (struct driver_job){ plugin, self, strdup(line) };
    if (pthread_create(&thread, NULL, driver_run, job) != 0) {
        exit(2);
    }
    (void)pthread_detach(thread);
}

static int driver_usage(void)
{
    (void)fprintf(stderr, "plugin_driver PLUGIN.so FOLDER SETTINGS\n");
    return 2;
}

int main(int count, char **words)
{
    static char line[LINE_BYTES];
    struct reeve_host_v1 host = {
        .struct_size = sizeof(host),
        .abi_minor = REEVE_PLUGIN_ABI_MINOR,
        .allocate = driver_allocate,
        .fault = driver_fault,
        .retry_after = driver_retry_after,
        .made = driver_made,
        .row = driver_row,
        .incomplete = driver_incomplete,
        .mark = driver_mark,
        .unchanged = driver_unchanged,
        .value = driver_value,
        .member = driver_member,
        .left_ms = driver_left_ms,
        .credential = driver_get_credential,
        .log = driver_log,
        .token = driver_token,
        .age_ms = driver_age_ms,
        .notice = driver_notice,
        .fact = driver_fact,
        .pin = driver_pin,
        .pinned = driver_pinned,
        .text = driver_console,
        .resource = driver_resource,
    };
    const struct reeve_plugin_v1 *plugin;
    void *self = NULL;
    int32_t result;

    if (count != 4) {
        return driver_usage();
    }
    driver_read_credential();
    plugin = driver_load(words[1]);
    host.folder = driver_answer(text_from(words[2]));
    host.settings = driver_answer(text_from(words[3]));
    result = plugin->start(&host, &self);
    (void)printf("{\"result\":%d}\n", result);
    (void)fflush(stdout);
    if (result != REEVE_OK) {
        return 1;
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        driver_start(plugin, self, line);
    }
    /* the caller closes the input after the last answer */
    plugin->stop(self);
    return 0;
}
