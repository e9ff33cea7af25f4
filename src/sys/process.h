#ifndef REEVE_SYS_PROCESS_H
#define REEVE_SYS_PROCESS_H

#include "base/mem.h"

#include <stddef.h>
#include <stdint.h>

/* public names start with: process_ heap_ */

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

/* How the process gets memory from the system and returns it. This applies to the main thread,
 * because its heap grows in one piece. Other allocators, such as that of a sanitizer, are not
 * affected. */

/* Call at the start of a long-running process. The memory of a large request then returns to the
 * system with the request. By default the allocator adapts after the first large block and keeps
 * such blocks. */
void heap_prepare(void);

/* Announce that about this many bytes will be allocated soon in small pieces, most of which stay.
 * Their address space is reserved in one step, with pages as large as the system provides. Unused
 * pages cost nothing. Below LIMIT_HEAP_EXPECTED_MIN_BYTES nothing is done. */
void heap_expect(size_t bytes);

/* End of the announced allocations: the unused rest is returned. */
void heap_settle(void);

/* Call from time to time after work was done. Work on thousands of machines leaves free fragments
 * between the memory that stays in use. They are returned if they are large enough; else nothing is
 * done. `known` is the result of the previous call; 0 for the first call. */
size_t heap_give_back(size_t known);

/* Call before an idle time: all free memory is returned. */
void heap_rest(void);

#endif
