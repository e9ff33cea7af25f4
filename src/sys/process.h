#ifndef REEVE_SYS_PROCESS_H
#define REEVE_SYS_PROCESS_H

#include <stdint.h>

#include "base/mem.h"

/* What this process costs. */
struct process_cost {
    uint64_t resident_bytes;
    uint64_t cpu_us;
    uint64_t open_files; /* 0 = not known */
};

/* The folder that this program's file stands in. */
struct text process_folder(struct arena *arena);

/* Measured now; reads /proc, which is not free. */
struct process_cost process_cost(void);

#endif
