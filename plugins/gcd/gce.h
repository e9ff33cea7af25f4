#ifndef GCE_GCE_H
#define GCE_GCE_H

#include "base/mem.h"
#include "classify.h"
#include "codec/doc.h"
#include "disk.h"
#include "http.h"
#include "journal.h"
#include "property.h"
#include "rate_limit.h"
#include "reeve/plugin.h"
#include "tag_codec.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* public names start with: gce_ */

enum {
    GCE_LAG_MS = 30000,
    GCE_LATE_MS = 120000,
    GCE_CREATE_MS = 300000,
    GCE_ZONES_MAX = 32,
    GCE_LIST_MAX = 32,
    GCE_LABEL_MOST = 63,
    GCE_TOKEN_BYTES = 4096
};

/* The account's settings. */
struct gce_settings {
    struct text endpoint;         /* URL of Compute Engine, without a path */
    struct text resource_manager; /* URL of the Resource Manager, for the permissions */
    struct text metadata;         /* URL of this computer's metadata service */
    struct text project;          /* project; empty: the project of the service account */
    struct text proxy;
    struct text ca;
    struct text zones[GCE_ZONES_MAX];
    size_t zone_count;
};

/* The access token of the last credential. Its mutex protects it. */
struct gce_access {
    pthread_mutex_t mutex;
    char token[GCE_TOKEN_BYTES]; /* "Bearer ...", or empty */
    uint64_t credential_hash;
    uint64_t renew_at_ms;
    int64_t clock_offset_s; /* difference to the provider's clock, learned from a refused request */
};

/* The loaded plugin. */
struct gce {
    const struct reeve_host_v1 *host;
    struct arena *arena;
    struct gce_settings settings;
    struct http *http;
    struct rate_limit *limit;
    struct journal journal;
    struct gce_access access;
};

/* One call from the host. */
struct gce_call {
    struct gce *gce;
    struct reeve_call *call;
    struct arena *arena;
    struct text project; /* set by gce_begin() */
};

/* ---- settings.c ---- */

bool gce_settings_read(struct arena *arena, struct text json, struct gce_settings *out,
                       const char **out_why);

/* ---- token.c ---- */

/* Reads the account's project. Returns OK, or AUTH, which is reported. */
int32_t gce_begin(struct gce_call *work);

/* Copies the header for the next request into `out`. With `is_fresh`, the last token was refused
 * and a new token is requested. Returns OK, or the result of the refusal, with *last set. */
int32_t gce_access_get(struct gce_call *work, bool is_fresh, char out[static GCE_TOKEN_BYTES],
                       struct classify_attempt *last);

/* ---- api.c ---- */

struct gce_request {
    const char *method;
    struct text url; /* a whole URL, or a path below /compute/v1/projects/PROJECT */
    struct text body;
    enum classify_kind kind;
    enum http_priority priority;
};

struct gce_answer {
    int32_t result; /* 404 and 409 are INVALID */
    unsigned status;
    struct doc doc;
    struct classify_attempt last;
};

/* gce_send sends a request until it has a result; gce_get does this for a GET of a path. Nothing is
 * reported to the host. They return answer->result. */
int32_t gce_send(struct gce_call *work, const struct gce_request *request, struct gce_answer *out);
int32_t gce_get(struct gce_call *work, struct text path, struct gce_answer *out);

/* Waits for the end of an operation, which is the answer to a change. If the operation fails, its
 * error determines the result. The result is UNKNOWN if the operation continues beyond the
 * deadline. */
int32_t gce_operation_wait(struct gce_call *work, struct text zone, struct gce_answer *inout);

/* gce_refuse reports why a request failed; gce_fault reports a text. They return the result to
 * return to the host. */
int32_t gce_refuse(struct gce_call *work, const char *pointer, const char *what,
                   const struct gce_answer *answer);
int32_t gce_fault(struct gce_call *work, int32_t result, const char *pointer, const char *format,
                  ...) PRINTF_LIKE(4, 5);

/* Read an error of Compute Engine: {"error": {"errors": [{"reason" or "code", "message"}]}}. */
void gce_error_read(const struct doc *doc, struct classify_attempt *out);

/* Returns the result for a refusal by another service, such as the token service. Pure. */
int32_t gce_answer_class(const struct classify_attempt *attempt);

/* Returns the result for the error of an operation. Pure. */
int32_t gce_operation_class(struct text code, struct text message);

/* gce_url encodes a text for a URL. gce_last_part returns the part of a URL after its last
 * slash. */
struct text gce_url(struct gce_call *work, struct text text);
struct text gce_last_part(struct text url);

/* ---- shape.c ---- */

struct gce_shape {
    struct text machine_type;
    const char *type_pointer;
    struct text image;
    struct text key; /* a public key, or the name of a user of the project; empty: none */
    struct text subnet;
    struct text owner;
    struct text user;
    struct text root_type;
    struct text service_account;
    int64_t root_gb; /* disk size; 0: the size of the image */
    bool is_public;
    bool is_spot;
    struct text tags[GCE_LIST_MAX];
    size_t tag_count;
    struct disk disks[DISK_MAX];
    size_t disk_count;
};

int32_t gce_shape_read(struct gce_call *work, struct gce_shape *out);

/* Returns the region of a zone: europe-west1 for europe-west1-b. */
struct text gce_region(struct text zone);

/* ---- resolve.c ---- */

/* Find the image for an architecture ("X86_64" or "ARM64"): projects/P/global/images/I. */
int32_t gce_resolve_image(struct gce_call *work, struct text image, struct text architecture,
                          struct text *out);

/* Finds the public keys of a user in the project, one per line. A public key is returned
 * unchanged. */
int32_t gce_resolve_key(struct gce_call *work, struct text key, struct text *out);

/* Returns the architecture of a machine type, in Google's spelling. */
struct text gce_type_architecture(struct text machine_type);

/* ---- machine.c ---- */

/* The data in the description and the labels of an instance. */
struct gce_machine {
    struct tag_codec_tags tags; /* tags of the create request */
    struct text cluster;
    struct text token;
    struct text user;
    struct text image; /* image from which the instance was created */
    bool shows_public;
};

/* Reads an instance. `cluster` is empty if the instance does not belong to reeve. */
void gce_machine_read(struct arena *arena, const struct doc *instance, struct gce_machine *out);

/* Makes the description of a new instance. */
struct text gce_description(struct arena *arena, const struct reeve_wish_v1 *wanted,
                            const struct gce_shape *shape, struct text image);

/* Makes the labels for a cluster, a token and the user's labels. Returns false if they do not
 * fit. */
bool gce_labels(struct arena *arena, struct text cluster, struct text token, struct text labels,
                struct doc *out);

/* Reports an instance as a row. With `is_single`, its host key is also read. */
void gce_machine_row(struct gce_call *work, const struct doc *instance,
                     const struct gce_machine *machine, bool is_single);

/* ---- instance.c ---- */

/* An id: PROJECT/ZONE/NAME. */
struct gce_id {
    struct text zone;
    struct text name;
};

/* Parses an id. Returns false if it cannot be an id of this project. */
bool gce_id_parse(struct gce_call *work, struct text id, struct gce_id *out);

/* Finds an instance of the cluster. GONE: there is certainly none, or it belongs to another
 * cluster. Other failures are reported. */
int32_t gce_instance_get(struct gce_call *work, struct text cluster, struct text id,
                         struct doc *out, struct gce_machine *machine);

int32_t gce_create(struct gce_call *work, const struct reeve_wish_v1 *wanted);
int32_t gce_destroy(struct gce_call *work, struct text cluster, struct text id);
int32_t gce_label(struct gce_call *work, struct text cluster, struct text id, struct text labels);
int32_t gce_reboot(struct gce_call *work, struct text cluster, struct text id);
int32_t gce_console(struct gce_call *work, struct text cluster, struct text id);

/* Derives a UUID from a text. The same text gives the same UUID. */
struct text gce_uuid(struct arena *arena, struct text text);

/* ---- volume.c ---- */

/* An additional disk of an instance that is being created. */
struct gce_volume {
    struct text key; /* name of the disk */
    bool has_kept;   /* it has the label reeve-kept */
};

/* Finds or creates the disks of an instance, and waits until they are ready. The same request
 * always gets the same disks. Failures are reported. */
int32_t gce_volumes_prepare(struct gce_call *work, const struct gce_shape *shape,
                            const struct reeve_wish_v1 *wanted, const struct gce_id *id,
                            struct gce_volume out[static DISK_MAX]);

/* Returns a disk in the format of the request that creates its instance. */
struct doc gce_volume_attached(struct gce_call *work, const struct disk *disk, struct text zone,
                               const struct gce_volume *volume);

/* Called after the instance was created: removes the label reeve-kept from its disks, and deletes
 * their entries from the journal. Returns OK or UNKNOWN. */
int32_t gce_volumes_settle(struct gce_call *work, const struct gce_shape *shape, struct text zone,
                           const struct gce_volume *volumes);

/* Called before an instance is deleted: writes the time to a label of the disks that are kept. */
int32_t gce_volumes_keep(struct gce_call *work, struct text zone, const struct doc *instance);

/* Deletes the disks of an instance that was not created: disks that would belong only to this
 * instance, and disks that were never attached. */
int32_t gce_volumes_drop(struct gce_call *work, const struct gce_shape *shape,
                         const struct reeve_wish_v1 *wanted, struct text zone);

int32_t gce_resources(struct gce_call *work, struct text cluster);
int32_t gce_resource_destroy(struct gce_call *work, struct text cluster, struct text kind,
                             struct text id);

/* ---- listing.c ---- */

int32_t gce_describe(struct gce_call *work, const struct reeve_query_v1 *query);

/* ---- preflight.c ---- */

int32_t gce_preflight(struct gce_call *work, const struct reeve_need_v1 *need);

#endif
