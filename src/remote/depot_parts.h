#ifndef REEVE_REMOTE_DEPOT_PARTS_H
#define REEVE_REMOTE_DEPOT_PARTS_H

#include "remote/bounds.h"
#include "remote/bundle_check.h"
#include "remote/depot.h"
#include "sys/digest.h"

#include <sys/stat.h>

/* names: depot_ */

/* What the files of the depot share. */

/* A file that is being sent, and was found whole while it was like this: who writes it changes that, whatever he writes. */
struct depot_file {
    char digest[DIGEST_TEXT_BYTES];
    int fd; /* FD_NONE: none */
    uint64_t bytes;
    struct stat checked;
    uint64_t used; /* the larger, the later */
};

/* A bundle that comes piece by piece, in a file of another name until it is whole. */
struct depot_coming {
    char digest[DIGEST_TEXT_BYTES];
    int fd; /* FD_NONE: none */
    uint64_t bytes;
    uint64_t size;
    struct bundle_check *check;
    int64_t fed_ms; /* when a piece came last */
};

struct depot {
    int folder;
    size_t count; /* files; what others put there counts as well */
    struct depot_file files[REMOTE_DEPOT_OPEN];
    struct depot_coming coming[REMOTE_DEPOT_COMING];
    uint64_t used;
};

/* Is there room for one more, of so many bytes? R0727: there is none. */
MUST_CHECK bool depot_room_check(const struct depot *depot, uint64_t size, struct err *err);

/* It comes no more: what is there of it goes. */
void depot_coming_end(struct depot *depot, struct depot_coming *coming);

#endif
