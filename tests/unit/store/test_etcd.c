/* The requests and the parsed answers of the etcd driver, without an etcd. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "etcd/etcd_key.h"
#include "etcd/etcd_message.h"
#include "etcd/etcd_status.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

static int setup(void **state)
{
    *state = arena_new(LIMIT_WORK_ARENA_BYTES);
    return 0;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

/* ---- messages ---- */

static void assert_bytes(struct buf *buf, struct text wanted)
{
    assert_int_equal(buf->length, wanted.length);
    assert_memory_equal(buf->data, wanted.data, wanted.length);
}

static void test_numbers_and_texts_are_written_as_documented(void **state)
{
    struct buf buf;

    buf_init(&buf, *state);
    wire_add_number(&buf, 1, 150); /* the example in the documentation of the format */
    wire_add_number(&buf, 3, 0);
    wire_add_zero(&buf, 6);
    wire_add_text(&buf, 2, TEXT("testing"));
    assert_bytes(&buf, TEXT("\x08\x96\x01\x30\x00\x12\x07testing"));
}

static void test_what_is_written_is_read(void **state)
{
    struct wire_field field;
    struct text rest;
    struct text inner;
    struct buf buf;
    size_t opened;

    buf_init(&buf, *state);
    opened = wire_open(&buf, 4);
    wire_add_number(&buf, 1, UINT64_MAX);
    wire_add_text(&buf, 900, TEXT(""));
    wire_close(&buf, opened);
    rest = buf_text(&buf);
    assert_int_equal(wire_next(&rest, &field), WIRE_STEP_FIELD);
    assert_int_equal(field.number, 4);
    inner = field.bytes;
    assert_int_equal(wire_next(&rest, &field), WIRE_STEP_END);
    assert_int_equal(wire_next(&inner, &field), WIRE_STEP_FIELD);
    assert_true(field.value == UINT64_MAX && !field.is_bytes);
    assert_int_equal(wire_next(&inner, &field), WIRE_STEP_FIELD);
    assert_true(field.number == 900 && field.is_bytes && field.bytes.length == 0);
    assert_int_equal(wire_next(&inner, &field), WIRE_STEP_END);
}

static void test_broken_messages_are_refused(void **state)
{
    static const struct text broken[] = {
        { "\x08", 1 }, /* a number is missing */
        { "\x12\x05"
          "abcd",
          6 },                                                  /* a text is truncated */
        { "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 }, /* an impossible length */
        { "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12 },
        { "\x00\x00", 2 }, /* field 0 */
        { "\x0b\x0c", 2 }, /* a group, which is not supported */
        { "\x09"
          "1234567",
          8 }, /* eight bytes are missing */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(broken); i++) {
        struct text rest = broken[i];
        struct wire_field field;

        assert_int_equal(wire_next(&rest, &field), WIRE_STEP_BROKEN);
    }
}

static void test_no_more_items_are_read_than_were_asked_for(void **state)
{
    struct message_header header = { 0 };
    struct message_found found;
    struct buf buf;

    buf_init(&buf, *state);
    for (unsigned i = 0; i < 3; i++) {
        size_t item = wire_open(&buf, 2);

        wire_add_text(&buf, 1, TEXT("key"));
        wire_add_number(&buf, 3, 7);
        wire_close(&buf, item);
    }
    assert_true(message_found_read(*state, buf_text(&buf), 3, &header, &found));
    assert_int_equal(found.count, 3);
    assert_int_equal(found.items[2].revision, 7);
    assert_false(message_found_read(*state, buf_text(&buf), 2, &header, &found));
}

/* ---- keys and values ---- */

static void test_events_of_a_cluster_are_in_order_of_their_numbers(void **state)
{
    struct etcd_event_name name = { .cluster = TEXT("t/a") };
    struct etcd_event_name again;
    struct text before = TEXT("");

    for (uint64_t number = 1; number < UINT64_MAX / 300; number *= 255) {
        struct text packed;

        name.number = number;
        name.time_ms = UINT64_MAX - number; /* ignored */
        packed = etcd_event_name_pack(*state, &name);
        assert_true(text_compare(before, packed) < 0);
        assert_true(text_compare(etcd_event_name_from(*state, name.cluster, number), packed) < 0);
        assert_true(text_compare(packed, etcd_event_name_from(*state, name.cluster, number + 1)) <
                    0);
        assert_true(etcd_event_name_unpack(packed, &again));
        assert_true(again.number == number && again.time_ms == name.time_ms);
        before = packed;
    }
}

static void test_clusters_that_begin_alike_do_not_mix(void **state)
{
    struct text short_one = etcd_event_name_from(*state, TEXT("t/a"), 0);
    struct etcd_event_name name = { .cluster = TEXT("t/a/"), .number = 1 };

    assert_false(text_has_prefix(etcd_event_name_pack(*state, &name), short_one));
}

static void test_the_end_of_a_stretch_is_above_all_in_it(void **state)
{
    assert_true(text_is(etcd_key_end(*state, TEXT("/a/")), "/a0"));
    assert_true(text_is(etcd_key_end(*state, TEXT("/a\xff\xff")), "/b"));
}

static void test_a_flipped_bit_in_a_value_is_seen(void **state)
{
    struct text name = TEXT("/t/cluster/a/spec");
    struct text packed = etcd_value_pack(*state, ETCD_SECTION_OBJECT, name, TEXT("{\"size\":3}"));
    char *bytes = arena_string(*state, packed);
    struct text payload;

    assert_true(etcd_value_unpack(ETCD_SECTION_OBJECT, name, packed, &payload));
    assert_true(text_is(payload, "{\"size\":3}"));
    for (size_t bit = 0; bit < packed.length * 8; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        assert_false(etcd_value_unpack(ETCD_SECTION_OBJECT, name,
                                       (struct text){ bytes, packed.length }, &payload));
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    assert_false(etcd_value_unpack(ETCD_SECTION_OBJECT, TEXT("/t/b"), packed, &payload));
    assert_false(etcd_value_unpack(ETCD_SECTION_HISTORY, name, packed, &payload));
}

/* ---- meaning of answers ---- */

static void test_only_what_cannot_have_happened_is_refused(void **state)
{
    static const struct {
        unsigned curl;
        unsigned status;
        const char *reason;
        bool was_sent;
        enum outcome outcome;
        enum code code;
    } cases[] = {
        { CURLE_OK, 0, "", true, OUTCOME_OK, CODE_NONE },
        { CURLE_COULDNT_CONNECT, ETCD_STATUS_NONE, "", false, OUTCOME_REFUSED, CODE_R0511 },
        { CURLE_OPERATION_TIMEDOUT, ETCD_STATUS_NONE, "", false, OUTCOME_REFUSED, CODE_R0511 },
        { CURLE_OPERATION_TIMEDOUT, ETCD_STATUS_NONE, "", true, OUTCOME_UNKNOWN, CODE_R0501 },
        { CURLE_SEND_FAIL_REWIND, ETCD_STATUS_NONE, "", true, OUTCOME_UNKNOWN, CODE_R0501 },
        { CURLE_PEER_FAILED_VERIFICATION, ETCD_STATUS_NONE, "", false, OUTCOME_REFUSED,
          CODE_R0512 },
        { CURLE_OK, ETCD_STATUS_NONE, "", true, OUTCOME_UNKNOWN, CODE_R0501 },
        { CURLE_OK, 14, "etcdserver: request timed out", true, OUTCOME_UNKNOWN, CODE_R0501 },
        { CURLE_OK, 4, "context deadline exceeded", true, OUTCOME_UNKNOWN, CODE_R0501 },
        { CURLE_OK, 11, "etcdserver: mvcc: required revision has been compacted", true,
          OUTCOME_REFUSED, CODE_R0503 },
        { CURLE_OK, 11, "etcdserver: mvcc: required revision is a future revision", true,
          OUTCOME_REFUSED, CODE_R0503 },
        { CURLE_OK, 3, "etcdserver: too many operations in txn request", true, OUTCOME_REFUSED,
          CODE_R0514 },
        { CURLE_OK, 3, "etcdserver: request is too large", true, OUTCOME_REFUSED, CODE_R0504 },
        { CURLE_OK, 8, "grpc: received message larger than max (4 vs. 2)", true, OUTCOME_REFUSED,
          CODE_R0504 },
        { CURLE_OK, 8, "etcdserver: too many requests", true, OUTCOME_REFUSED, CODE_R0505 },
        { CURLE_OK, 8, "etcdserver: mvcc: database space exceeded", true, OUTCOME_UNKNOWN,
          CODE_R0505 },
        { CURLE_OK, 7, "etcdserver: permission denied", true, OUTCOME_REFUSED, CODE_R0513 },
        { CURLE_OK, 16, "etcdserver: invalid auth token", true, OUTCOME_REFUSED, CODE_R0513 },
        { CURLE_OK, 12, "unknown service", true, OUTCOME_REFUSED, CODE_R0518 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct etcd_exchange exchange = { .curl = cases[i].curl,
                                          .detail = "",
                                          .endpoint = "https://e:1",
                                          .http = 200,
                                          .status = cases[i].status,
                                          .was_sent = cases[i].was_sent,
                                          .has_message = cases[i].status == 0 };
        struct etcd_reply reply = { 0 };

        snprintf(exchange.reason, sizeof(exchange.reason), "%s", cases[i].reason);
        etcd_exchange_judge(&exchange, &reply);
        assert_int_equal(reply.outcome, cases[i].outcome);
        assert_int_equal(reply.err.code, cases[i].code);
    }
}

static void test_a_member_that_resets_every_connection_may_reject_the_certificate(void **state)
{
    struct etcd_exchange exchange = { .curl = CURLE_SEND_ERROR,
                                      .detail = "Send failure: Connection reset by peer",
                                      .endpoint = "https://e:1",
                                      .status = ETCD_STATUS_NONE };
    struct etcd_reply reply = { 0 };

    (void)state;
    etcd_exchange_judge(&exchange, &reply);
    assert_int_equal(reply.err.code, CODE_R0511);
    exchange.is_rejected = true;
    etcd_exchange_judge(&exchange, &reply);
    assert_int_equal(reply.outcome, OUTCOME_REFUSED);
    assert_int_equal(reply.err.code, CODE_R0512);
    assert_non_null(strstr(reply.err.hint, "certificate"));
}

static void test_a_connection_that_ends_in_the_handshake_is_no_fault_of_certificates(void **state)
{
    static const struct {
        const char *detail;
        enum code code;
    } cases[] = {
        { "gnutls_handshake() failed: The TLS connection was non-properly terminated.",
          CODE_R0511 },
        { "gnutls_handshake() failed: Error in the pull function.", CODE_R0511 },
        { "Send failure: Broken pipe", CODE_R0511 },
        { "gnutls_handshake() failed: An unexpected TLS packet was received.", CODE_R0512 },
        { "gnutls_handshake() failed: A TLS fatal alert has been received.", CODE_R0512 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct etcd_exchange exchange = { .curl = CURLE_SSL_CONNECT_ERROR,
                                          .detail = cases[i].detail,
                                          .endpoint = "https://e:1",
                                          .status = ETCD_STATUS_NONE };
        struct etcd_reply reply = { 0 };

        etcd_exchange_judge(&exchange, &reply);
        assert_int_equal(reply.outcome, OUTCOME_REFUSED);
        assert_int_equal(reply.err.code, cases[i].code);
    }
}

static void test_a_reason_is_made_plain_text(void **state)
{
    struct etcd_exchange exchange = { 0 };

    (void)state;
    etcd_exchange_header(&exchange, TEXT("Grpc-Message: a%20b%0A%zz%4\x1b[2J\r\n"));
    assert_string_equal(exchange.reason, "a b?%zz%4?[2J");
    etcd_exchange_header(&exchange, TEXT("grpc-status:  8 \r\n"));
    assert_int_equal(exchange.status, 8);
    etcd_exchange_header(&exchange, TEXT("grpc-status: 17\r\n")); /* there is no such status */
    assert_int_equal(exchange.status, 8);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(test_numbers_and_texts_are_written_as_documented),
        CASE(test_what_is_written_is_read),
        CASE(test_broken_messages_are_refused),
        CASE(test_no_more_items_are_read_than_were_asked_for),
        CASE(test_events_of_a_cluster_are_in_order_of_their_numbers),
        CASE(test_clusters_that_begin_alike_do_not_mix),
        CASE(test_the_end_of_a_stretch_is_above_all_in_it),
        CASE(test_a_flipped_bit_in_a_value_is_seen),
        CASE(test_only_what_cannot_have_happened_is_refused),
        CASE(test_a_member_that_resets_every_connection_may_reject_the_certificate),
        CASE(test_a_connection_that_ends_in_the_handshake_is_no_fault_of_certificates),
        CASE(test_a_reason_is_made_plain_text),
    };

    return cmocka_run_group_tests_name("etcd", cases, NULL, NULL);
}
