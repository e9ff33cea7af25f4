#include "remote/depot.h"

#include "remote/answer.h"
#include "remote/bounds.h"
#include "sys/digest.h"
#include "sys/fd.h"
#include "sys/folder.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the free disk this much stays, for the store is on it too. */
enum { SPARE_PERCENT = 5 };

/* One that somebody sends: two hundred nodes take it at once, and it is in memory once. */
struct depot_lent {
    char digest[DIGEST_TEXT_BYTES];
    struct blob *blob;
};

struct depot {
    int folder;
    size_t count; /* files; what others put there counts as well */
    struct depot_lent *lent;
    size_t lent_count;
};

/* A name in the folder: is it one of ours that is wanted? NULL `digests`: any. */
static bool name_is_wanted(const char *name, const struct text *digests, size_t count)
{
    bool is_wanted = digests == NULL && answer_is_digest(text_from(name));

    for (size_t i = 0; i < count && !is_wanted; i++) {
        is_wanted = text_is(digests[i], name);
    }
    return is_wanted;
}

/* Remove what is not wanted, and count the rest. */
static size_t sweep(struct depot *depot, const struct text *digests, size_t count)
{
    int own = openat(depot->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    const struct dirent *entry;
    size_t removed = 0;

    depot->count = 0;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (!name_is_wanted(entry->d_name, digests, count) &&
            unlinkat(depot->folder, entry->d_name, 0) == 0) {
            removed++;
        } else {
            depot->count++;
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return removed;
}

bool depot_open(const char *path, struct depot **out, struct err *err)
{
    struct depot *depot;
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
    depot = rows_resize(NULL, sizeof(*depot));
    *depot = (struct depot){ .folder = folder };
    (void)sweep(depot, NULL, 0);
    *out = depot;
    return true;
}

bool depot_has(const struct depot *depot, struct text digest)
{
    char name[DIGEST_TEXT_BYTES];
    struct stat status;

    if (!answer_is_digest(digest)) {
        return false;
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    return fstatat(depot->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode);
}

bool depot_put(struct depot *depot, const struct bundle *bundle, struct err *err)
{
    uint64_t size = bundle->bytes.length;
    uint64_t left;

    if (depot_has(depot, text_from(bundle->digest))) {
        return true;
    }
    if (depot->count >= REMOTE_DEPOT_BUNDLES) {
        return err_set(err, CODE_R0727, "%d bundles are kept, the most there may be",
                       REMOTE_DEPOT_BUNDLES);
    }
    if (!folder_free_bytes(depot->folder, &left, err)) {
        return false;
    }
    if (left < size + left / 100 * SPARE_PERCENT) {
        return err_set(err, CODE_R0727,
                       "the bundle has %" PRIu64 " bytes, and %" PRIu64 " are free", size, left);
    }
    if (!file_replace(depot->folder, bundle->digest, bundle->bytes, 0600, err)) {
        return false;
    }
    depot->count++;
    return true;
}

void depot_rest(struct depot *depot)
{
    size_t count = 0;

    for (size_t i = 0; i < depot->lent_count; i++) {
        if (blob_is_shared(depot->lent[i].blob)) {
            depot->lent[count++] = depot->lent[i];
        } else {
            blob_free(depot->lent[i].blob);
        }
    }
    depot->lent_count = count;
}

static void lend(struct depot *depot, const char *digest, struct blob *blob)
{
    struct depot_lent *lent;

    depot->lent = rows_resize(depot->lent, (depot->lent_count + 1) * sizeof(*depot->lent));
    lent = &depot->lent[depot->lent_count++];
    snprintf(lent->digest, sizeof(lent->digest), "%s", digest);
    lent->blob = blob_share(blob);
}

bool depot_get(struct depot *depot, struct text digest, struct blob **out, struct err *err)
{
    AUTO(arena) arena = arena_new_small(SIZE_MAX);
    char name[DIGEST_TEXT_BYTES];
    char found[DIGEST_TEXT_BYTES];
    struct text bytes;

    for (size_t i = 0; i < depot->lent_count; i++) {
        if (text_is(digest, depot->lent[i].digest)) {
            *out = blob_share(depot->lent[i].blob);
            return true;
        }
    }
    if (!depot_has(depot, digest)) {
        return err_set(err, CODE_R0726, "no bundle %.*s is kept", TEXT_ARG(digest));
    }
    snprintf(name, sizeof(name), "%.*s", TEXT_ARG(digest));
    if (!file_read_beneath(arena, depot->folder, name, REMOTE_BUNDLE_BYTES * 2UL, &bytes, err)) {
        return false;
    }
    digest_sha256(bytes, found);
    if (strcmp(found, name) != 0) {
        depot->count -= unlinkat(depot->folder, name, 0) == 0 && depot->count > 0 ? 1 : 0;
        return err_set(err, CODE_R0726, "the bundle %s is damaged: it has the digest %s", name,
                       found);
    }
    *out = blob_new(bytes);
    lend(depot, name, *out);
    return true;
}

size_t depot_sweep(struct depot *depot, const struct text *digests, size_t count)
{
    static const struct text none[1];

    return sweep(depot, count == 0 ? none : digests, count);
}

void depot_close(struct depot *depot)
{
    if (depot != NULL) {
        close(depot->folder);
        for (size_t i = 0; i < depot->lent_count; i++) {
            blob_free(depot->lent[i].blob);
        }
        rows_free(depot->lent);
        rows_free(depot);
    }
}
