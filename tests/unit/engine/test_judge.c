/* Plugins validate the properties of a change before it is committed. Each plugin is called once
 * for each set of properties. A change with faults is refused at the place of each fault. A plugin
 * that does not answer only causes a warning. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "service/service_read.h"
#include "store/memory.h"
#include "service/service_change.h"

#include <reeve/plugin.h>
#include <stdio.h>
#include <string.h>

enum { RING = 1024, CALLS = 16 };

/* A call that the plugin has not answered yet. */
struct call {
    char plugin[32];
    char properties[256];
    void (*done)(void *arg, struct wire_list faults, struct text problem);
    void *arg;
};

struct answer {
    bool is_there;
    size_t error_count;
    size_t warning_count;
    struct err errors[4];
};

struct fixture {
    struct store *store;
    struct cache *cache;
    struct service *service;
    struct arena *arena;
    int64_t now_ms;
    unsigned ids;
    struct call calls[CALLS];
    size_t call_count;
    bool answers_at_once;
};

static struct fixture fixture;

static struct wire_property schema[] = {
    { .name = TEXT("image"), .type = REEVE_TYPE_TEXT, .role = REEVE_ROLE_IMAGE },
    { .name = TEXT("memory"), .type = REEVE_TYPE_SIZE },
    { .name = TEXT("extra"), .type = REEVE_TYPE_MAP },
};
static const struct wire_hello judging = { .name = TEXT("judging"),
                                           .methods = UINT64_C(1) << WIRE_VALIDATE,
                                           .properties = { schema, ARRAY_COUNT(schema) } };
static const struct wire_hello other = { .name = TEXT("other"),
                                         .methods = UINT64_C(1) << WIRE_VALIDATE,
                                         .properties = { schema, ARRAY_COUNT(schema) } };

static const struct wire_hello *hello_find(void *arg, struct text name)
{
    (void)arg;
    return text_is(name, "judging") ? &judging : text_is(name, "other") ? &other : NULL;
}

static const struct model_plugins plugins = { .find = hello_find };

static int64_t wall_ms(void *arg)
{
    return ((struct fixture *)arg)->now_ms++;
}

static void id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08x-0000-4000-8000-000000000000", ++((struct fixture *)arg)->ids);
}

static void judge(void *arg, struct text tenant, struct text plugin, struct text properties,
                  void (*done)(void *done_arg, struct wire_list faults, struct text problem),
                  void *done_arg)
{
    struct fixture *self = arg;
    struct call *call = &self->calls[self->call_count];

    assert_true(text_is(tenant, "default"));
    assert_true(self->call_count < CALLS);
    self->call_count++;
    snprintf(call->plugin, sizeof(call->plugin), "%.*s", TEXT_ARG(plugin));
    snprintf(call->properties, sizeof(call->properties), "%.*s", TEXT_ARG(properties));
    call->done = done;
    call->arg = done_arg;
    if (self->answers_at_once) {
        done(done_arg, (struct wire_list){ NULL, 0 }, TEXT(""));
    }
}

static void turn(void)
{
    store_run(fixture.store);
    cache_run(fixture.cache);
    service_run(fixture.service);
}

static void turns(int count)
{
    for (int i = 0; i < count; i++) {
        turn();
    }
}

static int setup(void **state)
{
    fixture = (struct fixture){ .now_ms = INT64_C(1760000000000) };
    fixture.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    fixture.store = memory_open((const unsigned char *)"0123456789abcdef");
    fixture.cache = cache_new(fixture.store, RING);
    fixture.service = service_new(fixture.store, fixture.cache,
                                  (struct service_ports){ wall_ms, id_make, &fixture });
    service_keeps(fixture.service, &(struct service_controller){
                                       .plugins = &plugins, .judge = judge, .arg = &fixture });
    turns(20);
    assert_true(service_is_ready(fixture.service));
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cache_free(fixture.cache);
    store_close(fixture.store);
    service_free(fixture.service);
    arena_free(fixture.arena);
    return 0;
}

static void on_answer(void *arg, const struct service_answer *answer)
{
    struct answer *out = arg;
    const struct err_list *errors = answer->errors;

    assert_false(out->is_there);
    out->is_there = true;
    out->error_count = errors->errors;
    out->warning_count = errors->warnings;
    for (size_t i = 0; i < errors->count && i < ARRAY_COUNT(out->errors); i++) {
        out->errors[i] = errors->items[i];
    }
}

static void apply(const char *groups, struct answer *out)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct service_change change = { .mode = CHANGE_APPLY };
    struct origin *origin = arena_one(fixture.arena, struct origin);
    struct text yaml = arena_printf(fixture.arena, "version: '1'\nname: shop\ngroups:\n%s", groups);
    struct err_list faults;
    struct yaml_docs docs;
    struct err err;

    *out = (struct answer){ 0 };
    origin->source = 1;
    err_list_init(&faults, fixture.arena);
    assert_true(yaml_parse_tolerant(fixture.arena, yaml, origin, &docs, &faults, &err));
    change.documents = docs.items;
    change.document_count = docs.count;
    service_change(fixture.service, fixture.arena, &actor, &change, on_answer, out);
    turns(50);
}

static void answer_call(size_t at, struct wire_pair *faults, size_t count, const char *problem)
{
    struct call *call = &fixture.calls[at];

    assert_true(at < fixture.call_count);
    call->done(call->arg, (struct wire_list){ faults, count }, text_from(problem));
    turns(50);
}

static bool is_group_there(const char *name)
{
    struct service_actor actor = { TEXT("default"), TEXT("ana") };
    struct answer answer = { 0 };

    service_get(fixture.service, fixture.arena, &actor,
                &(struct service_get){ .kind = objects_kind("NodeGroup"), .name = text_from(name) },
                on_answer, &answer);
    turns(20);
    assert_true(answer.is_there);
    return answer.error_count == 0;
}

#define WEB \
    "  web: {size: 1, resourcePlugin: {name: judging}, resourceProperties: {memory: 1GiB}}\n"

static void test_a_change_waits_for_every_answer(void **state)
{
    struct answer answer;

    (void)state;
    apply(WEB
          "  db: {size: 1, resourcePlugin: {name: judging}, resourceProperties: {memory: 2GiB}}\n"
          "  api: {size: 1, resourcePlugin: {name: other}, resourceProperties: {memory: 1GiB}}\n",
          &answer);
    assert_int_equal(fixture.call_count, 3);
    assert_false(answer.is_there);
    answer_call(0, NULL, 0, "");
    answer_call(2, NULL, 0, "");
    assert_false(answer.is_there);
    assert_false(is_group_there("shop/web"));
    answer_call(1, NULL, 0, "");
    assert_true(answer.is_there);
    assert_int_equal(answer.error_count, 0);
    assert_int_equal(answer.warning_count, 0);
    assert_int_equal(fixture.call_count, 3);
    assert_true(is_group_there("shop/web"));
}

static void test_a_plugin_is_asked_what_it_will_get(void **state)
{
    struct answer answer;

    (void)state;
    fixture.answers_at_once = true;
    apply(WEB, &answer);
    assert_true(answer.is_there);
    assert_int_equal(answer.error_count, 0);
    assert_int_equal(fixture.call_count, 1);
    assert_string_equal(fixture.calls[0].plugin, "judging");
    assert_string_equal(fixture.calls[0].properties, "{\"memory\":1073741824}");
}

static void test_another_plugin_is_asked_about_equal_properties(void **state)
{
    struct answer answer;
    bool is_judging_asked = false;
    bool is_other_asked = false;

    (void)state;
    fixture.answers_at_once = true;
    apply(WEB
          "  api: {size: 1, resourcePlugin: {name: other}, resourceProperties: {memory: 1GiB}}\n",
          &answer);
    assert_true(answer.is_there);
    assert_int_equal(answer.error_count, 0);
    for (size_t i = 0; i < fixture.call_count; i++) {
        is_judging_asked = is_judging_asked || strcmp(fixture.calls[i].plugin, "judging") == 0;
        is_other_asked = is_other_asked || strcmp(fixture.calls[i].plugin, "other") == 0;
    }
    assert_true(is_judging_asked);
    assert_true(is_other_asked);
}

static void test_a_fault_refuses_the_change_at_its_place(void **state)
{
    struct wire_pair faults[] = { { TEXT("/memory"), TEXT("more than this host has") },
                                  { TEXT("/extra/deep/er"), TEXT("nothing of that kind") } };
    struct answer answer;

    (void)state;
    apply("  web:\n    size: 1\n    resourcePlugin: {name: judging}\n    resourceProperties:\n"
          "      memory: 1GiB\n      extra: {deep: 1}\n",
          &answer);
    answer_call(0, faults, ARRAY_COUNT(faults), "");
    assert_true(answer.is_there);
    assert_int_equal(answer.error_count, 2);
    assert_int_equal(answer.errors[0].code, CODE_R0605);
    assert_string_equal(answer.errors[0].text, "plugin judging: more than this host has");
    assert_int_equal(answer.errors[0].place.line, 8);
    assert_string_equal(answer.errors[0].path, "/groups/web/resourceProperties/memory");
    /* the error is at the nearest enclosing value of a place that is not in the file */
    assert_string_equal(answer.errors[1].text, "plugin judging: nothing of that kind");
    assert_int_equal(answer.errors[1].place.line, 9);
    assert_int_equal(answer.errors[1].place.column, 21);
    assert_string_equal(answer.errors[1].path, "/groups/web/resourceProperties/extra/deep");
    assert_false(is_group_there("shop/web"));
}

static void test_a_fault_without_a_place_is_at_the_group(void **state)
{
    struct wire_pair faults[] = { { TEXT(""), TEXT("no room in this region") } };
    struct answer answer;

    (void)state;
    apply(WEB, &answer);
    answer_call(0, faults, ARRAY_COUNT(faults), "");
    assert_true(answer.is_there);
    assert_int_equal(answer.error_count, 1);
    assert_int_equal(answer.errors[0].place.line, 4);
    assert_string_equal(answer.errors[0].path, "/groups/web/resourceProperties");
    assert_false(is_group_there("shop/web"));
}

static void test_no_answer_of_the_plugin_is_a_warning(void **state)
{
    struct answer answer;

    (void)state;
    apply(WEB, &answer);
    answer_call(0, NULL, 0, "the plugin did not answer within 10 s");
    assert_true(answer.is_there);
    assert_int_equal(answer.error_count, 0);
    assert_int_equal(answer.warning_count, 1);
    assert_true(is_group_there("shop/web"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_change_waits_for_every_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_plugin_is_asked_what_it_will_get, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_plugin_is_asked_about_equal_properties, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_fault_refuses_the_change_at_its_place, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_fault_without_a_place_is_at_the_group, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_no_answer_of_the_plugin_is_a_warning, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
