/* Reads the properties of a machine. */
#include "virt.h"

#include "codec/doc_child.h"

enum {
    VIRT_CPUS_MOST = 512,
    VIRT_KEY_BYTES = 16384,
    VIRT_NAME_BYTES = 63,
    VIRT_POINTER_BYTES = 64
};

#define VIRT_MIB          ((int64_t)1024 * 1024)
#define VIRT_BYTES_MOST   ((int64_t)1 << 50)
#define VIRT_MEMORY_LEAST (64 * VIRT_MIB)

/* Named sizes, the same as in the plugin `local`. */
static const struct {
    const char *name;
    int64_t cpus;
    int64_t memory_mib;
} virt_sizes[] = { { "small", 1, 512 }, { "medium", 2, 2048 }, { "large", 4, 8192 } };

/* True if the text is valid as the name of a volume, a network or a bridge. */
static bool is_virt_name(struct text name, size_t most)
{
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || strchr("._+-", byte) != NULL)) {
            return false;
        }
    }
    return name.length > 0 && name.length <= most && name.data[0] != '.' && name.data[0] != '-';
}

static void virt_read_size(struct property *property, struct virt_shape *out)
{
    struct text name = property_text(property, "/machineSize", "small");
    bool is_found = false;

    for (size_t i = 0; i < ARRAY_COUNT(virt_sizes); i++) {
        if (text_is(name, virt_sizes[i].name)) {
            out->cpus = virt_sizes[i].cpus;
            out->memory_bytes = virt_sizes[i].memory_mib * VIRT_MIB;
            is_found = true;
        }
    }
    if (!is_found) {
        property_fault(property, "/machineSize",
                       "machineSize is small (1 cpu, 512 MiB), medium (2, 2 GiB) or large (4, 8 "
                       "GiB); or give cpus and memory");
    }
    out->cpus = property_integer(property, "/cpus", out->cpus, 1, VIRT_CPUS_MOST);
    out->memory_bytes = property_integer(property, "/memory", out->memory_bytes, VIRT_MEMORY_LEAST,
                                         VIRT_BYTES_MOST);
    out->root_bytes = property_integer(property, "/rootSize", 0, 1024 * VIRT_MIB, VIRT_BYTES_MOST);
}

/* True for one line of authorized_keys without options. */
static bool is_virt_key_line(struct text key)
{
    size_t blank = text_find_byte(key, ' ');
    struct text body = blank == SIZE_MAX ? TEXT("") : text_slice(key, blank + 1, key.length);

    return key.length <= VIRT_KEY_BYTES && text_is_visible(key) &&
           (text_has_prefix(key, TEXT("ssh-")) || text_has_prefix(key, TEXT("ecdsa-sha2-")) ||
            text_has_prefix(key, TEXT("sk-"))) &&
           text_has_prefix(body, TEXT("AAAA"));
}

static void virt_read_login(struct property *property, struct virt_shape *out)
{
    out->user = property_user(property, "");
    out->ssh_key = property_text(property, "/sshKey", "");
    /* only checked here, because the labels also contain it */
    (void)property_text(property, "/owner", "");
    if (out->ssh_key.length > 0 && !is_virt_key_line(out->ssh_key)) {
        property_fault(property, "/sshKey",
                       "sshKey is one line with a public key, like 'ssh-ed25519 AAAA... name'");
    }
    out->image = property_text(property, "/image", "debian");
    if (!is_virt_name(out->image, 255)) {
        property_fault(
            property, "/image",
            "image must be a symbolic name like debian-12, or the name of a volume in the "
            "pool of images");
    }
}

static void virt_read_network(struct property *property, struct virt_shape *out)
{
    struct text interface = property_text(property, "/interface", "network");
    struct reeve_value_v1 map = property->host->value(property->call, REEVE_TEXT("/network"));
    bool has_bridge = property_is_given(property, "/bridge");

    out->network = property_text(property, "/subnet", "");
    out->bridge = property_text(property, "/bridge", "");
    if (property_is_given(property, "/network") &&
        (map.type != REEVE_TYPE_MAP || map.integer > 0)) {
        property_fault(property, "/network",
                       "network has no members here: name a libvirt network as subnet");
    }
    if (has_bridge || text_is(interface, "bridge")) {
        out->interface = VIRT_INTERFACE_BRIDGE;
    } else if (text_is(interface, "user")) {
        out->interface = VIRT_INTERFACE_USER;
    } else if (!text_is(interface, "network")) {
        property_fault(property, "/interface", "interface is network, bridge or user");
    }
    if (out->network.length > 0 && !is_virt_name(out->network, VIRT_NAME_BYTES)) {
        property_fault(property, "/subnet", "subnet must be the name of a libvirt network");
    }
    if (out->network.length > 0 && out->interface != VIRT_INTERFACE_NETWORK) {
        property_fault(property, "/subnet", "give either subnet or bridge");
    }
    if (out->interface == VIRT_INTERFACE_BRIDGE && !is_virt_name(out->bridge, 15)) {
        property_fault(property, "/bridge",
                       "bridge must be the name of a bridge of the hypervisor, like br0");
    }
}

/* ---- volumes ---- */

/* Returns the pointer "/volumes/3/NAME". */
static const char *virt_volume_pointer(struct property *property, size_t i, const char *name)
{
    return arena_printf(property->arena, "/volumes/%zu/%s", i, name).data;
}

/* True for an absolute path without blanks. */
static bool is_virt_mount(struct text path)
{
    return path.length > 1 && path.length < 256 && path.data[0] == '/' && text_is_visible(path) &&
           text_find_byte(path, ' ') == SIZE_MAX && text_find_byte(path, '\\') == SIZE_MAX;
}

static void virt_read_volume(struct property *property, struct virt_shape *out, size_t i)
{
    struct virt_shape_volume *volume = &out->volumes[i];
    const char *pointer = virt_volume_pointer(property, i, "name");
    struct text initial = arena_printf(property->arena, "vol%zu", i);

    volume->name = property_text(property, pointer, initial.data);
    if (!is_virt_name(volume->name, VIRT_NAME_BYTES)) {
        property_fault(property, pointer,
                       "name of a volume: letters, digits and dashes, at most 63");
    }
    for (size_t k = 0; k < i; k++) {
        if (text_is_equal(out->volumes[k].name, volume->name)) {
            property_fault(property, pointer, "two volumes of a machine have the same name");
        }
    }
    pointer = virt_volume_pointer(property, i, "size");
    volume->bytes = property_integer(property, pointer, 0, VIRT_MIB, VIRT_BYTES_MOST);
    if (!property_is_given(property, pointer)) {
        property_fault(property, pointer, "a volume needs a size, like 20GB");
    }
    pointer = virt_volume_pointer(property, i, "mount");
    volume->mount = property_text(property, pointer, "");
    if (volume->mount.length > 0 && !is_virt_mount(volume->mount)) {
        property_fault(property, pointer, "mount must be an absolute path like /srv/data");
    }
    pointer = virt_volume_pointer(property, i, "keep");
    volume->keep = property_text(property, pointer, "slot");
    if (!text_is(volume->keep, "slot") && !text_is(volume->keep, "node") &&
        !text_is(volume->keep, "always")) {
        property_fault(property, pointer, "keep must be slot, node or always");
    }
    pointer = virt_volume_pointer(property, i, "snapshot");
    if (property_is_given(property, pointer)) {
        property_fault(property, pointer, "volumes of this plugin cannot be made from a snapshot");
    }
}

static void virt_read_volumes(struct property *property, struct virt_shape *out)
{
    struct reeve_value_v1 list = property->host->value(property->call, REEVE_TEXT("/volumes"));

    if (!property_is_given(property, "/volumes")) {
        return;
    }
    if (list.type != REEVE_TYPE_LIST || list.integer > VIRT_VOLUMES_MAX) {
        property_fault(property, "/volumes", "volumes must be a list of at most %d volumes",
                       VIRT_VOLUMES_MAX);
        return;
    }
    out->volume_count = (size_t)list.integer;
    for (size_t i = 0; i < out->volume_count; i++) {
        virt_read_volume(property, out, i);
    }
}

int32_t virt_shape_read(struct virt_call *work, struct virt_shape *out)
{
    struct property property = { .host = work->virt->host,
                                 .call = work->call,
                                 .arena = work->arena };

    *out = (struct virt_shape){ 0 };
    virt_read_size(&property, out);
    virt_read_login(&property, out);
    virt_read_network(&property, out);
    virt_read_volumes(&property, out);
    return property.is_wrong ? REEVE_INVALID : REEVE_OK;
}
