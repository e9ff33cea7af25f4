#include "api/routes/change.h"

#include "api/request/body.h"
#include "api/request/call.h"
#include "api/request/handlers.h"
#include "api/request/take.h"
#include "base/limits.h"
#include "codec/json.h"
#include "model/nest.h"
#include "model/scalar.h"
#include "service/service_command.h"
#include "service/service_read.h"
#include "ssh/key.h"

#include <assert.h>
#include <string.h>

/* Routes that change objects. They convert a request to a struct service_change. */

/* ---- many objects ---- */

static void documents_change(struct call *call, bool is_saved)
{
    struct service_change change = { .mode = CHANGE_APPLY, .is_saved = is_saved };
    struct err_list errors;
    struct err err;

    err_list_init(&errors, call->arena);
    if (!call_switch(call, "unless-empty", &change.is_saved_unless_empty, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (!body_apply(call, &change, &errors)) {
        call_refuse_all(call, &errors, TEXT(""));
        return;
    }
    secrets_change(call, &change);
}

void api_apply(struct call *call)
{
    documents_change(call, false);
}

void api_plan_make(struct call *call)
{
    documents_change(call, true);
}

void api_plan_apply(struct call *call)
{
    struct service_change requests = { 0 };
    struct doc body;
    struct err err;

    if (!body_take(call, &body)) {
        return;
    }
    if (!body_requests(call, &requests, &err) || !body_allow(&body, &requests.allow, &err) ||
        !body_supersede(call, &body, &requests, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_plan_apply(call->api->options.service, call->arena, &call->actor, call->name, &requests,
                       call_answered, call);
}

/* ---- one object ---- */

/* Returns the map that has the name, the cluster and the kind: the metadata of an envelope,
 * otherwise the document itself. */
static const struct doc *change_names_of(const struct doc *document)
{
    const struct doc *metadata = doc_child(document, "metadata");

    return doc_is_map(metadata) ? metadata : document;
}

static void change_names_put(struct call *call, struct doc *document, const char *key,
                             struct text value)
{
    const struct doc *metadata = doc_child(document, "metadata");

    if (doc_is_map(metadata)) {
        struct doc names = nest_put(call->arena, metadata, key, doc_text(value, NULL));

        *document = nest_put(call->arena, document, "metadata", names);
    } else {
        *document = nest_put(call->arena, document, key, doc_text(value, NULL));
    }
}

/* Sets the kind from the path. The body may repeat it. */
MUST_CHECK static bool kind_put(struct call *call, struct doc *document, struct err *err)
{
    const struct doc *kind = doc_child(document, "kind");

    if (!doc_is_map(document)) {
        return err_set(err, CODE_R0429, "the body is not a document of a %s", call->kind->singular);
    }
    if (kind == NULL) {
        *document =
            nest_put(call->arena, document, "kind", doc_text(text_from(call->kind->name), NULL));
        return true;
    }
    if (!doc_is_scalar(kind) || schema_kind_of_word(kind->text) != call->kind) {
        err_set(err, CODE_R0429, "the path has the kind %s, but the body has another kind",
                call->kind->singular);
        return err_at(err, TEXT("kind"));
    }
    return true;
}

MUST_CHECK static bool change_name_put(struct call *call, struct doc *document, const char *key,
                                       struct text value, struct err *err)
{
    /* each of these maps may contain the name; if the names differ, the request is rejected */
    const struct doc *const places[] = { document, doc_child(document, "metadata"),
                                         doc_child(document, "spec") };

    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        const struct doc *current = doc_is_map(places[i]) ? doc_child(places[i], key) : NULL;

        if (current != NULL && (!doc_is_scalar(current) || !text_is_equal(current->text, value))) {
            err_set(err, CODE_R0429, "the path refers to %s '%.*s', but the body to another object",
                    key, TEXT_ARG(value));
            err_hint(err, "to rename a cluster, PATCH its name");
            return err_at(err, text_from(key));
        }
    }
    if (doc_child(change_names_of(document), key) == NULL) {
        change_names_put(call, document, key, value);
    }
    return true;
}

/* Sets the name of an existing object from the path. The path of a group is CLUSTER/PATH. */
MUST_CHECK static bool path_put(struct call *call, struct doc *document, struct err *err)
{
    struct text name = service_name_find(call->api->options.service, call->arena, &call->actor,
                                         call->kind, call->name);
    size_t slash = text_find_byte(name, '/');

    if (name.length == 0) {
        err_set(err, CODE_R0403, "there is no %s '%.*s'", call->kind->singular,
                TEXT_ARG(call->name));
        return err_hint(err, "reeve get %s lists the existing ones", call->kind->plural);
    }
    if (call->kind->owner != OWNER_NODEGROUP) {
        return change_name_put(call, document, "name", name, err);
    }
    assert(slash != SIZE_MAX);
    return change_name_put(call, document, "cluster", text_slice(name, 0, slash), err) &&
           change_name_put(call, document, "name", text_slice(name, slash + 1, name.length), err);
}

/* Returns KINDS/NAME of a document, for the header Location. */
static struct text location_of(struct call *call, const struct doc *document)
{
    const struct doc *name = doc_child(change_names_of(document), "name");
    const struct doc *cluster = doc_child(change_names_of(document), "cluster");

    if (!doc_is_scalar(name)) {
        return TEXT("");
    }
    if (call->kind->owner == OWNER_NODEGROUP && doc_is_scalar(cluster)) {
        return arena_printf(call->arena, "%s/%.*s/%.*s", call->kind->plural,
                            TEXT_ARG(cluster->text), TEXT_ARG(name->text));
    }
    return arena_printf(call->arena, "%s/%.*s", call->kind->plural, TEXT_ARG(name->text));
}

/* Returns whether If-Match is missing. A client that sends If-Match has read the object before; `*`
 * accepts any revision. */
static bool is_unpinned(const struct call *call)
{
    return call_header(call, HTTP_IF_MATCH).length == 0;
}

/* Reads one document from the body, and the parameters and headers. */
static bool change_document_take(struct call *call, struct doc *document,
                                 struct service_change *change)
{
    struct err_list errors;
    struct err err;

    err_list_init(&errors, call->arena);
    if (!body_read(call, document, &errors)) {
        call_refuse_all(call, &errors, TEXT(""));
        return false;
    }
    if (!body_requests(call, change, &err)) {
        call_refuse(call, &err);
        return false;
    }
    change->documents = document;
    change->document_count = 1;
    return true;
}

void api_create(struct call *call)
{
    struct service_change change = { .mode = CHANGE_CREATE };
    struct doc *document = arena_one(call->arena, struct doc);
    struct err err;

    if (!change_document_take(call, document, &change)) {
        return;
    }
    if (!kind_put(call, document, &err)) {
        call_refuse(call, &err);
        return;
    }
    call->location = location_of(call, document);
    change.single = call->location;
    secrets_change(call, &change);
}

void api_replace(struct call *call)
{
    struct service_change change = { .mode = CHANGE_REPLACE };
    struct doc *document = arena_one(call->arena, struct doc);
    struct err err;

    if (!change_document_take(call, document, &change)) {
        return;
    }
    if (!kind_put(call, document, &err) || !path_put(call, document, &err)) {
        call_refuse(call, &err);
        return;
    }
    change.is_unpinned = is_unpinned(call);
    secrets_change(call, &change);
}

void api_delete(struct call *call)
{
    struct service_change change = { .mode = CHANGE_DELETE };
    struct doc *document = arena_one(call->arena, struct doc);
    struct err err;

    *document = doc_map(NULL, 0, NULL);
    if (!body_requests(call, &change, &err) || !kind_put(call, document, &err) ||
        !path_put(call, document, &err)) {
        call_refuse(call, &err);
        return;
    }
    change.documents = document;
    change.document_count = 1;
    change.is_unpinned = is_unpinned(call);
    service_change(call->api->options.service, call->arena, &call->actor, &change, call_answered,
                   call);
}

/* Reads the parameter `batching`: a JSON map of batch flags, as in the body of a job. */
MUST_CHECK static bool change_batching_take(const struct call *call, struct service_change *change,
                                            struct err *err)
{
    struct service_batching *batching = arena_one(call->arena, struct service_batching);
    struct text bytes = call_parameter(call, "batching");
    struct doc *doc = arena_one(call->arena, struct doc);

    if (bytes.length == 0) {
        return true;
    }
    *batching = (struct service_batching){ 0 };
    if (!json_parse(call->arena, bytes, NULL, doc, err) || !doc_is_map(doc)) {
        return err_set(err, CODE_R0426, "'batching' is not a JSON map");
    }
    change->batching = batching;
    return take_batching(doc, batching, err);
}

void api_patch(struct call *call)
{
    struct service_patch patch = { .kind = call->kind, .name = call->name };
    struct text type = call_header(call, HTTP_CONTENT_TYPE);
    struct doc *document = arena_one(call->arena, struct doc);
    struct err err;

    if (!change_document_take(call, document, &patch.change)) {
        return;
    }
    if (call->request->body.length == 0) {
        err_set(&err, CODE_R0429, "the body is empty: it must contain a patch");
        call_refuse(call, &err);
        return;
    }
    if (!change_batching_take(call, &patch.change, &err)) {
        call_refuse(call, &err);
        return;
    }
    patch.change.is_unpinned = is_unpinned(call);
    patch.change.victims = call_parameter(call, "victims");
    patch.change.is_release = text_is(call_parameter(call, "release"), "1");
    patch.change.is_absent = text_is(call_parameter(call, "absent"), "1");
    patch.change.replaces = call_parameter(call, "replace");
    patch.change.reboots = call_parameter(call, "reboot");
    patch.change.commissions = call_parameter(call, "commission");
    patch.change.vars = call_parameter(call, "vars");
    patch.change.is_move = text_is(call_parameter(call, "move"), "1");
    patch.change.is_adoption = text_is(call_parameter(call, "adopt"), "1");
    patch.patch = document;
    patch.patch_kind = text_has_prefix(type, TEXT("application/json-patch+json"))
                           ? CHANGE_PATCH_JSON
                           : CHANGE_PATCH_MERGE;
    secrets_patch(call, &patch);
}

MUST_CHECK static bool undo_read(const struct doc *body, uint64_t *out, struct err *err)
{
    const struct doc *to = doc_child(body, "to");
    int64_t revision = 0;

    if (!doc_is_map(body) || body->entry_count > (to != NULL) ||
        (to != NULL &&
         (!doc_is_scalar(to) || !text_parse_int64(to->text, &revision) || revision < 0))) {
        return err_set(err, CODE_R0429, "the body is not {\"to\": REVISION}");
    }
    *out = (uint64_t)revision;
    return true;
}

/* ---- commands about kept objects ---- */

MUST_CHECK static bool change_word_read(const struct doc *body, enum service_command *out,
                                        struct err *err)
{
    static const char *const words[] = {
        [SERVICE_COMMAND_PAUSE] = "pause",
        [SERVICE_COMMAND_RESUME] = "resume",
        [SERVICE_COMMAND_APPROVE] = "approve",
        [SERVICE_COMMAND_REJECT] = "reject",
        [SERVICE_COMMAND_RETRY] = "retry",
        [SERVICE_COMMAND_ROLLOUT_PAUSE] = "rollout-pause",
        [SERVICE_COMMAND_ROLLOUT_ABORT] = "rollout-abort",
        [SERVICE_COMMAND_ROLLOUT_RESUME] = "rollout-resume",
        [SERVICE_COMMAND_ROTATE] = "rotate",
        [SERVICE_COMMAND_REVOKE] = "revoke",
        [SERVICE_COMMAND_BOOTSTRAP] = "bootstrap",
        [SERVICE_COMMAND_ACCEPT] = "accept",
        [SERVICE_COMMAND_ABANDON] = "abandon",
    };
    const struct doc *word = doc_child(body, "command");

    for (size_t i = 0; i < ARRAY_COUNT(words) && doc_is_scalar(word); i++) {
        if (text_is(word->text, words[i])) {
            *out = (enum service_command)i;
            return true;
        }
    }
    return err_set(err, CODE_R0426,
                   "'command' is pause, resume, approve, reject, retry, "
                   "rollout-pause, rollout-abort, rollout-resume, rotate, revoke, accept, "
                   "abandon, bootstrap, job-cancel, job-pause or job-resume");
}

/* Reads the duration of a pause, in the same format as in files: 90s, 2h, 1d. */
MUST_CHECK static bool for_read(const struct doc *body, enum service_command word, uint64_t *out_ms,
                                struct err *err)
{
    const struct doc *time = doc_child(body, "for");

    if (time == NULL) {
        return true;
    }
    if (word != SERVICE_COMMAND_PAUSE) {
        return err_set(err, CODE_R0426, "'for' applies to pause only");
    }
    return (doc_is_scalar(time) && scalar_parse_duration(time->text, out_ms) &&
            *out_ms >= LIMIT_PAUSE_MIN_MS && *out_ms <= LIMIT_PAUSE_MAX_MS) ||
           err_set(err, CODE_R0426, "'for' must be a time from 1s to 366d, as in 30m, 2h or 1d");
}

void api_say(struct call *call)
{
    struct service_say say = { .kind = call->kind, .name = call->name };
    struct service_change unused = { 0 };
    struct doc *body = arena_one(call->arena, struct doc);
    struct err err;

    if (!change_document_take(call, body, &unused) || bootstrap_say(call, body)) {
        return;
    }
    if (call->kind->owner != OWNER_CLUSTER && call->kind->owner != OWNER_NODEGROUP) {
        err_set(&err, CODE_R0426, "commands do not apply to %s", call->kind->plural);
        call_refuse(call, &err);
        return;
    }
    if (!change_word_read(body, &say.word, &err) || !take_short(body, "rule", &say.rule, &err) ||
        !take_short(body, "node", &say.node, &err) || !take_short(body, "from", &say.from, &err) ||
        !take_short(body, "key", &say.key, &err) || !take_short(body, "why", &say.why, &err) ||
        !take_flag(body, "again", &say.is_again, &err) ||
        !for_read(body, say.word, &say.for_ms, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_say(call->api->options.service, call->arena, &call->actor, &say, call_answered, call);
}

void api_enter(struct call *call)
{
    struct service_enter enter = { .cluster = call->name };
    struct text comment;
    struct ssh_key key;
    struct doc body;
    struct err err;

    if (!body_take(call, &body)) {
        return;
    }
    if (call->kind->owner != OWNER_CLUSTER) {
        err_set(&err, CODE_R0426, "logins are for machines of a cluster, not for %s",
                call->kind->plural);
        call_refuse(call, &err);
        return;
    }
    if (!doc_is_map(&body) || !take_short(&body, "node", &enter.node, &err) ||
        !take_short(&body, "key", &enter.key, &err)) {
        err_set(&err, CODE_R0426, "the body must be {node, key}, two strings");
        call_refuse(call, &err);
        return;
    }
    if (!ssh_key_parse(enter.key, &key, &comment, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_enter(call->api->options.service, call->arena, &call->actor, &enter, call_answered,
                  call);
}

void api_pass(struct call *call)
{
    bool is_dry = false;
    struct err err;

    if (!call_switch(call, "dry-run", &is_dry, &err)) {
        call_refuse(call, &err);
        return;
    }
    if (call->kind->owner != OWNER_CLUSTER) {
        err_set(&err, CODE_R0426, "a reconcile pass is run for a cluster, not for %s",
                call->kind->plural);
        call_refuse(call, &err);
        return;
    }
    service_pass(call->api->options.service, call->arena, &call->actor, call->name, is_dry,
                 call_answered, call);
}

void api_undo(struct call *call)
{
    struct service_undo undo = { .kind = call->kind, .name = call->name };
    struct doc *body = arena_one(call->arena, struct doc);
    struct err err;

    if (!change_document_take(call, body, &undo.change)) {
        return;
    }
    if (call->kind->owner == OWNER_SECRET) {
        err_set(&err, CODE_R0664, "earlier values of secret '%.*s' are not stored",
                TEXT_ARG(call->name));
        err_hint(&err, "set it again: reeve set secret/%.*s value=@FILE", TEXT_ARG(call->name));
        call_refuse(call, &err);
        return;
    }
    if (!undo_read(body, &undo.to_revision, &err)) {
        call_refuse(call, &err);
        return;
    }
    service_undo(call->api->options.service, call->arena, &call->actor, &undo, call_answered, call);
}
