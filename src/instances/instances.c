#include "instances/instances.h"

#include "base/limits.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "instances/instances_parts.h"
#include "records/intent.h"

#include <assert.h>

/* public names start with: instances_ instance_ */

/* Providers over links.
 *
 * Normal case: a call is one request; its answer has the outcome that the plugin of the other
 * manager gave. Failures: a request that was not sent had no effect. A request without an answer
 * may have had an effect, so its outcome is unknown unless it only reads. */

enum { INSTANCE_READ_BYTES = 65536 };

/* ---- ends of calls ---- */

static void instance_ready(struct instance_sent *sent, enum outcome outcome)
{
    assert(!sent->is_ready);
    peers_call_end(sent->call);
    sent->call = NULL;
    sent->is_ready = true;
    sent->outcome = outcome;
    sent->instance->instances->ready++;
    sent->instance->instances->options.wake(sent->instance->instances->options.arg);
}

/* Ends a call with a failure. `was_sent` is true if the other manager may have received the
 * request. */
static void instance_fail(struct instance_sent *sent, bool was_sent, const char *why)
{
    log_info(sent->instance->instances->options.log, "instance", "not_answered",
             log_text("plugin", sent->instance->plugin),
             log_text("manager", sent->instance->manager), log_string("reason", why));
    sent->answer = (struct provider_answer){ .fault = PROVIDER_FAULT_TRANSIENT,
                                             .message = arena_text(sent->arena, text_from(why)) };
    instance_ready(sent, was_sent && !instance_codec_is_reading(sent->method) ? OUTCOME_UNKNOWN
                                                                              : OUTCOME_REFUSED);
}

/* Returns the reason why the other manager did not execute the call. */
static const char *instance_problem(const struct instance_sent *sent)
{
    struct doc problem;
    struct err err;

    if (json_parse_answer(sent->arena, queue_text(&sent->bytes), &problem, &err) &&
        doc_child_text(&problem, "detail").length > 0) {
        return arena_string(sent->arena, doc_child_text(&problem, "detail"));
    }
    return arena_string(
        sent->arena,
        arena_printf(sent->arena, "the manager of the host answered with %d", sent->status));
}

static void instance_answer_take(struct instance_sent *sent)
{
    struct text bytes = queue_text(&sent->bytes);
    struct err err;

    if (sent->status != 200) {
        instance_fail(sent, sent->status >= 500, instance_problem(sent));
    } else if (!instance_codec_answer_parse(sent->arena, arena_text(sent->arena, bytes),
                                            &sent->outcome, &sent->answer, &err)) {
        instance_fail(sent, true, err.text);
    } else {
        instance_ready(sent, sent->outcome);
    }
}

static void on_instance_bytes(void *arg)
{
    struct instance_sent *sent = arg;
    bool is_end = false;
    size_t count = 1;

    while (count > 0 && !is_end) {
        char *room = queue_room(&sent->bytes, INSTANCE_READ_BYTES);

        count = peers_call_read(sent->call, room, INSTANCE_READ_BYTES, &is_end);
        sent->bytes.length += count;
    }
    if (is_end) {
        instance_answer_take(sent);
    }
}

static void on_instance_head(void *arg, const struct answer_head *head)
{
    struct instance_sent *sent = arg;

    sent->status = head->status;
    on_instance_bytes(sent);
}

static void on_instance_failure(void *arg, const char *reason)
{
    instance_fail(arg, true, reason);
}

/* ---- calls ---- */

static uint64_t instance_patience(enum instance_method method)
{
    return method == INSTANCE_CREATE ? (uint64_t)LIMIT_HOST_CREATE_MAX_MS
           : instance_codec_is_reading(method)
               ? (uint64_t)LIMIT_HOST_READ_MS + LIMIT_PEER_HEAD_MS
               : (uint64_t)LIMIT_HOST_CHANGE_MS + LIMIT_PEER_HEAD_MS;
}

/* Answers a call to an instance whose machines were declared lost; nothing is sent. */
static void instance_gone_answer(struct instance_sent *sent)
{
    sent->answer = (struct provider_answer){ .is_complete = true };
    if (sent->method == INSTANCE_CREATE) {
        sent->answer.fault = PROVIDER_FAULT_GONE;
        sent->answer.message = TEXT("the machines of the host were declared gone");
        instance_ready(sent, OUTCOME_REFUSED);
    } else {
        instance_ready(sent, OUTCOME_OK);
    }
}

static void instance_send(struct provider *port, struct instance_call *call, provider_done *done,
                          void *arg)
{
    struct instance *instance = (struct instance *)port;
    struct instances *instances = instance->instances;
    struct arena *arena = arena_new_small(SIZE_MAX);
    struct instance_sent *sent = arena_one(arena, struct instance_sent);
    struct peers_events events = { on_instance_head, on_instance_bytes, on_instance_failure, sent };
    struct peers_request request = { .method = TEXT("POST"),
                                     .target = TEXT(INSTANCES_PATH),
                                     .content_type = "application/json",
                                     .head_ms = instance_patience(call->method),
                                     .bytes_max = LIMIT_HOST_LIST_BYTES };
    struct err err;

    *sent = (struct instance_sent){ .next = instance->sent,
                                    .instance = instance,
                                    .arena = arena,
                                    .method = call->method,
                                    .done = done,
                                    .arg = arg };
    instance->sent = sent;
    call->tenant = instance->tenant;
    call->plugin = instance->plugin;
    request.body = instance_codec_call_format(arena, call);
    if (instances->is_closed) {
        instance_fail(sent, false, "this manager is stopping");
    } else if (instance->is_gone) {
        instance_gone_answer(sent);
    } else if (!peers_call_start(instances->options.peers, instance->manager, &request, &events,
                                 &sent->call, &err)) {
        sent->call = NULL;
        instance_fail(sent, false, err.text);
    }
}

static struct instance_call instance_about(enum instance_method method, const struct intent *intent)
{
    return (struct instance_call){ .method = method,
                                   .cluster = intent_cluster(intent),
                                   .token = intent_token(intent),
                                   .id = intent_id(intent),
                                   .reason = intent_reason(intent),
                                   .age_ms = intent_age_ms(intent) };
}

static void instance_create(struct provider *port, const struct intent *intent,
                            const struct provider_request *request, provider_done *done, void *arg)
{
    struct instance_call call = instance_about(INSTANCE_CREATE, intent);

    call.request = *request;
    instance_send(port, &call, done, arg);
}

static void instance_destroy(struct provider *port, const struct intent *intent,
                             provider_done *done, void *arg)
{
    struct instance_call call = instance_about(INSTANCE_DESTROY, intent);

    instance_send(port, &call, done, arg);
}

static void instance_label(struct provider *port, const struct intent *intent, struct text labels,
                           provider_done *done, void *arg)
{
    struct instance_call call = instance_about(INSTANCE_LABEL, intent);

    call.labels = labels;
    instance_send(port, &call, done, arg);
}

static void instance_reboot(struct provider *port, const struct intent *intent, provider_done *done,
                            void *arg)
{
    struct instance_call call = instance_about(INSTANCE_REBOOT, intent);

    instance_send(port, &call, done, arg);
}

static void instance_list(struct provider *port, struct text cluster, struct text known,
                          provider_done *done, void *arg)
{
    struct instance_call call = { .method = INSTANCE_LIST, .cluster = cluster, .known = known };

    instance_send(port, &call, done, arg);
}

static void instance_lookup(struct provider *port, const struct intent *intent, provider_done *done,
                            void *arg)
{
    struct instance_call call = instance_about(INSTANCE_FIND, intent);

    instance_send(port, &call, done, arg);
}

/* ---- running ---- */

static size_t instance_run(struct provider *port)
{
    struct instance *instance = (struct instance *)port;
    struct instance_sent *ready = NULL;
    size_t count = 0;

    /* The calls are removed from the list first, because a callback may make new calls. */
    for (struct instance_sent **at = &instance->sent, *sent; (sent = *at) != NULL;) {
        if (sent->is_ready) {
            *at = sent->next;
            sent->next = ready;
            ready = sent;
            count++;
        } else {
            at = &sent->next;
        }
    }
    instance->instances->ready -= count;
    for (struct instance_sent *sent = ready, *next; sent != NULL; sent = next) {
        next = sent->next;
        sent->done(sent->arg, sent->outcome, &sent->answer);
        queue_clear(&sent->bytes);
        arena_free(sent->arena);
    }
    return count;
}

static uint64_t instance_due(const struct provider *port)
{
    const struct instance *instance = (const struct instance *)port;

    for (const struct instance_sent *sent = instance->sent; sent != NULL; sent = sent->next) {
        if (sent->is_ready) {
            return 0;
        }
    }
    return UINT64_MAX;
}

/* The provider port lives as long as the instances. */
static void instance_close(struct provider *port)
{
    (void)port;
}

size_t instances_run(struct instances *instances)
{
    size_t count = 0;

    for (struct instance *instance = instances == NULL || instances->ready == 0 ? NULL
                                                                                : instances->all;
         instance != NULL; instance = instance->next) {
        count += instance_run(&instance->provider);
    }
    return count;
}

bool instances_are_due(const struct instances *instances)
{
    return instances != NULL && instances->ready > 0;
}

struct provider *instances_find(struct instances *instances, const struct control_instance *wanted,
                                const char **problem)
{
    static const struct provider_driver driver = {
        .name = "instance",
        .close = instance_close,
        .run = instance_run,
        .due = instance_due,
        .create = instance_create,
        .destroy = instance_destroy,
        .label = instance_label,
        .reboot = instance_reboot,
        .list = instance_list,
        .find = instance_lookup,
    };
    struct instance *instance = instances->all;
    struct peers_state state;

    while (instance != NULL && !(text_is_equal(instance->manager, wanted->manager) &&
                                 text_is_equal(instance->tenant, wanted->tenant) &&
                                 text_is_equal(instance->plugin, wanted->plugin))) {
        instance = instance->next;
    }
    if (!wanted->is_gone && instances->options.peers == NULL) {
        *problem = "this manager has no links to other managers";
        return NULL;
    }
    if (!wanted->is_gone && !peers_state_find(instances->options.peers, wanted->manager, &state)) {
        *problem = "there is no link to the manager of the host";
        return NULL;
    }
    if (instance == NULL) {
        instance = arena_one(instances->memory, struct instance);
        *instance = (struct instance){ .provider.driver = &driver,
                                       .next = instances->all,
                                       .instances = instances,
                                       .tenant = arena_text(instances->memory, wanted->tenant),
                                       .plugin = arena_text(instances->memory, wanted->plugin),
                                       .manager = arena_text(instances->memory, wanted->manager) };
        instances->all = instance;
    }
    if (wanted->traits != NULL) {
        instance->provider.traits = *wanted->traits;
    }
    instance->is_gone = wanted->is_gone;
    return &instance->provider;
}

/* ---- life ---- */

struct instances *instances_new(const struct instances_options *options)
{
    struct arena *memory = arena_new_small(SIZE_MAX);
    struct instances *instances = arena_one(memory, struct instances);

    *instances = (struct instances){ .memory = memory, .options = *options };
    return instances;
}

void instances_refuse(struct instances *instances)
{
    if (instances != NULL && !instances->is_closed) {
        instances->is_refusing = true;
        instances_serve_end(instances);
    }
}

void instances_close(struct instances *instances)
{
    if (instances == NULL || instances->is_closed) {
        return;
    }
    instances->is_closed = true;
    instances_serve_end(instances);
    for (struct instance *instance = instances->all; instance != NULL; instance = instance->next) {
        for (struct instance_sent *sent = instance->sent; sent != NULL; sent = sent->next) {
            if (!sent->is_ready) {
                instance_fail(sent, true, "this manager is stopping");
            }
        }
    }
    instances_run(instances);
}

void instances_free(struct instances *instances)
{
    if (instances != NULL) {
        arena_free(instances->memory);
    }
}
