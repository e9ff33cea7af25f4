#include "unit.h"

#include "base/buf.h"
#include "codec/doc_child.h"
#include "codec/json.h"
#include "ocean.h"

/* The choice of a size of DigitalOcean by family, memory and cpus. */

enum { BYTES = 1024 * 1024 };

static const struct {
    const char *slug;
    int memory;
    int cpus;
    const char *price;
    const char *regions;
    bool is_available;
} rows[] = {
    { "s-1vcpu-512mb-10gb", 512, 1, "0.00595", "\"nyc1\"", true },
    { "s-1vcpu-1gb-intel", 1024, 1, "0.01042", "\"fra1\",\"nyc1\"", true },
    { "s-1vcpu-1gb", 1024, 1, "0.00893", "\"fra1\",\"nyc1\"", true },
    { "s-1vcpu-2gb", 2048, 1, "0.01786", "\"fra1\",\"nyc1\"", true },
    { "s-2vcpu-2gb", 2048, 2, "0.02679", "\"fra1\",\"nyc1\"", true },
    { "s-2vcpu-4gb", 4096, 2, "0.03571", "\"fra1\",\"nyc1\"", true },
    { "s-4vcpu-4gb", 4096, 4, "0.03570", "\"fra1\"", true },
    { "g-2vcpu-8gb", 8192, 2, "0.09375", "\"fra1\",\"nyc1\"", true },
    { "c-2", 4096, 2, "1", "\"fra1\"", true },
    { "s-0", 1024, 1, "0.001", "\"fra1\",\"nyc1\"", false },
};

/* Parses the list in the format of DigitalOcean. */
static struct doc read_sizes(struct arena *arena)
{
    struct doc sizes = { 0 };
    struct buf json;
    struct err err;

    buf_init(&json, arena);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        buf_printf(&json,
                   "%s{\"slug\":\"%s\",\"memory\":%d,\"vcpus\":%d,\"price_hourly\":%s,"
                   "\"available\":%s,\"regions\":[%s]}",
                   i == 0 ? "[" : ",", rows[i].slug, rows[i].memory, rows[i].cpus, rows[i].price,
                   rows[i].is_available ? "true" : "false", rows[i].regions);
    }
    buf_add_string(&json, "]");
    assert_true(json_parse(arena, buf_text(&json), NULL, &sizes, &err));
    return sizes;
}

/* Checks which slug is chosen; empty: none. */
static void check_choice(struct ocean_shape shape, const char *regions, const char *expected)
{
    AUTO(arena) arena = arena_new(BYTES);
    struct text list[2];
    size_t count = 0;
    struct doc sizes = read_sizes(arena);
    const struct doc *found;

    if (shape.family.length == 0) {
        shape.family = TEXT("s-");
    }
    if (strstr(regions, "fra1") != NULL) {
        list[count++] = TEXT("fra1");
    }
    if (strstr(regions, "nyc1") != NULL) {
        list[count++] = TEXT("nyc1");
    }
    found = ocean_size_choose(&sizes, &shape, list, count);
    assert_text(doc_child_text(found, "slug"), expected);
}

static void test_exact(void **state)
{
    (void)state;
    check_choice((struct ocean_shape){ .memory_mb = 1024 }, "fra1", "s-1vcpu-1gb");
    check_choice((struct ocean_shape){ .memory_mb = 2048, .cpus = 2 }, "fra1", "s-2vcpu-2gb");
    check_choice((struct ocean_shape){ .memory_mb = 2048, .cpus = 1 }, "fra1", "s-1vcpu-2gb");
    check_choice((struct ocean_shape){ .family = TEXT("g-") }, "fra1", "g-2vcpu-8gb");
}

static void test_next_larger(void **state)
{
    (void)state;
    check_choice((struct ocean_shape){ .memory_mb = 3000 }, "nyc1", "s-2vcpu-4gb");
    check_choice((struct ocean_shape){ .cpus = 3 }, "fra1", "s-4vcpu-4gb");
    check_choice((struct ocean_shape){ .memory_mb = 1025, .cpus = 2 }, "fra1", "s-2vcpu-2gb");
}

static void test_cheapest(void **state)
{
    (void)state;
    check_choice((struct ocean_shape){ .memory_mb = 4096 }, "fra1", "s-4vcpu-4gb");
    check_choice((struct ocean_shape){ .memory_mb = 4096 }, "nyc1", "s-2vcpu-4gb");
    check_choice((struct ocean_shape){ 0 }, "nyc1", "s-1vcpu-512mb-10gb");
    check_choice((struct ocean_shape){ .memory_mb = 1024 }, "fra1", "s-1vcpu-1gb");
}

/* The size must be available in every region of the group. */
static void test_regions(void **state)
{
    (void)state;
    check_choice((struct ocean_shape){ 0 }, "fra1", "s-1vcpu-1gb");
    check_choice((struct ocean_shape){ .memory_mb = 4096 }, "fra1 nyc1", "s-2vcpu-4gb");
    check_choice((struct ocean_shape){ .size = TEXT("s-1vcpu-512mb-10gb") }, "fra1 nyc1", "");
}

static void test_none(void **state)
{
    (void)state;
    check_choice((struct ocean_shape){ .memory_mb = 65536 }, "fra1", "");
    check_choice((struct ocean_shape){ .family = TEXT("m-") }, "fra1", "");
    check_choice((struct ocean_shape){ .size = TEXT("s-0") }, "fra1", "");
    check_choice((struct ocean_shape){ .size = TEXT("c-2") }, "fra1", "c-2");
}

static void test_broken_lists(void **state)
{
    static const char *const lists[] = { "[]", "{}", "[1,null,{}]",
                                         "[{\"slug\":\"s-1\",\"available\":true,\"regions\":1}]" };
    struct ocean_shape shape = { .family = TEXT("s-") };
    struct text region = TEXT("fra1");

    (void)state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        AUTO(arena) arena = arena_new(BYTES);
        struct doc sizes;
        struct err err;

        assert_true(json_parse(arena, text_from(lists[i]), NULL, &sizes, &err));
        assert_null(ocean_size_choose(&sizes, &shape, &region, 1));
        assert_true(ocean_size_nearest(arena, &sizes, &shape, &region, 1).length < 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),    cmocka_unit_test(test_next_larger),
        cmocka_unit_test(test_cheapest), cmocka_unit_test(test_regions),
        cmocka_unit_test(test_none),     cmocka_unit_test(test_broken_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
