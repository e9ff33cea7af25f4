#ifndef STACK_STACK_H
#define STACK_STACK_H

#include "base/mem.h"
#include "classify.h"
#include "codec/doc.h"
#include "disk.h"
#include "http.h"
#include "journal.h"
#include "openrc.h"
#include "property.h"
#include "rate_limit.h"
#include "reeve/plugin.h"
#include "tag_codec.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* public names start with: stack_ */

enum {
    STACK_LAG_MS = 30000,
    STACK_LATE_MS = 300000,
    STACK_CREATE_MS = 300000,
    STACK_REGIONS_MAX = 16,
    STACK_LIST_MAX = 32,
    /* How often a listing whose marker is rejected is read again from its first page. */
    STACK_RESTARTS_MAX = 3,
    STACK_TOKEN_BYTES = 8192,
    /* Number of locks for tokens. Calls for two tokens that share a lock wait for each other, which
     * is harmless. */
    STACK_TOKEN_LOCKS = 64
};

/* The account's settings. */
struct stack_settings {
    struct text endpoint;  /* URL of keystone, with /v3; empty: OS_AUTH_URL */
    struct text interface; /* interface in the catalog; empty: OS_INTERFACE, or public */
    struct text proxy;
    struct text ca;
    /* regions; none: OS_REGION_NAME, or the only region of the cloud */
    struct text regions[STACK_REGIONS_MAX];
    size_t region_count;
    uint64_t lag_ms; /* lag of listings; shorter than STACK_LAG_MS only in tests */
    /* time in which an unanswered create may take effect; shorter than STACK_LATE_MS only in
     * tests */
    uint64_t late_ms;
};

/* The token of the last credential, and the catalog that came with it. Its mutex protects it. */
struct stack_access {
    pthread_mutex_t mutex;
    char token[STACK_TOKEN_BYTES]; /* the token; empty: none */
    uint64_t credential_hash;
    uint64_t renew_at_ms;
    struct arena *arena; /* memory of the catalog; NULL: none */
    struct doc catalog;
};

/* The loaded plugin. */
struct stack {
    const struct reeve_host_v1 *host;
    struct arena *arena;
    struct stack_settings settings;
    struct http *http;
    struct rate_limit *limit;
    struct journal journal;
    struct stack_access access;
    pthread_mutex_t tokens[STACK_TOKEN_LOCKS];
};

/* One call from the host. */
struct stack_call {
    struct stack *stack;
    struct reeve_call *call;
    struct arena *arena;
    struct openrc account;                  /* set by stack_begin() */
    struct text regions[STACK_REGIONS_MAX]; /* also set by stack_begin() */
    size_t region_count;
};

/* ---- settings.c ---- */

bool stack_settings_read(struct arena *arena, struct text json, struct stack_settings *out,
                         const char **out_why);

/* ---- token.c ---- */

/* Reads the account and its regions. Returns OK, or a failure that is reported. */
int32_t stack_begin(struct stack_call *work);

/* Copies the token for the next request into `out`. With `is_fresh`, the last token was refused and
 * a new token is requested. Returns OK, or the result of the refusal, with *last set. */
int32_t stack_access_get(struct stack_call *work, bool is_fresh, char out[static STACK_TOKEN_BYTES],
                         struct classify_attempt *last);

/* Returns the endpoint of a service in a region, in the call's arena; empty: the catalog has
 * none. */
struct text stack_endpoint(struct stack_call *work, const char *type, struct text region);

/* ---- api.c ---- */

enum stack_service { STACK_COMPUTE, STACK_NETWORK, STACK_IMAGE, STACK_VOLUME };

struct stack_request {
    const char *method;
    enum stack_service service;
    struct text region;
    struct text path; /* path below the version: "/servers" */
    struct text body; /* JSON; empty: none */
    enum classify_kind kind;
    enum http_priority priority;
};

struct stack_answer {
    int32_t result; /* 404 and unknown 4xx are INVALID */
    unsigned status;
    struct doc doc;
    struct classify_attempt last;
};

/* stack_send sends a request until it has a result; stack_get does this for a GET of a path.
 * Nothing is reported to the host. They return answer->result. */
int32_t stack_send(struct stack_call *work, const struct stack_request *request,
                   struct stack_answer *out);
int32_t stack_get(struct stack_call *work, enum stack_service service, struct text region,
                  struct text path, struct stack_answer *out);

/* True if the service itself answered that the object does not exist. */
bool is_stack_missing(const struct stack_answer *answer);

/* True if the marker of a page was rejected, because its object was deleted in the meantime. All
 * pages are then read again. */
bool stack_is_marker_gone(const struct stack_answer *answer);

/* Reports why a request failed, at a pointer of the properties. Returns the result of the
 * request. */
int32_t stack_refuse(struct stack_call *work, const char *pointer, const char *what,
                     const struct stack_answer *answer);

/* Reports a fault that the plugin found. Returns `result`. */
int32_t stack_fault(struct stack_call *work, int32_t result, const char *pointer,
                    const char *format, ...) PRINTF_LIKE(4, 5);

/* Reports an answer that lacks the requested list, and that therefore says nothing about existing
 * objects. Returns TRANSIENT. */
int32_t stack_no_list(struct stack_call *work, const char *pointer, const char *key);

/* Returns the result for the fault of a server in ERROR. */
int32_t stack_fault_class(struct text message);

/* Sets retry_after for the host. */
void stack_retry_after(struct stack_call *work, uint64_t milliseconds);

/* Waits before the next check; the wait doubles. Returns false if the call has no time for it. */
bool stack_wait(struct stack_call *work, uint64_t *inout_ms);
enum { STACK_POLL_FIRST_MS = 250 };

/* stack_url encodes a text for a URL. stack_json formats the map of a builder as JSON. */
struct text stack_url(struct stack_call *work, struct text text);
struct text stack_json(struct stack_call *work, struct doc_builder *builder);

/* ---- shape.c ---- */

/* The properties of a machine. */
struct stack_shape {
    struct text flavor;
    struct text image;
    struct text key;    /* name of a keypair; empty: none */
    struct text region; /* region; empty: the first region of the account */
    struct text subnet;
    struct text network;
    struct text external; /* network of floating addresses; empty: the only such network */
    struct text server_group;
    struct text owner;
    struct text user;
    struct text boot_type; /* volume type; empty: the default type */
    int64_t boot_gb;       /* disk size; 0: the disk of the flavor */
    bool is_public;
    bool is_portless;
    bool has_config_drive;
    struct text groups[STACK_LIST_MAX];
    size_t group_count;
    struct disk disks[DISK_MAX];
    size_t disk_count;
};

/* Read the properties; every fault is reported. Returns OK or INVALID. */
int32_t stack_shape_read(struct stack_call *work, struct stack_shape *out);

/* ---- resolve.c ---- */

/* The provider's objects that a create needs. */
struct stack_found {
    struct text flavor;
    struct text image;
    struct text network;
    struct text subnet;   /* empty: any subnet of the network */
    struct text external; /* network of the floating address; empty: none */
    struct text server_group;
    struct text groups[STACK_LIST_MAX];
    /* The following members are for preflight. */
    int64_t flavor_ram;
    int64_t flavor_cpus;
    int64_t flavor_disk;
    struct text architecture;
};

/* Finds all objects of the shape in a region. Faults are reported at their pointers. With
 * `is_fresh`, pins are not used. Returns OK if all objects were found; otherwise *out is
 * incomplete. */
int32_t stack_resolve(struct stack_call *work, const struct stack_shape *shape, struct text region,
                      bool is_fresh, struct stack_found *out);

/* Returns the default login user of an image. */
struct text stack_user(const struct stack_shape *shape);

/* ---- machine.c ---- */

/* The data in the metadata of a server. */
struct stack_machine {
    struct tag_codec_tags tags; /* tags of the create request */
    struct text cluster;        /* TENANT/ID; empty: the server does not belong to reeve */
    struct text token;
    struct text user;
    struct text image; /* image from which the server was created */
    bool shows_public;
    bool has_disks; /* volumes were created for the machine */
};

/* Reads the metadata of a server, or of a volume. */
void stack_machine_read(struct arena *arena, const struct doc *server, struct stack_machine *out);

/* Puts a value into metadata, in pieces if it is longer than an item may be. */
void stack_put_pieces(struct arena *arena, struct doc_builder *into, struct text name,
                      struct text value);

/* Makes the metadata of a new server. Returns false if it does not fit. */
bool stack_metadata(struct arena *arena, const struct reeve_wish_v1 *wanted,
                    const struct stack_shape *shape, struct text image, struct doc *out);

/* Makes the metadata for the labels. Returns false if they do not fit. */
bool stack_label_metadata(struct arena *arena, struct text labels, struct doc *out);

/* Reports a server as a row. With `is_single`, its host key is also read. */
void stack_machine_row(struct stack_call *work, struct text region, const struct doc *server,
                       const struct stack_machine *machine, bool is_single);

/* True if the row that nova returned is of a server that no longer exists. */
bool is_stack_deleted(const struct doc *server);

/* ---- port.c ---- */

/* A port, found by its name, which contains the token. */
struct stack_port {
    struct text id;     /* id; empty: there is no port */
    struct text device; /* the server to which it is bound; empty: none */
};

/* Finds the port of a token. Of several ports, the bound port is used, or else the port with the
 * lowest id. With `is_exclusive`, the other unbound ports are deleted. Failures are reported. */
int32_t stack_port_find(struct stack_call *work, struct text region, struct text token,
                        bool is_exclusive, struct stack_port *out);
int32_t stack_port_create(struct stack_call *work, struct text region, struct text token,
                          struct text cluster, const struct stack_found *found, size_t group_count,
                          struct text *out_id);

/* Deletes the ports and floating addresses of a token, except a port of a server other than
 * `id`. */
int32_t stack_ports_delete(struct stack_call *work, struct text region, struct text token,
                           struct text id);

/* Gives the port of a token a floating address, if it has none. */
int32_t stack_floating_create(struct stack_call *work, struct text region, struct text token,
                              struct text cluster, struct text external);

/* stack_resources lists the ports and floating addresses of a cluster. stack_resource_destroy
 * deletes one of them. */
int32_t stack_resources(struct stack_call *work, struct text cluster);
int32_t stack_resource_destroy(struct stack_call *work, struct text cluster, struct text kind,
                               struct text id);

/* ---- server.c ---- */

/* An id: REGION/UUID. */
struct stack_id {
    struct text region;
    struct text server;
};

bool is_stack_uuid(struct text id);

/* Parses an id. Its region need not be one of the settings: an existing machine can be reached by
 * its id even after its region was removed from the settings. Returns false if the text cannot be
 * an id. */
bool stack_id_parse(struct text id, struct stack_id *out);
struct text stack_id_format(struct stack_call *work, struct text region, struct text server);

/* Finds a server of the cluster. GONE: there is certainly none, or it belongs to another cluster.
 * Other failures are reported. TRANSIENT also means that the server is new, or that its cell is
 * down. */
int32_t stack_server_get(struct stack_call *work, struct text cluster, struct text id,
                         struct doc *out, struct stack_machine *machine);

/* Delete a server and wait until it no longer exists. Failures are reported. */
int32_t stack_server_remove(struct stack_call *work, struct text region, struct text server);

/* ---- volume.c ---- */

/* A volume of a machine that is being created. */
struct stack_volume {
    struct text key;
    struct text id;
    bool has_kept_tag;
};

/* Finds or creates the volumes of the properties, and waits until they exist. The same request
 * always gets the same volumes. Failures are reported. */
int32_t stack_volumes_prepare(struct stack_call *work, const struct stack_shape *shape,
                              const struct reeve_wish_v1 *wanted, struct text region,
                              struct stack_volume out[static DISK_MAX]);

/* Returns the path of a volume's device in its machine. */
struct text stack_volume_device(struct stack_call *work, struct text id);

/* Attaches the volumes to a running server. Volumes that are already attached are skipped. */
int32_t stack_volumes_attach(struct stack_call *work, const struct stack_shape *shape,
                             struct text region, struct text server,
                             const struct stack_volume *volumes);

/* Deletes volumes of a server that was not created: volumes that would belong only to this machine,
 * and volumes that were never attached. */
int32_t stack_volumes_drop(struct stack_call *work, const struct stack_shape *shape,
                           const struct reeve_wish_v1 *wanted, struct text region);

/* Called before a server is deleted: writes the time to the metadata of the volumes that are
 * kept. */
int32_t stack_volumes_keep(struct stack_call *work, struct text region, const struct doc *server);

/* Deletes the volumes of a token that still exist after nova has deleted the server. */
int32_t stack_volumes_end(struct stack_call *work, struct text region, struct text token);

/* List the volumes of a cluster in a region as resources, or delete one of them. */
int32_t stack_volume_resources(struct stack_call *work, struct text region, struct text cluster);
int32_t stack_volume_destroy(struct stack_call *work, struct text region, struct text cluster,
                             struct text id);

/* ---- request.c ---- */

/* Makes the body of POST /servers, with the port, or with the network if `port` is empty. */
int32_t stack_server_body(struct stack_call *work, const struct reeve_wish_v1 *wanted,
                          struct stack_shape *shape, const struct stack_found *found,
                          const struct stack_volume *volumes, struct text port, struct text *out);

/* ---- create.c, change.c, listing.c, preflight.c ---- */

int32_t stack_create(struct stack_call *work, const struct reeve_wish_v1 *wanted);
int32_t stack_destroy(struct stack_call *work, struct text cluster, struct text id);
int32_t stack_label(struct stack_call *work, struct text cluster, struct text id,
                    struct text labels);
int32_t stack_reboot(struct stack_call *work, struct text cluster, struct text id);
int32_t stack_console(struct stack_call *work, struct text cluster, struct text id);
int32_t stack_describe(struct stack_call *work, const struct reeve_query_v1 *query);
int32_t stack_preflight(struct stack_call *work, const struct reeve_need_v1 *need);

/* Reads the last part of a server's console, for the host key or for display. */
int32_t stack_console_get(struct stack_call *work, struct text region, struct text server,
                          unsigned lines, struct stack_answer *out);

#endif
