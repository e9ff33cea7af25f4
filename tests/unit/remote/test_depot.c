/* Bundles that are stored by their digest. */
#include "unit.h"

#include "remote/archive.h"
#include "remote/bounds.h"
#include "remote/depot.h"
#include "sys/digest.h"
#include "sys/file.h"

#include <fcntl.h>
#include <sys/stat.h>

struct fixture {
    char folder[64];
    char kept[96];
    struct arena *arena;
    struct depot *depot;
    int64_t now_ms;
};

static struct bundle bundle_of(const char *words)
{
    struct bundle bundle = { .bytes = text_from(words) };

    digest_sha256(bundle.bytes, bundle.digest);
    return bundle;
}

/* Asserts that the bundle is complete and has these bytes. */
static void assert_kept(struct fixture *fixture, const struct bundle *bundle)
{
    struct text digest = text_from(bundle->digest);
    uint64_t bytes;
    char read[64];
    struct err err;

    assert_true(depot_check(fixture->depot, digest, &bytes, &err));
    assert_int_equal(bytes, bundle->bytes.length);
    assert_true(depot_read(fixture->depot, digest, 1, read, bytes - 1, &err));
    assert_memory_equal(read, bundle->bytes.data + 1, bytes - 1);
    assert_false(depot_read(fixture->depot, digest, 1, read, bytes, &err));
    assert_int_equal(err.code, CODE_R0726);
}

static void write_over(const struct fixture *fixture, const struct bundle *bundle,
                       const char *words)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", fixture->kept, bundle->digest);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(words, file) >= 0 && fclose(file) == 0);
}

static void what_is_kept_comes_back(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct stat status;
    uint64_t bytes;
    char path[200];
    struct err err;

    assert_true(depot_put(fixture->depot, &one, &err));
    assert_true(depot_put(fixture->depot, &one, &err));
    assert_kept(fixture, &one);
    snprintf(path, sizeof(path), "%s/%s", fixture->kept, one.digest);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(fixture->kept, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_false(depot_check(fixture->depot, text_from(bundle_of("two").digest), &bytes, &err));
    assert_int_equal(err.code, CODE_R0726);
    assert_false(depot_check(fixture->depot, TEXT("../x"), &bytes, &err));
    assert_int_equal(err.code, CODE_R0726);
    assert_false(depot_read(fixture->depot, TEXT("../x"), 0, path, 1, &err));
}

/* More concurrent uploads than files that stay open. */
static void many_are_sent_at_the_same_time(void **state)
{
    struct fixture *fixture = *state;
    struct bundle bundles[3 * REMOTE_DEPOT_OPEN];
    char words[ARRAY_COUNT(bundles)][32];
    struct err err;

    for (size_t i = 0; i < ARRAY_COUNT(bundles); i++) {
        snprintf(words[i], sizeof(words[i]), "bundle %zu", i);
        bundles[i] = bundle_of(words[i]);
        assert_true(depot_put(fixture->depot, &bundles[i], &err));
    }
    for (size_t i = 0; i < 2 * ARRAY_COUNT(bundles); i++) {
        assert_kept(fixture, &bundles[i % ARRAY_COUNT(bundles)]);
    }
}

static void damaged_bytes_are_never_a_bundle(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct text digest = text_from(one.digest);
    uint64_t bytes;
    struct err err;

    for (int was_sent = 0; was_sent < 2; was_sent++) {
        assert_true(depot_put(fixture->depot, &one, &err)); /* stored again */
        if (was_sent != 0) {
            assert_kept(fixture, &one); /* its file stays open */
        }
        write_over(fixture, &one, "onf");
        assert_false(depot_check(fixture->depot, digest, &bytes, &err));
        assert_int_equal(err.code, CODE_R0726);
        assert_false(depot_has(fixture->depot, digest));
        assert_false(depot_check(fixture->depot, digest, &bytes, &err));
    }
    assert_true(depot_put(fixture->depot, &one, &err));
    assert_kept(fixture, &one);
}

/* A file that was replaced under the same name is checked again, even if the old file is still
 * open. */
static void a_file_in_its_place_is_looked_at(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    char path[200];
    uint64_t bytes;
    struct err err;

    assert_true(depot_put(fixture->depot, &one, &err));
    assert_kept(fixture, &one);
    snprintf(path, sizeof(path), "%s/%s", fixture->kept, one.digest);
    assert_int_equal(unlink(path), 0);
    write_over(fixture, &one, "onf");
    assert_false(depot_check(fixture->depot, text_from(one.digest), &bytes, &err));
    assert_int_equal(err.code, CODE_R0726);
}

/* Returns when a bundle was last used. */
static int64_t used_ms(const struct fixture *fixture, const struct bundle *bundle)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct depot_row *rows;
    size_t count = depot_list(fixture->depot, arena, &rows);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].digest, bundle->digest) == 0) {
            return rows[i].used_ms;
        }
    }
    return -1;
}

/* For any number of bundles, each is listed once. */
static void many_are_listed(void **state)
{
    enum { MANY = 300 };
    struct fixture *fixture = *state;
    bool is_seen[MANY] = { false };
    struct depot_row *rows;
    char path[256];
    size_t number;

    for (size_t i = 0; i < MANY; i++) {
        FILE *file;

        snprintf(path, sizeof(path), "%s/%064zx", fixture->kept, i);
        file = fopen(path, "w");
        assert_non_null(file);
        assert_int_equal(fclose(file), 0);
    }
    assert_int_equal(depot_list(fixture->depot, fixture->arena, &rows), MANY);
    for (size_t i = 0; i < MANY; i++) {
        number = strtoul(rows[i].digest + 48, NULL, 16);
        assert_true(number < MANY && !is_seen[number]);
        is_seen[number] = true;
    }
}

static void age(const struct fixture *fixture, const struct bundle *bundle)
{
    const struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000, .tv_nsec = 7000000 } };
    char path[200];

    snprintf(path, sizeof(path), "%s/%s", fixture->kept, bundle->digest);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void who_wants_a_bundle_makes_it_new(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct bundle two = bundle_of("two");
    struct err err;

    assert_int_equal(used_ms(fixture, &one), -1);
    assert_true(depot_put(fixture->depot, &one, &err));
    assert_true(depot_put(fixture->depot, &two, &err));
    age(fixture, &one);
    age(fixture, &two);
    assert_int_equal(used_ms(fixture, &one), 1000007);
    assert_true(depot_put(fixture->depot, &one, &err)); /* sent again */
    assert_true(used_ms(fixture, &one) > 1000007);
    depot_use(fixture->depot, text_from(two.digest));
    assert_true(used_ms(fixture, &two) > 1000007);
    depot_use(fixture->depot, TEXT("../x"));
    assert_kept(fixture, &one);
}

static void what_is_removed_is_gone_and_can_come_again(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct bundle two = bundle_of("two");
    char path[200];
    struct err err;

    assert_true(depot_put(fixture->depot, &one, &err));
    assert_true(depot_put(fixture->depot, &two, &err));
    assert_kept(fixture, &one); /* its file stays open */
    assert_true(depot_remove(fixture->depot, text_from(one.digest)));
    assert_false(depot_remove(fixture->depot, text_from(one.digest)));
    assert_false(depot_remove(fixture->depot, TEXT("../x")));
    assert_false(depot_has(fixture->depot, text_from(one.digest)));
    assert_false(depot_read(fixture->depot, text_from(one.digest), 0, path, 1, &err));
    assert_true(depot_put(fixture->depot, &one, &err));
    assert_kept(fixture, &one);
    assert_kept(fixture, &two);
}

static void what_was_cut_off_goes(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct bundle two = bundle_of("two");
    char path[200];
    struct err err;

    assert_true(depot_put(fixture->depot, &two, &err));
    depot_close(fixture->depot);
    snprintf(path, sizeof(path), "%s/.%s.new", fixture->kept, one.digest);
    assert_true(file_create(path, TEXT("on"), &err));
    assert_true(depot_open(fixture->kept, BUNDLE_STAGE, &fixture->depot, &err));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_kept(fixture, &two);
}

static void a_folder_that_others_can_write_to_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct depot *depot;
    struct err err;

    assert_int_equal(chmod(fixture->kept, 0777), 0);
    assert_false(depot_open(fixture->kept, BUNDLE_STAGE, &depot, &err));
    assert_int_equal(err.code, CODE_R0536);
    assert_false(depot_open("/nonexistent/x", BUNDLE_STAGE, &depot, &err));
}

/* Makes the archive of a bundle with a script and a file of this size. */
static struct bundle large_make(struct arena *arena, size_t bytes)
{
    struct archive_member members[] = {
        { .kind = ARCHIVE_FILE, .name = TEXT("bootstrap.sh"), .mode = 0644 },
        { .kind = ARCHIVE_FOLDER, .name = TEXT("files"), .mode = 0755 },
        { .kind = ARCHIVE_FILE, .name = TEXT("files/large"), .mode = 0644 },
    };
    struct text contents[] = { TEXT("echo hello\n"),
                               TEXT(""),
                               { arena_room(arena, bytes), bytes } };
    struct bundle bundle;
    struct err err;
    struct buf buf;

    for (size_t i = 0; i < bytes; i++) {
        ((char *)(uintptr_t)contents[2].data)[i] = (char)(i * 7 % 251);
    }
    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
        archive_add(&buf, &members[i], contents[i]);
    }
    archive_finish(&buf);
    assert_true(bundle_from_archive(arena, BUNDLE_STAGE, buf_text(&buf), &bundle, &err));
    assert_true(text_is_equal(bundle.bytes, buf_text(&buf)));
    return bundle;
}

static bool take(struct fixture *fixture, const struct bundle *bundle, uint64_t offset,
                 size_t bytes, uint64_t *have, struct err *err)
{
    struct depot_piece piece = { .digest = text_from(bundle->digest),
                                 .size = bundle->bytes.length,
                                 .offset = offset,
                                 .bytes = text_slice(bundle->bytes, (size_t)offset, bytes),
                                 .now_ms = fixture->now_ms };

    return depot_take(fixture->depot, &piece, have, err);
}

static void a_bundle_comes_in_pieces_of_any_size(void **state)
{
    static const size_t sizes[] = { 1, 511, 512, 513, 1000, 5000, 100000 };
    struct fixture *fixture = *state;
    uint64_t bytes;
    struct err err;

    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
        struct bundle bundle = large_make(fixture->arena, 3000 + i);
        uint64_t have = 0;

        while (have < bundle.bytes.length) {
            assert_false(depot_has(fixture->depot, text_from(bundle.digest)));
            assert_true(take(fixture, &bundle, have, sizes[i], &have, &err));
        }
        assert_true(depot_check(fixture->depot, text_from(bundle.digest), &bytes, &err));
        assert_int_equal(bytes, bundle.bytes.length);
    }
}

static void pieces_go_on_where_the_last_one_ended(void **state)
{
    struct fixture *fixture = *state;
    struct bundle bundle = large_make(fixture->arena, 3000);
    uint64_t have;
    struct err err;

    assert_true(take(fixture, &bundle, 1000, 100, &have, &err)); /* the store has no part of it */
    assert_int_equal(have, 0);
    assert_true(take(fixture, &bundle, 0, 1000, &have, &err));
    assert_int_equal(have, 1000);
    /* repeated, because the answer was lost */
    assert_true(take(fixture, &bundle, 0, 1000, &have, &err));
    assert_int_equal(have, 1000);
    assert_true(take(fixture, &bundle, 2000, 1000, &have, &err));
    assert_int_equal(have, 1000);
    assert_true(take(fixture, &bundle, 1000, SIZE_MAX, &have, &err));
    assert_int_equal(have, bundle.bytes.length);
    assert_true(take(fixture, &bundle, 0, 1, &have, &err)); /* the bundle is already stored */
    assert_int_equal(have, bundle.bytes.length);
}

/* An upload with a wrong total size does not block another upload of the same bundle with the right
 * size. */
static void a_bundle_of_another_size_begins_anew(void **state)
{
    struct fixture *fixture = *state;
    struct bundle bundle = large_make(fixture->arena, 3000);
    struct bundle wrong = bundle;
    uint64_t have;
    struct err err;

    wrong.bytes.length--;
    assert_true(take(fixture, &wrong, 0, 1000, &have, &err));
    assert_true(take(fixture, &bundle, 1000, 1000, &have, &err));
    assert_int_equal(have, 0);
    assert_true(take(fixture, &bundle, 0, 1000, &have, &err));
    assert_true(take(fixture, &bundle, 1000, SIZE_MAX, &have, &err));
    assert_true(depot_has(fixture->depot, text_from(bundle.digest)));
}

/* With too many concurrent uploads, an idle upload is dropped and must start again. */
static void who_sends_nothing_more_gives_way(void **state)
{
    struct fixture *fixture = *state;
    struct bundle bundles[REMOTE_DEPOT_COMING + 1];
    uint64_t have;
    struct err err;

    for (size_t i = 0; i < ARRAY_COUNT(bundles); i++) {
        bundles[i] = large_make(fixture->arena, 2000 + i);
        fixture->now_ms +=
            i == REMOTE_DEPOT_COMING ? REMOTE_DEPOT_SILENT_MS - REMOTE_DEPOT_COMING : 1;
        assert_true(take(fixture, &bundles[i], 0, 600, &have, &err));
        assert_int_equal(have, i == REMOTE_DEPOT_COMING ? 0 : 600);
    }
    fixture->now_ms++; /* later than the first upload */
    assert_true(take(fixture, &bundles[REMOTE_DEPOT_COMING], 0, 600, &have, &err));
    assert_int_equal(have, 600);
    assert_true(take(fixture, &bundles[0], 600, 600, &have, &err));
    assert_int_equal(have, 0);
    for (size_t i = 1; i < ARRAY_COUNT(bundles); i++) {
        assert_true(take(fixture, &bundles[i], 600, SIZE_MAX, &have, &err));
        assert_int_equal(have, bundles[i].bytes.length);
    }
}

/* With too many active uploads, new uploads wait, and every upload is completed, because no data is
 * dropped. */
static void who_sends_one_too_many_waits(void **state)
{
    struct fixture *fixture = *state;
    struct bundle bundles[REMOTE_DEPOT_COMING + 1];
    uint64_t have[ARRAY_COUNT(bundles)] = { 0 };
    size_t whole = 0;
    struct err err;

    for (size_t i = 0; i < ARRAY_COUNT(bundles); i++) {
        bundles[i] = large_make(fixture->arena, 2000 + i);
    }
    for (int round = 0; round < 1000 && whole < ARRAY_COUNT(bundles); round++) {
        whole = 0;
        for (size_t i = 0; i < ARRAY_COUNT(bundles); i++) {
            fixture->now_ms++;
            if (have[i] < bundles[i].bytes.length) {
                assert_true(take(fixture, &bundles[i], have[i], 60, &have[i], &err));
            }
            whole += depot_has(fixture->depot, text_from(bundles[i].digest));
        }
    }
    assert_int_equal(whole, ARRAY_COUNT(bundles));
}

static void refuse(struct fixture *fixture, const struct bundle *bundle, enum code code)
{
    uint64_t have;
    struct err err;

    assert_false(take(fixture, bundle, 0, SIZE_MAX, &have, &err));
    assert_int_equal(err.code, code);
    assert_false(depot_has(fixture->depot, text_from(bundle->digest)));
    assert_true(take(fixture, bundle, 1, 1, &have, &err)); /* no part of the upload remains */
    assert_int_equal(have, 0);
}

static void what_is_not_ours_is_not_kept(void **state)
{
    struct fixture *fixture = *state;
    struct bundle bundle = large_make(fixture->arena, 3000);
    struct bundle other = bundle;
    struct archive_member script = { .kind = ARCHIVE_FILE,
                                     .name = TEXT("bootstrap.sh"),
                                     .mode = 0600 };
    struct archive_member first = { .kind = ARCHIVE_FILE, .name = TEXT("a/b"), .mode = 0644 };
    struct buf buf;

    memset(other.digest, '0', sizeof(other.digest) - 1);
    refuse(fixture, &other, CODE_R0721); /* another bundle */
    other = bundle_of("no archive at all");
    refuse(fixture, &other, CODE_R0721);
    for (int i = 0; i < 2; i++) { /* a mode that reeve does not write; then a missing folder */
        buf_init(&buf, fixture->arena);
        if (i == 1) {
            archive_add(&buf, &first, TEXT("x"));
        }
        script.mode = i == 0 ? 0600 : 0644;
        archive_add(&buf, &script, TEXT("echo\n"));
        archive_finish(&buf);
        other = (struct bundle){ .bytes = buf_text(&buf) };
        digest_sha256(other.bytes, other.digest);
        refuse(fixture, &other, CODE_R0721);
    }
    other = bundle;
    other.bytes.length -= 1; /* the archive is truncated */
    refuse(fixture, &other, CODE_R0721);
}

static int fixture_open(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct fixture *fixture = arena_one(arena, struct fixture);
    struct err err;

    fixture->arena = arena;
    snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/reeve-depot-XXXXXX");
    if (mkdtemp(fixture->folder) == NULL) {
        return -1;
    }
    snprintf(fixture->kept, sizeof(fixture->kept), "%s/bundles", fixture->folder);
    *state = fixture;
    return depot_open(fixture->kept, BUNDLE_STAGE, &fixture->depot, &err) ? 0 : -1;
}

static int fixture_close(void **state)
{
    struct fixture *fixture = *state;

    struct depot_row *rows;
    size_t count;

    (void)chmod(fixture->kept, 0700);
    count = depot_list(fixture->depot, fixture->arena, &rows);
    for (size_t i = 0; i < count; i++) {
        (void)depot_remove(fixture->depot, text_from(rows[i].digest));
    }
    depot_close(fixture->depot);
    if (rmdir(fixture->kept) != 0 || rmdir(fixture->folder) != 0) {
        return -1;
    }
    arena_free(fixture->arena);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_kept_comes_back),
        CASE(many_are_listed),
        CASE(many_are_sent_at_the_same_time),
        CASE(damaged_bytes_are_never_a_bundle),
        CASE(a_file_in_its_place_is_looked_at),
        CASE(who_wants_a_bundle_makes_it_new),
        CASE(what_is_removed_is_gone_and_can_come_again),
        CASE(what_was_cut_off_goes),
        CASE(a_bundle_comes_in_pieces_of_any_size),
        CASE(pieces_go_on_where_the_last_one_ended),
        CASE(a_bundle_of_another_size_begins_anew),
        CASE(who_sends_nothing_more_gives_way),
        CASE(who_sends_one_too_many_waits),
        CASE(what_is_not_ours_is_not_kept),
        CASE(a_folder_that_others_can_write_to_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
