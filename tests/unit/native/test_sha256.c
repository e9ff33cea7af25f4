/* Digests: the examples of FIPS 180-4 and of NIST's test vectors, and that it does not matter in which pieces bytes come. */
#include "unit.h"

#include "native/sha256.h"

#include <string.h>

static void digest(const char *bytes, size_t count, size_t piece, char out[static 65])
{
    struct sha256 sha;

    sha256_init(&sha);
    for (size_t at = 0; at < count; at += piece) {
        sha256_add(&sha, bytes + at, count - at < piece ? count - at : piece);
    }
    sha256_end(&sha, out);
}

static void examples(void **state)
{
    static const struct {
        const char *bytes;
        const char *digest;
    } rows[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
        { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
          "mnopqrstnopqrstu",
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
    };
    char found[65];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        digest(rows[i].bytes, strlen(rows[i].bytes), 200, found);
        assert_string_equal(found, rows[i].digest);
    }
}

static void a_million(void **state)
{
    static char bytes[1000000];
    char found[65];

    (void)state;
    memset(bytes, 'a', sizeof(bytes));
    digest(bytes, sizeof(bytes), sizeof(bytes), found);
    assert_string_equal(found, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_do_not_matter(void **state)
{
    static char bytes[700];
    char whole[65];
    char found[65];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)(i * 37 % 251);
    }
    for (size_t count = 0; count < sizeof(bytes); count += 7) {
        digest(bytes, count, sizeof(bytes), whole);
        for (size_t piece = 1; piece < 140; piece += 9) {
            digest(bytes, count, piece, found);
            assert_string_equal(found, whole);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples),
        cmocka_unit_test(a_million),
        cmocka_unit_test(pieces_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
