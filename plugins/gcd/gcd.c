/* The plugin `gcd`: instances of Google Compute Engine as machines. This file is the interface to
 * reeve; README.md describes the other parts. */
#include "gce.h"

#include <assert.h>

enum { GCE_LIFE_BYTES = 4 * 1024 * 1024, GCE_CALL_BYTES = 256 * 1024 * 1024, GCE_CALLS = 16 };

/* Rate limits. Google limits the requests per minute and region; the plugin sends at most 10 reads
 * and 5 changes per second. */
static const struct rate_kind gce_rates[] = {
    { .per_1000s = 10000, .burst = 100, .reserved = 0 },
    { .per_1000s = 5000, .burst = 50, .reserved = 0 },
};

/* Sets up a call; its arena is freed at the end of the block. */
#define GCE_BEGIN(work, self, with)                      \
    AUTO(arena) arena = arena_new_small(GCE_CALL_BYTES); \
    struct gce_call work = { .gce = (self), .call = (with), .arena = arena }

static int32_t gce_on_validate(void *self, struct reeve_call *call, struct reeve_text properties)
{
    struct gce_shape shape;
    GCE_BEGIN(work, self, call);

    (void)properties; /* properties are read through the host's function `value` */
    return gce_shape_read(&work, &shape);
}

static int32_t gce_on_create(void *self, struct reeve_call *call,
                             const struct reeve_wish_v1 *request)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    assert(request->struct_size >= sizeof(*request));
    return result == REEVE_OK ? gce_create(&work, request) : result;
}

static int32_t gce_on_destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id, struct reeve_text reason)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    (void)reason;
    return result == REEVE_OK ? gce_destroy(&work, plain_text(cluster), plain_text(id)) : result;
}

static int32_t gce_on_describe(void *self, struct reeve_call *call,
                               const struct reeve_query_v1 *query)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    assert(query->struct_size >= sizeof(*query));
    return result == REEVE_OK ? gce_describe(&work, query) : result;
}

static int32_t gce_on_resources(void *self, struct reeve_call *call, struct reeve_text cluster)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    return result == REEVE_OK ? gce_resources(&work, plain_text(cluster)) : result;
}

static int32_t gce_on_resource_destroy(void *self, struct reeve_call *call,
                                       struct reeve_text cluster, struct reeve_text kind,
                                       struct reeve_text id)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    return result == REEVE_OK
               ? gce_resource_destroy(&work, plain_text(cluster), plain_text(kind), plain_text(id))
               : result;
}

static int32_t gce_on_label(void *self, struct reeve_call *call, struct reeve_text cluster,
                            struct reeve_text id, struct reeve_text labels)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    return result == REEVE_OK
               ? gce_label(&work, plain_text(cluster), plain_text(id), plain_text(labels))
               : result;
}

static int32_t gce_on_reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                             struct reeve_text id)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    return result == REEVE_OK ? gce_reboot(&work, plain_text(cluster), plain_text(id)) : result;
}

static int32_t gce_on_preflight(void *self, struct reeve_call *call,
                                const struct reeve_need_v1 *need)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    assert(need->struct_size >= sizeof(*need));
    return result == REEVE_OK ? gce_preflight(&work, need) : result;
}

static int32_t gce_on_console(void *self, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id)
{
    GCE_BEGIN(work, self, call);
    int32_t result = gce_begin(&work);

    return result == REEVE_OK ? gce_console(&work, plain_text(cluster), plain_text(id)) : result;
}

/* ---- start and stop ---- */

static void gce_on_stop(void *self)
{
    struct gce *gce = self;

    http_free(gce->http);
    rate_limit_free(gce->limit);
    explicit_bzero(gce->access.token, sizeof(gce->access.token));
    (void)pthread_mutex_destroy(&gce->access.mutex);
    arena_free(gce->arena);
}

/* Reports why the plugin does not start. */
static int32_t gce_start_refuse(struct gce *gce, const char *why)
{
    gce->host->log(gce->host, REEVE_LOG_ERROR, plain_answer(text_from(why)));
    gce_on_stop(gce);
    return REEVE_INVALID;
}

static int32_t gce_on_start(const struct reeve_host_v1 *host, void **self)
{
    struct arena *arena = arena_new(GCE_LIFE_BYTES);
    struct gce *gce = arena_one(arena, struct gce);
    struct http_settings http = { .user_agent = TEXT("reeve-gcd/" REEVE_VERSION) };
    const char *why = "";

    assert(host->struct_size >= sizeof(*host));
    gce->host = host;
    gce->arena = arena;
    (void)pthread_mutex_init(&gce->access.mutex, NULL);
    if (!gce_settings_read(arena, plain_text(host->settings), &gce->settings, &why)) {
        return gce_start_refuse(gce, why);
    }
    if (!journal_open(arena, plain_text(host->folder), &gce->journal)) {
        return gce_start_refuse(gce, "the plugin's folder cannot be read");
    }
    gce->limit = rate_limit_new(gce_rates, ARRAY_COUNT(gce_rates));
    http.ca = gce->settings.ca;
    http.proxy = gce->settings.proxy;
    gce->http = http_new(&http, &why);
    if (gce->http == NULL) {
        return gce_start_refuse(gce, why);
    }
    *self = gce;
    return REEVE_OK;
}

#define GCE_PROPERTY(of_type, of_role, called, as_initial, helps, like)                           \
    {                                                                                             \
        .name = REEVE_STATIC(called), .type = REEVE_TYPE_##of_type, .role = REEVE_ROLE_##of_role, \
        .initial = REEVE_STATIC(as_initial), .help = REEVE_STATIC(helps),                         \
        .example = REEVE_STATIC(like)                                                             \
    }

static const struct reeve_property_v1 gce_properties[] = {
    GCE_PROPERTY(TEXT, MACHINE_SIZE, "machineType", "", "machine type; default: e2-micro",
                 "e2-medium"),
    GCE_PROPERTY(TEXT, NONE, "instanceType", "", "another name for machineType", "e2-medium"),
    GCE_PROPERTY(TEXT, IMAGE, "image", "debian",
                 "symbolic name (debian-12), or projects/P/global/images/I", "debian-12"),
    GCE_PROPERTY(TEXT, SSH_KEY, "key", "",
                 "a public key, or a user name: that user's keys in the project", "mwas"),
    GCE_PROPERTY(TEXT, SUBNET, "subnet", "",
                 "subnetwork of the zone's region; default: the network `default`", "backend"),
    GCE_PROPERTY(TEXTS, SECURITY_GROUPS, "securityGroups", "",
                 "network tags, to which firewall rules refer", "[web]"),
    GCE_PROPERTY(MAP, NETWORK, "network", "",
                 "address: public or private (default), the address that reeve uses",
                 "{address: public}"),
    GCE_PROPERTY(INTEGER, NONE, "rootSize", "", "size of the boot disk in GB; default: the image's",
                 "20"),
    GCE_PROPERTY(TEXT, NONE, "rootType", "pd-balanced", "disk type of the boot disk", "pd-ssd"),
    GCE_PROPERTY(LIST, VOLUMES, "volumes", "",
                 "additional disks {name, size, type, mount, keep}; type: pd-balanced (default), "
                 "pd-ssd, pd-standard, hyperdisk-...",
                 "[{name: data, size: 20GB, mount: /srv}]"),
    GCE_PROPERTY(BOOLEAN, NONE, "preemptible", "false", "a spot machine", "true"),
    GCE_PROPERTY(TEXT, NONE, "serviceAccount", "", "e-mail of the machine's service account",
                 "web@project.iam.gserviceaccount.com"),
    GCE_PROPERTY(TEXT, OWNER, "owner", "", "owner, as a label", "ops"),
    GCE_PROPERTY(TEXT, USER, "user", "",
                 "login user with sudo; default: that of the image (admin, ubuntu, rocky)",
                 "admin"),
};

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .property_count = ARRAY_COUNT(gce_properties),
    .name = REEVE_STATIC("gcd"),
    .version = REEVE_STATIC(REEVE_VERSION),
    .about = REEVE_STATIC("instances of Google Compute Engine as machines"),
    .capabilities = REEVE_CAN_TOKEN | REEVE_CAN_DISPOSE | REEVE_CAN_VOLUMES | REEVE_CAN_HOST_KEYS,
    .lag_ms = GCE_LAG_MS,
    .late_ms = GCE_LATE_MS,
    .create_ms = GCE_CREATE_MS,
    .calls_max = GCE_CALLS,
    .properties = gce_properties,
    .start = gce_on_start,
    .stop = gce_on_stop,
    .validate = gce_on_validate,
    .create = gce_on_create,
    .destroy = gce_on_destroy,
    .describe = gce_on_describe,
    .label = gce_on_label,
    .reboot = gce_on_reboot,
    .preflight = gce_on_preflight,
    .resources = gce_on_resources,
    .resource_destroy = gce_on_resource_destroy,
    .console = gce_on_console,
};
