/* Checks of untrusted plugin files: no content makes the parser read outside of the file. */
#include "unit.h"

#include "base/limits.h"
#include "base/mem.h"
#include "conformance/object.h"
#include "sys/file.h"

enum { HEAD_BYTES = 64, SECTION_BYTES = 64, SECTIONS_AT = 40 };

static const char *path;

struct fixture {
    struct arena *arena;
    struct text whole;
};

static int setup(void **state)
{
    static struct fixture fixture;
    struct err err;

    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    assert_true(file_read(fixture.arena, path, LIMIT_PLUGIN_BYTES, &fixture.whole, &err));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    arena_free(((struct fixture *)*state)->arena);
    return 0;
}

/* Checks the bytes in a block of exactly their length, so that reading beyond the end is
 * detected. */
static bool check(struct text bytes, struct err *err)
{
    char *copy = malloc(bytes.length + 1);
    bool is_good;

    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.length);
    is_good = object_check((struct text){ copy, bytes.length }, err);
    free(copy);
    return is_good;
}

static void test_a_plugin_is_one(void **state)
{
    const struct fixture *fixture = *state;
    struct err err;

    assert_true(check(fixture->whole, &err));
}

static void test_every_cut_is_answered(void **state)
{
    const struct fixture *fixture = *state;
    struct err err;

    for (size_t length = 0; length < fixture->whole.length; length += length < 4096 ? 1 : 97) {
        bool is_good = check(text_slice(fixture->whole, 0, length), &err);

        assert_true(is_good || err.code == CODE_R0620);
        assert_false(is_good && length < HEAD_BYTES);
    }
}

static void changed_check(const struct fixture *fixture, size_t at, size_t bytes, int value)
{
    struct text changed = arena_text(fixture->arena, fixture->whole);
    struct err err;

    memset((char *)(uintptr_t)changed.data + at, value, bytes);
    assert_true(check(changed, &err) || err.code == CODE_R0620);
}

/* Wrong offsets, lengths, counts and types in the header and in every section. */
static void test_every_wrong_number_is_answered(void **state)
{
    static const int values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    const struct fixture *fixture = *state;
    uint64_t sections;
    size_t count;

    memcpy(&sections, fixture->whole.data + SECTIONS_AT, sizeof(sections));
    count = (fixture->whole.length - (size_t)sections) / SECTION_BYTES;
    for (size_t value = 0; value < sizeof(values) / sizeof(values[0]); value++) {
        for (size_t at = 0; at < HEAD_BYTES; at++) {
            changed_check(fixture, at, 1, values[value]);
        }
        for (size_t at = 0; at < count * SECTION_BYTES; at += 4) {
            changed_check(fixture, (size_t)sections + at, 4, values[value]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_plugin_is_one, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_cut_is_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_wrong_number_is_answered, setup, teardown),
    };

    if (argc != 2) {
        return 2;
    }
    path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
