#ifndef AWS_AWS_H
#define AWS_AWS_H

#include "base/mem.h"
#include "base/text.h"
#include "http.h"
#include "journal.h"
#include "rate_limit.h"
#include "reeve/plugin.h"
#include "single_flight.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* public names start with: aws_ */

enum {
    AWS_LAG_MS = 300000,
    AWS_LATE_MS = 120000,
    AWS_CREATE_MS = 300000,
    AWS_CALLS_MAX = 16,
    AWS_REGIONS_MAX = 32,
    AWS_ROLES_MAX = 8,
    AWS_KEY_BYTES = 160,
    AWS_SESSION_BYTES = 8192,
    AWS_CONSOLES_MAX = 256,
    AWS_IMAGES_MAX = 16,
    AWS_IMAGE_KEY_BYTES = 256,
    AWS_IMAGE_ID_BYTES = 32
};

/* Kinds of calls. Each kind has a separate rate limit in each region. */
enum aws_rate {
    AWS_RATE_RUN,
    AWS_RATE_TERMINATE,
    AWS_RATE_DESCRIBE,
    AWS_RATE_CHANGE,
    AWS_RATE_CONSOLE
};

struct aws_settings {
    struct text *regions; /* regions; the first is the default region */
    size_t region_count;
    struct text endpoint; /* such as "http://127.0.0.1:4000" for all services; empty: Amazon's */
    struct text suffix;   /* domain of the partition: "amazonaws.com" */
    struct text ca;
    struct text proxy;
    bool is_sharing; /* with many clusters, one listing is shared by all of them (share.h) */
};

/* Keys that sign requests. Wiped after use. */
struct aws_keys {
    char id[AWS_KEY_BYTES];
    char secret[AWS_KEY_BYTES];
    char session[AWS_SESSION_BYTES];
    int64_t expires_s; /* end of validity, in s since 1970; 0: never */
};

/* Keys of an assumed role or of this computer's instance role, cached until shortly before they
 * expire. */
struct aws_role {
    unsigned char hash[32]; /* hash of the account's secret, so that accounts share no keys */
    struct aws_keys keys;
    uint64_t used; /* counter value at the last use; the least recently used slot is replaced */
};

/* The loaded plugin. */
struct aws {
    const struct reeve_host_v1 *host;
    struct arena *arena; /* members from here on are written only at the start */
    struct aws_settings settings;
    struct http *http;
    struct rate_limit *limit;
    struct token_locks *locks;
    struct share *share;
    struct journal journal;
    pthread_mutex_t mutex;  /* protects the members up to role_mutex */
    int64_t clock_offset_s; /* difference between the provider's clock and this computer's clock */
    /* When the console of a machine was last read, by a hash of its id. */
    struct {
        uint64_t hash;
        uint64_t at_ms;
    } consoles[AWS_CONSOLES_MAX];
    /* Cache of resolved image names (image.h). */
    struct {
        char key[AWS_IMAGE_KEY_BYTES];
        char id[AWS_IMAGE_ID_BYTES];
        uint64_t at_ms; /* 0: unused */
    } images[AWS_IMAGES_MAX];
    /* Protects the members below. It is held while keys are renewed, so that only one call renews
     * them. */
    pthread_mutex_t role_mutex;
    struct aws_role roles[AWS_ROLES_MAX];
    uint64_t role_uses;
};

/* One call and its memory. */
struct aws_work {
    struct aws *aws;
    struct reeve_call *call;
    struct arena *arena;
    bool has_keys;
    bool has_renewable_keys;
    /* The call is a preflight: a check that is not possible now is reported as a notice, not as a
     * fault. */
    bool is_preflight;
    size_t fault_count;
    struct text last_fault; /* the message of the last fault */
    struct aws_keys keys;
};

/* Reports a fault at a pointer of the properties ("": none). Returns `result`. */
int32_t aws_refuse(struct aws_work *work, int32_t result, const char *pointer, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

/* Writes a line to the manager's log. */
void aws_log(const struct aws *aws, int32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads the settings. Logs each error with its pointer below /settings. Returns false if there are
 * errors. */
bool aws_settings_read(struct aws *aws, struct text json);

/* True if the region is one of the settings. */
bool aws_region_is_set(const struct aws *aws, struct text region);

/* Returns the region of a zone: "eu-west-1" for "eu-west-1a". Empty: the text is not the name of a
 * zone. */
struct text aws_zone_region(struct text zone);

/* Splits an id, REGION/i-0123456789abcdef0. Returns false if the text is not an id. */
bool aws_id_split(struct text id, struct text *out_region, struct text *out_instance);

/* Converts a text of the host. The bytes are not copied. */
static inline struct text aws_text(struct reeve_text text)
{
    return (struct text){ text.bytes, text.length };
}

/* Converts a text for the host. The bytes are not copied. */
static inline struct reeve_text aws_answer(struct text text)
{
    return (struct reeve_text){ text.data, text.length };
}

/* True if the machine's record is younger than the lag of listings, so that "not found" does not
 * prove that the machine is gone. In that case also sets the time before a retry. */
bool aws_is_young(struct aws_work *work, struct text id);

/* The functions of the plugin interface (reeve/plugin.h). */
int32_t aws_create(struct aws_work *work, const struct reeve_wish_v1 *request);
int32_t aws_destroy(struct aws_work *work, struct text cluster, struct text id);
int32_t aws_describe(struct aws_work *work, const struct reeve_query_v1 *query);
int32_t aws_label(struct aws_work *work, struct text cluster, struct text id, struct text labels);
int32_t aws_reboot(struct aws_work *work, struct text cluster, struct text id);
int32_t aws_console(struct aws_work *work, struct text cluster, struct text id);
int32_t aws_resources(struct aws_work *work, struct text cluster);
int32_t aws_resource_destroy(struct aws_work *work, struct text cluster, struct text name,
                             struct text id);
int32_t aws_preflight(struct aws_work *work, const struct reeve_need_v1 *need);

#endif
