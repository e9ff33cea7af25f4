#include "image_files/image_files.h"

#include "base/limits.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* public names start with: image_files_ image_check_ */

enum {
    IMAGE_HEAD_BYTES = 4096, /* first bytes of an upload, which show its format */
    IMAGE_TENANT_BYTES = LIMIT_TENANT_BYTES + 1,
    IMAGE_STEP_BYTES = 2 * 1024 * 1024,
    IMAGE_BLOCK_BYTES = 128 * 1024,
    TAR_MAGIC_AT = 257,
    TAR_BLOCK = 512,
};

/* An upload. Its bytes are in the file `.DIGEST.SLOT`, or only compared if the image is stored
 * already. */
struct image_coming {
    char tenant[IMAGE_TENANT_BYTES];
    char digest[DIGEST_TEXT_BYTES]; /* empty: the slot is free */
    struct digest_stream *stream;
    uint64_t size;
    uint64_t have;
    uint64_t used_ms;
    int fd; /* FD_NONE: the image is stored already */
    char head[IMAGE_HEAD_BYTES];
    size_t head_length;
};

struct image_sent {
    char tenant[IMAGE_TENANT_BYTES];
    char digest[DIGEST_TEXT_BYTES];
};

struct image_files {
    int folder;
    struct image_coming coming[IMAGE_FILES_COMING];
    struct image_sent sent[IMAGE_FILES_SENT];
    size_t sent_next;
};

static bool image_is_digest(struct text text)
{
    bool is_good = text.length == DIGEST_TEXT_BYTES - 1;

    for (size_t i = 0; is_good && i < text.length; i++) {
        is_good = (text.data[i] >= '0' && text.data[i] <= '9') ||
                  (text.data[i] >= 'a' && text.data[i] <= 'f');
    }
    return is_good;
}

/* ---- the folder ---- */

static DIR *image_folder_read(const struct image_files *files)
{
    int own = openat(files->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return own < 0 ? NULL : fdopendir(own);
}

/* Removes what an earlier process has left incomplete. */
static void image_files_tidy(const struct image_files *files)
{
    DIR *dir = image_folder_read(files);
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !image_is_digest(text_from(entry->d_name))) {
            (void)unlinkat(files->folder, entry->d_name, 0);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

bool image_files_open(const char *path, struct image_files **out, struct err *err)
{
    struct image_files *files;
    int folder;

    if (mkdir(path, 0700) == 0) {
        (void)!chmod(path, 0700);
    }
    if (!folder_open(path, &folder, err)) {
        return false;
    }
    if (!folder_check_owner(folder, path, err)) {
        close(folder);
        return false;
    }
    files = rows_resize(NULL, sizeof(*files));
    *files = (struct image_files){ .folder = folder };
    for (size_t i = 0; i < IMAGE_FILES_COMING; i++) {
        files->coming[i].fd = FD_NONE;
    }
    image_files_tidy(files);
    *out = files;
    return true;
}

/* ---- formats ---- */

static const char *image_format_of(struct text head)
{
    static const char zstd[] = "\x28\xb5\x2f\xfd";
    static const char gzip[] = "\x1f\x8b\x08";

    return text_has_prefix(head, (struct text){ zstd, 4 })   ? "tar.zst"
           : text_has_prefix(head, (struct text){ gzip, 3 }) ? "tar.gz"
                                                             : NULL;
}

/* True unless the first block that gzip has compressed is not one of tar. */
static bool image_is_tar(struct text head)
{
    unsigned char block[TAR_BLOCK];
    z_stream stream = { 0 };
    bool is_tar;
    int answer;

    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
        return true;
    }
    stream.next_in = (unsigned char *)(uintptr_t)head.data;
    stream.avail_in = (unsigned)head.length;
    stream.next_out = block;
    stream.avail_out = sizeof(block);
    answer = inflate(&stream, Z_SYNC_FLUSH);
    is_tar = (answer == Z_OK || answer == Z_STREAM_END || answer == Z_BUF_ERROR) &&
             stream.avail_out == 0 && memcmp(block + TAR_MAGIC_AT, "ustar", 5) == 0;
    inflateEnd(&stream);
    return is_tar;
}

MUST_CHECK static bool image_head_check(const struct image_coming *coming, struct err *err)
{
    struct text head = { coming->head, coming->head_length };
    const char *format = image_format_of(head);

    if (format != NULL && (strcmp(format, "tar.gz") != 0 || image_is_tar(head))) {
        return true;
    }
    err_set(err, CODE_R0854, "the file is not a tar archive that zstd or gzip has compressed");
    return err_hint(err, "tar -C ROOT --numeric-owner -c . | zstd > image.tar.zst");
}

/* ---- uploads ---- */

static void image_part_name(const struct image_files *files, const struct image_coming *coming,
                            char out[static DIGEST_TEXT_BYTES + 8])
{
    snprintf(out, DIGEST_TEXT_BYTES + 8, ".%s.%zu", coming->digest,
             (size_t)(coming - files->coming));
}

/* Ends an upload and removes its file. */
static void image_coming_end(struct image_files *files, struct image_coming *coming)
{
    char name[DIGEST_TEXT_BYTES + 8];
    char unused[DIGEST_TEXT_BYTES];

    if (coming->stream != NULL) {
        digest_stream_end(coming->stream, unused);
    }
    if (coming->fd != FD_NONE) {
        image_part_name(files, coming, name);
        close(coming->fd);
        (void)unlinkat(files->folder, name, 0);
    }
    *coming = (struct image_coming){ .fd = FD_NONE };
}

MUST_CHECK static bool image_room_check(const struct image_files *files, uint64_t size,
                                        struct err *err)
{
    uint64_t left;

    if (size > LIMIT_IMAGE_BYTES) {
        return err_set(err, CODE_R0727, "the image has %" PRIu64 " bytes; the limit is %llu", size,
                       (unsigned long long)LIMIT_IMAGE_BYTES);
    }
    if (!folder_free_bytes(files->folder, &left, err)) {
        return false;
    }
    return left >= size + left / 100 * IMAGE_FILES_SPARE_PERCENT ||
           err_set(err, CODE_R0727,
                   "the image has %" PRIu64 " bytes, and %" PRIu64 " are free on the manager", size,
                   left);
}

/* Returns the upload of this tenant for this digest; NULL: none. */
static struct image_coming *image_coming_find(struct image_files *files,
                                              const struct image_piece *piece)
{
    for (size_t i = 0; i < IMAGE_FILES_COMING; i++) {
        struct image_coming *coming = &files->coming[i];

        if (text_is(piece->digest, coming->digest) && text_is(piece->tenant, coming->tenant)) {
            return coming;
        }
    }
    return NULL;
}

/* Begins an upload in a free slot, or in that of one that was silent for long. *out is NULL: there
 * is none. */
MUST_CHECK static bool image_coming_begin(struct image_files *files,
                                          const struct image_piece *piece,
                                          struct image_coming **out, struct err *err)
{
    struct image_coming *oldest = &files->coming[0];
    char name[DIGEST_TEXT_BYTES + 8];
    struct image_file known;

    *out = NULL;
    for (size_t i = 0; i < IMAGE_FILES_COMING; i++) {
        struct image_coming *coming = &files->coming[i];

        if (coming->digest[0] == '\0') {
            oldest = coming;
            break;
        }
        oldest = coming->used_ms < oldest->used_ms ? coming : oldest;
    }
    if (oldest->digest[0] != '\0' && piece->now_ms - oldest->used_ms < IMAGE_FILES_SILENT_MS) {
        return true;
    }
    image_coming_end(files, oldest);
    if (!image_room_check(files, piece->size, err)) {
        return false;
    }
    snprintf(oldest->tenant, sizeof(oldest->tenant), "%.*s", TEXT_ARG(piece->tenant));
    snprintf(oldest->digest, sizeof(oldest->digest), "%.*s", TEXT_ARG(piece->digest));
    oldest->size = piece->size;
    oldest->used_ms = piece->now_ms;
    if (!image_files_find(files, piece->digest, &known)) {
        image_part_name(files, oldest, name);
        if (!file_create_beneath(files->folder, name, 0600, &oldest->fd, err)) {
            oldest->fd = FD_NONE;
            image_coming_end(files, oldest);
            return false;
        }
    }
    oldest->stream = digest_stream_new();
    *out = oldest;
    return true;
}

MUST_CHECK static bool image_bytes_write(const struct image_coming *coming, struct text bytes,
                                         struct err *err)
{
    size_t done = 0;

    while (coming->fd != FD_NONE && done < bytes.length) {
        ssize_t count = pwrite(coming->fd, bytes.data + done, bytes.length - done,
                               (off_t)(coming->have + done));

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return err_set(err, errno == ENOSPC ? CODE_R0727 : CODE_R0534,
                           "the image cannot be written: %s", strerror(errno));
        }
        done += (size_t)count;
    }
    return true;
}

static void image_sent_note(struct image_files *files, const struct image_coming *coming)
{
    struct image_sent *sent = &files->sent[files->sent_next++ % IMAGE_FILES_SENT];

    memcpy(sent->tenant, coming->tenant, sizeof(sent->tenant));
    memcpy(sent->digest, coming->digest, sizeof(sent->digest));
}

/* Checks a complete upload, and gives its file its name. */
MUST_CHECK static bool image_coming_finish(struct image_files *files, struct image_coming *coming,
                                           struct err *err)
{
    char name[DIGEST_TEXT_BYTES + 8];
    char digest[DIGEST_TEXT_BYTES];

    digest_stream_end(coming->stream, digest);
    coming->stream = NULL;
    if (strcmp(digest, coming->digest) != 0) {
        return err_set(err, CODE_R0854, "the received bytes have the digest %.12s, not %.12s",
                       digest, coming->digest);
    }
    if (!image_head_check(coming, err)) {
        return false;
    }
    if (coming->fd != FD_NONE) {
        image_part_name(files, coming, name);
        if (fsync(coming->fd) != 0 ||
            renameat(files->folder, name, files->folder, coming->digest) != 0 ||
            fsync(files->folder) != 0) {
            return err_set(err, CODE_R0534, "the image cannot be stored: %s", strerror(errno));
        }
        close(coming->fd);
        coming->fd = FD_NONE;
    }
    if (coming->tenant[0] != '\0') {
        image_sent_note(files, coming);
    }
    return true;
}

MUST_CHECK static bool image_piece_check(const struct image_piece *piece, struct err *err)
{
    if (!image_is_digest(piece->digest)) {
        return err_set(err, CODE_R0426, "the name of an image file is its digest, 64 hex digits");
    }
    return (piece->size > 0 && piece->offset <= piece->size &&
            piece->bytes.length <= piece->size - piece->offset &&
            piece->tenant.length < IMAGE_TENANT_BYTES) ||
           err_set(err, CODE_R0426, "the piece ends after the size of the image, %" PRIu64,
                   piece->size);
}

bool image_files_take(struct image_files *files, const struct image_piece *piece,
                      uint64_t *out_have, struct err *err)
{
    struct image_coming *coming;
    size_t head;

    if (!image_piece_check(piece, err)) {
        return false;
    }
    coming = image_coming_find(files, piece);
    if (coming == NULL && !image_coming_begin(files, piece, &coming, err)) {
        return false;
    }
    *out_have = coming == NULL ? piece->offset : coming->have;
    if (coming == NULL) {
        return true;
    }
    coming->used_ms = piece->now_ms;
    if (coming->size != piece->size) {
        image_coming_end(files, coming);
        return err_set(err, CODE_R0426,
                       "the size of the image differs from that of the first piece");
    }
    if (piece->offset != coming->have) {
        return true;
    }
    if (!image_bytes_write(coming, piece->bytes, err)) {
        image_coming_end(files, coming);
        return false;
    }
    head = sizeof(coming->head) - coming->head_length;
    head = head < piece->bytes.length ? head : piece->bytes.length;
    memcpy(coming->head + coming->head_length, piece->bytes.data, head);
    coming->head_length += head;
    digest_stream_add(coming->stream, piece->bytes);
    coming->have += piece->bytes.length;
    *out_have = coming->have;
    if (coming->have == coming->size) {
        bool is_good = image_coming_finish(files, coming, err);

        image_coming_end(files, coming);
        return is_good;
    }
    return true;
}

bool image_files_is_sent(const struct image_files *files, struct text tenant, struct text digest)
{
    for (size_t i = 0; i < IMAGE_FILES_SENT; i++) {
        if (text_is(tenant, files->sent[i].tenant) && text_is(digest, files->sent[i].digest)) {
            return true;
        }
    }
    return false;
}

/* ---- reading ---- */

bool image_files_find(const struct image_files *files, struct text digest, struct image_file *out)
{
    char name[DIGEST_TEXT_BYTES];
    char head[4] = { 0 };
    struct stat status;
    AUTO(fd) fd = FD_NONE;
    struct err err;

    if (!image_is_digest(digest)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    if (fstatat(files->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || !file_open_beneath(files->folder, name, &fd, &err) ||
        pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head)) {
        return false;
    }
    out->bytes = (uint64_t)status.st_size;
    out->format = image_format_of((struct text){ head, sizeof(head) });
    return out->format != NULL;
}

bool image_files_read_begin(const struct image_files *files, struct text digest, int *out_fd,
                            struct err *err)
{
    char name[DIGEST_TEXT_BYTES];
    struct image_file known;

    if (!image_files_find(files, digest, &known)) {
        return err_set(err, CODE_R0854, "this manager does not have the image sha256:%.*s",
                       TEXT_ARG(text_slice(digest, 0, 64)));
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    return file_open_beneath(files->folder, name, out_fd, err);
}

bool image_files_read(int fd, uint64_t offset, char *out, size_t length, size_t *out_count,
                      struct err *err)
{
    ssize_t count;

    do {
        count = pread(fd, out, length, (off_t)offset);
    } while (count < 0 && errno == EINTR);
    *out_count = count < 0 ? 0 : (size_t)count;
    return count >= 0 || err_set(err, CODE_R0534, "the image cannot be read: %s", strerror(errno));
}

bool image_files_remove(struct image_files *files, struct text digest)
{
    char name[DIGEST_TEXT_BYTES];

    if (!image_is_digest(digest)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    return unlinkat(files->folder, name, 0) == 0;
}

size_t image_files_sweep(struct image_files *files, int64_t wall_ms, uint32_t times,
                         bool (*is_used)(void *arg, struct text digest), void *arg)
{
    DIR *dir = image_folder_read(files);
    const struct dirent *entry;
    size_t count = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        struct text name = text_from(entry->d_name);
        struct stat status;

        if (image_is_digest(name) &&
            fstatat(files->folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            wall_ms - (int64_t)status.st_mtime * 1000 > IMAGE_FILES_YOUNG_MS / (int64_t)times &&
            !is_used(arg, name)) {
            count += image_files_remove(files, name);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return count;
}

/* ---- checks ---- */

struct image_check {
    struct image_files *files;
    char digest[DIGEST_TEXT_BYTES];
    struct digest_stream *stream;
    uint64_t offset;
    int fd;
};

bool image_check_begin(struct image_files *files, struct text digest, struct image_check **out,
                       struct err *err)
{
    struct image_check *check;
    int fd;

    if (!image_files_read_begin(files, digest, &fd, err)) {
        return false;
    }
    check = rows_resize(NULL, sizeof(*check));
    *check = (struct image_check){ .files = files, .stream = digest_stream_new(), .fd = fd };
    snprintf(check->digest, sizeof(check->digest), "%.*s", TEXT_ARG(digest));
    *out = check;
    return true;
}

bool image_check_step(struct image_check *check, bool *out_is_good)
{
    char digest[DIGEST_TEXT_BYTES];
    char block[IMAGE_BLOCK_BYTES];
    size_t count = 1;
    struct err err;

    for (size_t done = 0; done < IMAGE_STEP_BYTES && count > 0; done += count) {
        if (!image_files_read(check->fd, check->offset, block, sizeof(block), &count, &err)) {
            count = 0;
        }
        digest_stream_add(check->stream, (struct text){ block, count });
        check->offset += count;
    }
    if (count > 0) {
        return false;
    }
    digest_stream_end(check->stream, digest);
    check->stream = NULL;
    *out_is_good = strcmp(digest, check->digest) == 0;
    if (!*out_is_good) {
        (void)image_files_remove(check->files, text_from(check->digest));
    }
    return true;
}

void image_check_end(struct image_check *check)
{
    char unused[DIGEST_TEXT_BYTES];

    if (check != NULL) {
        if (check->stream != NULL) {
            digest_stream_end(check->stream, unused);
        }
        close(check->fd);
        rows_free(check);
    }
}

void image_files_close(struct image_files *files)
{
    if (files != NULL) {
        for (size_t i = 0; i < IMAGE_FILES_COMING; i++) {
            image_coming_end(files, &files->coming[i]);
        }
        close(files->folder);
        rows_free(files);
    }
}
