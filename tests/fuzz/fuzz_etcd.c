/* Data from etcd: messages, header lines, and the content of keys and values. All parsed data is
 * within the input and within the caller's limits. If there is a formatter, formatting parsed data
 * gives the same bytes. */
#include "fuzz.h"

#include <string.h>

#include "etcd/etcd_hub.h"
#include "etcd/etcd_key.h"
#include "etcd/etcd_message.h"
#include "etcd/etcd_status.h"

enum { ITEMS_MAX = 64, READERS = 8 };

static void check_inside(struct text part, struct text whole)
{
    FUZZ_CHECK(part.length == 0 ||
               (part.data >= whole.data && part.data + part.length <= whole.data + whole.length));
}

static void check_found(const struct message_found *found, struct text bytes)
{
    FUZZ_CHECK(found->count <= ITEMS_MAX);
    for (size_t i = 0; i < found->count; i++) {
        check_inside(found->items[i].key, bytes);
        check_inside(found->items[i].value, bytes);
        FUZZ_CHECK(found->items[i].key.length > 0);
        FUZZ_CHECK(found->items[i].revision > 0 && found->items[i].revision <= INT64_MAX);
        FUZZ_CHECK(found->items[i].create_revision <= INT64_MAX);
    }
}

static void fuzz_found(struct arena *arena, struct text bytes)
{
    struct message_header header = { 0 };
    struct message_found found;

    if (message_found_read(arena, bytes, ITEMS_MAX, &header, &found)) {
        check_found(&found, bytes);
        FUZZ_CHECK(header.revision <= INT64_MAX);
    }
}

static void fuzz_txn(struct arena *arena, struct text bytes)
{
    struct message_header header = { 0 };
    struct message_txn_answer answer;

    if (message_txn_read(arena, bytes, ITEMS_MAX, &header, &answer)) {
        FUZZ_CHECK(answer.count <= ITEMS_MAX);
        for (size_t i = 0; i < answer.count; i++) {
            FUZZ_CHECK(answer.done[i].is_range || answer.done[i].found.count == 0);
            check_found(&answer.done[i].found, bytes);
        }
    }
}

static void fuzz_watch(struct arena *arena, struct text bytes)
{
    struct message_watch_answer answer;

    if (message_watch_read(arena, bytes, ITEMS_MAX, &answer)) {
        FUZZ_CHECK(answer.count <= ITEMS_MAX);
        FUZZ_CHECK(answer.compact_revision <= INT64_MAX);
        check_inside(answer.reason, bytes);
        for (size_t i = 0; i < answer.count; i++) {
            struct message_found one = { .items = &answer.events[i].item, .count = 1 };

            check_found(&one, bytes);
        }
    }
}

static void fuzz_status(struct arena *arena, struct text bytes)
{
    struct message_header header = { 0 };
    uint64_t size;

    (void)arena;
    if (message_status_read(bytes, &header, &size)) {
        FUZZ_CHECK(header.revision <= INT64_MAX);
    }
}

/* Parses an HTTP answer: header lines, and their meaning. */
static void fuzz_exchange(struct arena *arena, struct text bytes)
{
    struct etcd_exchange exchange = { .status = ETCD_STATUS_NONE,
                                      .detail = "",
                                      .endpoint = "https://e:1",
                                      .http = 200,
                                      .was_sent = bytes.length % 2 == 0,
                                      .has_message = bytes.length % 3 == 0 };
    struct etcd_reply reply = { 0 };

    while (bytes.length > 0) {
        size_t end = text_find_byte(bytes, '\n');
        size_t length = end == SIZE_MAX ? bytes.length : end + 1;

        etcd_exchange_header(&exchange, arena_text(arena, text_slice(bytes, 0, length)));
        bytes = text_slice(bytes, length, bytes.length);
    }
    etcd_exchange_judge(&exchange, &reply);
    FUZZ_CHECK(reply.outcome < OUTCOME_COUNT);
    FUZZ_CHECK((reply.outcome == OUTCOME_OK) == (reply.err.code == CODE_NONE));
    FUZZ_CHECK(text_find_bad_utf8(text_from(reply.err.text)) == SIZE_MAX);
    FUZZ_CHECK(reply.outcome != OUTCOME_OK || (exchange.status == 0 && exchange.has_message));
}

static void fuzz_names(struct arena *arena, struct text bytes)
{
    struct etcd_event_name name;
    struct text rest;

    if (etcd_event_name_unpack(bytes, &name)) {
        check_inside(name.cluster, bytes);
        FUZZ_CHECK(text_is_equal(etcd_event_name_pack(arena, &name), bytes));
    }
    if (etcd_key_name(TEXT("/p/"), ETCD_SECTION_OBJECT, bytes, &rest)) {
        check_inside(rest, bytes);
        FUZZ_CHECK(
            text_is_equal(etcd_key_full(arena, TEXT("/p/"), ETCD_SECTION_OBJECT, rest), bytes));
    }
}

static void fuzz_values(struct arena *arena, struct text bytes)
{
    struct etcd_counter counter;
    struct etcd_meta meta;
    struct text payload;

    if (etcd_value_unpack(ETCD_SECTION_OBJECT, TEXT("/a"), bytes, &payload)) {
        check_inside(payload, bytes);
        FUZZ_CHECK(
            text_is_equal(etcd_value_pack(arena, ETCD_SECTION_OBJECT, TEXT("/a"), payload), bytes));
    }
    if (etcd_version_unpack(bytes, &counter, &payload)) {
        check_inside(payload, bytes);
    }
    if (etcd_counter_unpack(bytes, &counter) && (unsigned char)bytes.data[bytes.length - 1] < 2) {
        FUZZ_CHECK(text_is_equal(etcd_counter_pack(arena, &counter), bytes));
    }
    if (etcd_meta_unpack(bytes, &meta)) {
        FUZZ_CHECK(text_has_prefix(bytes, etcd_meta_pack(arena, &meta)));
    }
}

static void fuzz_frame(struct arena *arena, struct text bytes)
{
    unsigned char again[ETCD_FRAME_BYTES];
    size_t length;

    (void)arena;
    if (bytes.length >= ETCD_FRAME_BYTES &&
        etcd_frame_read((const unsigned char *)bytes.data, &length)) {
        FUZZ_CHECK(length <= LIMIT_ETCD_MESSAGE_BYTES);
        etcd_frame_write(again, length);
        FUZZ_CHECK(memcmp(again, bytes.data, sizeof(again)) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[READERS])(struct arena * arena, struct text bytes) = {
        fuzz_found,    fuzz_txn,   fuzz_watch,  fuzz_status,
        fuzz_exchange, fuzz_names, fuzz_values, fuzz_frame,
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    if (size > 0) {
        readers[data[0] % READERS](arena, (struct text){ (const char *)data + 1, size - 1 });
    }
    return 0;
}
