#ifndef REEVE_SYS_PROCESS_H
#define REEVE_SYS_PROCESS_H

#include <stdint.h>

#include "base/mem.h"

/* Resources used by this process. */
struct process_cost {
    uint64_t resident_bytes;
    uint64_t cpu_us;
    uint64_t open_files; /* 0: not known */
};

/* The folder of the program's file. The text lives in the arena. */
struct text process_folder(struct arena *arena);

/* Measure now. It reads /proc, which has a cost. */
struct process_cost process_cost(void);

#endif
