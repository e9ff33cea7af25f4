/* Permitted targets of connections (F25): a host is resolved once, each of its addresses is
 * checked, and later answers of the resolver have no effect. */
#include "unit.h"

#include "fetch/target.h"

#include <arpa/inet.h>
#include <netinet/in.h>

/* A resolver that returns a public address first, and other addresses later. */
struct rebinding {
    const char *words[4];
    size_t per_answer;
    size_t asked;
};

static bool rebind(void *arg, const char *host, struct fetch_ip *out, size_t most, size_t *count,
                   struct err *err)
{
    struct rebinding *rebinding = arg;

    (void)err;
    assert_string_equal(host, "example.com");
    assert_true(rebinding->per_answer <= most);
    for (size_t i = 0; i < rebinding->per_answer; i++) {
        assert_true(fetch_ip_find(
            text_from(rebinding->words[rebinding->asked * rebinding->per_answer + i]), &out[i]));
    }
    *count = rebinding->per_answer;
    rebinding->asked++;
    return true;
}

static bool has(const struct fetch_target *target, const char *address, uint16_t port)
{
    struct sockaddr_in where = { .sin_family = AF_INET, .sin_port = htons(port) };

    assert_int_equal(inet_pton(AF_INET, address, &where.sin_addr), 1);
    return fetch_target_has(target, (const struct sockaddr *)(const void *)&where, sizeof(where));
}

static void resolved_once(void **state)
{
    struct rebinding rebinding = { .words = { "93.184.216.34", "127.0.0.1" }, .per_answer = 1 };
    struct fetch_order order = { .allowed_count = 0 };
    AUTO(arena) arena = arena_new(1 << 16);
    struct fetch_target target;
    struct err err;

    (void)state;
    assert_true(fetch_target_find(&order, TEXT("https://example.com:8443/p"),
                                  (struct fetch_resolver){ rebind, &rebinding }, &target, &err));
    assert_int_equal(rebinding.asked, 1);
    assert_string_equal(fetch_target_words(arena, &target), "example.com:8443:93.184.216.34");
    assert_true(has(&target, "93.184.216.34", 8443));
    /* the address that the resolver would return now */
    assert_false(has(&target, "127.0.0.1", 8443));
    assert_false(has(&target, "93.184.216.34", 22));
    assert_false(fetch_target_find(&order, TEXT("https://example.com/p"),
                                   (struct fetch_resolver){ rebind, &rebinding }, &target, &err));
    assert_int_equal(err.code, CODE_R0641);
}

static void one_of_many(void **state)
{
    struct rebinding rebinding = { .words = { "93.184.216.34", "169.254.169.254", "93.184.216.34",
                                              "10.9.8.7" },
                                   .per_answer = 2 };
    struct fetch_order order = { .allowed_count = 1 };
    struct fetch_target target;
    struct err err;

    (void)state;
    assert_true(fetch_net_parse(TEXT("10.9.0.0/16"), &order.allowed[0], &err));
    assert_false(fetch_target_find(&order, TEXT("https://example.com/p"),
                                   (struct fetch_resolver){ rebind, &rebinding }, &target, &err));
    assert_non_null(strstr(err.text, "169.254.169.254"));
    assert_true(fetch_target_find(&order, TEXT("https://example.com/p"),
                                  (struct fetch_resolver){ rebind, &rebinding }, &target, &err));
    assert_true(has(&target, "10.9.8.7", 443));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(resolved_once),
                                        cmocka_unit_test(one_of_many) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
