/* Output of stages that is kept. */
#include "unit.h"

#include "remote/bounds.h"
#include "remote/logs.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { MOST = 100 };

struct fixture {
    struct arena *arena;
    char folder[64];
    struct logs *logs;
};

static const struct logs_key web = { TEXT("web-1.0f3c"), 1, 2 };

static void add(struct logs *logs, struct logs_key key, const char *text, uint64_t end)
{
    struct logs_line line = { 1700000000000, end, text_from(text) };
    struct err err;

    assert_true(logs_add(logs, &key, &line, NULL, 0, &err));
}

/* All lines of a log from an offset on. */
static size_t read_all(struct fixture *fixture, struct logs_key key, uint64_t *offset,
                       struct logs_line **out)
{
    struct err err;
    size_t count;

    assert_true(logs_read(fixture->logs, fixture->arena, &key, offset, MOST, out, &count, &err));
    return count;
}

static void lines_come_back_and_are_followed(void **state)
{
    struct fixture *fixture = *state;
    struct logs_line *lines;
    uint64_t offset = 0;

    assert_int_equal(read_all(fixture, web, &offset, &lines), 0);
    add(fixture->logs, web, "first line", 11);
    add(fixture->logs, web, "", 12);
    assert_int_equal(read_all(fixture, web, &offset, &lines), 2);
    assert_text(lines[0].text, "first line");
    assert_int_equal(lines[0].wall_ms, 1700000000000);
    assert_int_equal(lines[0].end, 11);
    assert_text(lines[1].text, "");
    assert_int_equal(read_all(fixture, web, &offset, &lines), 0);
    add(fixture->logs, web, "third\x1b[2J\nline", 30);
    assert_int_equal(read_all(fixture, web, &offset, &lines), 1);
    assert_text(lines[0].text, "third?[2J?line");
    assert_int_equal(logs_seen(fixture->logs, &web), 30);
}

static void secrets_are_masked(void **state)
{
    static const struct text secrets[] = { TEXT("pass"), TEXT("password1"), TEXT("") };
    struct fixture *fixture = *state;
    struct logs_line line = { 1, 9, TEXT("a password1 and pass, and password1") };
    struct logs_line *lines;
    uint64_t offset = 0;
    struct err err;

    assert_true(logs_add(fixture->logs, &web, &line, secrets, 3, &err));
    assert_int_equal(read_all(fixture, web, &offset, &lines), 1);
    assert_text(lines[0].text, "a *** and ***, and ***");
}

static void what_ends_lines_for_a_terminal_is_left_out(void **state)
{
    struct fixture *fixture = *state;
    struct logs_line *lines;
    uint64_t offset = 0;

    add(fixture->logs, web, "told over ssh\r", 14);
    add(fixture->logs, web, "a\rb\r\r", 20);
    assert_int_equal(read_all(fixture, web, &offset, &lines), 2);
    assert_text(lines[0].text, "told over ssh");
    assert_text(lines[1].text, "a?b");
}

static void the_first_error_is_found_again(void **state)
{
    struct fixture *fixture = *state;

    assert_text(logs_why(fixture->logs, fixture->arena, &web), "");
    add(fixture->logs, web, " ", 2);
    assert_text(logs_why(fixture->logs, fixture->arena, &web), "");
    for (int i = 0; i < 1000; i++) {
        add(fixture->logs, web, i % 2 == 0 ? " it goes on " : "", 3 + (uint64_t)i);
    }
    assert_text(logs_why(fixture->logs, fixture->arena, &web), "it goes on");
    add(fixture->logs, web, "  E: Unable, error 7", 2000);
    add(fixture->logs, web, "fatal: and more", 2001);
    assert_text(logs_why(fixture->logs, fixture->arena, &web), "E: Unable, error 7");
}

/* The newest of a name is found, while anything of it is kept, and nobody by the words of another one. */
static void owners_are_found(void **state)
{
    struct fixture *fixture = *state;
    struct text old = TEXT("old-1");
    struct text new = TEXT("new-2");
    struct text owner = TEXT("default/shop/web-1");
    struct text found;
    struct err err;

    assert_false(logs_owner_find(fixture->logs, fixture->arena, owner, &found));
    assert_true(logs_own(fixture->logs, old, owner, &err));
    assert_true(logs_own(fixture->logs, old, owner, &err));
    assert_true(logs_owner_find(fixture->logs, fixture->arena, owner, &found));
    assert_text(found, "old-1");
    assert_true(logs_own(fixture->logs, new, owner, &err));
    assert_true(logs_owner_find(fixture->logs, fixture->arena, owner, &found));
    assert_text(found, "new-2");
    assert_false(logs_owner_find(fixture->logs, fixture->arena, TEXT("other/shop/web-1"), &found));
    assert_false(logs_own(fixture->logs, TEXT("../x"), owner, &err));
    assert_int_equal(err.code, CODE_R0729);
}

/* It was silent for so long. */
static void age(struct fixture *fixture, const char *node, time_t at)
{
    char path[160];
    struct timespec times[2] = { { .tv_sec = at }, { .tv_sec = at } };

    snprintf(path, sizeof(path), "%s/%s", fixture->folder, node);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* What makes room takes the name with it, but not the name that another one has by now. */
static void names_go_with_their_nodes(void **state)
{
    struct fixture *fixture = *state;
    struct logs_limits limits = { .attempt_bytes = 1000, .attempts = 2, .nodes = 2 };
    struct logs_line line = { 1, 9, TEXT("line") };
    struct text found;
    struct err err;

    logs_close(fixture->logs);
    assert_true(logs_open(fixture->folder, limits, &fixture->logs, &err));
    assert_true(logs_own(fixture->logs, TEXT("a-1"), TEXT("t/c/a"), &err));
    assert_true(logs_own(fixture->logs, TEXT("a-2"), TEXT("t/c/a"), &err));
    age(fixture, "a-1", 1000);
    age(fixture, "a-2", 1001);
    for (time_t i = 0; i < 3; i++) {
        struct text name = arena_printf(fixture->arena, "b-%d", (int)i + 1);
        struct logs_key key = { name, 0, 1 };

        assert_true(logs_own(fixture->logs, name, TEXT("t/c/b"), &err));
        assert_true(logs_add(fixture->logs, &key, &line, NULL, 0, &err));
        age(fixture, arena_string(fixture->arena, name), 1002 + i);
        assert_int_equal(logs_owner_find(fixture->logs, fixture->arena, TEXT("t/c/a"), &found),
                         i == 0);
    }
    assert_true(logs_owner_find(fixture->logs, fixture->arena, TEXT("t/c/b"), &found));
    assert_text(found, "b-3");
}

static void open_file(struct fixture *fixture, const char *words, size_t cut)
{
    char path[160];
    struct stat status;
    int file;

    snprintf(path, sizeof(path), "%s/%.*s/1.2", fixture->folder, TEXT_ARG(web.node));
    file = open(path, O_WRONLY | O_APPEND);
    assert_true(file >= 0);
    assert_int_equal(write(file, words, strlen(words)), (ssize_t)strlen(words));
    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(ftruncate(file, status.st_size - (off_t)cut), 0);
    close(file);
}

static void logs_reopen(struct fixture *fixture, struct logs_limits limits)
{
    struct err err;

    logs_close(fixture->logs);
    assert_true(logs_open(fixture->folder, limits, &fixture->logs, &err));
}

/* A manager that was killed in the middle of a line. */
static void half_a_line_is_none(void **state)
{
    struct fixture *fixture = *state;
    struct logs_line *lines;
    uint64_t offset = 0;

    add(fixture->logs, web, "whole", 6);
    open_file(fixture, "1700000000001 17 half of", 0);
    assert_int_equal(logs_seen(fixture->logs, &web), 6);
    assert_int_equal(read_all(fixture, web, &offset, &lines), 1);
    logs_reopen(fixture, logs_limits_usual());
    add(fixture->logs, web, "next", 11);
    assert_int_equal(read_all(fixture, web, &offset, &lines), 1);
    assert_text(lines[0].text, "next");
    open_file(fixture, "", 3); /* nothing whole but the first */
    assert_int_equal(logs_seen(fixture->logs, &web), 6);
}

static void an_attempt_has_a_bound_and_says_so(void **state)
{
    struct fixture *fixture = *state;
    struct logs_limits limits = logs_limits_usual();
    struct logs_line *lines;
    uint64_t offset = 0;

    limits.attempt_bytes = 200;
    logs_reopen(fixture, limits);
    for (uint64_t i = 0; i < 50; i++) {
        add(fixture->logs, web, "a line of some length", 22 * (i + 1));
    }
    offset = 0;
    assert_in_range(read_all(fixture, web, &offset, &lines), 2, 8);
    assert_true(offset < 300);
    while (lines[1].text.length > 0 && lines[1].text.data[0] == 'a') {
        lines++;
    }
    assert_text(lines[1].text, "(more is not kept)");
    logs_reopen(fixture, limits);
    add(fixture->logs, web, "a line of some length", 9999);
    assert_int_equal(read_all(fixture, web, &offset, &lines), 0);
}

static void the_oldest_go(void **state)
{
    struct fixture *fixture = *state;
    struct logs_limits limits = { 1000, 3, 2 };
    struct logs_key key = web;
    struct logs_key *keys;
    struct err err;
    size_t count;

    logs_reopen(fixture, limits);
    for (key.attempt = 1; key.attempt <= 5; key.attempt++) {
        add(fixture->logs, key, "x", 2);
        usleep(2000); /* times of files differ */
    }
    assert_true(logs_list(fixture->logs, fixture->arena, web.node, &keys, &count, &err));
    assert_int_equal(count, 3);
    assert_int_equal(keys[0].attempt, 3);
    assert_int_equal(keys[2].attempt, 5);
    usleep(2000);
    key.node = TEXT("db-0");
    add(fixture->logs, key, "x", 2);
    usleep(2000);
    key.node = TEXT("db-1");
    add(fixture->logs, key, "x", 2);
    assert_true(logs_list(fixture->logs, fixture->arena, web.node, &keys, &count, &err));
    assert_int_equal(count, 0); /* it was silent for longest */
    assert_true(logs_list(fixture->logs, fixture->arena, TEXT("db-0"), &keys, &count, &err));
    assert_int_equal(count, 1);
}

static void names_lead_nowhere_else(void **state)
{
    static const char *const bad[] = { "", ".", "..", "../x", "a/b", ".x", "a b", "a\n" };
    struct fixture *fixture = *state;
    struct logs_line line = { 1, 1, TEXT("x") };
    struct logs_key key = web;
    struct logs_key *keys;
    size_t count;
    struct err err;

    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        key.node = text_from(bad[i]);
        assert_false(logs_is_node(key.node));
        assert_false(logs_add(fixture->logs, &key, &line, NULL, 0, &err));
        assert_int_equal(err.code, CODE_R0729);
        assert_false(logs_list(fixture->logs, fixture->arena, key.node, &keys, &count, &err));
        assert_int_equal(logs_seen(fixture->logs, &key), 0);
    }
}

static void the_longest_line_is_kept_whole(void **state)
{
    struct fixture *fixture = *state;
    char *text = arena_alloc(fixture->arena, REMOTE_LINE_BYTES + 1);
    struct logs_line *lines;
    uint64_t offset = 0;

    memset(text, 'x', REMOTE_LINE_BYTES);
    for (uint64_t i = 1; i <= 6; i++) {
        add(fixture->logs, web, text, i * REMOTE_LINE_BYTES);
    }
    assert_in_range(read_all(fixture, web, &offset, &lines), 1, 6);
    assert_int_equal(lines[0].text.length, REMOTE_LINE_BYTES);
    while (read_all(fixture, web, &offset, &lines) > 0) {
        assert_int_equal(lines[0].text.length, REMOTE_LINE_BYTES);
    }
    assert_int_equal(logs_seen(fixture->logs, &web), (uint64_t)6 * REMOTE_LINE_BYTES);
}

static int fixture_open(void **state)
{
    struct arena *arena = arena_new(1 << 24);
    struct fixture *fixture = arena_one(arena, struct fixture);
    struct err err;

    fixture->arena = arena;
    snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/reeve-logs-XXXXXX");
    *state = fixture;
    return mkdtemp(fixture->folder) != NULL &&
                   logs_open(fixture->folder, logs_limits_usual(), &fixture->logs, &err)
               ? 0
               : -1;
}

static int fixture_close(void **state)
{
    struct fixture *fixture = *state;
    char command[128];

    logs_close(fixture->logs);
    snprintf(command, sizeof(command), "rm -rf '%s'", fixture->folder);
    if (system(command) != 0) {
        return -1;
    }
    arena_free(fixture->arena);
    return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(lines_come_back_and_are_followed),
        CASE(secrets_are_masked),
        CASE(half_a_line_is_none),
        CASE(an_attempt_has_a_bound_and_says_so),
        CASE(the_oldest_go),
        CASE(names_lead_nowhere_else),
        CASE(the_longest_line_is_kept_whole),
        CASE(what_ends_lines_for_a_terminal_is_left_out),
        CASE(the_first_error_is_found_again),
        CASE(owners_are_found),
        CASE(names_go_with_their_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
