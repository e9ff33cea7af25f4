#include "records/record.h"

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

bool record_is_sentence(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] != ' ' && !record_is_plain(text_slice(text, i, 1))) {
            return false;
        }
    }
    return text.length <= LIMIT_RECORD_TEXT_BYTES;
}

struct text record_sentence(struct arena *arena, struct text words)
{
    char *out = arena_alloc(arena, LIMIT_RECORD_CAUSE_BYTES + 1);
    size_t length = 0;

    for (size_t i = 0; i < words.length && length < LIMIT_RECORD_CAUSE_BYTES; i++) {
        size_t escape = text_escape_length(words, i);

        if (escape > 0) {
            i += escape - 1;
            continue;
        }
        out[length] = record_is_sentence((struct text){ &words.data[i], 1 }) ? words.data[i] : '?';
        length++;
    }
    out[length] = '\0';
    return (struct text){ out, length };
}

void record_host_key_set(struct record *record, struct text host_key)
{
    record->host_key = host_key;
    record->alarm = TEXT("");
    record->shown = TEXT("");
}

void record_reach_take(struct record *record, const struct provider_row *row)
{
    record->address = row->address;
    record->user = row->user;
    record->port = row->port;
    if (row->host_key.length > 0) { /* if the row has no key, a key from another source is kept */
        record_host_key_set(record, row->host_key);
    }
}

/* ---- formatting: entries are in byte order of their keys, entries without a value are omitted
 * ---- */

/* A record is formatted by hand, because it is written at each step of a machine. A general printer
 * took a fifth of the time of a pass. */
static void record_key_add(struct buf *buf, const char *key)
{
    buf_add_string(buf, ",\"");
    buf_add_string(buf, key);
    buf_add_string(buf, "\":");
}

static void record_text_add(struct buf *buf, const char *key, struct text value)
{
    assert(record_is_sentence(value));
    if (value.length > 0) {
        record_key_add(buf, key);
        buf_add_bytes(buf, '"', 1);
        buf_add(buf, value);
        buf_add_bytes(buf, '"', 1);
    }
}

static void record_number_add(struct buf *buf, const char *key, uint64_t value)
{
    if (value > 0) {
        record_key_add(buf, key);
        buf_add_number(buf, value);
    }
}

static void record_flag_add(struct buf *buf, const char *key, bool value)
{
    if (value) {
        record_key_add(buf, key);
        buf_add_string(buf, "true");
    }
}

#define REPLACED "+replace"

struct text record_replaced_generation(struct arena *arena, struct text generation)
{
    return arena_printf(arena, "%.*s" REPLACED, TEXT_ARG(generation));
}

bool record_is_replaced(struct text generation)
{
    return text_has_suffix(generation, TEXT(REPLACED));
}

void record_serve(struct record *record)
{
    record->plan.is_starting = false;
    record->plan.is_reboot_served = false;
    record->plan.failed_since_ms = 0;
    record->plan.failures = 0;
}

void record_reboot_begin(struct record *record, uint64_t now_ms, uint64_t number, struct text by)
{
    struct plan_record *plan = &record->plan;

    record->reboot_number = number;
    record->reboot_by = by;
    record->boot = TEXT("");
    record->cause = TEXT("");
    record->silent_wall_ms = 0;
    plan->reboot_begun_ms = now_ms;
    plan->is_reboot_answered = false;
    plan->is_reboot_late = false;
    plan->is_reboot_served |= !plan->is_starting;
    plan->is_starting = true;
    plan->failing_since_ms = 0;
    plan->unreachable_since_ms = 0;
    plan->refusals = 0;
    plan->call_after_ms = 0;
}

void record_reboot_end(struct record *record, uint64_t now_ms, bool serves)
{
    struct plan_record *plan = &record->plan;

    record->boot = TEXT("");
    record->cause = TEXT("");
    record->silent_wall_ms = 0;
    plan->rebooted_ms = now_ms;
    plan->reboot_begun_ms = 0;
    plan->is_reboot_answered = false;
    plan->is_reboot_late = false;
    plan->unreachable_since_ms = 0;
    plan->failing_since_ms = 0;
    plan->refusals = 0;
    plan->call_after_ms = 0;
    if (serves) {
        record_serve(record);
    }
}

struct text record_reboot_cause(struct arena *arena, const struct record *record)
{
    return arena_printf(
        arena, "reboot, requested by %.*s",
        TEXT_ARG(record->reboot_by.length > 0 ? record->reboot_by : TEXT("an operator")));
}

struct text record_format(struct arena *arena, const struct record *record)
{
    const struct plan_record *plan = &record->plan;
    struct buf buf;
    struct text text;

    buf_init(&buf, arena);
    record_number_add(&buf, "active", plan->active_ms);
    record_text_add(&buf, "address", record->address);
    record_text_add(&buf, "alarm", record->alarm);
    record_flag_add(&buf, "answered", plan->is_answered);
    record_flag_add(&buf, "asked", record->is_asked);
    record_text_add(&buf, "at", record->at);
    record_flag_add(&buf, "blocked", record->is_blocked);
    record_text_add(&buf, "boot", record->boot);
    record_number_add(&buf, "callAfter", plan->call_after_ms);
    record_text_add(&buf, "cause", record->cause);
    record_number_add(&buf, "condemned", plan->condemned_ms);
    record_number_add(&buf, "created", plan->created_ms);
    record_number_add(&buf, "doubt", plan->doubt_ms);
    record_number_add(&buf, "drifted", plan->drifted_since_ms);
    record_flag_add(&buf, "evicted", plan->is_evicted);
    record_number_add(&buf, "failed", plan->failed_since_ms);
    record_number_add(&buf, "failures", plan->failures);
    if (record->fault != PROVIDER_FAULT_NONE) {
        record_text_add(&buf, "fault", text_from(provider_fault_name(record->fault)));
    }
    record_text_add(&buf, "generation", plan->generation);
    record_text_add(&buf, "group", plan->group);
    record_text_add(&buf, "hostKey", record->host_key);
    record_text_add(&buf, "id", plan->id);
    record_text_add(&buf, "image", record->image);
    record_text_add(&buf, "incarnation", record->life);
    record_text_add(&buf, "labels", plan->labels);
    record_number_add(&buf, "losses", plan->losses);
    record_number_add(&buf, "made", (uint64_t)record->made_wall_ms);
    record_number_add(&buf, "maintenance", plan->maintenance_since_ms);
    record_text_add(&buf, "name", record->name);
    record_flag_add(&buf, "outdated", record->is_outdated);
    record_number_add(&buf, "pass", record->pass);
    record_text_add(&buf, "plugin", record->plugin);
    record_number_add(&buf, "port", record->port);
    record_flag_add(&buf, "protected", plan->is_protected);
    record_text_add(&buf, "reason", record->reason);
    record_flag_add(&buf, "rebootAnswered", plan->is_reboot_answered);
    record_number_add(&buf, "rebootBegun", plan->reboot_begun_ms);
    record_text_add(&buf, "rebootBy", record->reboot_by);
    record_flag_add(&buf, "rebootLate", plan->is_reboot_late);
    record_number_add(&buf, "rebootNumber", record->reboot_number);
    record_flag_add(&buf, "rebootServed", plan->is_reboot_served);
    record_number_add(&buf, "rebooted", plan->rebooted_ms);
    record_text_add(&buf, "shown", record->shown);
    record_number_add(&buf, "silent", (uint64_t)record->silent_wall_ms);
    record_key_add(&buf, "slot");
    buf_add_number(&buf, plan->slot);
    record_flag_add(&buf, "starting", plan->is_starting);
    record_text_add(&buf, "state", text_from(record_state_name(plan->state)));
    record_number_add(&buf, "tries", plan->refusals);
    record_number_add(&buf, "unhealthy", plan->failing_since_ms);
    record_number_add(&buf, "unreachable", plan->unreachable_since_ms);
    record_text_add(&buf, "user", record->user);
    record_text_add(&buf, "zone", plan->zone);
    buf_add_string(&buf, "}");
    text = buf_text(&buf);
    buf.data[0] = '{'; /* replaces the first comma */
    assert(text.length <= LIMIT_RECORD_RESOURCE_BYTES);
    return text;
}

/* ---- parsing ---- */

static uint64_t record_number_of(const struct doc *doc)
{
    int64_t number = 0;

    if (!doc_is_scalar(doc) || !text_parse_int64(doc->text, &number) || number < 0) {
        return 0;
    }
    return (uint64_t)number;
}

static uint16_t record_port_of(const struct doc *doc)
{
    uint64_t number = record_number_of(doc);

    return number <= UINT16_MAX ? (uint16_t)number : 0;
}

static bool record_flag_of(const struct doc *doc)
{
    return doc_is_scalar(doc) && text_is(doc->text, "true");
}

static struct text record_word_of(const struct doc *doc)
{
    return doc_is_scalar(doc) ? doc->text : TEXT("");
}

static enum provider_fault record_fault_of(struct text word)
{
    for (size_t i = 0; i < PROVIDER_FAULT_COUNT; i++) {
        if (text_is(word, provider_fault_name((enum provider_fault)i))) {
            return (enum provider_fault)i;
        }
    }
    return PROVIDER_FAULT_NONE;
}

/* Return the retry policy of a fault (X15). */
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
        [PROVIDER_FAULT_GONE] = PLAN_FAULT_GONE,
    };

    assert(fault < PROVIDER_FAULT_COUNT);
    return classes[fault];
}

MUST_CHECK static bool record_state_read(struct text word, enum plan_record_state *out,
                                         struct err *err)
{
    for (size_t i = 0; i < ARRAY_COUNT(state_names); i++) {
        if (text_is(word, state_names[i])) {
            *out = (enum plan_record_state)i;
            return true;
        }
    }
    return err_set(err, CODE_R0554, "a machine's record has the state '%.*s'", TEXT_ARG(word));
}

/* True if the text is part of the bytes, and therefore valid as long as the bytes are. Empty texts
 * and texts with escapes are valid only during the parse. */
static bool is_borrowed(struct text text, struct text bytes)
{
    uintptr_t start = (uintptr_t)text.data;
    uintptr_t first = (uintptr_t)bytes.data;

    return text.length == 0 || (start >= first && start - first <= bytes.length &&
                                text.length <= bytes.length - (start - first));
}

/* Check the fields. Wrong or missing fields are rejected and never guessed, because a record
 * decides which machine is deleted. */
MUST_CHECK static bool record_record_check(const struct record *record, struct text bytes,
                                           struct err *err)
{
    const struct plan_record *plan = &record->plan;
    const struct text texts[] = { plan->group,  plan->id,     plan->generation, record->plugin,
                                  record->name, record->life, record->reason,   record->address,
                                  plan->zone,   plan->labels, record->user,     record->at };
    const struct text sentences[] = { record->cause, record->host_key, record->alarm,
                                      record->shown, record->image,    record->reboot_by };
    bool is_good = plan->token.length > 0 && plan->group.length > 0 && record->plugin.length > 0 &&
                   record->life.length > 0 && record_is_plain(plan->token);

    for (size_t i = 0; i < ARRAY_COUNT(texts) && is_good; i++) {
        is_good = record_is_plain(texts[i]) && is_borrowed(texts[i], bytes);
    }
    for (size_t i = 0; i < ARRAY_COUNT(sentences) && is_good; i++) {
        is_good = record_is_sentence(sentences[i]) && is_borrowed(sentences[i], bytes);
    }
    if (!is_good) {
        return err_set(err, CODE_R0554, "a machine's record lacks a field or has an invalid one");
    }
    return plan->state != PLAN_RECORD_ACTIVE || plan->id.length > 0 ||
           err_set(err, CODE_R0554, "an active machine's record has no id");
}

/* The fields of a record are in byte order of their keys and are read in that order, in one pass
 * over the bytes. */
struct walk {
    const struct doc_entry *at;
    const struct doc_entry *end;
};

static struct walk record_walk_begin(const struct doc *doc)
{
    return doc_is_map(doc) ? (struct walk){ doc->entries, doc->entries + doc->entry_count }
                           : (struct walk){ NULL, NULL };
}

/* Advance to the field with this key. Returns NULL if there is none. */
static const struct doc *walk_to(struct walk *walk, const char *key)
{
    struct text wanted = text_from(key);

    for (; walk->at != walk->end; walk->at++) {
        int order = text_compare(walk->at->key, wanted);

        if (order == 0) {
            return &(walk->at++)->value;
        }
        if (order > 0) {
            return NULL;
        }
    }
    return NULL;
}

/* Read the fields from `active` to `labels`. */
static void first_half_read(struct walk *walk, struct record *out)
{
    struct plan_record *plan = &out->plan;

    plan->active_ms = record_number_of(walk_to(walk, "active"));
    out->address = record_word_of(walk_to(walk, "address"));
    out->alarm = record_word_of(walk_to(walk, "alarm"));
    plan->is_answered = record_flag_of(walk_to(walk, "answered"));
    out->is_asked = record_flag_of(walk_to(walk, "asked"));
    out->at = record_word_of(walk_to(walk, "at"));
    out->is_blocked = record_flag_of(walk_to(walk, "blocked"));
    out->boot = record_word_of(walk_to(walk, "boot"));
    plan->is_boot_known = out->boot.length > 0;
    plan->call_after_ms = record_number_of(walk_to(walk, "callAfter"));
    out->cause = record_word_of(walk_to(walk, "cause"));
    plan->condemned_ms = record_number_of(walk_to(walk, "condemned"));
    plan->created_ms = record_number_of(walk_to(walk, "created"));
    plan->doubt_ms = record_number_of(walk_to(walk, "doubt"));
    plan->drifted_since_ms = record_number_of(walk_to(walk, "drifted"));
    plan->is_evicted = record_flag_of(walk_to(walk, "evicted"));
    plan->failed_since_ms = record_number_of(walk_to(walk, "failed"));
    plan->failures = (uint32_t)record_number_of(walk_to(walk, "failures"));
    out->fault = record_fault_of(record_word_of(walk_to(walk, "fault")));
    plan->fault = fault_class(out->fault);
    plan->generation = record_word_of(walk_to(walk, "generation"));
    plan->is_replace_requested = record_is_replaced(plan->generation);
    plan->group = record_word_of(walk_to(walk, "group"));
    out->host_key = record_word_of(walk_to(walk, "hostKey"));
    plan->id = record_word_of(walk_to(walk, "id"));
    out->image = record_word_of(walk_to(walk, "image"));
    out->life = record_word_of(walk_to(walk, "incarnation"));
    plan->labels = record_word_of(walk_to(walk, "labels"));
}

/* Read the fields from `losses` to `zone`. */
MUST_CHECK static bool second_half_read(struct walk *walk, struct record *out, struct err *err)
{
    struct plan_record *plan = &out->plan;
    struct text state;

    plan->losses = (uint32_t)record_number_of(walk_to(walk, "losses"));
    out->made_wall_ms = (int64_t)record_number_of(walk_to(walk, "made"));
    plan->maintenance_since_ms = record_number_of(walk_to(walk, "maintenance"));
    out->name = record_word_of(walk_to(walk, "name"));
    out->is_outdated = record_flag_of(walk_to(walk, "outdated"));
    out->pass = record_number_of(walk_to(walk, "pass"));
    out->plugin = record_word_of(walk_to(walk, "plugin"));
    out->port = record_port_of(walk_to(walk, "port"));
    plan->is_protected = record_flag_of(walk_to(walk, "protected"));
    out->reason = record_word_of(walk_to(walk, "reason"));
    plan->is_reboot_answered = record_flag_of(walk_to(walk, "rebootAnswered"));
    plan->reboot_begun_ms = record_number_of(walk_to(walk, "rebootBegun"));
    out->reboot_by = record_word_of(walk_to(walk, "rebootBy"));
    plan->is_reboot_late = record_flag_of(walk_to(walk, "rebootLate"));
    out->reboot_number = record_number_of(walk_to(walk, "rebootNumber"));
    plan->is_reboot_served = record_flag_of(walk_to(walk, "rebootServed"));
    plan->rebooted_ms = record_number_of(walk_to(walk, "rebooted"));
    out->shown = record_word_of(walk_to(walk, "shown"));
    out->silent_wall_ms = (int64_t)record_number_of(walk_to(walk, "silent"));
    plan->slot = record_number_of(walk_to(walk, "slot"));
    plan->is_starting = record_flag_of(walk_to(walk, "starting"));
    state = record_word_of(walk_to(walk, "state"));
    plan->refusals = (uint32_t)record_number_of(walk_to(walk, "tries"));
    plan->failing_since_ms = record_number_of(walk_to(walk, "unhealthy"));
    plan->unreachable_since_ms = record_number_of(walk_to(walk, "unreachable"));
    out->user = record_word_of(walk_to(walk, "user"));
    plan->zone = record_word_of(walk_to(walk, "zone"));
    return record_state_read(state, &plan->state, err);
}

bool record_parse(struct arena *scratch, struct text token, struct text bytes, struct record *out,
                  struct err *err)
{
    struct walk walk;
    struct doc doc;

    if (bytes.length > LIMIT_RECORD_RESOURCE_BYTES) {
        return err_set(err, CODE_R0554, "a machine's record has %zu bytes; at most %d are allowed",
                       bytes.length, LIMIT_RECORD_RESOURCE_BYTES);
    }
    if (!json_parse_record(scratch, bytes, NULL, &doc, err)) {
        return false;
    }
    *out = (struct record){ .plan.token = token };
    walk = record_walk_begin(&doc);
    first_half_read(&walk, out);
    return second_half_read(&walk, out, err) && record_record_check(out, bytes, err);
}
