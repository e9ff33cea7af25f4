#ifndef LOCAL_SHAPE_H
#define LOCAL_SHAPE_H

#include "machine.h"

/* What the properties ask for. */
struct shape {
    struct text image;
    struct text user;
    struct text ssh_key;   /* may be empty */
    int64_t cpus_milli;    /* 0: as many as there are */
    uint64_t memory_bytes; /* 0: as much as there is */
    size_t volume_count;
    struct machine_volume volumes[MACHINE_VOLUMES_MAX];
};

/* Read them by the host's `value`. Every fault is told, each with its place; then the answer is
 * REEVE_INVALID. */
int32_t shape_read(struct work *work, struct shape *out);

#endif
