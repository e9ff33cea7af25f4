/* Reads machines, which are domains with metadata of reeve, and makes listings. */
#include "virt.h"

#include "answers.h"
#include "codec/json.h"
#include "xml.h"

#include <stdlib.h>

int32_t virt_machine_read(struct virt_call *work, virDomainPtr domain, struct virt_machine *out)
{
    const struct virt_api *api = &work->virt->api;
    char *xml = api->virDomainGetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, VIRT_MACHINE_URI,
                                          VIR_DOMAIN_AFFECT_CURRENT);
    const struct xml_node *element;
    struct text json;

    if (xml == NULL) {
        int code = virt_code(work);

        return code == VIR_ERR_NO_DOMAIN_METADATA || code == VIR_ERR_NO_DOMAIN
                   ? REEVE_GONE
                   : virt_refuse(work, "", "read the metadata of the domain", false);
    }
    element = xml_parse(work->arena, text_from(xml));
    json = arena_text(work->arena, element == NULL ? TEXT("") : element->text);
    free(xml);
    return virt_machine_parse(work->arena, json, out) ? REEVE_OK : REEVE_GONE;
}

int32_t virt_machine_find(struct virt_call *work, struct text cluster, struct text id,
                          virDomainPtr *out, struct virt_machine *machine)
{
    const struct virt_api *api = &work->virt->api;
    int32_t result;

    *out = NULL;
    if (!virt_is_id(id)) {
        return REEVE_GONE;
    }
    *out = api->virDomainLookupByUUIDString(work->connection, arena_string(work->arena, id));
    if (*out == NULL) {
        return virt_code(work) == VIR_ERR_NO_DOMAIN
                   ? REEVE_GONE
                   : virt_refuse(work, "", "find the domain", false);
    }
    result = virt_machine_read(work, *out, machine);
    if (result == REEVE_OK && !text_is_equal(machine->cluster, cluster)) {
        result = REEVE_GONE;
    }
    if (result != REEVE_OK) {
        (void)api->virDomainFree(*out);
        *out = NULL;
    }
    return result;
}

int32_t virt_domain_is_active(struct virt_call *work, virDomainPtr domain, bool *out)
{
    int state = VIR_DOMAIN_NOSTATE;
    int reason = 0;

    if (work->virt->api.virDomainGetState(domain, &state, &reason, 0) != 0) {
        return virt_code(work) == VIR_ERR_NO_DOMAIN
                   ? REEVE_GONE
                   : virt_refuse(work, "", "read the state of the domain", false);
    }
    *out = state != VIR_DOMAIN_SHUTOFF && state != VIR_DOMAIN_CRASHED;
    return REEVE_OK;
}

/* ---- rows ---- */

/* Returns the first IPv4 address from one source, except addresses of the loopback interface. */
static struct text virt_address_from(struct virt_call *work, virDomainPtr domain, unsigned source)
{
    const struct virt_api *api = &work->virt->api;
    virDomainInterfacePtr *interfaces = NULL;
    int count = api->virDomainInterfaceAddresses(domain, &interfaces, source, 0);
    struct text address = TEXT("");

    for (int i = 0; i < count; i++) {
        for (unsigned k = 0; k < interfaces[i]->naddrs && address.length == 0; k++) {
            struct text found = text_from(interfaces[i]->addrs[k].addr);

            if (interfaces[i]->addrs[k].type == VIR_IP_ADDR_TYPE_IPV4 &&
                !text_has_prefix(found, TEXT("127."))) {
                address = arena_text(work->arena, found);
            }
        }
        (void)api->virDomainInterfaceFree(interfaces[i]);
    }
    free(interfaces);
    return address;
}

/* Returns the address of a running domain: from the DHCP leases of the network, or else from the
 * guest agent. */
static struct text virt_address(struct virt_call *work, virDomainPtr domain)
{
    struct text address = virt_address_from(work, domain, VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_LEASE);

    return address.length > 0
               ? address
               : virt_address_from(work, domain, VIR_DOMAIN_INTERFACE_ADDRESSES_SRC_AGENT);
}

static struct text virt_row_properties(struct virt_call *work, virDomainPtr domain,
                                       const struct virt_machine *machine)
{
    const char *name = work->virt->api.virDomainGetName(domain);
    struct doc_builder properties;
    struct doc doc;
    struct buf json;

    doc_builder_init(&properties, work->arena);
    doc_builder_put(&properties, "domain", doc_text(text_from(name), NULL));
    doc_builder_put(&properties, "image", doc_text(machine->image, NULL));
    doc_builder_put(&properties, "user", doc_text(machine->user, NULL));
    if (machine->host_key.length > 0) {
        doc_builder_put(&properties, "hostKey", doc_text(machine->host_key, NULL));
    }
    if (machine->volume_count > 0) {
        doc_builder_put(&properties, "volumes", virt_machine_volumes(work->arena, machine));
    }
    doc = doc_builder_map(&properties, NULL);
    buf_init(&json, work->arena);
    json_format(&json, &doc);
    return buf_text(&json);
}

/* Reports a domain as a row. GONE: the domain has ended in the meantime. */
static int32_t virt_row(struct virt_call *work, virDomainPtr domain,
                        const struct virt_machine *machine)
{
    struct reeve_row_v1 row = { .struct_size = sizeof(row) };
    char uuid[VIR_UUID_STRING_BUFLEN];
    int state = VIR_DOMAIN_NOSTATE;
    int reason = 0;

    if (work->virt->api.virDomainGetState(domain, &state, &reason, 0) != 0 ||
        work->virt->api.virDomainGetUUIDString(domain, uuid) != 0) {
        return virt_code(work) == VIR_ERR_NO_DOMAIN
                   ? REEVE_GONE
                   : virt_refuse(work, "", "read the state of the domain", false);
    }
    row.tags = machine->tags.items;
    row.tag_count = machine->tags.count;
    row.id = plain_answer(text_from(uuid));
    row.state = virt_state_of(state);
    row.zone = plain_answer(machine->zone);
    if (row.state == REEVE_RUNNING) {
        row.address = plain_answer(virt_address(work, domain));
    }
    row.properties = plain_answer(virt_row_properties(work, domain, machine));
    work->virt->host->row(work->call, &row);
    return REEVE_OK;
}

/* Reports a domain of a listing, if it belongs to the cluster. */
static int32_t virt_list_one(struct virt_call *work, virDomainPtr domain, struct text cluster)
{
    struct virt_machine machine;
    int32_t result = virt_machine_read(work, domain, &machine);

    if (result == REEVE_OK && text_is_equal(machine.cluster, cluster)) {
        result = virt_row(work, domain, &machine);
    }
    return result == REEVE_GONE ? REEVE_OK : result;
}

static int32_t virt_list(struct virt_call *work, struct text cluster)
{
    const struct virt_api *api = &work->virt->api;
    virDomainPtr *domains = NULL;
    int count = api->virConnectListAllDomains(work->connection, &domains, 0);
    int32_t result = REEVE_OK;

    if (count < 0) {
        return virt_refuse(work, "", "list the domains", false);
    }
    for (int i = 0; i < count; i++) {
        if (result == REEVE_OK) {
            result = virt_list_one(work, domains[i], cluster);
        }
        (void)api->virDomainFree(domains[i]);
    }
    free(domains);
    return result;
}

int32_t virt_describe(struct virt_call *work, const struct reeve_query_v1 *query)
{
    struct text cluster = plain_text(query->cluster);
    int32_t result = virt_connect(work);

    if (result == REEVE_OK && query->id_count == 0) {
        return virt_list(work, cluster);
    }
    for (uint32_t i = 0; i < query->id_count && result == REEVE_OK; i++) {
        struct virt_machine machine;
        virDomainPtr domain;

        result = virt_machine_find(work, cluster, plain_text(query->ids[i]), &domain, &machine);
        if (result == REEVE_OK) {
            result = virt_row(work, domain, &machine);
            (void)work->virt->api.virDomainFree(domain);
        }
        result = result == REEVE_GONE ? REEVE_OK : result;
    }
    return result;
}
