#include "sys/seal.h"

#include "base/limits.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sealing of stored secrets (F22). */

static char folder[] = "/tmp/reeve-seal-XXXXXX";
static char path[64];

static int folder_up(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int folder_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static struct seal_key *key_fresh(void)
{
    struct seal_key *key = NULL;
    struct err err;

    snprintf(path, sizeof(path), "%s/key", folder);
    unlink(path);
    assert_true(seal_key_make(path, &key, &err));
    return key;
}

static bool opens(const struct seal_key *key, const char *about, struct text sealed, char *out,
                  size_t *length, struct err *err)
{
    return seal_open(key, text_from(about), sealed, out, LIMIT_SECRET_BYTES, length, err);
}

static void test_F22_what_is_sealed_opens_and_nothing_else_does(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct seal_key *key = key_fresh();
    char room[LIMIT_SECRET_BYTES];
    struct err err;
    size_t length;

    (void)state;
    for (size_t bytes = 0; bytes <= LIMIT_SECRET_BYTES; bytes = bytes * 3 + 1) {
        char *value = arena_alloc(arena, bytes + 1);
        struct text sealed;

        memset(value, 'v', bytes);
        sealed = seal_close(arena, key, TEXT("a/b"), secret_from((struct text){ value, bytes }));
        assert_true(opens(key, "a/b", sealed, room, &length, &err));
        assert_int_equal(length, bytes);
        assert_memory_equal(room, value, bytes);
        assert_false(opens(key, "a/c", sealed, room, &length, &err));
        assert_int_equal(err.code, CODE_R0662);
        assert_false(
            opens(key, "a/b", text_slice(sealed, 0, sealed.length - 4), room, &length, &err));
    }
    seal_key_close(key);
}

static void test_F22_every_byte_counts(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct seal_key *key = key_fresh();
    struct text sealed =
        seal_close(arena, key, TEXT("a"), secret_from(TEXT("a value of some length")));
    char *bytes = arena_string(arena, sealed);
    char room[LIMIT_SECRET_BYTES];
    struct err err;
    size_t length;

    (void)state;
    for (size_t i = 0; i < sealed.length; i++) {
        char was = bytes[i];

        bytes[i] = was == 'A' ? 'B' : 'A';
        assert_false(opens(key, "a", (struct text){ bytes, sealed.length }, room, &length, &err));
        bytes[i] = was;
    }
    assert_true(opens(key, "a", (struct text){ bytes, sealed.length }, room, &length, &err));
    seal_key_close(key);
}

static void test_the_same_value_is_the_same_text_and_says_nothing_of_another(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct seal_key *key = key_fresh();
    struct secret value = secret_from(TEXT("value"));
    struct text one = seal_close(arena, key, TEXT("a"), value);
    char digest[SEAL_DIGEST_BYTES];
    char other[SEAL_DIGEST_BYTES];

    (void)state;
    assert_true(text_is_equal(one, seal_close(arena, key, TEXT("a"), value)));
    assert_false(text_is_equal(text_slice(one, 11, 32),
                               text_slice(seal_close(arena, key, TEXT("b"), value), 11, 32)));
    seal_digest(key, TEXT("a"), value, digest);
    seal_digest(key, TEXT("b"), value, other);
    assert_string_not_equal(digest, other);
    assert_int_equal(strlen(digest), 8);
    assert_true(text_is(seal_id(one), seal_key_id(key)));
    seal_key_close(key);
}

static void test_F22_a_key_is_read_again_and_another_one_is_named(void **state)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct seal_key *key = key_fresh();
    struct text sealed = seal_close(arena, key, TEXT("a"), secret_from(TEXT("value")));
    struct seal_key *again = NULL;
    char room[LIMIT_SECRET_BYTES];
    struct err err;
    size_t length;
    struct stat stat_of;

    (void)state;
    assert_int_equal(stat(path, &stat_of), 0);
    assert_int_equal(stat_of.st_mode & 0777, 0400);
    assert_false(seal_key_make(path, &again, &err)); /* an existing key is never changed */
    assert_true(seal_key_open(path, &again, &err));
    assert_true(opens(again, "a", sealed, room, &length, &err));
    seal_key_close(again);
    seal_key_close(key);
    key = key_fresh();
    assert_false(opens(key, "a", sealed, room, &length, &err));
    assert_int_equal(err.code, CODE_R0661);
    assert_non_null(strstr(err.text, arena_string(arena, seal_id(sealed))));
    assert_non_null(strstr(err.text, seal_key_id(key)));
    seal_key_close(key);
}

static void test_F22_a_file_that_others_may_read_is_no_key(void **state)
{
    struct seal_key *key = key_fresh();
    struct err err;

    (void)state;
    seal_key_close(key);
    assert_int_equal(chmod(path, 0440), 0);
    assert_false(seal_key_open(path, &key, &err));
    assert_int_equal(err.code, CODE_R0660);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(truncate(path, 20), 0);
    assert_false(seal_key_open(path, &key, &err));
    assert_int_equal(unlink(path), 0);
    assert_false(seal_key_is_there(path));
    assert_false(seal_key_open(path, &key, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_F22_what_is_sealed_opens_and_nothing_else_does),
        cmocka_unit_test(test_F22_every_byte_counts),
        cmocka_unit_test(test_the_same_value_is_the_same_text_and_says_nothing_of_another),
        cmocka_unit_test(test_F22_a_key_is_read_again_and_another_one_is_named),
        cmocka_unit_test(test_F22_a_file_that_others_may_read_is_no_key),
    };

    return cmocka_run_group_tests(tests, folder_up, folder_down);
}
