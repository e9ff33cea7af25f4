#ifndef REEVE_NATIVE_TAR_H
#define REEVE_NATIVE_TAR_H

#include <stdbool.h>
#include <stdint.h>

/* Reading an archive of POSIX (ustar) as reeve writes it: files, folders and links, each with a name that leads nowhere else. Its digest is the one that
 * the manager has checked; still nothing is believed. What is not as plain as that is for tar, and nothing of it is read here. */

enum { TAR_NAME_BYTES = 100, TAR_PATH_BYTES = 300 };

/* A whole archive in memory, and how far it is read. */
struct tar {
    const char *bytes;
    uint64_t count;
    uint64_t at;
};

/* One member. */
struct tar_member {
    char path[TAR_PATH_BYTES]; /* in the folder; empty: the folder itself */
    char link[TAR_NAME_BYTES + 1];
    char type; /* '0' a file, '5' a folder, '2' a link */
    unsigned mode;
    int64_t time;
    uint64_t bytes;
    const char *content;
};

/* The next one. 1: here it is; 0: there is none; -1: this is not for us. */
int tar_next(struct tar *tar, struct tar_member *out);

/* Can all of it be read here, from its beginning on? */
bool tar_is_plain(const struct tar *tar);

#endif
