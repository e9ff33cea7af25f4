#include "api/request/take.h"

#include "base/limits.h"
#include "service/select.h"
#include "service/service_command.h"

bool take_text(const struct doc *body, const char *name, struct text *out, struct err *err)
{
    const struct doc *value = doc_child(body, name);

    if (value != NULL && !doc_is_scalar(value)) {
        return err_set(err, CODE_R0426, "%s must be a string", name);
    }
    *out = value == NULL ? TEXT("") : value->text;
    return true;
}

bool take_short(const struct doc *body, const char *name, struct text *out, struct err *err)
{
    const struct doc *value = doc_child(body, name);

    *out = doc_is_scalar(value) ? value->text : TEXT("");
    return (value == NULL || doc_is_scalar(value)) && out->length <= LIMIT_WHY_BYTES
               ? true
               : err_set(err, CODE_R0426, "'%s' must be a string of at most %d bytes", name,
                         LIMIT_WHY_BYTES);
}

bool take_number(const struct doc *body, const char *name, uint64_t most, uint64_t *out,
                 struct err *err)
{
    const struct doc *value = doc_child(body, name);
    int64_t found = 0;

    if (value != NULL && (!doc_is_scalar(value) || !text_parse_int64(value->text, &found) ||
                          found < 1 || (uint64_t)found > most)) {
        return err_set(err, CODE_R0426, "%s must be a number from 1 to %llu", name,
                       (unsigned long long)most);
    }
    *out = (uint64_t)found;
    return true;
}

bool take_flag(const struct doc *body, const char *name, bool *out, struct err *err)
{
    const struct doc *value = doc_child(body, name);

    if (value != NULL && (!doc_is_scalar(value) ||
                          (!text_is(value->text, "true") && !text_is(value->text, "false")))) {
        return err_set(err, CODE_R0426, "'%s' must be true or false", name);
    }
    *out = value != NULL && text_is(value->text, "true");
    return true;
}

bool take_place(const struct call *call, const char *what, struct select_request *out,
                struct err *err)
{
    size_t slash = text_find_byte(call->name, '/');

    if (call->kind->owner != OWNER_CLUSTER && call->kind->owner != OWNER_NODEGROUP) {
        return err_set(err, CODE_R0426, "%s machines of a cluster only, not of %s", what,
                       call->kind->plural);
    }
    out->is_acting = true;
    out->cluster = text_slice(call->name, 0, slash);
    if (slash != SIZE_MAX) {
        out->group = text_slice(call->name, slash + 1, call->name.length);
    }
    return true;
}

bool take_request(const struct doc *body, struct select_request *out, struct err *err)
{
    return take_text(body, "nodes", &out->names, err) &&
           take_text(body, "selector", &out->labels, err) &&
           take_text(body, "state", &out->states, err) &&
           take_text(body, "failedOf", &out->failed_of, err) &&
           take_text(body, "revision", &out->revision, err);
}

/* ---- batches ---- */

/* Reads a share: N (a number of machines) or N% (a percentage). */
MUST_CHECK static bool share_take(const struct doc *body, const char *name,
                                  struct service_share *out, struct err *err)
{
    struct text text;
    int64_t found;

    *out = (struct service_share){ 0 };
    if (!take_text(body, name, &text, err)) {
        return false;
    }
    if (text.length == 0) {
        return true;
    }
    out->is_given = true;
    out->is_percent = text_has_suffix(text, TEXT("%"));
    text = text_slice(text, 0, text.length - (out->is_percent ? 1 : 0));
    if (!text_parse_int64(text, &found) || found < 1 ||
        found > (out->is_percent ? 100 : (int64_t)UINT32_MAX)) {
        return err_set(err, CODE_R0426,
                       "%s must be a number of machines (1 or more), or 1%% to 100%%", name);
    }
    out->number = (uint32_t)found;
    return true;
}

MUST_CHECK static bool spread_take(const struct doc *body, bool *out_is_zone, struct err *err)
{
    struct text word = TEXT("");

    if (!take_text(body, "spread", &word, err)) {
        return false;
    }
    *out_is_zone = text_is(word, "zone");
    return word.length == 0 || *out_is_zone ||
           err_set(err, CODE_R0426, "spread must be zone, or left out");
}

bool take_batching(const struct doc *body, struct service_batching *out, struct err *err)
{
    return share_take(body, "batch", &out->batch, err) &&
           share_take(body, "maxFail", &out->max_fail, err) &&
           take_number(body, "canary", UINT32_MAX, &out->canary, err) &&
           take_number(body, "bakeMs", LIMIT_EXEC_MAX_MS, &out->bake_ms, err) &&
           take_number(body, "pauseMs", LIMIT_EXEC_MAX_MS, &out->pause_ms, err) &&
           take_number(body, "deadlineMs", LIMIT_EXEC_MAX_MS, &out->deadline_ms, err) &&
           take_number(body, "seed", INT64_MAX, &out->seed, err) &&
           take_text(body, "order", &out->by, err) && spread_take(body, &out->is_zone_apart, err);
}
