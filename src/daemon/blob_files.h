#ifndef REEVE_DAEMON_BLOB_FILES_H
#define REEVE_DAEMON_BLOB_FILES_H

#include "daemon/controller.h"
#include "image_files/image_files.h"
#include "peers/blobs.h"

/* public names start with: blob_files_ */

/* The files of blobs on this manager, as blobs_options has them: bundles, archives of
 * configurations, images, and plugins that are fetched or installed for tenants. */
struct blob_files {
    struct depot *bundles;      /* NULL: none are stored */
    struct depot *archives;     /* NULL: none are stored */
    struct image_files *images; /* NULL: none are stored */
    struct controller *const *controller;
    struct clock clock;
};

/* Implement blobs_options.has, .read and .put; `arg` is a struct blob_files. */
bool blob_files_has(void *arg, enum blobs_kind kind, struct text digest);
MUST_CHECK bool blob_files_read(void *arg, struct arena *arena, enum blobs_kind kind,
                                struct text digest, uint64_t offset, uint64_t length,
                                struct blobs_part *out, struct err *err);
MUST_CHECK bool blob_files_put(void *arg, const struct blobs_piece *piece, uint64_t *out_have,
                               struct err *err);

#endif
