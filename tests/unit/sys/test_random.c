#include "sys/random.h"

#include "unit.h"

enum { MANY = 10000 };

static int id_compare(const void *a, const void *b)
{
    return memcmp(a, b, RANDOM_ID_BYTES);
}

static void test_ids_are_uuids_and_none_comes_twice(void **state)
{
    static char ids[MANY][RANDOM_ID_BYTES];

    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        random_id(random_system(), ids[i]);
        assert_int_equal(strlen(ids[i]), RANDOM_ID_BYTES - 1);
        for (size_t at = 0; at < RANDOM_ID_BYTES - 1; at++) {
            if (at == 8 || at == 13 || at == 18 || at == 23) {
                assert_int_equal(ids[i][at], '-');
            } else {
                assert_non_null(strchr("0123456789abcdef", ids[i][at]));
            }
        }
        assert_int_equal(ids[i][14], '4');
        assert_non_null(strchr("89ab", ids[i][19]));
    }
    qsort(ids, MANY, RANDOM_ID_BYTES, id_compare);
    for (size_t i = 1; i < MANY; i++) {
        assert_true(strcmp(ids[i - 1], ids[i]) != 0);
    }
}

/* A source that returns the bytes 0, 1, 2 and so on, as a simulator could. */
static void counting_fill(void *arg, void *out, size_t bytes)
{
    unsigned char *next = arg;

    for (size_t i = 0; i < bytes; i++) {
        ((unsigned char *)out)[i] = (*next)++;
    }
}

static void test_what_stands_behind_the_port_is_what_comes_out(void **state)
{
    unsigned char next = 0;
    struct random random = { counting_fill, &next };
    char id[RANDOM_ID_BYTES];
    char token[RANDOM_TOKEN_BYTES];

    (void)state;
    random_id(random, id);
    assert_string_equal(id, "00010203-0405-4607-8809-0a0b0c0d0e0f");
    random_token(random, token);
    assert_string_equal(token, "101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f");
}

static void test_a_stock_gives_each_byte_once_and_keeps_none(void **state)
{
    unsigned char next = 0;
    struct random_stock stock = { .source = { counting_fill, &next } };
    struct random random = random_stocked(&stock);
    unsigned char bytes[RANDOM_STOCK_BYTES + 1];

    (void)state;
    random_fill(random, bytes, 3);
    assert_memory_equal(bytes, ((unsigned char[]){ 0, 1, 2 }), 3);
    random_fill(random, bytes, 2);
    assert_memory_equal(bytes, ((unsigned char[]){ 3, 4 }), 2);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(stock.bytes[i], 0);
    }
    random_fill(random, bytes, RANDOM_STOCK_BYTES - 5); /* all bytes that are left */
    assert_int_equal(stock.left, 0);
    random_fill(random, bytes, 1); /* a new draw continues at the position of the source */
    assert_int_equal(bytes[0], (unsigned char)RANDOM_STOCK_BYTES);
    random_fill(random, bytes, sizeof(bytes)); /* more than the buffer: directly from the source */
    assert_int_equal(bytes[0], (unsigned char)(2 * RANDOM_STOCK_BYTES));
    assert_int_equal(stock.left, RANDOM_STOCK_BYTES - 1);
}

static void test_filling_touches_exactly_what_it_was_given(void **state)
{
    unsigned char bytes[1024 + 2];
    unsigned seen[8] = { 0 };

    (void)state;
    memset(bytes, 0x55, sizeof(bytes));
    random_fill(random_system(), bytes + 1, 0);
    assert_int_equal(bytes[1], 0x55);
    random_fill(random_system(), bytes + 1, 1024);
    assert_int_equal(bytes[0], 0x55);
    assert_int_equal(bytes[1025], 0x55);
    for (size_t i = 1; i <= 1024; i++) {
        for (int bit = 0; bit < 8; bit++) {
            seen[bit] += (unsigned)bytes[i] >> bit & 1u;
        }
    }
    for (int bit = 0; bit < 8; bit++) { /* about 512; 7 standard deviations are 112 */
        assert_in_range(seen[bit], 400, 624);
    }
}

/* A source that returns the largest number first, and then 7. Numbers that would make small results
 * more likely are drawn again. */
static void first_too_large(void *arg, void *out, size_t bytes)
{
    int *calls = arg;

    memset(out, (*calls)++ == 0 ? 0xff : 0, bytes);
    if (*calls > 1) {
        *(unsigned char *)out = 7;
    }
}

static void test_numbers_below_are_below_and_fair(void **state)
{
    int calls = 0;
    bool seen[5] = { false };

    (void)state;
    assert_int_equal(random_below((struct random){ first_too_large, &calls }, 5), 2);
    assert_int_equal(calls, 2);
    for (int i = 0; i < 1000; i++) {
        seen[random_below(random_system(), 5)] = true;
        assert_int_equal(random_below(random_system(), 1), 0);
    }
    for (int i = 0; i < 5; i++) {
        assert_true(seen[i]);
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(test_ids_are_uuids_and_none_comes_twice),
        cmocka_unit_test(test_what_stands_behind_the_port_is_what_comes_out),
        cmocka_unit_test(test_a_stock_gives_each_byte_once_and_keeps_none),
        cmocka_unit_test(test_filling_touches_exactly_what_it_was_given),
        cmocka_unit_test(test_numbers_below_are_below_and_fair),
    };

    return cmocka_run_group_tests(cases, NULL, NULL);
}
