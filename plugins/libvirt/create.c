/* A create makes volumes, defines the domain, and starts it. Each step reuses the objects that an
 * earlier, interrupted create has made:
 *
 *   data volumes   by their names, which are hashes of their owners
 *   root disk      reeve-ID-root.qcow2
 *   seed disk      reeve-ID-seed-KEY.iso, whose name has digits of the host key in it: the domain
 *                  that was defined states the key of the seed disk that it uses
 *   domain         by its id, which is a hash of the token
 *
 * A create that ends with a refusal removes the objects that it made. */
#include "virt.h"

#include "first_start.h"

#include <assert.h>
#include <gnutls/crypto.h>

enum { VIRT_SHA_BYTES = 32, VIRT_SERIAL_DIGITS = 20, VIRT_NAME_MOST = 40, VIRT_TOKEN_SHOWN = 12 };

#define VIRT_VOLUME_STEP ((int64_t)1024 * 1024)

/* A create in progress. */
struct virt_creation {
    struct virt_call *work;
    const struct reeve_wish_v1 *request;
    struct virt_shape shape;
    struct text id;
    struct virt_image image;
    struct virt_machine machine;
    virStoragePoolPtr pool;
    struct virt_disk disks[VIRT_VOLUMES_MAX + 2];
    size_t disk_count;
    struct text made[VIRT_VOLUMES_MAX]; /* data volumes that this create has made */
    size_t made_count;
    bool is_defined; /* this create has defined the domain */
};

/* ---- names ---- */

static struct text virt_hash(struct arena *arena, struct text of, size_t digits)
{
    unsigned char hash[VIRT_SHA_BYTES];
    char hex[VIRT_SHA_BYTES * 2 + 1];

    (void)gnutls_hash_fast(GNUTLS_DIG_SHA256, of.data, of.length, hash);
    text_format_hex(hash, VIRT_SHA_BYTES, hex);
    return arena_printf(arena, "%.*s", (int)digits, hex);
}

struct text virt_volume_name(struct arena *arena, const struct virt_shape_volume *volume,
                             const struct reeve_wish_v1 *request)
{
    struct text cluster = plain_text(request->cluster);
    struct text group = tag_codec_value(request->tags, request->tag_count, "reeve.group");
    struct text slot = tag_codec_value(request->tags, request->tag_count, "reeve.logical_id");
    struct text of = text_is(volume->keep, "node")
                         ? arena_printf(arena, "%.*s\n%.*s", TEXT_ARG(plain_text(request->token)),
                                        TEXT_ARG(volume->name))
                         : arena_printf(arena, "%.*s\n%.*s\n%.*s\n%.*s", TEXT_ARG(cluster),
                                        TEXT_ARG(group), TEXT_ARG(slot), TEXT_ARG(volume->name));

    return arena_printf(arena, VIRT_PREFIX "%.*s-%.*s.qcow2",
                        TEXT_ARG(virt_hash(arena, of, VIRT_SERIAL_DIGITS)),
                        TEXT_ARG(virt_cluster_part(arena, cluster)));
}

struct text virt_cluster_part(struct arena *arena, struct text cluster)
{
    return text_slice(tag_codec_hash(arena, cluster), 0, VIRT_TOKEN_SHOWN);
}

struct text virt_volume_serial(struct text volume_name)
{
    return text_slice(volume_name, strlen(VIRT_PREFIX), VIRT_SERIAL_DIGITS);
}

/* ---- data volumes ---- */

/* Checks that a kept volume has the requested size. */
static int32_t virt_volume_check(struct virt_creation *creation, const char *pointer,
                                 virStorageVolPtr volume, int64_t bytes)
{
    struct virt_call *work = creation->work;
    virStorageVolInfo info;

    if (work->virt->api.virStorageVolGetInfo(volume, &info) != 0) {
        return virt_refuse(work, pointer, "read the volume", false);
    }
    if ((int64_t)info.capacity == bytes) {
        return REEVE_OK;
    }
    return virt_fault(work, REEVE_INVALID, pointer,
                      "the kept volume %s has %lld bytes, and %lld are requested: change its size "
                      "with 'virsh vol-resize', or delete it",
                      work->virt->api.virStorageVolGetName(volume), (long long)info.capacity,
                      (long long)bytes);
}

static int32_t virt_create_volume(struct virt_creation *creation, size_t i)
{
    struct virt_call *work = creation->work;
    const struct virt_shape_volume *wanted = &creation->shape.volumes[i];
    const char *pointer = arena_printf(work->arena, "/volumes/%zu/size", i).data;
    struct virt_volume volume = {
        .name = virt_volume_name(work->arena, wanted, creation->request),
        .format = "qcow2",
        .bytes = (wanted->bytes + VIRT_VOLUME_STEP - 1) / VIRT_VOLUME_STEP * VIRT_VOLUME_STEP,
    };
    virStorageVolPtr found = NULL;
    bool is_made = false;
    int32_t result = virt_volume_put(work, pointer, creation->pool, &volume, &found, &is_made);

    if (result != REEVE_OK) {
        return result;
    }
    if (is_made) {
        creation->made[creation->made_count++] = volume.name;
    } else {
        result = virt_volume_check(creation, pointer, found, volume.bytes);
    }
    (void)work->virt->api.virStorageVolFree(found);
    creation->disks[creation->disk_count++] = (struct virt_disk){
        .volume = volume.name, .format = "qcow2", .serial = virt_volume_serial(volume.name)
    };
    creation->machine.volumes[creation->machine.volume_count++] =
        (struct virt_machine_volume){ wanted->name, volume.name, wanted->keep };
    return result;
}

/* ---- root and seed disk ---- */

static int32_t virt_create_root(struct virt_creation *creation)
{
    struct virt_call *work = creation->work;
    struct virt_volume volume = {
        .name = arena_printf(work->arena, VIRT_PREFIX "%.*s-root.qcow2", TEXT_ARG(creation->id)),
        .format = "qcow2",
        .bytes = creation->shape.root_bytes,
        .backing = creation->image.path,
        .backing_format = creation->image.format,
    };
    virStorageVolPtr found = NULL;
    int32_t result;

    if (volume.bytes == 0) {
        volume.bytes = creation->image.bytes;
    }
    if (volume.bytes < creation->image.bytes) {
        return virt_fault(work, REEVE_INVALID, "/rootSize",
                          "the image %.*s has %lld bytes: rootSize cannot be smaller",
                          TEXT_ARG(creation->image.name), (long long)creation->image.bytes);
    }
    result = virt_volume_put(work, "", creation->pool, &volume, &found, NULL);
    if (found != NULL) {
        (void)work->virt->api.virStorageVolFree(found);
    }
    creation->disks[creation->disk_count++] =
        (struct virt_disk){ .volume = volume.name, .format = "qcow2" };
    return result;
}

/* Returns the script of the first start. */
static struct text virt_first_start(struct virt_creation *creation)
{
    struct arena *arena = creation->work->arena;
    const struct virt_shape *shape = &creation->shape;
    struct first_start_volume volumes[VIRT_VOLUMES_MAX];
    struct text keys = plain_text(creation->request->keys);
    struct first_start start = {
        .token = plain_text(creation->request->token),
        .host_name = property_dns_name(arena, plain_text(creation->request->name), VIRT_NAME_MOST),
        .user = creation->machine.user,
        .init = plain_text(creation->request->init),
        .volumes = volumes,
        .volume_count = shape->volume_count,
    };

    for (size_t i = 0; i < shape->volume_count; i++) {
        volumes[i].device =
            arena_printf(arena, "/dev/disk/by-id/virtio-%.*s",
                         TEXT_ARG(virt_volume_serial(creation->machine.volumes[i].volume)));
        volumes[i].mount = shape->volumes[i].mount;
    }
    if (shape->ssh_key.length > 0) {
        bool needs_end = keys.length > 0 && keys.data[keys.length - 1] != '\n';

        keys = arena_printf(arena, "%.*s%s%.*s", TEXT_ARG(keys), needs_end ? "\n" : "",
                            TEXT_ARG(shape->ssh_key));
    }
    start.keys = keys;
    return first_start_format(arena, &start);
}

static int32_t virt_create_seed(struct virt_creation *creation)
{
    struct virt_call *work = creation->work;
    struct arena *arena = work->arena;
    struct virt_volume volume = { .format = "raw" };
    struct virt_host_key key;
    virStorageVolPtr found = NULL;
    struct text user_data;
    struct text image;
    int32_t result;

    if (!virt_host_key_make(arena, &key)) {
        return virt_fault(work, REEVE_TRANSIENT, "", "the host key cannot be generated");
    }
    user_data = virt_user_data(arena, &key, virt_first_start(creation));
    image =
        virt_seed_iso(arena,
                      virt_meta_data(arena, creation->id,
                                     property_dns_name(arena, plain_text(creation->request->name),
                                                       VIRT_NAME_MOST)),
                      user_data);
    volume.name = arena_printf(arena, VIRT_PREFIX "%.*s-seed-%.*s.iso", TEXT_ARG(creation->id),
                               TEXT_ARG(virt_hash(arena, key.public_line, VIRT_TOKEN_SHOWN)));
    volume.bytes = (int64_t)image.length;
    result = virt_volume_put(work, "", creation->pool, &volume, &found, NULL);
    if (result == REEVE_OK && work->virt->settings.uploads_seed) {
        result = virt_volume_write(work, found, image);
        creation->machine.host_key = key.public_line;
    }
    if (found != NULL) {
        (void)work->virt->api.virStorageVolFree(found);
    }
    explicit_bzero((char *)image.data, image.length);
    explicit_bzero((char *)user_data.data, user_data.length);
    explicit_bzero((char *)key.secret_pem.data, key.secret_pem.length);
    creation->disks[creation->disk_count++] =
        (struct virt_disk){ .volume = volume.name, .format = "raw", .is_read_only = true };
    return result;
}

/* ---- the domain ---- */

static int32_t virt_create_define(struct virt_creation *creation, virDomainPtr *out)
{
    struct virt_call *work = creation->work;
    const struct reeve_wish_v1 *request = creation->request;
    struct text name = property_dns_name(work->arena, plain_text(request->name), VIRT_NAME_MOST);
    struct virt_domain domain = {
        .type = virt_domain_type(work),
        .arch = virt_arch(work),
        .name = arena_printf(
            work->arena, "%.*s-%.*s", TEXT_ARG(name),
            TEXT_ARG(property_token_part(plain_text(request->token), VIRT_TOKEN_SHOWN))),
        .uuid = creation->id,
        .machine = virt_machine_json(work->arena, &creation->machine),
        .labels = virt_json_ascii(work->arena, plain_text(request->labels)),
        .pool = creation->machine.pool,
        .network = text_from(work->virt->settings.network),
        .interface = creation->shape.interface,
        .cpus = creation->shape.cpus,
        .memory_bytes = creation->shape.memory_bytes,
        .disks = creation->disks,
        .disk_count = creation->disk_count,
    };

    if (creation->shape.interface == VIRT_INTERFACE_BRIDGE) {
        domain.network = creation->shape.bridge;
    } else if (creation->shape.network.length > 0) {
        domain.network = creation->shape.network;
    }
    *out = work->virt->api.virDomainDefineXML(work->connection,
                                              virt_domain_xml(work->arena, &domain).data);
    creation->is_defined = *out != NULL;
    return *out != NULL ? REEVE_OK : virt_refuse(work, "", "define the domain", true);
}

int32_t virt_start(struct virt_call *work, virDomainPtr domain)
{
    bool is_active = true;
    int32_t result;

    if (work->virt->api.virDomainCreate(domain) == 0) {
        return REEVE_OK;
    }
    /* if libvirt has answered, the call is complete, and the state of the domain shows the
     * result */
    if (virt_code(work) == VIR_ERR_RPC || virt_code(work) == VIR_ERR_NO_CONNECT ||
        virt_code(work) == VIR_ERR_SYSTEM_ERROR) {
        return virt_refuse(work, "", "start the domain", true);
    }
    result = virt_refuse(work, "", "start the domain", false);
    if (virt_domain_is_active(work, domain, &is_active) != REEVE_OK) {
        return REEVE_UNKNOWN;
    }
    return is_active ? REEVE_OK : result;
}

/* Creates all objects that are needed before the domain starts. */
static int32_t virt_create_all(struct virt_creation *creation)
{
    struct virt_call *work = creation->work;
    virDomainPtr domain = NULL;
    int32_t result = virt_create_root(creation);

    if (result == REEVE_OK) {
        /* the seed disk is the second disk; it is created when the other disks are known */
        creation->disk_count++;
    }
    for (size_t i = 0; i < creation->shape.volume_count && result == REEVE_OK; i++) {
        result = virt_create_volume(creation, i);
    }
    if (result == REEVE_OK) {
        size_t count = creation->disk_count;

        creation->disk_count = 1;
        result = virt_create_seed(creation);
        creation->disk_count = count;
    }
    if (result == REEVE_OK) {
        result = virt_create_define(creation, &domain);
    }
    if (result == REEVE_OK) {
        result = virt_start(work, domain);
    }
    if (domain != NULL) {
        (void)work->virt->api.virDomainFree(domain);
    }
    return result;
}

/* Removes the objects that a rejected create has made. Returns false if some objects may remain. */
static bool virt_create_undo(struct virt_creation *creation)
{
    struct virt_call *work = creation->work;
    bool is_gone = true;

    if (creation->is_defined) {
        virDomainPtr domain = work->virt->api.virDomainLookupByUUIDString(
            work->connection, arena_string(work->arena, creation->id));

        is_gone = domain != NULL && virt_undefine(work, domain) == REEVE_OK;
        if (domain != NULL) {
            (void)work->virt->api.virDomainFree(domain);
        }
    }
    is_gone = is_gone && virt_volumes_delete_of(work, creation->pool, creation->id) == REEVE_OK;
    for (size_t i = 0; i < creation->made_count && is_gone; i++) {
        is_gone = virt_volume_delete(work, creation->pool, creation->made[i]) == REEVE_OK;
    }
    return is_gone;
}

/* Creates a domain for a machine that has none yet. */
static int32_t virt_create_new(struct virt_creation *creation)
{
    struct virt_call *work = creation->work;
    struct text pinned = plain_text(work->virt->host->pinned(work->call, REEVE_TEXT("/image")));
    int32_t result =
        virt_image_find(work, pinned.length > 0 ? pinned : creation->shape.image, &creation->image);

    if (result == REEVE_OK) {
        result = virt_pool_open(work, "", work->virt->settings.pool, &creation->pool);
    }
    if (result != REEVE_OK) {
        return result;
    }
    creation->machine.image = creation->image.name;
    creation->machine.user = creation->shape.user.length > 0
                                 ? creation->shape.user
                                 : virt_image_user(creation->image.name);
    result = virt_create_all(creation);
    if (result != REEVE_OK && result != REEVE_UNKNOWN && !virt_create_undo(creation)) {
        result = REEVE_UNKNOWN;
    }
    (void)work->virt->api.virStoragePoolFree(creation->pool);
    return result;
}

/* Completes a create that was interrupted after its domain was defined. If the start is rejected,
 * the domain is kept, because the error may have a cause outside of the domain. */
static int32_t virt_create_again(struct virt_call *work, struct text cluster, virDomainPtr domain)
{
    struct virt_machine machine;
    bool is_active = false;
    int32_t result = virt_machine_read(work, domain, &machine);

    if (result == REEVE_GONE || (result == REEVE_OK && !text_is_equal(machine.cluster, cluster))) {
        return virt_fault(work, REEVE_INVALID, "",
                          "the domain %s has the id of this token and is not a machine of the "
                          "cluster",
                          work->virt->api.virDomainGetName(domain));
    }
    if (result == REEVE_OK) {
        result = virt_domain_is_active(work, domain, &is_active);
    }
    if (result == REEVE_OK && !is_active) {
        result = virt_start(work, domain);
    }
    return result == REEVE_OK ? REEVE_OK : REEVE_UNKNOWN;
}

static int32_t virt_create_locked(struct virt_creation *creation)
{
    struct virt_call *work = creation->work;
    virDomainPtr domain = work->virt->api.virDomainLookupByUUIDString(
        work->connection, arena_string(work->arena, creation->id));
    int32_t result;

    if (domain != NULL) {
        result = virt_create_again(work, creation->machine.cluster, domain);
        (void)work->virt->api.virDomainFree(domain);
    } else if (virt_code(work) == VIR_ERR_NO_DOMAIN) {
        result = virt_create_new(creation);
    } else {
        result = virt_refuse(work, "", "find the domain", false);
    }
    if (result == REEVE_OK) {
        work->virt->host->made(work->call, plain_answer(creation->id));
    }
    return result;
}

int32_t virt_create(struct virt_call *work, const struct reeve_wish_v1 *request)
{
    struct virt_creation *creation = arena_one(work->arena, struct virt_creation);
    int32_t result = virt_shape_read(work, &creation->shape);

    if (result == REEVE_OK) {
        result = virt_connect(work);
    }
    if (result != REEVE_OK) {
        return result;
    }
    creation->work = work;
    creation->request = request;
    creation->id = virt_token_id(work->arena, plain_text(request->token));
    creation->machine.cluster = plain_text(request->cluster);
    creation->machine.zone = plain_text(request->zone);
    creation->machine.pool = text_from(work->virt->settings.pool);
    creation->machine.tags.count = request->tag_count;
    creation->machine.tags.items =
        arena_copy(work->arena, request->tags, request->tag_count * sizeof(*request->tags));
    if (!virt_lock(work, creation->id)) {
        return REEVE_TRANSIENT;
    }
    result = virt_create_locked(creation);
    virt_unlock(work, creation->id);
    return result;
}
