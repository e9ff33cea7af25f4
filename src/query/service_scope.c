#include "codec/json_member.h"
#include "former/former.h"
#include "pacing/pacing.h"
#include "query/query_parts.h"
#include "records/abandoned.h"
#include "records/accepted.h"
#include "records/discovered.h"
#include "records/pins.h"
#include "records/rerun.h"
#include "state/batches.h"
#include "state/revoked.h"
#include "volumes/volume.h"

#include <assert.h>

/* Ensures that no transaction of a request writes a key outside its sender's scope (I24).
 *
 * Normal case: the API has checked the path of the request, and every key that the request writes
 * belongs to the object of that path. This file checks the keys themselves, regardless of the
 * content of the body. It checks them when a change is computed (service_scope_check), which covers
 * dry runs and plans, and again when a transaction is sent to the store (service_txn,
 * service_commit). The second check finds defects of reeve: it writes the event access.escaped
 * instead of the transaction. An end-to-end test that produces this event fails.
 *
 * Failure: an unknown kind of key is rejected. */

/* A key "/TENANT/KIND/ID/PART", split into its parts. */
struct scope_key {
    struct text tenant;
    struct text kind;
    struct text id;
    struct text part;
};

static struct text scope_word_take(struct text *rest)
{
    struct text word = text_slice(*rest, 0, text_find_byte(*rest, '/'));

    *rest = text_slice(*rest, word.length + 1, SIZE_MAX);
    return word;
}

static struct scope_key key_split(struct text key)
{
    struct scope_key out = { 0 };
    struct text rest = text_slice(key, 1, SIZE_MAX);
    size_t end;

    out.tenant = scope_word_take(&rest);
    out.kind = scope_word_take(&rest);
    end = rest.length;
    while (end > 0 && rest.data[end - 1] != '/') {
        end--;
    }
    out.part = text_slice(rest, end, SIZE_MAX);
    out.id = text_slice(rest, 0, end > 0 ? end - 1 : 0);
    return out;
}

/* One key that a request writes, with the data by which its scope is checked. */
struct scope {
    const struct service *service;
    struct arena *arena;
    const struct service_actor *actor;
    struct scope_key key;
    struct text value;
};

static bool scope_may_write(const struct scope *scope, struct text cluster_id, struct text path)
{
    const struct change_reach *reach = scope->actor->reach;
    struct text name =
        objects_cluster_name(scope->service->cache, scope->arena, scope->actor->tenant, cluster_id);

    return name.length > 0 && reach->may_write(reach->arg, name, path);
}

/* True if the sender may write this cluster (CLUSTER) or group (CLUSTER/PATH). */
static bool is_place_covered(const struct scope *scope, struct text place)
{
    struct text cluster_id = scope_word_take(&place);

    return scope_may_write(scope, cluster_id, place);
}

/* True if the sender may write a hold (CLUSTER/RULE or CLUSTER/RULE/PATH), or the pinned values of
 * a group (CLUSTER/GENERATION/PATH). */
static bool is_hold_covered(const struct scope *scope)
{
    struct text rest = scope->key.id;
    struct text cluster_id = scope_word_take(&rest);

    (void)scope_word_take(&rest);
    return scope_may_write(scope, cluster_id, rest);
}

/* Read the group of a machine from its record. False if there is none. */
static bool machine_group(const struct scope *scope, struct text cluster_id, struct text token,
                          struct text *out)
{
    const struct cache_object *object =
        cache_find(scope->service->cache, scope->actor->tenant, TEXT("Resource"),
                   arena_printf(scope->arena, "%.*s/%.*s", TEXT_ARG(cluster_id), TEXT_ARG(token)));
    struct record record;
    struct err err;

    if (object == NULL || object->parts[CACHE_STATUS].bytes == NULL ||
        !record_parse(scope->arena, token, blob_text(object->parts[CACHE_STATUS].bytes), &record,
                      &err)) {
        return false;
    }
    *out = record.plan.group;
    return true;
}

static bool is_machine_covered(const struct scope *scope, struct text cluster_id, struct text token)
{
    struct text group;

    return scope_may_write(scope, cluster_id, TEXT("")) ||
           (machine_group(scope, cluster_id, token, &group) &&
            scope_may_write(scope, cluster_id, group));
}

/* True if the sender may write a batch job. Its request needs access to every machine of the job;
 * later commands for it need access to the whole cluster. */
static bool is_job_covered(const struct scope *scope)
{
    struct text rest = scope->key.id;
    struct text cluster_id = scope_word_take(&rest);
    struct batches batches;
    struct err err;

    if (scope_may_write(scope, cluster_id, TEXT(""))) {
        return true;
    }
    if (!text_is(scope->key.part, "base") ||
        !batches_parse(scope->arena, scope->value, &batches, &err)) {
        return false;
    }
    for (size_t i = 0; i < batches.count; i++) {
        if (!is_machine_covered(scope, cluster_id, batches.tokens[i])) {
            return false;
        }
    }
    return batches.count > 0;
}

/* Return the name in the metadata of a stored object, including its quotes. */
static struct text scope_name_of(struct text bytes)
{
    struct text metadata;
    struct text name;

    return json_member_find(bytes, TEXT("metadata"), &metadata) &&
                   json_member_find(metadata, TEXT("name"), &name)
               ? name
               : TEXT("");
}

/* True if only the counters in the record of a cluster change. Every change of groups or nodes
 * writes these counters. So a sender with access to a group only may write the record if all other
 * fields stay unchanged. */
static bool is_only_counted(const struct scope *scope)
{
    const struct cache_object *object =
        cache_find(scope->service->cache, scope->actor->tenant, TEXT("Cluster"), scope->key.id);
    struct text before;
    struct text old_spec;
    struct text new_spec;

    if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL ||
        !text_is(scope->key.part, "spec")) {
        return false;
    }
    before = blob_text(object->parts[CACHE_SPEC].bytes);
    return json_member_find(before, TEXT("spec"), &old_spec) &&
           json_member_find(scope->value, TEXT("spec"), &new_spec) &&
           text_is_equal(old_spec, new_spec) && scope_name_of(before).length > 0 &&
           text_is_equal(scope_name_of(before), scope_name_of(scope->value));
}

/* True if the key keeps its current value: it is written only because an event needs a key in its
 * transaction. */
static bool is_unchanged(const struct scope *scope)
{
    const struct cache_object *object =
        cache_find(scope->service->cache, scope->actor->tenant, scope->key.kind, scope->key.id);

    return text_is(scope->key.part, "base") && object != NULL &&
           object->parts[CACHE_BASE].bytes != NULL &&
           text_is_equal(blob_text(object->parts[CACHE_BASE].bytes), scope->value);
}

static bool is_name_covered(const struct scope *scope)
{
    const struct change_reach *reach = scope->actor->reach;
    struct text rest = scope->key.id;

    return text_is(scope_word_take(&rest), "Cluster") &&
           reach->may_write(reach->arg, rest, TEXT(""));
}

static bool is_mark_own(const struct scope *scope)
{
    struct text user = scope->actor->user;

    return text_has_prefix(scope->key.id, user) && scope->key.id.length > user.length &&
           scope->key.id.data[user.length] == ':';
}

/* True if the sender only reserves an approved machine of the inventory for a group that the sender
 * may write, or returns one. */
static bool is_row_covered(const struct scope *scope)
{
    const struct cache_object *object =
        cache_find(scope->service->cache, scope->actor->tenant, scope->key.kind, scope->key.id);
    struct discovered before;
    struct discovered after;
    struct err err;

    if (!discovered_read(scope->arena, object, &before) ||
        !discovered_parse(scope->arena, before.id, scope->value, &after, &err) ||
        !discovered_is_approved(&before)) {
        return false;
    }
    if (before.claim.token.length > 0) {
        /* the machine is returned from a group that the sender may write */
        before.claim.is_released = after.claim.is_released;
        before.claim.is_absent = after.claim.is_absent;
        if (scope_may_write(scope, after.reserved.cluster, after.reserved.group)) {
            before.reserved = after.reserved; /* moved between two writable groups */
            before.is_ignored = after.is_ignored;
        }
        return scope_may_write(scope, before.claim.cluster, before.claim.group) &&
               text_is_equal(discovered_format(scope->arena, &before), scope->value);
    }
    if (!scope_may_write(scope, after.reserved.cluster, after.reserved.group)) {
        return false;
    }
    before.reserved = after.reserved;
    before.conditions[LIFECYCLE_CONDITION_FAILED] = after.conditions[LIFECYCLE_CONDITION_FAILED];
    before.is_ignored = after.is_ignored;
    return text_is_equal(discovered_format(scope->arena, &before), scope->value);
}

/* True if the sender may write the group of the volume, or the whole cluster. */
static bool is_volume_covered(const struct scope *scope)
{
    const struct cache_object *object =
        cache_find(scope->service->cache, scope->actor->tenant, TEXT(VOLUME_KIND), scope->key.id);
    struct text id = scope->key.id;
    struct text cluster_id = scope_word_take(&id);
    struct volume volume;

    return text_is(scope->key.part, "spec") && object != NULL &&
           volume_read(scope->arena, object, &volume) &&
           scope_may_write(scope, cluster_id, volume.group);
}

static bool is_key_covered(const struct scope *scope)
{
    const struct scope_key *key = &scope->key;
    struct text rest = key->id;
    struct text first = scope_word_take(&rest);

    return text_is(key->kind, "NodeGroup") || text_is(key->kind, "Control") ||
                   text_is(key->kind, FORMER_KIND) || text_is(key->kind, PACING_KIND)
               ? is_place_covered(scope, key->id)
           : text_is(key->kind, "Cluster")
               ? scope_may_write(scope, key->id, TEXT("")) || is_only_counted(scope)
           : text_is(key->kind, "Name")                                  ? is_name_covered(scope)
           : text_is(key->kind, "Hold") || text_is(key->kind, PINS_KIND) ? is_hold_covered(scope)
           : text_is(key->kind, "Request")                               ? is_mark_own(scope)
           : text_is(key->kind, "Command")                               ? true
           : text_is(key->kind, "Authority")
               ? scope_may_write(scope, first, TEXT("")) && is_unchanged(scope)
           : text_is(key->kind, VOLUME_KIND)     ? is_volume_covered(scope)
           : text_is(key->kind, BATCHES_KIND)    ? is_job_covered(scope)
           : text_is(key->kind, DISCOVERED_KIND) ? is_row_covered(scope)
           : text_is(key->kind, REVOKED_KIND) || text_is(key->kind, ACCEPTED_KIND) ||
                   text_is(key->kind, RERUN_KIND) || text_is(key->kind, ABANDONED_KIND)
               ? is_machine_covered(scope, first, rest)
               : false;
}

static bool is_scope_covered(const struct service *service, struct arena *arena,
                             const struct service_actor *actor, struct text key, struct text value)
{
    struct scope scope = { service, arena, actor, key_split(key), value };
    struct arena_mark mark;
    bool is_inside;

    if (!text_is_equal(scope.key.tenant, actor->tenant) || actor->tenant.length == 0) {
        return false;
    }
    if (actor->reach == NULL) {
        return true;
    }
    mark = arena_mark(arena);
    is_inside = is_key_covered(&scope);
    arena_rewind(arena, mark);
    return is_inside;
}

MUST_CHECK static bool escape_refuse(const struct service_actor *actor, struct err *err)
{
    err_set(err, CODE_R0409,
            "the request would change objects that your grants in tenant '%.*s' do not cover",
            TEXT_ARG(actor->tenant));
    return err_hint(err, "an admin of the tenant can grant it");
}

bool service_scope_check(const struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct change *change,
                         struct err *err)
{
    for (size_t i = 0; i < change->op_count; i++) {
        if (!is_scope_covered(service, arena, actor, change->ops[i].key, change->ops[i].value)) {
            return escape_refuse(actor, err);
        }
    }
    return true;
}

/* ---- transactions ---- */

static const struct store_op *escape_find(const struct service *service, struct arena *arena,
                                          const struct service_actor *actor,
                                          const struct store_op *ops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_scope_covered(service, arena, actor, ops[i].key, ops[i].value)) {
            return &ops[i];
        }
    }
    return NULL;
}

static bool are_events_own(const struct service_actor *actor, const struct store_event *events,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!text_has_prefix(events[i].cluster, actor->tenant) ||
            events[i].cluster.length <= actor->tenant.length ||
            events[i].cluster.data[actor->tenant.length] != '/') {
            return false;
        }
    }
    return true;
}

/* A rejected transaction. Its sender receives the error when the event has been written. */
struct escape {
    const struct service_actor *actor;
    store_done *done;
    void *arg;
};

static void escape_written(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    const struct escape *escape = arg;
    struct store_answer refused = { .revision = answer->revision };

    (void)outcome; /* the sender's transaction is rejected in any case */
    (void)!escape_refuse(escape->actor, &refused.err);
    escape->done(escape->arg, OUTCOME_REFUSED, &refused);
}

static void escape_write(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct store_op *op,
                         store_done *done, void *arg)
{
    struct escape *escape = arena_one(arena, struct escape);
    struct scope_key key = key_split(op == NULL ? TEXT("//event/") : op->key);
    struct text fact = arena_printf(arena, "a request would have written %.*s outside of its scope",
                                    TEXT_ARG(key.kind));
    struct store_event event = service_event(
        service, arena, actor, &(struct service_event){ .type = "access.escaped", .fact = fact });
    struct store_op beside = {
        .key = objects_key(arena, actor->tenant, TEXT("Command"), TEXT("last"), CACHE_BASE),
        .value = arena_printf(arena, "{\"time\":%llu}", (unsigned long long)event.time_ms),
    };

    *escape = (struct escape){ actor, done, arg };
    store_txn(service->store, &(struct store_txn){ NULL, 0, &beside, 1, &event, 1 }, escape_written,
              escape);
}

void service_txn(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct store_txn *txn, store_done *done, void *arg)
{
    const struct store_op *op = escape_find(service, arena, actor, txn->ops, txn->op_count);

    if (op != NULL || !are_events_own(actor, txn->events, txn->event_count)) {
        escape_write(service, arena, actor, op, done, arg);
        return;
    }
    store_txn(service->store, txn, done, arg);
}

bool service_commit(struct service *service, struct arena *arena, const struct service_actor *actor,
                    const struct commit *commit, commit_done *done, store_done *escaped, void *arg)
{
    const struct store_op *op =
        escape_find(service, arena, actor, commit->first_ops, commit->first_op_count);

    op = op != NULL ? op : escape_find(service, arena, actor, commit->ops, commit->op_count);
    if (op != NULL || !are_events_own(actor, commit->events, commit->event_count)) {
        escape_write(service, arena, actor, op, escaped, arg);
        return false;
    }
    commit_start(arena, service->store, commit, done, arg);
    return true;
}
