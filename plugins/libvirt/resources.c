/* Lists data volumes, which may outlive their machines. Their names contain the cluster. */
#include "virt.h"

#include <stdlib.h>

/* True for a data volume of the cluster: "reeve-" + 20 digits + "-CLUSTER.qcow2". */
static bool is_virt_cluster_volume(struct virt_call *work, struct text name, struct text cluster)
{
    struct text end =
        arena_printf(work->arena, "-%.*s.qcow2", TEXT_ARG(virt_cluster_part(work->arena, cluster)));
    size_t digits = virt_volume_serial(name).length;

    return text_has_prefix(name, TEXT(VIRT_PREFIX)) &&
           text_is_equal(text_slice(name, strlen(VIRT_PREFIX) + digits, name.length), end);
}

/* The machine of a cluster that uses a volume. */
struct virt_user {
    struct text volume;
    struct text id;
};

struct virt_users {
    struct virt_user *items;
    size_t count;
};

/* Finds which machines use which volumes. */
static int32_t virt_users_read(struct virt_call *work, struct virt_users *out)
{
    const struct virt_api *api = &work->virt->api;
    virDomainPtr *domains = NULL;
    int count = api->virConnectListAllDomains(work->connection, &domains, 0);
    int32_t result = REEVE_OK;

    *out = (struct virt_users){ 0 };
    if (count < 0) {
        return virt_refuse(work, "", "list the domains", false);
    }
    out->items = arena_array(work->arena, struct virt_user, (size_t)count * VIRT_VOLUMES_MAX);
    for (int i = 0; i < count; i++) {
        struct virt_machine machine = { 0 };
        char uuid[VIR_UUID_STRING_BUFLEN] = "";

        if (result == REEVE_OK) {
            result = virt_machine_read(work, domains[i], &machine);
            (void)api->virDomainGetUUIDString(domains[i], uuid);
        }
        for (size_t k = 0; k < machine.volume_count; k++) {
            out->items[out->count++] =
                (struct virt_user){ machine.volumes[k].volume,
                                    arena_text(work->arena, text_from(uuid)) };
        }
        result = result == REEVE_GONE ? REEVE_OK : result;
        (void)api->virDomainFree(domains[i]);
    }
    free(domains);
    return result;
}

static struct text virt_user_of(const struct virt_users *users, struct text volume)
{
    for (size_t i = 0; i < users->count; i++) {
        if (text_is_equal(users->items[i].volume, volume)) {
            return users->items[i].id;
        }
    }
    return TEXT("");
}

static void virt_resource_report(struct virt_call *work, virStoragePoolPtr pool, struct text name,
                                 const struct virt_users *users)
{
    const struct virt_api *api = &work->virt->api;
    struct reeve_resource_v1 row = { .struct_size = sizeof(row),
                                     .kind = REEVE_TEXT("volume"),
                                     .id = plain_answer(name),
                                     .attached = plain_answer(virt_user_of(users, name)) };
    virStorageVolPtr volume = api->virStorageVolLookupByName(pool, arena_string(work->arena, name));
    virStorageVolInfo info;

    if (volume == NULL) {
        return; /* the domain was deleted in the meantime */
    }
    if (api->virStorageVolGetInfo(volume, &info) == 0) {
        row.bytes = info.capacity;
    }
    (void)api->virStorageVolFree(volume);
    work->virt->host->resource(work->call, &row);
}

int32_t virt_resources(struct virt_call *work, struct text cluster)
{
    struct virt_volumes volumes = { 0 };
    struct virt_users users = { 0 };
    virStoragePoolPtr pool = NULL;
    int32_t result = virt_connect(work);

    if (result == REEVE_OK) {
        result = virt_pool_open(work, "", work->virt->settings.pool, &pool);
    }
    if (result != REEVE_OK) {
        return result;
    }
    result = virt_volume_names(work, "", pool, &volumes);
    if (result == REEVE_OK) {
        result = virt_users_read(work, &users);
    }
    for (size_t i = 0; i < volumes.count && result == REEVE_OK; i++) {
        if (is_virt_cluster_volume(work, volumes.names[i], cluster)) {
            virt_resource_report(work, pool, volumes.names[i], &users);
        }
    }
    (void)work->virt->api.virStoragePoolFree(pool);
    return result;
}

int32_t virt_resource_destroy(struct virt_call *work, struct text cluster, struct text kind,
                              struct text id)
{
    struct virt_users users = { 0 };
    virStoragePoolPtr pool = NULL;
    int32_t result;

    if (!text_is(kind, "volume") || !is_virt_cluster_volume(work, id, cluster)) {
        return REEVE_OK; /* the id is not a volume of this cluster */
    }
    result = virt_connect(work);
    if (result == REEVE_OK) {
        result = virt_pool_open(work, "", work->virt->settings.pool, &pool);
    }
    if (result != REEVE_OK) {
        return result;
    }
    result = virt_users_read(work, &users);
    if (result == REEVE_OK && virt_user_of(&users, id).length > 0) {
        result = virt_fault(work, REEVE_TRANSIENT, "", "the volume is attached to the machine %.*s",
                            TEXT_ARG(virt_user_of(&users, id)));
    }
    if (result == REEVE_OK) {
        result = virt_volume_delete(work, pool, id);
    }
    (void)work->virt->api.virStoragePoolFree(pool);
    return result;
}
