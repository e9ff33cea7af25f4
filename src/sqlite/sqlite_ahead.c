#include "sqlite/sqlite_ahead.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Each database file has a window with the bytes that were read last. A read near the start of the
 * window moves the window. Any other read, such as that of an inner page, bypasses the window, and
 * its offset is remembered. SQLite's check reads from the last page to the first, but reads a long
 * value forwards. Other calls are passed on to the base VFS.
 *
 * SQLite's unix VFS rejects calls of 128 KiB or more. */

enum { WINDOW_BYTES = 65536, STEP_BYTES = 2 * WINDOW_BYTES };

struct sqlite_ahead {
    sqlite3_vfs vfs; /* must be first, because SQLite passes a pointer to it */
    sqlite3_vfs *base;
    char name[48];
};

/* An open database file. The file of the base VFS follows it in memory. */
struct file {
    sqlite3_file handle;
    sqlite3_int64 at;   /* offset of the window */
    int bytes;          /* number of valid bytes in the window */
    sqlite3_int64 past; /* offset of the last read that bypassed the window */
    bool was_back;      /* the last move of the window was backwards */
    unsigned char *window;
    sqlite3_file base;
};

static sqlite3_file *sqlite_ahead_base_of(sqlite3_file *handle)
{
    return &((struct file *)handle)->base;
}

/* ---- a file ---- */

static int sqlite_ahead_file_close(sqlite3_file *handle)
{
    struct file *file = (struct file *)handle;

    sqlite3_free(file->window);
    file->window = NULL;
    return file->base.pMethods->xClose(&file->base);
}

static bool is_step(sqlite3_int64 from, sqlite3_int64 to)
{
    return to > from - STEP_BYTES && to < from + STEP_BYTES;
}

/* Returns the start of the window for a read, normally the offset of the read. After two backward
 * moves in a row, the window ends at the end of the read instead. */
static sqlite3_int64 window_start(struct file *file, sqlite3_int64 offset, int bytes)
{
    bool is_back = offset < file->at;
    sqlite3_int64 start = is_back && file->was_back ? offset + bytes - WINDOW_BYTES : offset;

    file->was_back = is_back;
    return start < 0 ? 0 : start;
}

/* Returns whether the window contains these bytes, after moving it if necessary. */
static bool window_has(struct file *file, sqlite3_int64 offset, int bytes)
{
    if (offset >= file->at && offset + bytes <= file->at + file->bytes) {
        return true;
    }
    if (bytes > WINDOW_BYTES || (!is_step(file->at, offset) && !is_step(file->past, offset))) {
        file->past = offset;
        return false;
    }
    file->at = window_start(file, offset, bytes);
    file->bytes = 0;
    if (file->base.pMethods->xRead(&file->base, file->window, WINDOW_BYTES, file->at) !=
        SQLITE_OK) {
        return false; /* reached also for a read near the end of the file */
    }
    file->bytes = WINDOW_BYTES;
    return offset + bytes <= file->at + file->bytes;
}

static int sqlite_ahead_file_read(sqlite3_file *handle, void *out, int bytes, sqlite3_int64 offset)
{
    struct file *file = (struct file *)handle;

    if (!window_has(file, offset, bytes)) {
        return file->base.pMethods->xRead(&file->base, out, bytes, offset);
    }
    assert(offset >= file->at);
    memcpy(out, file->window + (offset - file->at), (size_t)bytes);
    return SQLITE_OK;
}

static int sqlite_ahead_file_write(sqlite3_file *handle, const void *data, int bytes,
                                   sqlite3_int64 offset)
{
    ((struct file *)handle)->bytes = 0;
    return sqlite_ahead_base_of(handle)->pMethods->xWrite(sqlite_ahead_base_of(handle), data, bytes,
                                                          offset);
}

static int file_truncate(sqlite3_file *handle, sqlite3_int64 bytes)
{
    ((struct file *)handle)->bytes = 0;
    return sqlite_ahead_base_of(handle)->pMethods->xTruncate(sqlite_ahead_base_of(handle), bytes);
}

static int file_sync(sqlite3_file *handle, int flags)
{
    return sqlite_ahead_base_of(handle)->pMethods->xSync(sqlite_ahead_base_of(handle), flags);
}

static int file_size(sqlite3_file *handle, sqlite3_int64 *out)
{
    return sqlite_ahead_base_of(handle)->pMethods->xFileSize(sqlite_ahead_base_of(handle), out);
}

static int file_lock(sqlite3_file *handle, int lock)
{
    return sqlite_ahead_base_of(handle)->pMethods->xLock(sqlite_ahead_base_of(handle), lock);
}

static int file_unlock(sqlite3_file *handle, int lock)
{
    return sqlite_ahead_base_of(handle)->pMethods->xUnlock(sqlite_ahead_base_of(handle), lock);
}

static int file_reserved(sqlite3_file *handle, int *out)
{
    return sqlite_ahead_base_of(handle)->pMethods->xCheckReservedLock(sqlite_ahead_base_of(handle),
                                                                      out);
}

static int file_control(sqlite3_file *handle, int what, void *arg)
{
    return sqlite_ahead_base_of(handle)->pMethods->xFileControl(sqlite_ahead_base_of(handle), what,
                                                                arg);
}

static int file_sector(sqlite3_file *handle)
{
    return sqlite_ahead_base_of(handle)->pMethods->xSectorSize(sqlite_ahead_base_of(handle));
}

static int file_device(sqlite3_file *handle)
{
    return sqlite_ahead_base_of(handle)->pMethods->xDeviceCharacteristics(
        sqlite_ahead_base_of(handle));
}

static int file_shm_map(sqlite3_file *handle, int page, int bytes, int extends, void volatile **out)
{
    return sqlite_ahead_base_of(handle)->pMethods->xShmMap(sqlite_ahead_base_of(handle), page,
                                                           bytes, extends, out);
}

static int file_shm_lock(sqlite3_file *handle, int offset, int count, int flags)
{
    return sqlite_ahead_base_of(handle)->pMethods->xShmLock(sqlite_ahead_base_of(handle), offset,
                                                            count, flags);
}

static void file_shm_barrier(sqlite3_file *handle)
{
    sqlite_ahead_base_of(handle)->pMethods->xShmBarrier(sqlite_ahead_base_of(handle));
}

static int file_shm_unmap(sqlite3_file *handle, int is_deleted)
{
    return sqlite_ahead_base_of(handle)->pMethods->xShmUnmap(sqlite_ahead_base_of(handle),
                                                             is_deleted);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, /* version 2: supports a WAL, but no memory mapping */
    .xClose = sqlite_ahead_file_close,
    .xRead = sqlite_ahead_file_read,
    .xWrite = sqlite_ahead_file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_device,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* ---- the VFS ---- */

static sqlite3_vfs *base_layer(sqlite3_vfs *vfs)
{
    return ((struct sqlite_ahead *)vfs)->base;
}

static int layer_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *handle, int flags,
                      int *out_flags)
{
    sqlite3_vfs *base = base_layer(vfs);
    struct file *file = (struct file *)handle;
    int code;

    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
        return base->xOpen(base, path, handle, flags, out_flags);
    }
    memset(file, 0, sizeof(*file));
    code = base->xOpen(base, path, &file->base, flags, out_flags);
    if (code != SQLITE_OK || file->base.pMethods->iVersion < 2) {
        if (file->base.pMethods != NULL) {
            (void)!file->base.pMethods->xClose(&file->base);
        }
        return code != SQLITE_OK ? code : SQLITE_CANTOPEN;
    }
    file->window = sqlite3_malloc(WINDOW_BYTES);
    assert(file->window != NULL);
    file->handle.pMethods = &methods;
    return SQLITE_OK;
}

static int layer_delete(sqlite3_vfs *vfs, const char *path, int syncs)
{
    return base_layer(vfs)->xDelete(base_layer(vfs), path, syncs);
}

static int layer_access(sqlite3_vfs *vfs, const char *path, int flags, int *out)
{
    return base_layer(vfs)->xAccess(base_layer(vfs), path, flags, out);
}

static int layer_path(sqlite3_vfs *vfs, const char *path, int room, char *out)
{
    return base_layer(vfs)->xFullPathname(base_layer(vfs), path, room, out);
}

struct sqlite_ahead *sqlite_ahead_new(sqlite3_vfs *base)
{
    struct sqlite_ahead *ahead = base == NULL ? NULL : sqlite3_malloc(sizeof(*ahead));

    if (ahead == NULL) {
        return NULL;
    }
    ahead->base = base;
    ahead->vfs = *base; /* inherits time, sleep and random numbers of the base VFS */
    sqlite3_snprintf((int)sizeof(ahead->name), ahead->name, "reeve-ahead-%p", (void *)ahead);
    ahead->vfs.zName = ahead->name;
    ahead->vfs.pNext = NULL;
    ahead->vfs.szOsFile = (int)sizeof(struct file) + base->szOsFile;
    ahead->vfs.xOpen = layer_open;
    ahead->vfs.xDelete = layer_delete;
    ahead->vfs.xAccess = layer_access;
    ahead->vfs.xFullPathname = layer_path;
    if (sqlite3_vfs_register(&ahead->vfs, 0) != SQLITE_OK) {
        sqlite3_free(ahead);
        return NULL;
    }
    return ahead;
}

void sqlite_ahead_free(struct sqlite_ahead *ahead)
{
    if (ahead != NULL) {
        sqlite3_vfs_unregister(&ahead->vfs);
        sqlite3_free(ahead);
    }
}

const char *sqlite_ahead_name(const struct sqlite_ahead *ahead)
{
    return ahead == NULL ? NULL : ahead->name;
}
