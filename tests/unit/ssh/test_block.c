#include "ssh/block.h"

#include "base/limits.h"
#include "unit.h"

#define A_BEGIN "# reeve begin acme/a: these lines are reeve's, and are written anew\n"
#define A_END   "# reeve end acme/a\n"
#define B_BEGIN "# reeve begin acme/b: these lines are reeve's, and are written anew\n"
#define B_END   "# reeve end acme/b\n"

static const struct text two[] = { { "ssh-ed25519 AAAA one", 20 }, { "ssh-rsa BBBB two", 16 } };
#define TWO "ssh-ed25519 AAAA one\nssh-rsa BBBB two\n"

static struct text put(struct arena *arena, const char *before, const struct text *lines,
                       size_t count)
{
    struct text out;
    struct err err = { 0 };

    assert_true(ssh_block_put(arena, text_from(before), TEXT("acme/a"), lines, count, &out, &err));
    return out;
}

static void test_E11_a_block_is_made_and_everything_else_stays(void **state)
{
    static const struct {
        const char *before;
        const char *with;    /* the file with the block */
        const char *without; /* the file after the block was removed */
    } rows[] = {
        { "", A_BEGIN TWO A_END, "" },
        { "mine\n", "mine\n" A_BEGIN TWO A_END, "mine\n" },
        { "mine", "mine\n" A_BEGIN TWO A_END, "mine\n" },
        { "mine\r\n\r\n \xff\n", "mine\r\n\r\n \xff\n" A_BEGIN TWO A_END, "mine\r\n\r\n \xff\n" },
        { "x\n" A_BEGIN "old\n" A_END "y\n", "x\n" A_BEGIN TWO A_END "y\n", "x\ny\n" },
        { A_BEGIN A_END, A_BEGIN TWO A_END, "" },
        { B_BEGIN "b\n" B_END, B_BEGIN "b\n" B_END A_BEGIN TWO A_END, B_BEGIN "b\n" B_END },
        { A_BEGIN "old\n" A_END B_BEGIN "b\n" B_END, A_BEGIN TWO A_END B_BEGIN "b\n" B_END,
          B_BEGIN "b\n" B_END },
        /* as after editing: a missing final line end, changed text, blanks */
        { "# reeve begin acme/a\nold\n  # reeve end acme/a", A_BEGIN TWO A_END, "" },
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct text with = put(arena, rows[i].before, two, 2);

        assert_text(with, rows[i].with);
        /* writing again changes nothing */
        assert_text(put(arena, with.data, two, 2), rows[i].with);
        assert_text(put(arena, with.data, NULL, 0), rows[i].without);
    }
}

static void test_nothing_to_take_away_changes_no_byte(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    assert_text(put(arena, "mine, without an end", NULL, 0), "mine, without an end");
}

static void test_damaged_marks_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *before;
        unsigned line;
    } rows[] = {
        { "x\n" A_BEGIN "old\n", 2 },
        { "x\ny\n" A_END, 3 },
        { A_BEGIN A_BEGIN A_END, 2 },
        { A_BEGIN A_END A_BEGIN A_END, 3 },
        { A_BEGIN B_BEGIN B_END A_END, 2 },
        { A_BEGIN B_END A_END, 2 },
        { B_BEGIN "b\n", 1 },
        { "# reeve begin \nx\n", 1 },
        { A_BEGIN "x\n# reeve end other\n", 3 },
        { "# reeve begin a b\n# reeve end a b\n", 1 },
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct text out;
        struct err err = { 0 };

        assert_false(
            ssh_block_put(arena, text_from(rows[i].before), TEXT("acme/a"), two, 2, &out, &err));
        assert_int_equal(err.code, CODE_R0745);
        assert_int_equal(err.place.line, rows[i].line);
        assert_false(
            ssh_block_put(arena, text_from(rows[i].before), TEXT("acme/a"), NULL, 0, &out, &err));
    }
}

static void test_lines_that_would_be_more_than_one_line_are_refused(void **state)
{
    static const char *const bad[] = {
        "a\nb", "a\r", "", "  ", "# reeve end acme/a", " # x", "\xff"
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        struct text line = text_from(bad[i]);
        struct text out;
        struct err err = { 0 };

        assert_false(ssh_block_put(arena, TEXT("x\n"), TEXT("acme/a"), &line, 1, &out, &err));
        assert_int_equal(err.code, CODE_R0744);
    }
}

static void test_names_and_sizes_have_bounds(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char *large = arena_alloc(arena, (size_t)LIMIT_SSH_FILE_BYTES + 1);
    struct text out;
    struct err err = { 0 };

    (void)state;
    assert_true(ssh_block_is_name(TEXT("acme/0f3c-4.X_")));
    assert_false(ssh_block_is_name(TEXT("")));
    assert_false(ssh_block_is_name(TEXT("a b")));
    assert_false(ssh_block_is_name(TEXT("a:b")));
    assert_false(ssh_block_is_name(TEXT("a\nb")));
    assert_false(ssh_block_is_name((struct text){ "a\0b", 3 }));
    memset(large, 'x', LIMIT_SSH_FILE_BYTES + 1);
    assert_false(ssh_block_put(arena, (struct text){ large, LIMIT_SSH_FILE_BYTES + 1 },
                               TEXT("acme/a"), two, 2, &out, &err));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_E11_a_block_is_made_and_everything_else_stays),
        cmocka_unit_test(test_nothing_to_take_away_changes_no_byte),
        cmocka_unit_test(test_damaged_marks_are_refused_with_their_line),
        cmocka_unit_test(test_lines_that_would_be_more_than_one_line_are_refused),
        cmocka_unit_test(test_names_and_sizes_have_bounds),
    };

    return cmocka_run_group_tests_name("ssh/block", cases, NULL, NULL);
}
