/* The table of routes: which row a request meets. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/request/route.h"

#include <string.h>

static struct route_match find(const char *method, const char *path)
{
    return route_find(text_from(method), text_from(path));
}

static void names_may_have_slashes(void **state)
{
    struct route_match match = find("GET", "/v1/nodegroups/shop/eu/web");

    (void)state;
    assert_string_equal(match.route->path, "/v1/{kinds}/{name...}");
    assert_string_equal(match.kind->name, "NodeGroup");
    assert_true(text_is(match.name, "shop/eu/web"));
    match = find("POST", "/v1/nodegroups/shop/eu/web/undo");
    assert_string_equal(match.route->path, "/v1/{kinds}/{name...}/undo");
    assert_true(text_is(match.name, "shop/eu/web"));
    match = find("POST", "/v1/plans/7f3a/apply");
    assert_true(text_is(match.name, "7f3a"));
}

static void what_is_not_in_the_table_does_not_exist(void **state)
{
    static const char *const paths[] = {
        "",          "/v1",           "/v1/",           "/v1/cluster",  "/v1/clusters/",
        "/v1//shop", "//v1/clusters", "/v1/plans/a/b",  "/v2/clusters", "/v1/image",
        "/netboot",  "/healthz/",     "/v1/clusters//",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (find("GET", paths[i]).allowed_count != 0) {
            fail_msg("found: %s", paths[i]);
        }
    }
}

static void another_method_is_reported_the_right_ones(void **state)
{
    struct route_match match = find("BREW", "/v1/clusters");

    (void)state;
    assert_null(match.route);
    assert_int_equal(match.allowed_count, 2);
    assert_string_equal(match.allowed[0], "GET");
    assert_string_equal(match.allowed[1], "POST");
    assert_ptr_equal(find("HEAD", "/v1/clusters").route, find("GET", "/v1/clusters").route);
    assert_null(find("get", "/v1/clusters").route);
}

/* A GET may be sent again by anybody on the way; changes need a role. */
static void the_table_keeps_its_rules(void **state)
{
    size_t count;
    const struct route *table = route_table(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        bool is_get = strcmp(table[i].method, "GET") == 0;

        assert_non_null(table[i].run);
        assert_true(is_get || table[i].who >= ROUTE_KNOWN ||
                    strcmp(table[i].path, "/v1/session") == 0 ||
                    strcmp(table[i].path, "/netboot/report") == 0 ||
                    strcmp(table[i].path, "/n/{name}/phone-home") == 0 /* logging in */);
        assert_true(!is_get || table[i].consumes[0] == '\0');
        assert_true(table[i].help[0] != '\0');
        assert_true(strstr(table[i].path, "{kinds}") == NULL || table[i].who >= ROUTE_VIEWER);
        assert_true(is_get || strstr(table[i].path, "{kinds}") == NULL ||
                    table[i].who >= ROUTE_OPERATOR);
    }
}

static void parameters_are_known_by_route(void **state)
{
    const struct route *list = find("GET", "/v1/clusters").route;

    (void)state;
    assert_true(route_has_parameter(list, TEXT("limit")));
    assert_true(route_has_parameter(list, TEXT("tenant")));
    assert_false(route_has_parameter(list, TEXT("limit next")));
    assert_false(route_has_parameter(list, TEXT("lim")));
    assert_false(route_has_parameter(list, TEXT("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_may_have_slashes),
        cmocka_unit_test(what_is_not_in_the_table_does_not_exist),
        cmocka_unit_test(another_method_is_reported_the_right_ones),
        cmocka_unit_test(the_table_keeps_its_rules),
        cmocka_unit_test(parameters_are_known_by_route),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
