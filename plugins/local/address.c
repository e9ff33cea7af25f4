#include "address.h"

#include "disk.h"
#include "lock.h"
#include "sys/fd.h"

#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Called for each allocation. Returns true to end the iteration. */
typedef bool claim_fn(struct work *work, int folder, const char *name, const char *id, void *arg);

/* Iterates over all allocations. Returns false if the folder cannot be read. */
static bool walk(struct work *work, claim_fn *each, void *arg)
{
    DIR *entries = opendir(work_path(work, "addresses"));
    const struct dirent *entry;
    char id[NAME_MAX + 1];

    if (entries == NULL) {
        return false;
    }
    while ((entry = readdir(entries)) != NULL) {
        ssize_t length = readlinkat(dirfd(entries), entry->d_name, id, sizeof(id) - 1);

        if (length > 0) {
            id[length] = '\0';
            if (each(work, dirfd(entries), entry->d_name, id, arg)) {
                break;
            }
        }
    }
    (void)closedir(entries);
    return true;
}

/* A search for the allocation of one machine. */
struct search {
    const char *id;
    uint32_t address; /* 0: none */
};

static bool find_own(struct work *work, int folder, const char *name, const char *id, void *arg)
{
    struct search *search = arg;
    struct in_addr address;

    (void)work;
    (void)folder;
    if (strcmp(id, search->id) == 0 && inet_pton(AF_INET, name, &address) == 1) {
        search->address = ntohl(address.s_addr);
    }
    return search->address != 0;
}

/* Returns whether a machine may have this address. The first address belongs to the bridge. */
static bool is_for_machines(const struct range *range, uint32_t address)
{
    return address > range->first + 1 && address < range->last;
}

uint32_t address_claim(struct work *work, const char *id)
{
    const struct range *range = &work->local->settings.range;
    struct search search = { .id = id };

    if (!walk(work, find_own, &search)) {
        return 0;
    }
    if (search.address != 0 && is_for_machines(range, search.address)) {
        return search.address;
    }
    for (uint32_t address = range->first + 2; address < range->last; address++) {
        struct arena_mark mark = arena_mark(work->arena);
        const char *path = work_path(work, "addresses/%s", settings_address(work->arena, address));
        bool is_ours = symlink(id, path) == 0;

        arena_rewind(work->arena, mark);
        if (is_ours) {
            return address;
        }
        if (errno != EEXIST) {
            return 0;
        }
    }
    errno = EADDRNOTAVAIL;
    return 0;
}

static bool free_own(struct work *work, int folder, const char *name, const char *id, void *arg)
{
    (void)work;
    if (strcmp(id, (const char *)arg) == 0) {
        (void)unlinkat(folder, name, 0);
    }
    /* continue, because a killed process may have left a second allocation from another range */
    return false;
}

bool address_free(struct work *work, const char *id)
{
    char name[NAME_MAX + 1];

    assert(strlen(id) <= NAME_MAX);
    memcpy(name, id, strlen(id) + 1);
    return walk(work, free_own, name);
}

static bool see_any(struct work *work, int folder, const char *name, const char *id, void *arg)
{
    (void)work;
    (void)folder;
    (void)name;
    (void)id;
    *(bool *)arg = true;
    return true;
}

bool address_is_any(struct work *work)
{
    bool is_any = false;

    return !walk(work, see_any, &is_any) || is_any;
}

/* Releases an allocation that has no machine. This is safe with the machine's lock, which a create
 * holds from the allocation until the machine is listed. */
static bool sweep_one(struct work *work, int folder, const char *name, const char *id, void *arg)
{
    AUTO(fd) lock = lock_try(work, id);

    (void)arg;
    if (lock >= 0 && !disk_is_there(work_path(work, "machines/%s", id))) {
        (void)unlinkat(folder, name, 0);
    }
    return false;
}

void address_sweep(struct work *work)
{
    (void)walk(work, sweep_one, NULL);
}
