#include "sys/process.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/text.h"
#include "sys/fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Resident pages: the second number of statm. */
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
    return count < 3 ? 0 : count - 3; /* without . and .. and the folder itself */
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
