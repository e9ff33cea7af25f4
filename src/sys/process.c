#include "sys/process.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"
#include "sys/fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Return the number of resident pages: the second number of statm. */
static uint64_t resident_pages(void)
{
    AUTO(fd) fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char bytes[128];
    ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
    struct text text = { bytes, length < 0 ? 0 : (size_t)length };
    struct text rest = text_slice(text, text_find_byte(text, ' ') + 1, text.length);
    int64_t pages = 0;

    return text.length > 0 &&
                   text_parse_int64(text_slice(rest, 0, text_find_byte(rest, ' ')), &pages)
               ? (uint64_t)pages
               : 0;
}

static uint64_t open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    uint64_t count = 0;

    if (folder == NULL) {
        return 0;
    }
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count < 3 ? 0 : count - 3; /* without `.`, `..` and the descriptor of the folder
                                       * itself */
}

struct process_cost process_cost(void)
{
    struct rusage usage = { 0 };
    struct process_cost cost = {
        .resident_bytes = resident_pages() * (uint64_t)sysconf(_SC_PAGESIZE),
        .open_files = open_files(),
    };

    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        cost.cpu_us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                      (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return cost;
}

struct text process_folder(struct arena *arena)
{
    char path[LIMIT_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
    struct text text = { path, length < 0 ? 0 : (size_t)length };

    while (text.length > 0 && text.data[text.length - 1] != '/') {
        text.length--;
    }
    return text.length < 2 ? TEXT("/") : arena_text(arena, text_slice(text, 0, text.length - 1));
}

/* The first access to a page costs a trap, about 0.6 us on a virtual machine: a third of the time
 * that it takes to copy a large store into memory. So the heap is extended once, with the advice to
 * use large pages. */

enum {
    TOP_PAD_BYTES = 128 * 1024,
    MAPPED_MAX = 65536,
    /* initial thresholds of the allocator, in bytes */
    /* a search for unused memory is worthwhile only if more than this fraction of the used memory
     * is free */
    UNUSED_PART = 16
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
    /* larger than the free rest of the heap, so that the heap grows */
    first = rows_resize(NULL, LIMIT_HEAP_PIECE_BYTES);
    end = (uintptr_t)sbrk(0);
    start = ((uintptr_t)first + page - 1) / page * page;
    if (end > start && end - start <= bytes + 2 * (size_t)LIMIT_HEAP_PIECE_BYTES) {
        /* only advice: the system may use small pages nevertheless */
        madvise((void *)start, (end - start) / page * page, MADV_HUGEPAGE);
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

    /* returned memory still counts as free, so consider only memory that was freed since the
     * previous call */
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
