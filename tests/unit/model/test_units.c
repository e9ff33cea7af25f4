/* Scalars with units, the rules of texts, names of members, the table of fields. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "model/check.h"
#include "model/naming.h"
#include "model/scalar.h"
#include "model/schema.h"
#include "world.h"

static void test_sizes_have_units(void **state)
{
    static const struct {
        const char *text;
        const char *unit;
        uint64_t bytes;
    } good[] = {
        { "0B", NULL, 0 },
        { "1kB", NULL, 1000 },
        { "2MB", NULL, 2000000 },
        { "3GB", NULL, 3000000000 },
        { "1TB", NULL, 1000000000000 },
        { "1KiB", NULL, 1024 },
        { "1MiB", NULL, 1048576 },
        { "20GiB", NULL, 21474836480 },
        { "1TiB", NULL, 1099511627776 },
        { "20", "GB", 20000000000 },
        { "18446744073709551615B", NULL, UINT64_MAX },
    };
    static const char *const bad[] = { "",
                                       "20",
                                       "GB",
                                       "20Gb",
                                       "20 GB",
                                       "1.5GB",
                                       "-1GB",
                                       "1K",
                                       "1KIB",
                                       "0x1",
                                       "18446744073709551616B",
                                       "18446744073709TB" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        uint64_t bytes = 1;

        assert_true(scalar_parse_size(text_from(good[i].text), good[i].unit, &bytes));
        assert_true(bytes == good[i].bytes);
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        uint64_t bytes = 7;

        assert_false(scalar_parse_size(text_from(bad[i]), NULL, &bytes));
        assert_true(bytes == 7);
    }
}

static void test_durations_go_from_large_to_small(void **state)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } good[] = {
        { "0s", 0 },
        { "5ms", 5 },
        { "30s", 30000 },
        { "5m", 300000 },
        { "1h30m", 5400000 },
        { "7d", 604800000 },
        { "1d1h1m1s1ms", 90061001 },
    };
    static const char *const bad[] = { "",
                                       "5",
                                       "0",
                                       "s",
                                       "30m1h",
                                       "1h1h",
                                       "1h 1m",
                                       "-1s",
                                       "1.5h",
                                       "1w",
                                       "1S",
                                       "1hm",
                                       "99999999999999999999s",
                                       "9999999999999999d" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        uint64_t ms = 1;

        assert_true(scalar_parse_duration(text_from(good[i].text), &ms));
        assert_true(ms == good[i].ms);
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        uint64_t ms = 7;

        assert_false(scalar_parse_duration(text_from(bad[i]), &ms));
        assert_true(ms == 7);
    }
}

static void test_shares_round_up_and_are_at_least_one(void **state)
{
    static const struct {
        const char *text;
        uint32_t whole;
        uint32_t count;
    } good[] = {
        { "3", 100, 3 }, { "0", 5, 0 },    { "34%", 10, 4 }, { "34%", 1, 1 },
        { "0%", 10, 0 }, { "100%", 7, 7 }, { "1%", 0, 1 },   { "10%", 4294967295u, 429496730 },
    };
    static const char *const bad[] = { "", "%", "101%", "-1", "1.5", "3 %", "4294967296", "50%%" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(good); i++) {
        struct scalar_share share;

        assert_true(scalar_parse_share(text_from(good[i].text), &share));
        assert_int_equal(scalar_share_of(share, good[i].whole), good[i].count);
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        struct scalar_share share;

        assert_false(scalar_parse_share(text_from(bad[i]), &share));
    }
}

#define LABEL_63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HEX      "0123456789abcdefABCDEF0123456789abcdef0123456789abcdef0123456789"

static const struct {
    const char *name;
    schema_check *check;
    const char *good[8];
    const char *bad[20];
} checks[] = {
    { "M31_cluster",
      check_cluster_name,
      { "a", "A-b_c.d9", LABEL_63 LABEL_63 LABEL_63 },
      { "", "1a", "-a", "a b", "a/b", "\xc3\xa4", "node", "nodes", "no", "Cluster",
        LABEL_63 LABEL_63 LABEL_63 LABEL_63 } },
    { "group",
      check_group_name,
      { "a", "A-b_c.d9", LABEL_63, "nodes" },
      { "", "1a", "_a", "a/b", LABEL_63 "a" } },
    { "object",
      check_object_name,
      { "a", LABEL_63 "a" },
      { "", "9", LABEL_63 LABEL_63 LABEL_63 LABEL_63 } },
    { "K10_plugin",
      check_plugin_name,
      { "aws", "my-custom-plugin" },
      { "", "plugin", "1", LABEL_63 "a" } },
    { "zone",
      check_zone,
      { "eu-central-1a", "!", "zone/2~", LABEL_63 LABEL_63 LABEL_63 LABEL_63 "abc" },
      { "", "a b", "a\"", "\\", "a\n", "\x7f", "\xc3\xa4",
        LABEL_63 LABEL_63 LABEL_63 LABEL_63 "abcd" } },
    { "owner",
      check_owner,
      { "", "team a: \"\xc3\xa4\"", LABEL_63 LABEL_63 LABEL_63 LABEL_63 "abc" },
      { LABEL_63 LABEL_63 LABEL_63 LABEL_63 "abcd" } },
    { "K4_id",
      check_id,
      { "1", "-", "_aZ9", "123e4567-e89b-12d3-a456-426614174000" },
      { "", "a.b", "a b", LABEL_63 "aa" } },
    { "group_path",
      check_group_path,
      { "a", "a/b", "a/b/c/d/e/f/g/h" },
      { "", "/", "a/", "/a", "a//b", "a/1", "a/b/c/d/e/f/g/h/i", "a/" LABEL_63 "a",
        LABEL_63 "a" } },
    { "template_path",
      check_template_path,
      { "t", "t/g", "t/g/h", LABEL_63 "a/g" },
      { "", "t/", "1", "t/" LABEL_63 "a" } },
    { "group_reference",
      check_group_reference,
      { "c/g", "c/g/h", LABEL_63 "a/g" },
      { "c", "", "c/", "c/" LABEL_63 "a" } },
    { "slot", check_slot, { "web-0", "a" }, { "", "0", "-a", "a/b", "a b" } },
    { "label_key",
      check_label_key,
      { "a", "9", "example.com/role", "a_b-c", LABEL_63 },
      { "", "-a", ".a", "/a", "a b", LABEL_63 "a" } },
    { "label_value",
      check_label_value,
      { "", "a b", "\xc3\xa4", LABEL_63 LABEL_63 LABEL_63 LABEL_63 },
      { "a\nb", "\x7f", "\t", LABEL_63 LABEL_63 LABEL_63 LABEL_63 "aaaa" } },
    { "fixed_path",
      check_fixed_path,
      { "image", "a.b.c", "groups.a/b.c" },
      { "", ".a", "a.", "a b", "a[0]" } },
    { "user", check_user, { "admin", "_a", "a.b-c" }, { "", "1a", "-a", "a b", "a:b", LABEL_63 } },
    { "address",
      check_address,
      { "10.0.0.1", "255.255.255.255", "::", "::1", "fd00::1:2", "1:2:3:4:5:6:7:8",
        "::ffff:10.0.0.1", "1:2:3:4:5:6:1.2.3.4" },
      { "1:2:3:4:5:6:7:1.2.3.4", "", "10.0.0", "10.0.0.256", "10.0.0.01", "10.0.0.1.1", "1.2.3.",
        "a", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "1:", "::g",
        "1:2:3:4:5:6:7::8:9", "1:2:1.2.3.4", "::1.2.3" } },
    { "cidr",
      check_cidr,
      { "10.0.0.0/8", "0.0.0.0/0", "1.2.3.4/32", "fd00::/64", "::/128" },
      { "", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "x/8", "10.0.0.0/8/8",
        "1/8", "::/1000" } },
    { "url",
      check_url,
      { "https://h/x.so", "https://h", "file:///x" },
      { "", "http://h/x", "ftp://h", "https://", "https:///x", "file://", "file:///",
        "https://u:p@h/x", "https://h/a b", "https://h/\x7f" } },
    { "sha256", check_sha256, { HEX }, { "", "abc", HEX "0", "g123456789abcdef" } },
    { "bundle",
      check_bundle,
      { "base@1", "base@v1.2", "base@sha256:" HEX },
      { "", "base", "base@", "@1", "1@1", "base@sha256:abc", "base@a b" } },
    { "configuration",
      check_configuration,
      { "web", "web@r1", "web-2@r4294967296", LABEL_63 "@r9" },
      { "", "@r1", "1web", "web@", "web@r", "web@1", "web@r0", "web@r01", "web@R1", "web@r-1",
        "web@r1x", "web@r9223372036854775808", "web@r1@r2",
        LABEL_63 LABEL_63 LABEL_63 LABEL_63 "@r1" } },
    { "path",
      check_absolute_path,
      { "/", "/var/lib", "/a//b", "/a.b/..c" },
      { "", "a", "./a", "/a/../b", "/.", "/a/.." } },
    { "naming",
      check_naming,
      { "{group}", "{cluster}.{group}-{n:09}x", "a" },
      { "", "{", "{x}", "{n}{n}" } },
};

static void test_texts_with_a_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(checks); i++) {
        for (size_t j = 0; j < ARRAY_COUNT(checks[i].good) && checks[i].good[j] != NULL; j++) {
            struct err err = { 0 };

            if (!checks[i].check(text_from(checks[i].good[j]), &err)) {
                fail_msg("%s refuses '%s': %s", checks[i].name, checks[i].good[j], err.text);
            }
        }
        for (size_t j = 0; j < ARRAY_COUNT(checks[i].bad) && checks[i].bad[j] != NULL; j++) {
            struct err err = { 0 };

            if (checks[i].check(text_from(checks[i].bad[j]), &err)) {
                fail_msg("%s takes '%s'", checks[i].name, checks[i].bad[j]);
            }
            assert_int_not_equal(err.code, CODE_NONE);
            assert_true(err.text[0] != '\0' && err.text[strlen(err.text) - 1] != '.');
        }
    }
}

/* ---- naming ---- */

static void test_E6_bad_formats_say_what_is_wrong(void **state)
{
    static const char *const bad[][2] = {
        { "", "empty" },
        { "{group", "'{' without its '}'" },
        { "{nr}", "unknown placeholder '{nr}'" },
        { "{n:0}", "unknown placeholder" },
        { "{n:00}", "unknown placeholder" },
        { "{n:3}", "unknown placeholder" },
        { "{n:012}", "unknown placeholder" },
        { "{n}-{n:02}", "{n} twice" },
        { "a b", "cannot have ' ' in it" },
        { "a/b", "cannot have '/' in it" },
        { "}", "cannot have '}' in it" },
        { "a{group}a{group}a{group}a{group}a{group}a{group}a{group}a{group}a{group}",
          "more than 16 parts" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        struct naming naming;
        struct err err = { 0 };

        assert_false(naming_parse(text_from(bad[i][0]), &naming, &err));
        if (strstr(err.text, bad[i][1]) == NULL) {
            fail_msg("'%s': %s", bad[i][0], err.text);
        }
    }
}

static struct naming_affix affix_make(struct arena *arena, const char *format, const char *group)
{
    struct naming naming;
    struct err err;

    assert_true(naming_parse(text_from(format), &naming, &err));
    return naming_expand(arena, &naming, TEXT("shop"), text_from(group));
}

static void test_E6_names_and_ranges(void **state)
{
    static const struct {
        const char *format;
        const char *first;
        const char *range;
    } rows[] = {
        { "{group}-{n}", "a-b-0", "a-b-[0-11]" },
        { "{group}{n}", "a-b0", "a-b[0-11]" },
        { "{n:03}.{cluster}", "000.shop", "[000-011].shop" },
        { "{group}", "a-b", "a-b" },
        { "x{n:01}", "x0", "x[0-11]" },
    };
    AUTO(arena) arena = arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct naming_affix affix = affix_make(arena, rows[i].format, "a/b");

        assert_string_equal(arena_string(arena, naming_format(arena, &affix, 0)), rows[i].first);
        assert_string_equal(arena_string(arena, naming_range_format(arena, &affix, 0, 12)),
                            rows[i].range);
        assert_string_equal(arena_string(arena, naming_range_format(arena, &affix, 0, 1)),
                            rows[i].first);
    }
}

static void test_E6_the_number_of_a_name_is_found_again(void **state)
{
    static const char *const formats[] = { "{group}-{n}", "{group}{n:03}x", "{n:02}", "{n}" };
    static const uint64_t numbers[] = { 0, 1, 9, 10, 99, 100, 999, 1000, 1000000 };
    AUTO(arena) arena = arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
        struct naming_affix affix = affix_make(arena, formats[i], "web");

        for (size_t j = 0; j < ARRAY_COUNT(numbers); j++) {
            uint64_t number = 77;

            assert_true(
                naming_number_of(&affix, naming_format(arena, &affix, numbers[j]), &number));
            assert_true(number == numbers[j]);
        }
    }
}

static void test_E6_other_names_have_no_number(void **state)
{
    static const char *const rows[][2] = {
        { "{group}-{n}", "web-" },
        { "{group}-{n}", "web-01" },
        { "{group}-{n}", "web--1" },
        { "{group}-{n}", "db-1" },
        { "{group}-{n}", "web-x" },
        { "{group}-{n:03}", "web-01" },
        { "{group}-{n:03}", "web-0001" },
        { "{group}-{n}x", "web-1" },
        { "{group}", "web-1" },
        { "{group}-{n}", "web-99999999999999999999" },
        { "{group}-{n}", "" },
    };
    AUTO(arena) arena = arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct naming_affix affix = affix_make(arena, rows[i][0], "web");
        uint64_t number;

        if (naming_number_of(&affix, text_from(rows[i][1]), &number)) {
            fail_msg("'%s' has a number for '%s'", rows[i][1], rows[i][0]);
        }
    }
}

static void test_E6_the_safe_form_is_lower_case_and_cut(void **state)
{
    char name[] = "A_b.C-9" LABEL_63;

    (void)state;
    assert_int_equal(naming_make_safe(name, strlen(name)), 63);
    assert_memory_equal(name, "a-b-c-9aaa", 10);
}

static size_t clashes_count(const char *const (*groups)[2], const uint64_t (*ranges)[2],
                            size_t count)
{
    AUTO(arena) arena = arena_new(1 << 26);
    struct naming_group *list = arena_array(arena, struct naming_group, count);
    struct naming_clash clashes[8];

    for (size_t i = 0; i < count; i++) {
        list[i] = (struct naming_group){ affix_make(arena, groups[i][0], groups[i][1]),
                                         ranges[i][0], ranges[i][1] };
    }
    return naming_find_clashes(arena, list, count, clashes, ARRAY_COUNT(clashes));
}

static void test_E6_clashes_are_found_in_the_safe_form(void **state)
{
    static const struct {
        const char *groups[2][2];
        uint64_t ranges[2][2];
        size_t clashes;
    } rows[] = {
        { { { "{group}{n}", "web" }, { "{group}{n}", "web1" } }, { { 0, 10 }, { 0, 1 } }, 0 },
        { { { "{group}{n}", "web" }, { "{group}{n}", "web1" } }, { { 0, 11 }, { 0, 1 } }, 1 },
        { { { "{group}-{n}", "Web" }, { "{group}-{n}", "web" } }, { { 0, 1 }, { 0, 1 } }, 1 },
        { { { "{group}-{n}", "a_b" }, { "{group}-{n}", "a-b" } }, { { 0, 1 }, { 0, 1 } }, 1 },
        { { { "{group}-{n}", "a/b" }, { "{group}-{n}", "a-b" } }, { { 0, 1 }, { 1, 1 } }, 0 },
        { { { "{group}-{n}", "a/b" }, { "{group}-{n}", "a.b" } }, { { 0, 2 }, { 1, 1 } }, 1 },
        { { { "{n}-{group}", "a" }, { "{n}-{group}", "b" } }, { { 0, 5 }, { 0, 5 } }, 0 },
        { { { "x{n}-y", "a" }, { "x{n}-y", "b" } }, { { 0, 5 }, { 4, 5 } }, 1 },
        { { { "{group}-{n}", LABEL_63 }, { "{group}-{n}", "b" } }, { { 0, 2 }, { 0, 1 } }, 1 },
        { { { "{group}-{n}", LABEL_63 }, { "{group}-{n}", "b" } }, { { 0, 1 }, { 0, 1 } }, 0 },
        { { { "{group}", "web-3" }, { "{group}-{n}", "web" } }, { { 0, 1 }, { 0, 4 } }, 1 },
        { { { "{group}-{n}", "a" }, { "{group}-{n}", "a" } }, { { 0, 0 }, { 0, 4 } }, 0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        size_t found = clashes_count(rows[i].groups, rows[i].ranges, 2);

        if (found != rows[i].clashes) {
            fail_msg("row %zu: %zu clashes, expected %zu", i, found, rows[i].clashes);
        }
    }
}

static void test_E6_ten_thousand_groups_are_compared_without_their_members(void **state)
{
    enum { GROUPS = 10000 };
    AUTO(arena) arena = arena_new(64 << 20); /* a billion names would not fit into the arena */
    struct naming_group *groups = arena_array(arena, struct naming_group, GROUPS);
    struct naming_clash clash;

    (void)state;
    for (size_t i = 0; i < GROUPS; i++) {
        char name[16];

        snprintf(name, sizeof(name), "g%zux", i);
        groups[i] = (struct naming_group){
            affix_make(arena, "{group}-{n}", arena_string(arena, text_from(name))), 0, 100000
        };
    }
    assert_int_equal(naming_find_clashes(arena, groups, GROUPS, &clash, 1), 0);
}

/* ---- the table ---- */

static void test_the_table_of_fields_is_sound(void **state)
{
    AUTO(arena) arena = arena_new(1 << 22);
    size_t count;
    const struct schema_field *fields = schema_fields(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_true(fields[i].owners != 0 && fields[i].help[0] != '\0');
        assert_true(schema_type_format(arena, &fields[i].type).length > 0);
        for (int owner = 0; owner < OWNER_COUNT; owner++) {
            if (schema_has_owner(&fields[i], (enum schema_owner)owner)) {
                /* each field has one row per owner, and no alias equals the name of a field */
                assert_ptr_equal(
                    schema_field_find((enum schema_owner)owner, text_from(fields[i].name)),
                    &fields[i]);
                assert_null(schema_alias_find((enum schema_owner)owner, text_from(fields[i].name)));
            }
        }
    }
    for (int owner = 0; owner < OWNER_COUNT; owner++) {
        assert_non_null(schema_owner_words((enum schema_owner)owner));
        assert_non_null(schema_owner_path((enum schema_owner)owner));
    }
    for (int since = 0; since < SINCE_COUNT; since++) {
        assert_non_null(schema_since_words((enum schema_since)since));
        assert_int_equal(schema_is_usable((enum schema_since)since), since <= SINCE_INVENTORY);
    }
}

static void test_kinds_are_found_by_every_word(void **state)
{
    static const char *const words[] = { "Cluster", "cluster", "clusters", "cl" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        assert_string_equal(schema_kind_of_word(text_from(words[i]))->name, "Cluster");
    }
    assert_null(schema_kind_of_word(TEXT("clustre")));
    assert_null(schema_kind_find(TEXT("cluster")));
    assert_non_null(schema_field_anywhere(TEXT("iops")));
    assert_null(schema_field_anywhere(TEXT("nothing")));
    assert_null(schema_field_find(OWNER_GROUP, TEXT("")));
}

static void test_types_in_words(void **state)
{
    static const struct {
        enum schema_owner owner;
        const char *field;
        const char *words;
    } rows[] = {
        { OWNER_GROUP, "size", "integer 0..100000" },
        { OWNER_GROUP, "heal", "replace, reboot or off" },
        { OWNER_CLUSTER, "sshTrust", "certificate or classic" },
        { OWNER_BALANCE, "by", "zone" },
        { OWNER_GROUP, "volumes", "list of objects" },
        { OWNER_GROUP, "members", "map of objects" },
        { OWNER_GROUP, "zones", "list of a zone" },
        { OWNER_GROUP, "labels", "map of text" },
        { OWNER_GROUP, "network", "object" },
        { OWNER_GROUP, "resourceProperties", "any map" },
        { OWNER_CLUSTER, "groups", "groups" },
        { OWNER_CLUSTER, "empty", "true or false" },
        { OWNER_VOLUME, "size", "size like 20GiB, a bare number counts GB" },
        { OWNER_GROUP, "replaceAfter", "duration like 1h30m" },
        { OWNER_GROUP, "maxUnhealthy", "count or percentage" },
        { OWNER_NETWORK, "cidr", "a CIDR like 10.0.0.0/20" },
    };
    AUTO(arena) arena = arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const struct schema_field *field =
            schema_field_find(rows[i].owner, text_from(rows[i].field));

        assert_non_null(field);
        assert_string_equal(arena_string(arena, schema_type_format(arena, &field->type)),
                            rows[i].words);
    }
}

static void test_E5_aliases_are_read_as_their_fields(void **state)
{
    static const char *const rows[][2] = {
        { "ami", "image" },
        { "image_id", "image" },
        { "ebs", "volumes" },
        { "ec2_size", "machineSize" },
        { "instance_size", "machineSize" },
        { "flavor_id", "machineSize" },
        { "pool_size", "size" },
        { "node_count", "size" },
        { "min_node_count", "minSize" },
        { "max_node_count", "maxSize" },
        { "bootstrap_sequence", "bootstrap" },
        { "ssh_key", "sshKey" },
        { "security_groups", "securityGroups" },
        { "private_key_file", "privateKeyFile" },
        { "merge_labels", "mergeLabels" },
    };
    const struct schema_type *barrier = &schema_field_find(OWNER_CLUSTER, TEXT("barrier"))->type;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        assert_string_equal(schema_alias_find(OWNER_GROUP, text_from(rows[i][0]))->name,
                            rows[i][1]);
        assert_string_equal(
            schema_alias_find(OWNER_NODEGROUP_TEMPLATE, text_from(rows[i][0]))->name, rows[i][1]);
    }
    assert_string_equal(schema_alias_find(OWNER_BOOTSTRAP, TEXT("on_failure"))->name, "onFailure");
    assert_string_equal(schema_alias_find(OWNER_NODEGROUP, TEXT("pool_name"))->name, "name");
    assert_null(schema_alias_find(OWNER_GROUP, TEXT("pool_name")));
    assert_true(text_is(schema_word_find(barrier, TEXT("best_effort")), "bestEffort"));
    assert_true(text_is(schema_word_find(barrier, TEXT("strict")), "strict"));
    assert_true(schema_word_find(barrier, TEXT("best")).length == 0);
    assert_true(text_is(schema_word_at(barrier, 1), "bestEffort"));
    assert_true(schema_word_at(barrier, 2).length == 0);
}

static void test_built_in_defaults_are_typed(void **state)
{
    struct doc number = model_default_find(OWNER_GROUP, TEXT("minSize"));
    struct doc word = model_default_find(OWNER_GROUP, TEXT("heal"));
    struct doc share = model_default_find(OWNER_ROLLOUT, TEXT("surge"));
    struct doc percent = model_default_find(OWNER_ROLLOUT, TEXT("batch"));
    struct doc none = model_default_find(OWNER_GROUP, TEXT("image"));
    struct doc unknown = model_default_find(OWNER_GROUP, TEXT("nothing"));

    (void)state;
    assert_int_equal(doc_core_type(&number), DOC_TYPE_INT);
    assert_int_equal(doc_core_type(&word), DOC_TYPE_TEXT);
    assert_int_equal(doc_core_type(&share), DOC_TYPE_INT);
    assert_int_equal(doc_core_type(&percent), DOC_TYPE_TEXT);
    assert_int_equal(number.origin->kind, ORIGIN_DEFAULT);
    assert_false(doc_is_present(&none));
    assert_false(doc_is_present(&unknown));
}

static void test_origins_in_words(void **state)
{
    AUTO(arena) arena = arena_new(1 << 20);
    struct origin origin = { .kind = ORIGIN_TEMPLATE, .name = TEXT("ct/t"), .revision = 4 };

    (void)state;
    assert_true(text_is(model_origin_format(arena, NULL), "reeve"));
    assert_true(text_is(model_origin_format(arena, &origin), "template ct/t@4"));
    origin = (struct origin){ .kind = ORIGIN_DEFAULT };
    assert_true(text_is(model_origin_format(arena, &origin), "default"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_have_units),
        cmocka_unit_test(test_durations_go_from_large_to_small),
        cmocka_unit_test(test_shares_round_up_and_are_at_least_one),
        cmocka_unit_test(test_texts_with_a_rule),
        cmocka_unit_test(test_E6_bad_formats_say_what_is_wrong),
        cmocka_unit_test(test_E6_names_and_ranges),
        cmocka_unit_test(test_E6_the_number_of_a_name_is_found_again),
        cmocka_unit_test(test_E6_other_names_have_no_number),
        cmocka_unit_test(test_E6_the_safe_form_is_lower_case_and_cut),
        cmocka_unit_test(test_E6_clashes_are_found_in_the_safe_form),
        cmocka_unit_test(test_E6_ten_thousand_groups_are_compared_without_their_members),
        cmocka_unit_test(test_the_table_of_fields_is_sound),
        cmocka_unit_test(test_kinds_are_found_by_every_word),
        cmocka_unit_test(test_types_in_words),
        cmocka_unit_test(test_E5_aliases_are_read_as_their_fields),
        cmocka_unit_test(test_built_in_defaults_are_typed),
        cmocka_unit_test(test_origins_in_words),
    };

    return cmocka_run_group_tests_name("units, rules, names, fields", tests, NULL, NULL);
}
