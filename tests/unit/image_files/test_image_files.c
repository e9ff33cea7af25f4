/* Files of images: uploads in pieces, their checks, and references to images by name.
 * Requirement: C3. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "image_files/image_files.h"
#include "images/images.h"
#include "sys/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 100000 };

struct setup {
    char folder[64];
    struct image_files *files;
    char bytes[BYTES];
    char digest[DIGEST_TEXT_BYTES];
};

static int begin(void **state)
{
    static struct setup setup;
    struct err err;

    setup = (struct setup){ .folder = "/tmp/reeve-images.XXXXXX" };
    assert_non_null(mkdtemp(setup.folder));
    assert_true(image_files_open(setup.folder, &setup.files, &err));
    for (size_t i = 0; i < BYTES; i++) {
        setup.bytes[i] = (char)(i * 7);
    }
    memcpy(setup.bytes, "\x28\xb5\x2f\xfd", 4);
    digest_sha256((struct text){ setup.bytes, BYTES }, setup.digest);
    *state = &setup;
    return 0;
}

static int end(void **state)
{
    struct setup *setup = *state;
    char command[128];

    image_files_close(setup->files);
    snprintf(command, sizeof(command), "rm -rf %s", setup->folder);
    return system(command) == 0 ? 0 : 1;
}

/* Sends a piece; returns the number of bytes that have arrived, or -1. */
static int64_t take(struct setup *setup, const char *tenant, size_t offset, size_t length)
{
    const struct image_piece piece = { .tenant = text_from(tenant),
                                       .digest = text_from(setup->digest),
                                       .size = BYTES,
                                       .offset = offset,
                                       .bytes = { setup->bytes + offset, length },
                                       .now_ms = 5 };
    uint64_t have = 0;
    struct err err;

    return image_files_take(setup->files, &piece, &have, &err) ? (int64_t)have : -1;
}

static bool is_used(void *arg, struct text digest)
{
    (void)digest;
    return *(const bool *)arg;
}

static void pieces_come_in_order(void **state)
{
    struct setup *setup = *state;
    struct image_file file;

    assert_int_equal(take(setup, "a", 0, 1000), 1000);
    assert_int_equal(take(setup, "a", 0, 1000), 1000);
    assert_int_equal(take(setup, "a", 2000, 1000), 1000);
    assert_false(image_files_find(setup->files, text_from(setup->digest), &file));
    assert_int_equal(take(setup, "a", 1000, BYTES - 1000), BYTES);
    assert_true(image_files_find(setup->files, text_from(setup->digest), &file));
    assert_int_equal(file.bytes, BYTES);
    assert_string_equal(file.format, "tar.zst");
    assert_true(image_files_is_sent(setup->files, TEXT("a"), text_from(setup->digest)));
    /* another tenant sends it as well */
    assert_false(image_files_is_sent(setup->files, TEXT("b"), text_from(setup->digest)));
    assert_int_equal(take(setup, "b", 0, 10), 10);
    assert_int_equal(take(setup, "b", 10, BYTES - 10), BYTES);
    assert_true(image_files_is_sent(setup->files, TEXT("b"), text_from(setup->digest)));
}

static void wrong_bytes_are_not_kept(void **state)
{
    struct setup *setup = *state;
    struct image_file file;

    setup->bytes[500] ^= 1;
    assert_int_equal(take(setup, "a", 0, BYTES), -1);
    assert_false(image_files_find(setup->files, text_from(setup->digest), &file));
    setup->bytes[500] ^= 1;
    assert_int_equal(take(setup, "a", 0, BYTES), BYTES);
    setup->digest[0] = 'x';
    assert_int_equal(take(setup, "a", 0, 1), -1);
}

static void uploads_are_limited(void **state)
{
    struct setup *setup = *state;
    struct image_piece piece = {
        .tenant = TEXT("a"), .size = 100, .bytes = TEXT("x"), .now_ms = 1000
    };
    char digest[DIGEST_TEXT_BYTES];
    uint64_t have;
    struct err err;

    for (int i = 0; i < IMAGE_FILES_COMING + 1; i++) {
        digest_sha256((struct text){ (const char *)&i, sizeof(i) }, digest);
        piece.digest = text_from(digest);
        assert_true(image_files_take(setup->files, &piece, &have, &err));
        assert_int_equal(have, i < IMAGE_FILES_COMING ? 1 : 0);
    }
    piece.now_ms += IMAGE_FILES_SILENT_MS;
    assert_true(image_files_take(setup->files, &piece, &have, &err));
    assert_int_equal(have, 1); /* the oldest one was silent */
    piece.size = LIMIT_IMAGE_BYTES + 1;
    piece.digest = text_from(setup->digest);
    piece.now_ms += IMAGE_FILES_SILENT_MS;
    assert_false(image_files_take(setup->files, &piece, &have, &err));
    assert_int_equal(err.code, CODE_R0727);
}

static void damaged_files_are_found_and_removed(void **state)
{
    struct setup *setup = *state;
    char path[256];
    struct image_check *check;
    bool is_good = false;
    struct err err;
    FILE *file;

    assert_int_equal(take(setup, "a", 0, BYTES), BYTES);
    assert_true(image_check_begin(setup->files, text_from(setup->digest), &check, &err));
    while (!image_check_step(check, &is_good)) {
    }
    image_check_end(check);
    assert_true(is_good);
    snprintf(path, sizeof(path), "%s/%s", setup->folder, setup->digest);
    file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 1000, SEEK_SET), 0);
    assert_true(fputc('!', file) != EOF);
    assert_int_equal(fclose(file), 0);
    assert_true(image_check_begin(setup->files, text_from(setup->digest), &check, &err));
    while (!image_check_step(check, &is_good)) {
    }
    image_check_end(check);
    assert_false(is_good);
    assert_false(image_check_begin(setup->files, text_from(setup->digest), &check, &err));
}

static void unused_files_are_removed_when_they_are_old(void **state)
{
    struct setup *setup = *state;
    int64_t later_ms = ((int64_t)time(NULL) + 4000) * 1000;
    bool is = true;

    assert_int_equal(take(setup, "a", 0, BYTES), BYTES);
    assert_int_equal(image_files_sweep(setup->files, later_ms, 1, is_used, &is), 0);
    is = false;
    assert_int_equal(image_files_sweep(setup->files, (int64_t)time(NULL) * 1000, 1, is_used, &is),
                     0);
    assert_int_equal(image_files_sweep(setup->files, later_ms, 1, is_used, &is), 1);
}

static void references_have_one_form(void **state)
{
    static const char *const bad[] = { "",
                                       ":x",
                                       "a:",
                                       "a:b c",
                                       "a@",
                                       "a@sha256:",
                                       "a@sha256:12",
                                       "a@md5:0123456789abcdef",
                                       "a:b@sha256:0123456789ab",
                                       "a@sha256:0123456789AB",
                                       "-a",
                                       "a b" };
    struct image_reference reference;
    struct err err;

    (void)state;
    assert_true(image_reference_parse(TEXT("debian-12"), &reference, &err));
    assert_true(text_is(reference.name, "debian-12") && reference.tag.length == 0);
    assert_true(image_reference_parse(TEXT("debian-12:v1.2"), &reference, &err));
    assert_true(text_is(reference.name, "debian-12") && text_is(reference.tag, "v1.2"));
    assert_true(image_reference_parse(TEXT("debian-12@sha256:0123456789ab"), &reference, &err));
    assert_true(text_is(reference.name, "debian-12") && text_is(reference.digest, "0123456789ab"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(image_reference_parse(text_from(bad[i]), &reference, &err));
        assert_int_equal(err.code, CODE_R0853);
    }
}

static void a_version_is_found_by_tag_and_digest(void **state)
{
    struct image image = { .name = TEXT("debian-12"),
                           .versions = { { .digest = TEXT("aaaaaaaaaaaa1111") },
                                         { .digest = TEXT("aaaaaaaaaaaa2222") } },
                           .version_count = 2,
                           .tags = { { TEXT("latest"), TEXT("aaaaaaaaaaaa2222") },
                                     { TEXT("old"), TEXT("aaaaaaaaaaaa1111") } },
                           .tag_count = 2 };
    struct image_reference reference = { 0 };
    struct image_version version;
    struct err err;

    (void)state;
    assert_true(image_version_find(&image, &reference, &version, &err));
    assert_true(text_is(version.digest, "aaaaaaaaaaaa2222"));
    reference.tag = TEXT("old");
    assert_true(image_version_find(&image, &reference, &version, &err));
    assert_true(text_is(version.digest, "aaaaaaaaaaaa1111"));
    reference.tag = TEXT("none");
    assert_false(image_version_find(&image, &reference, &version, &err));
    reference.digest = TEXT("aaaaaaaaaaaa"); /* two begin with it */
    assert_false(image_version_find(&image, &reference, &version, &err));
    reference.digest = TEXT("aaaaaaaaaaaa1");
    assert_true(image_version_find(&image, &reference, &version, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_come_in_order, begin, end),
        cmocka_unit_test_setup_teardown(wrong_bytes_are_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(uploads_are_limited, begin, end),
        cmocka_unit_test_setup_teardown(damaged_files_are_found_and_removed, begin, end),
        cmocka_unit_test_setup_teardown(unused_files_are_removed_when_they_are_old, begin, end),
        cmocka_unit_test(references_have_one_form),
        cmocka_unit_test(a_version_is_found_by_tag_and_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
