#include "base/mem.h"
#include "instances/instances.h"
#include "instances/instances_parts.h"
#include "provider/hosted.h"

#include <assert.h>

/* public names start with: instances_ instance_ */

/* Executes calls from other managers to the plugins of this manager. A manager that, according to
 * this manager's data, does not hold the lease of the cluster may only read, because it may have
 * decided on the call before it lost the lease. */

static void instance_served_remove(struct instance_served *served)
{
    struct instance_served **at = &served->instances->served;

    while (*at != served) {
        at = &(*at)->next;
    }
    *at = served->next;
    rows_free(served);
}

static void on_instance_served(void *arg, enum outcome outcome,
                               const struct provider_answer *answer)
{
    struct instance_served *served = arg;
    AUTO(arena) arena = NULL;
    struct text bytes;

    if (served->done != NULL) {
        arena = arena_new_small(SIZE_MAX);
        bytes = instance_codec_answer_format(arena, outcome, answer);
        served->done(served->arg, &bytes, NULL);
    }
    instance_served_remove(served);
}

void instances_serve_end(struct instances *instances)
{
    struct err err;

    err_set(&err, CODE_R0585, "this manager is stopping");
    for (struct instance_served *served = instances->served; served != NULL;
         served = served->next) {
        instances_served *done = served->done;

        served->done = NULL;
        if (done != NULL) {
            done(served->arg, NULL, &err);
        }
    }
}

/* Returns one of the two reasons that plugins distinguish, as in hosted.c. */
static struct text instance_reason(struct text reason)
{
    return text_has_prefix(reason, TEXT("roll")) ? TEXT("rolling_update") : TEXT("terminate");
}

static void instance_plugin_call(struct provider *provider, const struct instance_call *call,
                                 struct instance_served *served)
{
    static const enum wire_method methods[] = {
        [INSTANCE_DESTROY] = WIRE_DESTROY, [INSTANCE_LABEL] = WIRE_LABEL,
        [INSTANCE_REBOOT] = WIRE_REBOOT,   [INSTANCE_LIST] = WIRE_DESCRIBE,
        [INSTANCE_FIND] = WIRE_DESCRIBE,
    };
    struct wire_call wire = { .cluster = call->cluster,
                              .machine = call->id,
                              .token = call->token,
                              .age_ms = call->age_ms,
                              .labels = call->labels };
    struct text id = call->id;

    if (call->method == INSTANCE_CREATE) {
        hosted_create(provider, &call->request, on_instance_served, served);
        return;
    }
    if (call->method == INSTANCE_LIST) {
        wire = (struct wire_call){ .cluster = call->cluster, .known = call->known };
    } else if (call->method == INSTANCE_FIND) {
        wire.machine = TEXT("");
        wire.ids = (struct wire_list){ &id, 1 };
    } else if (call->method == INSTANCE_DESTROY) {
        wire.reason = instance_reason(call->reason);
    }
    hosted_try(provider, methods[call->method], &wire, on_instance_served, served);
}

/* Returns the plugin for the call. */
static struct provider *instance_provider(struct instances *instances, struct text manager,
                                          const struct instance_call *call, struct err *err)
{
    const struct instances_options *options = &instances->options;
    const char *problem = "this manager has no such plugin";
    struct provider *provider;

    if (instances->is_closed || instances->is_refusing) {
        err_set(err, CODE_R0585, "this manager is stopping");
        return NULL;
    }
    if (!instance_codec_is_reading(call->method) &&
        !options->is_holder(options->arg, manager, call->cluster)) {
        err_set(err, CODE_R0587, "the manager that sends the call does not hold the lease of %.*s",
                TEXT_ARG(call->cluster));
        return NULL;
    }
    provider = options->provider_find(options->arg, call->tenant, call->plugin, &problem);
    if (provider == NULL) {
        err_set(err, CODE_R0403, "plugin %.*s: %s", TEXT_ARG(call->plugin), problem);
    } else if (!provider->traits.is_host) {
        err_set(err, CODE_R0426, "every manager reaches the machines of plugin %.*s",
                TEXT_ARG(call->plugin));
        provider = NULL;
    }
    return provider;
}

void instances_serve(struct instances *instances, struct text manager, struct text body,
                     instances_served *done, void *arg)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    struct instance_served *served;
    struct instance_call call;
    struct provider *provider;
    struct err err;

    if (!instance_codec_call_parse(arena, body, &call, &err) ||
        (provider = instance_provider(instances, manager, &call, &err)) == NULL) {
        done(arg, NULL, &err);
        return;
    }
    served = rows_resize(NULL, sizeof(*served));
    *served = (struct instance_served){ instances->served, instances, done, arg };
    instances->served = served;
    instance_plugin_call(provider, &call, served);
}
