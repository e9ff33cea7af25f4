/* Folders of a daemon, in a separate folder below /tmp. */

#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "sys/fd.h"
#include "unit.h"

struct fixture {
    struct arena *arena;
    char path[64];
    int folder;
};

static void shell(const char *command)
{
    assert_int_equal(system(command), 0);
}

static int setup(void **state)
{
    static struct fixture fixture;
    struct err err;
    char command[256];

    fixture.arena = arena_new((size_t)1 << 24);
    strcpy(fixture.path, "/tmp/reeve-test-XXXXXX");
    assert_non_null(mkdtemp(fixture.path));
    snprintf(command, sizeof(command),
             "cd %s && mkdir -p in/deep && echo x >in/deep/file && ln -s deep in/link && "
             "ln -s deep/file in/file-link && ln -s /etc in/out && mkfifo in/fifo",
             fixture.path);
    shell(command);
    assert_true(folder_open(fixture.path, &fixture.folder, &err));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    char command[128];

    close(fixture->folder);
    snprintf(command, sizeof(command), "rm -rf %s", fixture->path);
    shell(command);
    arena_free(fixture->arena);
    return 0;
}

static mode_t mode_of(const struct fixture *fixture, const char *name)
{
    struct stat status;

    assert_int_equal(fstatat(fixture->folder, name, &status, AT_SYMLINK_NOFOLLOW), 0);
    return status.st_mode & 07777;
}

static const char *const leading_out[] = {
    "..",           "../x",         "in/../../x",    "in/deep/../file", "/etc/passwd",
    "in/link/file", "in/file-link", "in/out/passwd", "in/link",
};

static void test_a_name_stays_beneath_its_folder(void **state)
{
    struct fixture *fixture = *state;
    struct err err;
    int fd = FD_NONE;

    assert_true(file_open_beneath(fixture->folder, "in/deep/file", &fd, &err));
    close(fd);
    assert_true(folder_open_beneath(fixture->folder, "in/deep/", &fd, &err));
    close(fd);
    fd = FD_NONE;
    for (size_t i = 0; i < ARRAY_COUNT(leading_out); i++) {
        if (strstr(leading_out[i], "deep/..") != NULL) {
            continue; /* the path stays below the folder, and the kernel can check that */
        }
        assert_false(file_open_beneath(fixture->folder, leading_out[i], &fd, &err));
        assert_int_equal(err.code, CODE_R0534);
        assert_non_null(strstr(err.text, "leads out of its folder or through a symbolic link"));
        assert_false(file_create_beneath(fixture->folder, leading_out[i], 0600, &fd, &err));
        assert_false(folder_open_beneath(fixture->folder, leading_out[i], &fd, &err));
        assert_int_equal(fd, FD_NONE);
    }
    assert_false(file_open_beneath(fixture->folder, "in/none", &fd, &err));
    assert_non_null(strstr(err.text, "'in/none' cannot be opened: No such file"));
}

static void test_the_way_by_process_refuses_the_same(void **state)
{
    struct fixture *fixture = *state;
    int fd = folder_walk(fixture->folder, "in/deep/file", O_RDONLY);

    assert_true(fd >= 0);
    close(fd);
    fd = folder_walk(fixture->folder, "in//deep///", O_RDONLY);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < ARRAY_COUNT(leading_out); i++) {
        assert_int_equal(folder_walk(fixture->folder, leading_out[i], O_RDONLY), -1);
        /* for a kernel that does not follow links, a link in the path is not a folder */
        assert_true(errno == EXDEV || errno == ELOOP || errno == ENOTDIR);
    }
    assert_int_equal(folder_walk(fixture->folder, "in/deep/file/", O_RDONLY), -1);
    assert_int_equal(errno, ENOTDIR);
}

static void test_modes_are_what_was_asked_for_whatever_the_umask(void **state)
{
    struct fixture *fixture = *state;
    static const mode_t masks[] = { 0, 077, 0777 };
    struct err err;
    int fd;

    for (size_t i = 0; i < ARRAY_COUNT(masks); i++) {
        char file[16];
        char folder[16];
        mode_t before = umask(masks[i]);

        snprintf(file, sizeof(file), "f%zu", i);
        snprintf(folder, sizeof(folder), "in/d%zu", i);
        assert_true(file_create_beneath(fixture->folder, file, 0640, &fd, &err));
        close(fd);
        assert_int_equal(mode_of(fixture, file), 0640);
        assert_true(folder_make_beneath(fixture->folder, folder, 0750, &fd, &err));
        close(fd);
        assert_true(file_replace(fixture->folder, file, TEXT("x"), 0604, &err));
        umask(before);
        assert_int_equal(mode_of(fixture, folder), 0750);
        assert_int_equal(mode_of(fixture, file), 0604);
    }
    assert_false(file_create_beneath(fixture->folder, "f0", 0600, &fd, &err));
    assert_non_null(strstr(err.text, "'f0' cannot be made: File exists"));
    assert_true(folder_make_beneath(fixture->folder, "in/d0", 0700, &fd, &err));
    close(fd);
    assert_int_equal(mode_of(fixture, "in/d0"), 0750); /* an existing folder is not changed */
    assert_false(folder_make_beneath(fixture->folder, "f0", 0700, &fd, &err));
    assert_false(folder_make_beneath(fixture->folder, "in/out/x", 0700, &fd, &err));
}

static void test_a_file_is_read_whole_or_not_at_all(void **state)
{
    struct fixture *fixture = *state;
    struct text out;
    struct err err;

    assert_true(file_read_beneath(fixture->arena, fixture->folder, "in/deep/file", 2, &out, &err));
    assert_text(out, "x\n");
    assert_false(file_read_beneath(fixture->arena, fixture->folder, "in/deep/file", 1, &out, &err));
    assert_false(file_read_beneath(fixture->arena, fixture->folder, "in/deep", 9, &out, &err));
    /* a pipe without a writer does not block the call */
    assert_false(file_read_beneath(fixture->arena, fixture->folder, "in/fifo", 9, &out, &err));
    assert_int_equal(err.code, CODE_R0534);
}

static void test_a_file_is_replaced_in_one_step(void **state)
{
    struct fixture *fixture = *state;
    struct stat before;
    struct stat after;
    struct text out;
    struct err err;
    int old;
    int left;

    assert_true(file_replace(fixture->folder, "key", TEXT("old"), 0600, &err));
    assert_true(file_open_beneath(fixture->folder, "key", &old, &err));
    assert_int_equal(fstat(old, &before), 0);
    /* a file left by a crashed process does no harm */
    left = openat(fixture->folder, ".key.new", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(left >= 0);
    close(left);
    assert_true(file_replace(fixture->folder, "key", TEXT("new and longer"), 0600, &err));
    assert_true(file_read_beneath(fixture->arena, fixture->folder, "key", 100, &out, &err));
    assert_text(out, "new and longer");
    /* the key is a new file: a process that has the old file open still reads the old one */
    assert_int_equal(fstatat(fixture->folder, "key", &after, 0), 0);
    assert_true(before.st_ino != after.st_ino);
    close(old);
    assert_int_equal(faccessat(fixture->folder, ".key.new", F_OK, 0), -1);
    assert_false(file_replace(fixture->folder, "in/x", TEXT("x"), 0600, &err));
    assert_false(file_replace(fixture->folder, "", TEXT("x"), 0600, &err));
}

static void test_a_failed_replacement_leaves_the_old_one_and_nothing_else(void **state)
{
    struct fixture *fixture = *state;
    struct rlimit before;
    struct rlimit small = { 4, 0 };
    struct text out;
    struct err err;

    assert_true(file_replace(fixture->folder, "key", TEXT("old"), 0600, &err));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_false(file_replace(fixture->folder, "key", TEXT("too long"), 0600, &err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_non_null(strstr(err.text, "'key' cannot be written: File too large"));
    assert_true(file_read_beneath(fixture->arena, fixture->folder, "key", 100, &out, &err));
    assert_text(out, "old");
    assert_int_equal(faccessat(fixture->folder, ".key.new", F_OK, 0), -1);
}

static void test_a_lock_has_one_owner_and_names_it(void **state)
{
    struct fixture *fixture = *state;
    char expected[64];
    struct err err;
    int first;
    int second = FD_NONE;

    assert_true(file_lock(fixture->folder, "lock", &first, &err));
    assert_int_equal(mode_of(fixture, "lock"), 0600);
    assert_false(file_lock(fixture->folder, "lock", &second, &err));
    assert_int_equal(err.code, CODE_R0535);
    snprintf(expected, sizeof(expected), "'lock' is locked by process %d", getpid());
    assert_string_equal(err.text, expected);
    assert_int_equal(second, FD_NONE);
    close(first);
    assert_true(file_lock(fixture->folder, "lock", &second, &err));
    close(second);
}

static void test_a_folder_that_others_can_write_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct err err;

    assert_true(folder_check_owner(fixture->folder, fixture->path, &err));
    assert_int_equal(fchmod(fixture->folder, 0770), 0);
    assert_false(folder_check_owner(fixture->folder, fixture->path, &err));
    assert_int_equal(fchmod(fixture->folder, 01777), 0);
    assert_false(folder_check_owner(fixture->folder, fixture->path, &err));
    assert_int_equal(err.code, CODE_R0536);
    assert_non_null(strstr(err.text, "can be written by others (mode 1777)"));
    assert_int_equal(fchmod(fixture->folder, 0755), 0);
    assert_true(folder_check_owner(fixture->folder, fixture->path, &err));
    if (geteuid() == 0) {
        assert_int_equal(fchown(fixture->folder, 12345, 0), 0);
        assert_false(folder_check_owner(fixture->folder, fixture->path, &err));
        assert_non_null(strstr(err.text, "belongs to user 12345"));
    }
}

static void test_free_space_is_that_of_its_disk(void **state)
{
    struct fixture *fixture = *state;
    uint64_t bytes = 0;
    struct err err;

    assert_true(folder_free_bytes(fixture->folder, &bytes, &err));
    assert_true(bytes > 0);
    assert_false(folder_free_bytes(FD_NONE, &bytes, &err));
    assert_false(folder_open("/no/such/folder", &(int){ 0 }, &err));
    assert_false(folder_open("/etc/passwd", &(int){ 0 }, &err));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(test_a_name_stays_beneath_its_folder),
        CASE(test_the_way_by_process_refuses_the_same),
        CASE(test_modes_are_what_was_asked_for_whatever_the_umask),
        CASE(test_a_file_is_read_whole_or_not_at_all),
        CASE(test_a_file_is_replaced_in_one_step),
        CASE(test_a_failed_replacement_leaves_the_old_one_and_nothing_else),
        CASE(test_a_lock_has_one_owner_and_names_it),
        CASE(test_a_folder_that_others_can_write_is_refused),
        CASE(test_free_space_is_that_of_its_disk),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
