#ifndef LOCAL_MACHINE_H
#define LOCAL_MACHINE_H

#include "work.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* public names start with: machine_ */

enum {
    MACHINE_VOLUMES_MAX = 32,
    MACHINE_TAGS_MAX = 64,
    MACHINE_META_BYTES = 1024 * 1024,
    MACHINE_ID_BYTES = 26, /* "1f2e3d4c-0123456789abcdef" and its NUL */
};

enum machine_keep { MACHINE_KEEP_SLOT, MACHINE_KEEP_NODE, MACHINE_KEEP_ALWAYS, MACHINE_KEEP_COUNT };

/* A disk of a machine. */
struct machine_volume {
    struct text name;
    struct text mount; /* absolute path in the machine; empty: /volumes/NAME */
    struct text key;   /* its files are in volumes/KEY */
    uint64_t size_bytes;
    enum machine_keep keep;
};

/* The record of a machine, in machines/ID/meta.json. It lives in the reader's arena. */
struct machine {
    const char *id;
    struct text cluster;
    struct text token;
    struct text name;
    struct text zone;
    struct text labels;    /* canonical JSON, as received */
    struct text image;     /* image as requested */
    struct text layer;     /* folder of its image below images/ */
    struct text isolation; /* name of the runtime */
    struct text user;
    uint32_t address;
    int64_t cpus_milli;    /* thousandths of a processor; 0: no limit */
    uint64_t memory_bytes; /* memory in bytes; 0: no limit */
    size_t volume_count;
    struct machine_volume volumes[MACHINE_VOLUMES_MAX];
    size_t tag_count;
    struct reeve_tag tags[MACHINE_TAGS_MAX];
    bool is_host;  /* image: host */
    bool is_going; /* the destruction of the machine has begun */
};

/* Functions of the plugin interface (reeve/plugin.h). */
int32_t machine_create(struct work *work, const struct reeve_wish_v1 *request);
int32_t machine_destroy(struct work *work, struct text cluster, struct text id);
int32_t machine_describe(struct work *work, const struct reeve_query_v1 *query);
int32_t machine_label(struct work *work, struct text cluster, struct text id, struct text labels);
int32_t machine_reboot(struct work *work, struct text cluster, struct text id);

/* Completes removals that a killed process has left unfinished. */
void machine_sweep(struct work *work);

#endif
