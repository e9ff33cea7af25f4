#ifndef REEVE_REMOTE_DEPOT_PARTS_H
#define REEVE_REMOTE_DEPOT_PARTS_H

#include "remote/bounds.h"
#include "remote/bundle_check.h"
#include "remote/depot.h"
#include "sys/digest.h"

#include <sys/stat.h>

/* private to src/remote */
/* public names start with: depot_ */

/* Declarations that the files of the depot share. */

/* An open file of a bundle that is being sent. It was checked when its status was `checked`; any
 * write to the file changes its status. */
struct depot_file {
    char digest[DIGEST_TEXT_BYTES];
    int fd; /* FD_NONE: unused */
    uint64_t bytes;
    struct stat checked;
    uint64_t used; /* a larger number means more recent use */
};

/* An upload. Its file has a temporary name until it is complete. */
struct depot_coming {
    char digest[DIGEST_TEXT_BYTES];
    int fd; /* FD_NONE: unused */
    uint64_t bytes;
    uint64_t size;
    struct bundle_check *check;
    int64_t fed_ms; /* time of the last piece */
};

struct depot {
    enum bundle_kind kind;
    int folder;
    size_t count; /* number of files in the folder, including foreign ones */
    struct depot_file files[REMOTE_DEPOT_OPEN];
    struct depot_coming coming[REMOTE_DEPOT_COMING];
    uint64_t used;
};

/* Checks that there is room for one more bundle of `size` bytes. Fails with R0727. */
MUST_CHECK bool depot_room_check(const struct depot *depot, uint64_t size, struct err *err);

/* Ends an upload and removes its file. */
void depot_coming_end(struct depot *depot, struct depot_coming *coming);

#endif
