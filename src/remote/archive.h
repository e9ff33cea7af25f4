#ifndef REEVE_REMOTE_ARCHIVE_H
#define REEVE_REMOTE_ARCHIVE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"

/* Reads and writes tar archives. The reader accepts ustar with the long names of pax and GNU. It
 * works piece by piece and is strict, because archives are untrusted. The writer emits ustar, with
 * pax headers for long names. Pure. Fuzzed by tests/fuzz/fuzz_bundle.c. */

enum archive_kind { ARCHIVE_FILE, ARCHIVE_FOLDER, ARCHIVE_LINK };

/* One member. Texts are borrowed until the call returns. */
struct archive_member {
    enum archive_kind kind;
    struct text name; /* name in the archive, without the final `/` of a folder */
    struct text link; /* target of a symbolic link */
    unsigned mode;
    uint64_t bytes;
    uint64_t offset; /* position of its content in the archive */
};

/* Called for each member when its headers are complete. If it returns false, it has set *err, and
 * reading ends. */
typedef bool archive_fn(void *arg, const struct archive_member *member, struct err *err);

struct archive;

/* Creates a reader; the caller frees it. */
struct archive *archive_new(archive_fn *member, void *arg);

/* Reads the next bytes of the archive. Fails with R0721 (not a tar archive, or damaged), R0724 (an
 * unsupported kind of member: a device, a hard link, ...), R0725 (a limit is exceeded), or the
 * error of `member`. After a failure, no more bytes may be passed. */
MUST_CHECK bool archive_feed(struct archive *archive, struct text bytes, struct err *err);

/* archive_end must be called after the last byte; it fails with R0721 if the archive is truncated.
 * archive_free frees the reader. */
MUST_CHECK bool archive_end(struct archive *archive, struct err *err);

void archive_free(struct archive *archive);

/* Appends the headers of a member, with owner root and time 0. The caller appends the content,
 * padded with zeros to a whole block. */
void archive_add_head(struct buf *buf, const struct archive_member *member);

/* Returns the number of padding zeros after a content of `bytes` bytes. */
size_t archive_padding(uint64_t bytes);

/* archive_add appends a member with its content. archive_finish appends the end of the archive. */
void archive_add(struct buf *buf, const struct archive_member *member, struct text content);
void archive_finish(struct buf *buf);

#endif
