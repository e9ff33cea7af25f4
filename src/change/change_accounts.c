#include "budget/budget.h"
#include "change/change_work.h"
#include "codec/json.h"
#include "codec/json_member.h"

#include <assert.h>

/* Checks references from groups to accounts, and from accounts to secrets. */

static struct text change_accounts_word_of(const struct doc *map, const char *name)
{
    const struct doc *value = doc_child(map, name);

    return doc_is_scalar(value) && !doc_is_null(value) ? value->text : TEXT("");
}

/* Finds the spec that an object of the tenant will have: the spec in the request, otherwise the
 * current one. Returns false if there is none. */
static bool change_accounts_spec_find(struct change_work *work, const char *kind, struct text name,
                                      struct doc *out)
{
    const struct cache_object *object;
    struct err err;

    for (size_t i = 0; i < work->set.count; i++) {
        const struct model_object *wanted = &work->set.objects[i];

        if (text_is(text_from(wanted->kind->name), kind) && text_is_equal(wanted->name, name)) {
            *out = wanted->own;
            return true;
        }
    }
    object = cache_find(work->cache, work->request->tenant, text_from(kind), name);
    if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL ||
        !json_parse(work->arena, blob_text(object->parts[CACHE_SPEC].bytes), NULL, out, &err)) {
        return false;
    }
    *out = *doc_child(out, "spec");
    return true;
}

/* ---- references exist ---- */

/* True if the document refers to this account (resourcePlugin.account), or this secret
 * (sshKeySecret). */
static bool is_named_in(const struct doc *doc, bool is_secret, struct text name)
{
    if (text_is_equal(is_secret
                          ? change_accounts_word_of(doc, "sshKeySecret")
                          : change_accounts_word_of(doc_child(doc, "resourcePlugin"), "account"),
                      name)) {
        return true;
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        if (is_named_in(&doc->entries[i].value, is_secret, name)) {
            return true;
        }
    }
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        if (is_named_in(&doc->items[i], is_secret, name)) {
            return true;
        }
    }
    return false;
}

/* True if the sender may use an account or a secret; both belong to the tenant. A sender who may
 * write only parts of the tenant may keep those that these parts already use. Others are not
 * permitted, because credentials and keys are not part of the grant. */
static bool change_accounts_may_use(struct change_work *work, const struct model_leaf *leaf,
                                    bool is_secret, struct text name)
{
    const struct change_reach *reach = work->request->reach;

    for (size_t i = 0; reach != NULL && i < work->count; i++) {
        const struct stored_object *old = &work->order[i]->out->old_stored;

        if (work->order[i]->out->kind->owner != OWNER_CLUSTER ||
            work->order[i]->out->revision == 0) {
            continue;
        }
        if (is_named_in(&old->part.spec, is_secret, name)) {
            return true;
        }
        for (size_t j = 0; j < old->group_count; j++) {
            if ((text_is_equal(old->groups[j].path, leaf->path) ||
                 reach->may_write(reach->arg, old->part.meta.name, old->groups[j].path)) &&
                is_named_in(&old->groups[j].part.spec, is_secret, name)) {
                return true;
            }
        }
    }
    return reach == NULL;
}

static void change_accounts_use_check(struct change_work *work, const struct model_leaf *leaf,
                                      const struct doc *plugin)
{
    const struct doc *value = doc_child(plugin, "account");
    struct text account = change_accounts_word_of(plugin, "account");
    struct text name = change_accounts_word_of(plugin, "name");
    struct doc spec = { 0 };
    struct err *err;

    if (account.length > 0 && !change_accounts_may_use(work, leaf, false, account)) {
        err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0409,
                           "your grants do not cover account '%.*s'", TEXT_ARG(account));
        err_hint(err, "an operator of the whole tenant can name it here");
        model_blame(err, value);
        err_place(err, leaf->place);
        return;
    }
    /* A missing account may be created later. Until then the machines of the group wait, and their
     * state has the reason. */
    if (account.length == 0 || !change_accounts_spec_find(work, "Account", account, &spec) ||
        text_is_equal(change_accounts_word_of(&spec, "plugin"), name)) {
        return;
    }
    err =
        err_list_set(work->errors, (struct place){ 0 }, CODE_R0665,
                     "account '%.*s' is for plugin %.*s, and the group has %.*s", TEXT_ARG(account),
                     TEXT_ARG(change_accounts_word_of(&spec, "plugin")), TEXT_ARG(name));
    err_hint(err, "reeve get accounts lists the accounts of each plugin");
    model_blame(err, value);
    err_place(err, leaf->place);
}

static void login_key_check(struct change_work *work, const struct model_leaf *leaf)
{
    const struct doc *value = doc_child(&leaf->doc, "sshKeySecret");
    struct text name = change_accounts_word_of(&leaf->doc, "sshKeySecret");
    struct err *err;

    if (name.length > 0 && !change_accounts_may_use(work, leaf, true, name)) {
        err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0409,
                           "your grants do not cover secret '%.*s'", TEXT_ARG(name));
        err_hint(err, "an operator of the whole tenant can name it here");
        model_blame(err, value);
        err_place(err, leaf->place);
    }
}

static void change_accounts_leaf_check(struct change_work *work, const struct model_leaf *leaf)
{
    const struct doc *own = doc_child(&leaf->doc, "resourcePlugin");
    const struct doc *alternatives = doc_child(&leaf->doc, "alternatives");

    change_accounts_use_check(work, leaf, own);
    login_key_check(work, leaf);
    for (size_t i = 0; doc_is_list(alternatives) && i < alternatives->item_count; i++) {
        const struct doc *plugin = doc_child(&alternatives->items[i], "resourcePlugin");

        if (doc_is_map(plugin)) {
            change_accounts_use_check(work, leaf, plugin);
        }
    }
}

static void secret_named_check(struct change_work *work, const struct model_object *object)
{
    const struct doc *value = doc_child(&object->own, "secret");
    struct text name = change_accounts_word_of(&object->own, "secret");
    struct doc spec;
    struct err *err;

    if (name.length == 0 || change_accounts_spec_find(work, "Secret", name, &spec)) {
        return;
    }
    err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0667,
                       "the account refers to secret '%.*s', which does not exist", TEXT_ARG(name));
    err_hint(err, "reeve create secret %.*s @FILE", TEXT_ARG(name));
    model_blame(err, value);
    err_place(err, object->place);
}

/* Reports a secret whose value is in clear text. Such a request does not come from reeve's own API,
 * and nothing is written. */
static void change_accounts_secret_check(struct change_work *work,
                                         const struct model_object *object)
{
    static const char *const clear[] = { "value", "file" };

    for (size_t i = 0; i < ARRAY_COUNT(clear); i++) {
        if (doc_child(&object->own, clear[i]) != NULL) {
            err_list_set(
                work->errors, object->place, CODE_R0663,
                "secret '%.*s' has the field '%s': the manager does not store secrets in clear text",
                TEXT_ARG(object->name), clear[i]);
        }
    }
    if (change_accounts_word_of(&object->own, "digest").length == 0) {
        err_hint(err_list_set(work->errors, object->place, CODE_R0663, "secret '%.*s' has no value",
                              TEXT_ARG(object->name)),
                 "reeve create secret %.*s @FILE", TEXT_ARG(object->name));
    }
}

static void budget_check(struct change_work *work, const struct model_object *object)
{
    struct budget budget;
    const struct doc *field;
    struct err err;

    if (work->errors->count == 0 &&
        !budget_parse(work->arena, &object->own, &budget, &field, &err)) {
        if (field != NULL) {
            model_blame(&err, field);
        }
        err_list_add(work->errors, &err);
    }
}

void change_accounts_check(struct change_work *work)
{
    for (size_t i = 0; i < work->set.count; i++) {
        const struct model_object *object = &work->set.objects[i];

        if (object->is_known) {
            continue;
        }
        if (object->kind->owner == OWNER_SECRET) {
            change_accounts_secret_check(work, object);
        } else if (object->kind->owner == OWNER_ACCOUNT) {
            secret_named_check(work, object);
        }
        if (object->kind->owner == OWNER_BUDGET) {
            budget_check(work, object);
        }
        for (size_t j = 0; object->kind->owner == OWNER_CLUSTER && j < object->leaf_count; j++) {
            change_accounts_leaf_check(work, &object->leaves[j]);
        }
    }
    for (size_t i = 0; work->errors->count > 0 && i < work->request->document_count; i++) {
        model_point(work->errors, &work->request->documents[i]);
    }
}

/* ---- referenced objects must not be deleted ---- */

/* True if the record uses the account: its plugin is PLUGIN/ACCOUNT. */
static bool is_at_account(struct text bytes, struct text account)
{
    struct text plugin;

    return json_member_find(bytes, TEXT("plugin"), &plugin) && plugin.length > account.length + 2 &&
           text_has_suffix(text_slice(plugin, 0, plugin.length - 1), account) &&
           plugin.data[plugin.length - account.length - 2] == '/';
}

/* True if this object of the tenant uses the object to be deleted. */
static bool is_using(struct change_work *work, const struct cache_object *object,
                     const struct change_object *doomed)
{
    struct arena_mark mark = arena_mark(work->arena);
    struct text spec = object->parts[CACHE_SPEC].bytes == NULL
                           ? TEXT("")
                           : blob_text(object->parts[CACHE_SPEC].bytes);
    struct doc doc;
    struct err err;
    bool is_user = false;

    if (text_is(cache_kind(object), "Resource")) { /* the record of a machine is in its status */
        return object->parts[CACHE_STATUS].bytes != NULL &&
               is_at_account(blob_text(object->parts[CACHE_STATUS].bytes), doomed->name);
    }
    if (json_parse(work->arena, spec, NULL, &doc, &err)) {
        is_user = doomed->kind->owner == OWNER_SECRET
                      ? text_is_equal(change_accounts_word_of(doc_child(&doc, "spec"), "secret"),
                                      doomed->name) ||
                            is_named_in(&doc, true, doomed->name)
                      : is_named_in(&doc, false, doomed->name);
    }
    arena_rewind(work->arena, mark);
    return is_user;
}

static bool is_doomed(const struct change_work *work, const struct cache_object *object)
{
    for (size_t i = 0; i < work->count; i++) {
        const struct change_object *out = work->order[i]->out;

        if (out->is_deleted && text_is(cache_kind(object), out->kind->name) &&
            text_is_equal(cache_id(object), out->id)) {
            return true;
        }
    }
    return false;
}

/* Returns the name of the object that refers to the deleted object, for display. In a cluster it is
 * CLUSTER/PATH or CLUSTER/NODE. */
static struct text change_accounts_user_name(struct change_work *work,
                                             const struct cache_object *object)
{
    size_t slash = text_find_byte(cache_id(object), '/');
    struct text rest =
        slash == SIZE_MAX ? TEXT("") : text_slice(cache_id(object), slash + 1, SIZE_MAX);
    struct text name = objects_cluster_name(work->cache, work->arena, cache_tenant(object),
                                            text_slice(cache_id(object), 0, slash));
    struct text node;

    if (text_is(cache_kind(object), "Resource") && object->parts[CACHE_STATUS].bytes != NULL &&
        json_member_find(blob_text(object->parts[CACHE_STATUS].bytes), TEXT("name"), &node)) {
        rest = text_slice(node, 1, node.length - 2); /* the name without its quotes */
    }
    return name.length == 0 ? cache_id(object)
                            : arena_printf(work->arena, "%.*s%s%.*s", TEXT_ARG(name),
                                           rest.length > 0 ? "/" : "", TEXT_ARG(rest));
}

static void change_accounts_use_find(struct change_work *work, const struct change_object *doomed,
                                     const char *kind)
{
    struct text prefix =
        arena_printf(work->arena, "/%.*s/%s/", TEXT_ARG(work->request->tenant), kind);
    const struct cache_object *object = cache_first(work->cache, prefix);

    while (object != NULL && (is_doomed(work, object) || !is_using(work, object, doomed))) {
        object = cache_next(work->cache, prefix, object);
    }
    if (object != NULL) {
        struct err *err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0666,
                                       "%s '%.*s' is in use: by %s %.*s", doomed->kind->singular,
                                       TEXT_ARG(doomed->name), objects_kind(kind)->singular,
                                       TEXT_ARG(change_accounts_user_name(work, object)));

        err_hint(err, "change the object that uses it first; then delete it");
    }
}

void change_accounts_keep(struct change_work *work)
{
    static const char *const users[] = { "Cluster", "NodeGroup", "Resource" };
    static const char *const secret_users[] = { "Account", "Cluster", "NodeGroup" };

    for (size_t i = 0; i < work->count; i++) {
        const struct change_object *out = work->order[i]->out;

        if (!out->is_deleted) {
            continue;
        }
        for (size_t j = 0; out->kind->owner == OWNER_SECRET && j < ARRAY_COUNT(secret_users); j++) {
            change_accounts_use_find(work, out, secret_users[j]);
        }
        for (size_t j = 0; out->kind->owner == OWNER_ACCOUNT && j < ARRAY_COUNT(users); j++) {
            change_accounts_use_find(work, out, users[j]);
        }
    }
}
