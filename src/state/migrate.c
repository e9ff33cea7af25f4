#include "state/migrate.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "codec/json_member.h"

#include <assert.h>

struct renamed {
    const char *from;
    const char *to;
};

static const struct renamed rules[] = {
    { "new_life", "new_incarnation" },
    { "old_life", "old_incarnation" },
    { "sick", "unhealthy" },
    { "taken_back", "rollout_aborted" },
    { "terminated", "backoff_exhausted" },
};

static const struct renamed events[] = {
    { "cluster.rotation_wished", "cluster.rotation_requested" },
    { "machine.calm", "machine.alarm_cleared" },
    { "machine.ended", "machine.destroyed" },
    { "machine.made", "machine.created" },
    { "machine.well", "machine.healthy" },
    { "node.anew", "node.bootstrap_reset" },
    { "node.rerun_wished", "node.rerun_requested" },
    { "nodes.rerun_wished", "nodes.rerun_requested" },
};

/* How the content of a field is translated. */
enum content {
    CONTENT_KEPT,
    CONTENT_RULE,     /* the content is the name of a rule */
    CONTENT_HOLDS,    /* a list of "RULE" and "GROUP:RULE" */
    CONTENT_PROGRESS, /* the content is a map with its own fields */
};

/* A field of the objects of a kind. */
struct field {
    const char *kind;
    const char *from;
    const char *to;
    enum content content;
};

static const struct field fields[] = {
    { "Authority", "wish", "request", CONTENT_KEPT },
    { "Control", "life", "incarnation", CONTENT_KEPT },
    { "Control", "lifeSince", "incarnationSince", CONTENT_KEPT },
    { "Control", "said", "lookups", CONTENT_KEPT },
    { "Hold", "rule", "rule", CONTENT_RULE },
    { "Job", "progress", "progress", CONTENT_PROGRESS },
    { "Job", "troubles", "problems", CONTENT_KEPT },
    { "Job", "waits", "waits", CONTENT_HOLDS },
    { "Resource", "life", "incarnation", CONTENT_KEPT },
    { "Resource", "reason", "reason", CONTENT_RULE },
    { "Resource", "sick", "unhealthy", CONTENT_KEPT },
};
static const struct field progress_fields[] = {
    { "", "wish", "request", CONTENT_KEPT },
};

/* Returns the current name, NULL if the name has not changed. */
static const char *renamed_find(const struct renamed *names, size_t count, struct text name)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(name, names[i].from)) {
            return names[i].to;
        }
    }
    return NULL;
}

static const char *rule_renamed(struct text rule)
{
    return renamed_find(rules, ARRAY_COUNT(rules), rule);
}

/* ---- values ---- */

/* The state of the translation of one map. */
struct migration {
    struct arena *arena;
    bool is_changed;
};

static struct doc rule_migrate(struct migration *migration, const struct doc *rule)
{
    const char *name = doc_is_scalar(rule) ? rule_renamed(rule->text) : NULL;

    migration->is_changed |= name != NULL;
    return name == NULL ? *rule : doc_text(text_from(name), NULL);
}

/* Translate "RULE" or "GROUP:RULE". The path of a group has no colon, so the rule follows the last
 * colon. */
static struct doc hold_name_migrate(struct migration *migration, const struct doc *hold)
{
    size_t at = doc_is_scalar(hold) ? text_find_byte(hold->text, ':') : 0;
    struct doc rule;

    if (!doc_is_scalar(hold) || at >= hold->text.length) {
        return rule_migrate(migration, hold);
    }
    rule = doc_text(text_slice(hold->text, at + 1, SIZE_MAX), NULL);
    rule = rule_migrate(migration, &rule);
    return doc_text(arena_printf(migration->arena, "%.*s:%.*s",
                                 TEXT_ARG(text_slice(hold->text, 0, at)), TEXT_ARG(rule.text)),
                    NULL);
}

static struct doc holds_migrate(struct migration *migration, const struct doc *holds)
{
    struct doc *items;

    if (!doc_is_list(holds)) {
        return *holds;
    }
    items = arena_array(migration->arena, struct doc, holds->item_count);
    for (size_t i = 0; i < holds->item_count; i++) {
        items[i] = hold_name_migrate(migration, &holds->items[i]);
    }
    return doc_list(items, holds->item_count, NULL);
}

/* Returns the table entry of the field with this former name; NULL: the field keeps its name. */
static const struct field *field_find(const struct field *table, size_t count, struct text kind,
                                      struct text name)
{
    for (size_t i = 0; i < count; i++) {
        if (text_is(name, table[i].from) && text_is(kind, table[i].kind)) {
            return &table[i];
        }
    }
    return NULL;
}

static struct doc progress_migrate(struct migration *migration, const struct doc *progress)
{
    struct doc_builder builder;

    if (!doc_is_map(progress)) {
        return *progress;
    }
    doc_builder_init(&builder, migration->arena);
    for (size_t i = 0; i < progress->entry_count; i++) {
        struct doc_entry entry = progress->entries[i];
        const struct field *field =
            field_find(progress_fields, ARRAY_COUNT(progress_fields), TEXT(""), entry.key);

        if (field != NULL) {
            entry.key = text_from(field->to);
            migration->is_changed = true;
        }
        doc_builder_add(&builder, &entry);
    }
    return doc_builder_map(&builder, NULL);
}

static struct doc content_migrate(struct migration *migration, enum content content,
                                  const struct doc *value)
{
    switch (content) {
    case CONTENT_RULE:
        return rule_migrate(migration, value);
    case CONTENT_HOLDS:
        return holds_migrate(migration, value);
    case CONTENT_PROGRESS:
        return progress_migrate(migration, value);
    case CONTENT_KEPT:
        break;
    }
    return *value;
}

/* Translates the fields of an object. If a field exists under both names, the value under the
 * current name is kept. */
static struct doc object_migrate(struct migration *migration, struct text kind,
                                 const struct doc *object)
{
    struct doc_builder builder;

    doc_builder_init(&builder, migration->arena);
    for (size_t i = 0; i < object->entry_count; i++) {
        struct doc_entry entry = object->entries[i];
        const struct field *field = field_find(fields, ARRAY_COUNT(fields), kind, entry.key);

        if (field != NULL && !text_is(entry.key, field->to)) {
            migration->is_changed = true;
            if (doc_is_present(doc_child(object, field->to))) {
                continue;
            }
            entry.key = text_from(field->to);
        }
        if (field != NULL) {
            entry.value = content_migrate(migration, field->content, &entry.value);
        }
        doc_builder_add(&builder, &entry);
    }
    return doc_builder_map(&builder, NULL);
}

static bool is_kind_renamed(struct text kind)
{
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
        if (text_is(kind, fields[i].kind)) {
            return true;
        }
    }
    return false;
}

/* Returns the translated value, or `value` if nothing has changed. A value that cannot be parsed
 * stays unchanged; its readers report it. */
static struct text value_migrate(struct arena *arena, struct text kind, struct text value)
{
    struct migration migration = { .arena = arena };
    struct doc doc;
    struct buf buf;
    struct err err;

    if (value.length == 0 || !is_kind_renamed(kind) ||
        !json_parse_record(arena, value, NULL, &doc, &err) || !doc_is_map(&doc)) {
        return value;
    }
    doc = object_migrate(&migration, kind, &doc);
    if (!migration.is_changed) {
        return value;
    }
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* ---- keys ---- */

/* Return the kind in a key "/TENANT/KIND/ID.../PART". */
static struct text key_kind(struct text key)
{
    struct text rest = text_slice(key, 1, SIZE_MAX);

    rest = text_slice(rest, text_find_byte(rest, '/') + 1, SIZE_MAX);
    return text_slice(rest, 0, text_find_byte(rest, '/'));
}

/* Translate the key of a hold, which has its rule after the cluster:
 * "/TENANT/Hold/CLUSTER/RULE[/GROUP]/PART". */
static struct text hold_key_migrate(struct arena *arena, struct text key)
{
    struct text rest = key;
    struct text rule;
    const char *name;

    for (int i = 0; i < 4; i++) {
        rest = text_slice(rest, text_find_byte(rest, '/') + 1, SIZE_MAX);
    }
    rule = text_slice(rest, 0, text_find_byte(rest, '/'));
    name = rule_renamed(rule);
    if (name == NULL || rule.length == rest.length) {
        return key;
    }
    return arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(text_slice(key, 0, key.length - rest.length)),
                        name, TEXT_ARG(text_slice(rest, rule.length, SIZE_MAX)));
}

bool migrate_item(struct arena *arena, struct text key, struct text value, struct text *out_key,
                  struct text *out_value)
{
    struct text kind = key_kind(key);

    *out_key = text_is(kind, "Hold") ? hold_key_migrate(arena, key) : key;
    *out_value = value_migrate(arena, kind, value);
    return !text_is_equal(*out_key, key) || !text_is_equal(*out_value, value);
}

/* ---- events ---- */

/* Replaces the value of a field if it is one of these former names. */
static struct text member_migrate(struct arena *arena, struct text body, const char *field,
                                  const struct renamed *names, size_t count)
{
    struct text value;
    const char *name;
    size_t at;

    if (!json_member_find(body, text_from(field), &value) || value.length < 2) {
        return body;
    }
    name = renamed_find(names, count, text_slice(value, 1, value.length - 2));
    if (name == NULL) {
        return body;
    }
    at = (size_t)(value.data - body.data);
    assert(at + value.length <= body.length);
    return arena_printf(arena, "%.*s\"%s\"%.*s", TEXT_ARG(text_slice(body, 0, at)), name,
                        TEXT_ARG(text_slice(body, at + value.length, SIZE_MAX)));
}

struct text migrate_event(struct arena *arena, struct text body)
{
    body = member_migrate(arena, body, "rule", rules, ARRAY_COUNT(rules));
    return member_migrate(arena, body, "type", events, ARRAY_COUNT(events));
}
