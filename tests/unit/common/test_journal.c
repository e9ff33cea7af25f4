#include "unit.h"

#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

/* A separate folder for each test. */
struct room {
    char folder[64];
    struct arena *arena;
    struct journal journal;
};

static int room_open(void **state)
{
    struct room *room = calloc(1, sizeof(*room));

    assert_non_null(room);
    (void)snprintf(room->folder, sizeof(room->folder), "/tmp/reeve-journal-XXXXXX");
    assert_non_null(mkdtemp(room->folder));
    room->arena = arena_new(16 * 1024 * 1024);
    assert_true(journal_open(room->arena, text_from(room->folder), &room->journal));
    *state = room;
    return 0;
}

static int room_close(void **state)
{
    struct room *room = *state;
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf %s", room->folder);
    assert_int_equal(system(command), 0);
    arena_free(room->arena);
    free(room);
    return 0;
}

static void test_find_what_was_put(void **state)
{
    struct room *room = *state;
    struct text found;
    uint64_t age_ms = UINT64_MAX;

    assert_false(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, NULL));
    assert_true(journal_put(&room->journal, "requests", TEXT("a"), TEXT("one\0two")));
    assert_true(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, &age_ms));
    assert_int_equal(found.length, 7);
    assert_memory_equal(found.data, "one\0two", 7);
    assert_true(age_ms < 60000);
    assert_true(journal_put(&room->journal, "requests", TEXT("a"), TEXT("")));
    assert_true(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, NULL));
    assert_int_equal(found.length, 0);
    journal_delete(&room->journal, "requests", TEXT("a"));
    journal_delete(&room->journal, "requests", TEXT("a"));
    assert_false(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, NULL));
}

/* Names from a provider cannot lead out of the folder of their kind, and each has a separate
 * file. */
static void test_names(void **state)
{
    static const char *const names[] = {
        "..", ".", ".new-1", "eu-west-1/i-0", "eu-west-1%2fi-0", "/", "a b", "\xc3\xa9", "A", "a"
    };
    struct room *room = *state;
    struct text found;
    char path[128];
    char long_name[JOURNAL_NAME_BYTES + 1];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_true(
            journal_put(&room->journal, "created", text_from(names[i]), text_from(names[i])));
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_true(journal_find(room->arena, &room->journal, "created", text_from(names[i]),
                                 &found, NULL));
        assert_text(found, names[i]);
    }
    (void)snprintf(path, sizeof(path), "%s/created/%%2e.", room->folder);
    assert_int_equal(access(path, F_OK), 0);
    memset(long_name, 'x', sizeof(long_name));
    assert_false(journal_put(&room->journal, "created",
                             (struct text){ long_name, sizeof(long_name) }, TEXT("")));
    assert_int_equal(errno, ENAMETOOLONG);
    assert_true(journal_put(&room->journal, "created",
                            (struct text){ long_name, sizeof(long_name) - 1 }, TEXT("")));
    assert_false(journal_put(&room->journal, "created", TEXT(""), TEXT("")));
    /* entries whose names begin like an unfinished entry survive the next start */
    assert_true(journal_open(room->arena, text_from(room->folder), &room->journal));
    assert_true(journal_find(room->arena, &room->journal, "created", TEXT(".new-1"), &found, NULL));
}

static void test_size_limit(void **state)
{
    struct room *room = *state;
    static char bytes[JOURNAL_ENTRY_BYTES + 1];
    struct text found;

    memset(bytes, 'b', sizeof(bytes));
    assert_true(journal_put(&room->journal, "requests", TEXT("a"),
                            (struct text){ bytes, JOURNAL_ENTRY_BYTES }));
    assert_false(journal_put(&room->journal, "requests", TEXT("a"),
                             (struct text){ bytes, JOURNAL_ENTRY_BYTES + 1 }));
    assert_int_equal(errno, EFBIG);
    assert_true(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, NULL));
    assert_int_equal(found.length, JOURNAL_ENTRY_BYTES);
}

/* Moves the time of an entry back, or forward. */
static void age_entry(struct room *room, const char *name, int64_t seconds)
{
    struct timespec times[2];
    char path[128];

    (void)clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    (void)snprintf(path, sizeof(path), "%s/requests/%s", room->folder, name);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_ages(void **state)
{
    struct room *room = *state;
    struct text found;
    uint64_t age_ms = 0;
    uint64_t left_ms = 1;

    assert_false(journal_is_young(&room->journal, "requests", TEXT("a"), 60000, &left_ms));
    assert_int_equal(left_ms, 0);
    assert_true(journal_put(&room->journal, "requests", TEXT("a"), TEXT("x")));
    assert_true(journal_is_young(&room->journal, "requests", TEXT("a"), 60000, &left_ms));
    assert_true(left_ms > 0 && left_ms <= 60000);
    age_entry(room, "a", 61);
    assert_false(journal_is_young(&room->journal, "requests", TEXT("a"), 60000, &left_ms));
    assert_int_equal(left_ms, 0);
    assert_true(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, &age_ms));
    assert_true(age_ms >= 61000 && age_ms < 3600000);
    /* the clock was set back, so the entry counts as young, because waiting is safe */
    age_entry(room, "a", -3600);
    assert_true(journal_is_young(&room->journal, "requests", TEXT("a"), 60000, &left_ms));
    assert_int_equal(left_ms, 60000);
}

static void test_old_entries_are_deleted_at_start(void **state)
{
    struct room *room = *state;
    struct text found;

    assert_true(journal_put(&room->journal, "requests", TEXT("old"), TEXT("x")));
    assert_true(journal_put(&room->journal, "requests", TEXT("recent"), TEXT("x")));
    age_entry(room, "old", 24 * 3600 + 60);
    age_entry(room, "recent", 24 * 3600 - 60);
    assert_true(journal_open(room->arena, text_from(room->folder), &room->journal));
    assert_false(journal_find(room->arena, &room->journal, "requests", TEXT("old"), &found, NULL));
    assert_true(
        journal_find(room->arena, &room->journal, "requests", TEXT("recent"), &found, NULL));
}

/* A sweep in a running process deletes only old entries, and no unfinished entry of another
 * thread. */
static void test_sweep(void **state)
{
    struct room *room = *state;
    struct text found;
    char path[128];
    int fd;

    assert_true(journal_put(&room->journal, "requests", TEXT("old"), TEXT("x")));
    assert_true(journal_put(&room->journal, "requests", TEXT("recent"), TEXT("x")));
    age_entry(room, "old", 24 * 3600 + 60);
    (void)snprintf(path, sizeof(path), "%s/requests/.new-1-0", room->folder);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    (void)close(fd);
    journal_sweep(&room->journal);
    assert_false(journal_find(room->arena, &room->journal, "requests", TEXT("old"), &found, NULL));
    assert_true(
        journal_find(room->arena, &room->journal, "requests", TEXT("recent"), &found, NULL));
    assert_int_equal(access(path, F_OK), 0);
}

static size_t count_files(struct room *room)
{
    char path[128];
    DIR *listing;
    size_t count = 0;

    (void)snprintf(path, sizeof(path), "%s/requests", room->folder);
    listing = opendir(path);
    assert_non_null(listing);
    while (readdir(listing) != NULL) {
        count++;
    }
    (void)closedir(listing);
    return count - 2;
}

/* A put that was killed between write and rename leaves an unfinished entry, which does not count
 * and is deleted at the next start. */
static void test_crash_before_rename(void **state)
{
    struct room *room = *state;
    struct text found;
    char path[128];
    int fd;

    assert_true(journal_put(&room->journal, "requests", TEXT("a"), TEXT("former")));
    (void)snprintf(path, sizeof(path), "%s/requests/.new-1-0", room->folder);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0 && write(fd, "half", 4) == 4);
    (void)close(fd);
    assert_true(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, NULL));
    assert_text(found, "former");
    assert_true(journal_open(room->arena, text_from(room->folder), &room->journal));
    assert_int_equal(count_files(room), 1);
}

/* Writes entries until it is killed; each entry repeats one byte value. */
static void write_for_ever(struct room *room)
{
    static char bytes[8000];

    for (unsigned i = 0;; i++) {
        memset(bytes, 'a' + (int)(i % 26), sizeof(bytes));
        if (!journal_put(&room->journal, "requests", TEXT("a"),
                         (struct text){ bytes, 1000 * (1 + i % 8) })) {
            _exit(1);
        }
    }
}

/* At whatever time the process is killed, the entry is one complete written entry. */
static void test_kills(void **state)
{
    struct room *room = *state;
    uint32_t seed = 7;

    assert_true(journal_put(&room->journal, "requests", TEXT("a"), TEXT("a")));
    for (int round = 0; round < 30; round++) {
        struct timespec pause = { .tv_nsec = unit_random(&seed) % 5000000 };
        pid_t child = fork();
        struct text found;
        int status;

        if (child == 0) {
            write_for_ever(room);
        }
        (void)nanosleep(&pause, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_true(journal_find(room->arena, &room->journal, "requests", TEXT("a"), &found, NULL));
        assert_true(found.length == 1 || (found.length % 1000 == 0 && found.length > 0));
        for (size_t i = 1; i < found.length; i++) {
            assert_int_equal(found.data[i], found.data[0]);
        }
        assert_true(journal_open(room->arena, text_from(room->folder), &room->journal));
        assert_int_equal(count_files(room), 1);
    }
}

/* A failed put reports the failure, and leaves neither an entry nor an unfinished entry. */
static void test_failure(void **state)
{
    struct room *room = *state;
    struct journal gone = { .folder = "/nonexistent/reeve" };
    char path[128];

    assert_false(journal_put(&gone, "requests", TEXT("a"), TEXT("x")));
    assert_int_equal(errno, ENOENT);
    assert_false(journal_open(room->arena, TEXT("/nonexistent/reeve"), &gone));
    assert_true(journal_put(&room->journal, "requests", TEXT("a"), TEXT("x")));
    journal_delete(&room->journal, "requests", TEXT("a"));
    (void)snprintf(path, sizeof(path), "%s/requests/a", room->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(journal_put(&room->journal, "requests", TEXT("a"), TEXT("x")));
    assert_int_equal(count_files(room), 1);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, room_open, room_close)
    const struct CMUnitTest tests[] = {
        CASE(test_find_what_was_put),
        CASE(test_names),
        CASE(test_size_limit),
        CASE(test_ages),
        CASE(test_old_entries_are_deleted_at_start),
        CASE(test_sweep),
        CASE(test_crash_before_rename),
        CASE(test_kills),
        CASE(test_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
