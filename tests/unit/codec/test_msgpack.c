/* MessagePack: all formats of the specification are read, the shortest is written, and lengths
 * stated by a sender are not trusted. */
#include "unit.h"

#include "base/limits.h"
#include "base/mem.h"
#include "codec/msgpack.h"

static struct text bytes_of(const char *data, size_t length)
{
    return (struct text){ data, length };
}

#define BYTES(literal) bytes_of("" literal, sizeof(literal) - 1)

/* ---- reading every form ---- */

/* One item in one format. */
struct form {
    struct text bytes;
    enum msgpack_kind kind;
    uint64_t natural;
    int64_t integer;
    double real;
    const char *text;
    size_t count;
};

#define NATURAL_FORM(bytes, value)                                \
    {                                                             \
        bytes, MSGPACK_NATURAL, value, (int64_t)(value), 0, "", 0 \
    }
#define NEGATIVE_FORM(bytes, value)                 \
    {                                               \
        bytes, MSGPACK_NEGATIVE, 0, value, 0, "", 0 \
    }
#define TEXT_FORM(bytes, kind, text)  \
    {                                 \
        bytes, kind, 0, 0, 0, text, 0 \
    }
#define COUNT_FORM(bytes, kind, count)  \
    {                                   \
        bytes, kind, 0, 0, 0, "", count \
    }

static void form_check(const struct form *form)
{
    struct msgpack_reader reader = msgpack_read(form->bytes);
    struct msgpack_item item;

    assert_true(msgpack_next(&reader, &item));
    assert_int_equal(item.kind, form->kind);
    assert_int_equal(item.natural, form->natural);
    assert_int_equal(item.integer, form->integer);
    assert_true(item.real >= form->real && item.real <= form->real);
    assert_text(item.bytes, form->text);
    assert_int_equal(item.count, form->count);
}

static void test_numbers_are_read_in_each_form(void **state)
{
    const struct form forms[] = {
        NATURAL_FORM(BYTES("\x00"), 0),
        NATURAL_FORM(BYTES("\x7f"), 127),
        NATURAL_FORM(BYTES("\xcc\x80"), 128),
        NATURAL_FORM(BYTES("\xcc\x05"), 5), /* a longer format than necessary is valid */
        NATURAL_FORM(BYTES("\xcd\xff\xfe"), 65534),
        NATURAL_FORM(BYTES("\xce\x01\x02\x03\x04"), 0x01020304),
        NATURAL_FORM(BYTES("\xcf\x01\x02\x03\x04\x05\x06\x07\x08"), 0x0102030405060708),
        NATURAL_FORM(BYTES("\xd0\x7f"), 127),
        NATURAL_FORM(BYTES("\xd3\x00\x00\x00\x00\x00\x00\x00\x01"), 1),
        NEGATIVE_FORM(BYTES("\xff"), -1),
        NEGATIVE_FORM(BYTES("\xe0"), -32),
        NEGATIVE_FORM(BYTES("\xd0\x80"), -128),
        NEGATIVE_FORM(BYTES("\xd1\x80\x00"), -32768),
        NEGATIVE_FORM(BYTES("\xd2\x80\x00\x00\x00"), INT32_MIN),
        NEGATIVE_FORM(BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"), INT64_MIN),
        { BYTES("\xca\x3f\x80\x00\x00"), MSGPACK_REAL, 0, 0, 1.0, "", 0 },
        { BYTES("\xcb\xbf\xf8\x00\x00\x00\x00\x00\x00"), MSGPACK_REAL, 0, 0, -1.5, "", 0 },
    };
    struct msgpack_reader reader = msgpack_read(BYTES("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"));
    struct msgpack_item item;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
        form_check(&forms[i]);
    }
    assert_true(msgpack_next(&reader, &item));
    assert_int_equal(item.natural, UINT64_MAX);
    assert_int_equal(item.integer, INT64_MAX);
}

static void test_bytes_and_counts_are_read_in_each_form(void **state)
{
    const struct form forms[] = {
        { BYTES("\xc0"), MSGPACK_NIL, 0, 0, 0, "", 0 },
        { BYTES("\xc2"), MSGPACK_BOOL, 0, 0, 0, "", 0 },
        { BYTES("\xc3"), MSGPACK_BOOL, 1, 0, 0, "", 0 },
        TEXT_FORM(BYTES("\xa0"), MSGPACK_TEXT, ""),
        TEXT_FORM(BYTES("\xa2hi"), MSGPACK_TEXT, "hi"),
        TEXT_FORM(BYTES("\xd9\x02hi"), MSGPACK_TEXT, "hi"),
        TEXT_FORM(BYTES("\xda\x00\x02hi"), MSGPACK_TEXT, "hi"),
        TEXT_FORM(BYTES("\xdb\x00\x00\x00\x02hi"), MSGPACK_TEXT, "hi"),
        TEXT_FORM(BYTES("\xc4\x01h"), MSGPACK_BINARY, "h"),
        TEXT_FORM(BYTES("\xc5\x00\x01h"), MSGPACK_BINARY, "h"),
        TEXT_FORM(BYTES("\xc6\x00\x00\x00\x01h"), MSGPACK_BINARY, "h"),
        TEXT_FORM(BYTES("\xd4\x05h"), MSGPACK_OTHER, "\x05h"),
        TEXT_FORM(BYTES("\xd8\x05"
                        "0123456789abcdef"),
                  MSGPACK_OTHER,
                  "\x05"
                  "0123456789abcdef"),
        TEXT_FORM(BYTES("\xc7\x01\x05h"), MSGPACK_OTHER, "\x05h"),
        TEXT_FORM(BYTES("\xc9\x00\x00\x00\x01\x05h"), MSGPACK_OTHER, "\x05h"),
        COUNT_FORM(BYTES("\x90"), MSGPACK_LIST, 0),
        COUNT_FORM(BYTES("\x92\x01\x02"), MSGPACK_LIST, 2),
        COUNT_FORM(BYTES("\xdc\x00\x01\x01"), MSGPACK_LIST, 1),
        COUNT_FORM(BYTES("\xdd\x00\x00\x00\x01\x01"), MSGPACK_LIST, 1),
        COUNT_FORM(BYTES("\x81\x01\x02"), MSGPACK_MAP, 1),
        COUNT_FORM(BYTES("\xde\x00\x01\x01\x02"), MSGPACK_MAP, 1),
        COUNT_FORM(BYTES("\xdf\x00\x00\x00\x01\x01\x02"), MSGPACK_MAP, 1),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(forms); i++) {
        form_check(&forms[i]);
    }
}

/* ---- writing ---- */

static void assert_written(struct text written, struct text expected)
{
    assert_int_equal(written.length, expected.length);
    assert_memory_equal(written.data, expected.data, expected.length);
}

/* Asserts that the written format begins with this byte and has this length. */
static void assert_form(struct buf *buf, unsigned head, size_t length)
{
    assert_int_equal((unsigned char)buf->data[0], head);
    assert_int_equal(buf->length, length);
    buf->length = 0;
}

static void test_numbers_are_written_in_their_shortest_form(void **state)
{
    static const struct {
        int64_t value;
        unsigned head;
        size_t length;
    } cases[] = {
        { 0, 0x00, 1 },
        { 127, 0x7f, 1 },
        { 128, 0xcc, 2 },
        { 255, 0xcc, 2 },
        { 256, 0xcd, 3 },
        { 65535, 0xcd, 3 },
        { 65536, 0xce, 5 },
        { UINT32_MAX, 0xce, 5 },
        { 0x100000000, 0xcf, 9 },
        { INT64_MAX, 0xcf, 9 },
        { -1, 0xff, 1 },
        { -32, 0xe0, 1 },
        { -33, 0xd0, 2 },
        { -128, 0xd0, 2 },
        { -129, 0xd1, 3 },
        { -32768, 0xd1, 3 },
        { -32769, 0xd2, 5 },
        { INT32_MIN, 0xd2, 5 },
        { -2147483649LL, 0xd3, 9 },
        { INT64_MIN, 0xd3, 9 },
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct msgpack_reader reader;
        struct msgpack_item item;

        msgpack_add_integer(&buf, cases[i].value);
        reader = msgpack_read(buf_text(&buf));
        assert_true(msgpack_next(&reader, &item) && msgpack_is_over(&reader));
        assert_int_equal(item.integer, cases[i].value);
        assert_form(&buf, cases[i].head, cases[i].length);
    }
    msgpack_add_natural(&buf, UINT64_MAX);
    assert_form(&buf, 0xcf, 9);
}

static void test_texts_and_counts_are_written_in_their_shortest_form(void **state)
{
    static const char zeros[65536 + 1];
    static const struct {
        size_t length;
        unsigned text;
        unsigned binary;
        unsigned list;
        unsigned map;
    } cases[] = {
        { 0, 0xa0, 0xc4, 0x90, 0x80 },     { 15, 0xaf, 0xc4, 0x9f, 0x8f },
        { 16, 0xb0, 0xc4, 0xdc, 0xde },    { 31, 0xbf, 0xc4, 0xdc, 0xde },
        { 32, 0xd9, 0xc4, 0xdc, 0xde },    { 255, 0xd9, 0xc4, 0xdc, 0xde },
        { 256, 0xda, 0xc5, 0xdc, 0xde },   { 65535, 0xda, 0xc5, 0xdc, 0xde },
        { 65536, 0xdb, 0xc6, 0xdd, 0xdf },
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct text text = { zeros, cases[i].length };
        struct msgpack_reader reader;
        struct msgpack_item item;
        struct buf buf;

        buf_init(&buf, arena);
        msgpack_add_text(&buf, text);
        reader = msgpack_read(buf_text(&buf));
        assert_true(msgpack_next(&reader, &item) && msgpack_is_over(&reader));
        assert_int_equal(item.bytes.length, text.length);
        assert_int_equal((unsigned char)buf.data[0], cases[i].text);
        buf.length = 0;
        msgpack_add_binary(&buf, text);
        assert_int_equal((unsigned char)buf.data[0], cases[i].binary);
        buf.length = 0;
        msgpack_add_list(&buf, text.length);
        assert_int_equal((unsigned char)buf.data[0], cases[i].list);
        buf.length = 0;
        msgpack_add_map(&buf, text.length);
        assert_int_equal((unsigned char)buf.data[0], cases[i].map);
    }
}

static void test_nothing_and_truth_are_one_byte(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct buf buf;

    (void)state;
    buf_init(&buf, arena);
    msgpack_add_nil(&buf);
    msgpack_add_bool(&buf, false);
    msgpack_add_bool(&buf, true);
    assert_written(buf_text(&buf), BYTES("\xc0\xc2\xc3"));
}

/* ---- lies ---- */

/* Returns one item of every kind, nested. */
static struct text everything(struct arena *arena)
{
    struct buf buf;

    buf_init(&buf, arena);
    msgpack_add_list(&buf, 9);
    msgpack_add_nil(&buf);
    msgpack_add_bool(&buf, true);
    msgpack_add_natural(&buf, 70000);
    msgpack_add_integer(&buf, INT64_MIN);
    msgpack_add_text(&buf, TEXT("a text that is longer than thirty-one bytes"));
    msgpack_add_binary(&buf, TEXT("bytes"));
    msgpack_add_map(&buf, 1);
    msgpack_add_text(&buf, TEXT("key"));
    msgpack_add_list(&buf, 1);
    msgpack_add_natural(&buf, 1);
    buf_add(&buf, BYTES("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"));
    buf_add(&buf, BYTES("\xd6\x01"
                        "1234"));
    return buf_text(&buf);
}

/* Returns a copy in a block of exactly this size, so that reading beyond it is detected. */
static char *exact(struct text bytes)
{
    char *copy = malloc(bytes.length == 0 ? 1 : bytes.length);

    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.length);
    return copy;
}

static void test_bytes_that_end_within_an_item_are_refused(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text whole = everything(arena);
    struct msgpack_reader reader = msgpack_read(whole);

    (void)state;
    assert_true(msgpack_pass(&reader) && msgpack_is_over(&reader));
    for (size_t length = 0; length < whole.length; length++) {
        char *copy = exact(text_slice(whole, 0, length));
        struct msgpack_reader before = msgpack_read((struct text){ copy, length });

        reader = before;
        assert_false(msgpack_pass(&reader));
        assert_ptr_equal(reader.at, before.at);
        free(copy);
    }
}

static void test_each_item_that_ends_early_is_refused(void **state)
{
    /* every first byte, alone, and with bytes that state the largest possible lengths */
    for (unsigned head = 0; head < 256; head++) {
        for (size_t length = 1; length <= 9; length++) {
            unsigned char bytes[9];
            struct msgpack_reader reader;
            struct msgpack_item item;
            char *copy;

            memset(bytes, 0xff, sizeof(bytes));
            bytes[0] = (unsigned char)head;
            copy = exact((struct text){ (char *)bytes, length });
            reader = msgpack_read((struct text){ copy, length });
            if (msgpack_next(&reader, &item)) {
                assert_true(reader.at <= reader.end && reader.at > (unsigned char *)copy);
                assert_true(item.bytes.length < length);
                assert_true(item.count < length);
            } else {
                assert_ptr_equal(reader.at, copy);
            }
            free(copy);
        }
    }
    (void)state;
}

static void test_a_count_beyond_what_is_there_is_refused_at_once(void **state)
{
    const struct text lies[] = {
        BYTES("\x91"),
        BYTES("\x92\x01"),
        BYTES("\x81\x01"),
        BYTES("\x82\x01\x02\x03"),
        BYTES("\xdc\xff\xff\x01\x02"),
        BYTES("\xdd\xff\xff\xff\xff\x01"),
        BYTES("\xdf\x80\x00\x00\x00\x01\x02"),
        BYTES("\xdf\xff\xff\xff\xff\x01\x02"),
        BYTES("\xdb\xff\xff\xff\xfftext"),
        BYTES("\xc6\xff\xff\xff\xff"),
        BYTES("\xc9\xff\xff\xff\xff\x01"),
        BYTES("\xc7\x00"), /* the type of the extension is missing */
        BYTES("\xc1"),     /* never used */
        BYTES(""),
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lies); i++) {
        struct msgpack_reader reader = msgpack_read(lies[i]);
        struct msgpack_item item;

        assert_false(msgpack_next(&reader, &item));
        assert_false(msgpack_pass(&reader));
    }
}

static void test_depth_is_bounded_and_costs_no_stack(void **state)
{
    static char lists[1000000];
    struct msgpack_reader reader;

    (void)state;
    memset(lists, (int)0x91, sizeof(lists));
    reader = msgpack_read((struct text){ lists, sizeof(lists) });
    assert_false(msgpack_pass(&reader));
    lists[LIMIT_DOCUMENT_DEPTH - 1] = 0; /* this number of levels is allowed, and not one more */
    reader = msgpack_read((struct text){ lists, LIMIT_DOCUMENT_DEPTH });
    assert_true(msgpack_pass(&reader) && msgpack_is_over(&reader));
    lists[LIMIT_DOCUMENT_DEPTH - 1] = (char)0x91;
    lists[LIMIT_DOCUMENT_DEPTH] = 0;
    reader = msgpack_read((struct text){ lists, LIMIT_DOCUMENT_DEPTH + 1 });
    assert_false(msgpack_pass(&reader));
}

/* ---- a second opinion ---- */

/* Reads the output of another implementation from standard input, and writes each item again to
 * standard output. */
static int again_write(void)
{
    static char bytes[1024 * 1024];
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct msgpack_reader reader =
        msgpack_read((struct text){ bytes, fread(bytes, 1, sizeof(bytes), stdin) });
    struct msgpack_item item;
    struct buf buf;

    buf_init(&buf, arena);
    while (msgpack_next(&reader, &item)) {
        switch (item.kind) {
        case MSGPACK_NIL:
            msgpack_add_nil(&buf);
            break;
        case MSGPACK_BOOL:
            msgpack_add_bool(&buf, item.natural != 0);
            break;
        case MSGPACK_NATURAL:
            msgpack_add_natural(&buf, item.natural);
            break;
        case MSGPACK_NEGATIVE:
            msgpack_add_integer(&buf, item.integer);
            break;
        case MSGPACK_TEXT:
            msgpack_add_text(&buf, item.bytes);
            break;
        case MSGPACK_BINARY:
            msgpack_add_binary(&buf, item.bytes);
            break;
        case MSGPACK_LIST:
            msgpack_add_list(&buf, item.count);
            break;
        case MSGPACK_MAP:
            msgpack_add_map(&buf, item.count);
            break;
        case MSGPACK_REAL:
        case MSGPACK_OTHER:
            return 3;
        }
    }
    fwrite(buf.data, 1, buf.length, stdout);
    return msgpack_is_over(&reader) ? 0 : 4;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_numbers_are_read_in_each_form),
        cmocka_unit_test(test_bytes_and_counts_are_read_in_each_form),
        cmocka_unit_test(test_numbers_are_written_in_their_shortest_form),
        cmocka_unit_test(test_texts_and_counts_are_written_in_their_shortest_form),
        cmocka_unit_test(test_nothing_and_truth_are_one_byte),
        cmocka_unit_test(test_bytes_that_end_within_an_item_are_refused),
        cmocka_unit_test(test_each_item_that_ends_early_is_refused),
        cmocka_unit_test(test_a_count_beyond_what_is_there_is_refused_at_once),
        cmocka_unit_test(test_depth_is_bounded_and_costs_no_stack),
    };

    if (argc == 2 && strcmp(argv[1], "again") == 0) {
        return again_write();
    }
    return cmocka_run_group_tests_name("msgpack", cases, NULL, NULL);
}
