#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "model/merge.h"

static void errors_show(const struct world *world)
{
    for (size_t i = 0; i < world->errors.count; i++) {
        const struct err *err = &world->errors.items[i];

        print_message("# %u:%u %s [%s] %s\n", err->place.line, err->place.column,
                      code_get(err->code)->name, err->path, err->text);
        if (err->hint[0] != '\0') {
            print_message("#    hint: %s\n", err->hint);
        }
    }
}

static struct world *world_begin(struct text bytes, bool is_backwards)
{
    struct arena *arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct world *world = arena_one(arena, struct world);
    struct origin *origin = arena_one(arena, struct origin);
    struct yaml_docs docs = { 0 };
    struct err err = { 0 };

    world->arena = arena;
    bytes = arena_text(arena, bytes);
    origin->source = 1;
    err_list_init(&world->errors, arena);
    if (!yaml_parse_tolerant(arena, bytes, origin, &docs, &world->errors, &err)) {
        err_list_add(&world->errors, &err);
        docs.count = 0;
    }
    model_set_init(&world->set, arena, &world->errors);
    for (size_t i = 0; i < docs.count; i++) {
        model_set_add(&world->set, &docs.items[is_backwards ? docs.count - 1 - i : i]);
    }
    return world;
}

static struct world *world_end(struct world *world)
{
    model_set_resolve(&world->set);
    err_list_sort(&world->errors, world->arena);
    return world;
}

struct world *world_read_bytes(struct text bytes, bool is_backwards)
{
    return world_end(world_begin(bytes, is_backwards));
}

struct world *world_read(const char *yaml)
{
    return world_read_bytes(text_from(yaml), false);
}

struct world *world_read_backwards(const char *yaml)
{
    return world_read_bytes(text_from(yaml), true);
}

struct world *world_read_known(const char *yaml, const struct model_plugins *plugins,
                               const struct model_others *others)
{
    struct world *world = world_begin(text_from(yaml), false);

    world->set.plugins = plugins;
    model_set_index(&world->set);
    for (size_t i = 0; i < world->set.count; i++) {
        if (world->set.objects[i].kind->owner == OWNER_CLUSTER) {
            world->set.objects[i].others = others;
        }
    }
    return world_end(world);
}

void world_free(struct world *world)
{
    arena_free(world->arena);
}

void world_assert_clean(const struct world *world)
{
    world_assert_faults(world, 0);
}

void world_assert_faults(const struct world *world, size_t count)
{
    if (world->errors.errors != count) {
        errors_show(world);
        fail_msg("%zu faults, expected %zu", world->errors.errors, count);
    }
}

const struct err *world_fault(const struct world *world, const char *code, uint32_t line,
                              uint32_t column)
{
    for (size_t i = 0; i < world->errors.count; i++) {
        const struct err *err = &world->errors.items[i];

        if (strcmp(code_get(err->code)->name, code) == 0 && err->place.line == line &&
            err->place.column == column) {
            return err;
        }
    }
    errors_show(world);
    fail_msg("no %s at %u:%u", code, line, column);
    return NULL;
}

static const struct model_object *object_get(const struct world *world, const char *kind,
                                             const char *name)
{
    const struct model_object *object = model_set_find(&world->set, kind, text_from(name));

    if (object == NULL) {
        errors_show(world);
        fail_msg("no %s '%s'", kind, name);
    }
    return object;
}

const struct model_leaf *world_leaf(const struct world *world, const char *kind, const char *name,
                                    const char *path)
{
    const struct model_object *object = object_get(world, kind, name);

    for (size_t i = 0; i < object->leaf_count; i++) {
        if (text_is(object->leaves[i].path, path)) {
            return &object->leaves[i];
        }
    }
    errors_show(world);
    fail_msg("%s '%s' has no leaf '%s'", kind, name, path);
    return NULL;
}

const char *world_json(const struct world *world, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, world->arena);
    json_format(&buf, doc);
    return buf_text(&buf).data;
}

const char *world_leaf_json(const struct world *world, const char *name, const char *path)
{
    return world_json(world, &world_leaf(world, "Cluster", name, path)->doc);
}

const char *world_object_json(const struct world *world, const char *kind, const char *name)
{
    struct doc pruned =
        merge_prune(world->arena, MERGE_CLUSTER, &object_get(world, kind, name)->merged);

    return world_json(world, &pruned);
}

void world_assert_origin(const struct world *world, const char *name, const char *path,
                         const char *pointer, const char *origin, uint32_t line)
{
    const struct doc *value =
        doc_at(&world_leaf(world, "Cluster", name, path)->doc, text_from(pointer));
    struct text words;

    if (value == NULL) {
        fail_msg("nothing at %s", pointer);
        return;
    }
    words = model_origin_format(world->arena, value->origin);
    assert_string_equal(arena_string(world->arena, words), origin);
    assert_int_equal(doc_place(value).line, line);
}

static void part_assert(const char *whole, const char *part)
{
    if (part != NULL && strstr(whole, part) == NULL) {
        fail_msg("'%s' does not hold '%s'", whole, part);
    }
}

static void fault_case_run(void **state)
{
    const struct fault_case *row = *state;
    struct world *world = world_read(row->yaml);
    const struct err *err;

    if (row->code == NULL) {
        world_assert_clean(world);
        world_free(world);
        return;
    }
    err = world_fault(world, row->code, row->line, row->column);
    part_assert(err->text, row->text);
    part_assert(err->hint, row->hint);
    if (row->pointer != NULL) {
        assert_string_equal(err->path, row->pointer);
    }
    world_assert_faults(world, 1);
    world_free(world);
}

int fault_cases_run(const char *group, const struct fault_case *cases, size_t count)
{
    struct CMUnitTest *tests = test_calloc(count, sizeof(*tests));
    int failed;

    for (size_t i = 0; i < count; i++) {
        tests[i].name = cases[i].name;
        tests[i].test_func = fault_case_run;
        tests[i].initial_state = (void *)(uintptr_t)&cases[i];
    }
    failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
    test_free(tests);
    return failed;
}
