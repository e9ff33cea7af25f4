#include "disk.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { SECTOR = 512, FILES_MAX = 64, NAME_BYTES = 256 };

struct inode {
    struct inode *next; /* next of all files that were ever created */
    unsigned char *seen;
    unsigned char *safe;
    unsigned char *waits; /* for each sector: whether it was written since the last sync */
    size_t waits_end;     /* from this sector on, no sector is unsynced */
    size_t room;          /* allocated size of both sides */
    size_t seen_bytes;
    size_t safe_bytes;
    struct inode_shared shared;
};

struct entry {
    char name[NAME_BYTES];
    struct inode *inode; /* file of the entry; NULL: it was deleted */
};

/* The entries of the folder in the order of their creation. The first `safe` entries are durable.
 * Of several entries with one name, the newest counts. */
struct folder {
    struct entry entries[FILES_MAX];
    size_t count;
    size_t safe;
};

struct disk {
    pthread_mutex_t lock;
    sqlite3_vfs vfs;
    struct inode *inodes;
    struct folder folder;
    struct disk_plan plan;
    uint64_t calls;
    bool has_struck;
    bool is_dead;
};

/* ---- files ---- */

static void inode_room(struct inode *inode, size_t bytes)
{
    size_t room = inode->room == 0 ? 65536 : inode->room;

    if (bytes <= inode->room) {
        return;
    }
    while (room < bytes) {
        room *= 2;
    }
    inode->seen = sqlite3_realloc64(inode->seen, room);
    inode->safe = sqlite3_realloc64(inode->safe, room);
    inode->waits = sqlite3_realloc64(inode->waits, room / SECTOR);
    assert(inode->seen != NULL && inode->safe != NULL && inode->waits != NULL);
    memset(inode->seen + inode->room, 0, room - inode->room);
    memset(inode->safe + inode->room, 0, room - inode->room);
    memset(inode->waits + inode->room / SECTOR, 0, (room - inode->room) / SECTOR);
    inode->room = room;
}

static void sectors_wait(struct inode *inode, size_t from, size_t to)
{
    for (size_t at = from / SECTOR; at * SECTOR < to; at++) {
        inode->waits[at] = 1;
        inode->waits_end = at + 1 > inode->waits_end ? at + 1 : inode->waits_end;
    }
}

size_t inode_bytes(const struct inode *inode)
{
    return inode->seen_bytes;
}

size_t inode_read(const struct inode *inode, void *out, size_t bytes, uint64_t offset)
{
    size_t there = offset >= inode->seen_bytes ? 0 : inode->seen_bytes - (size_t)offset;

    there = there < bytes ? there : bytes;
    if (there > 0) {
        memcpy(out, inode->seen + offset, there);
    }
    return there;
}

void inode_write(struct inode *inode, const void *data, size_t bytes, uint64_t offset)
{
    size_t end = (size_t)offset + bytes;

    inode_room(inode, end);
    memcpy(inode->seen + offset, data, bytes);
    sectors_wait(inode, (size_t)offset, end);
    inode->seen_bytes = end > inode->seen_bytes ? end : inode->seen_bytes;
}

void inode_truncate(struct inode *inode, uint64_t bytes)
{
    inode_room(inode, (size_t)bytes);
    if (bytes < inode->seen_bytes) {
        memset(inode->seen + bytes, 0, inode->seen_bytes - (size_t)bytes);
        sectors_wait(inode, (size_t)bytes, inode->seen_bytes);
    }
    inode->seen_bytes = (size_t)bytes;
}

void inode_sync(struct inode *inode, bool fails)
{
    for (size_t at = 0; at < inode->waits_end; at++) {
        if (inode->waits[at] && !fails) {
            memcpy(inode->safe + at * SECTOR, inode->seen + at * SECTOR, SECTOR);
        }
        inode->waits[at] = 0;
    }
    inode->waits_end = 0;
    if (!fails) {
        inode->safe_bytes = inode->seen_bytes;
    }
}

struct inode_shared *inode_shared(struct inode *inode)
{
    return &inode->shared;
}

/* ---- the folder ---- */

struct inode *disk_find(struct disk *disk, const char *path)
{
    for (size_t i = disk->folder.count; i > 0; i--) {
        if (strcmp(disk->folder.entries[i - 1].name, path) == 0) {
            return disk->folder.entries[i - 1].inode;
        }
    }
    return NULL;
}

/* Removes durable entries that a later durable entry has replaced. */
static void folder_tidy(struct folder *folder)
{
    size_t count = 0;

    for (size_t i = 0; i < folder->count; i++) {
        bool is_newest = true;

        for (size_t k = i + 1; k < folder->safe; k++) {
            is_newest = is_newest && strcmp(folder->entries[i].name, folder->entries[k].name) != 0;
        }
        if (i >= folder->safe || (is_newest && folder->entries[i].inode != NULL)) {
            folder->entries[count++] = folder->entries[i];
        }
    }
    folder->safe -= folder->count - count;
    folder->count = count;
}

static void entry_add(struct disk *disk, const char *path, struct inode *inode)
{
    struct entry *entry;

    assert(disk->folder.count < FILES_MAX && strlen(path) < NAME_BYTES);
    entry = &disk->folder.entries[disk->folder.count++];
    strcpy(entry->name, path);
    entry->inode = inode;
}

struct inode *disk_create(struct disk *disk, const char *path)
{
    struct inode *inode = sqlite3_malloc(sizeof(*inode));

    assert(inode != NULL);
    memset(inode, 0, sizeof(*inode));
    inode->next = disk->inodes;
    disk->inodes = inode;
    if (path != NULL) {
        entry_add(disk, path, inode);
    }
    return inode;
}

void disk_remove(struct disk *disk, const char *path)
{
    entry_add(disk, path, NULL);
}

void disk_folder_sync(struct disk *disk)
{
    disk->folder.safe = disk->folder.count;
    folder_tidy(&disk->folder);
}

/* ---- power ---- */

static uint64_t dice(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Determines the content of a file after a power cut. On average, `keeps` of 8 unsynced sectors
 * were written. */
static void inode_cut(struct inode *inode, uint64_t *state, uint64_t keeps)
{
    size_t bytes = dice(state) % 8 < keeps ? inode->seen_bytes : inode->safe_bytes;

    for (size_t at = 0; at < inode->waits_end; at++) {
        if (inode->waits[at] && dice(state) % 8 < keeps) {
            memcpy(inode->safe + at * SECTOR, inode->seen + at * SECTOR, SECTOR);
            inode->waits[at] = 0;
        }
    }
    if (bytes < inode->room) {
        memset(inode->safe + bytes, 0, inode->room - bytes);
    }
    if (inode->room > 0) {
        memcpy(inode->seen, inode->safe, inode->room);
        memset(inode->waits, 0, inode->room / SECTOR);
    }
    inode->waits_end = 0;
    inode->seen_bytes = bytes;
    inode->safe_bytes = bytes;
    memset(&inode->shared, 0, sizeof(inode->shared));
}

void disk_power_cycle(struct disk *disk, uint64_t seed)
{
    static const uint64_t keeps[] = { 0, 8, 4, 4, 6, 2, 7, 1 };
    struct folder *folder = &disk->folder;
    uint64_t state = seed;

    folder->count = folder->safe + dice(&state) % (folder->count - folder->safe + 1);
    disk_folder_sync(disk);
    for (struct inode *inode = disk->inodes; inode != NULL; inode = inode->next) {
        inode_cut(inode, &state, keeps[dice(&state) % 8]);
    }
    disk_revive(disk);
}

void disk_revive(struct disk *disk)
{
    disk->is_dead = false;
    disk_plan_set(disk, &(struct disk_plan){ 0 });
}

/* ---- calls and plans ---- */

static int error_of(enum disk_call call, const struct disk_plan *plan)
{
    static const int errors[] = {
        [DISK_OPEN] = SQLITE_CANTOPEN,          [DISK_READ] = SQLITE_IOERR_READ,
        [DISK_WRITE] = SQLITE_IOERR_WRITE,      [DISK_TRUNCATE] = SQLITE_IOERR_TRUNCATE,
        [DISK_SYNC] = SQLITE_IOERR_FSYNC,       [DISK_SIZE] = SQLITE_IOERR_FSTAT,
        [DISK_DELETE] = SQLITE_IOERR_DELETE,    [DISK_ACCESS] = SQLITE_IOERR_ACCESS,
        [DISK_LOCK] = SQLITE_IOERR_LOCK,        [DISK_MAP] = SQLITE_IOERR_SHMMAP,
        [DISK_MAP_LOCK] = SQLITE_IOERR_SHMLOCK,
    };

    if (plan->is_full) {
        return call == DISK_WRITE ? SQLITE_FULL : SQLITE_OK;
    }
    if (plan->is_short) {
        return call == DISK_READ ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
    }
    return errors[call];
}

int disk_begin(struct disk *disk, enum disk_call call)
{
    const struct disk_plan *plan = &disk->plan;
    int code = SQLITE_OK;

    pthread_mutex_lock(&disk->lock);
    disk->calls++;
    if (plan->cut_at != 0 && disk->calls >= plan->cut_at) {
        disk->is_dead = true;
        disk->has_struck = true;
    }
    if (disk->is_dead) {
        return error_of(call, &(struct disk_plan){ 0 });
    }
    if (plan->fail_at != 0 &&
        (disk->calls == plan->fail_at ||
         (disk->calls > plan->fail_at &&
          (plan->lasts || (!disk->has_struck && (plan->is_full || plan->is_short)))))) {
        code = error_of(call, plan);
        disk->has_struck = disk->has_struck || code != SQLITE_OK;
    }
    return code;
}

int disk_end(struct disk *disk, int code)
{
    pthread_mutex_unlock(&disk->lock);
    return code;
}

void disk_plan_set(struct disk *disk, const struct disk_plan *plan)
{
    pthread_mutex_lock(&disk->lock);
    disk->plan = *plan;
    disk->calls = 0;
    disk->has_struck = false;
    pthread_mutex_unlock(&disk->lock);
}

uint64_t disk_calls(struct disk *disk)
{
    pthread_mutex_lock(&disk->lock);
    uint64_t calls = disk->calls;
    pthread_mutex_unlock(&disk->lock);
    return calls;
}

bool disk_has_struck(struct disk *disk)
{
    pthread_mutex_lock(&disk->lock);
    bool has_struck = disk->has_struck;
    pthread_mutex_unlock(&disk->lock);
    return has_struck;
}

bool disk_is_dead(struct disk *disk)
{
    return disk->is_dead;
}

bool disk_ignores_sync(struct disk *disk)
{
    return disk->plan.ignores_sync;
}

/* ---- making one ---- */

struct disk *disk_new(const char *name)
{
    struct disk *disk = sqlite3_malloc(sizeof(*disk));

    assert(disk != NULL);
    memset(disk, 0, sizeof(*disk));
    pthread_mutex_init(&disk->lock, NULL);
    disk_vfs_init(&disk->vfs, name, disk);
    sqlite3_vfs_register(&disk->vfs, 0);
    return disk;
}

void disk_free(struct disk *disk)
{
    sqlite3_vfs_unregister(&disk->vfs);
    while (disk->inodes != NULL) {
        struct inode *inode = disk->inodes;

        disk->inodes = inode->next;
        for (size_t i = 0; i < DISK_MAPS_MAX; i++) {
            sqlite3_free(inode->shared.maps[i]);
        }
        sqlite3_free(inode->seen);
        sqlite3_free(inode->safe);
        sqlite3_free(inode->waits);
        sqlite3_free(inode);
    }
    pthread_mutex_destroy(&disk->lock);
    sqlite3_free(disk);
}

const unsigned char *disk_file(struct disk *disk, const char *path, size_t *out_bytes)
{
    const struct inode *inode = disk_find(disk, path);

    *out_bytes = inode == NULL ? 0 : inode->seen_bytes;
    return inode == NULL ? NULL : inode->seen;
}

void disk_file_set(struct disk *disk, const char *path, const void *data, size_t bytes)
{
    struct inode *inode = disk_find(disk, path);

    if (inode == NULL) {
        inode = disk_create(disk, path);
    }
    inode_truncate(inode, 0);
    if (bytes > 0) {
        inode_write(inode, data, bytes, 0);
    }
    inode_sync(inode, false);
    disk_folder_sync(disk);
}
