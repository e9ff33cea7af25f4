#include "remote/answer.h"
#include "remote/depot_parts.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Uploads of bundles, piece by piece. Only one piece and the names of the members are in memory. A
 * file gets its final name after it was checked and synced. The next depot_open removes the files
 * of interrupted uploads. */

enum { NAME_BYTES = DIGEST_TEXT_BYTES + 8 };

static void depot_coming_name_make(const struct depot_coming *coming, char out[static NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%s.coming", coming->digest);
}

void depot_coming_end(struct depot *depot, struct depot_coming *coming)
{
    char name[NAME_BYTES];

    if (coming->fd >= 0) {
        depot_coming_name_make(coming, name);
        (void)unlinkat(depot->folder, name, 0);
        fd_cleanup(&coming->fd);
        bundle_check_free(coming->check);
    }
    *coming = (struct depot_coming){ .fd = FD_NONE };
}

static struct depot_coming *coming_find(struct depot *depot, struct text digest)
{
    for (size_t i = 0; i < REMOTE_DEPOT_COMING; i++) {
        if (depot->coming[i].fd >= 0 && text_is(digest, depot->coming[i].digest)) {
            return &depot->coming[i];
        }
    }
    return NULL;
}

/* Returns whether an upload is active, so that it must not be replaced. If active uploads could be
 * replaced, uploads might replace each other and never complete. */
static bool is_fed(const struct depot_coming *coming, int64_t now_ms)
{
    return coming->fd >= 0 && now_ms >= coming->fed_ms &&
           now_ms - coming->fed_ms < REMOTE_DEPOT_SILENT_MS;
}

/* Returns an entry for a new upload: a free one, or the one that has been without data for the
 * longest time. NULL: all uploads are active. */
static struct depot_coming *depot_coming_place_find(struct depot *depot, int64_t now_ms)
{
    struct depot_coming *place = NULL;

    for (size_t i = 0; i < REMOTE_DEPOT_COMING; i++) {
        struct depot_coming *coming = &depot->coming[i];

        if (!is_fed(coming, now_ms) && (place == NULL || coming->fed_ms < place->fed_ms)) {
            place = coming;
        }
    }
    return place;
}

/* Begins an upload. Returns false if that is impossible. */
MUST_CHECK static bool coming_begin(struct depot *depot, struct depot_coming *coming,
                                    const struct depot_piece *piece, struct err *err)
{
    char name[NAME_BYTES];

    if (!depot_room_check(depot, piece->size, err)) {
        return false;
    }
    depot_coming_end(depot, coming);
    snprintf(coming->digest, sizeof(coming->digest), "%.*s", TEXT_ARG(piece->digest));
    depot_coming_name_make(coming, name);
    coming->fd =
        openat(depot->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (coming->fd < 0) {
        return err_set(err, CODE_R0534, "'%s' cannot be written: %s", name, strerror(errno));
    }
    coming->size = piece->size;
    coming->check = bundle_check_new(depot->kind);
    return true;
}

/* Appends a piece and starts to write it to the disk, so that the final sync of a large file is
 * short. */
MUST_CHECK static bool depot_coming_piece_write(struct depot_coming *coming, struct text bytes,
                                                struct err *err)
{
    size_t done = 0;

    while (done < bytes.length) {
        ssize_t put = pwrite(coming->fd, bytes.data + done, bytes.length - done,
                             (off_t)(coming->bytes + done));

        if (put < 0 && errno != EINTR) {
            return err_set(err, errno == ENOSPC || errno == EDQUOT ? CODE_R0727 : CODE_R0534,
                           "the bundle cannot be written: %s", strerror(errno));
        }
        done += put > 0 ? (size_t)put : 0;
    }
    (void)sync_file_range(coming->fd, (off_t)coming->bytes, (off_t)bytes.length,
                          SYNC_FILE_RANGE_WRITE);
    coming->bytes += bytes.length;
    return true;
}

/* Stores a complete upload. */
MUST_CHECK static bool whole_keep(struct depot *depot, struct depot_coming *coming, struct err *err)
{
    char name[NAME_BYTES];

    if (!bundle_check_end(coming->check, text_from(coming->digest), err)) {
        return false;
    }
    depot_coming_name_make(coming, name);
    if (fsync(coming->fd) != 0 ||
        renameat(depot->folder, name, depot->folder, coming->digest) != 0 ||
        fsync(depot->folder) != 0) {
        return err_set(err, CODE_R0534, "the bundle cannot be written: %s", strerror(errno));
    }
    depot->count++;
    return true;
}

MUST_CHECK static bool piece_check(const struct depot_piece *piece, struct err *err)
{
    if (!answer_is_digest(piece->digest)) {
        return err_set(err, CODE_R0426, "'%.*s' is not a digest of a bundle",
                       TEXT_ARG(piece->digest));
    }
    if (piece->size == 0 || piece->size > REMOTE_BUNDLE_BYTES) {
        return err_set(err, CODE_R0725, "an archive has 1 to %d bytes", REMOTE_BUNDLE_BYTES);
    }
    return true;
}

MUST_CHECK static bool depot_coming_piece_take(struct depot *depot, struct depot_coming *coming,
                                               const struct depot_piece *piece, uint64_t *out_have,
                                               struct err *err)
{
    bool is_good;

    coming->fed_ms = piece->now_ms;
    *out_have = coming->bytes;
    if (piece->offset != coming->bytes) {
        return true;
    }
    is_good = piece->bytes.length <= coming->size - coming->bytes
                  ? bundle_check_feed(coming->check, piece->bytes, err) &&
                        depot_coming_piece_write(coming, piece->bytes, err)
                  : err_set(err, CODE_R0721, "more bytes arrived than the bundle has");
    if (is_good) {
        *out_have = coming->bytes;
        is_good = coming->bytes < coming->size || whole_keep(depot, coming, err);
    }
    if (!is_good || coming->bytes == coming->size) {
        depot_coming_end(depot, coming);
    }
    return is_good;
}

bool depot_take(struct depot *depot, const struct depot_piece *piece, uint64_t *out_have,
                struct err *err)
{
    struct depot_coming *coming;

    if (!piece_check(piece, err)) {
        return false;
    }
    if (depot_has(depot, piece->digest)) {
        depot_use(depot, piece->digest);
        *out_have = piece->size;
        return true;
    }
    coming = coming_find(depot, piece->digest);
    if (coming == NULL || coming->size != piece->size) { /* an upload with another size has begun
                                                          * before */
        coming = piece->offset > 0 ? NULL
                 : coming != NULL  ? coming
                                   : depot_coming_place_find(depot, piece->now_ms);
        if (coming == NULL) {
            *out_have = 0;
            return true;
        }
        if (!coming_begin(depot, coming, piece, err)) {
            return false;
        }
    }
    return depot_coming_piece_take(depot, coming, piece, out_have, err);
}
