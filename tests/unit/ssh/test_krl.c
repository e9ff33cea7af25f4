#include "ssh/krl.h"

#include "base/limits.h"
#include "ssh/bytes.h"
#include "ssh/krl_parts.h"
#include "unit.h"
#include "vectors.h"

static struct ssh_key key_of(const char *line)
{
    struct text comment;
    struct ssh_key key;
    struct err err;

    assert_true(ssh_key_parse(text_from(line), &key, &comment, &err));
    return key;
}

static struct text bytes_of(struct arena *arena, const char *base64)
{
    struct text bytes;

    assert_true(ssh_base64_parse(arena, text_from(base64), &bytes));
    return bytes;
}

static void test_a_list_of_ssh_keygen_is_read(void **state)
{
    static const struct ssh_serials expected[] = {
        { 7, 7 }, { 100, 104 }, { 200, 200 }, { 203, 203 }, { 205, 206 }, { 300, 100000 },
    };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_key authority = key_of(VECTOR_USER_CA);
    struct ssh_key host = key_of(VECTOR_HOST);
    struct ssh_krl krl;
    struct err err;

    (void)state;
    assert_true(ssh_krl_parse(arena, bytes_of(arena, VECTOR_KRL), &krl, &err));
    assert_true(krl.version == 5);
    assert_int_equal(krl.part_count, 1);
    assert_true(ssh_key_is_equal(&krl.parts[0].authority, &authority));
    assert_int_equal(krl.parts[0].serial_count, ARRAY_COUNT(expected));
    assert_memory_equal(krl.parts[0].serials, expected, sizeof(expected));
    assert_int_equal(krl.parts[0].id_count, 2);
    assert_text(krl.parts[0].ids[1], "acme/0f3c/web-2/root");
    assert_int_equal(krl.key_count, 1);
    assert_true(ssh_key_is_equal(&krl.keys[0], &host));
}

static void test_what_is_written_is_read_as_the_same(void **state)
{
    static const struct ssh_serials serials[] = { { 1, 1 },          { 3, 3 },   { 5, 9 },
                                                  { 11, 11 },        { 13, 13 }, { 20, 30 },
                                                  { 40, UINT64_MAX } };
    static const struct text ids[] = { { "one", 3 }, { "two", 3 }, { "three", 5 } };
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_key keys[] = { key_of(VECTOR_ROOT), key_of(VECTOR_HOST), key_of(VECTOR_HOST_CA) };
    struct ssh_krl_part parts[] = {
        { key_of(VECTOR_USER_CA), serials, ARRAY_COUNT(serials), NULL, 0 },
        { key_of(VECTOR_HOST_CA), NULL, 0, ids, ARRAY_COUNT(ids) },
    };
    struct ssh_krl krl = { 9, 1700000000, TEXT("acme/0f3c"), parts, 2, keys, 3 };
    struct text bytes = ssh_krl_format(arena, &krl);
    struct ssh_krl read;
    struct err err;

    (void)state;
    assert_true(ssh_krl_parse(arena, bytes, &read, &err));
    assert_true(read.version == 9 && read.at_s == 1700000000);
    assert_text(read.comment, "acme/0f3c");
    assert_int_equal(read.part_count, 2);
    assert_int_equal(read.parts[0].serial_count, ARRAY_COUNT(serials));
    assert_memory_equal(read.parts[0].serials, serials, sizeof(serials));
    assert_int_equal(read.parts[1].id_count, 3);
    assert_text(read.parts[1].ids[2], "three");
    assert_int_equal(read.key_count, 3);
    assert_memory_equal(read.keys, keys, sizeof(keys));
    assert_true(text_is_equal(ssh_krl_format(arena, &read), bytes));
}

static void test_a_list_takes_back_what_it_names(void **state)
{
    static const struct ssh_serials serials[] = { { 5, 9 } };
    static const struct text ids[] = { { "lost", 4 } };
    struct ssh_key authority = key_of(VECTOR_USER_CA);
    struct ssh_key keys[] = { key_of(VECTOR_HOST) };
    struct ssh_krl_part part = { authority, serials, 1, ids, 1 };
    struct ssh_krl krl = { .parts = &part, .part_count = 1, .keys = keys, .key_count = 1 };
    struct ssh_cert cert = { .key = key_of(VECTOR_ROOT), .authority = authority, .id = TEXT("x") };

    (void)state;
    assert_false(ssh_krl_has(&krl, &cert));
    cert.serial = 4;
    assert_false(ssh_krl_has(&krl, &cert));
    cert.serial = 9;
    assert_true(ssh_krl_has(&krl, &cert));
    cert.authority = key_of(VECTOR_HOST_CA);
    assert_false(ssh_krl_has(&krl, &cert));
    cert.id = TEXT("lost");
    assert_false(ssh_krl_has(&krl, &cert));
    cert.authority = authority;
    cert.serial = 1;
    assert_true(ssh_krl_has(&krl, &cert));
    cert.id = TEXT("x");
    cert.key = keys[0];
    assert_true(ssh_krl_has(&krl, &cert));
    cert.key = key_of(VECTOR_ROOT);
    cert.authority = keys[0];
    assert_true(ssh_krl_has(&krl, &cert));
}

/* Parses a copy in a block of exactly this length, so that reading beyond the end is detected. */
static bool is_read(struct text bytes)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    char *copy = malloc(bytes.length + 1);
    struct ssh_krl krl;
    struct err err = { 0 };
    bool is_good;

    memcpy(copy, bytes.data, bytes.length);
    is_good = ssh_krl_parse(arena, (struct text){ copy, bytes.length }, &krl, &err);
    assert_true(is_good || (err.code == CODE_R0743 && err.text[0] != '\0'));
    free(copy);
    return is_good;
}

static void test_what_is_damaged_or_unknown_is_refused(void **state)
{
    enum {
        HEAD_BYTES = 44
    }; /* a list truncated after this is also valid, as long as its sections are complete */
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct text whole = bytes_of(arena, VECTOR_KRL);
    size_t good = 0;

    (void)state;
    assert_true(is_read(whole));
    for (size_t length = 0; length < whole.length; length++) {
        good += is_read(text_slice(whole, 0, length));
    }
    assert_int_equal(good, 2); /* after the head, and after the first section */
    assert_true(is_read(text_slice(whole, 0, HEAD_BYTES)));
    assert_false(is_read(bytes_of(arena, VECTOR_KRL_SHA)));
    for (size_t at = 0; at < sizeof(KRL_MAGIC) + 4; at++) {
        char *bytes = arena_copy(arena, whole.data, whole.length);

        bytes[at] = (char)(bytes[at] ^ 0x10);
        assert_false(is_read((struct text){ bytes, whole.length }));
    }
}

/* Eight bytes of a bitmap are at most 64 ranges; the required memory is checked before it is
 * allocated. */
static void test_a_list_costs_no_more_than_its_bound(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    AUTO(arena) reading = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct ssh_krl_part part = { .authority = key_of(VECTOR_USER_CA) };
    struct ssh_serials *serials = arena_array(arena, struct ssh_serials, LIMIT_KRL_ENTRIES);
    struct ssh_krl krl = { .parts = &part, .part_count = 1 };
    struct err err = { 0 };
    struct text bytes;
    struct buf buf;

    (void)state;
    for (size_t i = 0; i < LIMIT_KRL_ENTRIES; i++) {
        serials[i] = (struct ssh_serials){ 2 * i + 1, 2 * i + 1 };
    }
    part.serials = serials;
    part.serial_count = LIMIT_KRL_ENTRIES - 1; /* the part itself counts as an entry */
    bytes = ssh_krl_format(arena, &krl);
    assert_true(ssh_krl_parse(reading, bytes, &krl, &err));
    krl = (struct ssh_krl){ .parts = &part, .part_count = 1 };
    part.serial_count = LIMIT_KRL_ENTRIES;
    assert_false(ssh_krl_parse(reading, ssh_krl_format(arena, &krl), &krl, &err));
    assert_non_null(strstr(err.text, "too large"));
    buf_init(&buf, arena);
    buf_add(&buf, bytes);
    buf_add_bytes(&buf, 'x', LIMIT_KRL_BYTES);
    assert_false(ssh_krl_parse(reading, buf_text(&buf), &krl, &err));
    assert_true(arena_used(reading) < (size_t)64 * 1024 * 1024);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_a_list_of_ssh_keygen_is_read),
        cmocka_unit_test(test_what_is_written_is_read_as_the_same),
        cmocka_unit_test(test_a_list_takes_back_what_it_names),
        cmocka_unit_test(test_what_is_damaged_or_unknown_is_refused),
        cmocka_unit_test(test_a_list_costs_no_more_than_its_bound),
    };

    return cmocka_run_group_tests_name("ssh/krl", cases, NULL, NULL);
}
