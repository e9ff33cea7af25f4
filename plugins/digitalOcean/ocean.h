#ifndef OCEAN_OCEAN_H
#define OCEAN_OCEAN_H

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

/* public names start with: ocean_ */

enum {
    OCEAN_LAG_MS = 60000,
    OCEAN_LATE_MS = 180000,
    OCEAN_CREATE_MS = 300000,
    /* Number of locks for tokens. Calls for two tokens that share a lock wait for each other, which
     * is harmless. */
    OCEAN_TOKEN_LOCKS = 64
};

/* Every droplet of reeve has this tag. A listing by this tag serves all clusters of the account. */
#define OCEAN_TAG "reeve"

/* The account's settings. */
struct ocean_settings {
    struct text endpoint; /* URL without /v2 and without a slash at its end */
    /* default region, if neither the zone nor the property names one; empty: none */
    struct text region;
    struct text proxy;
    struct text ca;
    int64_t requests_per_hour;
    uint64_t lag_ms; /* lag of listings; shorter than OCEAN_LAG_MS only in tests */
    /* time in which an unanswered create may take effect; shorter than OCEAN_LATE_MS only in
     * tests */
    uint64_t late_ms;
};

struct ocean_listing;

/* The loaded plugin. */
struct ocean {
    const struct reeve_host_v1 *host;
    struct arena *arena;
    struct ocean_settings settings;
    struct http *http;
    struct rate_limit *limit;
    struct rate_kind rates[2];
    struct journal journal;
    struct ocean_listing *listing; /* used by listing.c */
    pthread_mutex_t tokens[OCEAN_TOKEN_LOCKS];
};

/* One call from the host. */
struct ocean_call {
    struct ocean *ocean;
    struct reeve_call *call;
    struct arena *arena;
};

/* ---- settings.c ---- */

/* Reads the settings. If it returns false, *out_why is the error, which contains its pointer. */
bool ocean_settings_read(struct arena *arena, struct text json, struct ocean_settings *out,
                         const char **out_why);

/* ---- api.c ---- */

enum { OCEAN_RATE_ALL, OCEAN_RATE_KEYS };

struct ocean_request {
    const char *method;
    struct text path; /* path such as "/droplets?page=1" */
    struct text body; /* JSON; empty: none */
    enum classify_kind kind;
    enum http_priority priority;
    size_t rate; /* kind of rate limit: OCEAN_RATE_... */
};

struct ocean_answer {
    int32_t result; /* enum reeve_result; 404 is INVALID */
    unsigned status;
    struct doc doc;
    struct classify_attempt last;
};

/* Sends a request until it has a result. Nothing is reported. Returns answer->result. */
int32_t ocean_send(struct ocean_call *work, const struct ocean_request *request,
                   struct ocean_answer *out);

/* Sends a GET request for a path. */
int32_t ocean_get(struct ocean_call *work, struct text path, struct ocean_answer *out);

/* Reports why a request failed, at a pointer of the properties. Returns the result of the
 * request. */
int32_t ocean_refuse(struct ocean_call *work, const char *pointer, const char *what,
                     const struct ocean_answer *answer);

/* Reports a fault that the plugin found. Returns `result`. */
int32_t ocean_fault(struct ocean_call *work, int32_t result, const char *pointer,
                    const char *format, ...) PRINTF_LIKE(4, 5);

/* Reads all pages of a collection, and calls `each` for every item of the list `key`. If `each`
 * returns false, reading ends early. */
typedef bool ocean_on_item(void *arg, const struct doc *item);
int32_t ocean_pages(struct ocean_call *work, const char *path, const char *key, size_t rate,
                    ocean_on_item *each, void *arg, struct ocean_answer *out);

/* Append a text to a URL. */
struct text ocean_url(struct ocean_call *work, struct text text);

/* ---- shape.c ---- */

enum { OCEAN_LIST_MAX = 32 };

/* The properties of a machine. */
struct ocean_shape {
    struct text size;   /* slug; empty: chosen by family, memory and cpus */
    struct text family; /* prefix of the slugs: "s-" */
    int64_t memory_mb;  /* memory; 0: any */
    int64_t cpus;       /* cpus; 0: any */
    struct text image;
    struct text ssh_key; /* empty: none */
    struct text region;  /* region; empty: the region of the zone, or else of the settings */
    struct text vpc;     /* VPC by id or name; empty: the default VPC */
    struct text owner;
    struct text user;  /* login user; empty: root */
    bool is_private;   /* the machine has no public network at all */
    bool shows_public; /* the manager connects to the public address */
    struct text firewalls[OCEAN_LIST_MAX];
    size_t firewall_count;
    struct disk disks[DISK_MAX];
    size_t disk_count;
    const char *size_pointer; /* name of the property that selects the size, for faults */
};

/* Read the properties; every fault is reported. Returns OK or INVALID. */
int32_t ocean_shape_read(struct ocean_call *work, struct ocean_shape *out);

/* ---- size.c ---- */

/* Chooses a size from the provider's list. The size is either given by its slug, or it is the
 * smallest sufficient size of the family: least memory, then fewest cpus, then cheapest. The size
 * must be available in all regions. Returns NULL if there is none. Pure. */
const struct doc *ocean_size_choose(const struct doc *sizes, const struct ocean_shape *shape,
                                    const struct text *regions, size_t region_count);

/* Returns, for the message of a fault, the slugs of the sizes in these regions that are nearest to
 * the request. */
struct text ocean_size_nearest(struct arena *arena, const struct doc *sizes,
                               const struct ocean_shape *shape, const struct text *regions,
                               size_t region_count);

/* ---- resolve.c ---- */

/* The provider's objects that a create needs. */
struct ocean_found {
    struct text size;
    struct text price; /* price per hour, as a JSON number; empty: unknown */
    struct text image; /* image: a number or a slug */
    struct text ssh_key;
    struct text vpc;
    struct text firewall_tags[OCEAN_LIST_MAX];
    size_t firewall_tag_count;
};

/* Finds size, image, key, VPC and firewalls. Faults are reported at their pointers. With `fresh`,
 * pins and caches are not used. Returns OK if all were found; otherwise *out is incomplete. */
int32_t ocean_resolve(struct ocean_call *work, const struct ocean_shape *shape,
                      const struct text *regions, size_t region_count, bool is_fresh,
                      struct ocean_found *out);

/* ---- machine.c ---- */

/* The data in the tags of a droplet. */
struct ocean_machine {
    struct tag_codec_tags tags; /* tags of the create request */
    /* The tags that only this droplet has. */
    struct tag_codec_words words;
    /* TENANT/ID; empty: the droplet does not belong to reeve, or has no tags yet */
    struct text cluster;
    struct text token;
    /* User tags of its labels. After an interrupted change, these are old and new tags. */
    struct tag_codec_words user_words;
    struct text labels; /* canonical JSON {"labels": ..., "owner": ...}; empty: none */
    struct text user;   /* login user; empty: root */
    bool shows_public;
};

/* Reads a droplet. If its tags are not set yet, they come from the journal. */
void ocean_machine_read(struct ocean_call *work, const struct doc *droplet,
                        struct ocean_machine *out);

/* Returns the tags of the create request, and the tag that contains labels, user and address. */
struct tag_codec_tags ocean_machine_tags(struct arena *arena, const struct ocean_machine *machine);

/* Returns the words for these tags. Only this droplet has them. */
struct tag_codec_words ocean_machine_words(struct arena *arena,
                                           const struct ocean_machine *machine);

/* Returns the user tags for the labels, such as "env:prod". */
struct tag_codec_words ocean_label_words(struct arena *arena, struct text labels);

/* Report a droplet as a row. */
void ocean_machine_row(struct ocean_call *work, const struct doc *droplet,
                       const struct ocean_machine *machine);

/* ---- droplet.c ---- */

int32_t ocean_create(struct ocean_call *work, const struct reeve_wish_v1 *request);
int32_t ocean_destroy(struct ocean_call *work, struct text cluster, struct text id);
int32_t ocean_reboot(struct ocean_call *work, struct text cluster, struct text id);

/* Waits before the next check. Returns false if the call has too little time. The first wait
 * depends on the rate limit of the account; each further wait is twice as long. */
bool ocean_wait(struct ocean_call *work, uint64_t *inout_ms);
uint64_t ocean_first_wait(const struct ocean *ocean);

/* Finds a droplet of the cluster by its id. OK: *out and *machine are set. GONE: there is certainly
 * none, or it belongs to another cluster. Other results are reported. TRANSIENT also means that the
 * droplet is new and may be visible later. */
int32_t ocean_droplet_get(struct ocean_call *work, struct text cluster, struct text id,
                          struct doc *out, struct ocean_machine *machine);

/* ---- volume.c ---- */

/* A volume of a droplet that is being created. */
struct ocean_volume {
    struct text key; /* name of the volume */
    struct text id;
};

/* Finds or creates the volumes of a droplet. The same request always gets the same volumes.
 * Failures are reported. */
int32_t ocean_volumes_prepare(struct ocean_call *work, const struct ocean_shape *shape,
                              const struct reeve_wish_v1 *wanted, struct text region,
                              struct ocean_volume out[static DISK_MAX]);

/* Called after the droplet was created: deletes the entries of its volumes from the journal. */
void ocean_volumes_settle(struct ocean_call *work, const struct ocean_shape *shape,
                          const struct reeve_wish_v1 *wanted);

/* Deletes the volumes of a droplet that was not created: volumes that would belong only to this
 * droplet, and volumes that were never attached. */
int32_t ocean_volumes_drop(struct ocean_call *work, const struct ocean_shape *shape,
                           const struct reeve_wish_v1 *wanted, struct text region);

/* Called before a droplet is deleted: writes to the journal which of its volumes will be deleted
 * with it. */
int32_t ocean_volumes_going(struct ocean_call *work, struct text droplet, const struct doc *shown);

/* Called after a droplet was deleted: deletes these volumes. Returns OK or UNKNOWN. */
int32_t ocean_volumes_end(struct ocean_call *work, struct text droplet);

int32_t ocean_resources(struct ocean_call *work, struct text cluster);
int32_t ocean_resource_destroy(struct ocean_call *work, struct text cluster, struct text kind,
                               struct text id);

/* ---- labels.c ---- */

int32_t ocean_label(struct ocean_call *work, struct text cluster, struct text id,
                    struct text labels);

/* Deletes these tags from the account. */
int32_t ocean_tags_delete(struct ocean_call *work, const struct tag_codec_words *words);

/* ---- listing.c ---- */

struct ocean_listing *ocean_listing_new(void);
void ocean_listing_free(struct ocean_listing *listing);
int32_t ocean_describe(struct ocean_call *work, const struct reeve_query_v1 *query);

/* ---- preflight.c ---- */

int32_t ocean_preflight(struct ocean_call *work, const struct reeve_need_v1 *need);

#endif
