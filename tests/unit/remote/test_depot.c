/* Bundles that are kept by their digest. */
#include "unit.h"

#include "remote/depot.h"
#include "sys/digest.h"
#include "sys/file.h"

#include <sys/stat.h>

struct fixture {
    char folder[64];
    char kept[96];
    struct arena *arena;
    struct depot *depot;
};

static struct bundle bundle_of(const char *words)
{
    struct bundle bundle = { .bytes = text_from(words) };

    digest_sha256(bundle.bytes, bundle.digest);
    return bundle;
}

static void what_is_kept_comes_back(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct blob *blob;
    struct stat status;
    char path[200];
    struct err err;

    assert_true(depot_put(fixture->depot, &one, &err));
    assert_true(depot_put(fixture->depot, &one, &err));
    assert_true(depot_get(fixture->depot, text_from(one.digest), &blob, &err));
    assert_text(blob_text(blob), "one");
    blob_free(blob);
    snprintf(path, sizeof(path), "%s/%s", fixture->kept, one.digest);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(fixture->kept, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_false(depot_get(fixture->depot, text_from(bundle_of("two").digest), &blob, &err));
    assert_int_equal(err.code, CODE_R0726);
    assert_false(depot_get(fixture->depot, TEXT("../x"), &blob, &err));
    assert_int_equal(err.code, CODE_R0726);
}

static void it_is_in_memory_once_for_all_who_send_it(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct blob *blobs[3];
    char path[200];
    struct err err;

    assert_true(depot_put(fixture->depot, &one, &err));
    for (size_t i = 0; i < 3; i++) {
        assert_true(depot_get(fixture->depot, text_from(one.digest), &blobs[i], &err));
        assert_ptr_equal(blobs[i], blobs[0]);
    }
    blob_free(blobs[0]);
    blob_free(blobs[1]);
    depot_rest(fixture->depot); /* one of them still sends */
    snprintf(path, sizeof(path), "%s/%s", fixture->kept, one.digest);
    assert_int_equal(unlink(path), 0);
    assert_true(depot_has(fixture->depot, text_from(one.digest)) == false);
    assert_text(blob_text(blobs[2]), "one");
    blob_free(blobs[2]);
    depot_rest(fixture->depot);
    assert_false(depot_get(fixture->depot, text_from(one.digest), &blobs[0], &err));
    assert_int_equal(err.code, CODE_R0726);
}

static void damaged_bytes_are_never_a_bundle(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct blob *blob;
    char path[200];
    struct err err;
    FILE *file;

    assert_true(depot_put(fixture->depot, &one, &err));
    snprintf(path, sizeof(path), "%s/%s", fixture->kept, one.digest);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("onf", file) >= 0 && fclose(file) == 0);
    assert_false(depot_get(fixture->depot, text_from(one.digest), &blob, &err));
    assert_int_equal(err.code, CODE_R0726);
    assert_false(depot_has(fixture->depot, text_from(one.digest)));
    assert_true(depot_put(fixture->depot, &one, &err)); /* anew */
    assert_true(depot_get(fixture->depot, text_from(one.digest), &blob, &err));
    blob_free(blob);
}

static void what_nobody_names_goes(void **state)
{
    struct fixture *fixture = *state;
    struct bundle one = bundle_of("one");
    struct bundle two = bundle_of("two");
    struct text keep = text_from(two.digest);
    char path[200];
    struct err err;

    assert_true(depot_put(fixture->depot, &one, &err));
    assert_true(depot_put(fixture->depot, &two, &err));
    assert_int_equal(depot_sweep(fixture->depot, &keep, 1), 1);
    assert_false(depot_has(fixture->depot, text_from(one.digest)));
    assert_true(depot_has(fixture->depot, keep));
    depot_close(fixture->depot);
    snprintf(path, sizeof(path), "%s/.%s.new", fixture->kept,
             one.digest); /* cut off in the middle */
    assert_true(file_create(path, TEXT("on"), &err));
    assert_true(depot_open(fixture->kept, &fixture->depot, &err));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(depot_has(fixture->depot, keep));
    assert_int_equal(depot_sweep(fixture->depot, NULL, 0), 1);
}

static void a_folder_that_others_can_write_to_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct depot *depot;
    struct err err;

    assert_int_equal(chmod(fixture->kept, 0777), 0);
    assert_false(depot_open(fixture->kept, &depot, &err));
    assert_int_equal(err.code, CODE_R0536);
    assert_false(depot_open("/nonexistent/x", &depot, &err));
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
    return depot_open(fixture->kept, &fixture->depot, &err) ? 0 : -1;
}

static int fixture_close(void **state)
{
    struct fixture *fixture = *state;

    (void)chmod(fixture->kept, 0700);
    (void)depot_sweep(fixture->depot, NULL, 0);
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
        CASE(it_is_in_memory_once_for_all_who_send_it),
        CASE(damaged_bytes_are_never_a_bundle),
        CASE(what_nobody_names_goes),
        CASE(a_folder_that_others_can_write_to_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
