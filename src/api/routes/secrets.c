#include "api/routes/change.h"
#include "base/limits.h"
#include "model/nest.h"
#include "service/service_change.h"

#include <assert.h>
#include <string.h>

/* public names start with: secrets_ */

/* One request that contains secret values. */
struct work {
    struct call *call;
    struct service_change change;
    struct service_patch patch;
    bool is_patch;
    /* Documents of the request. Digests replace the secret values once they are known. */
    struct doc *documents;
    struct api_secret *secrets;
    size_t *places; /* index of the document of each secret */
    size_t count;
};

static void service_ask(struct call *call, const struct service_change *change,
                        const struct service_patch *patch, service_done *done, void *arg)
{
    struct service *service = call->api->options.service;

    if (patch != NULL) {
        service_patch(service, call->arena, &call->actor, patch, done, arg);
    } else {
        service_change(service, call->arena, &call->actor, change, done, arg);
    }
}

/* ---- secrets in a request ---- */

static bool is_secrets_secret(const struct doc *document)
{
    const struct doc *kind = doc_child(document, "kind");

    return doc_is_scalar(kind) && schema_kind_of_word(kind->text) != NULL &&
           schema_kind_of_word(kind->text)->owner == OWNER_SECRET;
}

/* Returns the map with the fields of the secret: the spec of an envelope, otherwise the document
 * itself. */
static const struct doc *secrets_fields_of(const struct doc *document)
{
    const struct doc *spec = doc_child(document, "spec");

    return doc_is_map(spec) ? spec : document;
}

static struct text secrets_name_of(const struct doc *document)
{
    const struct doc *metadata = doc_child(document, "metadata");
    const struct doc *name = doc_child(doc_is_map(metadata) ? metadata : document, "name");

    return doc_is_scalar(name) ? name->text : TEXT("");
}

MUST_CHECK static bool secrets_refuse(struct text name, const char *field, const char *what,
                                      struct err *err)
{
    err_set(err, CODE_R0663, "secret '%.*s': %s", TEXT_ARG(name), what);
    err_hint(err, "reeve create secret NAME @FILE, reeve set secret/NAME value=@FILE");
    return err_at(err, text_from(field));
}

/* Takes the value of a secret. Rejects fields that only the manager sets. */
MUST_CHECK static bool secrets_value_take(const struct doc *document, struct text name,
                                          struct secret *out, struct err *err)
{
    static const char *const foreign[] = { "digest", "key" };
    const struct doc *fields = secrets_fields_of(document);
    const struct doc *value = doc_child(fields, "value");

    if (doc_child(fields, "file") != NULL) {
        return secrets_refuse(name, "file",
                              "only the command line reads files; send the value itself", err);
    }
    for (size_t i = 0; i < ARRAY_COUNT(foreign); i++) {
        if (doc_child(fields, foreign[i]) != NULL) {
            return secrets_refuse(name, foreign[i], "only the manager sets this field", err);
        }
    }
    if (!doc_is_scalar(value) || doc_is_null(value) || value->text.length == 0) {
        return secrets_refuse(name, "value", "the value is missing", err);
    }
    if (value->text.length > LIMIT_SECRET_BYTES) {
        return secrets_refuse(name, "value", "the value is longer than 16 KiB", err);
    }
    if (memchr(value->text.data, '\0', value->text.length) != NULL) {
        return secrets_refuse(name, "value", "the value contains a NUL", err);
    }
    *out = secret_from(value->text);
    return true;
}

/* Collects the secrets of the documents. */
MUST_CHECK static bool secrets_take(struct work *work, size_t count, struct err *err)
{
    work->secrets = arena_array(work->call->arena, struct api_secret, LIMIT_SECRETS_CHANGE);
    work->places = arena_array(work->call->arena, size_t, LIMIT_SECRETS_CHANGE);
    for (size_t i = 0; i < count; i++) {
        const struct doc *document = &work->documents[i];
        struct text name = work->is_patch ? work->patch.name : secrets_name_of(document);
        struct api_secret *secret = &work->secrets[work->count];

        if (!work->is_patch && !is_secrets_secret(document)) {
            continue;
        }
        if (work->count == LIMIT_SECRETS_CHANGE) {
            return err_set(err, CODE_R0663, "a request may write at most %d secrets",
                           LIMIT_SECRETS_CHANGE);
        }
        secret->name = arena_text(work->call->arena, name);
        if (!secrets_value_take(document, name, &secret->value, err)) {
            return false;
        }
        work->places[work->count++] = i;
    }
    return true;
}

/* ---- sealing ---- */

/* Overwrites the body. The body lies in memory of the server, which later requests reuse. */
static void body_wipe(const struct call *call)
{
    secret_wipe((char *)(uintptr_t)call->request->body.data, call->request->body.length);
}

static void answered(void *arg, const struct service_answer *answer)
{
    struct work *work = arg;

    body_wipe(work->call); /* the rest of the body is no longer needed */
    call_answered(work->call, answer);
}

static struct doc digest_put(struct arena *arena, const struct doc *document,
                             const struct api_secret *secret)
{
    const struct doc *spec = doc_child(document, "spec");
    struct doc fields = nest_put(arena, secrets_fields_of(document), "value", (struct doc){ 0 });

    fields = nest_put(arena, &fields, "digest", doc_text(secret->digest, NULL));
    fields = nest_put(arena, &fields, "key", doc_text(secret->key, NULL));
    return doc_is_map(spec) ? nest_put(arena, document, "spec", fields) : fields;
}

static void kept(void *arg, const struct err *err)
{
    struct work *work = arg;
    struct call *call = work->call;

    for (size_t i = 0; i < work->count; i++) {
        struct text value = secret_reveal(work->secrets[i].value);
        struct doc *document = &work->documents[work->places[i]];

        secret_wipe((char *)(uintptr_t)value.data, value.length);
        if (err == NULL) {
            *document = digest_put(call->arena, document, &work->secrets[i]);
        }
    }
    if (err != NULL) {
        body_wipe(call);
        call_refuse(call, err);
        return;
    }
    work->change.documents = work->documents;
    work->patch.patch = work->documents;
    service_ask(call, &work->change, work->is_patch ? &work->patch : NULL, answered, work);
}

static void seal(struct work *work, bool is_dry)
{
    struct call *call = work->call;
    const struct api_vault *vault = &call->api->options.vault;
    struct err err;

    if (vault->keep == NULL) {
        err_set(&err, CODE_R0660, "this manager cannot store secrets");
        kept(work, &err);
        return;
    }
    vault->keep(vault->arg, call->arena, call->actor.tenant, work->secrets, work->count, is_dry,
                kept, work);
}

static void values_refuse(struct work *work, const struct err *err)
{
    body_wipe(work->call);
    call_refuse(work->call, err);
}

/* The service rejects a user who may not change objects. routes.def also requires that permission,
 * so that no value is stored before the check. */
void secrets_change(struct call *call, const struct service_change *change)
{
    struct work *work = arena_one(call->arena, struct work);
    struct err err;

    *work = (struct work){ .call = call, .change = *change };
    work->documents = arena_array(call->arena, struct doc, change->document_count);
    for (size_t i = 0; i < change->document_count; i++) {
        work->documents[i] = change->documents[i];
    }
    if (!secrets_take(work, change->document_count, &err)) {
        values_refuse(work, &err);
    } else if (work->count == 0) {
        service_ask(call, change, NULL, call_answered, call);
    } else { /* a saved plan needs the values too, because it refers to them by digest */
        seal(work, change->is_dry_run);
    }
}

void secrets_patch(struct call *call, const struct service_patch *patch)
{
    struct work *work;
    struct err err;

    if (patch->kind->owner != OWNER_SECRET) {
        service_ask(call, NULL, patch, call_answered, call);
        return;
    }
    work = arena_one(call->arena, struct work);
    *work = (struct work){ .call = call, .patch = *patch, .is_patch = true };
    work->documents = arena_one(call->arena, struct doc);
    *work->documents = *patch->patch;
    if (patch->patch_kind != CHANGE_PATCH_MERGE) {
        (void)!secrets_refuse(patch->name, "value",
                              "a secret can be changed only by a merge "
                              "patch",
                              &err);
        values_refuse(work, &err);
    } else if (!secrets_take(work, 1, &err)) {
        values_refuse(work, &err);
    } else {
        seal(work, patch->change.is_dry_run);
    }
}
