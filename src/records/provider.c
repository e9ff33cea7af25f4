#include "records/provider.h"

#include "base/macros.h"
#include "records/intent.h"

#include <assert.h>

const char *provider_fault_name(enum provider_fault fault)
{
    static const char *const names[] = {
        [PROVIDER_FAULT_NONE] = "none",           [PROVIDER_FAULT_INVALID] = "invalid",
        [PROVIDER_FAULT_AUTH] = "auth",           [PROVIDER_FAULT_QUOTA] = "quota",
        [PROVIDER_FAULT_CAPACITY] = "capacity",   [PROVIDER_FAULT_THROTTLED] = "throttled",
        [PROVIDER_FAULT_TRANSIENT] = "transient", [PROVIDER_FAULT_GONE] = "gone",
    };

    assert(fault < PROVIDER_FAULT_COUNT);
    return names[fault];
}

void provider_close(struct provider *provider)
{
    if (provider != NULL) {
        provider->driver->close(provider);
    }
}

size_t provider_run(struct provider *provider)
{
    return provider->driver->run(provider);
}

uint64_t provider_due(const struct provider *provider)
{
    return provider->driver->due(provider);
}

void provider_create(struct provider *provider, const struct intent *intent,
                     const struct provider_request *request, provider_done *done, void *arg)
{
    assert(intent_state(intent) == PLAN_RECORD_CREATE);
    assert(text_is_equal(intent_token(intent), request->tags.token));
    provider->driver->create(provider, intent, request, done, arg);
}

void provider_destroy(struct provider *provider, const struct intent *intent, provider_done *done,
                      void *arg)
{
    assert(intent_state(intent) == PLAN_RECORD_DELETE);
    assert(intent_id(intent).length > 0);
    provider->driver->destroy(provider, intent, done, arg);
}

void provider_label(struct provider *provider, const struct intent *intent, struct text labels,
                    provider_done *done, void *arg)
{
    assert(intent_state(intent) == PLAN_RECORD_ACTIVE);
    assert(provider->traits.can_label);
    provider->driver->label(provider, intent, labels, done, arg);
}

void provider_reboot(struct provider *provider, const struct intent *intent, provider_done *done,
                     void *arg)
{
    assert(intent_state(intent) == PLAN_RECORD_ACTIVE);
    assert(provider->traits.can_reboot);
    provider->driver->reboot(provider, intent, done, arg);
}

void provider_list(struct provider *provider, struct text cluster, struct text known,
                   provider_done *done, void *arg)
{
    assert(cluster.length > 0);
    provider->driver->list(provider, cluster, known, done, arg);
}

void provider_find(struct provider *provider, const struct intent *intent, provider_done *done,
                   void *arg)
{
    assert(intent_id(intent).length > 0);
    provider->driver->find(provider, intent, done, arg);
}

void provider_resources(struct provider *provider, struct text cluster, provider_done *done,
                        void *arg)
{
    assert(cluster.length > 0);
    assert(provider->traits.has_resources);
    provider->driver->resources(provider, cluster, done, arg);
}

void provider_resource_destroy(struct provider *provider, const struct intent *intent,
                               struct text kind, provider_done *done, void *arg)
{
    assert(intent_state(intent) == PLAN_RECORD_DELETE);
    assert(intent_id(intent).length > 0 && kind.length > 0);
    assert(provider->traits.has_resources);
    provider->driver->resource_destroy(provider, intent, kind, done, arg);
}
