/* The log: the format of lines (no value can make two lines), their destinations, and which lines
 * are left out. */

#include "sys/log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/limits.h"
#include "unit.h"

struct fixture {
    struct arena *arena;
    struct log *log;
    struct clock_fake clock;
    int out[2]; /* pipe in place of standard error */
    int journal;
    char folder[64];
    char socket[96];
    char stream[64];
    char text[1 << 20];
};

static struct text line_of(struct fixture *fixture, struct log_field field)
{
    struct log_field fields[] = { field, { 0 } };
    struct buf buf;

    buf_init(&buf, fixture->arena);
    log_message_format(&buf, &(struct log_event){ .area = "a", .event = "b", .fields = fields },
                       1024);
    return buf_text(&buf);
}

static int setup(void **state)
{
    static struct fixture fixture;
    struct stat status;
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    memset(&fixture, 0, sizeof(fixture));
    fixture.arena = arena_new((size_t)64 << 20);
    fixture.clock = (struct clock_fake){ .monotonic_ns = UINT64_C(3600000000000),
                                         .wall_ms = INT64_C(1795255200123) };
    assert_int_equal(pipe2(fixture.out, O_CLOEXEC | O_NONBLOCK), 0);
    strcpy(fixture.folder, "/tmp/reeve-test-XXXXXX");
    assert_non_null(mkdtemp(fixture.folder));
    snprintf(fixture.socket, sizeof(fixture.socket), "%s/socket", fixture.folder);
    strcpy(address.sun_path, fixture.socket);
    fixture.journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fixture.journal, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(fstat(fixture.out[1], &status), 0);
    snprintf(fixture.stream, sizeof(fixture.stream), "%llu:%llu", (unsigned long long)status.st_dev,
             (unsigned long long)status.st_ino);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    log_free(fixture->log);
    close(fixture->out[0]);
    close(fixture->out[1]);
    close(fixture->journal);
    unlink(fixture->socket);
    rmdir(fixture->folder);
    arena_free(fixture->arena);
    return 0;
}

static void log_start(struct fixture *fixture, const char *stream)
{
    fixture->log = log_new(&(struct log_options){ .clock = clock_fake_port(&fixture->clock),
                                                  .identifier = "reeved",
                                                  .fd = fixture->out[1],
                                                  .journal_stream = stream,
                                                  .journal_socket = fixture->socket,
                                                  .level = LOG_LEVEL_INFO });
}

/* Returns the output to standard error since the last call. */
static const char *written(struct fixture *fixture)
{
    size_t used = 0;
    ssize_t count;

    while ((count = read(fixture->out[0], fixture->text + used, sizeof(fixture->text) - used - 1)) >
           0) {
        used += (size_t)count;
    }
    fixture->text[used] = '\0';
    return fixture->text;
}

/* ---- spelling ---- */

static void test_a_line_has_time_level_area_event_and_fields(void **state)
{
    struct fixture *fixture = *state;

    log_start(fixture, NULL);
    assert_false(log_is_journal(fixture->log));
    log_info(fixture->log, "store", "opened", log_int("revision", 42),
             log_string("path", "/var/lib/reeve"), log_duration("took", 17));
    log_error(fixture->log, "store", "damaged");
    log_debug(fixture->log, "store", "looked");
    assert_string_equal(
        written(fixture),
        "2026-11-21T10:00:00.123Z info  store: opened revision=42 path=/var/lib/reeve took=17ms\n"
        "2026-11-21T10:00:00.123Z error store: damaged\n");
    log_level_set(fixture->log, LOG_LEVEL_DEBUG);
    log_debug(fixture->log, "store", "looked", log_int("least", INT64_MIN));
    assert_string_equal(written(fixture), "2026-11-21T10:00:00.123Z debug store: looked "
                                          "least=-9223372036854775808\n");
}

static void test_values_are_quoted_where_they_must(void **state)
{
    static const struct {
        struct text value;
        const char *line;
    } cases[] = {
        { TEXT("plain-1.2_/:@+,%#~*"), "a: b x=plain-1.2_/:@+,%#~*" },
        { TEXT(""), "a: b x=\"\"" },
        { TEXT("two words"), "a: b x=\"two words\"" },
        { TEXT("k=v"), "a: b x=\"k=v\"" },
        { TEXT("say \"hi\" \\ bye"), "a: b x=\"say \\\"hi\\\" \\\\ bye\"" },
        { TEXT("one\ntwo\r\tx"), "a: b x=\"one\\ntwo\\r\\tx\"" },
        { TEXT("\0\x1b[2J\x7f"), "a: b x=\"\\x00\\x1b[2J\\x7f\"" },
        { TEXT("gr\xc3\xbc\xc3\x9f \xf0\x9f\x99\x82"),
          "a: b x=\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x99\x82\"" },
        { TEXT("\xff\xc3"), "a: b x=\"\\xff\\xc3\"" },
        /* an overlong encoding of a newline */
        { TEXT("\xc0\x8a"), "a: b x=\"\\xc0\\x8a\"" },
        { TEXT("\xed\xa0\x80"), "a: b x=\"\\xed\\xa0\\x80\"" }, /* surrogate */
        { TEXT("\xc2\x85"), "a: b x=\"\\u{85}\"" },             /* a newline for some terminals */
        { TEXT("\xe2\x80\xa8"), "a: b x=\"\\u{2028}\"" },       /* line separator */
        { TEXT("\xe2\x80\xae"), "a: b x=\"\\u{202e}\"" },       /* right to left */
        { TEXT("\xef\xbb\xbf"), "a: b x=\"\\u{feff}\"" },
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_text(line_of(fixture, log_text("x", cases[i].value)), cases[i].line);
    }
}

static void test_a_secret_is_three_stars_everywhere(void **state)
{
    struct fixture *fixture = *state;
    struct log_field fields[] = { log_secret("token", secret_from(TEXT("hunter2"))), { 0 } };
    struct log_event event = { .area = "a", .event = "b", .fields = fields };
    struct buf buf;

    assert_text(line_of(fixture, fields[0]), "a: b token=***");
    buf_init(&buf, fixture->arena);
    log_record_format(&buf, &event, "reeved");
    assert_non_null(strstr(buf_text(&buf).data, "\nREEVE_TOKEN=***\n"));
    assert_null(strstr(buf_text(&buf).data, "hunter2"));
    /* nor the length of the value */
    assert_null(memmem(&fields[0], sizeof(fields[0]), "\x07\0\0\0", 4));
}

static void test_a_long_value_and_a_long_line_are_cut_at_a_whole_character(void **state)
{
    struct fixture *fixture = *state;
    static char value[5000];
    struct text line;

    for (size_t i = 0; i + 1 < sizeof(value); i += 2) {
        memcpy(value + i, "\xc3\xbc", 2);
    }
    line = line_of(fixture, log_text("x", (struct text){ value, sizeof(value) }));
    assert_true(text_has_suffix(line, TEXT("\xc3\xbc...\"")));
    assert_in_range(line.length, 1024, 1100);
    log_start(fixture, NULL);
    for (size_t shift = 0; shift < 2; shift++) {
        struct text shifted = { value + shift, 1024 };

        log_info(fixture->log, "a", "b", log_text("k", shifted), log_text("l", shifted),
                 log_text("m", shifted), log_text("n", shifted), log_int("o", 1));
        line = text_from(written(fixture));
        assert_in_range(line.length, LIMIT_LOG_LINE_BYTES - 4, LIMIT_LOG_LINE_BYTES);
        assert_true(text_has_suffix(line, TEXT("...\n")));
        assert_int_equal(text_find_bad_utf8(line), SIZE_MAX);
        assert_int_equal(text_find_byte(line, '\n'), line.length - 1);
    }
}

/* ---- where it goes ---- */

static size_t journal_receive(struct fixture *fixture, struct text *out)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = { fixture->text, sizeof(fixture->text) };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
    };
    ssize_t count = recvmsg(fixture->journal, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    if (count < 0) {
        return 0;
    }
    if (header != NULL) {
        int file;

        memcpy(&file, CMSG_DATA(header), sizeof(file));
        assert_int_equal(count, 0);
        assert_true((fcntl(file, F_GET_SEALS) & F_SEAL_WRITE) !=
                    0); /* no process changes it any more */
        count = pread(file, fixture->text, sizeof(fixture->text), 0);
        close(file);
        *out = (struct text){ fixture->text, (size_t)count };
        return 2;
    }
    *out = (struct text){ fixture->text, (size_t)count };
    return 1;
}

static void test_the_journal_gets_fields_with_their_bytes_as_they_are(void **state)
{
    struct fixture *fixture = *state;
    struct text record;

    log_start(fixture, fixture->stream);
    assert_true(log_is_journal(fixture->log));
    log_warn(fixture->log, "store", "slow", log_text("path", TEXT("a\nPRIORITY=0")),
             log_duration("took", 1200), log_int("size_bytes", -1));
    assert_int_equal(journal_receive(fixture, &record), 1);
    assert_true(text_is_equal(
        record, TEXT("MESSAGE=store: slow path=\"a\\nPRIORITY=0\" took=1200ms size_bytes=-1\n"
                     "PRIORITY=4\nSYSLOG_IDENTIFIER=reeved\nREEVE_AREA=store\nREEVE_EVENT=slow\n"
                     "REEVE_PATH\n\x0c\0\0\0\0\0\0\0a\nPRIORITY=0\n"
                     "REEVE_TOOK=1200ms\nREEVE_SIZE_BYTES=-1\n")));
    assert_string_equal(written(fixture), "");
}

static void test_a_record_too_long_for_a_datagram_goes_as_a_sealed_file(void **state)
{
    struct fixture *fixture = *state;
    static char value[LIMIT_LOG_VALUE_BYTES + 1];
    struct text text = { value, sizeof(value) };
    struct text record;

    memset(value, 'v', sizeof(value));
    log_start(fixture, fixture->stream);
    log_info(fixture->log, "a", "b", log_text("k", text), log_text("l", text), log_text("m", text));
    assert_int_equal(journal_receive(fixture, &record), 2);
    assert_true(record.length > 3 * LIMIT_LOG_VALUE_BYTES);
    assert_true(text_has_prefix(record, TEXT("MESSAGE=a: b k=")));
    assert_true(text_has_suffix(record, TEXT("vvv\n")));
    assert_string_equal(written(fixture), "");
}

static void test_without_the_journal_it_is_reported_on_standard_error(void **state)
{
    struct fixture *fixture = *state;

    unlink(fixture->socket);
    log_start(fixture, fixture->stream);
    log_info(fixture->log, "a", "b");
    assert_string_equal(written(fixture), "2026-11-21T10:00:00.123Z info  a: b\n");
}

static void test_standard_error_is_the_journal_only_where_the_variable_names_it(void **state)
{
    struct fixture *fixture = *state;
    static const char *const others[] = { "", "1", "1:", ":1", "1:1", "1:1x", "x:1" };

    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        log_start(fixture, others[i]);
        assert_false(log_is_journal(fixture->log));
        log_free(fixture->log);
    }
    fixture->log = NULL;
}

static void test_nobody_waits_for_a_reader_and_what_is_lost_is_counted(void **state)
{
    struct fixture *fixture = *state;
    unsigned lines = 0;
    char expected[128];
    const char *text;

    log_start(fixture, NULL);
    while (write(fixture->out[1], "x", 1) == 1) { /* the pipe is full */
    }
    log_info(fixture->log, "a", "b");
    log_info(fixture->log, "a", "c");
    for (text = written(fixture); *text != '\0'; text++) {
        lines += *text == '\n' ? 1 : 0;
    }
    assert_int_equal(lines, 0);
    log_info(fixture->log, "a", "d");
    snprintf(expected, sizeof(expected), "%s%s",
             "2026-11-21T10:00:00.123Z warn  log: lost lines=2\n",
             "2026-11-21T10:00:00.123Z info  a: d\n");
    assert_string_equal(written(fixture), expected);
}

static void test_it_may_write_nowhere(void **state)
{
    struct fixture *fixture = *state;

    fixture->log = log_new(&(struct log_options){ .fd = -1, .level = LOG_LEVEL_DEBUG });
    log_error(fixture->log, "a", "b");
    assert_string_equal(written(fixture), "");
}

/* ---- repetition ---- */

static unsigned lines_with(const char *text, const char *word)
{
    unsigned count = 0;

    for (; (text = strstr(text, word)) != NULL; text++) {
        count++;
    }
    return count;
}

static void test_a_repeated_event_is_counted_and_reported_when_its_window_is_over(void **state)
{
    struct fixture *fixture = *state;

    log_start(fixture, NULL);
    for (int i = 0; i < LIMIT_LOG_BURST + 7; i++) {
        log_warn(fixture->log, "peer", "lost", log_int("number", i));
        /* an event with another level is a different event */
        log_info(fixture->log, "peer", "lost");
        clock_fake_advance(&fixture->clock, 1);
    }
    assert_int_equal(lines_with(written(fixture), "peer: lost"), 2 * LIMIT_LOG_BURST);
    log_info(fixture->log, "peer", "found"); /* other events are not suppressed */
    assert_int_equal(lines_with(written(fixture), "peer: found"), 1);
    clock_fake_advance(&fixture->clock, LIMIT_LOG_WINDOW_MS);
    log_tick(fixture->log);
    assert_int_equal(lines_with(written(fixture), "peer: lost suppressed=7\n"), 2);
    log_tick(fixture->log);
    assert_string_equal(written(fixture), "");
    log_warn(fixture->log, "peer", "lost", log_int("number", 99));
    assert_int_equal(lines_with(written(fixture), "peer: lost number=99"), 1);
}

static void test_what_was_suppressed_is_said_at_the_end(void **state)
{
    struct fixture *fixture = *state;

    log_start(fixture, NULL);
    for (int i = 0; i < LIMIT_LOG_BURST + 3; i++) {
        log_info(fixture->log, "a", "b");
    }
    written(fixture);
    log_free(fixture->log);
    fixture->log = NULL;
    assert_int_equal(lines_with(written(fixture), "a: b suppressed=3\n"), 1);
}

static void test_more_kinds_of_events_than_are_counted_lose_nothing(void **state)
{
    struct fixture *fixture = *state;
    static char names[2 * LIMIT_LOG_REPEATED][16];
    unsigned reported = 0;

    log_start(fixture, NULL);
    for (int i = 0; i < LIMIT_LOG_BURST + 1; i++) {
        log_info(fixture->log, "a", "first");
    }
    written(fixture);
    for (int i = 0; i < 2 * LIMIT_LOG_REPEATED; i++) {
        snprintf(names[i], sizeof(names[i]), "event-%d", i);
        clock_fake_advance(&fixture->clock, 1);
        log_write(fixture->log, &(struct log_event){ .level = LOG_LEVEL_INFO,
                                                     .area = "a",
                                                     .event = names[i],
                                                     .fields = &(struct log_field){ 0 } });
        reported += lines_with(written(fixture), "first suppressed=1\n");
    }
    assert_int_equal(reported, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(test_a_line_has_time_level_area_event_and_fields),
        CASE(test_values_are_quoted_where_they_must),
        CASE(test_a_secret_is_three_stars_everywhere),
        CASE(test_a_long_value_and_a_long_line_are_cut_at_a_whole_character),
        CASE(test_the_journal_gets_fields_with_their_bytes_as_they_are),
        CASE(test_a_record_too_long_for_a_datagram_goes_as_a_sealed_file),
        CASE(test_without_the_journal_it_is_reported_on_standard_error),
        CASE(test_standard_error_is_the_journal_only_where_the_variable_names_it),
        CASE(test_nobody_waits_for_a_reader_and_what_is_lost_is_counted),
        CASE(test_it_may_write_nowhere),
        CASE(test_a_repeated_event_is_counted_and_reported_when_its_window_is_over),
        CASE(test_what_was_suppressed_is_said_at_the_end),
        CASE(test_more_kinds_of_events_than_are_counted_lose_nothing),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
