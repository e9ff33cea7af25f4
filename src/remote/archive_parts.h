#ifndef REEVE_REMOTE_ARCHIVE_PARTS_H
#define REEVE_REMOTE_ARCHIVE_PARTS_H

/* private to src/remote */

/* Offsets and widths of the fields of a ustar header (POSIX.1-2017, pax). */
enum {
    TAR_BLOCK = 512,
    TAR_NAME = 0,
    TAR_NAME_BYTES = 100,
    TAR_MODE = 100,
    TAR_MODE_BYTES = 8,
    TAR_UID = 108,
    TAR_GID = 116,
    TAR_SIZE = 124,
    TAR_SIZE_BYTES = 12,
    TAR_TIME = 136,
    TAR_SUM = 148,
    TAR_SUM_BYTES = 8,
    TAR_TYPE = 156,
    TAR_LINK = 157,
    TAR_MAGIC = 257,
    TAR_MAGIC_BYTES = 8,
    TAR_PREFIX = 345,
    TAR_PREFIX_BYTES = 155,
};

#define TAR_MAGIC_USTAR "ustar\00000"
#define TAR_MAGIC_GNU   "ustar  \0"

#endif
