#include "moving/backup_file.h"

#include "base/limits.h"
#include "base/mem.h"
#include "sys/digest.h"
#include "sys/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_BYTES = 1024 * 1024 };

void backup_trailer_format(uint64_t bytes, const char *sha256,
                           char out[static BACKUP_TRAILER_BYTES + 1])
{
    char words[BACKUP_TRAILER_BYTES + 1];
    int length = snprintf(words, sizeof(words), "\nreeve-backup 1 sha256:%s bytes:%llu", sha256,
                          (unsigned long long)bytes);

    assert(length > 0 && length < BACKUP_TRAILER_BYTES && "a digest and a number fit");
    memset(out, ' ', BACKUP_TRAILER_BYTES);
    memcpy(out, words, (size_t)length);
    out[BACKUP_TRAILER_BYTES - 1] = '\n';
    out[BACKUP_TRAILER_BYTES] = '\0';
}

MUST_CHECK static bool not_a_backup(const char *path, const char *why, struct err *err)
{
    err_set(err, CODE_R0524, "'%s' is not a usable backup: %s", path, why);
    return err_hint(err,
                    "name a file that 'reeve backup' wrote, and copy it again if it was moved");
}

/* Computes the digest of the first `bytes` bytes of the file. */
MUST_CHECK static bool backup_file_digest(int file, uint64_t bytes,
                                          char out[static DIGEST_TEXT_BYTES], const char **out_why)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char *piece = arena_alloc(arena, PIECE_BYTES);
    struct digest_stream *stream = digest_stream_new();
    uint64_t done = 0;

    while (done < bytes) {
        size_t wanted = bytes - done < PIECE_BYTES ? (size_t)(bytes - done) : PIECE_BYTES;
        ssize_t count = pread(file, piece, wanted, (off_t)done);

        if (count <= 0) {
            *out_why = count < 0 ? strerror(errno) : "the file was truncated while it was read";
            digest_stream_end(stream, out);
            return false;
        }
        digest_stream_add(stream, (struct text){ piece, (size_t)count });
        done += (uint64_t)count;
    }
    digest_stream_end(stream, out);
    return true;
}

bool backup_file_check(const char *path, uint64_t *out_bytes, struct err *err)
{
    AUTO(fd) file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char expected[BACKUP_TRAILER_BYTES + 1];
    char found[BACKUP_TRAILER_BYTES];
    char digest[DIGEST_TEXT_BYTES];
    const char *why = NULL;
    struct stat stat;
    uint64_t bytes;

    if (file < 0 || fstat(file, &stat) != 0) {
        return not_a_backup(path, strerror(errno), err);
    }
    if (!S_ISREG(stat.st_mode)) {
        return not_a_backup(path, "not a regular file", err);
    }
    bytes = (uint64_t)stat.st_size;
    if (bytes <= BACKUP_TRAILER_BYTES ||
        pread(file, found, sizeof(found), (off_t)(bytes - BACKUP_TRAILER_BYTES)) !=
            (ssize_t)sizeof(found) ||
        memcmp(found, "\nreeve-backup ", strlen("\nreeve-backup ")) != 0) {
        return not_a_backup(path, "the file is incomplete, or is not a backup", err);
    }
    bytes -= BACKUP_TRAILER_BYTES;
    if (!backup_file_digest(file, bytes, digest, &why)) {
        return not_a_backup(path, why, err);
    }
    backup_trailer_format(bytes, digest, expected);
    if (memcmp(found, expected, BACKUP_TRAILER_BYTES) != 0) {
        return not_a_backup(path, "the digest of the file differs from the recorded digest", err);
    }
    *out_bytes = bytes;
    return true;
}
