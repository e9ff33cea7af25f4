/* The plugin `openstack`: servers of OpenStack as machines. This file is the interface to reeve;
 * README.md describes the other parts. */
#include "stack.h"

#include <assert.h>

enum {
    STACK_LIFE_BYTES = 4 * 1024 * 1024,
    STACK_CALL_BYTES = 256 * 1024 * 1024,
    STACK_CALLS = 8,
    STACK_CALLS_PER_S = 5
};

/* Rate limits per region. OpenStack has no limit, but clouds put a rate limiter in front of it. */
static const struct rate_kind stack_rates[] = {
    { .per_1000s = 20000, .burst = 100, .reserved = 20 }
};

/* Sets up a call; its arena is freed at the end of the block. */
#define STACK_BEGIN(work, self, with)                      \
    AUTO(arena) arena = arena_new_small(STACK_CALL_BYTES); \
    struct stack_call work = { .stack = (self), .call = (with), .arena = arena }

static int32_t stack_on_validate(void *self, struct reeve_call *call, struct reeve_text properties)
{
    struct stack_shape shape;
    STACK_BEGIN(work, self, call);

    (void)properties; /* properties are read through the host's function `value` */
    return stack_shape_read(&work, &shape);
}

static int32_t stack_on_create(void *self, struct reeve_call *call,
                               const struct reeve_wish_v1 *request)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    assert(request->struct_size >= sizeof(*request));
    return result == REEVE_OK ? stack_create(&work, request) : result;
}

static int32_t stack_on_destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                                struct reeve_text id, struct reeve_text reason)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    (void)reason;
    return result == REEVE_OK ? stack_destroy(&work, plain_text(cluster), plain_text(id)) : result;
}

static int32_t stack_on_describe(void *self, struct reeve_call *call,
                                 const struct reeve_query_v1 *query)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    assert(query->struct_size >= sizeof(*query));
    return result == REEVE_OK ? stack_describe(&work, query) : result;
}

static int32_t stack_on_label(void *self, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id, struct reeve_text labels)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    return result == REEVE_OK
               ? stack_label(&work, plain_text(cluster), plain_text(id), plain_text(labels))
               : result;
}

static int32_t stack_on_reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                               struct reeve_text id)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    return result == REEVE_OK ? stack_reboot(&work, plain_text(cluster), plain_text(id)) : result;
}

static int32_t stack_on_preflight(void *self, struct reeve_call *call,
                                  const struct reeve_need_v1 *need)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    assert(need->struct_size >= sizeof(*need));
    return result == REEVE_OK ? stack_preflight(&work, need) : result;
}

static int32_t stack_on_console(void *self, struct reeve_call *call, struct reeve_text cluster,
                                struct reeve_text id)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    return result == REEVE_OK ? stack_console(&work, plain_text(cluster), plain_text(id)) : result;
}

static int32_t stack_on_resources(void *self, struct reeve_call *call, struct reeve_text cluster)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    return result == REEVE_OK ? stack_resources(&work, plain_text(cluster)) : result;
}

static int32_t stack_on_resource_destroy(void *self, struct reeve_call *call,
                                         struct reeve_text cluster, struct reeve_text kind,
                                         struct reeve_text id)
{
    STACK_BEGIN(work, self, call);
    int32_t result = stack_begin(&work);

    return result == REEVE_OK ? stack_resource_destroy(&work, plain_text(cluster), plain_text(kind),
                                                       plain_text(id))
                              : result;
}

/* ---- start and stop ---- */

static void stack_on_stop(void *self)
{
    struct stack *stack = self;

    http_free(stack->http);
    rate_limit_free(stack->limit);
    explicit_bzero(stack->access.token, sizeof(stack->access.token));
    if (stack->access.arena != NULL) {
        arena_free(stack->access.arena);
    }
    (void)pthread_mutex_destroy(&stack->access.mutex);
    for (size_t i = 0; i < STACK_TOKEN_LOCKS; i++) {
        (void)pthread_mutex_destroy(&stack->tokens[i]);
    }
    arena_free(stack->arena);
}

/* Reports why the plugin does not start. */
static int32_t stack_start_refuse(struct stack *stack, const char *why)
{
    stack->host->log(stack->host, REEVE_LOG_ERROR, plain_answer(text_from(why)));
    stack_on_stop(stack);
    return REEVE_INVALID;
}

static int32_t stack_on_start(const struct reeve_host_v1 *host, void **self)
{
    struct arena *arena = arena_new(STACK_LIFE_BYTES);
    struct stack *stack = arena_one(arena, struct stack);
    struct http_settings http = { .user_agent = TEXT("reeve-openstack/" REEVE_VERSION) };
    const char *why = "";

    assert(host->struct_size >= sizeof(*host));
    stack->host = host;
    stack->arena = arena;
    (void)pthread_mutex_init(&stack->access.mutex, NULL);
    for (size_t i = 0; i < STACK_TOKEN_LOCKS; i++) {
        (void)pthread_mutex_init(&stack->tokens[i], NULL);
    }
    if (!stack_settings_read(arena, plain_text(host->settings), &stack->settings, &why)) {
        return stack_start_refuse(stack, why);
    }
    if (!journal_open(arena, plain_text(host->folder), &stack->journal)) {
        return stack_start_refuse(stack, "the plugin's folder cannot be read");
    }
    stack->limit = rate_limit_new(stack_rates, ARRAY_COUNT(stack_rates));
    http.ca = stack->settings.ca;
    http.proxy = stack->settings.proxy;
    stack->http = http_new(&http, &why);
    if (stack->http == NULL) {
        return stack_start_refuse(stack, why);
    }
    *self = stack;
    return REEVE_OK;
}

#define STACK_PROPERTY(of_type, of_role, called, as_initial, helps, like)                         \
    {                                                                                             \
        .name = REEVE_STATIC(called), .type = REEVE_TYPE_##of_type, .role = REEVE_ROLE_##of_role, \
        .initial = REEVE_STATIC(as_initial), .help = REEVE_STATIC(helps),                         \
        .example = REEVE_STATIC(like)                                                             \
    }

static const struct reeve_property_v1 stack_properties[] = {
    STACK_PROPERTY(TEXT, MACHINE_SIZE, "flavor", "", "name or id of a flavor", "m1.small"),
    STACK_PROPERTY(TEXT, IMAGE, "image", "debian",
                   "symbolic name (debian-12), or name or id of an image", "debian-12"),
    STACK_PROPERTY(TEXT, SSH_KEY, "key", "", "keypair of the account's user", "ops"),
    STACK_PROPERTY(TEXT, NONE, "region", "", "region; default: the first of the account",
                   "RegionOne"),
    STACK_PROPERTY(
        MAP, NETWORK, "network", "",
        "name: network by name or id; address: public for a floating address, or private",
        "{name: internal, address: public}"),
    STACK_PROPERTY(TEXT, SUBNET, "subnet", "", "name or id of a subnet", "backend"),
    STACK_PROPERTY(TEXT, NONE, "externalNetwork", "",
                   "network of floating addresses; default: the only external one", "public"),
    STACK_PROPERTY(TEXTS, SECURITY_GROUPS, "securityGroups", "",
                   "security groups by name or id; default: `default`", "[web]"),
    STACK_PROPERTY(MAP, NONE, "bootVolume", "",
                   "boot from a volume of this size in GB and type, deleted with the machine",
                   "{size: 20, type: ssd}"),
    STACK_PROPERTY(LIST, VOLUMES, "volumes", "",
                   "additional disks {name, size, type, mount, keep}; type: a volume type of the "
                   "cloud",
                   "[{name: data, size: 20GB, type: ssd, mount: /srv}]"),
    STACK_PROPERTY(TEXT, NONE, "serverGroup", "", "server group by name or id", "apart"),
    STACK_PROPERTY(BOOLEAN, NONE, "configDrive", "false",
                   "user data by a drive, where there is no metadata service", "true"),
    STACK_PROPERTY(BOOLEAN, NONE, "portless", "false",
                   "no port of its own, for clouds whose users may create none", "true"),
    STACK_PROPERTY(TEXT, OWNER, "owner", "", "owner, as metadata", "ops"),
    STACK_PROPERTY(TEXT, USER, "user", "",
                   "login user with sudo; default: that of the image (admin, ubuntu, rocky)",
                   "admin"),
};

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .property_count = ARRAY_COUNT(stack_properties),
    .name = REEVE_STATIC("openstack"),
    .version = REEVE_STATIC(REEVE_VERSION),
    .about = REEVE_STATIC("servers of OpenStack as machines"),
    .capabilities = REEVE_CAN_DISPOSE | REEVE_CAN_VOLUMES | REEVE_CAN_HOST_KEYS,
    .lag_ms = STACK_LAG_MS,
    .late_ms = STACK_LATE_MS,
    .create_ms = STACK_CREATE_MS,
    .calls_max = STACK_CALLS,
    .calls_per_s = STACK_CALLS_PER_S,
    .properties = stack_properties,
    .start = stack_on_start,
    .stop = stack_on_stop,
    .validate = stack_on_validate,
    .create = stack_on_create,
    .destroy = stack_on_destroy,
    .describe = stack_on_describe,
    .label = stack_on_label,
    .reboot = stack_on_reboot,
    .preflight = stack_on_preflight,
    .resources = stack_on_resources,
    .resource_destroy = stack_on_resource_destroy,
    .console = stack_on_console,
};
