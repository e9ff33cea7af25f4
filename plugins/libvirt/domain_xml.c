/* Formats the XML of a domain. Pure. */
#include "virt.h"

#include <assert.h>

void virt_xml_escape(struct buf *out, struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        switch (text.data[i]) {
        case '&':
            buf_add_string(out, "&amp;");
            break;
        case '<':
            buf_add_string(out, "&lt;");
            break;
        case '>':
            buf_add_string(out, "&gt;");
            break;
        case '"':
            buf_add_string(out, "&quot;");
            break;
        case '\'':
            buf_add_string(out, "&apos;");
            break;
        default:
            buf_add_byte(out, text.data[i]);
        }
    }
}

/* Returns the code point at *at, and advances *at. The text is UTF-8. */
static uint32_t virt_next_point(struct text text, size_t *at)
{
    unsigned char first = (unsigned char)text.data[(*at)++];
    size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t point = first & (0x3fU >> more);

    while (more-- > 0 && *at < text.length) {
        point = point << 6 | ((unsigned char)text.data[(*at)++] & 0x3fU);
    }
    return point;
}

struct text virt_json_ascii(struct arena *arena, struct text json)
{
    struct buf out;

    buf_init(&out, arena);
    for (size_t at = 0; at < json.length;) {
        uint32_t point;

        if ((unsigned char)json.data[at] < 0x7f) {
            buf_add_byte(&out, json.data[at++]);
            continue;
        }
        point = json.data[at] == 0x7f ? (uint32_t)json.data[at++] : virt_next_point(json, &at);
        if (point >= 0x10000) {
            buf_printf(&out, "\\u%04x", 0xd800 + ((point - 0x10000) >> 10));
            point = 0xdc00 + ((point - 0x10000) & 0x3ff);
        }
        buf_printf(&out, "\\u%04x", point);
    }
    return buf_text(&out);
}

/* Appends <NAME>TEXT</NAME>. */
static void virt_xml_add(struct buf *out, const char *name, struct text text)
{
    buf_printf(out, "<%s>", name);
    virt_xml_escape(out, text);
    buf_printf(out, "</%s>", name);
}

/* Appends an attribute. */
static void virt_xml_attribute(struct buf *out, const char *name, struct text value)
{
    buf_printf(out, " %s='", name);
    virt_xml_escape(out, value);
    buf_add_string(out, "'");
}

static void virt_xml_metadata(struct buf *out, const char *prefix, const char *name,
                              const char *uri, struct text content)
{
    buf_printf(out, "<%s:%s xmlns:%s='%s'>", prefix, name, prefix, uri);
    virt_xml_escape(out, content);
    buf_printf(out, "</%s:%s>", prefix, name);
}

struct text virt_metadata_xml(struct arena *arena, const char *name, struct text content)
{
    struct buf out;

    buf_init(&out, arena);
    buf_printf(&out, "<%s>", name);
    virt_xml_escape(&out, content);
    buf_printf(&out, "</%s>", name);
    return buf_text(&out);
}

static void virt_xml_disk(struct buf *out, const struct virt_domain *domain, size_t i)
{
    const struct virt_disk *disk = &domain->disks[i];

    assert(i < 26);
    buf_printf(out, "<disk type='volume' device='disk'><driver name='qemu' type='%s'/><source",
               disk->format);
    virt_xml_attribute(out, "pool", domain->pool);
    virt_xml_attribute(out, "volume", disk->volume);
    buf_printf(out, "/><target dev='vd%c' bus='virtio'/>", (char)('a' + (int)i));
    if (disk->is_read_only) {
        buf_add_string(out, "<readonly/>");
    }
    if (disk->serial.length > 0) {
        virt_xml_add(out, "serial", disk->serial);
    }
    buf_add_string(out, "</disk>");
}

/* Appends the network interface. Its MAC address is derived from the id, so that a repeated create
 * gets the same address. 52:54:00 is the prefix of QEMU. */
static void virt_xml_interface(struct buf *out, const struct virt_domain *domain)
{
    static const char *const types[] = { [VIRT_INTERFACE_NETWORK] = "network",
                                         [VIRT_INTERFACE_BRIDGE] = "bridge",
                                         [VIRT_INTERFACE_USER] = "user" };
    struct text tail = text_slice(domain->uuid, VIRT_UUID_LENGTH - 6, 6);

    buf_printf(out, "<interface type='%s'><mac address='52:54:00:%.2s:%.2s:%.2s'/>",
               types[domain->interface], tail.data, tail.data + 2, tail.data + 4);
    if (domain->interface != VIRT_INTERFACE_USER) {
        buf_add_string(out, "<source");
        virt_xml_attribute(out, types[domain->interface], domain->network);
        buf_add_string(out, "/>");
    }
    buf_add_string(out, "<model type='virtio'/></interface>");
}

static void virt_xml_devices(struct buf *out, const struct virt_domain *domain)
{
    buf_add_string(out, "<devices>");
    for (size_t i = 0; i < domain->disk_count; i++) {
        virt_xml_disk(out, domain, i);
    }
    virt_xml_interface(out, domain);
    buf_add_string(out, "<serial type='pty'><target port='0'/></serial>"
                        "<console type='pty'><target type='serial' port='0'/></console>"
                        "<channel type='unix'><target type='virtio' "
                        "name='org.qemu.guest_agent.0'/></channel>"
                        "<memballoon model='virtio'/>"
                        "<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>"
                        "</devices>");
}

struct text virt_domain_xml(struct arena *arena, const struct virt_domain *domain)
{
    struct buf out;

    assert(domain->uuid.length == VIRT_UUID_LENGTH);
    buf_init(&out, arena);
    buf_printf(&out, "<domain type='%s'>", domain->type);
    virt_xml_add(&out, "name", domain->name);
    virt_xml_add(&out, "uuid", domain->uuid);
    buf_add_string(&out, "<metadata>");
    virt_xml_metadata(&out, VIRT_MACHINE_KEY, "machine", VIRT_MACHINE_URI, domain->machine);
    virt_xml_metadata(&out, VIRT_LABELS_KEY, "labels", VIRT_LABELS_URI, domain->labels);
    buf_printf(&out,
               "</metadata><memory unit='KiB'>%lld</memory><vcpu>%lld</vcpu>"
               "<os><type",
               (long long)(domain->memory_bytes / 1024), (long long)domain->cpus);
    virt_xml_attribute(&out, "arch", domain->arch);
    buf_add_string(&out, ">hvm</type><boot dev='hd'/></os><features><acpi/></features>");
    if (text_is(text_from(domain->type), "kvm")) {
        buf_add_string(&out, "<cpu mode='host-passthrough'/>");
    }
    buf_add_string(&out, "<on_poweroff>destroy</on_poweroff><on_reboot>restart</on_reboot>"
                         "<on_crash>destroy</on_crash>");
    virt_xml_devices(&out, domain);
    buf_add_string(&out, "</domain>");
    return buf_text(&out);
}
