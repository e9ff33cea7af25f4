#include "sys/heap.h"

#include "base/limits.h"
#include "base/mem.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first access to a page costs a trap, about 0.6 us on a virtual machine: a third of the time
 * to copy a large store into memory. So the heap is extended once, with advice to use large
 * pages. */

enum {
    TOP_PAD_BYTES = 128 * 1024,
    MAPPED_MAX = 65536,
    /* the allocator's own initial thresholds */
    UNUSED_PART = 16 /* of the memory in use: less is not worth the search */
};

void heap_prepare(void)
{
    mallopt(M_MMAP_THRESHOLD, LIMIT_HEAP_PIECE_BYTES);
    mallopt(M_TRIM_THRESHOLD, LIMIT_HEAP_SPARE_BYTES);
}

void heap_expect(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t start;
    uintptr_t end;
    void *first;

    if (bytes < LIMIT_HEAP_EXPECTED_MIN_BYTES) {
        return;
    }
    if (bytes > LIMIT_HEAP_EXPECTED_BYTES) {
        bytes = LIMIT_HEAP_EXPECTED_BYTES;
    }
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, (int)bytes);
    mallopt(M_MMAP_MAX, 0);
    first = rows_resize(NULL, LIMIT_HEAP_PIECE_BYTES); /* larger than the rest: the heap grows */
    end = (uintptr_t)sbrk(0);
    start = ((uintptr_t)first + page - 1) / page * page;
    if (end > start && end - start <= bytes + 2 * (size_t)LIMIT_HEAP_PIECE_BYTES) {
        madvise((void *)start, (end - start) / page * page, MADV_HUGEPAGE); /* or small ones */
    }
    rows_free(first);
    mallopt(M_MMAP_MAX, MAPPED_MAX);
    mallopt(M_TOP_PAD, TOP_PAD_BYTES);
}

void heap_settle(void)
{
    heap_prepare();
    malloc_trim(LIMIT_HEAP_SPARE_BYTES);
}

size_t heap_give_back(size_t known)
{
    struct mallinfo2 heap = mallinfo2();
    size_t known_now = known < heap.fordblks ? known : heap.fordblks;

    /* returned memory still counts as free: consider only the memory freed since */
    if (heap.fordblks - known_now > LIMIT_HEAP_UNUSED_BYTES &&
        heap.fordblks - known_now > heap.uordblks / UNUSED_PART) {
        malloc_trim(LIMIT_HEAP_UNUSED_BYTES / 4);
        known_now = heap.fordblks;
    }
    return known_now;
}

void heap_rest(void)
{
    malloc_trim(0);
}
