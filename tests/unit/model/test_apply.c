/* Apply is three-way (FILE.md 6.8, REQUIREMENTS 0.14): a table of the file as last applied, the
 * current state, the new file, and the result. */
#include "world.h"

#include <string.h>

#include "base/macros.h"
#include "codec/json.h"
#include "model/apply.h"

struct apply_case {
    const char *name;
    const char *applied;
    const char *live;
    const char *file;
    const char *result;
    const char *kept; /* path of the only kept value; NULL: none */
    const char *take; /* value of --take; NULL: none */
};

#define WEB(size) "{\"groups\":{\"web\":{\"size\":" #size "}}}"

static const struct apply_case cases[] = {
    { "what_nobody_changed_stays", WEB(3), WEB(3), WEB(3), WEB(3), NULL, NULL },
    { "what_the_file_changed_is_taken", WEB(3), WEB(3), WEB(4), WEB(4), NULL, NULL },
    { "0_14_a_newer_live_change_is_kept", WEB(3), WEB(6), WEB(3), WEB(6), "groups.web.size", NULL },
    { "0_14_take_sets_it", WEB(3), WEB(6), WEB(3), WEB(3), NULL, "groups.web.size" },
    { "take_of_an_outer_path_sets_it", WEB(3), WEB(6), WEB(3), WEB(3), NULL, "groups" },
    { "take_of_another_path_does_not", WEB(3), WEB(6), WEB(3), WEB(6), "groups.web.size",
      "groups.we" },
    { "the_file_wins_where_both_changed", WEB(3), WEB(6), WEB(4), WEB(4), NULL, NULL },
    { "both_changed_to_the_same", WEB(3), WEB(4), WEB(4), WEB(4), NULL, NULL },
    { "what_left_the_file_goes", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", "{\"a\":1}", "{\"a\":1}",
      NULL, NULL },
    { "what_left_the_file_goes_though_it_was_changed", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":5}",
      "{\"a\":1}", "{\"a\":1}", NULL, NULL },
    { "what_only_others_said_stays", "{\"a\":1}", "{\"a\":1,\"b\":2}", "{\"a\":1}",
      "{\"a\":1,\"b\":2}", NULL, NULL },
    { "a_group_that_left_the_file_goes_as_a_whole", "{\"groups\":{\"web\":{\"size\":3}}}",
      "{\"groups\":{\"web\":{\"size\":3,\"image\":\"a\"}}}", "{\"groups\":{}}", "{\"groups\":{}}",
      NULL, NULL },
    { "labels_that_left_the_file_leave_those_of_others", "{\"labels\":{\"a\":\"1\"}}",
      "{\"labels\":{\"a\":\"1\",\"b\":\"2\"}}", "{}", "{\"labels\":{\"b\":\"2\"}}", NULL, NULL },
    { "a_group_made_by_others_stays", WEB(3),
      "{\"groups\":{\"db\":{\"size\":1},\"web\":{\"size\":3}}}", WEB(3),
      "{\"groups\":{\"db\":{\"size\":1},\"web\":{\"size\":3}}}", NULL, NULL },
    { "what_others_took_out_stays_out", "{\"a\":1,\"b\":2}", "{\"a\":1}", "{\"a\":1,\"b\":2}",
      "{\"a\":1}", "b", NULL },
    { "lists_count_as_one", "{\"zones\":[\"a\"]}", "{\"zones\":[\"a\",\"b\"]}",
      "{\"zones\":[\"a\"]}", "{\"zones\":[\"a\",\"b\"]}", "zones", NULL },
    { "a_file_applied_for_the_first_time_wins", "{}", WEB(6), WEB(3), WEB(3), NULL, NULL },
    { "a_null_in_the_file_is_a_value", "{\"groups\":{\"web\":null}}", "{\"groups\":{\"web\":null}}",
      WEB(3), WEB(3), NULL, NULL },
};

static struct doc read_json(struct arena *arena, const char *json)
{
    static const struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct doc doc;
    struct err err;

    assert_true(json_parse(arena, text_from(json), &origin, &doc, &err));
    return doc;
}

static const char *write_json(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    if (!doc_is_present(doc)) {
        return "";
    }
    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf).data;
}

static void run_case(void **state)
{
    const struct apply_case *row = *state;
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc applied = read_json(arena, row->applied);
    struct doc live = read_json(arena, row->live);
    struct doc file = read_json(arena, row->file);
    struct text take = text_from(row->take);
    struct apply apply;
    struct doc result;

    apply_init(&apply, arena, &take, row->take == NULL ? 0 : 1);
    result = apply_file(&apply, MERGE_CLUSTER, &applied, &live, &file);
    assert_string_equal(write_json(arena, &result), row->result);
    assert_int_equal(apply.kept_count, row->kept == NULL ? 0 : 1);
    if (row->kept != NULL) {
        assert_true(text_is(apply.kept[0].path, row->kept));
    }
    assert_true(row->take == NULL || apply.is_used[0] == (row->kept == NULL));
}

struct request_case {
    const char *name;
    const char *layer;
    const char *own;
    const char *shown;
    const char *wanted;
    const char *result; /* the resulting document */
};

static const struct request_case requests[] = {
    { "a_change_goes_into_own_alone", WEB(3), "{}", WEB(3), WEB(5), WEB(5) },
    { "no_change_changes_nothing", WEB(3), "{}", WEB(3), WEB(3), "{}" },
    { "only_what_changed_is_written", "{\"groups\":{\"web\":{\"image\":\"a\",\"size\":3}}}",
      "{\"name\":\"x\"}", "{\"groups\":{\"web\":{\"image\":\"a\",\"size\":3}},\"name\":\"x\"}",
      "{\"groups\":{\"web\":{\"image\":\"a\",\"size\":4}},\"name\":\"x\"}",
      "{\"groups\":{\"web\":{\"size\":4}},\"name\":\"x\"}" },
    { "what_the_layer_would_bring_back_becomes_null", "{\"image\":\"a\"}", "{}",
      "{\"image\":\"a\"}", "{}", "{\"image\":null}" },
    { "what_stands_alone_is_taken_out", "{}", "{\"image\":\"a\"}", "{\"image\":\"a\"}", "{}",
      "{}" },
    { "a_group_of_the_layer_is_dropped", WEB(3), "{\"name\":\"x\"}",
      "{\"groups\":{\"web\":{\"size\":3}},\"name\":\"x\"}", "{\"groups\":{},\"name\":\"x\"}",
      "{\"groups\":{\"web\":null},\"name\":\"x\"}" },
    { "an_override_goes_and_the_layer_is_hidden", "{\"image\":\"a\"}", "{\"image\":\"b\"}",
      "{\"image\":\"b\"}", "{}", "{\"image\":null}" },
};

static void run_request(void **state)
{
    const struct request_case *row = *state;
    AUTO(arena) arena = arena_new(1 << 20);
    struct doc layer = read_json(arena, row->layer);
    struct doc own = read_json(arena, row->own);
    struct doc shown = read_json(arena, row->shown);
    struct doc wanted = read_json(arena, row->wanted);
    struct doc result = apply_request(arena, MERGE_CLUSTER, &shown, &own, &layer, &wanted);
    struct doc merged = merge_layers(arena, MERGE_CLUSTER, &layer, &result);

    assert_string_equal(write_json(arena, &result), row->result);
    merged = merge_prune(arena, MERGE_CLUSTER, &merged);
    assert_string_equal(write_json(arena, &merged), row->wanted);
}

int main(void)
{
    struct CMUnitTest tests[ARRAY_COUNT(cases) + ARRAY_COUNT(requests)];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        tests[count++] = (struct CMUnitTest){ cases[i].name, run_case, NULL, NULL,
                                              (void *)(uintptr_t)&cases[i] };
    }
    for (size_t i = 0; i < ARRAY_COUNT(requests); i++) {
        tests[count++] = (struct CMUnitTest){ requests[i].name, run_request, NULL, NULL,
                                              (void *)(uintptr_t)&requests[i] };
    }
    return _cmocka_run_group_tests("apply", tests, count, NULL, NULL);
}
