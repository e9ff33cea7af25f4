#include "sqlite/sqlite_file.h"

#include <assert.h>
#include <string.h>

/* SQLite's unix VFS rejects writes of 128 KiB or more, with the error for a full disk. */
enum { CHUNK_BYTES = 65536, CALL_BYTES_MAX = 128 * 1024 - 1 };

struct sqlite_file {
    bool is_there;
    bool has_failed;
    sqlite3_file handle; /* must be last, because the VFS's own members follow it */
};

sqlite3_vfs *sqlite_file_layer(const char *name)
{
    return sqlite3_vfs_find(name);
}

struct sqlite_file *sqlite_file_open(sqlite3_vfs *vfs, const char *path, bool is_writable)
{
    /* a file that is opened as a WAL gets the mode of its database, so the database must exist */
    int flags = is_writable ? SQLITE_OPEN_WAL | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                            : SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_READONLY;
    struct sqlite_file *file = sqlite3_malloc64(sizeof(*file) + (size_t)vfs->szOsFile);
    int exists = 0;

    assert(file != NULL);
    memset(file, 0, sizeof(*file) + (size_t)vfs->szOsFile);
    file->has_failed = vfs->xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &exists) != SQLITE_OK;
    file->is_there = exists != 0;
    if (exists || is_writable) {
        file->has_failed =
            vfs->xOpen(vfs, path, &file->handle, flags, &flags) != SQLITE_OK || file->has_failed;
    }
    return file;
}

void sqlite_file_close(struct sqlite_file *file)
{
    if (file != NULL && file->handle.pMethods != NULL) {
        (void)!file->handle.pMethods->xClose(&file->handle);
    }
    sqlite3_free(file);
}

bool sqlite_file_is_there(const struct sqlite_file *file)
{
    return file->is_there;
}

bool sqlite_file_has_failed(const struct sqlite_file *file)
{
    return file->has_failed;
}

/* Returns whether a call was successful; records a failure. */
static bool is_sqlite_file_done(struct sqlite_file *file, int code)
{
    file->has_failed = file->has_failed || code != SQLITE_OK;
    return code == SQLITE_OK;
}

uint64_t sqlite_file_bytes(struct sqlite_file *file)
{
    sqlite3_int64 bytes = 0;

    if (file->handle.pMethods == NULL ||
        !is_sqlite_file_done(file, file->handle.pMethods->xFileSize(&file->handle, &bytes))) {
        return 0;
    }
    return (uint64_t)bytes;
}

bool sqlite_file_read(struct sqlite_file *file, void *out, size_t bytes, uint64_t offset)
{
    int code;

    if (file->handle.pMethods == NULL) {
        return false;
    }
    code = file->handle.pMethods->xRead(&file->handle, out, (int)bytes, (sqlite3_int64)offset);
    return code != SQLITE_IOERR_SHORT_READ && is_sqlite_file_done(file, code);
}

bool sqlite_file_write(struct sqlite_file *file, const void *data, size_t bytes, uint64_t offset)
{
    return file->handle.pMethods != NULL &&
           is_sqlite_file_done(file, file->handle.pMethods->xWrite(&file->handle, data, (int)bytes,
                                                                   (sqlite3_int64)offset));
}

bool sqlite_file_sync(struct sqlite_file *file)
{
    return file->handle.pMethods != NULL &&
           is_sqlite_file_done(file, file->handle.pMethods->xSync(&file->handle, SQLITE_SYNC_FULL));
}

bool sqlite_file_rewrite(struct sqlite_file *file)
{
    unsigned char chunk[CHUNK_BYTES];
    uint64_t bytes = sqlite_file_bytes(file);

    for (uint64_t at = 0; at < bytes; at += sizeof(chunk)) {
        size_t length = bytes - at < sizeof(chunk) ? (size_t)(bytes - at) : sizeof(chunk);

        if (!sqlite_file_read(file, chunk, length, at) ||
            !sqlite_file_write(file, chunk, length, at)) {
            return false;
        }
    }
    return sqlite_file_sync(file);
}

/* Writes zeros between two offsets. */
MUST_CHECK static bool zeros_write(struct sqlite_file *file, uint64_t from, uint64_t to)
{
    static const unsigned char zeros[CHUNK_BYTES];

    assert(from <= to);
    for (uint64_t at = from; at < to; at += sizeof(zeros)) {
        size_t length = to - at < sizeof(zeros) ? (size_t)(to - at) : sizeof(zeros);

        if (!sqlite_file_write(file, zeros, length, at)) {
            return false;
        }
    }
    return sqlite_file_sync(file);
}

bool sqlite_file_lengthen(struct sqlite_file *file, uint64_t bytes)
{
    uint64_t before = sqlite_file_bytes(file);

    if (file->has_failed || before >= bytes) {
        return !file->has_failed;
    }
    return zeros_write(file, before, bytes) ||
           (file->handle.pMethods != NULL &&
            file->handle.pMethods->xTruncate(&file->handle, (sqlite3_int64)before) == SQLITE_OK &&
            sqlite_file_sync(file));
}
