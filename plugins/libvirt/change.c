/* The calls destroy, label and reboot. */
#include "virt.h"

/* ---- destroy ---- */

int32_t virt_undefine(struct virt_call *work, virDomainPtr domain)
{
    static const unsigned flags[] = {
        VIR_DOMAIN_UNDEFINE_MANAGED_SAVE | VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA |
            VIR_DOMAIN_UNDEFINE_CHECKPOINTS_METADATA | VIR_DOMAIN_UNDEFINE_NVRAM,
        VIR_DOMAIN_UNDEFINE_MANAGED_SAVE | VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA,
    };
    const struct virt_api *api = &work->virt->api;

    for (size_t i = 0; i < ARRAY_COUNT(flags); i++) {
        if (api->virDomainUndefineFlags(domain, flags[i]) == 0 ||
            virt_code(work) == VIR_ERR_NO_DOMAIN) {
            return REEVE_OK;
        }
        if (virt_code(work) != VIR_ERR_INVALID_ARG && virt_code(work) != VIR_ERR_NO_SUPPORT &&
            virt_code(work) != VIR_ERR_ARGUMENT_UNSUPPORTED) {
            return virt_refuse(work, "", "undefine the domain", true);
        }
    }
    if (api->virDomainUndefine(domain) == 0 || virt_code(work) == VIR_ERR_NO_DOMAIN) {
        return REEVE_OK;
    }
    return virt_refuse(work, "", "undefine the domain", true);
}

/* Stops the domain immediately. */
static int32_t virt_stop(struct virt_call *work, virDomainPtr domain)
{
    bool is_active = true;

    if (work->virt->api.virDomainDestroy(domain) == 0 || virt_code(work) == VIR_ERR_NO_DOMAIN) {
        return REEVE_OK;
    }
    if (virt_code(work) == VIR_ERR_OPERATION_INVALID) {
        int32_t result = virt_domain_is_active(work, domain, &is_active);

        if (result == REEVE_GONE || (result == REEVE_OK && !is_active)) {
            return REEVE_OK;
        }
        return virt_fault(work, REEVE_TRANSIENT, "", "the domain cannot be stopped now");
    }
    return virt_refuse(work, "", "stop the domain", true);
}

/* Deletes the disks that belong only to this machine. */
static int32_t virt_destroy_volumes(struct virt_call *work, struct text id,
                                    const struct virt_machine *machine)
{
    virStoragePoolPtr pool;
    int32_t result = virt_pool_open(work, "", arena_string(work->arena, machine->pool), &pool);

    if (result != REEVE_OK) {
        /* retried until the pool is available again */
        return result == REEVE_INVALID ? REEVE_TRANSIENT : result;
    }
    for (size_t i = 0; i < machine->volume_count && result == REEVE_OK; i++) {
        if (text_is(machine->volumes[i].keep, "node")) {
            result = virt_volume_delete(work, pool, machine->volumes[i].volume);
        }
    }
    if (result == REEVE_OK) {
        result = virt_volumes_delete_of(work, pool, id);
    }
    (void)work->virt->api.virStoragePoolFree(pool);
    return result;
}

/* Handles a destroy without a domain: it no longer exists, or was never defined. An interrupted
 * create may have left disks. The token of the record proves that they belong to this machine. */
static int32_t virt_destroy_rest(struct virt_call *work, struct text id)
{
    struct text token = plain_text(work->virt->host->token(work->call));
    struct virt_machine machine = { .pool = text_from(work->virt->settings.pool) };
    virDomainPtr domain;

    if (token.length == 0 || !text_is_equal(virt_token_id(work->arena, token), id)) {
        return REEVE_OK;
    }
    domain = work->virt->api.virDomainLookupByUUIDString(work->connection,
                                                         arena_string(work->arena, id));
    if (domain != NULL) { /* the domain belongs to another cluster */
        (void)work->virt->api.virDomainFree(domain);
        return REEVE_OK;
    }
    return virt_destroy_volumes(work, id, &machine);
}

static int32_t virt_destroy_locked(struct virt_call *work, struct text cluster, struct text id)
{
    struct virt_machine machine;
    virDomainPtr domain;
    int32_t result = virt_machine_find(work, cluster, id, &domain, &machine);

    if (result == REEVE_GONE) {
        return virt_destroy_rest(work, id);
    }
    if (result != REEVE_OK) {
        return result;
    }
    result = virt_stop(work, domain);
    if (result == REEVE_OK) {
        result = virt_destroy_volumes(work, id, &machine);
    }
    if (result == REEVE_OK) {
        result = virt_undefine(work, domain);
    }
    (void)work->virt->api.virDomainFree(domain);
    return result;
}

int32_t virt_destroy(struct virt_call *work, struct text cluster, struct text id)
{
    int32_t result;

    if (!virt_is_id(id)) {
        return REEVE_OK; /* the id is not an id of this plugin, so no such machine exists */
    }
    result = virt_connect(work);
    if (result != REEVE_OK) {
        return result;
    }
    if (!virt_lock(work, id)) {
        return REEVE_TRANSIENT;
    }
    result = virt_destroy_locked(work, cluster, id);
    virt_unlock(work, id);
    return result;
}

/* ---- label ---- */

static int32_t virt_label_locked(struct virt_call *work, struct text cluster, struct text id,
                                 struct text labels)
{
    struct virt_machine machine;
    unsigned flags = VIR_DOMAIN_AFFECT_CONFIG;
    bool is_active = false;
    virDomainPtr domain;
    int32_t result = virt_machine_find(work, cluster, id, &domain, &machine);

    if (result != REEVE_OK) {
        return result;
    }
    result = virt_domain_is_active(work, domain, &is_active);
    if (result == REEVE_OK) {
        struct text xml =
            virt_metadata_xml(work->arena, "labels", virt_json_ascii(work->arena, labels));

        flags |= is_active ? (unsigned)VIR_DOMAIN_AFFECT_LIVE : 0U;
        if (work->virt->api.virDomainSetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, xml.data,
                                                 VIRT_LABELS_KEY, VIRT_LABELS_URI, flags) != 0) {
            result = virt_refuse(work, "", "store the labels", true);
        }
    }
    (void)work->virt->api.virDomainFree(domain);
    return result;
}

int32_t virt_label(struct virt_call *work, struct text cluster, struct text id, struct text labels)
{
    int32_t result = virt_connect(work);

    if (result != REEVE_OK) {
        return result;
    }
    if (!virt_lock(work, id.length > 0 ? id : TEXT("-"))) {
        return REEVE_TRANSIENT;
    }
    result = virt_label_locked(work, cluster, id, labels);
    virt_unlock(work, id.length > 0 ? id : TEXT("-"));
    return result;
}

/* ---- reboot ---- */

/* Resets a running domain, like the reset button of a computer. A paused domain is resumed
 * first. */
static int32_t virt_reset(struct virt_call *work, virDomainPtr domain)
{
    const struct virt_api *api = &work->virt->api;
    int state = VIR_DOMAIN_NOSTATE;
    int reason = 0;

    if (api->virDomainGetState(domain, &state, &reason, 0) == 0 && state == VIR_DOMAIN_PAUSED &&
        api->virDomainResume(domain) != 0) {
        return virt_refuse(work, "", "resume the domain", true);
    }
    if (api->virDomainReset(domain, 0) == 0 ||
        (virt_code(work) == VIR_ERR_NO_SUPPORT && api->virDomainReboot(domain, 0) == 0)) {
        return REEVE_OK;
    }
    return virt_refuse(work, "", "reset the domain", true);
}

int32_t virt_reboot(struct virt_call *work, struct text cluster, struct text id)
{
    struct virt_machine machine;
    bool is_active = false;
    virDomainPtr domain;
    int32_t result = virt_connect(work);

    if (result == REEVE_OK) {
        result = virt_machine_find(work, cluster, id, &domain, &machine);
    }
    if (result != REEVE_OK) {
        return result;
    }
    result = virt_domain_is_active(work, domain, &is_active);
    if (result == REEVE_OK) {
        result = is_active ? virt_reset(work, domain) : virt_start(work, domain);
    }
    (void)work->virt->api.virDomainFree(domain);
    return result;
}
