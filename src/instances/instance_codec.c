#include "instances/instance_codec.h"

#include "codec/doc_child.h"
#include "codec/json.h"

#include <assert.h>

/* public names start with: instance_codec_ */

static const char *const instance_codec_methods[] = {
    [INSTANCE_CREATE] = "create", [INSTANCE_DESTROY] = "destroy", [INSTANCE_LABEL] = "label",
    [INSTANCE_REBOOT] = "reboot", [INSTANCE_LIST] = "list",       [INSTANCE_FIND] = "find",
};

bool instance_codec_is_reading(enum instance_method method)
{
    return method == INSTANCE_LIST || method == INSTANCE_FIND;
}

/* ---- parts ---- */

/* A text from a plugin may contain bytes that JSON does not allow. The text is then cut before the
 * first such byte. */
static void instance_codec_put(struct doc_builder *builder, const char *name, struct text value)
{
    struct text valid = text_slice(value, 0, text_find_bad_utf8(value));

    if (valid.length > 0) {
        doc_builder_put(builder, name, doc_text(valid, NULL));
    }
}

static void instance_codec_number_put(struct doc_builder *builder, struct arena *arena,
                                      const char *name, uint64_t value)
{
    if (value > 0 && value <= INT64_MAX) {
        doc_builder_put(builder, name, doc_int(arena, (int64_t)value, NULL));
    }
}

static void instance_codec_flag_put(struct doc_builder *builder, const char *name, bool value)
{
    if (value) {
        doc_builder_put(builder, name, doc_bool(true, NULL));
    }
}

static bool instance_codec_flag(const struct doc *doc, const char *name)
{
    return text_is(doc_child_text(doc, name), "true");
}

static uint64_t instance_codec_number(const struct doc *doc, const char *name)
{
    int64_t number = doc_child_number(doc, name);

    return number > 0 ? (uint64_t)number : 0;
}

static struct doc instance_codec_tags_doc(struct arena *arena, const struct provider_tags *tags)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    instance_codec_put(&builder, "cluster", tags->cluster);
    instance_codec_put(&builder, "group", tags->group);
    instance_codec_put(&builder, "life", tags->life);
    instance_codec_put(&builder, "mac", tags->mac);
    instance_codec_number_put(&builder, arena, "slot", tags->slot);
    instance_codec_put(&builder, "token", tags->token);
    return doc_builder_map(&builder, NULL);
}

static struct provider_tags instance_codec_tags_read(const struct doc *doc)
{
    return (struct provider_tags){
        .cluster = doc_child_text(doc, "cluster"),
        .group = doc_child_text(doc, "group"),
        .life = doc_child_text(doc, "life"),
        .mac = doc_child_text(doc, "mac"),
        .slot = instance_codec_number(doc, "slot"),
        .token = doc_child_text(doc, "token"),
    };
}

static struct text instance_codec_format(struct arena *arena, struct doc_builder *builder)
{
    struct doc doc = doc_builder_map(builder, NULL);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Returns the index of a word in `words`, or `count` if it is not there. */
static size_t instance_codec_word(struct text word, const char *const *words, size_t count)
{
    size_t i = 0;

    while (i < count && !text_is(word, words[i])) {
        i++;
    }
    return i;
}

/* ---- calls ---- */

static struct doc instance_codec_pins_doc(struct arena *arena, const struct wire_list *pins)
{
    struct doc *items = arena_array(arena, struct doc, pins->count + 1);

    for (size_t i = 0; i < pins->count; i++) {
        const struct wire_pair *pair = wire_item(*pins, const struct wire_pair, i);
        struct doc_builder builder;

        doc_builder_init(&builder, arena);
        instance_codec_put(&builder, "name", pair->name);
        instance_codec_put(&builder, "value", pair->value);
        items[i] = doc_builder_map(&builder, NULL);
    }
    return doc_list(items, pins->count, NULL);
}

static struct doc instance_codec_request_doc(struct arena *arena,
                                             const struct provider_request *request)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    instance_codec_put(&builder, "keys", request->keys);
    instance_codec_put(&builder, "labels", request->labels);
    instance_codec_put(&builder, "more", request->more);
    instance_codec_put(&builder, "name", request->name);
    doc_builder_put(&builder, "pins", instance_codec_pins_doc(arena, &request->pins));
    instance_codec_put(&builder, "properties", request->properties);
    doc_builder_put(&builder, "tags", instance_codec_tags_doc(arena, &request->tags));
    instance_codec_put(&builder, "zone", request->zone);
    return doc_builder_map(&builder, NULL);
}

struct text instance_codec_call_format(struct arena *arena, const struct instance_call *call)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    instance_codec_number_put(&builder, arena, "age", call->age_ms);
    instance_codec_put(&builder, "cluster", call->cluster);
    instance_codec_put(&builder, "id", call->id);
    instance_codec_put(&builder, "known", call->known);
    instance_codec_put(&builder, "labels", call->labels);
    instance_codec_put(&builder, "method", text_from(instance_codec_methods[call->method]));
    instance_codec_put(&builder, "plugin", call->plugin);
    instance_codec_put(&builder, "reason", call->reason);
    if (call->method == INSTANCE_CREATE) {
        doc_builder_put(&builder, "request", instance_codec_request_doc(arena, &call->request));
    }
    instance_codec_put(&builder, "tenant", call->tenant);
    instance_codec_put(&builder, "token", call->token);
    return instance_codec_format(arena, &builder);
}

static struct provider_request instance_codec_request_read(struct arena *arena,
                                                           const struct doc *doc)
{
    const struct doc *pins = doc_child(doc, "pins");
    size_t count = doc_is_list(pins) ? pins->item_count : 0;
    struct wire_pair *pairs = arena_array(arena, struct wire_pair, count + 1);

    for (size_t i = 0; i < count; i++) {
        pairs[i] = (struct wire_pair){ doc_child_text(&pins->items[i], "name"),
                                       doc_child_text(&pins->items[i], "value") };
    }
    return (struct provider_request){
        .tags = instance_codec_tags_read(doc_child(doc, "tags")),
        .name = doc_child_text(doc, "name"),
        .zone = doc_child_text(doc, "zone"),
        .properties = doc_child_text(doc, "properties"),
        .labels = doc_child_text(doc, "labels"),
        .more = doc_child_text(doc, "more"),
        .keys = doc_child_text(doc, "keys"),
        .pins = { pairs, count },
    };
}

bool instance_codec_call_parse(struct arena *arena, struct text bytes, struct instance_call *out,
                               struct err *err)
{
    struct doc doc;
    size_t method;

    if (!json_parse_answer(arena, bytes, &doc, err)) {
        return false;
    }
    method = instance_codec_word(doc_child_text(&doc, "method"), instance_codec_methods,
                                 INSTANCE_METHOD_COUNT);
    if (method == INSTANCE_METHOD_COUNT || doc_child_text(&doc, "tenant").length == 0 ||
        doc_child_text(&doc, "plugin").length == 0 || doc_child_text(&doc, "cluster").length == 0) {
        return err_set(err, CODE_R0426,
                       "a call of a plugin instance needs method, tenant, plugin and cluster");
    }
    *out = (struct instance_call){
        .method = (enum instance_method)method,
        .tenant = doc_child_text(&doc, "tenant"),
        .plugin = doc_child_text(&doc, "plugin"),
        .cluster = doc_child_text(&doc, "cluster"),
        .token = doc_child_text(&doc, "token"),
        .id = doc_child_text(&doc, "id"),
        .reason = doc_child_text(&doc, "reason"),
        .labels = doc_child_text(&doc, "labels"),
        .known = doc_child_text(&doc, "known"),
        .age_ms = doc_child(&doc, "age") == NULL ? UINT64_MAX : instance_codec_number(&doc, "age"),
        .request = instance_codec_request_read(arena, doc_child(&doc, "request")),
    };
    return true;
}

/* ---- answers ---- */

static const char *const instance_codec_outcomes[] = {
    [OUTCOME_OK] = "ok",
    [OUTCOME_REFUSED] = "refused",
    [OUTCOME_UNKNOWN] = "unknown",
};

static struct doc instance_codec_row_doc(struct arena *arena, const struct provider_row *row)
{
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    instance_codec_put(&builder, "address", row->address);
    instance_codec_put(&builder, "endMessage", row->end_message);
    instance_codec_put(&builder, "endReason", row->end_reason);
    instance_codec_put(&builder, "hostKey", row->host_key);
    instance_codec_put(&builder, "id", row->id);
    instance_codec_number_put(&builder, arena, "port", row->port);
    instance_codec_number_put(&builder, arena, "state", row->state);
    doc_builder_put(&builder, "tags", instance_codec_tags_doc(arena, &row->tags));
    instance_codec_put(&builder, "user", row->user);
    instance_codec_put(&builder, "zone", row->zone);
    return doc_builder_map(&builder, NULL);
}

struct text instance_codec_answer_format(struct arena *arena, enum outcome outcome,
                                         const struct provider_answer *answer)
{
    struct doc *rows = arena_array(arena, struct doc, answer->count + 1);
    struct doc_builder builder;

    assert(outcome < ARRAY_COUNT(instance_codec_outcomes));
    for (size_t i = 0; i < answer->count; i++) {
        rows[i] = instance_codec_row_doc(arena, &answer->rows[i]);
    }
    doc_builder_init(&builder, arena);
    instance_codec_flag_put(&builder, "complete", answer->is_complete);
    if (answer->fault != PROVIDER_FAULT_NONE) {
        instance_codec_put(&builder, "fault", text_from(provider_fault_name(answer->fault)));
    }
    instance_codec_put(&builder, "id", answer->id);
    instance_codec_put(&builder, "mark", answer->mark);
    instance_codec_put(&builder, "message", answer->message);
    instance_codec_put(&builder, "outcome", text_from(instance_codec_outcomes[outcome]));
    instance_codec_number_put(&builder, arena, "retry", answer->retry_ms);
    doc_builder_put(&builder, "rows", doc_list(rows, answer->count, NULL));
    instance_codec_flag_put(&builder, "same", answer->is_same);
    return instance_codec_format(arena, &builder);
}

static enum provider_fault instance_codec_fault(struct text word)
{
    for (size_t i = PROVIDER_FAULT_NONE + 1; i < PROVIDER_FAULT_COUNT; i++) {
        if (text_is(word, provider_fault_name((enum provider_fault)i))) {
            return (enum provider_fault)i;
        }
    }
    return PROVIDER_FAULT_NONE;
}

/* Returns false if the row has no id or no valid state. */
static bool instance_codec_row_read(const struct doc *doc, struct provider_row *out)
{
    uint64_t state = instance_codec_number(doc, "state");
    uint64_t port = instance_codec_number(doc, "port");

    *out = (struct provider_row){
        .id = doc_child_text(doc, "id"),
        .tags = instance_codec_tags_read(doc_child(doc, "tags")),
        .state = (enum plan_row_state)state,
        .address = doc_child_text(doc, "address"),
        .zone = doc_child_text(doc, "zone"),
        .user = doc_child_text(doc, "user"),
        .host_key = doc_child_text(doc, "hostKey"),
        .port = port <= UINT16_MAX ? (uint16_t)port : 0,
        .end_reason = doc_child_text(doc, "endReason"),
        .end_message = doc_child_text(doc, "endMessage"),
    };
    return out->id.length > 0 && state <= PLAN_ROW_ENDED;
}

bool instance_codec_answer_parse(struct arena *arena, struct text bytes, enum outcome *out_outcome,
                                 struct provider_answer *out, struct err *err)
{
    struct provider_row *rows;
    const struct doc *list;
    struct doc doc;
    size_t outcome;

    if (!json_parse_answer(arena, bytes, &doc, err)) {
        return false;
    }
    outcome = instance_codec_word(doc_child_text(&doc, "outcome"), instance_codec_outcomes,
                                  ARRAY_COUNT(instance_codec_outcomes));
    list = doc_child(&doc, "rows");
    if (outcome == ARRAY_COUNT(instance_codec_outcomes) || !doc_is_list(list)) {
        return err_set(err, CODE_R0426, "the answer has no outcome or no rows");
    }
    rows = arena_array(arena, struct provider_row, list->item_count + 1);
    for (size_t i = 0; i < list->item_count; i++) {
        if (!instance_codec_row_read(&list->items[i], &rows[i])) {
            return err_set(err, CODE_R0426, "the answer has a machine without an id or a state");
        }
    }
    *out_outcome = (enum outcome)outcome;
    *out = (struct provider_answer){
        .fault = instance_codec_fault(doc_child_text(&doc, "fault")),
        .message = doc_child_text(&doc, "message"),
        .retry_ms = instance_codec_number(&doc, "retry"),
        .id = doc_child_text(&doc, "id"),
        .rows = rows,
        .count = list->item_count,
        .is_complete = instance_codec_flag(&doc, "complete"),
        .mark = doc_child_text(&doc, "mark"),
        .is_same = instance_codec_flag(&doc, "same"),
    };
    return true;
}
