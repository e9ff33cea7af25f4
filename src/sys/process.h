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
    uint64_t open_files; /* number of open descriptors; 0: not known */
};

/* Return the folder that contains this program's file. The text lives in the arena. */
struct text process_folder(struct arena *arena);

/* Measure the current use. This reads files in /proc, so do not call it often. */
struct process_cost process_cost(void);

/* Controls how the process gets memory from the system and returns it. The functions affect only
 * the heap of the main thread, because it grows in one piece. Other allocators, such as that of a
 * sanitizer, are not affected. */

/* Call at the start of a long-running process. Then the memory of a large request returns to the
 * system when the request ends. By default the allocator adapts after the first large block, and
 * keeps such blocks. */
void heap_prepare(void);

/* Announce that about this many bytes will be allocated soon in small pieces, most of which stay.
 * Their address space is reserved in one step, with large pages if the system provides them. Unused
 * pages cost nothing. Below LIMIT_HEAP_EXPECTED_MIN_BYTES nothing is done. */
void heap_expect(size_t bytes);

/* End the announced allocations and return the unused rest to the system. */
void heap_settle(void);

/* Call this from time to time after work. Work on thousands of machines leaves free fragments
 * between used memory. If they are large enough, they are returned to the system. `known` is the
 * result of the previous call; 0 for the first call. */
size_t heap_give_back(size_t known);

/* Call this before an idle time. It returns all free memory to the system. */
void heap_rest(void);

#endif
