/* Which pieces of an attempt's output there are, as seen from a byte of it. */
#include "unit.h"

#include "native/piece.h"
#include "native/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/reeve-native-XXXXXX";

static void put(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    (void)close(fd);
}

/* The working folder, as reeve's is; stage 2 has three pieces of its attempt 7 behind the beginning, and what is none. */
static int enter(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("stage-2", 0700), 0);
    put("stage-2/output");
    put("stage-2/output.7.at-000000002097152");
    put("stage-2/output.7.at-000000004194304");
    put("stage-2/output.7.at-9999999999999999");
    put("stage-2/output.7.at-");
    put("stage-2/output.7.at-12x");
    put("stage-2/output.70.at-000000000000001");
    put("stage-2/output.7");
    return 0;
}

static int leave(void **state)
{
    (void)state;
    assert_int_equal(chdir("/"), 0);
    assert_true(tree_remove(folder));
    return 0;
}

static void a_piece_is_found_by_its_byte(void **state)
{
    static const struct {
        uint64_t byte;
        uint64_t at;
        uint64_t next;
    } cases[] = {
        { 0, 0, 2097152 },
        { 2097151, 0, 2097152 },
        { 2097152, 2097152, 4194304 },
        { 4194304, 4194304, 9999999999999999 },
        { UINT64_MAX, 9999999999999999, UINT64_MAX },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct piece_list list;

        piece_look(2, 7, cases[i].byte, &list);
        assert_int_equal(list.count, 3);
        assert_int_equal(list.oldest, 2097152);
        assert_int_equal(list.at, cases[i].at);
        assert_int_equal(list.next, cases[i].next);
    }
}

static void there_are_none(void **state)
{
    static const unsigned stages[] = { 2, 3 }; /* the second one has no folder */

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct piece_list list;

        piece_look(stages[i], 8, 5000000, &list);
        assert_int_equal(list.count, 0);
        assert_int_equal(list.oldest, UINT64_MAX);
        assert_int_equal(list.at, 0);
        assert_int_equal(list.next, UINT64_MAX);
    }
}

static void a_piece_has_a_path(void **state)
{
    char path[MARK_PATH_BYTES];

    (void)state;
    piece_path(2, 7, 2097152, path);
    assert_string_equal(path, "stage-2/output.7.at-000000002097152");
    assert_int_equal(access(path, F_OK), 0);
    piece_path(2, 7, 9999999999999999, path);
    assert_int_equal(access(path, F_OK), 0);
    piece_path(2, 7, 0, path);
    assert_string_equal(path, "stage-2/output");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piece_is_found_by_its_byte),
        cmocka_unit_test(there_are_none),
        cmocka_unit_test(a_piece_has_a_path),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
