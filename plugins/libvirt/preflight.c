/* The checks before the first machine is created. Nothing is changed. */
#include "virt.h"

/* Keeps the first result that is not a success. */
static void virt_note(int32_t *inout, int32_t result)
{
    *inout = *inout == REEVE_OK ? result : *inout;
}

/* Reports that a check got no answer. If the account was rejected, that is a fault. */
static int32_t virt_notice(struct virt_call *work, const char *pointer, const char *what)
{
    virErrorPtr error = work->virt->api.virGetLastError();
    const char *why = error == NULL || error->message == NULL ? "no reason" : error->message;

    work->virt->host->notice(
        work->call, plain_answer(text_from(pointer)),
        plain_answer(arena_printf(work->arena, "not checked: %s: %s", what, why)));
    return REEVE_OK;
}

static int32_t virt_check_network(struct virt_call *work, const struct virt_shape *shape)
{
    const struct virt_api *api = &work->virt->api;
    const char *pointer = shape->network.length > 0 ? "/subnet" : "";
    const char *name = shape->network.length > 0 ? arena_string(work->arena, shape->network)
                                                 : work->virt->settings.network;
    virNetworkPtr network;
    int active;

    if (shape->interface != VIRT_INTERFACE_NETWORK) {
        return REEVE_OK;
    }
    network = api->virNetworkLookupByName(work->connection, name);
    if (network == NULL) {
        if (virt_code(work) != VIR_ERR_NO_NETWORK) {
            return virt_notice(work, pointer, "find the network");
        }
        return virt_fault(work, REEVE_INVALID, pointer,
                          "there is no libvirt network '%s': see 'virsh net-list --all', or use a "
                          "bridge",
                          name);
    }
    active = api->virNetworkIsActive(network);
    (void)api->virNetworkFree(network);
    if (active < 0) {
        return virt_notice(work, pointer, "read the state of the network");
    }
    return active == 1 ? REEVE_OK
                       : virt_fault(work, REEVE_INVALID, pointer,
                                    "the libvirt network '%s' is not active: start it with 'virsh "
                                    "net-start %s'",
                                    name, name);
}

static int32_t virt_check_pool(struct virt_call *work)
{
    virStoragePoolPtr pool;
    int32_t result = virt_pool_open(work, "", work->virt->settings.pool, &pool);

    if (result == REEVE_OK) {
        (void)work->virt->api.virStoragePoolFree(pool);
    }
    return result;
}

static int32_t virt_check_image(struct virt_call *work, const struct virt_shape *shape)
{
    struct virt_image image;
    int32_t result = virt_image_find(work, shape->image, &image);

    if (result != REEVE_OK) {
        return result;
    }
    work->virt->host->pin(work->call, REEVE_TEXT("/image"), plain_answer(image.name));
    if (shape->root_bytes > 0 && shape->root_bytes < image.bytes) {
        return virt_fault(work, REEVE_INVALID, "/rootSize",
                          "the image %.*s has %lld bytes: rootSize cannot be smaller",
                          TEXT_ARG(image.name), (long long)image.bytes);
    }
    return REEVE_OK;
}

/* Checks that the computer has enough processors and memory for a machine. */
static int32_t virt_check_node(struct virt_call *work, const struct virt_shape *shape,
                               uint64_t count)
{
    virNodeInfo info;
    int64_t memory;

    if (work->virt->api.virNodeGetInfo(work->connection, &info) != 0) {
        return virt_notice(work, "", "read the size of the hypervisor");
    }
    memory = (int64_t)info.memory * 1024;
    work->virt->host->fact(work->call, REEVE_TEXT("arch"),
                           text_is(text_from(info.model), "aarch64") ? REEVE_TEXT("arm64")
                           : text_is(text_from(info.model), "x86_64")
                               ? REEVE_TEXT("amd64")
                               : plain_answer(arena_text(work->arena, text_from(info.model))));
    work->virt->host->fact(work->call, REEVE_TEXT("quotaLeft"),
                           plain_answer(arena_number(work->arena, memory / shape->memory_bytes)));
    if (shape->memory_bytes > memory || shape->cpus > (int64_t)info.cpus) {
        return virt_fault(work, REEVE_INVALID, shape->memory_bytes > memory ? "/memory" : "/cpus",
                          "the hypervisor has %u processors and %lld MiB of memory: one machine "
                          "with %lld and %lld MiB does not fit",
                          info.cpus, (long long)(memory >> 20), (long long)shape->cpus,
                          (long long)(shape->memory_bytes >> 20));
    }
    if (count > (uint64_t)(memory / shape->memory_bytes)) {
        return virt_fault(work, REEVE_QUOTA, "",
                          "%llu machines with %lld MiB each do not fit into the %lld MiB of the "
                          "hypervisor",
                          (unsigned long long)count, (long long)(shape->memory_bytes >> 20),
                          (long long)(memory >> 20));
    }
    return REEVE_OK;
}

int32_t virt_preflight(struct virt_call *work, const struct reeve_need_v1 *need)
{
    struct virt_shape *shape = arena_one(work->arena, struct virt_shape);
    int32_t result = virt_shape_read(work, shape);

    virt_note(&result, virt_connect(work));
    if (work->connection == NULL) {
        return result;
    }
    virt_note(&result, virt_check_pool(work));
    virt_note(&result, virt_check_image(work, shape));
    virt_note(&result, virt_check_network(work, shape));
    virt_note(&result, virt_check_node(work, shape, need->count));
    return result;
}
