/* The stored output of stages. */
#include "unit.h"

#include "remote/bounds.h"
#include "remote/logs.h"

#include <fcntl.h>
#include <sys/mman.h>
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

/* Reads all lines of a log from an offset on. Returns their number. */
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

/* Colours are kept for clients that can show them; all other terminal control codes are removed. */
static void colours_are_kept(void **state)
{
    struct fixture *fixture = *state;
    struct logs_line *lines;
    uint64_t offset = 0;

    add(fixture->logs, web, "\x1b[1;31mred\x1b[0m \x1b[38;5;33mblue\x1b[m", 40);
    add(fixture->logs, web, "\x1b[?25l\x1b[2K\x1b]0;title\a\x1b[31", 80);
    assert_int_equal(read_all(fixture, web, &offset, &lines), 2);
    assert_text(lines[0].text, "\x1b[1;31mred\x1b[0m \x1b[38;5;33mblue\x1b[m");
    assert_text(lines[1].text, "?[?25l?[2K?]0;title??[31");
}

/* A query for the seen output reports the attempt, and later lines of it are still stored. */
static void an_attempt_that_wrote_nothing_is_known(void **state)
{
    const struct fixture *fixture = *state;
    struct logs_key key = { TEXT("web-0"), 1, 3 };
    struct logs_line line = { 5, 3, TEXT("hm") };
    struct logs_key *keys;
    uint64_t offset = 0;
    size_t count;
    struct err err;
    struct logs_line *lines;

    assert_true(logs_begin(fixture->logs, &key, &err));
    assert_true(logs_begin(fixture->logs, &key, &err));
    assert_true(logs_list(fixture->logs, fixture->arena, key.node, &keys, &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(keys[0].attempt, 3);
    assert_int_equal(logs_seen(fixture->logs, &key), 0);
    assert_true(logs_add(fixture->logs, &key, &line, NULL, 0, &err));
    assert_true(logs_read(fixture->logs, fixture->arena, &key, &offset, 10, &lines, &count, &err));
    assert_int_equal(count, 1);
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

/* The error may be at the very end of a long output. */
static void an_error_at_the_end_is_found(void **state)
{
    struct fixture *fixture = *state;
    char text[1000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    for (unsigned i = 1; i <= 5000; i++) { /* the middle of these lines is in neither part */
        add(fixture->logs, web, i == 2500 ? "E: failed in the middle" : text, 1000 * (uint64_t)i);
    }
    assert_int_equal(logs_why(fixture->logs, fixture->arena, &web).data[0], 'x');
    add(fixture->logs, web, "E: failed at the end", 5000 * 1000 + 1);
    add(fixture->logs, web, "bye", 5000 * 1000 + 2);
    assert_text(logs_why(fixture->logs, fixture->arena, &web), "E: failed at the end");
}

/* The newest owner of a name is found as long as any of its output is stored, and never by the
 * output of another owner. */
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

/* Sets the time of a node's last output. */
static void age(struct fixture *fixture, const char *node, time_t at)
{
    char path[160];
    struct timespec times[2] = { { .tv_sec = at }, { .tv_sec = at } };

    snprintf(path, sizeof(path), "%s/%s", fixture->folder, node);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Making room removes the name of a node together with its output, unless another node has the name
 * by then. */
static void names_go_with_their_nodes(void **state)
{
    struct fixture *fixture = *state;
    struct logs_limits limits = {
        .attempt_bytes = 1000, .attempts = 2, .nodes = 2, .bytes = 100000
    };
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

/* A line that is incomplete because the manager was killed is ignored. */
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
    open_file(fixture, "", 3); /* only the first line is complete */
    assert_int_equal(logs_seen(fixture->logs, &web), 6);
}

/* ---- bounds ---- */

/* length of a line of output, such as "line 000001" with its line end */
enum { KIB = 1024, LINE = 12 };

/* Adds numbered lines of an attempt. */
static void add_lines(struct fixture *fixture, struct logs_key key, unsigned from, unsigned count)
{
    for (unsigned i = from; i < from + count; i++) {
        char text[LINE];

        snprintf(text, sizeof(text), "line %06u", i % 1000000);
        add(fixture->logs, key, text, (uint64_t)LINE * (i + 1));
    }
}

/* Data read from an offset on: every line in order; missing output is reported at its position. */
struct reported {
    unsigned lines;
    unsigned gaps;
    uint64_t missing; /* number of bytes of output that were reported as missing */
    uint64_t end;     /* offset after the last line */
    char gap[200];    /* text of the last gap */
};

static struct reported report_all(struct fixture *fixture, struct logs_key key, uint64_t *offset)
{
    struct arena_mark mark = arena_mark(fixture->arena);
    struct reported reported = { 0 };
    struct logs_line *lines;
    size_t count;

    while ((count = read_all(fixture, key, offset, &lines)) > 0) {
        for (size_t i = 0; i < count; i++) {
            uint64_t line = lines[i].end / LINE - 1;
            unsigned long long missing = 0;

            assert_true(lines[i].end % LINE == 0);
            if (lines[i].text.data[0] == '(') {
                snprintf(reported.gap, sizeof(reported.gap), "%.*s", TEXT_ARG(lines[i].text));
                (void)!sscanf(reported.gap, "(%llu bytes", &missing);
                reported.missing += missing;
                reported.gaps++;
            } else {
                char text[LINE];

                snprintf(text, sizeof(text), "line %06u", (unsigned)(line % 1000000));
                assert_text(lines[i].text, text);
                assert_true(reported.end == 0 || lines[i].end == reported.end + LINE);
                reported.lines++;
            }
            assert_true(lines[i].end > reported.end);
            reported.end = lines[i].end;
        }
        arena_rewind(fixture->arena, mark);
    }
    return reported;
}

/* Returns the number of bytes of a node's files. */
static uint64_t size_of(struct fixture *fixture, const char *node)
{
    char command[300];
    char answer[32];
    FILE *pipe;

    snprintf(
        command, sizeof(command),
        "find '%s/%s' -type f ! -name '.*' -printf '%%s\\n' | awk '{ n += $1 } END { print n + 0 }'",
        fixture->folder, node);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(answer, sizeof(answer), pipe));
    pclose(pipe);
    return strtoull(answer, NULL, 10);
}

static void an_attempt_keeps_its_beginning_and_its_end(void **state)
{
    struct fixture *fixture = *state;
    struct logs_limits limits = logs_limits_usual();
    uint64_t offset = 0;
    uint64_t followed = 0;
    struct reported reported;

    limits.attempt_bytes = 64 * KIB;
    logs_reopen(fixture, limits);
    for (unsigned i = 0; i < 20000; i += 100) {
        add_lines(fixture, web, i, 100);
        reported = report_all(fixture, web, &followed); /* a reader that follows misses nothing */
        assert_int_equal(reported.lines, 100);
        assert_int_equal(reported.gaps, 0);
        assert_in_range(size_of(fixture, "web-1.0f3c"), 1, 64 * KIB);
        if (i % 700 == 0) { /* and a reader that continues continues there */
            logs_reopen(fixture, limits);
        }
    }
    assert_int_equal(logs_seen(fixture->logs, &web), LINE * 20000);
    reported = report_all(fixture, web, &offset);
    assert_int_equal(offset, followed);
    assert_int_equal(reported.gaps, 1);
    assert_int_equal(reported.missing + (uint64_t)reported.lines * LINE, LINE * 20000);
    assert_non_null(strstr(reported.gap, " bytes are missing: the output exceeded its limit)"));
    assert_in_range(reported.lines, 64 * KIB / 8 * 6 / 40, 20000 / 2);
    offset = 30 * KIB; /* a reader at an offset that was deleted since */
    reported = report_all(fixture, web, &offset);
    assert_string_equal(reported.gap, "(some lines are missing: the output exceeded its limit)");
    assert_int_equal(reported.end, LINE * 20000);
    assert_int_equal(offset, followed);
}

/* A kill between the start of a file piece and its first line, and within its first line. */
static void a_piece_without_a_line_is_gone_on_with(void **state)
{
    struct fixture *fixture = *state;
    struct logs_limits limits = logs_limits_usual();
    char path[200];
    uint64_t offset = 0;
    struct reported reported;
    int file;

    limits.attempt_bytes = 64 * KIB;
    logs_reopen(fixture, limits);
    add_lines(fixture, web, 0, 100);
    snprintf(path, sizeof(path), "%s/web-1.0f3c/1.2.%u.%u", fixture->folder,
             (unsigned)size_of(fixture, "web-1.0f3c"), LINE * 100);
    file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    logs_reopen(fixture, limits);
    assert_int_equal(logs_seen(fixture->logs, &web), LINE * 100);
    assert_int_equal(write(file, "1700000000000 12", 16), 16);
    close(file);
    assert_int_equal(logs_seen(fixture->logs, &web), LINE * 100);
    add_lines(fixture, web, 100, 100);
    reported = report_all(fixture, web, &offset);
    assert_int_equal(reported.lines, 200);
    assert_int_equal(reported.gaps, 0);
}

static bool is_there(void *arg, struct text node)
{
    (void)arg;
    return text_has_prefix(node, TEXT("there"));
}

/* Sets when the attempts of a node were last written. */
static void age_attempts(struct fixture *fixture, const char *node, unsigned at)
{
    char command[200];

    snprintf(command, sizeof(command), "find '%s/%s' -type f -exec touch -d @%u {} +",
             fixture->folder, node, at);
    assert_int_equal(system(command), 0);
}

static struct reported reported_about(struct fixture *fixture, const char *node)
{
    uint64_t offset = 0;

    return report_all(fixture, (struct logs_key){ text_from(node), 0, 1 }, &offset);
}

static struct logs_limits limits_of_all(void)
{
    struct logs_limits limits = logs_limits_usual();

    limits.bytes = 44 * KIB;
    limits.is_there = is_there;
    return limits;
}

/* Total limit: output of removed nodes is deleted first, then the oldest. Deleted output is
 * reported, and later output continues at its offset. */
static void all_of_them_have_a_bound(void **state)
{
    static const char *const names[] = { "there-old", "gone-old", "there-new", "gone-new" };
    struct fixture *fixture = *state;
    struct logs_key key = { TEXT("there-last"), 0, 1 };
    struct reported reported;

    logs_reopen(fixture, limits_of_all());
    for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
        add_lines(fixture, (struct logs_key){ text_from(names[i]), 0, 1 }, 0, 300);
        age_attempts(fixture, names[i], 1000 + i);
    }
    for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
        assert_int_equal(reported_about(fixture, names[i]).lines, 300);
    }
    logs_reopen(fixture, limits_of_all()); /* a new process counts the bytes again */
    add_lines(fixture, key, 0, 300);
    reported = reported_about(fixture, "gone-old");
    assert_int_equal(reported.lines, 0);
    assert_int_equal(reported.missing, LINE * 300);
    assert_string_equal(reported.gap, "(3600 bytes were removed to make room for newer output)");
    assert_int_equal(reported_about(fixture, "gone-new").lines, 300);
    add_lines(fixture, key, 300, 600);
    assert_int_equal(reported_about(fixture, "gone-new").lines, 0);
    assert_int_equal(reported_about(fixture, "there-old").lines, 0);
    assert_int_equal(reported_about(fixture, "there-new").lines, 300);
    assert_int_equal(reported_about(fixture, "there-last").lines, 900);
    key.node = TEXT("there-old");
    assert_int_equal(logs_seen(fixture->logs, &key), LINE * 300);
    add_lines(fixture, key, 300, 10);
    reported = reported_about(fixture, "there-old");
    assert_int_equal(reported.lines, 10);
    assert_int_equal(reported.missing, LINE * 300);
}

/* The newest attempt that is being written is kept, even if it uses all the space. The limit also
 * holds over many nodes, while their bytes are still being counted. */
static void the_bound_holds_and_spares_what_is_written(void **state)
{
    struct fixture *fixture = *state;
    uint64_t most = 0;

    logs_reopen(fixture, limits_of_all());
    add_lines(fixture, web, 0, 3000);
    assert_in_range(size_of(fixture, "web-1.0f3c"), 65 * KIB, 200 * KIB);
    for (unsigned node = 0; node < 200; node++) {
        struct text name = arena_printf(fixture->arena, "n-%u", node);

        add_lines(fixture, (struct logs_key){ name, 0, 1 }, 0, 20);
        if (node % 50 == 49) {
            logs_reopen(fixture, limits_of_all());
        }
        most = node < 2 || size_of(fixture, ".") < most ? most : size_of(fixture, ".");
    }
    assert_in_range(most, 30 * KIB, 46 * KIB);
    assert_int_equal(reported_about(fixture, "n-199").lines, 20);
    assert_int_equal(reported_about(fixture, "n-0").lines, 0);
}

/* A process may be killed while it deletes an attempt: existing output is returned once, and the
 * next process deletes the rest. */
static void a_drop_that_was_cut_off_is_ended(void **state)
{
    struct fixture *fixture = *state;
    char path[200];
    struct reported reported;

    logs_reopen(fixture, limits_of_all());
    add_lines(fixture, (struct logs_key){ TEXT("gone-a"), 0, 1 }, 0, 300);
    snprintf(path, sizeof(path), "%s/gone-a/0.1.%u.%u", fixture->folder,
             (unsigned)size_of(fixture, "gone-a"), LINE * 300);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    reported = reported_about(fixture, "gone-a");
    assert_int_equal(reported.lines, 300);
    assert_int_equal(reported.gaps, 0);
    age_attempts(fixture, "gone-a", 1000);
    logs_reopen(fixture, limits_of_all());
    add_lines(fixture, (struct logs_key){ TEXT("there-b"), 0, 1 }, 0, 2000);
    reported = reported_about(fixture, "gone-a");
    assert_int_equal(reported.lines, 0);
    assert_int_equal(reported.missing, LINE * 300);
}

/* Waits until a file written now gets a later time than all earlier files, because the system's
 * file times have a coarse resolution. */
static void time_pass(void)
{
    int file = memfd_create("time", MFD_CLOEXEC);
    struct stat first;
    struct stat now;

    assert_true(file >= 0);
    assert_int_equal(futimens(file, NULL), 0);
    assert_int_equal(fstat(file, &first), 0);
    do {
        usleep(1000);
        assert_int_equal(futimens(file, NULL), 0);
        assert_int_equal(fstat(file, &now), 0);
    } while (now.st_mtim.tv_sec == first.st_mtim.tv_sec &&
             now.st_mtim.tv_nsec == first.st_mtim.tv_nsec);
    close(file);
}

static void the_oldest_go(void **state)
{
    struct fixture *fixture = *state;
    struct logs_limits limits = {
        .attempt_bytes = 1000, .attempts = 3, .nodes = 2, .bytes = 100000
    };
    struct logs_key key = web;
    struct logs_key *keys;
    struct err err;
    size_t count;

    logs_reopen(fixture, limits);
    for (key.attempt = 1; key.attempt <= 5; key.attempt++) {
        add(fixture->logs, key, "x", 2);
        time_pass();
    }
    assert_true(logs_list(fixture->logs, fixture->arena, web.node, &keys, &count, &err));
    assert_int_equal(count, 3);
    assert_int_equal(keys[0].attempt, 3);
    assert_int_equal(keys[2].attempt, 5);
    time_pass();
    key.node = TEXT("db-0");
    add(fixture->logs, key, "x", 2);
    time_pass();
    key.node = TEXT("db-1");
    add(fixture->logs, key, "x", 2);
    assert_true(logs_list(fixture->logs, fixture->arena, web.node, &keys, &count, &err));
    assert_int_equal(count, 0); /* its last output is the oldest */
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
        CASE(colours_are_kept),
        CASE(an_attempt_that_wrote_nothing_is_known),
        CASE(secrets_are_masked),
        CASE(half_a_line_is_none),
        CASE(an_attempt_keeps_its_beginning_and_its_end),
        CASE(a_piece_without_a_line_is_gone_on_with),
        CASE(all_of_them_have_a_bound),
        CASE(the_bound_holds_and_spares_what_is_written),
        CASE(a_drop_that_was_cut_off_is_ended),
        CASE(the_oldest_go),
        CASE(names_lead_nowhere_else),
        CASE(the_longest_line_is_kept_whole),
        CASE(what_ends_lines_for_a_terminal_is_left_out),
        CASE(the_first_error_is_found_again),
        CASE(an_error_at_the_end_is_found),
        CASE(owners_are_found),
        CASE(names_go_with_their_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
