/* The SQLite VFS of a disk in memory: files, locks and the shared index of the WAL, with the
 * semantics of SQLite's Unix layer. */

#include "disk.h"

#include <assert.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECTOR_BYTES = 4096 };

/* One open file. */
struct handle {
    sqlite3_file base;
    struct disk *disk;
    struct inode *inode;
    int level;         /* level of the database lock */
    bool syncs_folder; /* the first sync of a new journal also syncs the folder */
    bool has_maps;
    unsigned maps_shared; /* shared locks of the index, as bits */
    unsigned maps_owned;
};

static struct handle *handle_of(sqlite3_file *file)
{
    return (struct handle *)file; /* `file` is the first member of the handle */
}

static struct disk *disk_of(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

/* ---- bytes ---- */

static int file_read(sqlite3_file *file, void *out, int bytes, sqlite3_int64 offset)
{
    struct handle *handle = handle_of(file);
    int code = disk_begin(handle->disk, DISK_READ);
    size_t got = 0;

    if (code == SQLITE_OK) {
        got = inode_read(handle->inode, out, (size_t)bytes, (uint64_t)offset);
    } else if (code == SQLITE_IOERR_SHORT_READ) {
        got = inode_read(handle->inode, out, (size_t)bytes / 2, (uint64_t)offset);
    }
    if (got < (size_t)bytes && (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ)) {
        memset((char *)out + got, 0, (size_t)bytes - got);
        code = SQLITE_IOERR_SHORT_READ;
    }
    return disk_end(handle->disk, code);
}

static int file_write(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 offset)
{
    struct handle *handle = handle_of(file);
    int code = disk_begin(handle->disk, DISK_WRITE);

    if (code == SQLITE_OK) {
        inode_write(handle->inode, data, (size_t)bytes, (uint64_t)offset);
    } else if (!disk_is_dead(handle->disk) && bytes > 1) {
        inode_write(handle->inode, data, (size_t)bytes / 2, (uint64_t)offset);
    }
    return disk_end(handle->disk, code);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
    struct handle *handle = handle_of(file);
    int code = disk_begin(handle->disk, DISK_TRUNCATE);

    if (code == SQLITE_OK) {
        inode_truncate(handle->inode, (uint64_t)bytes);
    }
    return disk_end(handle->disk, code);
}

static int file_sync(sqlite3_file *file, int flags)
{
    struct handle *handle = handle_of(file);
    int code = disk_begin(handle->disk, DISK_SYNC);

    (void)flags;
    if (!disk_is_dead(handle->disk) && !disk_ignores_sync(handle->disk)) {
        inode_sync(handle->inode, code != SQLITE_OK);
        if (code == SQLITE_OK && handle->syncs_folder) {
            disk_folder_sync(handle->disk);
            handle->syncs_folder = false;
        }
    }
    return disk_end(handle->disk, code);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    struct handle *handle = handle_of(file);
    int code = disk_begin(handle->disk, DISK_SIZE);

    *out = (sqlite3_int64)inode_bytes(handle->inode);
    return disk_end(handle->disk, code);
}

/* ---- locks of the database ---- */

static bool is_of_another(const void *holder, const struct handle *handle)
{
    return holder != NULL && holder != handle;
}

static int lock_raise(struct handle *handle, int level)
{
    struct inode_shared *shared = inode_shared(handle->inode);

    if (is_of_another(shared->pending, handle)) {
        return level == SQLITE_LOCK_SHARED || level >= SQLITE_LOCK_PENDING ? SQLITE_BUSY
                                                                           : SQLITE_OK;
    }
    if (level == SQLITE_LOCK_SHARED) {
        shared->readers++;
    } else if (is_of_another(shared->reserved, handle)) {
        return SQLITE_BUSY;
    } else if (level == SQLITE_LOCK_RESERVED) {
        shared->reserved = handle;
    } else {
        shared->pending = handle;
        if (shared->readers > 1) {
            handle->level = SQLITE_LOCK_PENDING;
            return SQLITE_BUSY;
        }
    }
    handle->level = level;
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level)
{
    struct handle *handle = handle_of(file);
    int code = disk_begin(handle->disk, DISK_LOCK);

    if (code == SQLITE_OK && handle->level < level) {
        code = lock_raise(handle, level);
    }
    return disk_end(handle->disk, code);
}

static void lock_lower(struct handle *handle, int level)
{
    struct inode_shared *shared = inode_shared(handle->inode);

    if (handle->level <= level) {
        return;
    }
    if (shared->reserved == handle) {
        shared->reserved = NULL;
    }
    if (shared->pending == handle) {
        shared->pending = NULL;
    }
    if (level == SQLITE_LOCK_NONE) {
        assert(shared->readers > 0);
        shared->readers--;
    }
    handle->level = level;
}

static int file_unlock(sqlite3_file *file, int level)
{
    struct handle *handle = handle_of(file);

    (void)!disk_begin(handle->disk, DISK_LOCK); /* releasing a lock cannot fail */
    lock_lower(handle, level);
    return disk_end(handle->disk, SQLITE_OK);
}

static int file_is_reserved(sqlite3_file *file, int *out)
{
    struct handle *handle = handle_of(file);
    int code = disk_begin(handle->disk, DISK_LOCK);

    *out = inode_shared(handle->inode)->reserved != NULL;
    return disk_end(handle->disk, code);
}

/* ---- the index of the WAL ---- */

static int file_map(sqlite3_file *file, int region, int bytes, int extends, void volatile **out)
{
    struct handle *handle = handle_of(file);
    struct inode_shared *shared = inode_shared(handle->inode);
    int code = disk_begin(handle->disk, DISK_MAP);

    *out = NULL;
    if (code == SQLITE_OK) {
        assert(region < DISK_MAPS_MAX);
        shared->map_users += !handle->has_maps;
        handle->has_maps = true;
        if (shared->maps[region] == NULL && extends) {
            shared->maps[region] = sqlite3_malloc(bytes);
            assert(shared->maps[region] != NULL);
            memset(shared->maps[region], 0, (size_t)bytes);
        }
        *out = shared->maps[region];
    }
    return disk_end(handle->disk, code);
}

static void maps_unlock(struct handle *handle, unsigned mask)
{
    struct inode_shared *shared = inode_shared(handle->inode);

    for (unsigned i = 0; i < DISK_MAP_LOCKS; i++) {
        shared->map_readers[i] -= (mask & handle->maps_shared) >> i & 1;
        if ((mask & handle->maps_owned) >> i & 1) {
            shared->map_owners[i] = NULL;
        }
    }
    handle->maps_shared &= ~mask;
    handle->maps_owned &= ~mask;
}

static int maps_lock(struct handle *handle, unsigned mask, bool is_shared)
{
    struct inode_shared *shared = inode_shared(handle->inode);

    for (unsigned i = 0; i < DISK_MAP_LOCKS; i++) {
        unsigned others = shared->map_readers[i] - (handle->maps_shared >> i & 1);

        if ((mask >> i & 1) &&
            (is_of_another(shared->map_owners[i], handle) || (!is_shared && others > 0))) {
            return SQLITE_BUSY;
        }
    }
    for (unsigned i = 0; i < DISK_MAP_LOCKS; i++) {
        if (!(mask >> i & 1)) {
            continue;
        }
        if (is_shared) {
            shared->map_readers[i] += !(handle->maps_shared >> i & 1);
        } else {
            shared->map_owners[i] = handle;
        }
    }
    handle->maps_shared |= is_shared ? mask : 0;
    handle->maps_owned |= is_shared ? 0 : mask;
    return SQLITE_OK;
}

static int file_map_lock(sqlite3_file *file, int offset, int count, int flags)
{
    struct handle *handle = handle_of(file);
    unsigned mask = ((1U << count) - 1) << offset;
    int code = disk_begin(handle->disk, DISK_MAP_LOCK);

    if (flags & SQLITE_SHM_UNLOCK) {
        maps_unlock(handle, mask);
        code = SQLITE_OK;
    } else if (code == SQLITE_OK) {
        code = maps_lock(handle, mask, (flags & SQLITE_SHM_SHARED) != 0);
    }
    return disk_end(handle->disk, code);
}

static void file_map_barrier(sqlite3_file *file)
{
    (void)file;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void maps_leave(struct handle *handle)
{
    struct inode_shared *shared = inode_shared(handle->inode);

    if (!handle->has_maps) {
        return;
    }
    maps_unlock(handle, ~0U);
    handle->has_maps = false;
    /* the last user has ended, so the next user begins with an empty index */
    if (--shared->map_users == 0) {
        for (size_t i = 0; i < DISK_MAPS_MAX; i++) {
            sqlite3_free(shared->maps[i]);
            shared->maps[i] = NULL;
        }
    }
}

static int file_unmap(sqlite3_file *file, int deletes)
{
    struct handle *handle = handle_of(file);

    (void)deletes;
    (void)!disk_begin(handle->disk, DISK_MAP);
    maps_leave(handle);
    return disk_end(handle->disk, SQLITE_OK);
}

static int file_close(sqlite3_file *file)
{
    struct handle *handle = handle_of(file);

    (void)!disk_begin(handle->disk, DISK_LOCK);
    maps_leave(handle);
    lock_lower(handle, SQLITE_LOCK_NONE);
    return disk_end(handle->disk, SQLITE_OK);
}

/* ---- functions without effect ---- */

static int file_control(sqlite3_file *file, int operation, void *arg)
{
    (void)file;
    (void)operation;
    (void)arg;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *file)
{
    (void)file;
    return SECTOR_BYTES;
}

static int file_device(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE; /* SQLite assumes this property of disks */
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_map,
    .xShmLock = file_map_lock,
    .xShmBarrier = file_map_barrier,
    .xShmUnmap = file_unmap,
};

/* ---- the layer ---- */

static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
                      int *out_flags)
{
    struct handle *handle = handle_of(file);
    struct disk *disk = disk_of(vfs);
    int code = disk_begin(disk, DISK_OPEN);
    struct inode *inode = path == NULL ? NULL : disk_find(disk, path);
    int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL;

    file->pMethods = NULL;
    if (code == SQLITE_OK && inode == NULL && !(flags & SQLITE_OPEN_CREATE)) {
        code = SQLITE_CANTOPEN;
    }
    if (code == SQLITE_OK) {
        *handle = (struct handle){ .base.pMethods = &file_methods, .disk = disk, .inode = inode };
        if (inode == NULL) {
            handle->inode = disk_create(disk, path);
        }
        handle->syncs_folder = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & journals) != 0;
        if (out_flags != NULL) {
            *out_flags = flags;
        }
    }
    return disk_end(disk, code);
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder)
{
    struct disk *disk = disk_of(vfs);
    int code = disk_begin(disk, DISK_DELETE);

    if (code == SQLITE_OK && disk_find(disk, path) == NULL) {
        code = SQLITE_IOERR_DELETE_NOENT;
    } else if (code == SQLITE_OK) {
        disk_remove(disk, path);
        if (syncs_folder && !disk_ignores_sync(disk)) {
            disk_folder_sync(disk);
        }
    }
    return disk_end(disk, code);
}

static int layer_access(sqlite3_vfs *vfs, const char *path, int flags, int *out)
{
    struct disk *disk = disk_of(vfs);
    int code = disk_begin(disk, DISK_ACCESS);
    const struct inode *inode = disk_find(disk, path);

    /* an empty file counts as missing, as in SQLite's Unix layer */
    *out = inode != NULL && (flags != SQLITE_ACCESS_EXISTS || inode_bytes(inode) > 0);
    return disk_end(disk, code);
}

static int layer_path(sqlite3_vfs *vfs, const char *path, int room, char *out)
{
    (void)vfs;
    sqlite3_snprintf(room, out, "%s", path);
    return SQLITE_OK;
}

static int layer_random(sqlite3_vfs *vfs, int bytes, char *out)
{
    (void)vfs;
    return getentropy(out, (size_t)bytes) == 0 ? bytes : 0;
}

static int layer_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    usleep((useconds_t)microseconds);
    return microseconds;
}

static int layer_time(sqlite3_vfs *vfs, double *out)
{
    (void)vfs;
    *out = 2440587.5 + (double)time(NULL) / 86400; /* the time as a Julian day */
    return SQLITE_OK;
}

static int layer_error(sqlite3_vfs *vfs, int room, char *out)
{
    (void)vfs;
    (void)room;
    (void)out;
    return 0;
}

void disk_vfs_init(sqlite3_vfs *vfs, const char *name, struct disk *disk)
{
    *vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = sizeof(struct handle),
        .mxPathname = 250,
        .zName = name,
        .pAppData = disk,
        .xOpen = layer_open,
        .xDelete = layer_delete,
        .xAccess = layer_access,
        .xFullPathname = layer_path,
        .xRandomness = layer_random,
        .xSleep = layer_sleep,
        .xCurrentTime = layer_time,
        .xGetLastError = layer_error,
    };
}
