#ifndef COMMON_DISK_H
#define COMMON_DISK_H

#include "first_start.h"
#include "property.h"

/* names: disk_ */

/* Additional disks of a machine: the portable property `volumes`. */

enum { DISK_MAX = 11, DISK_KEY_BYTES = 26 };

struct disk {
    struct text name;
    int64_t gib;
    struct text type;  /* disk type of the provider; empty: its default */
    struct text mount; /* absolute path; empty: not mounted */
    struct text keep;  /* slot, node or always */
    bool is_node;      /* keep: node, so the disk is deleted with its machine */
};

/* Reads /volumes. Each fault is reported at its pointer. Returns the number of disks. */
size_t disk_read(struct property *property, int64_t most_gib, struct disk out[static DISK_MAX]);

/* Returns the key of a disk, 26 bytes of [a-z0-9-]: a digest of its slot, or with `keep: node` of
 * the token of the request. */
struct text disk_key(struct arena *arena, struct text name, bool is_node,
                     const struct reeve_wish_v1 *request);

#endif
