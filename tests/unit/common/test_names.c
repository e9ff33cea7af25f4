#include "unit.h"

#include "host_key.h"
#include "images.h"
#include "property.h"

#define KEY   "AAAAC3NzaC1lZDI1NTE5AAAAIJ0P+4Ld7vXwQmJpJkZ1Zk0m7nq8v5c2b1a0Z9y8X7w6"
#define OTHER "AAAAC3NzaC1lZDI1NTE5AAAAIBBBB4Ld7vXwQmJpJkZ1Zk0m7nq8v5c2b1a0Z9y8X7w6"

static void test_host_key(void **state)
{
    struct text key;

    (void)state;
    assert_true(host_key_find(TEXT("boot\r\n\r\nreeve-hostkey 00ff ssh-ed25519 " KEY "\r\nlogin:"),
                              TEXT("00ff"), &key));
    assert_text(key, "ssh-ed25519 " KEY);
    /* the same key twice is valid, as after an interrupted run */
    assert_true(host_key_find(TEXT("reeve-hostkey 00ff ssh-ed25519 " KEY "\n"
                                   "reeve-hostkey 00ff ssh-ed25519 " KEY),
                              TEXT("00ff"), &key));
    assert_false(host_key_find(TEXT("reeve-hostkey 00ff ssh-ed25519 " KEY "\n"
                                    "reeve-hostkey 00ff ssh-ed25519 " OTHER "\n"),
                               TEXT("00ff"), &key));
}

/* The console of another machine, or a text that only resembles a key line. */
static void test_host_key_of_others(void **state)
{
    static const char *const consoles[] = {
        "",
        "reeve-hostkey 00fe ssh-ed25519 " KEY "\n",
        "reeve-hostkey 00ff0 ssh-ed25519 " KEY "\n",
        "reeve-hostkey 00ff\n",
        "reeve-hostkey 00ff ssh-rsa " KEY "\n",
        "reeve-hostkey 00ff ssh-ed25519 AAAA\n",
        "reeve-hostkey 00ff ssh-ed25519 " KEY "x\n",
        "reeve-hostkey 00ff ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0P+4Ld7vXwQmJp kZ1Zk0m7nq8v5c2b"
        "1a0Z9y8X7w6\n",
        "user wrote: reeve-hostkey 00ff ssh-ed25519 " KEY "\n",
    };
    struct text key;

    (void)state;
    for (size_t i = 0; i < sizeof(consoles) / sizeof(consoles[0]); i++) {
        assert_false(host_key_find(text_from(consoles[i]), TEXT("00ff"), &key));
    }
}

static void test_dns_names(void **state)
{
    static const char *const names[][2] = {
        { "web-0", "web-0" },
        { "Web_eu/0", "web-eu-0" },
        { "0web", "n0web" },
        { "", "n" },
        { "---", "n" },
        { "a..b", "a-b" },
        { "-a-", "a" },
        { "\xc3\xa9", "n" },
        { "abcdefghijk", "abcdefghij" },
        { "abcdefghi-k", "abcdefghi" },
    };
    AUTO(arena) arena = arena_new(65536);

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_text(property_dns_name(arena, text_from(names[i][0]), 10), names[i][1]);
    }
}

static void test_images(void **state)
{
    (void)state;
    assert_string_equal(images_find(TEXT("debian"))->name, "debian-12");
    assert_string_equal(images_find(TEXT("ubuntu-22.04"))->user, "ubuntu");
    assert_string_equal(images_find(TEXT("rocky"))->version, "9");
    assert_string_equal(images_find(TEXT("amazonlinux"))->version, "2023");
    assert_null(images_find(TEXT("Debian")));
    assert_null(images_find(TEXT("debian-1")));
    assert_null(images_find(TEXT("")));
}

/* Each distribution has exactly one newest release. */
static void test_newest(void **state)
{
    (void)state;
    for (size_t i = 0; i < images_release_count; i++) {
        size_t newest = 0;

        for (size_t k = 0; k < images_release_count; k++) {
            newest += images_releases[k].is_newest &&
                      strcmp(images_releases[i].distribution, images_releases[k].distribution) == 0;
        }
        assert_int_equal(newest, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_key),  cmocka_unit_test(test_host_key_of_others),
        cmocka_unit_test(test_dns_names), cmocka_unit_test(test_images),
        cmocka_unit_test(test_newest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
