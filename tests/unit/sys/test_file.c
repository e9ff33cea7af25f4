#include "sys/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place_to_work {
    struct arena *arena;
    char folder[64];
    char path[96];
};

static int setup(void **state)
{
    static struct place_to_work work;

    work.arena = arena_new((size_t)1 << 30);
    strcpy(work.folder, "/tmp/reeve-test-XXXXXX");
    assert_non_null(mkdtemp(work.folder));
    snprintf(work.path, sizeof(work.path), "%s/file", work.folder);
    *state = &work;
    return 0;
}

static int teardown(void **state)
{
    struct place_to_work *work = *state;

    unlink(work->path);
    rmdir(work->folder);
    arena_free(work->arena);
    return 0;
}

static void test_read_gives_back_what_create_wrote(void **state)
{
    struct place_to_work *work = *state;
    struct text bytes = TEXT("one\0two\n");
    struct stat status;
    struct text out;
    struct err err;

    assert_true(file_create(work->path, bytes, &err));
    assert_true(file_read(work->arena, work->path, 100, &out, &err));
    assert_true(text_is_equal(out, bytes));
    assert_int_equal(stat(work->path, &status), 0);
    assert_int_equal(status.st_mode & 0133, 0); /* 0644 without the bits of the umask */
}

static void test_create_never_overwrites(void **state)
{
    struct place_to_work *work = *state;
    struct text out;
    struct err err;

    assert_true(file_create(work->path, TEXT("first"), &err));
    assert_false(file_create(work->path, TEXT("second"), &err));
    assert_int_equal(err.code, CODE_R0012);
    assert_non_null(strstr(err.text, "already exists"));
    assert_true(file_read(work->arena, work->path, 100, &out, &err));
    assert_true(text_is(out, "first"));
}

static void test_create_follows_no_link(void **state)
{
    struct place_to_work *work = *state;
    struct err err;
    char target[128];

    snprintf(target, sizeof(target), "%s/elsewhere", work->folder);
    assert_int_equal(symlink(target, work->path), 0);
    assert_false(file_create(work->path, TEXT("x"), &err));
    assert_int_equal(err.code, CODE_R0012);
    assert_int_equal(access(target, F_OK), -1);
}

static void test_create_says_why_a_folder_is_missing(void **state)
{
    struct err err;

    (void)state;
    assert_false(file_create("/nonexistent/folder/file", TEXT("x"), &err));
    assert_int_equal(err.code, CODE_R0012);
    assert_non_null(strstr(err.text, "No such file or directory"));
}

static void test_limit_is_exact(void **state)
{
    struct place_to_work *work = *state;
    struct text out;
    struct err err;

    assert_true(file_create(work->path, TEXT("12345678"), &err));
    assert_true(file_read(work->arena, work->path, 8, &out, &err));
    assert_int_equal(out.length, 8);
    assert_false(file_read(work->arena, work->path, 7, &out, &err));
    assert_int_equal(err.code, CODE_R0013);
}

static void test_limit_is_known_before_memory_is_taken(void **state)
{
    struct place_to_work *work = *state;
    size_t used = arena_used(work->arena);
    struct text out;
    struct err err;

    assert_true(file_create(work->path, TEXT("x"), &err));
    /* a sparse file that uses no disk space */
    assert_int_equal(truncate(work->path, (off_t)1 << 40), 0);
    assert_false(file_read(work->arena, work->path, 16 << 20, &out, &err));
    assert_int_equal(err.code, CODE_R0013);
    assert_true(arena_used(work->arena) - used < 4096);
}

static void test_empty_file_is_empty(void **state)
{
    struct place_to_work *work = *state;
    struct text out = TEXT("x");
    struct err err;

    assert_true(file_create(work->path, TEXT(""), &err));
    assert_true(file_read(work->arena, work->path, 8, &out, &err));
    assert_int_equal(out.length, 0);
}

static void test_file_without_size_is_read_to_its_end(void **state)
{
    struct place_to_work *work = *state;
    struct text out;
    struct err err;

    assert_true(file_read(work->arena, "/proc/self/status", 1 << 20, &out, &err));
    assert_true(text_has_prefix(out, TEXT("Name:")));
}

static void refuse(struct place_to_work *work, const char *path, const char *why)
{
    struct text out;
    struct err err;

    assert_false(file_read(work->arena, path, 100, &out, &err));
    assert_int_equal(err.code, CODE_R0011);
    assert_non_null(strstr(err.text, why));
}

static void test_what_is_no_file_is_refused_at_once(void **state)
{
    struct place_to_work *work = *state;

    refuse(work, work->folder, "is a folder");
    refuse(work, "/dev/null", "is a device or a socket");
    assert_int_equal(mkfifo(work->path, 0600), 0);
    refuse(work, work->path, "is a named pipe"); /* and the call does not wait for a writer */
    refuse(work, "/nonexistent", "No such file or directory");
}

static void test_pipe_of_the_shell_is_read(void **state)
{
    struct place_to_work *work = *state;
    char path[32];
    int ends[2];
    struct text out;
    struct err err;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    assert_true(file_read(work->arena, path, 5, &out, &err));
    assert_true(text_is(out, "piped"));
    close(ends[0]);
}

static void test_pipe_has_the_limit_too(void **state)
{
    struct place_to_work *work = *state;
    char path[32];
    int ends[2];
    struct text out;
    struct err err;

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    assert_false(file_read(work->arena, path, 4, &out, &err));
    assert_int_equal(err.code, CODE_R0013);
    close(ends[0]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_read_gives_back_what_create_wrote),
        CASE(test_create_never_overwrites),
        CASE(test_create_follows_no_link),
        CASE(test_create_says_why_a_folder_is_missing),
        CASE(test_limit_is_exact),
        CASE(test_limit_is_known_before_memory_is_taken),
        CASE(test_empty_file_is_empty),
        CASE(test_file_without_size_is_read_to_its_end),
        CASE(test_what_is_no_file_is_refused_at_once),
        CASE(test_pipe_of_the_shell_is_read),
        CASE(test_pipe_has_the_limit_too),
    };

    return cmocka_run_group_tests_name("sys/file", tests, NULL, NULL);
}
