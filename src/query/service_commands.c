#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "model/nest.h"
#include "plan/compute.h"
#include "query/query_parts.h"
#include "records/commands.h"

#include <assert.h>
#include <string.h>

/* Operator commands for the controller. */

void service_said(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    struct service_saying *saying = arg;
    struct doc_builder builder;
    struct doc body;

    if (outcome != OUTCOME_OK) {
        service_refuse(saying->service, saying->arena, &answer->err, saying->done, saying->arg);
        return;
    }
    doc_builder_init(&builder, saying->arena);
    if (doc_is_present(&saying->before)) {
        doc_builder_put(&builder, "before", saying->before);
    }
    if (saying->paused.length > 0) {
        doc_builder_put(&builder, "paused", doc_text(saying->paused, NULL));
    }
    doc_builder_put(&builder, "revision", doc_int(saying->arena, (int64_t)answer->revision, NULL));
    body = doc_builder_map(&builder, NULL);
    service_report(saying->service, saying->arena, &body, saying->done, saying->arg);
}

/* The event of each command, and its field in the commands of the subject (pass_commands.c). If the
 * field is NULL, the command answers a hold. An empty value removes the field. */
static const struct word {
    const char *reported;
    const char *key;
    const char *value; /* NULL: the value is {at, by, why} */
} commands[] = {
    [SERVICE_COMMAND_PAUSE] = { "paused", "paused", NULL },
    [SERVICE_COMMAND_RESUME] = { "resumed", "paused", "" },
    [SERVICE_COMMAND_APPROVE] = { "approved", NULL, NULL },
    [SERVICE_COMMAND_REJECT] = { "rejected", NULL, NULL },
    [SERVICE_COMMAND_RETRY] = { "retried", "retry", NULL },
    [SERVICE_COMMAND_ROLLOUT_PAUSE] = { "rollout.paused", "rollout", "paused" },
    [SERVICE_COMMAND_ROLLOUT_ABORT] = { "rollout.aborted", "rollout", "aborted" },
    [SERVICE_COMMAND_ROLLOUT_RESUME] = { "rollout.resumed", "rollout", "" },
    [SERVICE_COMMAND_ROTATE] = { "rotation_requested", "rotate", NULL },
    /* commands that service_say_of_node handles */
    [SERVICE_COMMAND_REVOKE] = { "revoked", "revoked", NULL },
    [SERVICE_COMMAND_BOOTSTRAP] = { "rerun", "rerun", NULL },
    [SERVICE_COMMAND_ACCEPT] = { "accepted", "accepted", NULL },
    [SERVICE_COMMAND_ABANDON] = { "abandoned", "abandoned", NULL },
};

static bool answers_hold(const struct service_say *say)
{
    return commands[say->word].key == NULL;
}

static struct store_event service_commands_event_make(const struct service_saying *saying,
                                                      const struct service_actor *actor,
                                                      const struct service_say *say,
                                                      struct text cluster_id, struct text group)
{
    bool is_hold = answers_hold(say);
    struct text type = arena_printf(saying->arena, "%s.%s", is_hold ? "hold" : say->kind->singular,
                                    commands[say->word].reported);
    struct service_event event = {
        .type = arena_string(saying->arena, type),
        .cluster = text_slice(say->name, 0, text_find_byte(say->name, '/')),
        .cluster_id = cluster_id,
        .group = group,
        .rule = is_hold ? say->rule : TEXT(""),
        .why = say->why,
    };

    return service_event(saying->service, saying->arena, actor, &event);
}

static int64_t service_commands_wall_ms(const struct service *service)
{
    return service->ports.wall_ms(service->ports.arg);
}

/* Returns the observation of the hold, because the answer applies only to this observation (G20).
 * Empty: the hold has none. */
static struct text service_commands_observation_of(struct arena *arena,
                                                   const struct cache_object *hold)
{
    struct doc *doc = arena_one(arena, struct doc);
    struct err err;

    if (hold == NULL || hold->parts[CACHE_STATUS].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(hold->parts[CACHE_STATUS].bytes)), NULL, doc,
                    &err)) {
        return TEXT("");
    }
    return mutation_text_of(doc, "observation");
}

static struct doc service_commands_mark_make(struct service *service, struct arena *arena,
                                             const struct service_actor *actor,
                                             const struct service_say *say,
                                             const struct cache_object *object)
{
    struct text observation =
        answers_hold(say) ? service_commands_observation_of(arena, object) : TEXT("");
    struct doc_builder builder;

    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "at", doc_text(service_now(service, arena), NULL));
    doc_builder_put(&builder, "by", doc_text(actor->user, NULL));
    if (observation.length > 0) {
        doc_builder_put(&builder, "observation", doc_text(observation, NULL));
    }
    if (say->for_ms > 0) {
        doc_builder_put(
            &builder, "until",
            doc_int(arena, service_commands_wall_ms(service) + (int64_t)say->for_ms, NULL));
    }
    if (say->why.length > 0) {
        doc_builder_put(&builder, "why", doc_text(say->why, NULL));
    }
    return doc_builder_map(&builder, NULL);
}

/* Return the current commands with this command added or removed. Empty: no command is left. */
static struct text service_commands_value_make(struct service *service, struct arena *arena,
                                               const struct service_actor *actor,
                                               const struct service_say *say,
                                               bool is_resuming_slots,
                                               const struct cache_object *object)
{
    const struct word *word = &commands[say->word];
    struct doc mark = service_commands_mark_make(service, arena, actor, say, object);
    struct doc doc = doc_map(NULL, 0, NULL);
    struct buf buf;

    if (answers_hold(say)) {
        doc = nest_put(arena, &doc, word->reported, mark);
    } else {
        doc = commands_read(arena, object);
        doc = nest_put(arena, &doc, word->key,
                       word->value == NULL      ? mark
                       : word->value[0] == '\0' ? (struct doc){ 0 }
                                                : doc_text(text_from(word->value), NULL));
        if (is_resuming_slots) {
            doc = nest_put(arena, &doc, "resumed", mark);
        }
    }
    if (doc.entry_count == 0) {
        return TEXT("");
    }
    buf_init(&buf, arena);
    json_format(&buf, &doc);
    return buf_text(&buf);
}

/* Return the id of the subject, which is the part of its key after /TENANT/KIND/. */
static struct text subject_id(struct arena *arena, const struct service_say *say,
                              struct text cluster_id, struct text group)
{
    bool is_hold = answers_hold(say);

    return arena_printf(arena, "%.*s%s%.*s%s%.*s", TEXT_ARG(cluster_id), is_hold ? "/" : "",
                        TEXT_ARG(is_hold ? say->rule : TEXT("")), group.length > 0 ? "/" : "",
                        TEXT_ARG(group));
}

/* True if the subject has this command. A rollout has two commands in one field: `value` selects
 * one; NULL means any. An expired pause does not count. */
static bool is_keep_said(const struct service *service, const struct doc *doc, const char *key,
                         const char *value)
{
    const struct doc *said = doc_child(doc, key);

    if (strcmp(key, "paused") == 0) {
        return commands_is_paused(doc, (uint64_t)service_commands_wall_ms(service));
    }
    return doc_is_present(said) &&
           (value == NULL || (doc_is_scalar(said) && text_is(said->text, value)));
}

/* True if exactly one of the two pauses, the requested and the current one, has an end time. The
 * requested pause then replaces the current one. */
static bool is_other_pause(const struct service_say *say, const struct doc *doc)
{
    return say->word == SERVICE_COMMAND_PAUSE &&
           (say->for_ms > 0 || doc_is_present(doc_child(doc_child(doc, "paused"), "until")));
}

/* Maximum number of groups in a message. */
enum { PAUSED_SHOWN = 8 };

/* Return the paused groups of a cluster: "shop/web shop/db", at most PAUSED_SHOWN of them. Empty if
 * there are none. */
static struct text groups_paused(const struct service *service, struct arena *arena,
                                 struct text tenant, struct text cluster_id, struct text name)
{
    struct text prefix =
        arena_printf(arena, "/%.*s/Control/%.*s/", TEXT_ARG(tenant), TEXT_ARG(cluster_id));
    const struct cache_object *object = cache_first(service->cache, prefix);
    size_t count = 0;
    struct buf buf;

    buf_init(&buf, arena);
    for (; object != NULL; object = cache_next(service->cache, prefix, object)) {
        struct doc doc = commands_read(arena, object);

        if (is_keep_said(service, &doc, "paused", NULL) && ++count <= PAUSED_SHOWN) {
            buf_printf(&buf, "%s%.*s/%.*s", count == 1 ? "" : " ", TEXT_ARG(name),
                       TEXT_ARG(text_slice(cache_id(object), cluster_id.length + 1, SIZE_MAX)));
        }
    }
    return buf_text(&buf);
}

/* Rejects a resume of a cluster that is not paused. The message lists the paused groups of the
 * cluster, because a user who sees a paused group does not expect the message "not paused". */
MUST_CHECK static bool resume_refuse(const struct service *service, struct arena *arena,
                                     const struct service_say *say, struct text tenant,
                                     struct text cluster_id, struct err *err)
{
    struct text groups = say->kind->owner == OWNER_CLUSTER
                             ? groups_paused(service, arena, tenant, cluster_id, say->name)
                             : TEXT("");

    if (groups.length == 0) {
        return err_set(err, CODE_R0433, "%s '%.*s' is not paused", say->kind->singular,
                       TEXT_ARG(say->name));
    }
    err_set(err, CODE_R0433, "cluster '%.*s' is not paused, but groups of it are: %.*s",
            TEXT_ARG(say->name), TEXT_ARG(groups));
    return err_hint(err, "reeve resume %.*s", TEXT_ARG(groups));
}

/* Rejects a command that is already in effect, or a removal of a command that is not in effect. */
MUST_CHECK static bool
service_commands_twice_check(const struct service *service, struct arena *arena,
                             const struct service_say *say, struct text tenant,
                             struct text cluster_id, bool is_resuming_slots,
                             const struct cache_object *object, struct err *err)
{
    static const char *const twice[] = {
        [SERVICE_COMMAND_PAUSE] = "paused already",
        [SERVICE_COMMAND_RESUME] = "",
        [SERVICE_COMMAND_ROLLOUT_PAUSE] = "paused already in its rollout",
        [SERVICE_COMMAND_ROLLOUT_ABORT] = "aborted already in its rollout",
        [SERVICE_COMMAND_ROLLOUT_RESUME] = "neither paused nor aborted in its rollout",
    };
    const struct word *word = &commands[say->word];
    bool is_withdrawal = word->value != NULL && word->value[0] == '\0';
    struct doc doc;
    bool has_said;

    if (say->word >= ARRAY_COUNT(twice) || twice[say->word] == NULL || is_resuming_slots) {
        return true;
    }
    doc = commands_read(arena, object);
    has_said = is_keep_said(service, &doc, word->key, is_withdrawal ? NULL : word->value);
    if (has_said == is_withdrawal || is_other_pause(say, &doc)) {
        return true;
    }
    return say->word == SERVICE_COMMAND_RESUME
               ? resume_refuse(service, arena, say, tenant, cluster_id, err)
               : err_set(err, CODE_R0433, "%s '%.*s' is %s", say->kind->singular,
                         TEXT_ARG(say->name), twice[say->word]);
}

/* Return the answer to a hold: {"approved":{at, by, why}}; absent if the hold has no answer. */
static struct doc answer_of(struct arena *arena, const struct cache_object *object)
{
    struct doc doc;
    struct err err;

    if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL ||
        !json_parse(arena, arena_text(arena, blob_text(object->parts[CACHE_SPEC].bytes)), NULL,
                    &doc, &err) ||
        !doc_is_map(&doc)) {
        return (struct doc){ 0 };
    }
    return doc;
}

/* Rejects a repeated answer; the message has the author of the first one. An opposite answer
 * replaces the first one. */
MUST_CHECK static bool service_commands_answer_check(const struct service_say *say,
                                                     const struct doc *answer, struct err *err)
{
    const struct word *word = &commands[say->word];
    const struct doc *mark = doc_child(answer, word->reported);
    const struct doc *why = doc_child(mark, "why");
    bool has_why = doc_is_scalar(why) && why->text.length > 0;

    if (!doc_is_present(mark)) {
        return true;
    }
    err_set(err, CODE_R0433, "hold/%.*s:%.*s is %s already, by %.*s at %.*s%s%.*s",
            TEXT_ARG(say->name), TEXT_ARG(say->rule), word->reported,
            TEXT_ARG(mutation_text_of(mark, "by")), TEXT_ARG(mutation_text_of(mark, "at")),
            has_why ? ": " : "", TEXT_ARG(has_why ? why->text : TEXT("")));
    return err_hint(err, "to give the opposite answer: reeve hold %s %.*s:%.*s",
                    say->word == SERVICE_COMMAND_APPROVE ? "reject" : "approve",
                    TEXT_ARG(say->name), TEXT_ARG(say->rule));
}

/* True if a rollout in place has stopped. A resume then retries its failed members. */
static bool is_rollout_held(const struct service *service, struct arena *arena, struct text tenant,
                            struct text cluster_id, struct text group)
{
    const struct cache_object *hold =
        cache_find(service->cache, tenant, TEXT("Hold"),
                   arena_printf(arena, "%.*s/%s/%.*s", TEXT_ARG(cluster_id),
                                plan_rule_name(PLAN_RULE_rollout), TEXT_ARG(group)));

    return group.length > 0 && hold != NULL && hold->parts[CACHE_STATUS].bytes != NULL;
}

/* Rejects an abort while no rollout is running, because it would stop the next rollout before it
 * begins. */
MUST_CHECK static bool abort_check(const struct service_say *say, bool is_rolling, struct err *err)
{
    if (say->word != SERVICE_COMMAND_ROLLOUT_ABORT || is_rolling) {
        return true;
    }
    err_set(err, CODE_R0574, "no rollout of %s '%.*s' is running: there is nothing to abort",
            say->kind->singular, TEXT_ARG(say->name));
    return err_hint(
        err,
        "reeve get jobs lists running jobs; reeve rollout pause keeps the next rollout from starting");
}

MUST_CHECK static bool say_check(const struct service *service, struct arena *arena,
                                 const struct service_say *say, struct text tenant,
                                 struct text cluster_id, bool is_resuming_slots,
                                 const struct cache_object *object, const struct doc *answer,
                                 struct err *err)
{
    enum plan_rule rule = plan_rule_find(say->rule);

    if (answers_hold(say) && (object == NULL || object->parts[CACHE_STATUS].bytes == NULL)) {
        err_set(err, CODE_R0403, "'%.*s' has no hold '%.*s'", TEXT_ARG(say->name),
                TEXT_ARG(say->rule));
        return err_hint(err, "reeve get holds lists the holds");
    }
    if (answers_hold(say) && (rule == PLAN_RULE_COUNT || !plan_rule_is_answered(rule))) {
        err_set(err, CODE_R0562, "hold '%.*s' of %s '%.*s' accepts no answer", TEXT_ARG(say->rule),
                say->kind->singular, TEXT_ARG(say->name));
        return err_hint(err, "%s",
                        rule == PLAN_RULE_COUNT ? "the hold ends when its reason is gone"
                                                : plan_rule_advice(rule));
    }
    return answers_hold(say) ? service_commands_answer_check(say, answer, err)
                             : service_commands_twice_check(service, arena, say, tenant, cluster_id,
                                                            is_resuming_slots, object, err);
}

/* Return the time at which the newest rotation was requested; empty: never. */
static struct text request_of(struct arena *arena, const struct cache_object *object)
{
    struct doc *doc = arena_one(arena, struct doc);
    const struct doc *at;
    struct err err;

    if (object == NULL || object->parts[CACHE_SPEC].bytes == NULL ||
        !json_parse(arena, blob_text(object->parts[CACHE_SPEC].bytes), NULL, doc, &err)) {
        return TEXT("");
    }
    at = doc_child(doc_child(doc, "rotate"), "at");
    return doc_is_scalar(at) ? at->text : TEXT("");
}

/* Returns the revision of the commands. If they were removed, it is the revision of that removal,
 * which the cache keeps. */
static uint64_t commands_revision(const struct cache_object *object)
{
    return object == NULL || object->parts[CACHE_SPEC].bytes == NULL
               ? 0
               : object->parts[CACHE_SPEC].revision;
}

void service_say(struct service *service, struct arena *arena, const struct service_actor *actor,
                 const struct service_say *say, service_done *done, void *arg)
{
    const struct cache_object *subject =
        objects_find(service->cache, actor->tenant, say->kind, say->name);
    bool is_hold = answers_hold(say);
    struct service_saying *saying = arena_one(arena, struct service_saying);
    const char *kind = is_hold ? "Hold" : "Control";
    const struct cache_object *object;
    struct store_compare compare;
    struct store_event event;
    bool is_resuming_slots;
    struct store_op op;
    struct text cluster_id;
    struct text group;
    struct text id;
    struct err err;

    if (say->word == SERVICE_COMMAND_REVOKE || say->word == SERVICE_COMMAND_BOOTSTRAP ||
        say->word == SERVICE_COMMAND_ACCEPT || say->word == SERVICE_COMMAND_ABANDON) {
        service_say_of_node(service, arena, actor, say, done, arg);
        return;
    }
    *saying =
        (struct service_saying){ .service = service, .arena = arena, .done = done, .arg = arg };
    if (subject == NULL) {
        (void)!service_unfound(say->kind, say->name, &err);
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    cluster_id = text_slice(cache_id(subject), 0, text_find_byte(cache_id(subject), '/'));
    group = text_slice(cache_id(subject), cluster_id.length + 1, SIZE_MAX);
    group = cache_id(subject).length > cluster_id.length ? group : TEXT("");
    id = subject_id(arena, say, cluster_id, group);
    object = cache_find(service->cache, actor->tenant, text_from(kind), id);
    is_resuming_slots = say->word == SERVICE_COMMAND_ROLLOUT_RESUME &&
                        is_rollout_held(service, arena, actor->tenant, cluster_id, group);
    saying->before = is_hold ? answer_of(arena, object) : (struct doc){ 0 };
    if (!abort_check(
            say,
            service_is_rolling(service, arena, actor->tenant, cluster_id, group) ||
                service_is_rolling_in_place(service, arena, actor->tenant, cluster_id, group),
            &err) ||
        !say_check(service, arena, say, actor->tenant, cluster_id, is_resuming_slots, object,
                   &saying->before, &err) ||
        (say->word == SERVICE_COMMAND_ROTATE &&
         !service_rotate_check(service, actor->tenant, cluster_id, say, request_of(arena, object),
                               &err)) ||
        (say->word == SERVICE_COMMAND_RETRY &&
         !service_again_check(service, actor->tenant, cluster_id, group, NULL, say, &err))) {
        service_refuse(service, arena, &err, done, arg);
        return;
    }
    if (say->word == SERVICE_COMMAND_RESUME && group.length == 0) {
        saying->paused = groups_paused(service, arena, actor->tenant, cluster_id, say->name);
    }
    op = (struct store_op){
        .key = objects_key(arena, actor->tenant, text_from(kind), id, CACHE_SPEC),
        .value = service_commands_value_make(service, arena, actor, say, is_resuming_slots, object),
    };
    op.is_delete = op.value.length == 0;
    compare = (struct store_compare){ .key = op.key, .revision = commands_revision(object) };
    event = service_commands_event_make(saying, actor, say, cluster_id, group);
    service_txn(service, arena, actor, &(struct store_txn){ &compare, 1, &op, 1, &event, 1 },
                service_said, saying);
}

/* ---- a pass ---- */

struct passing {
    struct service *service;
    struct arena *arena;
    service_done *done;
    void *arg;
};

static void passed(void *arg, struct text report)
{
    struct passing *passing = arg;
    struct err_list none;
    struct service_answer answer = { .errors = &none };
    struct err err;

    if (report.length == 0) {
        err_set(&err, CODE_R0548, "the manager is stopping");
        err_hint(&err, "try again when the manager has restarted");
        service_refuse(passing->service, passing->arena, &err, passing->done, passing->arg);
        return;
    }
    err_list_init(&none, passing->arena);
    answer.body = arena_text(passing->arena, report);
    answer.revision = cache_revision(passing->service->cache);
    passing->done(passing->arg, &answer);
}

void service_pass(struct service *service, struct arena *arena, const struct service_actor *actor,
                  struct text cluster, bool is_dry, service_done *done, void *arg)
{
    const struct cache_object *object =
        objects_find(service->cache, actor->tenant, objects_kind("Cluster"), cluster);
    struct passing *passing = arena_one(arena, struct passing);
    struct text key = arena_printf(arena, "%.*s/%.*s", TEXT_ARG(actor->tenant),
                                   TEXT_ARG(object == NULL ? cluster : cache_id(object)));
    struct err err;

    *passing = (struct passing){ service, arena, done, arg };
    if (service->reconciler.pass == NULL) {
        err_set(&err, CODE_R0548, "this manager reconciles no clusters");
        err_hint(&err,
                 "the manager was started with --no-control: stop it, and run reeve-controller");
        service_refuse(service, arena, &err, done, arg);
    } else if (service->reconciler.pass(service->reconciler.arg, key, is_dry, passed, passing)) {
        return; /* a pass sends the answer later */
    } else if (object != NULL) {
        err_set(&err, CODE_R0548, "this manager is starting or stopping");
        err_hint(&err, "try again in a moment");
        service_refuse(service, arena, &err, done, arg);
    } else {
        (void)!service_unfound(objects_kind("Cluster"), cluster, &err);
        service_refuse(service, arena, &err, done, arg);
    }
}
