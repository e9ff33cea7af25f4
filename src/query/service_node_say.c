#include "base/limits.h"
#include "codec/json.h"
#include "query/query_parts.h"
#include "records/abandoned.h"
#include "records/accepted.h"
#include "records/node_state.h"
#include "records/record.h"
#include "records/rerun.h"
#include "ssh/host_key.h"
#include "state/revoked.h"

/* public names start with: service_ */

/* Operator commands about one machine: revoke its keys immediately, run its stages again, or accept
 * its host key. This file also checks whether the authorities of a cluster may be rotated. */

/* ---- a machine ---- */

/* True if another node of the cluster has the same key. A revocation would then exclude that node
 * too. */
static bool is_shared(const struct service *service, struct text tenant, struct text cluster_id,
                      struct text token, struct text key)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix =
        arena_printf(arena, "/%.*s/Node/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));
    bool is_any = false;

    for (const struct cache_object *object = cache_first(service->cache, prefix);
         object != NULL && !is_any; object = cache_next(service->cache, prefix, object)) {
        struct node_state state;

        is_any =
            !text_is_equal(text_slice(blob_text(object->key), prefix.length, SIZE_MAX), token) &&
            service_node_read(service, arena, tenant, cache_id(object), &state) &&
            (text_is_equal(revoked_key_body(state.keys.root), key) ||
             text_is_equal(revoked_key_body(state.keys.user), key));
    }
    return is_any;
}

static struct text node_say_key_alone(const struct service *service, struct text tenant,
                                      struct text cluster_id, struct text token, struct text line)
{
    struct text key = revoked_key_body(line);

    return is_shared(service, tenant, cluster_id, token, key) ? TEXT("") : key;
}

static struct text node_say_key_words(struct arena *arena, struct text key)
{
    char fingerprint[SSH_FINGERPRINT_BYTES];

    return ssh_host_key_fingerprint(key, fingerprint)
               ? arena_printf(arena, "%s (%.*s)", fingerprint, (int)text_find_byte(key, ' '),
                              key.data)
               : key;
}

static struct text fact_of(struct arena *arena, const struct service_say *say,
                           const struct record *record)
{
    if (say->word == SERVICE_COMMAND_REVOKE) {
        return TEXT("an operator revoked the keys of the machine");
    }
    if (say->word == SERVICE_COMMAND_ABANDON) {
        return TEXT("an operator gave up the pending release of the machine");
    }
    if (say->word == SERVICE_COMMAND_ACCEPT) {
        return record->host_key.length == 0
                   ? arena_printf(arena, "its host key is %.*s",
                                  TEXT_ARG(node_say_key_words(arena, say->key)))
                   : arena_printf(arena, "its host key is %.*s, and no longer %.*s",
                                  TEXT_ARG(node_say_key_words(arena, say->key)),
                                  TEXT_ARG(node_say_key_words(arena, record->host_key)));
    }
    return say->from.length == 0
               ? TEXT("stages that did not succeed will run again")
               : arena_printf(arena, "all stages from stage-%.*s on will run again",
                              TEXT_ARG(say->from));
}

static struct store_event node_say_event_make(const struct service_saying *saying,
                                              const struct service_actor *actor,
                                              const struct service_say *say,
                                              const struct record *record, struct text cluster_id)
{
    struct service_event event = {
        .type = say->word == SERVICE_COMMAND_REVOKE    ? "node.revoked"
                : say->word == SERVICE_COMMAND_ACCEPT  ? "machine.accepted"
                : say->word == SERVICE_COMMAND_ABANDON ? "node.abandoned"
                                                       : "node.rerun_requested",
        .cluster = say->name,
        .cluster_id = cluster_id,
        .machine = record,
        .fact = fact_of(saying->arena, say, record),
        .why = say->why,
    };

    return service_event(saying->service, saying->arena, actor, &event);
}

static struct text node_say_entry_make(struct service *service, struct arena *arena,
                                       const struct service_actor *actor, struct text cluster_id,
                                       const struct record *record)
{
    struct text token = record->plan.token;
    int64_t now_ms = service->ports.wall_ms(service->ports.arg);
    struct node_state state;

    (void)!service_node_read(
        service, arena, actor->tenant,
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster_id), TEXT_ARG(token)), &state);
    return revoked_format(arena,
                          &(struct revoked){
                              .id = revoked_id(arena, record->name, token),
                              .name = record->name,
                              .by = actor->user,
                              .keys = { node_say_key_alone(service, actor->tenant, cluster_id,
                                                           token, state.keys.root),
                                        node_say_key_alone(service, actor->tenant, cluster_id,
                                                           token, state.keys.user) },
                              .at_ms = now_ms,
                              .until_ms = now_ms + (int64_t)LIMIT_SIGNER_TTL_MAX_S * 1000,
                          });
}

/* Build the request. Its stage is a number that machine_check has validated. */
static struct text node_say_request_make(struct service *service, struct arena *arena,
                                         const struct service_actor *actor,
                                         const struct service_say *say)
{
    int64_t from = 0;

    (void)!text_parse_int64(say->from, &from);
    return rerun_format(arena, &(struct rerun){ .at_ms = service->ports.wall_ms(service->ports.arg),
                                                .by = actor->user,
                                                .is_failed = say->from.length == 0,
                                                .from = (uint64_t)from });
}

/* Returns the revision of the previous command about this machine; 0 if there is none. */
static uint64_t base_revision(const struct service *service, struct text tenant, struct text kind,
                              struct text id)
{
    const struct cache_object *object = cache_find(service->cache, tenant, kind, id);

    return object == NULL || object->parts[CACHE_BASE].bytes == NULL
               ? 0
               : object->parts[CACHE_BASE].revision;
}

/* Find the machine, and reject a command that is already in effect. */
MUST_CHECK static bool machine_check(struct service *service, struct arena *arena,
                                     const struct service_actor *actor, struct text cluster_id,
                                     const struct service_say *say, struct record *out,
                                     struct err *err)
{
    const struct cache_object *object;
    int64_t from = 0;

    if (say->from.length > 0 &&
        (!text_parse_int64(say->from, &from) || from < 0 || from >= LIMIT_GROUP_ITEMS)) {
        return err_set(err, CODE_R0426, "'from' has to be the number of a stage, counted from 0");
    }
    if (say->word == SERVICE_COMMAND_ABANDON &&
        service_machine_leaving_find(service, arena, actor->tenant, cluster_id, say->node, out)) {
        return true;
    }
    if (say->node.length == 0 ||
        !service_machine_find(service, arena, actor->tenant, cluster_id, say->node, out)) {
        return service_machine_unfound(service, arena, actor, say->name, say->node, err);
    }
    if (say->word == SERVICE_COMMAND_ABANDON) {
        err_set(err, CODE_R0818, "%.*s is not being released", TEXT_ARG(out->name));
        return err_hint(err, "reeve release %.*s/%.*s starts the release", TEXT_ARG(say->name),
                        TEXT_ARG(out->name));
    }
    object = cache_find(
        service->cache, actor->tenant, TEXT(REVOKED_KIND),
        arena_printf(arena, "%.*s/%.*s", TEXT_ARG(cluster_id), TEXT_ARG(out->plan.token)));
    return say->word != SERVICE_COMMAND_REVOKE || object == NULL ||
           object->parts[CACHE_BASE].bytes == NULL ||
           err_set(err, CODE_R0433, "the keys of %.*s are revoked already", TEXT_ARG(out->name));
}

MUST_CHECK static bool shown_take(const struct record *record, struct service_say *say,
                                  struct err *err)
{
    char fingerprint[SSH_FINGERPRINT_BYTES];

    if (!ssh_host_key_fingerprint(record->shown, fingerprint)) {
        err_set(err, CODE_R0716, "%.*s has not shown a different host key", TEXT_ARG(record->name));
        return err_hint(err,
                        "to accept a key that the machine has not shown yet, give the whole key");
    }
    if (!text_is(say->key, fingerprint)) {
        return err_set(err, CODE_R0716, "%.*s shows %s (%.*s)", TEXT_ARG(record->name), fingerprint,
                       (int)text_find_byte(record->shown, ' '), record->shown.data);
    }
    say->key = record->shown;
    return true;
}

/* Replaces a fingerprint by the host key with this fingerprint that the machine has presented. */
MUST_CHECK static bool node_say_key_take(struct arena *arena, const struct record *record,
                                         struct service_say *say, struct err *err)
{
    if (record->plan.state != PLAN_RECORD_ACTIVE) {
        return err_set(err, CODE_R0716, "%.*s is still being created, or is being destroyed",
                       TEXT_ARG(record->name));
    }
    if (text_has_prefix(say->key, TEXT("SHA256:"))
            ? !shown_take(record, say, err)
            : !ssh_host_key_parse(arena, say->key, &say->key, err)) {
        return false;
    }
    return !text_is_equal(say->key, record->host_key) ||
           err_set(err, CODE_R0433, "%.*s has this host key already", TEXT_ARG(record->name));
}

static struct text node_say_value_make(struct service *service, struct arena *arena,
                                       const struct service_actor *actor,
                                       const struct service_say *say, struct text cluster_id,
                                       const struct record *record)
{
    return say->word == SERVICE_COMMAND_REVOKE
               ? node_say_entry_make(service, arena, actor, cluster_id, record)
           : say->word == SERVICE_COMMAND_ABANDON
               ? arena_printf(arena, "{\"at\":%lld}",
                              (long long)service->ports.wall_ms(service->ports.arg))
           : say->word == SERVICE_COMMAND_ACCEPT
               ? accepted_format(
                     arena, &(struct accepted){ .at_ms = service->ports.wall_ms(service->ports.arg),
                                                .by = actor->user,
                                                .key = say->key })
               : node_say_request_make(service, arena, actor, say);
}

void service_say_of_node(struct service *service, struct arena *arena,
                         const struct service_actor *actor, const struct service_say *asked,
                         service_done *done, void *arg)
{
    struct service_say taken = *asked;
    const struct service_say *say = &taken;
    const struct cache_object *subject =
        objects_find(service->cache, actor->tenant, objects_kind("Cluster"), say->name);
    struct service_saying *saying = arena_one(arena, struct service_saying);
    struct store_compare compare;
    struct store_event event;
    struct store_op op;
    struct record record;
    struct text token;
    struct text kind;
    struct text id;
    struct err err;

    *saying = (struct service_saying){ service, arena, done, arg };
    if (subject == NULL) {
        (void)!service_unfound(objects_kind("Cluster"), say->name, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    id = arena_text(arena, cache_id(subject));
    if (!machine_check(service, arena, actor, id, say, &record, &err) ||
        (say->word == SERVICE_COMMAND_BOOTSTRAP &&
         !service_again_check(service, actor->tenant, id, TEXT(""), &record, say, &err)) ||
        (say->word == SERVICE_COMMAND_ACCEPT && !node_say_key_take(arena, &record, &taken, &err))) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    kind = say->word == SERVICE_COMMAND_REVOKE    ? TEXT(REVOKED_KIND)
           : say->word == SERVICE_COMMAND_ACCEPT  ? TEXT(ACCEPTED_KIND)
           : say->word == SERVICE_COMMAND_ABANDON ? TEXT(ABANDONED_KIND)
                                                  : TEXT(RERUN_KIND);
    token = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(id), TEXT_ARG(record.plan.token));
    op = (struct store_op){ .key = objects_key(arena, actor->tenant, kind, token, CACHE_BASE),
                            .value = node_say_value_make(service, arena, actor, say, id, &record) };
    compare =
        (struct store_compare){ .key = op.key,
                                .revision = base_revision(service, actor->tenant, kind, token) };
    event = node_say_event_make(saying, actor, say, &record, id);
    service_txn(service, arena, actor, &(struct store_txn){ &compare, 1, &op, 1, &event, 1 },
                service_said, saying);
}

/* ---- the authorities of a cluster ---- */

/* True if the cluster's machines trust certificates. The first node whose trusted keys are recorded
 * decides. */
static bool has_node_say_certificates(const struct service *service, struct text tenant,
                                      struct text cluster_id)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct text prefix =
        arena_printf(arena, "/%.*s/Node/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));

    for (const struct cache_object *object = cache_first(service->cache, prefix); object != NULL;
         object = cache_next(service->cache, prefix, object)) {
        struct node_state state;

        if (service_node_read(service, arena, tenant, cache_id(object), &state) &&
            state.trust_given.length > 0) {
            return state.trust_given.data[0] == 'c';
        }
    }
    return false;
}

/* True if the newest request for a rotation is not completed. */
static bool is_rotating(const struct service *service, struct text tenant, struct text cluster_id,
                        struct text request)
{
    AUTO(arena) arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    const struct cache_object *object =
        cache_find(service->cache, tenant, TEXT("Authority"), cluster_id);
    const struct doc *phase;
    const struct doc *done;
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_BASE].bytes == NULL ||
        !json_parse(arena, blob_text(object->parts[CACHE_BASE].bytes), NULL, &doc, &err)) {
        return false;
    }
    phase = doc_child(&doc, "phase");
    done = doc_child(&doc, "request");
    return (doc_is_scalar(phase) && !text_is(phase->text, "0")) ||
           (request.length > 0 && (!doc_is_scalar(done) || !text_is_equal(done->text, request)));
}

bool service_rotate_check(const struct service *service, struct text tenant, struct text cluster_id,
                          const struct service_say *say, struct text request, struct err *err)
{
    if (say->kind->owner != OWNER_CLUSTER) {
        return err_set(err, CODE_R0754, "authorities can be rotated for a whole cluster only");
    }
    if (!has_node_say_certificates(service, tenant, cluster_id)) {
        err_set(err, CODE_R0754, "no machine of '%.*s' has certificates", TEXT_ARG(say->name));
        return err_hint(err,
                        "machines get certificates if their group has bootstrap and sshTrust is "
                        "certificate");
    }
    return !is_rotating(service, tenant, cluster_id, request) ||
           err_set(err, CODE_R0754, "the authorities of '%.*s' are being rotated already",
                   TEXT_ARG(say->name));
}
