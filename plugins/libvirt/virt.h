#ifndef VIRT_VIRT_H
#define VIRT_VIRT_H

#include "base/buf.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "http.h"
#include "property.h"
#include "reeve/plugin.h"
#include "single_flight.h"
#include "tag_codec.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* public names start with: virt_ */

enum { VIRT_VOLUMES_MAX = 16, VIRT_UUID_LENGTH = 36 };

/* Prefix of the names of all objects that the plugin creates in a pool. */
#define VIRT_PREFIX "reeve-"

/* ---- library.c ---- */

/* The functions of libvirt. They are loaded when the plugin starts, so that neither reeve nor this
 * file depends on the library. */
struct virt_api {
#define VIRT_FUNCTION(name) __typeof__(&name) name;
#include "virt_calls.def"
#undef VIRT_FUNCTION
};

/* Loads the library. On failure, returns false and sets *out_why. */
bool virt_api_load(struct arena *arena, struct virt_api *out, const char **out_why);

/* ---- settings.c ---- */

struct virt_settings {
    const char *uri;
    const char *pool;       /* pool of the machines' disks */
    const char *image_pool; /* pool of the images */
    const char *network;    /* libvirt's network, if the properties name none */
    /* False only for libvirt's test driver, which cannot store the content of a volume. */
    bool uploads_seed;
};

/* Reads the settings. If it returns false, *out_why is the error. */
bool virt_settings_read(struct arena *arena, struct text json, struct virt_settings *out,
                        const char **out_why);

/* ---- connection.c ---- */

/* Whether machines run with kvm or are emulated. */
enum virt_accelerator { VIRT_ACCELERATOR_UNKNOWN, VIRT_ACCELERATOR_NONE, VIRT_ACCELERATOR_KVM };

/* The loaded plugin. */
struct virt {
    const struct reeve_host_v1 *host;
    struct arena *arena;
    struct virt_settings settings;
    struct virt_api api;
    struct token_locks *locks; /* for each machine, one create, destroy or label runs at a time */
    pthread_mutex_t mutex;     /* protects the members below */
    virConnectPtr connection;  /* the shared connection; NULL: not connected yet */
    bool has_events;           /* the thread of libvirt's events is running */
    pthread_t events;
    atomic_bool is_stopping;
    bool is_swept;
    enum virt_accelerator accelerator;
};

/* One call from the host. */
struct virt_call {
    struct virt *virt;
    struct reeve_call *call;
    struct arena *arena;
    virConnectPtr connection; /* set by virt_connect(), owned by this call */
};

/* Connects, unless this call is already connected. Failures are reported without a pointer. */
int32_t virt_connect(struct virt_call *work);

/* Releases the connection at the end of a call. */
void virt_disconnect(struct virt_call *work);

/* Close the connection and end the thread of events, when the plugin stops. */
void virt_connection_close(struct virt *virt);

/* Report a fault and return `result`. */
int32_t virt_fault(struct virt_call *work, int32_t result, const char *pointer, const char *format,
                   ...) PRINTF_LIKE(4, 5);

/* Returns the code of the last libvirt error on this thread. 0: none. */
int virt_code(struct virt_call *work);

/* Reports the last libvirt error on this thread, and returns its result. `what` is the attempted
 * operation: "define the domain". */
int32_t virt_refuse(struct virt_call *work, const char *pointer, const char *what, bool is_change);

/* Write a line to the log: "event=libvirt.NAME ...". */
void virt_log(struct virt *virt, int32_t level, const char *format, ...) PRINTF_LIKE(3, 4);

/* ---- shape.c ---- */

enum virt_interface { VIRT_INTERFACE_NETWORK, VIRT_INTERFACE_BRIDGE, VIRT_INTERFACE_USER };

struct virt_shape_volume {
    struct text name;
    struct text mount; /* mount point; empty: not mounted */
    struct text keep;  /* keep: slot, node or always */
    int64_t bytes;
};

/* The properties of a machine. */
struct virt_shape {
    int64_t cpus;
    int64_t memory_bytes;
    int64_t root_bytes; /* disk size; 0: as large as the image */
    struct text image;
    struct text user; /* login user; empty: the user of the image */
    struct text ssh_key;
    struct text network; /* network; empty: the network of the settings */
    struct text bridge;  /* used with VIRT_INTERFACE_BRIDGE */
    enum virt_interface interface;
    struct virt_shape_volume volumes[VIRT_VOLUMES_MAX];
    size_t volume_count;
};

/* Read the properties; every fault is reported. Returns OK or INVALID. */
int32_t virt_shape_read(struct virt_call *work, struct virt_shape *out);

/* ---- domain_xml.c ---- */

/* A disk of a domain. It is in the machine's pool. */
struct virt_disk {
    struct text volume; /* name in the pool */
    const char *format; /* qcow2, raw */
    struct text serial; /* serial number; empty: none */
    bool is_read_only;
};

/* A domain to define. */
struct virt_domain {
    const char *type; /* type: qemu, kvm, test */
    struct text arch;
    struct text name;
    struct text uuid;
    struct text machine; /* content of urn:reeve:machine:1: JSON */
    struct text labels;  /* content of urn:reeve:labels:1: JSON */
    struct text pool;
    struct text network; /* network or bridge */
    enum virt_interface interface;
    int64_t cpus;
    int64_t memory_bytes;
    const struct virt_disk *disks;
    size_t disk_count;
};

#define VIRT_MACHINE_URI "urn:reeve:machine:1"
#define VIRT_LABELS_URI  "urn:reeve:labels:1"
#define VIRT_MACHINE_KEY "reeve"
#define VIRT_LABELS_KEY  "reevelabels"

/* Formats the XML of the domain. Pure. */
struct text virt_domain_xml(struct arena *arena, const struct virt_domain *domain);

/* Makes an element <machine> or <labels> with this content, for virDomainSetMetadata(). */
struct text virt_metadata_xml(struct arena *arena, const char *name, struct text content);

/* Append text with the characters of markup escaped. */
void virt_xml_escape(struct buf *out, struct text text);

/* Formats JSON with every character beyond ASCII as \uXXXX, because XML does not permit all of
 * Unicode. */
struct text virt_json_ascii(struct arena *arena, struct text json);

/* ---- seed.c, host_key_make.c ---- */

/* A pair of host keys in OpenSSH's formats. */
struct virt_host_key {
    struct text public_line; /* "ssh-ed25519 AAAA..." */
    struct text secret_pem;  /* "-----BEGIN OPENSSH PRIVATE KEY-----..." */
};

/* Returns base64 with padding, on one line. Pure. */
struct text virt_base64(struct arena *arena, struct text bytes);

/* Makes an ed25519 key pair. Returns false if the library fails. The caller wipes secret_pem. */
bool virt_host_key_make(struct arena *arena, struct virt_host_key *out);

/* Makes the image of a NoCloud seed disk: ISO 9660 with the label cidata and the files META-DATA
 * and USER-DATA. It has 48 KiB, or more if the files need more. Pure. */
struct text virt_seed_iso(struct arena *arena, struct text meta_data, struct text user_data);

/* Return the content of the files for cloud-init. Pure. */
struct text virt_meta_data(struct arena *arena, struct text uuid, struct text host_name);
struct text virt_user_data(struct arena *arena, const struct virt_host_key *key,
                           struct text script);

/* ---- storage.c ---- */

/* Find a pool, which must be active. On failure *out is NULL and the fault is reported at the
 * pointer. */
int32_t virt_pool_open(struct virt_call *work, const char *pointer, const char *name,
                       virStoragePoolPtr *out);

/* A volume to create. */
struct virt_volume {
    struct text name;
    const char *format;
    int64_t bytes;
    struct text backing; /* path of the backing image; empty: none */
    const char *backing_format;
};

/* Creates the volume, or finds it. *out_is_made (may be NULL) is false if the volume already
 * existed. */
int32_t virt_volume_put(struct virt_call *work, const char *pointer, virStoragePoolPtr pool,
                        const struct virt_volume *volume, virStorageVolPtr *out, bool *out_is_made);

/* Write the content of a volume. */
int32_t virt_volume_write(struct virt_call *work, virStorageVolPtr volume, struct text bytes);

/* Delete a volume by its name, if it exists. */
int32_t virt_volume_delete(struct virt_call *work, virStoragePoolPtr pool, struct text name);

/* All volumes of a pool, by name. */
struct virt_volumes {
    struct text *names;
    size_t count;
};
int32_t virt_volume_names(struct virt_call *work, const char *pointer, virStoragePoolPtr pool,
                          struct virt_volumes *out);

/* Deletes the volumes that belong only to the domain with this id: root and seed disk. */
int32_t virt_volumes_delete_of(struct virt_call *work, virStoragePoolPtr pool, struct text uuid);

/* Deletes root and seed disks whose domains do not exist, if they are older than one hour.
 * Interrupted creates that were not repeated leave such disks. Faults are not reported. */
void virt_sweep(struct virt_call *work);

/* ---- image.c ---- */

struct virt_image {
    struct text name;   /* name of the volume */
    struct text path;   /* path for the backing store */
    const char *format; /* qcow2, raw */
    int64_t bytes;
};

/* Find the image in a property. Failures are reported at /image. */
int32_t virt_image_find(struct virt_call *work, struct text image, struct virt_image *out);

/* ---- image_choose.c ---- */

/* True if a volume with this name can be an image. Pure. */
bool virt_is_image_name(struct text name);

/* Return the newest of these names for a release: debian-12*.qcow2 for "debian-12". Empty: none.
 * Pure. */
struct text virt_image_choose(const struct text *names, size_t count, struct text release);

/* Returns the login user for an image, or root if the image is not known. Pure. */
struct text virt_image_user(struct text image);

/* ---- metadata.c ---- */

/* A disk in the properties of a machine. */
struct virt_machine_volume {
    struct text name;
    struct text volume; /* name in the pool */
    struct text keep;
};

/* The data in the metadata of a domain. */
struct virt_machine {
    struct tag_codec_tags tags;
    struct text cluster;
    struct text zone;
    struct text user;
    struct text host_key;
    struct text image;
    struct text pool;
    struct virt_machine_volume volumes[VIRT_VOLUMES_MAX];
    size_t volume_count;
};

/* Returns the id of the machine with this token. Pure. */
struct text virt_token_id(struct arena *arena, struct text token);

/* True if the text is an id of a machine. */
bool virt_is_id(struct text id);

/* Convert a machine to and from the JSON of the metadata element. */
struct text virt_machine_json(struct arena *arena, const struct virt_machine *machine);
bool virt_machine_parse(struct arena *arena, struct text json, struct virt_machine *out);

/* Returns the volumes of a machine as a list. */
struct doc virt_machine_volumes(struct arena *arena, const struct virt_machine *machine);

/* ---- machine.c ---- */

/* Reads the metadata of a domain. GONE: the domain does not belong to reeve, or no longer
 * exists. */
int32_t virt_machine_read(struct virt_call *work, virDomainPtr domain, struct virt_machine *out);

/* Finds a domain of the cluster by its id. GONE: there is certainly none, or it belongs to another
 * cluster. Other failures are reported. The caller frees *out. */
int32_t virt_machine_find(struct virt_call *work, struct text cluster, struct text id,
                          virDomainPtr *out, struct virt_machine *machine);

/* Finds out whether the domain runs or is paused. A failure is reported. */
int32_t virt_domain_is_active(struct virt_call *work, virDomainPtr domain, bool *out);

int32_t virt_describe(struct virt_call *work, const struct reeve_query_v1 *query);

/* ---- create.c, change.c, resources.c, preflight.c, accelerator.c ---- */

int32_t virt_create(struct virt_call *work, const struct reeve_wish_v1 *request);

int32_t virt_destroy(struct virt_call *work, struct text cluster, struct text id);
int32_t virt_label(struct virt_call *work, struct text cluster, struct text id, struct text labels);
int32_t virt_reboot(struct virt_call *work, struct text cluster, struct text id);

/* Takes the lock of a machine. Returns false at the deadline, and reports that. */
bool virt_lock(struct virt_call *work, struct text id);
void virt_unlock(struct virt_call *work, struct text id);

/* Return the name of a data volume in the pool, and the serial number of its disk. */
struct text virt_volume_name(struct arena *arena, const struct virt_shape_volume *volume,
                             const struct reeve_wish_v1 *request);
struct text virt_volume_serial(struct text volume_name);
struct text virt_cluster_part(struct arena *arena, struct text cluster);

/* Starts a domain. Returns OK if it already runs. */
int32_t virt_start(struct virt_call *work, virDomainPtr domain);

/* Undefine a domain that does not run. */
int32_t virt_undefine(struct virt_call *work, virDomainPtr domain);

int32_t virt_resources(struct virt_call *work, struct text cluster);
int32_t virt_resource_destroy(struct virt_call *work, struct text cluster, struct text kind,
                              struct text id);

int32_t virt_preflight(struct virt_call *work, const struct reeve_need_v1 *need);

/* Returns the type of domains at this connection: kvm only if a test has shown that machines boot
 * with it. */
const char *virt_domain_type(struct virt_call *work);

/* Tests whether a machine of this type boots. The test takes up to 10 s and removes all its
 * objects. */
bool virt_probe(struct virt_call *work, const char *type);

/* Returns the architecture of the hypervisor, such as x86_64. */
struct text virt_arch(struct virt_call *work);

#endif
