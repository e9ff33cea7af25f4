#include "cli/args/args.h"

#include "case.h"

struct parsed {
    struct args args;
    struct err_list errors;
};

/* Parses a command line that is split at blanks. */
static struct parsed *parse(struct arena *arena, const char *line)
{
    struct parsed *parsed = arena_one(arena, struct parsed);
    char **strings = arena_array(arena, char *, strlen(line) + 1);
    char *copy = arena_string(arena, text_from(line));
    size_t count = 0;

    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        strings[count++] = word;
    }
    err_list_init(&parsed->errors, arena);
    args_parse(arena, count, strings, &parsed->args, &parsed->errors);
    return parsed;
}

static struct args *good(struct arena *arena, const char *line)
{
    struct parsed *parsed = parse(arena, line);

    if (parsed->errors.errors > 0) {
        fail_msg("%s: %s", line, parsed->errors.items[0].text);
    }
    return &parsed->args;
}

static void bad(void **state, const char *line, enum code code, const char *hint)
{
    struct parsed *parsed = parse(*state, line);

    assert_int_equal(parsed->errors.errors, 1);
    if (parsed->errors.items[0].code != code ||
        strstr(parsed->errors.items[0].hint, hint) == NULL) {
        fail_msg("%s: %s: %s (%s)", line, code_get(parsed->errors.items[0].code)->name,
                 parsed->errors.items[0].text, parsed->errors.items[0].hint);
    }
}

static void test_flags_stand_anywhere(void **state)
{
    static const char *const lines[] = {
        "validate -f a.yaml -o json",       "-o json -f a.yaml validate",
        "-f a.yaml validate --output=json", "validate -fa.yaml -ojson",
        "validate --file a.yaml -o=json",   "-qf a.yaml validate -o json",
    };

    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct args *args = good(*state, lines[i]);

        assert_int_equal(args->verb->id, VERB_VALIDATE);
        assert_string_equal(args_value(args, FLAG_VALIDATE_FILE), "a.yaml");
        assert_string_equal(args_output(args), "json");
        assert_int_equal(args->argument_count, 0);
    }
}

static void test_repeated_and_last(void **state)
{
    struct args *args = good(*state, "validate -f a -f b -fc -o json -o gcc");

    assert_string_equal(args_value_at(args, FLAG_VALIDATE_FILE, 0), "a");
    assert_string_equal(args_value_at(args, FLAG_VALIDATE_FILE, 1), "b");
    assert_string_equal(args_value_at(args, FLAG_VALIDATE_FILE, 2), "c");
    assert_null(args_value_at(args, FLAG_VALIDATE_FILE, 3));
    assert_string_equal(args_value(args, FLAG_VALIDATE_OUTPUT), "gcc");
}

static void test_a_value_may_begin_with_a_dash(void **state)
{
    static const char *const lines[] = { "get clusters --sort -NODES -o json",
                                         "get clusters --sort=-NODES -o json",
                                         "get clusters -o json --sort -NODES" };

    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct args *args = good(*state, lines[i]);

        assert_string_equal(args_value(args, FLAG_GET_SORT), "-NODES");
        assert_string_equal(args_output(args), "json");
        assert_int_equal(args->argument_count, 1);
    }
    assert_string_equal(args_value(good(*state, "pause shop -m -5"), FLAG_PAUSE_MESSAGE), "-5");
    assert_string_equal(args_value(good(*state, "get clusters --sort -spec"), FLAG_GET_SORT),
                        "-spec");
    bad(state, "get clusters --sort -w", CODE_R0003, "");
    bad(state, "get clusters --sort --", CODE_R0003, "");
    bad(state, "get clusters --sort --watch", CODE_R0003, "");
    bad(state, "validate -f --strict", CODE_R0003, "");
}

static void test_bundled_letters(void **state)
{
    struct args *args = good(*state, "version -vqh");

    assert_true(args_has(args, FLAG_COMMON_VERBOSE));
    assert_true(args_has(args, FLAG_COMMON_QUIET));
    assert_true(args_has(args, FLAG_COMMON_HELP));
}

static void test_two_dashes_end_flags(void **state)
{
    struct args *args = good(*state, "init -- --list");

    assert_false(args_has(args, FLAG_INIT_LIST));
    assert_int_equal(args->argument_count, 1);
    assert_string_equal(args->words[0], "--list");
}

static void test_dash_alone_is_a_word_and_a_value(void **state)
{
    assert_string_equal(good(*state, "init -")->words[0], "-");
    assert_string_equal(args_value(good(*state, "validate -f -"), FLAG_VALIDATE_FILE), "-");
}

static void test_kind_verb_is_verb_kind(void **state)
{
    static const char *const lines[] = { "explain nodegroup", "nodegroup explain",
                                         "-o json nodegroup explain", "nodegroup -o json explain" };

    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct args *args = good(*state, lines[i]);

        assert_int_equal(args->verb->id, VERB_EXPLAIN);
        assert_int_equal(args->argument_count, 1);
        assert_string_equal(args->words[0], "nodegroup");
    }
    /* also a verb that does not exist yet */
    assert_string_equal(good(*state, "job explain")->words[0], "job");
}

static void test_no_verb(void **state)
{
    assert_null(good(*state, "")->verb);
    assert_true(args_has(good(*state, "--help"), FLAG_COMMON_HELP));
    assert_true(args_has(good(*state, "--help-all"), FLAG_TOP_HELP_ALL));
    assert_true(args_has(good(*state, "--version"), FLAG_TOP_VERSION));
}

static void test_verbs_that_are_none(void **state)
{
    bad(state, "validat", CODE_R0001, "'reeve validate'");
    bad(state, "aply -f x", CODE_R0001, "'reeve apply'");
    bad(state, "xyzzy", CODE_R0001, "--help");
    bad(state, "R0301", CODE_R0001, "reeve explain R0301");
    bad(state, "shop.yaml", CODE_R0001, "validate -f shop.yaml");
    bad(state, "enlist web-[0-3] --prune", CODE_R0001, "--help");
    bad(state, "cluster knead x", CODE_R0001, "--help");
    bad(state, "approve hold/shop:quarantine -m 'it's'", CODE_R0009,
        "use: reeve hold approve hold/shop:quarantine -m");
    bad(state, "resize a 3", CODE_R0009, "reeve scale");
    bad(state, "ls", CODE_R0009, "reeve get");
    bad(state, "cluster", CODE_R0005, "reeve explain cluster");
    bad(state, "clustr explain", CODE_R0006, "'cluster'");
}

static void test_flags_that_are_none(void **state)
{
    bad(state, "validate -f a --strct", CODE_R0002, "'--strict'");
    bad(state, "validate -f a -file=b", CODE_R0002, "'--file=b'");
    bad(state, "validate -f a -help", CODE_R0002, "'--help'");
    bad(state, "validate -f a -Z", CODE_R0002, "validate --help");
    bad(state, "validate -f a --against=b", CODE_R0002, "is a flag of plan");
    bad(state, "undrain shop/web-0 --yes", CODE_R0002,
        "leave the flag out: reeve undrain does not ask");
    bad(state, "events -c shop", CODE_R0002, "name the cluster without a flag: reeve events shop");
    bad(state, "validate -f a --help-all", CODE_R0002, "is used without a verb");
    bad(state, "--xyzzy", CODE_R0002, "reeve --help");
    bad(state, "--strict", CODE_R0002, "is a flag of");
    bad(state, "-f a.yaml", CODE_R0002, "the verb is missing: reeve validate -f FILE");
}

static void test_values_that_are_none(void **state)
{
    bad(state, "validate -f", CODE_R0003, "validate --help");
    bad(state, "validate -f --strict", CODE_R0003, "validate --help");
    bad(state, "validate -f a -o", CODE_R0003, "text, gcc or json");
    bad(state, "validate -f a -o jsno", CODE_R0004, "'json'");
    bad(state, "validate -f a -o table", CODE_R0004, "text, gcc or json");
    bad(state, "validate -f a -o=", CODE_R0004, "text, gcc or json");
    bad(state, "validate --file= -f a", CODE_R0003, "validate --help");
    bad(state, "validate -f a --strict=yes", CODE_R0004, "");
    bad(state, "version --color allways", CODE_R0004, "'always'");
}

static void test_words_too_many_or_few(void **state)
{
    bad(state, "validate a.yaml", CODE_R0005, "validate -f a.yaml");
    bad(state, "plan --offline a.yaml", CODE_R0005, "reeve plan -f a.yaml");
    bad(state, "cluster validate", CODE_R0005, "takes no kind");
    bad(state, "init a b", CODE_R0005, "init [--example NAME|--cloud NAME]");
    bad(state, "completion", CODE_R0005, "bash|zsh|fish");
    bad(state, "version now", CODE_R0005, "use: reeve version");
}

static void test_several_mistakes_are_all_reported(void **state)
{
    assert_int_equal(parse(*state, "validate --strct -o jsno -f a --quite")->errors.errors, 3);
}

static void test_format_is_known_though_the_verb_is_not(void **state)
{
    assert_string_equal(args_output(&parse(*state, "validat -o json -f x")->args), "json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_flags_stand_anywhere),
        CASE(test_repeated_and_last),
        CASE(test_a_value_may_begin_with_a_dash),
        CASE(test_bundled_letters),
        CASE(test_two_dashes_end_flags),
        CASE(test_dash_alone_is_a_word_and_a_value),
        CASE(test_kind_verb_is_verb_kind),
        CASE(test_no_verb),
        CASE(test_verbs_that_are_none),
        CASE(test_flags_that_are_none),
        CASE(test_values_that_are_none),
        CASE(test_words_too_many_or_few),
        CASE(test_several_mistakes_are_all_reported),
        CASE(test_format_is_known_though_the_verb_is_not),
    };

    return cmocka_run_group_tests_name("cli/args", tests, NULL, NULL);
}
