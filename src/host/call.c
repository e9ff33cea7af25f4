#include "base/limits.h"
#include "codec/json.h"
#include "host/host.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One call of the plugin, from its begin to its end. All data from the plugin is validated before
 * it is passed on. If a plugin breaks a rule, the call ends with UNKNOWN, and the broken rule is
 * logged. */
struct reeve_call {
    struct held *held;
    const struct wire_call *wire;
    struct arena *arena; /* arena for the plugin and for the host, with a limit */
    uint64_t deadline_ms;
    struct doc properties;
    bool is_parsed;
    struct wire_answer answer;
    struct wire_pair faults[LIMIT_HOST_FAULTS];
    struct wire_pair notices[LIMIT_HOST_FAULTS];
    struct wire_pair facts[LIMIT_HOST_FAULTS];
    struct wire_pair pins[LIMIT_HOST_FAULTS];
    struct arena *page_arena;
    struct wire_row *page;           /* rows of the current page of describe */
    struct wire_resource *resources; /* resources of the current page of resources */
    size_t page_rows;                /* number of rows or resources in the page */
    size_t page_bytes;
    const char *breach; /* the rule that the plugin broke; NULL: none */
};

static uint64_t call_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void breach(struct reeve_call *call, const char *rule)
{
    if (call->breach == NULL) {
        call->breach = rule;
    }
}

/* Copies a text from the plugin. It is truncated to its limit, and invalid characters are
 * removed. */
static struct text text_take(struct reeve_call *call, struct arena *arena, struct reeve_text given)
{
    struct text text = host_text(given);

    if (given.length > LIMIT_HOST_TEXT_BYTES) {
        breach(call, "a text is longer than 256 KiB");
        return TEXT("");
    }
    if (given.bytes == NULL && given.length > 0) {
        breach(call, "a text has a length and no bytes");
        return TEXT("");
    }
    if (text_find_bad_utf8(text) != SIZE_MAX) {
        breach(call, "a text is not UTF-8");
        return TEXT("");
    }
    return arena_text(arena, text);
}

/* Truncates a text for display to its limit. It remains valid UTF-8. */
static struct text text_cut(struct text text)
{
    text = text_slice(text, 0, LIMIT_HOST_FAULT_BYTES);
    return text_slice(text, 0, text_find_bad_utf8(text));
}

/* ---- functions for the plugin ---- */

static void *host_allocate(struct reeve_call *call, uint64_t bytes)
{
    if (bytes > arena_left(call->arena) / 2) {
        struct wire_message message = { .type = WIRE_LOG };

        message.log =
            (struct wire_log){ REEVE_LOG_ERROR,
                               TEXT("a call of the plugin asks for more memory than 256 MiB") };
        out_send(call->held->out, &message);
        abort(); /* unreachable: the plugin interface guarantees that it is not NULL */
    }
    return arena_alloc(call->arena, (size_t)bytes);
}

static void host_fault(struct reeve_call *call, struct reeve_text pointer,
                       struct reeve_text message)
{
    if (call->answer.faults.count < LIMIT_HOST_FAULTS) {
        call->faults[call->answer.faults.count++] =
            (struct wire_pair){ text_cut(text_take(call, call->arena, pointer)),
                                text_cut(text_take(call, call->arena, message)) };
    }
}

static void host_retry_after(struct reeve_call *call, uint64_t milliseconds)
{
    call->answer.retry_ms = milliseconds;
}

static void host_made(struct reeve_call *call, struct reeve_text id)
{
    if (id.length == 0 || id.length > LIMIT_MACHINE_ID_BYTES) {
        breach(call, "the id of a machine is empty, or longer than 255 bytes");
        return;
    }
    call->answer.machine = text_take(call, call->arena, id);
}

static void page_send(struct reeve_call *call)
{
    struct wire_message message = { .type = WIRE_PAGE };

    message.page = (struct wire_page){ .call = call->wire->id };
    if (call->page != NULL) {
        message.page.rows = (struct wire_list){ call->page, call->page_rows };
    } else {
        message.page.resources = (struct wire_list){ call->resources, call->page_rows };
    }
    out_send(call->held->out, &message);
    call->page_rows = 0;
    call->page_bytes = 0;
    arena_clear(call->page_arena);
}

static size_t row_bytes(const struct wire_row *row)
{
    size_t bytes =
        64 + row->id.length + row->address.length + row->zone.length + row->properties.length;

    for (size_t i = 0; i < row->tags.count; i++) {
        const struct wire_pair *tag = wire_item(row->tags, struct wire_pair, i);

        bytes += 16 + tag->name.length + tag->value.length;
    }
    return bytes;
}

static struct wire_list tags_take(struct reeve_call *call, const struct reeve_tag *from,
                                  uint32_t count)
{
    struct wire_pair *tags = arena_array(call->page_arena, struct wire_pair, count);

    for (uint32_t i = 0; i < count; i++) {
        tags[i] = (struct wire_pair){ text_take(call, call->page_arena, from[i].name),
                                      text_take(call, call->page_arena, from[i].value) };
    }
    return (struct wire_list){ tags, count };
}

static void page_added(struct reeve_call *call, size_t bytes)
{
    call->page_rows++;
    call->page_bytes += bytes;
    if (call->page_rows == LIMIT_HOST_PAGE_ROWS || call->page_bytes > LIMIT_HOST_PAGE_BYTES) {
        page_send(call);
    }
}

/* Returns the last state that exists in the plugin's version of the interface. */
static int32_t state_last(const struct reeve_call *call)
{
    return call->held->plugin->abi_minor >= 1 ? REEVE_ENDED : REEVE_STOPPED;
}

static void host_row(struct reeve_call *call, const struct reeve_row_v1 *row)
{
    struct wire_row *out;

    if (call->page == NULL) {
        breach(call, "a row was added outside of describe");
        return;
    }
    if (row->struct_size < sizeof(*row) || row->tag_count > LIMIT_HOST_TAGS ||
        (row->tag_count > 0 && row->tags == NULL) || row->state < REEVE_PENDING ||
        row->state > state_last(call) || row->id.length == 0 ||
        row->id.length > LIMIT_MACHINE_ID_BYTES) {
        breach(call, "a row has no id, no state, the wrong size, or too many tags");
        return;
    }
    out = &call->page[call->page_rows];
    *out = (struct wire_row){
        .id = text_take(call, call->page_arena, row->id),
        .state = (uint64_t)row->state,
        .address = text_take(call, call->page_arena, row->address),
        .zone = text_take(call, call->page_arena, row->zone),
        .properties = text_take(call, call->page_arena, row->properties),
        .tags = tags_take(call, row->tags, row->tag_count),
    };
    if (row_bytes(out) > LIMIT_HOST_PAGE_BYTES) {
        breach(call, "a row is longer than a megabyte");
        return;
    }
    page_added(call, row_bytes(out));
}

static void host_resource(struct reeve_call *call, const struct reeve_resource_v1 *resource)
{
    struct wire_resource *out;
    size_t bytes = 0;

    if (call->resources == NULL) {
        breach(call, "a resource was added outside of resources");
        return;
    }
    if (resource->struct_size < sizeof(*resource) || resource->tag_count > LIMIT_HOST_TAGS ||
        (resource->tag_count > 0 && resource->tags == NULL) || resource->kind.length == 0 ||
        resource->id.length == 0 || resource->id.length > LIMIT_MACHINE_ID_BYTES) {
        breach(call, "a resource has no id, no kind, the wrong size, or too many tags");
        return;
    }
    out = &call->resources[call->page_rows];
    *out = (struct wire_resource){
        .kind = text_take(call, call->page_arena, resource->kind),
        .id = text_take(call, call->page_arena, resource->id),
        .zone = text_take(call, call->page_arena, resource->zone),
        .attached = text_take(call, call->page_arena, resource->attached),
        .bytes = resource->bytes,
        .tags = tags_take(call, resource->tags, resource->tag_count),
    };
    for (size_t i = 0; i < out->tags.count; i++) {
        const struct wire_pair *tag = wire_item(out->tags, struct wire_pair, i);

        bytes += tag->name.length + tag->value.length;
    }
    page_added(call, 64 + out->id.length + bytes);
}

static void host_incomplete(struct reeve_call *call)
{
    call->answer.is_incomplete = 1;
}

static void host_mark(struct reeve_call *call, struct reeve_text mark)
{
    call->answer.mark = text_take(call, call->arena, mark);
}

static void host_unchanged(struct reeve_call *call)
{
    call->answer.is_unchanged = 1;
}

/* ---- values ---- */

static const struct doc *properties_of(struct reeve_call *call)
{
    struct err err;

    if (!call->is_parsed) {
        call->is_parsed = true;
        if (call->wire->properties.length > 0 &&
            !json_parse(call->arena, call->wire->properties, NULL, &call->properties, &err)) {
            breach(call, "the manager sent properties that are not JSON");
        }
    }
    return &call->properties;
}

static struct reeve_text json_text(struct reeve_call *call, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, call->arena);
    json_format(&buf, doc);
    return plugin_text(buf_text(&buf));
}

static struct reeve_value_v1 scalar_value(struct reeve_call *call, const struct doc *doc)
{
    struct reeve_value_v1 value = { .type = REEVE_TYPE_TEXT, .text = plugin_text(doc->text) };

    switch (doc_core_type(doc)) {
    case DOC_TYPE_NULL:
        return (struct reeve_value_v1){ .type = REEVE_TYPE_ANY, .text = REEVE_TEXT("null") };
    case DOC_TYPE_BOOL:
        value.type = REEVE_TYPE_BOOLEAN;
        value.integer = doc->text.data[0] == 't' || doc->text.data[0] == 'T';
        value.text = json_text(call, doc);
        break;
    case DOC_TYPE_INT:
        value.text = json_text(call, doc);
        value.type = text_parse_int64(host_text(value.text), &value.integer) ? REEVE_TYPE_INTEGER
                                                                             : REEVE_TYPE_NUMBER;
        break;
    case DOC_TYPE_FLOAT:
        value.type = REEVE_TYPE_NUMBER;
        value.text = json_text(call, doc);
        break;
    case DOC_TYPE_TEXT:
    case DOC_TYPE_COUNT:
        break;
    }
    return value;
}

static struct reeve_value_v1 doc_value(struct reeve_call *call, const struct doc *doc)
{
    if (doc_is_scalar(doc)) {
        return scalar_value(call, doc);
    }
    if (doc_is_map(doc)) {
        return (struct reeve_value_v1){ .type = REEVE_TYPE_MAP,
                                        .integer = (int64_t)doc->entry_count,
                                        .text = json_text(call, doc) };
    }
    if (doc_is_list(doc)) {
        return (struct reeve_value_v1){ .type = REEVE_TYPE_LIST,
                                        .integer = (int64_t)doc->item_count,
                                        .text = json_text(call, doc) };
    }
    return (struct reeve_value_v1){ .type = REEVE_TYPE_ANY };
}

static struct reeve_value_v1 host_value(struct reeve_call *call, struct reeve_text pointer)
{
    return doc_value(call, doc_at(properties_of(call), host_text(pointer)));
}

static struct reeve_value_v1 host_member(struct reeve_call *call, struct reeve_text pointer,
                                         uint64_t i, struct reeve_text *name)
{
    const struct doc *doc = doc_at(properties_of(call), host_text(pointer));

    if (name != NULL) {
        *name = REEVE_TEXT("");
    }
    if (doc_is_list(doc) && i < doc->item_count) {
        return doc_value(call, &doc->items[i]);
    }
    if (doc_is_map(doc) && i < doc->entry_count) {
        if (name != NULL) {
            *name = plugin_text(doc->entries[i].key);
        }
        return doc_value(call, &doc->entries[i].value);
    }
    return (struct reeve_value_v1){ .type = REEVE_TYPE_ANY };
}

static uint64_t host_left_ms(struct reeve_call *call)
{
    uint64_t now = call_now_ms();

    return call->deadline_ms > now ? call->deadline_ms - now : 0;
}

static struct reeve_text host_credential(struct reeve_call *call)
{
    return plugin_text(call->wire->secret);
}

/* ---- since 1.1 ---- */

static struct reeve_text host_token(struct reeve_call *call)
{
    return plugin_text(call->wire->token);
}

static uint64_t host_age_ms(struct reeve_call *call)
{
    return call->wire->age_ms;
}

/* Adds a pair from the plugin to a list in the answer. Pairs beyond the limit are dropped. */
static void pair_take(struct reeve_call *call, struct wire_pair *pairs, struct wire_list *list,
                      struct reeve_text name, struct reeve_text value)
{
    if (call->wire->method != WIRE_PREFLIGHT) {
        breach(call, "a notice, fact or pin was reported outside of preflight");
        return;
    }
    if (list->count < LIMIT_HOST_FAULTS) {
        pairs[list->count++] = (struct wire_pair){ text_cut(text_take(call, call->arena, name)),
                                                   text_cut(text_take(call, call->arena, value)) };
    }
}

static void host_notice(struct reeve_call *call, struct reeve_text pointer,
                        struct reeve_text message)
{
    pair_take(call, call->notices, &call->answer.notices, pointer, message);
}

static void host_fact(struct reeve_call *call, struct reeve_text name, struct reeve_text value)
{
    pair_take(call, call->facts, &call->answer.facts, name, value);
}

static void host_pin(struct reeve_call *call, struct reeve_text pointer, struct reeve_text value)
{
    pair_take(call, call->pins, &call->answer.pins, pointer, value);
}

static struct reeve_text host_pinned(struct reeve_call *call, struct reeve_text pointer)
{
    for (size_t i = 0; i < call->wire->pins.count; i++) {
        const struct wire_pair *pin = wire_item(call->wire->pins, struct wire_pair, i);

        if (text_is_equal(pin->name, host_text(pointer))) {
            return plugin_text(pin->value);
        }
    }
    return REEVE_TEXT("");
}

/* Stores the text of a console, of which only the last part is kept. It may contain any bytes;
 * those that are not UTF-8 become question marks. */
static void host_console(struct reeve_call *call, struct reeve_text text)
{
    struct text given = host_text(text);
    size_t bad, at = 0;
    char *copy;

    if (call->wire->method != WIRE_CONSOLE || (text.bytes == NULL && text.length > 0)) {
        breach(call, "a console was reported outside of console, or has a length and no bytes");
        return;
    }
    if (given.length > LIMIT_HOST_CONSOLE_BYTES) {
        given =
            text_slice(given, given.length - LIMIT_HOST_CONSOLE_BYTES, LIMIT_HOST_CONSOLE_BYTES);
    }
    copy = arena_alloc(call->arena, given.length + 1);
    memcpy(copy, given.data, given.length);
    given.data = copy;
    while ((bad = text_find_bad_utf8(text_slice(given, at, given.length - at))) != SIZE_MAX) {
        at += bad;
        copy[at] = '?';
    }
    for (size_t i = 0; i < given.length; i++) {
        copy[i] = copy[i] == '\0' ? '?' : copy[i];
    }
    call->answer.console = given;
}

/* ---- since 1.3 ---- */

/* Executes an access to the plugin's state, unless it breaks a rule. Returns the result. */
static int32_t state_make(struct reeve_call *call, struct state_request *request,
                          struct wire_state *out)
{
    struct text prefix = request->key;

    request->call = call->wire->id;
    request->deadline_ms = call->deadline_ms;
    *out = (struct wire_state){ 0 };
    if (call->wire->method == WIRE_VALIDATE) {
        breach(call, "validate has used the state");
        return REEVE_UNKNOWN;
    }
    if (request->access == WIRE_STATE_LIST) { /* unlike a key, a prefix may be empty and may end
                                               * anywhere */
        prefix = text_slice(prefix, 0,
                            prefix.length -
                                (prefix.length > 0 && prefix.data[prefix.length - 1] == '/'));
    }
    if (!(request->access == WIRE_STATE_LIST && request->key.length == 0) &&
        !wire_state_key_is_fit(prefix)) {
        breach(call, "a key of the state is not valid");
        return REEVE_UNKNOWN;
    }
    if (request->value.length > REEVE_STATE_VALUE_BYTES ||
        text_find_bad_utf8(request->value) != SIZE_MAX) {
        breach(call, "a value of the state is longer than 16 KiB, or not UTF-8");
        return REEVE_UNKNOWN;
    }
    state_access(call->held->state, call->arena, request, out);
    if (out->result != REEVE_OK && out->result != REEVE_INVALID && out->message.length > 0) {
        host_fault(call, REEVE_TEXT(""),
                   plugin_text(arena_printf(call->arena, "the state of the plugin: %.*s",
                                            TEXT_ARG(out->message))));
    }
    return (int32_t)out->result;
}

static int32_t host_state_get(struct reeve_call *call, struct reeve_text key,
                              struct reeve_entry_v1 *out)
{
    struct state_request request = { .access = WIRE_STATE_GET, .key = host_text(key) };
    struct wire_state state;
    int32_t result = state_make(call, &request, &state);

    *out = (struct reeve_entry_v1){ .struct_size = sizeof(*out), .key = key };
    if (result == REEVE_OK && state.entries.count == 1) {
        const struct wire_state_entry *entry = wire_item(state.entries, struct wire_state_entry, 0);

        out->value = plugin_text(entry->value);
        out->version = entry->version;
    }
    return result;
}

static int32_t host_state_put(struct reeve_call *call, struct reeve_text key,
                              struct reeve_text value, uint64_t *version)
{
    struct state_request request = { .access = WIRE_STATE_PUT,
                                     .key = host_text(key),
                                     .value = host_text(value),
                                     .version = *version };
    struct wire_state state;
    int32_t result = state_make(call, &request, &state);

    if (result == REEVE_OK && state.entries.count == 1) {
        *version = wire_item(state.entries, struct wire_state_entry, 0)->version;
    }
    return result;
}

static int32_t host_state_list(struct reeve_call *call, struct reeve_text prefix,
                               void (*each)(void *arg, const struct reeve_entry_v1 *entry),
                               void *arg)
{
    struct state_request request = { .access = WIRE_STATE_LIST, .key = host_text(prefix) };
    struct wire_state state = { .has_more = 1 };
    int32_t result = REEVE_OK;

    while (result == REEVE_OK && state.has_more != 0) {
        result = state_make(call, &request, &state);
        for (size_t i = 0; result == REEVE_OK && i < state.entries.count; i++) {
            const struct wire_state_entry *entry =
                wire_item(state.entries, struct wire_state_entry, i);

            request.after = entry->key;
            each(arg, &(struct reeve_entry_v1){ .struct_size = sizeof(struct reeve_entry_v1),
                                                .key = plugin_text(entry->key),
                                                .value = plugin_text(entry->value),
                                                .version = entry->version });
        }
        state.has_more = state.entries.count > 0 ? state.has_more : 0;
    }
    return result;
}

/* ---- the call ---- */

static void host_log(const struct reeve_host_v1 *host, int32_t level, struct reeve_text message)
{
    const struct held *held =
        (const struct held *)(const void *)((const char *)host - offsetof(struct held, host));
    bool is_known = level >= REEVE_LOG_DEBUG && level <= REEVE_LOG_ERROR;
    struct text text = text_slice(host_text(message), 0, LIMIT_LOG_LINE_BYTES);
    size_t bad = text_find_bad_utf8(text);
    bool is_cut = text.length < message.length && bad != SIZE_MAX && text.length - bad < 4;
    struct wire_message out = { .type = WIRE_LOG };

    out.log = (struct wire_log){ is_known ? (uint64_t)level : REEVE_LOG_INFO,
                                 is_cut || bad == SIZE_MAX ? text_slice(text, 0, bad)
                                                           : TEXT("(not UTF-8)") };
    out_send(held->out, &out);
}

void host_hold(struct held *held, const struct reeve_plugin_v1 *plugin, struct out *out,
               struct state *state, const struct wire_open *open)
{
    *held = (struct held){ .plugin = plugin, .out = out, .state = state };
    held->host = (struct reeve_host_v1){
        .struct_size = sizeof(held->host),
        .abi_minor = REEVE_PLUGIN_ABI_MINOR,
        .folder = plugin_text(open->folder),
        .settings = plugin_text(open->settings),
        .allocate = host_allocate,
        .fault = host_fault,
        .retry_after = host_retry_after,
        .made = host_made,
        .row = host_row,
        .incomplete = host_incomplete,
        .mark = host_mark,
        .unchanged = host_unchanged,
        .value = host_value,
        .member = host_member,
        .left_ms = host_left_ms,
        .credential = host_credential,
        .log = host_log,
        .token = host_token,
        .age_ms = host_age_ms,
        .notice = host_notice,
        .fact = host_fact,
        .pin = host_pin,
        .pinned = host_pinned,
        .text = host_console,
        .resource = host_resource,
        .state_get = host_state_get,
        .state_put = host_state_put,
        .state_list = host_state_list,
    };
}

static int32_t create_make(struct reeve_call *call)
{
    const struct wire_call *wire = call->wire;
    struct reeve_tag *tags = arena_array(call->arena, struct reeve_tag, wire->tags.count);
    struct reeve_wish_v1 request = {
        .struct_size = sizeof(request),
        .tag_count = (uint32_t)wire->tags.count,
        .tags = tags,
        .cluster = plugin_text(wire->cluster),
        .token = plugin_text(wire->token),
        .name = plugin_text(wire->name),
        .zone = plugin_text(wire->zone),
        .labels = plugin_text(wire->labels),
        .properties = plugin_text(wire->properties),
        .init = plugin_text(wire->init),
        .keys = plugin_text(wire->keys),
    };
    int32_t result;

    for (size_t i = 0; i < wire->tags.count; i++) {
        const struct wire_pair *tag = wire_item(wire->tags, struct wire_pair, i);

        tags[i] = (struct reeve_tag){ plugin_text(tag->name), plugin_text(tag->value) };
    }
    result = call->held->plugin->create(call->held->self, call, &request);
    if (result == REEVE_OK && call->answer.machine.length == 0) {
        breach(call, "create returned REEVE_OK but no machine");
    }
    return result;
}

static int32_t describe_make(struct reeve_call *call)
{
    const struct wire_call *wire = call->wire;
    struct reeve_text *ids = arena_array(call->arena, struct reeve_text, wire->ids.count);
    struct reeve_query_v1 query = {
        .struct_size = sizeof(query),
        .id_count = (uint32_t)wire->ids.count,
        .ids = ids,
        .cluster = plugin_text(wire->cluster),
        .known = plugin_text(wire->known),
    };

    for (size_t i = 0; i < wire->ids.count; i++) {
        ids[i] = plugin_text(*wire_item(wire->ids, struct text, i));
    }
    return call->held->plugin->describe(call->held->self, call, &query);
}

static int32_t preflight_make(struct reeve_call *call)
{
    const struct wire_call *wire = call->wire;
    struct reeve_text *zones = arena_array(call->arena, struct reeve_text, wire->zones.count);
    struct reeve_need_v1 need = {
        .struct_size = sizeof(need),
        .zone_count = (uint32_t)wire->zones.count,
        .zones = zones,
        .cluster = plugin_text(wire->cluster),
        .properties = plugin_text(wire->properties),
        .count = wire->count,
    };

    for (size_t i = 0; i < wire->zones.count; i++) {
        zones[i] = plugin_text(*wire_item(wire->zones, struct text, i));
    }
    return call->held->plugin->preflight(call->held->self, call, &need);
}

/* Makes a call that exists since interface 1.1. The struct of an older plugin ends before these
 * members. */
static int32_t new_method_make(struct reeve_call *call)
{
    const struct reeve_plugin_v1 *plugin = call->held->plugin;
    const struct wire_call *wire = call->wire;
    struct reeve_text cluster = plugin_text(wire->cluster);

    if ((host_methods(plugin) >> wire->method & 1) == 0) {
        return REEVE_INVALID;
    }
    switch (wire->method) {
    case WIRE_PREFLIGHT:
        return preflight_make(call);
    case WIRE_RESOURCES:
        return plugin->resources(call->held->self, call, cluster);
    case WIRE_RESOURCE_DESTROY:
        return plugin->resource_destroy(call->held->self, call, cluster, plugin_text(wire->kind),
                                        plugin_text(wire->machine));
    case WIRE_CONSOLE:
        return plugin->console(call->held->self, call, cluster, plugin_text(wire->machine));
    default:
        return REEVE_INVALID;
    }
}

static int32_t method_make(struct reeve_call *call)
{
    const struct reeve_plugin_v1 *plugin = call->held->plugin;
    const struct wire_call *wire = call->wire;
    struct reeve_text cluster = plugin_text(wire->cluster);
    struct reeve_text machine = plugin_text(wire->machine);
    void *self = call->held->self;

    switch (wire->method) {
    case WIRE_VALIDATE:
        return plugin->validate == NULL
                   ? REEVE_OK
                   : plugin->validate(self, call, plugin_text(wire->properties));
    case WIRE_CREATE:
        return create_make(call);
    case WIRE_DESTROY:
        return plugin->destroy(self, call, cluster, machine, plugin_text(wire->reason));
    case WIRE_DESCRIBE:
        return describe_make(call);
    case WIRE_LABEL:
        return plugin->label == NULL
                   ? REEVE_INVALID
                   : plugin->label(self, call, cluster, machine, plugin_text(wire->labels));
    case WIRE_REBOOT:
        return plugin->reboot == NULL ? REEVE_INVALID
                                      : plugin->reboot(self, call, cluster, machine);
    default:
        return new_method_make(call);
    }
}

/* Reports a broken rule instead of the plugin's result, because it is not known whether the call
 * had an effect. */
static void breach_report(struct reeve_call *call)
{
    struct wire_answer *answer = &call->answer;
    struct wire_message message = { .type = WIRE_LOG };

    answer->result = REEVE_UNKNOWN;
    answer->is_incomplete = 1;
    answer->is_unchanged = 0;
    answer->machine = answer->mark = TEXT("");
    call->faults[0] =
        (struct wire_pair){ TEXT(""), arena_printf(call->arena, "the plugin breaks a rule: %s",
                                                   call->breach) };
    answer->faults.count = 1;
    message.log = (struct wire_log){ REEVE_LOG_ERROR, call->faults[0].value };
    out_send(call->held->out, &message);
}

void call_make(struct held *held, const struct wire_call *wire)
{
    struct wire_message message = { .type = WIRE_ANSWER };
    struct reeve_call call = {
        .held = held,
        .wire = wire,
        .arena = arena_new_small(LIMIT_HOST_CALL_BYTES),
        .page_arena = arena_new_small(SIZE_MAX),
        .deadline_ms = call_now_ms() + wire->left_ms,
        .answer = { .call = wire->id },
    };
    int32_t result;

    call.answer.faults.items = call.faults;
    call.answer.notices.items = call.notices;
    call.answer.facts.items = call.facts;
    call.answer.pins.items = call.pins;
    if (wire->method == WIRE_DESCRIBE) {
        call.page = arena_array(call.arena, struct wire_row, LIMIT_HOST_PAGE_ROWS);
    } else if (wire->method == WIRE_RESOURCES) {
        call.resources = arena_array(call.arena, struct wire_resource, LIMIT_HOST_PAGE_ROWS);
    }
    result = method_make(&call);
    call.answer.result =
        result < REEVE_OK || result > REEVE_UNKNOWN ? REEVE_UNKNOWN : (uint64_t)result;
    if (result < REEVE_OK || result > REEVE_UNKNOWN) {
        breach(&call, "a call ended with a result that does not exist");
    }
    if (call.page_rows > 0) {
        page_send(&call);
    }
    if (call.breach != NULL) {
        breach_report(&call);
    }
    message.answer = call.answer;
    out_send(held->out, &message);
    arena_free(call.page_arena);
    arena_free(call.arena);
}
