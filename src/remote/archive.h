#ifndef REEVE_REMOTE_ARCHIVE_H
#define REEVE_REMOTE_ARCHIVE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"

/* tar archives: ustar, with the long names of pax and of GNU. Read piece by piece, strictly, for they come from anywhere; what
 * is written is ustar, with pax headers where a name is long. Pure. Fuzzed by tests/fuzz/fuzz_bundle.c. */

enum archive_kind { ARCHIVE_FILE, ARCHIVE_FOLDER, ARCHIVE_LINK };

/* One member. Texts are borrowed until the call returns. */
struct archive_member {
    enum archive_kind kind;
    struct text name; /* as it is spelled, but for `/` at the end of a folder's */
    struct text link; /* what a symbolic link leads to */
    unsigned mode;
    uint64_t bytes;
    uint64_t offset; /* of its content, in the archive */
};

/* Told of each member when its headers have come. False: *err was filled, and the reading ends. */
typedef bool archive_fn(void *arg, const struct archive_member *member, struct err *err);

struct archive;

/* A reader; the caller frees it. */
struct archive *archive_new(archive_fn *member, void *arg);

/* Take the next bytes of the archive. R0721: it is none, or damaged; R0724: a member of another kind (a device, a hard link,
 * ...); R0725: a limit; or what `member` said. Nothing more may be fed then. */
MUST_CHECK bool archive_feed(struct archive *archive, struct text bytes, struct err *err);

/* It has ended. R0721: too early. */
MUST_CHECK bool archive_end(struct archive *archive, struct err *err);

void archive_free(struct archive *archive);

/* Append the headers of a member; its content with zeros to a whole block follows. Owner root, time 0. */
void archive_add_head(struct buf *buf, const struct archive_member *member);

/* Zeros that follow a content of so many bytes. */
size_t archive_padding(uint64_t bytes);

/* Append a member with this content, or the end of an archive. */
void archive_add(struct buf *buf, const struct archive_member *member, struct text content);
void archive_finish(struct buf *buf);

#endif
