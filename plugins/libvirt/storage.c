/* Storage pools and volumes. */
#include "virt.h"

#include "xml.h"

#include <stdlib.h>
#include <time.h>

enum { VIRT_SEND_BYTES = 65536, VIRT_OLD_S = 3600 };

int32_t virt_pool_open(struct virt_call *work, const char *pointer, const char *name,
                       virStoragePoolPtr *out)
{
    const struct virt_api *api = &work->virt->api;
    int32_t result = REEVE_OK;
    int active;

    *out = api->virStoragePoolLookupByName(work->connection, name);
    if (*out == NULL) {
        return virt_refuse(work, pointer,
                           arena_printf(work->arena, "find the storage pool '%s'", name).data,
                           false);
    }
    active = api->virStoragePoolIsActive(*out);
    if (active == 1) {
        return REEVE_OK;
    }
    result = active < 0 ? virt_refuse(work, pointer, "read the state of the pool", false)
                        : virt_fault(work, REEVE_INVALID, pointer,
                                     "the storage pool '%s' is not active: start it with 'virsh "
                                     "pool-start %s'",
                                     name, name);
    (void)api->virStoragePoolFree(*out);
    *out = NULL;
    return result;
}

static struct text virt_volume_xml(struct arena *arena, const struct virt_volume *volume)
{
    struct buf out;

    buf_init(&out, arena);
    buf_add_string(&out, "<volume><name>");
    virt_xml_escape(&out, volume->name);
    buf_printf(&out,
               "</name><capacity unit='bytes'>%lld</capacity><allocation>0</allocation>"
               "<target><format type='%s'/><permissions><mode>0600</mode></permissions></target>",
               (long long)volume->bytes, volume->format);
    if (volume->backing.length > 0) {
        buf_add_string(&out, "<backingStore><path>");
        virt_xml_escape(&out, volume->backing);
        buf_printf(&out, "</path><format type='%s'/></backingStore>", volume->backing_format);
    }
    buf_add_string(&out, "</volume>");
    return buf_text(&out);
}

/* True if the volume already exists. libvirt's test driver has no separate error code for that. */
static bool virt_has_code_exist(struct virt_call *work)
{
    virErrorPtr error = work->virt->api.virGetLastError();

    return error != NULL && (error->code == VIR_ERR_STORAGE_VOL_EXIST ||
                             (error->code == VIR_ERR_OPERATION_FAILED && error->message != NULL &&
                              strstr(error->message, "already exists") != NULL));
}

int32_t virt_volume_put(struct virt_call *work, const char *pointer, virStoragePoolPtr pool,
                        const struct virt_volume *volume, virStorageVolPtr *out, bool *out_is_made)
{
    const struct virt_api *api = &work->virt->api;
    const char *name = arena_string(work->arena, volume->name);

    *out = api->virStorageVolCreateXML(pool, virt_volume_xml(work->arena, volume).data, 0);
    if (out_is_made != NULL) {
        *out_is_made = *out != NULL;
    }
    if (*out == NULL && virt_has_code_exist(work)) {
        *out = api->virStorageVolLookupByName(pool, name);
    }
    if (*out == NULL) {
        return virt_refuse(work, pointer,
                           arena_printf(work->arena, "create the volume %s", name).data, true);
    }
    return REEVE_OK;
}

int32_t virt_volume_write(struct virt_call *work, virStorageVolPtr volume, struct text bytes)
{
    const struct virt_api *api = &work->virt->api;
    virStreamPtr stream = api->virStreamNew(work->connection, 0);
    int32_t result = REEVE_OK;
    bool is_open;

    if (stream == NULL) {
        return virt_refuse(work, "", "write the seed disk", true);
    }
    is_open = api->virStorageVolUpload(volume, stream, 0, bytes.length, 0) == 0;
    for (size_t at = 0; is_open && at < bytes.length;) {
        struct text part = text_slice(bytes, at, VIRT_SEND_BYTES);
        int sent = api->virStreamSend(stream, part.data, part.length);

        is_open = sent > 0;
        at += is_open ? (size_t)sent : 0;
    }
    if (!is_open) {
        result = virt_refuse(work, "", "write the seed disk", true);
        (void)api->virStreamAbort(stream);
    } else if (api->virStreamFinish(stream) != 0) {
        result = virt_refuse(work, "", "write the seed disk", true);
    }
    (void)api->virStreamFree(stream);
    return result;
}

int32_t virt_volume_delete(struct virt_call *work, virStoragePoolPtr pool, struct text name)
{
    const struct virt_api *api = &work->virt->api;
    const char *string = arena_string(work->arena, name);
    virStorageVolPtr volume = api->virStorageVolLookupByName(pool, string);
    int32_t result = REEVE_OK;

    if (volume == NULL) {
        return virt_code(work) == VIR_ERR_NO_STORAGE_VOL
                   ? REEVE_OK
                   : virt_refuse(work, "", "find the volume", false);
    }
    if (api->virStorageVolDelete(volume, 0) != 0 && virt_code(work) != VIR_ERR_NO_STORAGE_VOL) {
        result = virt_refuse(work, "",
                             arena_printf(work->arena, "delete the volume %s", string).data, true);
    }
    (void)api->virStorageVolFree(volume);
    return result;
}

int32_t virt_volume_names(struct virt_call *work, const char *pointer, virStoragePoolPtr pool,
                          struct virt_volumes *out)
{
    const struct virt_api *api = &work->virt->api;
    virStorageVolPtr *volumes = NULL;
    int count = api->virStoragePoolListAllVolumes(pool, &volumes, 0);

    *out = (struct virt_volumes){ 0 };
    if (count < 0) {
        return virt_refuse(work, pointer, "list the volumes of the pool", false);
    }
    out->names = arena_array(work->arena, struct text, (size_t)count);
    for (int i = 0; i < count; i++) {
        out->names[out->count++] =
            arena_text(work->arena, text_from(api->virStorageVolGetName(volumes[i])));
        (void)api->virStorageVolFree(volumes[i]);
    }
    free(volumes);
    return REEVE_OK;
}

/* Returns the id of the only domain that uses a volume, from its name "reeve-UUID-root.qcow2".
 * Empty: the volume may be used by several domains. */
static struct text virt_volume_owner(struct text name)
{
    struct text rest = text_slice(name, strlen(VIRT_PREFIX), name.length);
    struct text id = text_slice(rest, 0, VIRT_UUID_LENGTH);

    return text_has_prefix(name, TEXT(VIRT_PREFIX)) && virt_is_id(id) &&
                   rest.length > VIRT_UUID_LENGTH && rest.data[VIRT_UUID_LENGTH] == '-'
               ? id
               : TEXT("");
}

int32_t virt_volumes_delete_of(struct virt_call *work, virStoragePoolPtr pool, struct text uuid)
{
    struct virt_volumes volumes;
    int32_t result = virt_volume_names(work, "", pool, &volumes);

    for (size_t i = 0; i < volumes.count && result == REEVE_OK; i++) {
        if (text_is_equal(virt_volume_owner(volumes.names[i]), uuid)) {
            result = virt_volume_delete(work, pool, volumes.names[i]);
        }
    }
    return result;
}

/* ---- sweep ---- */

/* True if the volume was last written more than an hour ago. False if the driver reports no
 * time. */
static bool is_virt_volume_old(struct virt_call *work, virStorageVolPtr volume)
{
    const struct virt_api *api = &work->virt->api;
    char *xml = api->virStorageVolGetXMLDesc(volume, 0);
    int64_t written_s = 0;
    struct text text;

    if (xml == NULL) {
        return false;
    }
    text = xml_text(xml_parse(work->arena, text_from(xml)), "target/timestamps/mtime");
    text = text_slice(text, 0, text_find_byte(text, '.'));
    free(xml);
    return text_parse_int64(text, &written_s) && written_s > 0 &&
           written_s + VIRT_OLD_S < (int64_t)time(NULL);
}

/* Deletes a volume whose domain does not exist. */
static void virt_sweep_volume(struct virt_call *work, virStorageVolPtr volume, struct text owner)
{
    const struct virt_api *api = &work->virt->api;
    virDomainPtr domain =
        api->virDomainLookupByUUIDString(work->connection, arena_string(work->arena, owner));

    if (domain != NULL) {
        (void)api->virDomainFree(domain);
        return;
    }
    if (virt_code(work) == VIR_ERR_NO_DOMAIN && is_virt_volume_old(work, volume)) {
        bool is_deleted = api->virStorageVolDelete(volume, 0) == 0;

        virt_log(work->virt, REEVE_LOG_INFO, "event=libvirt.swept volume=%s deleted=%d",
                 api->virStorageVolGetName(volume), is_deleted);
    }
}

void virt_sweep(struct virt_call *work)
{
    const struct virt_api *api = &work->virt->api;
    virStoragePoolPtr pool =
        api->virStoragePoolLookupByName(work->connection, work->virt->settings.pool);
    virStorageVolPtr *volumes = NULL;
    int count = pool == NULL ? -1 : api->virStoragePoolListAllVolumes(pool, &volumes, 0);

    for (int i = 0; i < count; i++) {
        struct text owner = virt_volume_owner(text_from(api->virStorageVolGetName(volumes[i])));

        if (owner.length > 0) {
            virt_sweep_volume(work, volumes[i], owner);
        }
        (void)api->virStorageVolFree(volumes[i]);
    }
    free(volumes);
    if (pool != NULL) {
        (void)api->virStoragePoolFree(pool);
    }
    api->virResetLastError();
}
