/* The plugin `digitalOcean`: droplets as machines. This file is the interface to reeve; README.md
 * describes the other parts. */
#include "ocean.h"

#include <assert.h>

/* A listing call waits up to 10 s for the shared listing. If few calls could run at the same time,
 * the calls of many clusters would exceed their deadlines. */
enum { OCEAN_LIFE_BYTES = 4 * 1024 * 1024, OCEAN_CALL_BYTES = 64 * 1024 * 1024, OCEAN_CALLS = 64 };

/* Sets up a call; its arena is freed at the end of the block. */
#define OCEAN_BEGIN(work, self, with)                      \
    AUTO(arena) arena = arena_new_small(OCEAN_CALL_BYTES); \
    struct ocean_call work = { .ocean = (self), .call = (with), .arena = arena }

static int32_t ocean_on_validate(void *self, struct reeve_call *call, struct reeve_text properties)
{
    struct ocean_shape shape;
    OCEAN_BEGIN(work, self, call);

    (void)properties; /* properties are read through the host's function `value` */
    return ocean_shape_read(&work, &shape);
}

static int32_t ocean_on_create(void *self, struct reeve_call *call,
                               const struct reeve_wish_v1 *request)
{
    OCEAN_BEGIN(work, self, call);

    assert(request->struct_size >= sizeof(*request));
    return ocean_create(&work, request);
}

static int32_t ocean_on_destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                                struct reeve_text id, struct reeve_text reason)
{
    OCEAN_BEGIN(work, self, call);

    (void)reason;
    return ocean_destroy(&work, plain_text(cluster), plain_text(id));
}

static int32_t ocean_on_describe(void *self, struct reeve_call *call,
                                 const struct reeve_query_v1 *query)
{
    OCEAN_BEGIN(work, self, call);

    assert(query->struct_size >= sizeof(*query));
    return ocean_describe(&work, query);
}

static int32_t ocean_on_label(void *self, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id, struct reeve_text labels)
{
    OCEAN_BEGIN(work, self, call);

    return ocean_label(&work, plain_text(cluster), plain_text(id), plain_text(labels));
}

static int32_t ocean_on_reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                               struct reeve_text id)
{
    OCEAN_BEGIN(work, self, call);

    return ocean_reboot(&work, plain_text(cluster), plain_text(id));
}

static int32_t ocean_on_resources(void *self, struct reeve_call *call, struct reeve_text cluster)
{
    OCEAN_BEGIN(work, self, call);

    return ocean_resources(&work, plain_text(cluster));
}

static int32_t ocean_on_resource_destroy(void *self, struct reeve_call *call,
                                         struct reeve_text cluster, struct reeve_text kind,
                                         struct reeve_text id)
{
    OCEAN_BEGIN(work, self, call);

    return ocean_resource_destroy(&work, plain_text(cluster), plain_text(kind), plain_text(id));
}

static int32_t ocean_on_preflight(void *self, struct reeve_call *call,
                                  const struct reeve_need_v1 *need)
{
    OCEAN_BEGIN(work, self, call);

    assert(need->struct_size >= sizeof(*need));
    return ocean_preflight(&work, need);
}

/* ---- start and stop ---- */

/* Creates the rate limits: one for all requests, and one for requests about SSH keys, which
 * DigitalOcean limits to 10 per minute. */
static void ocean_make_rates(struct ocean *ocean)
{
    unsigned per_1000s = (unsigned)(ocean->settings.requests_per_hour * 1000 / 3600);

    ocean->rates[OCEAN_RATE_ALL] =
        (struct rate_kind){ .per_1000s = per_1000s, .burst = 100, .reserved = 20 };
    ocean->rates[OCEAN_RATE_KEYS] =
        (struct rate_kind){ .per_1000s = per_1000s / 6 + 1, .burst = 10, .reserved = 1 };
    ocean->limit = rate_limit_new(ocean->rates, ARRAY_COUNT(ocean->rates));
}

static void ocean_on_stop(void *self)
{
    struct ocean *ocean = self;

    http_free(ocean->http);
    rate_limit_free(ocean->limit);
    ocean_listing_free(ocean->listing);
    for (size_t i = 0; i < OCEAN_TOKEN_LOCKS; i++) {
        (void)pthread_mutex_destroy(&ocean->tokens[i]);
    }
    arena_free(ocean->arena);
}

/* Reports why the plugin does not start. */
static int32_t ocean_start_refuse(struct ocean *ocean, const char *why)
{
    ocean->host->log(ocean->host, REEVE_LOG_ERROR, plain_answer(text_from(why)));
    ocean_on_stop(ocean);
    return REEVE_INVALID;
}

static int32_t ocean_on_start(const struct reeve_host_v1 *host, void **self)
{
    struct arena *arena = arena_new(OCEAN_LIFE_BYTES);
    struct ocean *ocean = arena_one(arena, struct ocean);
    struct http_settings http = { .user_agent = TEXT("reeve-digitalOcean/" REEVE_VERSION) };
    const char *why = "";

    assert(host->struct_size >= sizeof(*host));
    ocean->host = host;
    ocean->arena = arena;
    for (size_t i = 0; i < OCEAN_TOKEN_LOCKS; i++) {
        (void)pthread_mutex_init(&ocean->tokens[i], NULL);
    }
    if (!ocean_settings_read(arena, plain_text(host->settings), &ocean->settings, &why)) {
        return ocean_start_refuse(ocean, why);
    }
    if (!journal_open(arena, plain_text(host->folder), &ocean->journal)) {
        return ocean_start_refuse(ocean, "the plugin's folder cannot be read");
    }
    ocean_make_rates(ocean);
    ocean->listing = ocean_listing_new();
    http.ca = ocean->settings.ca;
    http.proxy = ocean->settings.proxy;
    ocean->http = http_new(&http, &why);
    if (ocean->http == NULL) {
        return ocean_start_refuse(ocean, why);
    }
    *self = ocean;
    return REEVE_OK;
}

#define OCEAN_PROPERTY(of_type, of_role, called, as_initial, helps, like)                         \
    {                                                                                             \
        .name = REEVE_STATIC(called), .type = REEVE_TYPE_##of_type, .role = REEVE_ROLE_##of_role, \
        .initial = REEVE_STATIC(as_initial), .help = REEVE_STATIC(helps),                         \
        .example = REEVE_STATIC(like)                                                             \
    }

static const struct reeve_property_v1 ocean_properties[] = {
    OCEAN_PROPERTY(TEXT, MACHINE_SIZE, "size", "",
                   "slug of a size; or give instanceType, memory, cpus", "s-1vcpu-1gb"),
    OCEAN_PROPERTY(TEXT, NONE, "instanceType", "",
                   "family of sizes: standard, basic, general, cpu, ram; or the slug of a size",
                   "standard"),
    OCEAN_PROPERTY(NUMBER, NONE, "memory", "",
                   "memory of the machine in GiB: the next larger size is chosen", "1"),
    OCEAN_PROPERTY(INTEGER, NONE, "cpus", "", "number of processors, at least", "2"),
    OCEAN_PROPERTY(TEXT, IMAGE, "image", "debian",
                   "symbolic name (debian-12), slug (debian-12-x64) or number of an image",
                   "debian-12"),
    OCEAN_PROPERTY(TEXT, SSH_KEY, "sshKey", "",
                   "name, fingerprint or number of a key of the account", "ops"),
    OCEAN_PROPERTY(TEXT, NONE, "region", "",
                   "region, where the group has no zones: a zone is a region here", "fra1"),
    OCEAN_PROPERTY(TEXT, SUBNET, "subnet", "", "name or id of the VPC; default: that of the region",
                   "backend"),
    OCEAN_PROPERTY(MAP, NETWORK, "network", "",
                   "address: public or private (default), the address that reeve uses",
                   "{address: public}"),
    OCEAN_PROPERTY(BOOLEAN, NONE, "privateOnly", "false",
                   "no public network at all (public_networking: false)", "true"),
    OCEAN_PROPERTY(TEXTS, SECURITY_GROUPS, "securityGroups", "",
                   "firewalls by name; each must have a tag, which the droplet gets", "[web]"),
    OCEAN_PROPERTY(LIST, VOLUMES, "volumes", "",
                   "block storage {name, size, mount, keep}, without types",
                   "[{name: data, size: 20GB, mount: /srv}]"),
    OCEAN_PROPERTY(TEXT, OWNER, "owner", "", "owner, as a tag of the droplet", "ops"),
    OCEAN_PROPERTY(TEXT, USER, "user", "",
                   "login user with sudo, created at the first start; default: root", "admin"),
};

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .property_count = ARRAY_COUNT(ocean_properties),
    .name = REEVE_STATIC("digitalOcean"),
    .version = REEVE_STATIC(REEVE_VERSION),
    .about = REEVE_STATIC("droplets of DigitalOcean as machines"),
    .capabilities = REEVE_CAN_DISPOSE | REEVE_CAN_VOLUMES,
    .lag_ms = OCEAN_LAG_MS,
    .late_ms = OCEAN_LATE_MS,
    .create_ms = OCEAN_CREATE_MS,
    .calls_max = OCEAN_CALLS,
    .properties = ocean_properties,
    .start = ocean_on_start,
    .stop = ocean_on_stop,
    .validate = ocean_on_validate,
    .create = ocean_on_create,
    .destroy = ocean_on_destroy,
    .describe = ocean_on_describe,
    .label = ocean_on_label,
    .reboot = ocean_on_reboot,
    .preflight = ocean_on_preflight,
    .resources = ocean_on_resources,
    .resource_destroy = ocean_on_resource_destroy,
};
