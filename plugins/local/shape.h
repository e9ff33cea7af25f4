#ifndef LOCAL_SHAPE_H
#define LOCAL_SHAPE_H

#include "machine.h"

/* The machine's properties. */
struct shape {
    struct text image;
    struct text user;
    struct text ssh_key;   /* may be empty */
    int64_t cpus_milli;    /* thousandths of a processor; 0: no limit */
    uint64_t memory_bytes; /* memory in bytes; 0: no limit */
    size_t volume_count;
    struct machine_volume volumes[MACHINE_VOLUMES_MAX];
};

/* Reads the properties through the host's `value`. Reports all faults, each with its place. The
 * result is REEVE_INVALID if there are faults. */
int32_t shape_read(struct work *work, struct shape *out);

#endif
