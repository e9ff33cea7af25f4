/* The commands that run on a node. */
#include "unit.h"

#include "remote/program.h"

static const struct text words[] = { TEXT("a b"), TEXT("it's") };

static struct program_call call_of(const char *name)
{
    return (struct program_call){ .name = name, .words = words, .count = ARRAY_COUNT(words) };
}

static struct text command(struct arena *arena, const char *name)
{
    struct program_call call = call_of(name);

    return program_command(arena, &call);
}

static size_t count(const char *at, const char *word)
{
    size_t found = 0;

    while ((at = strstr(at, word)) != NULL) {
        found++;
        at++;
    }
    return found;
}

/* Each doubling of the length would need memory for two buffers for every connected node. */
static void commands_are_short(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);

    (void)state;
    for (size_t i = 0; i < program_file_count; i++) {
        struct program_call call = call_of(program_files[i].name);
        struct text text = program_command(arena, &call);

        assert_int_equal(program_command_bytes(&call), text.length);
        assert_in_range(text.length, 1, PROGRAM_COMMAND_BYTES);
    }
}

static void what_all_begin_with_is_there_once(void **state)
{
    AUTO(arena) arena = arena_new(SIZE_MAX);
    const char *const names[] = { "look", "stage" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const char *text = arena_string(arena, command(arena, names[i]));

        assert_int_equal(count(text, "folder_have() {"), 1);
        assert_ptr_equal(strstr(text, "exec sudo -n -- sh -c "), text);
        assert_non_null(strstr(text, " 'a b' 'it'\\''s'"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_short),
        cmocka_unit_test(what_all_begin_with_is_there_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
