/* Frames between the manager and plugin processes: parsing a written frame gives the same message,
 * and other data does no harm. */
#include "unit.h"

#include "base/limits.h"
#include "codec/msgpack.h"
#include "wire/wire.h"

#include <string.h>

static struct text frame_of(struct arena *arena, const struct wire_message *message)
{
    struct buf buf;

    buf_init(&buf, arena);
    wire_format(&buf, message);
    return buf_text(&buf);
}

/* ---- one message of each type, every field set, no two alike ---- */

static struct wire_pair pairs[] = { { TEXT("name"), TEXT("value") },
                                    { TEXT(""), TEXT("\xc3\xa4") },
                                    { TEXT("/a/b"), TEXT("") } };
static struct text ids[] = { TEXT("i-1"), TEXT("i-2") };
static struct wire_property properties[] = {
    { TEXT("cpus"), 1, 2, 3, TEXT("4"), TEXT("1|2|4"), TEXT("how many"), TEXT("2"), INT64_MIN, -1 },
    { TEXT("image"), 0, 1, 0, TEXT(""), TEXT(""), TEXT(""), TEXT(""), 0, INT64_MAX },
};
static struct wire_row rows[] = {
    { TEXT("i-1"), 1, TEXT("192.0.2.1"), TEXT("a"), TEXT("{}"), { pairs, 3 } },
    { TEXT("i-2"), 3, TEXT(""), TEXT(""), TEXT(""), { NULL, 0 } },
};

static struct wire_resource resources[] = {
    { TEXT("volume"), TEXT("vol-1"), TEXT("a"), TEXT("i-1"), 20, { pairs, 3 } },
    { TEXT("port"), TEXT("p-2"), TEXT(""), TEXT(""), 0, { NULL, 0 } },
};

static struct wire_state_entry entries[] = {
    { TEXT("a/10.0.0.1"), TEXT("t1"), UINT64_MAX },
    { TEXT("a/10.0.0.2"), TEXT(""), 0 },
};

static struct wire_message message_of(enum wire_type type)
{
    struct wire_message message = { .type = type };

    switch (type) {
    case WIRE_OPEN:
        message.open =
            (struct wire_open){ TEXT("/p.so"), TEXT("d1"), TEXT("p"), TEXT("/f"), TEXT("{}"), 1, 8,
                                { ids, 2 },    1,          1 };
        break;
    case WIRE_CALL:
        message.call = (struct wire_call){
            UINT64_MAX,     WIRE_REBOOT,  30000,          TEXT("t/c"),     TEXT("i-1"),
            TEXT("token"),  TEXT("w-0"),  TEXT("a"),      TEXT("{\"l\"}"), TEXT("{\"p\"}"),
            TEXT("#!init"), TEXT("key"),  TEXT("reason"), TEXT("known"),   TEXT("secret"),
            { pairs, 3 },   { ids, 2 },   TEXT("volume"), UINT64_MAX,      12,
            { ids, 2 },     { pairs, 1 },
        };
        break;
    case WIRE_HELLO:
        message.hello = (struct wire_hello){
            TEXT("p"), TEXT("1.2.3"),     TEXT("about"), 15,      1, 2, 3, 4, 5,
            63,        { properties, 2 }, { pairs, 1 },  0x10002,
        };
        break;
    case WIRE_FAILED:
        message.failed.message = TEXT("why");
        break;
    case WIRE_STATE_ASK:
        message.state_ask = (struct wire_state_ask){
            3, 7, WIRE_STATE_PUT, TEXT("a/10.0.0.1"), TEXT("a/10.0.0.0"), TEXT("v"), UINT64_MAX
        };
        break;
    case WIRE_STATE:
        message.state = (struct wire_state){ 3, 1, 1, { entries, 2 }, TEXT("why") };
        break;
    case WIRE_PAGE:
        message.page = (struct wire_page){ 7, { rows, 2 }, { resources, 2 } };
        break;
    case WIRE_ANSWER:
        message.answer = (struct wire_answer){ 7,
                                               8,
                                               9000,
                                               1,
                                               1,
                                               TEXT("i-1"),
                                               TEXT("mark"),
                                               { pairs, 2 },
                                               { pairs, 1 },
                                               { pairs, 3 },
                                               { pairs, 2 },
                                               TEXT("console") };
        break;
    case WIRE_LOG:
        message.log = (struct wire_log){ 2, TEXT("words") };
        break;
    }
    return message;
}

static const enum wire_type types[] = { WIRE_OPEN,   WIRE_CALL,      WIRE_HELLO,
                                        WIRE_FAILED, WIRE_PAGE,      WIRE_ANSWER,
                                        WIRE_LOG,    WIRE_STATE_ASK, WIRE_STATE };

/* ---- comparing, by another way than the table of the code ---- */

static void assert_same_text(struct text a, struct text b)
{
    assert_true(text_is_equal(a, b));
}

static void assert_pairs(const struct wire_list *a, const struct wire_list *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_same_text(wire_item(*a, struct wire_pair, i)->name,
                         wire_item(*b, struct wire_pair, i)->name);
        assert_same_text(wire_item(*a, struct wire_pair, i)->value,
                         wire_item(*b, struct wire_pair, i)->value);
    }
}

static void assert_call(const struct wire_call *a, const struct wire_call *b)
{
    const struct text ours[] = { a->cluster, a->machine, a->token,      a->name,
                                 a->zone,    a->labels,  a->properties, a->init,
                                 a->keys,    a->reason,  a->known,      a->secret };
    const struct text theirs[] = { b->cluster, b->machine, b->token,      b->name,
                                   b->zone,    b->labels,  b->properties, b->init,
                                   b->keys,    b->reason,  b->known,      b->secret };

    assert_true(a->id == b->id && a->method == b->method && a->left_ms == b->left_ms);
    for (size_t i = 0; i < ARRAY_COUNT(ours); i++) {
        assert_same_text(ours[i], theirs[i]);
    }
    assert_pairs(&a->tags, &b->tags);
    assert_int_equal(a->ids.count, b->ids.count);
    for (size_t i = 0; i < a->ids.count; i++) {
        assert_same_text(*wire_item(a->ids, struct text, i), *wire_item(b->ids, struct text, i));
    }
    assert_same_text(a->kind, b->kind);
    assert_true(a->age_ms == b->age_ms && a->count == b->count);
    assert_int_equal(a->zones.count, b->zones.count);
    for (size_t i = 0; i < a->zones.count; i++) {
        assert_same_text(*wire_item(a->zones, struct text, i),
                         *wire_item(b->zones, struct text, i));
    }
    assert_pairs(&a->pins, &b->pins);
}

static void assert_hello(const struct wire_hello *a, const struct wire_hello *b)
{
    assert_same_text(a->name, b->name);
    assert_same_text(a->version, b->version);
    assert_same_text(a->about, b->about);
    assert_true(a->capabilities == b->capabilities && a->lag_ms == b->lag_ms &&
                a->late_ms == b->late_ms && a->create_ms == b->create_ms &&
                a->calls_max == b->calls_max && a->calls_per_s == b->calls_per_s &&
                a->methods == b->methods && a->contract == b->contract);
    assert_int_equal(a->properties.count, b->properties.count);
    for (size_t i = 0; i < a->properties.count; i++) {
        const struct wire_property *one = wire_item(a->properties, struct wire_property, i);
        const struct wire_property *two = wire_item(b->properties, struct wire_property, i);

        assert_same_text(one->name, two->name);
        assert_same_text(one->initial, two->initial);
        assert_same_text(one->choices, two->choices);
        assert_same_text(one->help, two->help);
        assert_same_text(one->example, two->example);
        assert_true(one->type == two->type && one->role == two->role && one->flags == two->flags &&
                    one->least == two->least && one->most == two->most);
    }
    assert_pairs(&a->sandbox, &b->sandbox);
}

static void assert_page(const struct wire_page *a, const struct wire_page *b)
{
    assert_true(a->call == b->call);
    assert_int_equal(a->rows.count, b->rows.count);
    for (size_t i = 0; i < a->rows.count; i++) {
        const struct wire_row *one = wire_item(a->rows, struct wire_row, i);
        const struct wire_row *two = wire_item(b->rows, struct wire_row, i);

        assert_same_text(one->id, two->id);
        assert_same_text(one->address, two->address);
        assert_same_text(one->zone, two->zone);
        assert_same_text(one->properties, two->properties);
        assert_true(one->state == two->state);
        assert_pairs(&one->tags, &two->tags);
    }
    assert_int_equal(a->resources.count, b->resources.count);
    for (size_t i = 0; i < a->resources.count; i++) {
        const struct wire_resource *one = wire_item(a->resources, struct wire_resource, i);
        const struct wire_resource *two = wire_item(b->resources, struct wire_resource, i);

        assert_same_text(one->kind, two->kind);
        assert_same_text(one->id, two->id);
        assert_same_text(one->zone, two->zone);
        assert_same_text(one->attached, two->attached);
        assert_true(one->bytes == two->bytes);
        assert_pairs(&one->tags, &two->tags);
    }
}

static void assert_open(const struct wire_open *a, const struct wire_open *b)
{
    assert_same_text(a->path, b->path);
    assert_same_text(a->digest, b->digest);
    assert_same_text(a->name, b->name);
    assert_same_text(a->folder, b->folder);
    assert_same_text(a->settings, b->settings);
    assert_true(a->profile == b->profile && a->calls_max == b->calls_max &&
                a->is_question == b->is_question && a->has_state == b->has_state);
}

static void assert_answer(const struct wire_answer *a, const struct wire_answer *b)
{
    assert_true(a->call == b->call && a->result == b->result && a->retry_ms == b->retry_ms &&
                a->is_incomplete == b->is_incomplete && a->is_unchanged == b->is_unchanged);
    assert_same_text(a->machine, b->machine);
    assert_same_text(a->mark, b->mark);
    assert_pairs(&a->faults, &b->faults);
    assert_pairs(&a->notices, &b->notices);
    assert_pairs(&a->facts, &b->facts);
    assert_pairs(&a->pins, &b->pins);
    assert_same_text(a->console, b->console);
}

static void assert_message(const struct wire_message *a, const struct wire_message *b)
{
    assert_int_equal(a->type, b->type);
    switch (a->type) {
    case WIRE_OPEN:
        assert_open(&a->open, &b->open);
        break;
    case WIRE_CALL:
        assert_call(&a->call, &b->call);
        break;
    case WIRE_HELLO:
        assert_hello(&a->hello, &b->hello);
        break;
    case WIRE_FAILED:
        assert_same_text(a->failed.message, b->failed.message);
        break;
    case WIRE_PAGE:
        assert_page(&a->page, &b->page);
        break;
    case WIRE_ANSWER:
        assert_answer(&a->answer, &b->answer);
        break;
    case WIRE_STATE_ASK:
        assert_true(a->state_ask.number == b->state_ask.number);
        assert_true(a->state_ask.call == b->state_ask.call);
        assert_true(a->state_ask.access == b->state_ask.access);
        assert_true(a->state_ask.version == b->state_ask.version);
        assert_same_text(a->state_ask.key, b->state_ask.key);
        assert_same_text(a->state_ask.after, b->state_ask.after);
        assert_same_text(a->state_ask.value, b->state_ask.value);
        break;
    case WIRE_STATE:
        assert_true(a->state.number == b->state.number && a->state.result == b->state.result);
        assert_true(a->state.has_more == b->state.has_more);
        assert_int_equal(a->state.entries.count, b->state.entries.count);
        for (size_t i = 0; i < a->state.entries.count; i++) {
            const struct wire_state_entry *left =
                wire_item(a->state.entries, struct wire_state_entry, i);
            const struct wire_state_entry *right =
                wire_item(b->state.entries, struct wire_state_entry, i);

            assert_same_text(left->key, right->key);
            assert_same_text(left->value, right->value);
            assert_true(left->version == right->version);
        }
        assert_same_text(a->state.message, b->state.message);
        break;
    case WIRE_LOG:
        assert_true(a->log.level == b->log.level);
        assert_same_text(a->log.message, b->log.message);
        break;
    }
}

/* ---- cases ---- */

static void test_keys_of_the_state_are_paths_of_plain_characters(void **state)
{
    static const char *const good[] = { "a", "a/10.0.0.1", "c/acme/shop/0f", "a/fe80::1",
                                        "A_b-c@d" };
    static const char *const bad[] = { "",     "/a",   "a/",  "a//b", ".",
                                       "a/..", "a/.b", "a=b", "a b",  "\xc3\xa4" };
    char longest[LIMIT_PLUGIN_STATE_KEY_BYTES + 2];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        assert_true(wire_state_key_is_fit(text_from(good[i])));
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        assert_false(wire_state_key_is_fit(text_from(bad[i])));
    }
    assert_false(wire_state_key_is_fit((struct text){ "a\0b", 3 }));
    memset(longest, 'a', sizeof(longest));
    assert_true(wire_state_key_is_fit((struct text){ longest, sizeof(longest) - 2 }));
    assert_false(wire_state_key_is_fit((struct text){ longest, sizeof(longest) - 1 }));
}

static struct arena *reading_arena(void)
{
    return arena_new_small(LIMIT_WIRE_ARENA_BYTES);
}

static void test_what_was_written_is_read_with_every_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        AUTO(arena) arena = reading_arena();
        struct wire_message message = message_of(types[i]);
        struct text frame = frame_of(arena, &message);
        struct wire_message read;
        struct err err;
        size_t length;

        assert_true(wire_measure(frame, &length, &err));
        assert_int_equal(length, frame.length);
        assert_true(wire_parse(arena, frame, &read, &err));
        assert_message(&read, &message);
    }
}

/* Returns the frame with these bytes as its body. */
static struct text framed(struct arena *arena, struct text body)
{
    struct buf buf;

    buf_init(&buf, arena);
    for (unsigned i = 0; i < WIRE_HEAD_BYTES; i++) {
        buf_add_bytes(&buf, (char)(body.length >> (8 * i) & 0xffU), 1);
    }
    buf_add(&buf, body);
    return buf_text(&buf);
}

static void test_fields_that_are_appended_are_passed_over(void **state)
{
    AUTO(arena) arena = reading_arena();
    struct wire_message read;
    struct buf buf;
    struct err err;

    (void)state;
    buf_init(&buf, arena);
    msgpack_add_list(&buf, 6);
    msgpack_add_natural(&buf, WIRE_LOG);
    msgpack_add_natural(&buf, 1);
    msgpack_add_text(&buf, TEXT("words"));
    msgpack_add_map(&buf, 1); /* the following members are of a later version */
    msgpack_add_text(&buf, TEXT("key"));
    msgpack_add_list(&buf, 1);
    msgpack_add_nil(&buf);
    msgpack_add_binary(&buf, TEXT("\xff"));
    msgpack_add_integer(&buf, -1);
    assert_true(wire_parse(arena, framed(arena, buf_text(&buf)), &read, &err));
    assert_text(read.log.message, "words");
}

static void test_fields_that_are_missing_are_empty(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        AUTO(arena) arena = reading_arena();
        struct wire_message empty = { .type = types[i] };
        struct wire_message read;
        struct buf buf;
        struct err err;

        buf_init(&buf, arena);
        msgpack_add_list(&buf, 1);
        msgpack_add_natural(&buf, types[i]);
        assert_true(wire_parse(arena, framed(arena, buf_text(&buf)), &read, &err));
        assert_message(&read, &empty);
    }
}

/* Parses a copy in a block of exactly this length, and reads the whole result. */
static bool is_readable(struct text frame)
{
    char *copy = malloc(frame.length);
    AUTO(arena) arena = reading_arena();
    struct wire_message read;
    struct err err = { 0 };
    bool is_read;

    assert_non_null(copy);
    memcpy(copy, frame.data, frame.length);
    is_read = wire_parse(arena, (struct text){ copy, frame.length }, &read, &err);
    if (is_read) {
        (void)frame_of(arena, &read);
    } else {
        assert_int_equal(err.code, CODE_R0601);
    }
    free(copy);
    return is_read;
}

static void test_a_byte_that_is_damaged_is_refused_or_does_no_harm(void **state)
{
    static const unsigned char damages[] = { 0x00, 0x01, 0x7f, 0x80, 0x90, 0x9f, 0xa0,
                                             0xbf, 0xc0, 0xc1, 0xc4, 0xcf, 0xd3, 0xdb,
                                             0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xff };
    size_t refused = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        AUTO(arena) arena = reading_arena();
        struct wire_message message = message_of(types[i]);
        struct text frame = frame_of(arena, &message);
        char *bytes = arena_string(arena, frame);

        for (size_t at = WIRE_HEAD_BYTES; at < frame.length; at++) {
            for (size_t j = 0; j < ARRAY_COUNT(damages); j++) {
                char before = bytes[at];

                bytes[at] = (char)damages[j];
                refused += !is_readable((struct text){ bytes, frame.length });
                bytes[at] = before;
            }
        }
        assert_true(is_readable((struct text){ bytes, frame.length }));
    }
    assert_true(refused > 1000);
}

static void test_a_frame_that_is_cut_short_or_too_long_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        AUTO(arena) arena = reading_arena();
        struct wire_message message = message_of(types[i]);
        struct text frame = frame_of(arena, &message);
        struct buf buf;

        for (size_t length = WIRE_HEAD_BYTES; length < frame.length; length++) {
            assert_false(is_readable(text_slice(frame, 0, length)));
        }
        buf_init(&buf, arena);
        buf_add(&buf, frame);
        buf_add_string(&buf, "!");
        assert_false(is_readable(buf_text(&buf)));
    }
}

static void test_a_frame_is_measured_by_its_head_alone(void **state)
{
    static const unsigned char most[] = { 0x00, 0x00, 0x40, 0x00 };
    static const unsigned char more[] = { 0x01, 0x00, 0x40, 0x00 };
    static const unsigned char endless[] = { 0xff, 0xff, 0xff, 0xff };
    size_t length;
    struct err err;

    (void)state;
    for (size_t bytes = 0; bytes < WIRE_HEAD_BYTES; bytes++) {
        assert_true(wire_measure((struct text){ (const char *)most, bytes }, &length, &err));
        assert_int_equal(length, 0);
    }
    assert_true(wire_measure((struct text){ (const char *)most, 4 }, &length, &err));
    assert_int_equal(length, WIRE_HEAD_BYTES + LIMIT_WIRE_FRAME_BYTES);
    assert_false(wire_measure((struct text){ (const char *)more, 4 }, &length, &err));
    assert_int_equal(err.code, CODE_R0601);
    assert_false(wire_measure((struct text){ (const char *)endless, 4 }, &length, &err));
}

static void test_texts_that_are_no_utf8_are_refused(void **state)
{
    static const char *const bad[] = { "\xff", "\xc3", "\xed\xa0\x80", "\xc0\x80" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        AUTO(arena) arena = reading_arena();
        struct wire_message message = { .type = WIRE_LOG, .log = { 1, text_from(bad[i]) } };

        assert_false(is_readable(frame_of(arena, &message)));
        message = (struct wire_message){ .type = WIRE_LOG, .log = { 1, { "a\0b", 3 } } };
        assert_false(is_readable(frame_of(arena, &message)));
    }
}

static void test_unknown_types_and_what_is_no_message_are_refused(void **state)
{
    static const char *const bodies[] = { "",
                                          "\x90",
                                          "\x91\xa1x",
                                          "\x91\x04",
                                          "\x91\x00",
                                          "\xc0",
                                          "\x91\xcd\x01\x01",
                                          "\x81\x01\x02",
                                          "\x92\x15\xc0" };
    AUTO(arena) arena = reading_arena();

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bodies); i++) {
        struct text body = { bodies[i], strlen(bodies[i]) };

        assert_false(is_readable(framed(arena, body)));
    }
    assert_false(is_readable(framed(arena, (struct text){ "\x91\x00", 2 })));
}

/* Empty lists need one byte in a frame, but much memory after parsing. */
static void test_a_frame_costs_no_more_memory_than_its_bound(void **state)
{
    AUTO(arena) scratch = arena_new(LIMIT_WORK_ARENA_BYTES);
    AUTO(arena) arena = reading_arena();
    struct wire_message read;
    struct buf buf;
    struct err err;

    (void)state;
    buf_init(&buf, scratch);
    msgpack_add_list(&buf, 3);
    msgpack_add_natural(&buf, WIRE_PAGE);
    msgpack_add_natural(&buf, 1);
    msgpack_add_list(&buf, LIMIT_WIRE_LIST_ITEMS);
    for (size_t i = 0; i < LIMIT_WIRE_LIST_ITEMS; i++) {
        msgpack_add_list(&buf, 6);
        msgpack_add_text(&buf, TEXT("i"));
        msgpack_add_natural(&buf, 0);
        msgpack_add_text(&buf, TEXT(""));
        msgpack_add_text(&buf, TEXT(""));
        msgpack_add_text(&buf, TEXT(""));
        msgpack_add_list(&buf, 900);
        for (size_t j = 0; j < 900; j++) {
            msgpack_add_list(&buf, 0);
        }
    }
    assert_true(buf.length < LIMIT_WIRE_FRAME_BYTES);
    assert_false(wire_parse(arena, framed(scratch, buf_text(&buf)), &read, &err));
    assert_true(arena_used(arena) <= LIMIT_WIRE_ARENA_BYTES);
}

static void test_a_list_has_no_more_items_than_allowed(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    size_t count = (size_t)LIMIT_WIRE_LIST_ITEMS + 1;
    struct wire_row *many = arena_array(arena, struct wire_row, count);
    struct wire_message message = { .type = WIRE_PAGE, .page = { 1, { many, count } } };

    (void)state;
    assert_false(is_readable(frame_of(arena, &message)));
    message.page.rows.count = LIMIT_WIRE_LIST_ITEMS;
    assert_true(is_readable(frame_of(arena, &message)));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_keys_of_the_state_are_paths_of_plain_characters),
        cmocka_unit_test(test_what_was_written_is_read_with_every_field),
        cmocka_unit_test(test_fields_that_are_appended_are_passed_over),
        cmocka_unit_test(test_fields_that_are_missing_are_empty),
        cmocka_unit_test(test_a_byte_that_is_damaged_is_refused_or_does_no_harm),
        cmocka_unit_test(test_a_frame_that_is_cut_short_or_too_long_is_refused),
        cmocka_unit_test(test_a_frame_is_measured_by_its_head_alone),
        cmocka_unit_test(test_texts_that_are_no_utf8_are_refused),
        cmocka_unit_test(test_unknown_types_and_what_is_no_message_are_refused),
        cmocka_unit_test(test_a_frame_costs_no_more_memory_than_its_bound),
        cmocka_unit_test(test_a_list_has_no_more_items_than_allowed),
    };

    return cmocka_run_group_tests_name("wire", cases, NULL, NULL);
}
