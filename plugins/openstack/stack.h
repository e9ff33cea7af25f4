#ifndef STACK_STACK_H
#define STACK_STACK_H

#include "base/mem.h"
#include "classify.h"
#include "codec/doc.h"
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

/* names: stack_ */

enum {
    STACK_LAG_MS = 30000,
    STACK_LATE_MS = 300000,
    STACK_CREATE_MS = 300000,
    STACK_REGIONS_MAX = 16,
    STACK_LIST_MAX = 32,
    STACK_TOKEN_BYTES = 8192,
    /* Locks of tokens: two tokens of one lock only wait for each other. */
    STACK_TOKEN_LOCKS = 64
};

/* The account's settings. */
struct stack_settings {
    struct text endpoint;  /* of keystone, with /v3; empty: OS_AUTH_URL */
    struct text interface; /* of the catalog; empty: OS_INTERFACE, or public */
    struct text proxy;
    struct text ca;
    struct text regions[STACK_REGIONS_MAX]; /* none: OS_REGION_NAME, or the only one */
    size_t region_count;
    uint64_t lag_ms;  /* shorter than STACK_LAG_MS in tests only */
    uint64_t late_ms; /* shorter than STACK_LATE_MS in tests only */
};

/* The token of the last credential, and the catalog that came with it. Protected by its mutex. */
struct stack_access {
    pthread_mutex_t mutex;
    char token[STACK_TOKEN_BYTES]; /* empty: none */
    uint64_t credential_hash;
    uint64_t renew_at_ms;
    struct arena *arena; /* of the catalog; NULL: none */
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

/* One call of the host. */
struct stack_call {
    struct stack *stack;
    struct reeve_call *call;
    struct arena *arena;
    struct openrc account;                  /* set by stack_begin() */
    struct text regions[STACK_REGIONS_MAX]; /* the same */
    size_t region_count;
};

/* ---- settings.c ---- */

bool stack_settings_read(struct arena *arena, struct text json, struct stack_settings *out,
                         const char **out_why);

/* ---- token.c ---- */

/* Read the account and its regions. Returns OK, or a failure that is reported. */
int32_t stack_begin(struct stack_call *work);

/* Copy the token for the next request into `out`. `is_fresh`: the last one was refused. Returns OK,
 * or the result of the refusal, with *last set. */
int32_t stack_access_get(struct stack_call *work, bool is_fresh, char out[static STACK_TOKEN_BYTES],
                         struct classify_attempt *last);

/* The endpoint of a service in a region, in the call's arena; empty: the catalog has none. */
struct text stack_endpoint(struct stack_call *work, const char *type, struct text region);

/* ---- api.c ---- */

enum stack_service { STACK_COMPUTE, STACK_NETWORK, STACK_IMAGE, STACK_VOLUME };

struct stack_request {
    const char *method;
    enum stack_service service;
    struct text region;
    struct text path; /* below the version: "/servers" */
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

/* Send a request until it has a result. Nothing is reported. Returns answer->result. */
int32_t stack_send(struct stack_call *work, const struct stack_request *request,
                   struct stack_answer *out);
int32_t stack_get(struct stack_call *work, enum stack_service service, struct text region,
                  struct text path, struct stack_answer *out);

/* Whether the service itself answered that there is no such object. */
bool is_stack_missing(const struct stack_answer *answer);

/* Report why a request failed, at a pointer of the properties. Returns its result. */
int32_t stack_refuse(struct stack_call *work, const char *pointer, const char *what,
                     const struct stack_answer *answer);

/* Report a fault of the plugin's own. Returns `result`. */
int32_t stack_fault(struct stack_call *work, int32_t result, const char *pointer,
                    const char *format, ...) PRINTF_LIKE(4, 5);

/* Report an answer without the list that was asked for, which says nothing about what there is.
 * Returns TRANSIENT. */
int32_t stack_no_list(struct stack_call *work, const char *pointer, const char *key);

/* The class of the fault of a server in ERROR. */
int32_t stack_fault_class(struct text message);

/* Set retry_after. */
void stack_retry_after(struct stack_call *work, uint64_t milliseconds);

/* Wait before the next look at something; the wait doubles. Returns false if the call has no time
 * for it. */
bool stack_wait(struct stack_call *work, uint64_t *inout_ms);
enum { STACK_POLL_FIRST_MS = 250 };

/* A text in a URL. JSON of a map that a builder has. */
struct text stack_url(struct stack_call *work, struct text text);
struct text stack_json(struct stack_call *work, struct doc_builder *builder);

/* ---- shape.c ---- */

/* The properties of a machine. */
struct stack_shape {
    struct text flavor;
    struct text image;
    struct text key;    /* name of a keypair; empty: none */
    struct text region; /* empty: the first of the account */
    struct text subnet;
    struct text network;
    struct text external; /* network of floating addresses; empty: the only one */
    struct text server_group;
    struct text owner;
    struct text user;
    struct text boot_type; /* volume type; empty: the default one */
    int64_t boot_gb;       /* 0: the disk of the flavor */
    bool is_public;
    bool is_portless;
    bool has_config_drive;
    struct text groups[STACK_LIST_MAX];
    size_t group_count;
};

/* Read the properties; every fault is reported. Returns OK or INVALID. */
int32_t stack_shape_read(struct stack_call *work, struct stack_shape *out);

/* ---- resolve.c ---- */

/* What a create needs to know from the provider. */
struct stack_found {
    struct text flavor;
    struct text image;
    struct text network;
    struct text subnet;   /* empty: any of the network */
    struct text external; /* empty: no floating address */
    struct text server_group;
    struct text groups[STACK_LIST_MAX];
    /* For preflight. */
    int64_t flavor_ram;
    int64_t flavor_cpus;
    int64_t flavor_disk;
    struct text architecture;
};

/* Find everything that the shape names, in a region. Faults are reported at their pointers. With
 * `is_fresh`, pins are not used. Returns OK if all were found; otherwise *out is incomplete. */
int32_t stack_resolve(struct stack_call *work, const struct stack_shape *shape, struct text region,
                      bool is_fresh, struct stack_found *out);

/* The default login user of an image. */
struct text stack_user(const struct stack_shape *shape);

/* ---- machine.c ---- */

/* What the metadata of a server states. */
struct stack_machine {
    struct tag_codec_tags tags; /* those of the create request */
    struct text cluster;        /* empty: the server is not one of reeve */
    struct text token;
    struct text user;
    struct text image; /* from which it was made */
    bool shows_public;
};

void stack_machine_read(struct arena *arena, const struct doc *server, struct stack_machine *out);

/* The metadata of a new server. Returns false if it does not fit. */
bool stack_metadata(struct arena *arena, const struct reeve_wish_v1 *wanted,
                    const struct stack_shape *shape, struct text image, struct doc *out);

/* The metadata that the labels are. Returns false if they do not fit. */
bool stack_label_metadata(struct arena *arena, struct text labels, struct doc *out);

/* Report a server as a row. With `is_single`, its host key is looked for. */
void stack_machine_row(struct stack_call *work, struct text region, const struct doc *server,
                       const struct stack_machine *machine, bool is_single);

/* Whether nova shows a server that no longer exists. */
bool is_stack_deleted(const struct doc *server);

/* ---- port.c ---- */

/* A port by its name, which has the token. */
struct stack_port {
    struct text id;     /* empty: there is none */
    struct text device; /* the server that it is bound to; empty: none */
};

/* Find the port of a token. Of several, the bound one or the lowest id is taken, and with
 * `is_exclusive` the other unbound ones are deleted. Failures are reported. */
int32_t stack_port_find(struct stack_call *work, struct text region, struct text token,
                        bool is_exclusive, struct stack_port *out);
int32_t stack_port_create(struct stack_call *work, struct text region, struct text token,
                          struct text cluster, const struct stack_found *found, size_t group_count,
                          struct text *out_id);

/* Delete the ports and floating addresses of a token, except a port that another server than `id`
 * has. */
int32_t stack_ports_delete(struct stack_call *work, struct text region, struct text token,
                           struct text id);

/* Give the port of a token a floating address, if it has none. */
int32_t stack_floating_create(struct stack_call *work, struct text region, struct text token,
                              struct text cluster, struct text external);

/* The ports and floating addresses of a cluster, and the deletion of one. */
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

/* Parse an id. Its region need not be one of the settings: a machine that exists can be reached by
 * its id after its region was removed from them. Returns false if it cannot be an id. */
bool stack_id_parse(struct text id, struct stack_id *out);
struct text stack_id_format(struct stack_call *work, struct text region, struct text server);

/* Find a server of the cluster. GONE: there is none, which is certain, or it belongs to another
 * cluster. Other failures are reported; TRANSIENT among them: it is young, or its cell is down. */
int32_t stack_server_get(struct stack_call *work, struct text cluster, struct text id,
                         struct doc *out, struct stack_machine *machine);

/* Delete a server and wait until it is gone. Failures are reported. */
int32_t stack_server_remove(struct stack_call *work, struct text region, struct text server);

/* ---- request.c ---- */

/* The body of POST /servers, with a port or, if it is empty, the network. */
int32_t stack_server_body(struct stack_call *work, const struct reeve_wish_v1 *wanted,
                          struct stack_shape *shape, const struct stack_found *found,
                          struct text port, struct text *out);

/* ---- create.c, change.c, listing.c, preflight.c ---- */

int32_t stack_create(struct stack_call *work, const struct reeve_wish_v1 *wanted);
int32_t stack_destroy(struct stack_call *work, struct text cluster, struct text id);
int32_t stack_label(struct stack_call *work, struct text cluster, struct text id,
                    struct text labels);
int32_t stack_reboot(struct stack_call *work, struct text cluster, struct text id);
int32_t stack_console(struct stack_call *work, struct text cluster, struct text id);
int32_t stack_describe(struct stack_call *work, const struct reeve_query_v1 *query);
int32_t stack_preflight(struct stack_call *work, const struct reeve_need_v1 *need);

/* The end of a server's console, whose host key or text is wanted. */
int32_t stack_console_get(struct stack_call *work, struct text region, struct text server,
                          unsigned lines, struct stack_answer *out);

#endif
