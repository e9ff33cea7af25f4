#include "engine/record.h"

#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"

#include <assert.h>

static const char *const state_names[] = {
    [PLAN_RECORD_CREATE] = "create",
    [PLAN_RECORD_ACTIVE] = "active",
    [PLAN_RECORD_DELETE] = "delete",
};

const char *record_state_name(enum plan_record_state state)
{
    assert(state < ARRAY_COUNT(state_names));
    return state_names[state];
}

bool record_is_plain(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~' || text.data[i] == '"' ||
            text.data[i] == '\\') {
            return false;
        }
    }
    return text.length <= LIMIT_RECORD_TEXT_BYTES;
}

/* ---- writing: entries in byte order of their keys, those without a value left out ---- */

static void text_add(struct buf *buf, const char *key, struct text value)
{
    assert(record_is_plain(value));
    if (value.length > 0) {
        buf_printf(buf, ",\"%s\":\"%.*s\"", key, TEXT_ARG(value));
    }
}

static void number_add(struct buf *buf, const char *key, uint64_t value)
{
    if (value > 0) {
        buf_printf(buf, ",\"%s\":%llu", key, (unsigned long long)value);
    }
}

static void flag_add(struct buf *buf, const char *key, bool value)
{
    if (value) {
        buf_printf(buf, ",\"%s\":true", key);
    }
}

struct text record_format(struct arena *arena, const struct record *record)
{
    const struct plan_record *plan = &record->plan;
    struct buf buf;
    struct text text;

    buf_init(&buf, arena);
    number_add(&buf, "active", plan->active_ms);
    text_add(&buf, "address", record->address);
    flag_add(&buf, "answered", plan->is_answered);
    number_add(&buf, "callAfter", plan->call_after_ms);
    number_add(&buf, "condemned", plan->condemned_ms);
    number_add(&buf, "created", plan->created_ms);
    number_add(&buf, "doubt", plan->doubt_ms);
    number_add(&buf, "failures", plan->failures);
    if (record->fault != PROVIDER_FAULT_NONE) {
        text_add(&buf, "fault", text_from(provider_fault_name(record->fault)));
    }
    text_add(&buf, "generation", plan->generation);
    text_add(&buf, "group", plan->group);
    text_add(&buf, "id", plan->id);
    text_add(&buf, "labels", plan->labels);
    text_add(&buf, "life", record->life);
    number_add(&buf, "losses", plan->losses);
    number_add(&buf, "made", (uint64_t)record->made_wall_ms);
    text_add(&buf, "name", record->name);
    number_add(&buf, "pass", record->pass);
    text_add(&buf, "plugin", record->plugin);
    flag_add(&buf, "protected", plan->is_protected);
    text_add(&buf, "reason", record->reason);
    number_add(&buf, "rebooted", plan->rebooted_ms);
    number_add(&buf, "sick", plan->sick_since_ms);
    buf_printf(&buf, ",\"slot\":%llu", (unsigned long long)plan->slot);
    text_add(&buf, "state", text_from(record_state_name(plan->state)));
    number_add(&buf, "tries", plan->refusals);
    text_add(&buf, "zone", plan->zone);
    buf_add_string(&buf, "}");
    text = buf_text(&buf);
    buf.data[0] = '{'; /* in place of the first comma */
    assert(text.length <= LIMIT_RECORD_RESOURCE_BYTES);
    return text;
}

/* ---- reading ---- */

static uint64_t number_of(const struct doc *doc)
{
    int64_t number = 0;

    if (!doc_is_scalar(doc) || !text_parse_int64(doc->text, &number) || number < 0) {
        return 0;
    }
    return (uint64_t)number;
}

static bool flag_of(const struct doc *doc)
{
    return doc_is_scalar(doc) && text_is(doc->text, "true");
}

static struct text word_of(const struct doc *doc)
{
    return doc_is_scalar(doc) ? doc->text : TEXT("");
}

static enum provider_fault fault_of(struct text word)
{
    for (size_t i = 0; i < PROVIDER_FAULT_COUNT; i++) {
        if (text_is(word, provider_fault_name((enum provider_fault)i))) {
            return (enum provider_fault)i;
        }
    }
    return PROVIDER_FAULT_NONE;
}

/* What it means for asking again (X15). */
static enum plan_fault fault_class(enum provider_fault fault)
{
    static const enum plan_fault classes[PROVIDER_FAULT_COUNT] = {
        [PROVIDER_FAULT_NONE] = PLAN_FAULT_NONE,
        [PROVIDER_FAULT_INVALID] = PLAN_FAULT_WRONG,
        [PROVIDER_FAULT_AUTH] = PLAN_FAULT_WRONG,
        [PROVIDER_FAULT_QUOTA] = PLAN_FAULT_SHORT,
        [PROVIDER_FAULT_CAPACITY] = PLAN_FAULT_SHORT,
        [PROVIDER_FAULT_THROTTLED] = PLAN_FAULT_PASSING,
        [PROVIDER_FAULT_TRANSIENT] = PLAN_FAULT_PASSING,
        [PROVIDER_FAULT_GONE] = PLAN_FAULT_PASSING,
    };

    assert(fault < PROVIDER_FAULT_COUNT);
    return classes[fault];
}

MUST_CHECK static bool state_read(struct text word, enum plan_record_state *out, struct err *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(state_names); i++) {
        if (text_is(word, state_names[i])) {
            *out = (enum plan_record_state)i;
            return true;
        }
    }
    return err_set(err, CODE_R0554, "a machine's record has the state '%.*s'", TEXT_ARG(word));
}

/* What a wrong or missing field would mean is not guessed: a record decides what is deleted. */
MUST_CHECK static bool record_check(const struct record *record, struct err *err)
{
    const struct plan_record *plan = &record->plan;

    if (plan->token.length == 0 || plan->group.length == 0 || record->plugin.length == 0 ||
        record->life.length == 0 || !record_is_plain(plan->token) ||
        !record_is_plain(plan->group) || !record_is_plain(plan->id) ||
        !record_is_plain(plan->generation) || !record_is_plain(record->plugin) ||
        !record_is_plain(record->name) || !record_is_plain(record->life) ||
        !record_is_plain(record->reason) || !record_is_plain(record->address) ||
        !record_is_plain(plan->zone) || !record_is_plain(plan->labels)) {
        return err_set(err, CODE_R0554, "a machine's record lacks a field or has a wrong one");
    }
    return plan->state != PLAN_RECORD_ACTIVE || plan->id.length > 0 ||
           err_set(err, CODE_R0554, "an active machine's record has no id");
}

bool record_parse(struct arena *scratch, struct text token, struct text bytes, struct record *out,
                  struct err *err)
{
    struct doc doc;

    if (!json_parse(scratch, bytes, NULL, &doc, err)) {
        return false;
    }
    *out = (struct record){
        .plan = {
            .token = token,
            .group = word_of(doc_child(&doc, "group")),
            .slot = number_of(doc_child(&doc, "slot")),
            .generation = word_of(doc_child(&doc, "generation")),
            .id = word_of(doc_child(&doc, "id")),
            .created_ms = number_of(doc_child(&doc, "created")),
            .active_ms = number_of(doc_child(&doc, "active")),
            .condemned_ms = number_of(doc_child(&doc, "condemned")),
            .call_after_ms = number_of(doc_child(&doc, "callAfter")),
            .is_answered = flag_of(doc_child(&doc, "answered")),
            .is_protected = flag_of(doc_child(&doc, "protected")),
            .sick_since_ms = number_of(doc_child(&doc, "sick")),
            .doubt_ms = number_of(doc_child(&doc, "doubt")),
            .failures = (uint32_t)number_of(doc_child(&doc, "failures")),
            .losses = (uint32_t)number_of(doc_child(&doc, "losses")),
            .refusals = (uint32_t)number_of(doc_child(&doc, "tries")),
            .rebooted_ms = number_of(doc_child(&doc, "rebooted")),
            .labels = word_of(doc_child(&doc, "labels")),
            .zone = word_of(doc_child(&doc, "zone")),
        },
        .plugin = word_of(doc_child(&doc, "plugin")),
        .name = word_of(doc_child(&doc, "name")),
        .life = word_of(doc_child(&doc, "life")),
        .reason = word_of(doc_child(&doc, "reason")),
        .fault = fault_of(word_of(doc_child(&doc, "fault"))),
        .address = word_of(doc_child(&doc, "address")),
        .pass = number_of(doc_child(&doc, "pass")),
        .made_wall_ms = (int64_t)number_of(doc_child(&doc, "made")),
    };
    out->plan.fault = fault_class(out->fault);
    return state_read(word_of(doc_child(&doc, "state")), &out->plan.state, err) &&
           record_check(out, err);
}
