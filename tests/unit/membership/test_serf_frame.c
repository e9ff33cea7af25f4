/* Messages of a serf agent's RPC: valid messages are read in pieces of every size, and invalid
 * messages do no harm. */
#include "unit.h"

#include "base/limits.h"
#include "codec/msgpack.h"
#include "membership/serf_frame.h"

static struct text bytes_of(const char *data, size_t length)
{
    return (struct text){ data, length };
}

#define RAW(literal) bytes_of("" literal, sizeof(literal) - 1)

static void member_add(struct buf *buf, struct text name, struct text address, const char *status)
{
    msgpack_add_map(buf, 5);
    msgpack_add_text(buf, TEXT("Name"));
    msgpack_add_text(buf, name);
    msgpack_add_text(buf, TEXT("Addr"));
    msgpack_add_text(buf, address);
    msgpack_add_text(buf, TEXT("Port"));
    msgpack_add_natural(buf, 7946);
    msgpack_add_text(buf, TEXT("Tags"));
    msgpack_add_map(buf, 2);
    msgpack_add_text(buf, TEXT("role"));
    msgpack_add_text(buf, TEXT("db"));
    msgpack_add_text(buf, TEXT("bad"));
    msgpack_add_text(buf, TEXT("\xff"));
    msgpack_add_text(buf, TEXT("Status"));
    msgpack_add_text(buf, text_from(status));
}

static struct text event_of(struct arena *arena, const char *event)
{
    struct buf buf;

    buf_init(&buf, arena);
    msgpack_add_map(&buf, 2);
    msgpack_add_text(&buf, TEXT("Event"));
    msgpack_add_text(&buf, text_from(event));
    msgpack_add_text(&buf, TEXT("Members"));
    msgpack_add_list(&buf, 3);
    member_add(&buf, TEXT("n1"), RAW("\x0a\x00\x00\x01"), "alive");
    member_add(&buf, TEXT("a\nb"), RAW("\x0a\x00\x00\x02"), "alive");
    member_add(&buf, TEXT("n3"), RAW("\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x00\x00\x03"), "failed");
    return buf_text(&buf);
}

static void test_members_of_an_event_are_read(void **state)
{
    AUTO_arena arena = arena_new(LIMIT_SERF_ARENA_BYTES);
    struct membership_report report;
    size_t skipped;

    (void)state;
    assert_true(
        serf_members_read(arena, event_of(arena, "member-failed"), true, &report, &skipped));
    assert_int_equal(report.change, MEMBERSHIP_FAILED);
    assert_int_equal(report.count, 2);
    assert_int_equal(skipped, 4); /* a name with a line break, and three tags that are not UTF-8 */
    assert_text(report.members[0].name, "n1");
    assert_text(report.members[0].address, "10.0.0.1");
    assert_int_equal(report.members[0].status, MEMBERSHIP_ALIVE);
    assert_int_equal(report.members[0].tags.count, 1);
    assert_text(wire_item(report.members[0].tags, struct wire_pair, 0)->value, "db");
    assert_text(report.members[1].address, "10.0.0.3");
    assert_int_equal(report.members[1].status, MEMBERSHIP_GONE_FAILED);
}

static void test_events_about_something_else_have_no_members(void **state)
{
    static const char *const OTHERS[] = { "user", "query", "member-of-a-later-serf", "" };
    AUTO_arena arena = arena_new(LIMIT_SERF_ARENA_BYTES);
    struct membership_report report;
    size_t skipped;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(OTHERS); i++) {
        assert_true(serf_members_read(arena, event_of(arena, OTHERS[i]), true, &report, &skipped));
        assert_int_equal(report.change, MEMBERSHIP_CHANGE_COUNT);
        assert_int_equal(report.count, 0);
    }
}

static void test_bodies_of_another_structure_are_refused(void **state)
{
    static const struct {
        const char *data;
        size_t length;
    } BODIES[] = {
#define BODY(literal) { literal, sizeof(literal) - 1 }
        BODY(""),
        BODY("\x01"),
        BODY("\x81\xa7Members"),
        BODY("\x81\xa7Members\x01"),
        BODY("\x81\xa7Members\x91\x01"),
        BODY("\x81\xa7Members\xdd\xff\xff\xff\xff"),
        BODY("\x81\xa5Other\x01"),
#undef BODY
    };
    AUTO_arena arena = arena_new(LIMIT_SERF_ARENA_BYTES);
    struct membership_report report;
    size_t skipped;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(BODIES); i++) {
        assert_false(serf_members_read(arena, bytes_of(BODIES[i].data, BODIES[i].length), false,
                                       &report, &skipped));
    }
    assert_true(serf_members_read(arena, RAW("\x81\xa7Members\xc0"), false, &report, &skipped));
    assert_int_equal(report.count, 0);
}

static void test_ends_of_items_are_found_in_pieces_of_every_size(void **state)
{
    AUTO_arena arena = arena_new(LIMIT_SERF_ARENA_BYTES);
    struct text event = event_of(arena, "member-join");

    (void)state;
    for (size_t step = 1; step <= event.length; step++) {
        struct serf_scan scan = { 0 };
        size_t given = 0;
        enum serf_scan_end end;

        do {
            assert_true(given < event.length);
            given = given + step < event.length ? given + step : event.length;
            end = serf_scan_next(&scan, text_slice(event, 0, given), LIMIT_SERF_EVENT_BYTES);
        } while (end == SERF_SCAN_PARTIAL);
        assert_int_equal(end, SERF_SCAN_COMPLETE);
        assert_int_equal(scan.at, event.length);
    }
}

static void test_items_that_cannot_end_are_invalid(void **state)
{
    struct serf_scan scan = { 0 };

    (void)state;
    assert_int_equal(serf_scan_next(&scan, RAW("\xc1"), 100), SERF_SCAN_INVALID);
    scan = (struct serf_scan){ 0 };
    assert_int_equal(serf_scan_next(&scan,
                                    RAW("\xd9\x40"
                                        "abcdefgh"),
                                    8),
                     SERF_SCAN_INVALID);
    scan = (struct serf_scan){ 0 };
    assert_int_equal(serf_scan_next(&scan, RAW("\x92\x01"), 100), SERF_SCAN_PARTIAL);
    assert_int_equal(serf_scan_next(&scan, RAW("\x92\x01\x02"), 100), SERF_SCAN_COMPLETE);
}

static void test_headers_are_read(void **state)
{
    struct serf_header header;

    (void)state;
    assert_true(serf_header_read(RAW("\x82\xa5"
                                     "Error\xa0\xa3Seq\x03"),
                                 &header));
    assert_int_equal(header.command, SERF_COMMAND_STREAM);
    assert_false(serf_has_body(&header, false));
    assert_true(serf_has_body(&header, true));
    assert_true(serf_header_read(RAW("\x83\xa5"
                                     "Error\xa3no!\xa3New\x90\xa3Seq\x04"),
                                 &header));
    assert_text(header.error, "no!");
    assert_false(serf_has_body(&header, true));
    assert_false(serf_header_read(RAW("\x81\xa5"
                                      "Error\xa0"),
                                  &header));
    assert_false(serf_header_read(RAW("\x81\xa3Seq\x05"), &header));
    assert_false(serf_header_read(RAW("\x90"), &header));
}

static void test_requests_are_those_of_the_rpc(void **state)
{
    static const char EXPECTED[] = "\x82\xa7"
                                   "Command\xa9handshake\xa3Seq\x00\x81\xa7Version\x01"
                                   "\x82\xa7"
                                   "Command\xa4"
                                   "auth\xa3Seq\x01\x81\xa7"
                                   "AuthKey\xa1k";
    AUTO_arena arena = arena_new(LIMIT_SERF_EVENT_BYTES);
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    serf_request_add(&buf, SERF_COMMAND_HANDSHAKE, TEXT(""));
    serf_request_add(&buf, SERF_COMMAND_AUTH, TEXT("k"));
    assert_int_equal(buf.length, sizeof(EXPECTED) - 1);
    assert_memory_equal(buf_text(&buf).data, EXPECTED, sizeof(EXPECTED) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_of_an_event_are_read),
        cmocka_unit_test(test_events_about_something_else_have_no_members),
        cmocka_unit_test(test_bodies_of_another_structure_are_refused),
        cmocka_unit_test(test_ends_of_items_are_found_in_pieces_of_every_size),
        cmocka_unit_test(test_items_that_cannot_end_are_invalid),
        cmocka_unit_test(test_headers_are_read),
        cmocka_unit_test(test_requests_are_those_of_the_rpc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
