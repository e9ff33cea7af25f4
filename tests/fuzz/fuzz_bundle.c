/* An archive from anywhere: what is taken reads back, as it was written, as the same bundle; what is refused has a reason of
 * this folder's; and in whatever pieces it comes, it is the same archive. */
#include "base/limits.h"
#include "fuzz.h"
#include "remote/archive.h"
#include "remote/bundle.h"

enum { PIECES = 3 };

static bool count_member(void *arg, const struct archive_member *member, struct err *err)
{
    size_t *count = arg;

    (void)err;
    FUZZ_CHECK(member->name.length == 0 || member->name.data != NULL);
    (*count)++;
    return true;
}

/* Whether it is an archive, and of how many members, when it comes in pieces of this size. */
static bool feed(struct text bytes, size_t piece, size_t *out)
{
    struct archive *archive = archive_new(count_member, out);
    struct err err = { 0 };
    bool is_good = true;

    *out = 0;
    for (size_t at = 0; is_good && at < bytes.length; at += piece) {
        is_good = archive_feed(archive, text_slice(bytes, at, piece), &err);
    }
    is_good = is_good && archive_end(archive, &err);
    FUZZ_CHECK(is_good || (err.code >= CODE_R0721 && err.code <= CODE_R0725));
    archive_free(archive);
    return is_good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[PIECES] = { 1, 511, 4096 };
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    struct text bytes = { (const char *)data, size };
    struct bundle bundle;
    struct bundle again;
    struct err err = { 0 };
    size_t members[PIECES];
    bool is_good[PIECES];

    for (size_t i = 0; i < PIECES; i++) {
        is_good[i] = feed(bytes, pieces[i], &members[i]);
        FUZZ_CHECK(is_good[i] == is_good[0] && members[i] == members[0]);
    }
    if (!bundle_from_archive(arena, bytes, &bundle, &err)) {
        FUZZ_CHECK(err.code >= CODE_R0721 && err.code <= CODE_R0725 && err.text[0] != '\0');
        return 0;
    }
    FUZZ_CHECK(is_good[0] && bundle.members > 0);
    FUZZ_CHECK(bundle_from_archive(arena, bundle.bytes, &again, &err));
    FUZZ_CHECK(strcmp(bundle.digest, again.digest) == 0 && bundle.members == again.members);
    FUZZ_CHECK(text_is_equal(bundle.bytes, again.bytes));
    return 0;
}
