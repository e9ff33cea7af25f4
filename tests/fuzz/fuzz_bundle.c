/* Untrusted archives: formatting an accepted archive gives the same bundle; a refusal has a reason
 * of this module; and the result does not depend on the pieces in which the archive arrives. The
 * check by pieces accepts exactly the archives that reeve has written. */
#include "base/limits.h"
#include "fuzz.h"
#include "remote/archive.h"
#include "remote/bundle.h"
#include "remote/bundle_check.h"
#include "sys/digest.h"

enum { PIECES = 3, BLOCK = 512, SUM = 148, SUM_BYTES = 8, MAGIC = 257 };

static bool count_member(void *arg, const struct archive_member *member, struct err *err)
{
    size_t *count = arg;

    (void)err;
    FUZZ_CHECK(member->name.length == 0 || member->name.data != NULL);
    (*count)++;
    return true;
}

/* Returns whether the bytes are an archive, in pieces of this size. *out is the number of its
 * members. */
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

/* Returns whether the archive is accepted as written by reeve, in pieces of this size. */
static bool is_ours(struct text bytes, size_t piece, const char *digest)
{
    struct bundle_check *check = bundle_check_new(BUNDLE_STAGE);
    struct err err = { 0 };
    bool is_good = true;

    for (size_t at = 0; is_good && at < bytes.length; at += piece) {
        is_good = bundle_check_feed(check, text_slice(bytes, at, piece), &err);
    }
    is_good = is_good && bundle_check_end(check, text_from(digest), &err);
    FUZZ_CHECK(is_good || (err.code >= CODE_R0721 && err.code <= CODE_R0725));
    bundle_check_free(check);
    return is_good;
}

static void take(struct text bytes)
{
    static const size_t pieces[PIECES] = { 1, 511, 4096 };
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    struct bundle bundle;
    struct bundle again;
    struct err err = { 0 };
    size_t members[PIECES];
    bool is_good[PIECES];
    bool is_written;
    char digest[DIGEST_TEXT_BYTES];

    digest_sha256(bytes, digest);
    for (size_t i = 0; i < PIECES; i++) {
        is_good[i] = feed(bytes, pieces[i], &members[i]);
        FUZZ_CHECK(is_good[i] == is_good[0] && members[i] == members[0]);
    }
    is_written = bundle_from_archive(arena, BUNDLE_STAGE, bytes, &bundle, &err);
    for (size_t i = 0; i < PIECES; i++) {
        FUZZ_CHECK(is_ours(bytes, pieces[i], digest) ==
                   (is_written && text_is_equal(bytes, bundle.bytes)));
    }
    if (!is_written) {
        FUZZ_CHECK(err.code >= CODE_R0721 && err.code <= CODE_R0725 && err.text[0] != '\0');
        return;
    }
    FUZZ_CHECK(is_good[0] && bundle.members > 0);
    FUZZ_CHECK(bundle_from_archive(arena, BUNDLE_STAGE, bundle.bytes, &again, &err));
    FUZZ_CHECK(strcmp(bundle.digest, again.digest) == 0 && bundle.members == again.members);
    FUZZ_CHECK(text_is_equal(bundle.bytes, again.bytes));
    FUZZ_CHECK(is_ours(bundle.bytes, pieces[members[0] % PIECES], bundle.digest));
}

/* Corrects the checksums of all blocks that are headers, because wrong checksums would cause nearly
 * all inputs to be rejected. */
static void sums_repair(char *data, size_t size)
{
    for (size_t at = 0; at + BLOCK <= size; at += BLOCK) {
        char *block = data + at;
        unsigned sum = 0;
        char digits[SUM_BYTES + 1];

        if (memcmp(block + MAGIC, "ustar", 5) != 0) {
            continue;
        }
        memset(block + SUM, ' ', SUM_BYTES);
        for (size_t i = 0; i < BLOCK; i++) {
            sum += (unsigned char)block[i];
        }
        snprintf(digits, sizeof(digits), "%07o", sum);
        memcpy(block + SUM, digits, SUM_BYTES);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new_small((size_t)LIMIT_WORK_ARENA_BYTES);
    char *repaired = arena_copy(arena, data, size);

    take((struct text){ (const char *)data, size });
    sums_repair(repaired, size);
    take((struct text){ repaired, size });
    return 0;
}
