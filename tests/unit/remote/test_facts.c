/* Facts of a node, and the facts file of all members. */
#include "unit.h"

#include "codec/json.h"
#include "remote/facts.h"

#define LINES                                                                                            \
    "hostname web-1\naddress 10.1.37.5\nnetwork 127.0.0.1/8\nnetwork 10.1.37.5/20\nnetwork fe80::1/64\n" \
    "kernel 6.1.0\narchitecture x86_64\nos debian 12\ncpus 4\nmemory 8000000\ndisk 50\nboot x\n"

static const struct facts_known web = { .name = TEXT("web-1"),
                                        .main_user = TEXT("ops"),
                                        .owner = TEXT("anna") };

static const char *value(const struct doc *facts, const char *key, char room[static 128])
{
    const struct doc *doc = doc_child(facts, key);

    snprintf(room, 128, "%.*s", doc_is_scalar(doc) ? (int)doc->text.length : 4,
             doc_is_scalar(doc) ? doc->text.data : "NONE");
    return room;
}

static void the_keys_of_the_seed_and_ours(void **state)
{
    static const struct {
        const char *key;
        const char *value;
    } rows[] = {
        { "name", "web-1" },          { "subnet", "10.1.32.0/20" },  { "main_user", "ops" },
        { "owner", "anna" },          { "ip_address", "10.1.37.5" }, { "hostname", "web-1" },
        { "architecture", "x86_64" }, { "os", "debian 12" },         { "cpus", "4" },
        { "memory_kib", "8000000" }
    };
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc facts;
    struct err err;
    char room[128];

    (void)state;
    assert_true(facts_read(arena, TEXT(LINES), &web, &facts, &err));
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        assert_string_equal(value(&facts, rows[i].key, room), rows[i].value);
    }
    assert_null(doc_child(&facts, "boot")); /* this value would differ after each boot */
}

static void what_the_manager_knows_counts(void **state)
{
    struct facts_known known = web;
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc facts;
    struct err err;
    char room[128];

    (void)state;
    known.address = TEXT("fe80::1");
    assert_true(facts_read(arena, TEXT(LINES), &known, &facts, &err));
    assert_string_equal(value(&facts, "ip_address", room), "fe80::1");
    assert_string_equal(value(&facts, "subnet", room), "fe80::/64");
    known.subnet = TEXT("front");
    assert_true(facts_read(arena, TEXT(LINES), &known, &facts, &err));
    assert_string_equal(value(&facts, "subnet", room), "front");
}

static void facts_are_never_made_up(void **state)
{
    static const char *const bad[] = {
        "",
        "hostname a\n",
        "address 10.0.0.1\n",
        "hostname a\naddress 300.1.1.1\n",
        "hostname a\nhostname b\naddress 10.0.0.1\n",
        "hostname a\x01\naddress 10.0.0.1\n",
        "hostname a\naddress 10.0.0.1\ncpus many\n",
        "hostname a\naddress 10.0.0.1\nmemory -4\n",
    };
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc facts;
    struct err err;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        assert_false(facts_read(arena, text_from(bad[i]), &web, &facts, &err));
        assert_int_equal(err.code, CODE_R0728);
    }
}

static void the_same_members_give_the_same_bytes(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct facts_member members[3];
    struct text one;
    struct text other;
    struct doc facts;
    struct doc back;
    struct err err;

    (void)state;
    assert_true(facts_read(arena, TEXT(LINES), &web, &facts, &err));
    members[0] = (struct facts_member){ TEXT("web-2"), facts };
    members[1] = (struct facts_member){ TEXT("db"), facts };
    members[2] = (struct facts_member){ TEXT("web-1"), facts };
    assert_true(facts_format(arena, members, 3, &one, &err));
    members[0].name = TEXT("web-1");
    members[2].name = TEXT("web-2");
    assert_true(facts_format(arena, members, 3, &other, &err));
    assert_true(text_is_equal(one, other));
    assert_true(json_parse(arena, one, NULL, &back, &err));
    assert_int_equal(back.entry_count, 3);
    members[1].name = TEXT("web-1");
    assert_false(facts_format(arena, members, 3, &one, &err));
    assert_int_equal(err.code, CODE_R0728);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_keys_of_the_seed_and_ours),
        cmocka_unit_test(what_the_manager_knows_counts),
        cmocka_unit_test(facts_are_never_made_up),
        cmocka_unit_test(the_same_members_give_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
