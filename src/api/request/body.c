#include "api/request/body.h"

#include "api/request/body_yaml.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/suggest.h"
#include "codec/json.h"
#include "service/service_change.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- parameters and headers ---- */

static uint64_t *allow_find(struct service_allow *allow, struct text name)
{
    return text_is(name, "destroy")   ? &allow->destroy
           : text_is(name, "replace") ? &allow->replace
           : text_is(name, "reboot")  ? &allow->reboot
           : text_is(name, "rename")  ? &allow->rename
           : text_is(name, "lift")    ? &allow->lift
           : text_is(name, "rerun")   ? &allow->rerun
                                      : NULL;
}

MUST_CHECK static bool allow_set(struct service_allow *allow, struct text name, struct text number,
                                 struct err *err)
{
    uint64_t *place = allow_find(allow, name);
    int64_t value;

    if (place == NULL || !text_parse_int64(number, &value) || value < 0) {
        err_set(err, CODE_R0426,
                "allow accepts destroy, replace, reboot, rename, lift and rerun, each with a "
                "number, not '%.*s:%.*s'",
                TEXT_ARG(name), TEXT_ARG(number));
        return err_hint(err, "write allow=destroy:4,rename:1");
    }
    *place = (uint64_t)value;
    return true;
}

/* Parses permissions such as destroy:4,rename:1. */
MUST_CHECK static bool allow_parse(struct text text, struct service_allow *allow, struct err *err)
{
    while (text.length > 0) {
        struct text item = text_slice(text, 0, text_find_byte(text, ','));
        size_t colon = text_find_byte(item, ':');
        struct text number =
            colon == SIZE_MAX ? TEXT("") : text_slice(item, colon + 1, item.length);

        if (!allow_set(allow, text_slice(item, 0, colon), number, err)) {
            return false;
        }
        text = text_slice(text, item.length + 1, text.length);
    }
    return true;
}

/* Parses an If-Match header: a revision such as "812", or * for any. */
MUST_CHECK static bool match_parse(struct text text, uint64_t *out, struct err *err)
{
    int64_t revision = 0;

    text = text_trim(text);
    if (text.length == 0 || text_is(text, "*")) {
        *out = 0;
        return true;
    }
    if (text.length < 3 || text.data[0] != '"' || text.data[text.length - 1] != '"' ||
        !text_parse_int64(text_slice(text, 1, text.length - 2), &revision) || revision <= 0) {
        err_set(err, CODE_R0420, "If-Match is not a valid ETag: '%.*s'", TEXT_ARG(text));
        return err_hint(err, "send the ETag that GET returned, with its quotes");
    }
    *out = (uint64_t)revision;
    return true;
}

bool body_requests(struct call *call, struct service_change *out, struct err *err)
{
    out->why = call_parameter(call, "why");
    out->idempotency_key = call_header(call, HTTP_IDEMPOTENCY_KEY);
    if (out->why.length > LIMIT_WHY_BYTES) {
        return err_set(err, CODE_R0426, "why is longer than %d bytes", LIMIT_WHY_BYTES);
    }
    if (out->idempotency_key.length > LIMIT_IDEMPOTENCY_KEY_BYTES) {
        return err_set(err, CODE_R0420, "Idempotency-Key is longer than %d bytes",
                       LIMIT_IDEMPOTENCY_KEY_BYTES);
    }
    for (size_t i = 0; i < out->idempotency_key.length; i++) {
        char byte = out->idempotency_key.data[i];

        if (byte <= ' ' || byte > '~' || byte == '/') {
            return err_set(err, CODE_R0420,
                           "Idempotency-Key has characters other than letters, digits and -_.:");
        }
    }
    if (out->idempotency_key.length > 0) { /* clients of different users cannot collide on a key */
        out->idempotency_key = arena_printf(call->arena, "%.*s:%.*s", TEXT_ARG(call->actor.user),
                                            TEXT_ARG(out->idempotency_key));
    }
    return call_switch(call, "dry-run", &out->is_dry_run, err) &&
           call_switch(call, "allow-missing-plugin", &out->can_miss_plugins, err) &&
           call_switch(call, "no-preflight", &out->skips_preflight, err) &&
           allow_parse(call_parameter(call, "allow"), &out->allow, err) &&
           match_parse(call_header(call, HTTP_IF_MATCH), &out->if_match, err);
}

/* ---- the body ---- */

/* Removes /documents/N from a pointer, so that it points into that document. */
static void pointer_shorten(struct err *err)
{
    struct text path = text_from(err->path);
    struct text prefix = TEXT("/documents/");
    struct text rest = text_slice(path, prefix.length, path.length);
    struct text number = text_slice(rest, 0, text_find_byte(rest, '/'));
    size_t length = prefix.length + number.length;
    int64_t index;

    if (text_has_prefix(path, prefix) && text_parse_int64(number, &index) && index >= 0 &&
        index < UINT16_MAX) {
        err->place.source = (uint16_t)(index + 1);
        memmove(err->path, err->path + length, path.length - length + 1);
    }
}

bool body_read(struct call *call, struct doc *out, struct err_list *errors)
{
    struct origin *origin = arena_one(call->arena, struct origin);
    struct text body = call->request->body;
    struct err err;

    origin->source = 1;
    if (text_trim(body).length == 0) {
        *out = doc_map(NULL, 0, NULL);
        return true;
    }
    if (!json_parse_tolerant(call->arena, body, origin, out, errors, &err)) {
        if (err.code == CODE_R0101) {
            err_note(&err, "line %u, column %u of the body", (unsigned)err.place.line,
                     (unsigned)err.place.column);
        }
        err_list_add(errors, &err);
    }
    for (size_t i = 0; i < errors->count; i++) {
        pointer_shorten(&errors->items[i]);
    }
    return errors->errors == 0;
}

bool body_take(struct call *call, struct doc *out)
{
    struct err_list errors;

    err_list_init(&errors, call->arena);
    if (!body_read(call, out, &errors)) {
        call_refuse_all(call, &errors, TEXT(""));
        return false;
    }
    return true;
}

static bool is_body_true(const struct doc *doc)
{
    return doc_is_scalar(doc) && doc_core_type(doc) == DOC_TYPE_BOOL && text_is(doc->text, "true");
}

bool body_allow(const struct doc *body, struct service_allow *allow, struct err *err)
{
    const struct doc *map = doc_child(body, "allow");

    if (map != NULL && !doc_is_map(map)) {
        err_set(err, CODE_R0429, "allow is not a JSON object");
        return err_at(err, TEXT("allow"));
    }
    for (size_t i = 0; map != NULL && i < map->entry_count; i++) {
        const struct doc_entry *entry = &map->entries[i];
        struct text number = doc_is_scalar(&entry->value) ? entry->value.text : TEXT("");

        if (!allow_set(allow, entry->key, number, err)) {
            err_at(err, entry->key);
            return err_at(err, TEXT("allow"));
        }
    }
    return true;
}

bool body_supersede(const struct call *call, const struct doc *body, struct service_change *out,
                    struct err *err)
{
    const struct doc *member = doc_child(body, "supersede");
    bool is_yes = is_body_true(member);

    if (member != NULL && !is_yes && !(doc_is_scalar(member) && text_is(member->text, "false"))) {
        err_set(err, CODE_R0429, "supersede must be true or false");
        return err_at(err, TEXT("supersede"));
    }
    if (!call_switch(call, "supersede", &out->supersedes, err)) {
        return false;
    }
    out->supersedes = out->supersedes || is_yes;
    return true;
}

/* Rejects unknown members, so that a typing error in a change is never ignored. */
MUST_CHECK static bool body_members_check(const struct doc *body, struct err *err)
{
    static const char *const known[] = { "allow",     "bundles", "documents", "refreshFrom",
                                         "supersede", "take",    "why" };

    if (!doc_is_map(body)) {
        return err_set(err, CODE_R0429, "the body is not an object {\"documents\": [...]}");
    }
    for (size_t i = 0; i < body->entry_count; i++) {
        struct suggest suggest = suggest_start(body->entries[i].key);
        bool is_known = false;

        for (size_t j = 0; j < ARRAY_COUNT(known); j++) {
            is_known = is_known || text_is(body->entries[i].key, known[j]);
            suggest_offer(&suggest, text_from(known[j]));
        }
        if (!is_known) {
            err_set(err, CODE_R0429, "the body has an unknown member '%.*s'",
                    TEXT_ARG(body->entries[i].key));
            if (suggest_best(&suggest).length > 0) {
                err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
            }
            return err_at(err, body->entries[i].key);
        }
    }
    return true;
}

static const struct origin *body_origin_give(const struct origin *origin, void *arg)
{
    (void)origin;
    return arg;
}

/* Reads the documents. Each document is kept as a separate text, so that errors can refer to it. */
MUST_CHECK static bool documents_take(struct call *call, const struct doc *list,
                                      struct service_change *out, struct err *err)
{
    struct doc *items;

    if (!doc_is_list(list) || list->item_count == 0 || list->item_count > LIMIT_DOCUMENTS_PER_SET) {
        err_set(err, CODE_R0429, "documents is not a list of 1 to %d documents",
                LIMIT_DOCUMENTS_PER_SET);
        return err_at(err, TEXT("documents"));
    }
    items = arena_array(call->arena, struct doc, list->item_count);
    for (size_t i = 0; i < list->item_count; i++) {
        struct origin *origin = arena_one(call->arena, struct origin);

        origin->source = (uint16_t)(i + 1);
        items[i] = i == 0
                       ? list->items[0]
                       : doc_with_origins(call->arena, &list->items[i], body_origin_give, origin);
    }
    out->documents = items;
    out->document_count = list->item_count;
    return true;
}

/* Reads a member of the body that is a list of texts; an absent member is an empty list. `what`
 * names the items in errors, such as "paths". */
MUST_CHECK static bool texts_take(struct call *call, const struct doc *body, const char *name,
                                  const char *what, const struct text **out, size_t *out_count,
                                  struct err *err)
{
    const struct doc *list = doc_child(body, name);
    size_t count = doc_is_list(list) ? list->item_count : 0;
    struct text *texts = arena_array(call->arena, struct text, count);

    for (size_t i = 0; i < count; i++) {
        if (!doc_is_scalar(&list->items[i])) {
            err_set(err, CODE_R0429, "%s is a list of %s", name, what);
            err_at_index(err, i);
            return err_at(err, text_from(name));
        }
        texts[i] = list->items[i].text;
    }
    if (list != NULL && !doc_is_list(list)) {
        err_set(err, CODE_R0429, "%s is not a list of %s", name, what);
        return err_at(err, text_from(name));
    }
    *out = texts;
    *out_count = count;
    return true;
}

MUST_CHECK static bool why_take(const struct doc *why, struct service_change *out, struct err *err)
{
    if (why == NULL) {
        return true;
    }
    if (!doc_is_scalar(why) || why->text.length > LIMIT_WHY_BYTES) {
        err_set(err, CODE_R0429, "why is not text of at most %d bytes", LIMIT_WHY_BYTES);
        return err_at(err, TEXT("why"));
    }
    out->why = why->text;
    return true;
}

bool body_apply(struct call *call, struct service_change *out, struct err_list *errors)
{
    struct doc body;
    struct err err;

    if (body_is_yaml(call)) {
        return body_apply_yaml(call, out, errors);
    }
    if (!body_read(call, &body, errors)) {
        return false;
    }
    if (call_parameter(call, "take").length > 0) {
        err_set(&err, CODE_R0426,
                "'take' is a query parameter only if the body is YAML; in JSON it is a member of "
                "the body");
        err_list_add(errors, &err);
        return false;
    }
    if (!body_requests(call, out, &err) || !body_members_check(&body, &err) ||
        !body_allow(&body, &out->allow, &err) ||
        !documents_take(call, doc_child(&body, "documents"), out, &err) ||
        !texts_take(call, &body, "take", "paths", &out->takes, &out->take_count, &err) ||
        !texts_take(call, &body, "bundles", "digests", &out->bundles, &out->bundle_count, &err) ||
        !body_supersede(call, &body, out, &err) || !why_take(doc_child(&body, "why"), out, &err)) {
        err_list_add(errors, &err);
        return false;
    }
    out->is_refreshing_from = is_body_true(doc_child(&body, "refreshFrom"));
    return true;
}

/* ---- flat bodies ---- */

MUST_CHECK static bool body_member_read(const struct body_member *member, const struct doc *value,
                                        struct err *err)
{
    enum doc_type type = doc_is_scalar(value) ? doc_core_type(value) : DOC_TYPE_NULL;
    int64_t number = 0;

    if (type == DOC_TYPE_NULL || (member->flag != NULL) != (type == DOC_TYPE_BOOL) ||
        (member->number != NULL && (!text_parse_int64(value->text, &number) || number < 0))) {
        err_set(err, CODE_R0302, "%s must be %s", member->name,
                member->flag != NULL     ? "true or false"
                : member->number != NULL ? "a number"
                                         : "a text");
        return err_at(err, text_from(member->name));
    }
    if (member->flag != NULL) {
        *member->flag = text_is(value->text, "true");
    } else if (member->number != NULL) {
        *member->number = (uint64_t)number;
    } else {
        *member->text = value->text;
    }
    return true;
}

/* Lists the known members for the hint of an error: "name, url and digest". */
static void members_hint(struct err *err, const struct body_member *members, size_t count)
{
    char list[LIMIT_ERROR_TEXT_BYTES];
    size_t used = 0;

    for (size_t i = 0; i < count && used < sizeof(list); i++) {
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " and "
                                                  : ", ",
                                 members[i].name);
    }
    err_hint(err, "known members: %s", list);
}

bool body_members_read(const struct doc *body, const struct body_member *members, size_t count,
                       struct err *err)
{
    if (!doc_is_map(body)) {
        err_set(err, CODE_R0302, "the body must be a map");
        members_hint(err, members, count);
        return false;
    }
    for (size_t i = 0; i < body->entry_count; i++) {
        const struct doc_entry *entry = &body->entries[i];
        const struct body_member *member = NULL;

        for (size_t j = 0; j < count; j++) {
            member = text_is(entry->key, members[j].name) ? &members[j] : member;
        }
        if (member == NULL) {
            err_set(err, CODE_R0301, "unknown member '%.*s'", TEXT_ARG(entry->key));
            members_hint(err, members, count);
            return err_at(err, entry->key);
        }
        if (!body_member_read(member, &entry->value, err)) {
            return false;
        }
    }
    return true;
}

bool body_members_take(struct call *call, const struct body_member *members, size_t count)
{
    struct doc body;
    struct err err;

    if (!body_take(call, &body)) {
        return false;
    }
    if (!body_members_read(&body, members, count, &err)) {
        call_refuse(call, &err);
        return false;
    }
    return true;
}
