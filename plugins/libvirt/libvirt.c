/* The plugin `libvirt`: domains of a hypervisor as machines. This file is the interface to reeve;
 * README.md describes the other parts. */
#include "virt.h"

#include <assert.h>
#include <stdlib.h>

enum {
    VIRT_LIFE_BYTES = 4 * 1024 * 1024,
    VIRT_CALL_BYTES = 64 * 1024 * 1024,
    VIRT_CALLS = 8,
    VIRT_LATE_MS = 60000,
    VIRT_CREATE_MS = 300000
};

/* Sets up a call; its arena is freed at the end of the block. */
#define VIRT_BEGIN(work, self, with)                      \
    AUTO(arena) arena = arena_new_small(VIRT_CALL_BYTES); \
    struct virt_call work = { .virt = (self), .call = (with), .arena = arena }

/* Ends a call with its result. */
static int32_t virt_end(struct virt_call *work, int32_t result)
{
    virt_disconnect(work);
    return result;
}

static int32_t virt_on_validate(void *self, struct reeve_call *call, struct reeve_text properties)
{
    VIRT_BEGIN(work, self, call);

    (void)properties; /* properties are read through the host's function `value` */
    return virt_shape_read(&work, arena_one(arena, struct virt_shape));
}

static int32_t virt_on_create(void *self, struct reeve_call *call,
                              const struct reeve_wish_v1 *request)
{
    VIRT_BEGIN(work, self, call);

    assert(request->struct_size >= sizeof(*request));
    return virt_end(&work, virt_create(&work, request));
}

static int32_t virt_on_destroy(void *self, struct reeve_call *call, struct reeve_text cluster,
                               struct reeve_text id, struct reeve_text reason)
{
    VIRT_BEGIN(work, self, call);

    (void)reason;
    return virt_end(&work, virt_destroy(&work, plain_text(cluster), plain_text(id)));
}

static int32_t virt_on_describe(void *self, struct reeve_call *call,
                                const struct reeve_query_v1 *query)
{
    VIRT_BEGIN(work, self, call);

    assert(query->struct_size >= sizeof(*query));
    return virt_end(&work, virt_describe(&work, query));
}

static int32_t virt_on_label(void *self, struct reeve_call *call, struct reeve_text cluster,
                             struct reeve_text id, struct reeve_text labels)
{
    VIRT_BEGIN(work, self, call);

    return virt_end(&work,
                    virt_label(&work, plain_text(cluster), plain_text(id), plain_text(labels)));
}

static int32_t virt_on_reboot(void *self, struct reeve_call *call, struct reeve_text cluster,
                              struct reeve_text id)
{
    VIRT_BEGIN(work, self, call);

    return virt_end(&work, virt_reboot(&work, plain_text(cluster), plain_text(id)));
}

static int32_t virt_on_preflight(void *self, struct reeve_call *call,
                                 const struct reeve_need_v1 *need)
{
    VIRT_BEGIN(work, self, call);

    assert(need->struct_size >= sizeof(*need));
    return virt_end(&work, virt_preflight(&work, need));
}

static int32_t virt_on_resources(void *self, struct reeve_call *call, struct reeve_text cluster)
{
    VIRT_BEGIN(work, self, call);

    return virt_end(&work, virt_resources(&work, plain_text(cluster)));
}

static int32_t virt_on_resource_destroy(void *self, struct reeve_call *call,
                                        struct reeve_text cluster, struct reeve_text kind,
                                        struct reeve_text id)
{
    VIRT_BEGIN(work, self, call);

    return virt_end(
        &work, virt_resource_destroy(&work, plain_text(cluster), plain_text(kind), plain_text(id)));
}

/* ---- start and stop ---- */

static void virt_on_stop(void *self)
{
    struct virt *virt = self;

    virt_connection_close(virt);
    token_locks_free(virt->locks);
    (void)pthread_mutex_destroy(&virt->mutex);
    arena_free(virt->arena);
}

/* Ignores an error. Without this handler, libvirt would write errors to standard error. */
static void virt_on_error(void *arg, virErrorPtr error)
{
    (void)arg;
    (void)error;
}

static int32_t virt_on_start(const struct reeve_host_v1 *host, void **self)
{
    struct arena *arena = arena_new(VIRT_LIFE_BYTES);
    struct virt *virt = arena_one(arena, struct virt);
    const char *why = "libvirt cannot be initialized";

    assert(host->struct_size >= sizeof(*host));
    virt->host = host;
    virt->arena = arena;
    virt->locks = token_locks_new();
    (void)pthread_mutex_init(&virt->mutex, NULL);
    /* libvirt must not start a daemon, because plugins start no programs */
    if (!virt_settings_read(arena, plain_text(host->settings), &virt->settings, &why) ||
        !virt_api_load(arena, &virt->api, &why) || setenv("LIBVIRT_AUTOSTART", "0", 1) != 0 ||
        virt->api.virInitialize() != 0) {
        host->log(host, REEVE_LOG_ERROR, plain_answer(text_from(why)));
        virt_on_stop(virt);
        return REEVE_INVALID;
    }
    virt->api.virSetErrorFunc(NULL, virt_on_error);
    *self = virt;
    return REEVE_OK;
}

#define VIRT_PROPERTY(of_type, of_role, called, as_initial, as_choices, helps, like)              \
    {                                                                                             \
        .name = REEVE_STATIC(called), .type = REEVE_TYPE_##of_type, .role = REEVE_ROLE_##of_role, \
        .initial = REEVE_STATIC(as_initial), .choices = REEVE_STATIC(as_choices),                 \
        .help = REEVE_STATIC(helps), .example = REEVE_STATIC(like)                                \
    }

static const struct reeve_property_v1 virt_properties[] = {
    VIRT_PROPERTY(TEXT, MACHINE_SIZE, "machineSize", "small", "small|medium|large",
                  "1 cpu and 512 MiB, 2 and 2 GiB, 4 and 8 GiB; cpus and memory override it",
                  "small"),
    VIRT_PROPERTY(INTEGER, NONE, "cpus", "", "", "number of processors", "2"),
    VIRT_PROPERTY(SIZE, NONE, "memory", "", "", "memory, at least 64MiB", "2GiB"),
    VIRT_PROPERTY(SIZE, NONE, "rootSize", "", "",
                  "size of the root disk; default: that of the image", "20GiB"),
    VIRT_PROPERTY(TEXT, IMAGE, "image", "debian", "",
                  "symbolic name (debian-12), or the name of a volume in the pool of images",
                  "debian-12"),
    VIRT_PROPERTY(TEXT, USER, "user", "", "",
                  "login user with sudo, created at the first start; default: that of the image",
                  "admin"),
    VIRT_PROPERTY(TEXT, SSH_KEY, "sshKey", "", "",
                  "an additional public key for logins, as in authorized_keys",
                  "ssh-ed25519 AAAA... ops"),
    VIRT_PROPERTY(TEXT, NONE, "interface", "network", "network|bridge|user",
                  "a libvirt network, a bridge of the hypervisor, or QEMU's user network, which "
                  "has no way in",
                  "bridge"),
    VIRT_PROPERTY(TEXT, SUBNET, "subnet", "", "",
                  "name of the libvirt network; default: that of the settings", "default"),
    VIRT_PROPERTY(TEXT, NONE, "bridge", "", "", "bridge of the hypervisor, in place of a network",
                  "br0"),
    VIRT_PROPERTY(MAP, NETWORK, "network", "", "", "has no members at libvirt: use subnet", "{}"),
    VIRT_PROPERTY(TEXT, OWNER, "owner", "", "", "owner, stored with the labels", "ops"),
    VIRT_PROPERTY(LIST, VOLUMES, "volumes", "", "",
                  "additional disks: name, size, mount, keep (slot, node or always)",
                  "[{name: data, size: 20, mount: /srv/data}]"),
};

REEVE_EXPORT const struct reeve_plugin_v1 reeve_plugin = {
    .magic = REEVE_PLUGIN_MAGIC,
    .abi_major = REEVE_PLUGIN_ABI_MAJOR,
    .abi_minor = REEVE_PLUGIN_ABI_MINOR,
    .struct_size = sizeof(struct reeve_plugin_v1),
    .property_count = ARRAY_COUNT(virt_properties),
    .name = REEVE_STATIC("libvirt"),
    .version = REEVE_STATIC(REEVE_VERSION),
    .about = REEVE_STATIC("virtual machines of a libvirt hypervisor"),
    .capabilities =
        REEVE_CAN_STRONG | REEVE_CAN_DISPOSE | REEVE_CAN_VOLUMES | REEVE_CAN_TOKEN | REEVE_CAN_HOST,
    .late_ms = VIRT_LATE_MS,
    .create_ms = VIRT_CREATE_MS,
    .calls_max = VIRT_CALLS,
    .properties = virt_properties,
    .start = virt_on_start,
    .stop = virt_on_stop,
    .validate = virt_on_validate,
    .create = virt_on_create,
    .destroy = virt_on_destroy,
    .describe = virt_on_describe,
    .label = virt_on_label,
    .reboot = virt_on_reboot,
    .preflight = virt_on_preflight,
    .resources = virt_on_resources,
    .resource_destroy = virt_on_resource_destroy,
};
