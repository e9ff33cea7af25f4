#include "unit.h"

#include "first_start.h"

enum { BYTES = 4 * 1024 * 1024 };

#define STATIC_TEXT(literal)            \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }

static struct first_start example(void)
{
    static const struct first_start_volume volumes[] = {
        { STATIC_TEXT("/dev/disk/by-id/scsi-0DO_Volume_reeve-1"), STATIC_TEXT("/srv/data") },
    };

    return (struct first_start){
        .token = TEXT("0123456789abcdef0123456789abcdef"),
        .host_name = TEXT("web-0"),
        .user = TEXT("deploy"),
        .keys = TEXT("cert-authority ssh-ed25519 AAAA1 it's\nssh-ed25519 AAAA2 `x` $HOME"),
        .init = TEXT("#!/bin/sh\necho \"init of $(cat /dev/null)it's \\here\"\n"
                     "cat <<'end'\nreeve-end-0123456789abcdef0123456789abcdef\nend\n"
                     "touch \"$REEVE_ROOT/init-ran-$$\"\nexit 7\n"),
        .volumes = volumes,
        .volume_count = 1,
    };
}

static bool contains(struct text text, const char *part)
{
    return memmem(text.data, text.length, part, strlen(part)) != NULL;
}

static void test_size(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct first_start start = { .token = TEXT("00") };
    struct text script = first_start_format(arena, &start);

    (void)state;
    assert_true(text_has_prefix(script, TEXT("#!/bin/sh\n")));
    assert_true(script.length < FIRST_START_AWS_BYTES / 3);
    assert_false(contains(script, "\n#"));
    assert_false(contains(script, "sudo does not read"));
}

static void test_same_bytes(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct first_start start = example();

    (void)state;
    assert_true(
        text_is_equal(first_start_format(arena, &start), first_start_format(arena, &start)));
}

static void test_end_line_in_a_text(void **state)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct first_start start = example();
    struct text script = first_start_format(arena, &start);

    (void)state;
    assert_true(contains(script, "cat <<'reeve-end-0123456789abcdef0123456789abcdef-'\n"));
}

static void test_no_token_is_a_defect_body(void)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct first_start start = { .host_name = TEXT("web-0") };

    (void)first_start_format(arena, &start);
}

static void test_no_token_is_a_defect(void **state)
{
    (void)state;
    assert_true(unit_aborts(test_no_token_is_a_defect_body));
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_end_line_in_a_text),
        cmocka_unit_test(test_no_token_is_a_defect),
    };

    if (count > 1 && strcmp(arguments[1], "print") == 0) {
        AUTO(arena) arena = arena_new(BYTES);
        struct first_start start = example();
        struct text script = first_start_format(arena, &start);

        return fwrite(script.data, 1, script.length, stdout) == script.length ? 0 : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
