#ifndef REEVE_IMAGE_FILES_IMAGE_FILES_H
#define REEVE_IMAGE_FILES_IMAGE_FILES_H

#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: image_files_ image_check_ */

/* The bytes of images, files named by their digest in a folder of the manager. An image is either
 * complete, with the right digest, or absent, even after a crash. It is never in memory as a whole.
 * Only one process may use the folder. */
struct image_files;

enum {
    IMAGE_FILES_COMING = 4,             /* uploads at the same time */
    IMAGE_FILES_SILENT_MS = 60 * 1000,  /* after which another upload may take the place of one */
    IMAGE_FILES_SENT = 32,              /* complete uploads that wait for image_push */
    IMAGE_FILES_SPARE_PERCENT = 5,      /* of the free space, which is kept for the store */
    IMAGE_FILES_YOUNG_MS = 3600 * 1000, /* how long a file is kept that no image refers to */
};

/* Opens the folder, creating it if missing, and removes incomplete files. R0534 or R0536: it cannot
 * be used. */
MUST_CHECK bool image_files_open(const char *path, struct image_files **out, struct err *err);

/* Ends incomplete uploads. NULL is allowed. */
void image_files_close(struct image_files *files);

/* A piece of an image of `size` bytes in total. */
struct image_piece {
    struct text tenant; /* that sends it; empty: another manager */
    struct text digest;
    uint64_t size;
    uint64_t offset;
    struct text bytes;
    uint64_t now_ms; /* monotonic */
};

/* Takes a piece. Pieces come in order; one that does not begin where the last one ended is ignored.
 * *out_have is the number of bytes that have arrived. The last piece checks the digest and that the
 * bytes are a tar archive compressed by zstd or gzip. Knowing the digest gives no access: each
 * tenant sends all bytes, and those that are stored already are only compared.
 *
 * Fails with R0426 (the piece does not fit the upload), R0854 (no such archive, or another digest;
 * none of its bytes are kept), R0727 (no space, or too large) or R0534. If too many uploads are in
 * progress, *out_have does not grow. */
MUST_CHECK bool image_files_take(struct image_files *files, const struct image_piece *piece,
                                 uint64_t *out_have, struct err *err);

/* True if the tenant has sent the complete image since the manager started. */
bool image_files_is_sent(const struct image_files *files, struct text tenant, struct text digest);

/* The size and format of an image. False: this manager does not have it. */
struct image_file {
    uint64_t bytes;
    const char *format; /* tar.zst or tar.gz */
};
bool image_files_find(const struct image_files *files, struct text digest, struct image_file *out);

/* Opens an image for reading; the caller closes the descriptor. R0854: it is not stored. */
MUST_CHECK bool image_files_read_begin(const struct image_files *files, struct text digest,
                                       int *out_fd, struct err *err);

/* Reads at most `length` bytes from an offset on; *out_count is 0 at the end. R0534. */
MUST_CHECK bool image_files_read(int fd, uint64_t offset, char *out, size_t length,
                                 size_t *out_count, struct err *err);

/* Removes an image. False: it is not stored, or cannot be removed. */
bool image_files_remove(struct image_files *files, struct text digest);

/* Removes the images for which `is_used` returns false and that are older than
 * IMAGE_FILES_YOUNG_MS / times. Returns their number. */
size_t image_files_sweep(struct image_files *files, int64_t wall_ms, uint32_t times,
                         bool (*is_used)(void *arg, struct text digest), void *arg);

/* A check of all bytes of an image, a part at a time, so that the loop of the process is not
 * blocked. image_check_step returns true when the check has ended; *out_is_good is then its result.
 * A damaged file is removed. image_check_end ends it early; NULL is allowed. */
struct image_check;
MUST_CHECK bool image_check_begin(struct image_files *files, struct text digest,
                                  struct image_check **out, struct err *err);
bool image_check_step(struct image_check *check, bool *out_is_good);
void image_check_end(struct image_check *check);

#endif
