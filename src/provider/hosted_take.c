#include "base/limits.h"
#include "codec/json.h"
#include "provider/hosted_parts.h"
#include "provider/tags.h"
#include "reeve/plugin.h"

#include <assert.h>
#include <stdio.h>

/* Validates messages from the process (F6). reeve-host checks the results of the plugin, but the
 * plugin can overwrite reeve-host's memory or write to its socket. A message that reeve-host never
 * sends ends the process; an error of the plugin ends the call. */

static struct hosted_call *hosted_take_call_find(struct hosted *self, uint64_t id)
{
    for (struct hosted_call *call = self->calls; call != NULL; call = call->next) {
        if (call->id == id && call->is_sent && !call->is_ready) {
            return call;
        }
    }
    return NULL;
}

/* ---- listings ---- */

static enum plan_row_state row_state(uint64_t state)
{
    return state == REEVE_RUNNING    ? PLAN_ROW_RUNNING
           : state == REEVE_STOPPING ? PLAN_ROW_STOPPING
           : state == REEVE_STOPPED  ? PLAN_ROW_STOPPED
           : state == REEVE_ENDED    ? PLAN_ROW_ENDED
                                     : PLAN_ROW_PENDING;
}

static bool row_is_fit(const struct wire_row *row)
{
    return row->id.length > 0 && row->id.length <= LIMIT_MACHINE_ID_BYTES &&
           row->state <= REEVE_ENDED && row->tags.count <= LIMIT_HOST_TAGS;
}

static void rows_make_room(struct hosted_call *call, size_t more)
{
    size_t room = call->row_room * 2 + more;

    if (call->answer.count + more > call->row_room) {
        call->rows = arena_grow(call->arena, call->rows, call->row_room * sizeof(*call->rows),
                                room * sizeof(*call->rows));
        call->row_room = room;
    }
}

static bool is_user(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
              (i > 0 && byte == '-'))) {
            return false;
        }
    }
    return text.length > 0 && text.length <= LIMIT_ROW_USER_BYTES;
}

/* Returns "TYPE BASE64" of a public key line; empty if it is invalid. */
static struct text hosted_take_key_words(struct text line)
{
    size_t first = text_find_byte(line, ' ');
    size_t second = first == SIZE_MAX
                        ? SIZE_MAX
                        : text_find_byte(text_slice(line, first + 1, line.length), ' ');
    struct text words = second == SIZE_MAX ? line : text_slice(line, 0, first + 1 + second);

    for (size_t i = 0; i < words.length; i++) {
        if (words.data[i] < ' ' || words.data[i] > '~' || words.data[i] == '"' ||
            words.data[i] == '\\') {
            return TEXT("");
        }
    }
    return first == SIZE_MAX || first == 0 || first + 1 == words.length ||
                   words.length > LIMIT_ROW_HOST_KEY_BYTES
               ? TEXT("")
               : words;
}

static struct text hosted_take_scalar_of(const struct doc *map, const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && !doc_is_null(value) ? value->text : TEXT("");
}

static struct text end_text(struct arena *arena, struct text text)
{
    text = text_slice(text, 0, LIMIT_HOST_FAULT_BYTES);
    return arena_text(arena, text_slice(text, 0, text_find_bad_utf8(text)));
}

/* Reads those parts of the machine's endpoint that the provider has reported (reeve/plugin.h).
 * Invalid values are ignored. */
static void way_take(struct hosted_call *call, struct text properties, struct provider_row *out)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    struct text user;
    int64_t port;
    struct doc doc;
    struct err err;

    if (properties.length == 0 || !json_parse(arena, properties, NULL, &doc, &err)) {
        return;
    }
    user = hosted_take_scalar_of(&doc, "user");
    out->user = is_user(user) ? arena_text(call->arena, user) : TEXT("");
    out->host_key =
        arena_text(call->arena, hosted_take_key_words(hosted_take_scalar_of(&doc, "hostKey")));
    if (text_parse_int64(hosted_take_scalar_of(&doc, "port"), &port) && port > 0 &&
        port <= UINT16_MAX) {
        out->port = (uint16_t)port;
    }
    if (out->state == PLAN_ROW_ENDED) {
        out->end_reason = end_text(call->arena, hosted_take_scalar_of(&doc, "endReason"));
        out->end_message = end_text(call->arena, hosted_take_scalar_of(&doc, "endMessage"));
    }
}

static void hosted_take_row_take(struct hosted_call *call, const struct wire_row *from)
{
    struct provider_row *row = &call->rows[call->answer.count++];

    *row = (struct provider_row){
        .id = arena_text(call->arena, from->id),
        .tags = tags_read(call->arena, &from->tags),
        .state = row_state(from->state),
        .address = arena_text(call->arena, from->address),
        .zone = arena_text(call->arena, from->zone),
    };
    way_take(call, from->properties, row);
}

static void resources_take(struct hosted *self, struct hosted_call *call,
                           const struct wire_page *page)
{
    struct provider_answer *answer = &call->answer;
    size_t count = answer->resource_count;

    if (count + page->resources.count > LIMIT_HOST_ROWS) {
        hosted_forget(self, "the plugin lists more resources than a cluster may have");
        return;
    }
    call->resources = arena_grow(call->arena, call->resources, count * sizeof(*call->resources),
                                 (count + page->resources.count) * sizeof(*call->resources));
    for (size_t i = 0; i < page->resources.count; i++) {
        const struct wire_resource *from = wire_item(page->resources, struct wire_resource, i);

        call->resources[answer->resource_count++] = (struct provider_resource){
            .kind = arena_text(call->arena, from->kind),
            .id = arena_text(call->arena, from->id),
            .attached = arena_text(call->arena, from->attached),
            .zone = arena_text(call->arena, from->zone),
            .bytes = from->bytes,
            .tags = tags_read(call->arena, &from->tags),
            .name = tags_find(call->arena, &from->tags, "reeve.name"),
            .keep = tags_find(call->arena, &from->tags, "reeve.keep"),
        };
    }
    answer->resources = call->resources;
}

static void hosted_take_page_take(struct hosted *self, const struct wire_page *page)
{
    struct hosted_call *call = hosted_take_call_find(self, page->call);

    if (call != NULL && call->method == WIRE_RESOURCES && page->rows.count == 0) {
        if (!call->is_given_up) {
            resources_take(self, call, page);
        }
        return;
    }
    if (call == NULL || call->method != WIRE_DESCRIBE) {
        hosted_forget(self, "the plugin lists machines that were not requested");
        return;
    }
    if (call->is_given_up) {
        return;
    }
    rows_make_room(call, page->rows.count);
    for (size_t i = 0; i < page->rows.count; i++) {
        const struct wire_row *row = wire_item(page->rows, struct wire_row, i);

        if (!row_is_fit(row)) {
            hosted_forget(self, "the plugin lists a machine with a missing or invalid id or state");
            return;
        }
        hosted_take_row_take(call, row);
    }
    /* a retry would return the same endless listing, so the process is ended */
    if (call->answer.count > LIMIT_HOST_ROWS || arena_used(call->arena) > LIMIT_HOST_LIST_BYTES) {
        hosted_forget(self, "the plugin lists more machines than a cluster may have");
    }
}

/* ---- answers ---- */

static enum provider_fault hosted_take_fault_of(uint64_t result)
{
    static const enum provider_fault faults[] = {
        [REEVE_INVALID] = PROVIDER_FAULT_INVALID,     [REEVE_AUTH] = PROVIDER_FAULT_AUTH,
        [REEVE_QUOTA] = PROVIDER_FAULT_QUOTA,         [REEVE_CAPACITY] = PROVIDER_FAULT_CAPACITY,
        [REEVE_THROTTLED] = PROVIDER_FAULT_THROTTLED, [REEVE_TRANSIENT] = PROVIDER_FAULT_TRANSIENT,
        [REEVE_GONE] = PROVIDER_FAULT_GONE,           [REEVE_UNKNOWN] = PROVIDER_FAULT_TRANSIENT,
    };

    return result < ARRAY_COUNT(faults) ? faults[result] : PROVIDER_FAULT_TRANSIENT;
}

/* Returns the faults as one line, each with its place, cut to the size limit of an event. */
static struct text faults_text(struct arena *arena, const struct wire_list *faults)
{
    struct buf buf;
    struct text text;

    buf_init(&buf, arena);
    for (size_t i = 0; i < faults->count && buf.length < LIMIT_HOST_FAULT_BYTES; i++) {
        const struct wire_pair *fault = wire_item(*faults, struct wire_pair, i);

        buf_add_string(&buf, i == 0 ? "" : "; ");
        if (fault->name.length > 0) {
            buf_printf(&buf, "%.*s: ", TEXT_ARG(fault->name));
        }
        buf_add(&buf, fault->value);
    }
    text = text_slice(buf_text(&buf), 0, LIMIT_HOST_FAULT_BYTES);
    return text_slice(text, 0, text_find_bad_utf8(text));
}

static struct wire_list faults_keep(struct arena *arena, const struct wire_list *faults)
{
    size_t count = faults->count < LIMIT_HOST_FAULTS ? faults->count : LIMIT_HOST_FAULTS;
    struct wire_pair *kept = arena_array(arena, struct wire_pair, count);

    for (size_t i = 0; i < count; i++) {
        const struct wire_pair *fault = wire_item(*faults, struct wire_pair, i);

        kept[i] =
            (struct wire_pair){ arena_text(arena, fault->name), arena_text(arena, fault->value) };
    }
    return (struct wire_list){ kept, count };
}

/* Returns why an OK answer is invalid, or NULL. */
static const char *lie_of(const struct hosted_call *call, const struct wire_answer *from)
{
    if (call->method == WIRE_CREATE &&
        (from->machine.length == 0 || from->machine.length > LIMIT_MACHINE_ID_BYTES)) {
        return "the plugin created a machine but did not report its id";
    }
    if (call->method != WIRE_DESCRIBE) {
        return NULL;
    }
    if (from->is_unchanged != 0 && !call->is_known_sent) {
        return "the plugin reports an unchanged listing, but the call contained no earlier listing";
    }
    if (call->is_one && call->answer.count > 1) {
        return "the plugin was called for one machine but lists several";
    }
    if (call->is_one && from->is_incomplete != 0) {
        return "the plugin was called for one machine but reports an incomplete listing";
    }
    return NULL;
}

static void ok_take(struct hosted *self, struct hosted_call *call, const struct wire_answer *from)
{
    const char *lie = lie_of(call, from);

    if (lie != NULL) {
        log_warn(self->options.log, "plugin", "invalid_answer",
                 log_text("plugin", self->options.facts->open.name),
                 log_text("tenant", self->options.tenant), log_string("reason", lie));
        hosted_call_fail(self, call, lie);
        return;
    }
    call->answer.id = arena_text(call->arena, from->machine);
    call->answer.is_same = from->is_unchanged != 0;
    call->answer.rows = call->rows;
    call->answer.count = call->answer.is_same ? 0 : call->answer.count;
    call->answer.is_complete = from->is_incomplete == 0;
    call->answer.mark = arena_text(call->arena, from->mark);
    call->answer.console = arena_text(call->arena, from->console);
    hosted_call_ready(self, call, OUTCOME_OK);
}

/* Handles a failure. An unknown result counts as REEVE_UNKNOWN. */
static void hosted_take_refusal_take(struct hosted *self, struct hosted_call *call,
                                     const struct wire_answer *from)
{
    bool is_reading = hosted_is_reading(call);

    call->answer.fault = hosted_take_fault_of(from->result);
    call->answer.count = 0;
    hosted_call_ready(self, call,
                      from->result >= REEVE_UNKNOWN && !is_reading ? OUTCOME_UNKNOWN
                                                                   : OUTCOME_REFUSED);
}

static void hosted_take_answer_take(struct hosted *self, const struct wire_answer *from)
{
    struct hosted_call *call = hosted_take_call_find(self, from->call);

    if (call == NULL) {
        hosted_forget(self, "the plugin answers a call that was not made, or answers a call twice");
        return;
    }
    self->failures = 0;
    if (call->is_given_up) {
        hosted_call_remove(self, call);
        return;
    }
    call->faults = faults_keep(call->arena, &from->faults);
    call->answer.message = faults_text(call->arena, &from->faults);
    if (call->preflighted != NULL) {
        call->found.notices = faults_keep(call->arena, &from->notices);
        call->found.facts = faults_keep(call->arena, &from->facts);
        call->found.pins = faults_keep(call->arena, &from->pins);
    }
    call->answer.retry_ms =
        from->retry_ms < LIMIT_HOST_RETRY_MAX_MS ? from->retry_ms : LIMIT_HOST_RETRY_MAX_MS;
    if (from->result == REEVE_OK) {
        ok_take(self, call, from);
    } else {
        hosted_take_refusal_take(self, call, from);
    }
}

/* ---- log messages and events ---- */

static void hosted_take_log_take(struct hosted *self, const struct wire_log *from)
{
    struct log *log = self->options.log;
    struct log_field plugin = log_text("plugin", self->options.facts->open.name);
    struct log_field words = log_text("text", text_slice(from->message, 0, LIMIT_LOG_LINE_BYTES));

    switch (from->level) {
    case REEVE_LOG_ERROR:
        log_error(log, "plugin", "output", plugin, words);
        break;
    case REEVE_LOG_WARNING:
        log_warn(log, "plugin", "output", plugin, words);
        break;
    case REEVE_LOG_INFO:
        log_info(log, "plugin", "output", plugin, words);
        break;
    default:
        log_debug(log, "plugin", "output", plugin, words);
    }
}

static void hosted_take_failed_take(struct hosted *self, const struct wire_failed *from)
{
    char why[LIMIT_ERROR_TEXT_BYTES];

    /* the text is freed with the link */
    snprintf(why, sizeof(why), "%.*s", TEXT_ARG(from->message));
    hosted_forget(self, why);
}

/* Stores the state of the current sandbox. It may differ from the previous start if the kernel or
 * the configuration has changed. */
static void sandbox_keep(struct hosted *self, const struct wire_list *from)
{
    struct wire_pair *kept;

    if (self->shut == NULL) {
        self->shut = arena_new_small(SIZE_MAX);
    }
    arena_clear(self->shut);
    kept = arena_array(self->shut, struct wire_pair, from->count + 1);
    for (size_t i = 0; i < from->count; i++) {
        const struct wire_pair *pair = wire_item(*from, const struct wire_pair, i);

        kept[i] = (struct wire_pair){ arena_text(self->shut, pair->name),
                                      arena_text(self->shut, pair->value) };
    }
    self->sandbox = (struct wire_list){ kept, from->count };
    if (link_group(self->link)[0] != '\0') { /* known only when the process starts */
        kept[self->sandbox.count++] =
            (struct wire_pair){ TEXT("controlGroup"),
                                arena_text(self->shut, text_from(link_group(self->link))) };
    }
}

void hosted_event(void *arg, const struct wire_message *message)
{
    struct hosted *self = arg;

    assert(self->link != NULL);
    switch (message->type) {
    /* the rest of HELLO is known from the query at startup, because the file's digest is the
     * same */
    case WIRE_HELLO:
        self->is_greeted = true;
        sandbox_keep(self, &message->hello.sandbox);
        break;
    case WIRE_PAGE:
        hosted_take_page_take(self, &message->page);
        break;
    case WIRE_ANSWER:
        hosted_take_answer_take(self, &message->answer);
        break;
    case WIRE_LOG:
        hosted_take_log_take(self, &message->log);
        break;
    case WIRE_FAILED:
        hosted_take_failed_take(self, &message->failed);
        break;
    case WIRE_STATE_ASK:
        hosted_state_take(self, &message->state_ask);
        break;
    case WIRE_OPEN:
    case WIRE_CALL:
    case WIRE_STATE:
        hosted_forget(self, "the plugin sends a message that only a manager may send");
        break;
    }
    if (message->type == WIRE_ANSWER) {
        hosted_renew(self);
        hosted_send(self); /* there is room for the next call */
    }
}
