/* Laws of changes, on random states. Examining only the groups that a request can change gives the
 * same keys, sums and faults as examining all groups. After a change, computing it again gives no
 * further change. Exporting the shown state and applying it changes nothing. The keys of the store
 * are always consistent. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "codec/json.h"
#include "change/change_patch.h"
#include "state/flat.h"
#include "model/nest.h"
#include "store/memory.h"

#include <stdio.h>
#include <string.h>

enum { RING = 4096, ROUNDS = 600, GROUPS = 12 };

struct world {
    struct store *store;
    struct cache *cache;
    struct names *names;
    struct arena *arena; /* memory of one round */
    uint64_t luck;
    unsigned ids;
};

static uint64_t draw(struct world *world, uint64_t limit)
{
    world->luck ^= world->luck << 13;
    world->luck ^= world->luck >> 7;
    world->luck ^= world->luck << 17;
    return world->luck % limit;
}

static void id_make(void *arg, char out[static 37])
{
    snprintf(out, 37, "%08x-0000-4000-8000-000000000000", ++((struct world *)arg)->ids);
}

static void turn(struct world *world)
{
    store_run(world->store);
    cache_run(world->cache);
}

/* ---- random requests ---- */

static void group_write(struct world *world, struct buf *buf)
{
    static const char *const namings[] = { "",
                                           "",
                                           "",
                                           ",\"naming\":\"{group}{n}\"",
                                           ",\"naming\":\"n-{n}\"",
                                           ",\"naming\":\"{n}-x\"",
                                           ",\"naming\":\"{group}-1-{n}\"" };
    static const char *const extras[] = { "",
                                          "",
                                          ",\"labels\":{\"a\":\"b\"}",
                                          ",\"protected\":true",
                                          ",\"image\":\"i\"",
                                          ",\"zones\":[\"a\",\"b\"]" };

    buf_printf(buf, "{\"size\":%u%s%s}", (unsigned)draw(world, 4), namings[draw(world, 7)],
               extras[draw(world, 6)]);
}

/* The document that was applied last, as text, so that the next document is similar to it. */
struct file {
    struct text groups[GROUPS]; /* text of each group; empty: the group is missing */
    bool has_labels;
};

static void file_shuffle(struct world *world, struct arena *memory, struct file *file)
{
    unsigned count = (unsigned)draw(world, 3);

    for (unsigned i = 0; i <= count; i++) {
        size_t at = draw(world, GROUPS);
        struct buf buf;

        buf_init(&buf, memory);
        if (draw(world, 12) == 0) {
            buf_add_string(&buf, "{\"groups\":{\"x\":");
            group_write(world, &buf);
            buf_add_string(&buf, "}}");
        } else if (draw(world, 5) > 0) {
            group_write(world, &buf);
        }
        file->groups[at] = buf_text(&buf);
    }
    file->has_labels = draw(world, 12) == 0 ? !file->has_labels : file->has_labels;
}

static struct doc parse(struct world *world, struct text bytes)
{
    struct origin *origin = arena_one(world->arena, struct origin);
    struct doc doc;
    struct err err;

    origin->source = 1;
    assert_true(json_parse(world->arena, bytes, origin, &doc, &err));
    return doc;
}

static struct doc file_doc(struct world *world, const struct file *file)
{
    static const char *const names[GROUPS] = { "a", "a-1", "a.b", "b", "b-1", "c",
                                               "d", "d_1", "e",   "f", "g",   "h" };
    struct buf buf;
    bool is_first = true;

    buf_init(&buf, world->arena);
    buf_printf(&buf,
               "{\"name\":\"shop\",\"version\":\"1\",\"empty\":true,%s\"defaults\":{"
               "\"resourcePlugin\":{\"name\":\"sim\"}},\"groups\":{",
               file->has_labels ? "\"labels\":{\"l\":\"1\"}," : "");
    for (size_t i = 0; i < GROUPS; i++) {
        if (file->groups[i].length > 0) {
            buf_printf(&buf, "%s\"%s\":%.*s", is_first ? "" : ",", names[i],
                       TEXT_ARG(file->groups[i]));
            is_first = false;
        }
    }
    buf_add_string(&buf, "}}");
    return parse(world, buf_text(&buf));
}

static struct doc group_doc(struct world *world)
{
    static const char *const names[] = { "a", "a-1", "b", "c", "new", "new-1" };
    struct buf group;
    struct buf buf;

    buf_init(&buf, world->arena);
    buf_printf(&buf, "{\"kind\":\"NodeGroup\",\"cluster\":\"shop\",\"name\":\"%s\",",
               names[draw(world, 6)]);
    buf_init(&group, world->arena);
    group_write(world, &group);
    buf_add(&buf, text_slice(buf_text(&group), 1, group.length));
    return parse(world, buf_text(&buf));
}

/* ---- both ways ---- */

static struct change compute(struct world *world, enum change_mode mode, const struct doc *document,
                             struct names *names, const struct change_known *known,
                             struct err_list *errors)
{
    struct change_request request = {
        .tenant = TEXT("default"),
        .by = TEXT("ana"),
        .now = TEXT("2026-01-01T00:00:00.000Z"),
        .mode = mode,
        .documents = document,
        .document_count = 1,
        .names = names,
        .known = known,
        .id_make = id_make,
        .id_arg = world,
    };

    err_list_init(errors, world->arena);
    return change_make(world->arena, world->cache, &request, errors);
}

static void same_change(const struct change *a, const struct change *b)
{
    assert_int_equal(a->op_count, b->op_count);
    for (size_t i = 0; i < a->op_count; i++) {
        if (!text_is_equal(a->ops[i].key, b->ops[i].key) ||
            !text_is_equal(a->ops[i].value, b->ops[i].value)) {
            fail_msg("%.*s: %.*s != %.*s: %.*s", TEXT_ARG(a->ops[i].key), TEXT_ARG(a->ops[i].value),
                     TEXT_ARG(b->ops[i].key), TEXT_ARG(b->ops[i].value));
        }
        assert_int_equal(a->ops[i].is_delete, b->ops[i].is_delete);
    }
    assert_int_equal(a->summary.creates, b->summary.creates);
    assert_int_equal(a->summary.destroys, b->summary.destroys);
    assert_int_equal(a->summary.changes, b->summary.changes);
    assert_int_equal(a->needs.destroy, b->needs.destroy);
    assert_true(a->pin_count == b->pin_count);
}

static void same_faults(const struct err_list *a, const struct err_list *b)
{
    assert_int_equal(a->errors > 0, b->errors > 0);
    /* for a conflict, either side may be reported */
    if (a->count > 0 && a->items[0].code != CODE_R0337) {
        assert_string_equal(code_get(a->items[0].code)->name, code_get(b->items[0].code)->name);
    }
}

static void stored(void *arg, enum outcome outcome, const struct store_answer *answer)
{
    (void)answer;
    assert_int_equal(outcome, OUTCOME_OK);
    *(bool *)arg = true;
}

static void write_change(struct world *world, const struct change *change)
{
    struct store_op *ops = arena_array(world->arena, struct store_op, change->op_count);
    bool is_stored = false;

    for (size_t i = 0; i < change->op_count; i++) {
        ops[i] =
            (struct store_op){ change->ops[i].key, change->ops[i].value, change->ops[i].is_delete };
    }
    store_txn(world->store,
              &(struct store_txn){ .compares = change->pins,
                                   .compare_count = change->pin_count,
                                   .ops = ops,
                                   .op_count = change->op_count },
              stored, &is_stored);
    while (!is_stored || cache_revision(world->cache) < change->revision + 1) {
        turn(world);
    }
}

/* Computes a change in both ways, compares and writes it, and checks that nothing is left to do.
 * Returns whether the change was made. */
static bool round_run(struct world *world, enum change_mode mode, const struct doc *document)
{
    unsigned ids = world->ids;
    struct err_list partial_errors;
    struct err_list full_errors;
    struct change partial = compute(world, mode, document, world->names, NULL, &partial_errors);
    struct change full;

    world->ids = ids;
    full = compute(world, mode, document, NULL, NULL, &full_errors);
    same_faults(&full_errors, &partial_errors);
    if (full_errors.errors > 0) {
        return false;
    }
    same_change(&full, &partial);
    if (full.op_count > 0) {
        write_change(world, &partial);
    }
    if (mode == CHANGE_APPLY) {
        full = compute(world, mode, document, world->names, NULL, &full_errors);
        assert_int_equal(full_errors.errors, 0);
        assert_int_equal(full.op_count, 0);
    }
    return true;
}

/* ---- patches ---- */

static const char *group_name(struct world *world)
{
    static const char *const names[] = { "a", "a-1", "a.b", "b", "c", "new", "in", "in2" };

    return names[draw(world, 8)];
}

/* Writes a part of a merge patch: a group is changed, replaced or removed, or its inner groups are
 * changed. */
static void merge_group_write(struct world *world, struct buf *buf)
{
    static const char *const parts[] = {
        "{\"size\":3}",
        "{\"size\":1,\"labels\":{\"k\":\"v\",\"a\":null}}",
        "null",
        "{\"image\":null}",
        "{\"groups\":{\"x\":{\"size\":1}}}",
        "{\"groups\":{\"y\":{\"size\":2,\"protected\":true}}}",
        "{\"groups\":{\"x\":null}}",
        "{\"groups\":{\"x\":null,\"y\":{\"size\":1}}}",
        "{\"groups\":{\"x\":{\"labels\":{\"deep\":\"1\"}}}}",
        "{\"groups\":null}",
        "{\"groups\":{}}",
        "{\"image\":\"i\",\"groups\":{\"y\":{\"zones\":[\"a\"]}}}",
        "{\"size\":1,\"from\":{\"nodegroup\":\"shop/a\"}}",
        "7",
    };

    if (draw(world, 3) == 0) {
        group_write(world, buf);
    } else {
        buf_add_string(buf, parts[draw(world, ARRAY_COUNT(parts))]);
    }
}

static struct doc merge_patch(struct world *world)
{
    unsigned count = 1 + (unsigned)draw(world, 3);
    char written[8] = "";
    struct buf buf;

    buf_init(&buf, world->arena);
    buf_add_string(&buf, draw(world, 8) == 0 ? "{\"labels\":{\"h\":\"1\"},\"groups\":{"
                                             : "{\"groups\":{");
    for (unsigned i = 0; i < count; i++) {
        const char *name = group_name(world);

        if (strchr(written, *name) != NULL) {
            continue; /* a key may appear only once */
        }
        written[strlen(written)] = *name;
        buf_printf(&buf, "%s\"%s\":", i == 0 ? "" : ",", name);
        merge_group_write(world, &buf);
    }
    buf_add_string(&buf, "}}");
    return parse(world, buf_text(&buf));
}

static struct doc json_patch(struct world *world)
{
    static const char *const operations[] = {
        "{\"op\":\"replace\",\"path\":\"/groups/%s/size\",\"value\":2}",
        "{\"op\":\"add\",\"path\":\"/groups/%s\",\"value\":{\"size\":1}}",
        "{\"op\":\"add\",\"path\":\"/groups/%s/groups\",\"value\":{\"z\":{\"size\":1}}}",
        "{\"op\":\"remove\",\"path\":\"/groups/%s\"}",
        "{\"op\":\"move\",\"from\":\"/groups/a\",\"path\":\"/groups/%s\"}",
        "{\"op\":\"copy\",\"from\":\"/groups/b\",\"path\":\"/groups/%s\"}",
        "{\"op\":\"test\",\"path\":\"/groups/%s/size\",\"value\":1}",
        "{\"op\":\"add\",\"path\":\"/labels\",\"value\":{\"from\":\"%s\"}}",
    };
    unsigned count = 1 + (unsigned)draw(world, 2);
    struct buf buf;

    buf_init(&buf, world->arena);
    for (unsigned i = 0; i < count; i++) {
        const char *operation = operations[draw(world, ARRAY_COUNT(operations))];
        const char *at = strstr(operation, "%s");

        buf_add_string(&buf, i == 0 ? "[" : ",");
        buf_add(&buf, (struct text){ operation, (size_t)(at - operation) });
        buf_add_string(&buf, group_name(world));
        buf_add_string(&buf, at + 2);
    }
    buf_add_string(&buf, "]");
    return parse(world, buf_text(&buf));
}

/* Applies a patch and computes the change, as the service does. If the patch is invalid, that is
 * the only fault. */
static struct change patch_compute(struct world *world, const struct change_patch *patch,
                                   struct names *names, struct change_patched *patched,
                                   struct err_list *errors)
{
    struct err err;

    err_list_init(errors, world->arena);
    if (!change_patch_lay(world->arena, world->cache, names, patch, patched, &err)) {
        err_list_add(errors, &err);
        return (struct change){ 0 };
    }
    return compute(world, CHANGE_REPLACE, &patched->document, names,
                   names == NULL ? NULL : &patched->known, errors);
}

/* Checks that a patch gives the same result when it is applied only to the groups that it names and
 * when it is applied to everything. */
static bool patch_run(struct world *world, enum change_patch_kind kind, const struct doc *doc,
                      unsigned *left_out)
{
    struct change_patch patch = { kind, TEXT("default"), objects_kind("Cluster"), TEXT("shop"),
                                  doc };
    unsigned ids = world->ids;
    struct change_patched patched = { 0 };
    struct change_patched whole = { 0 };
    struct err_list partial_errors;
    struct err_list full_errors;
    struct change partial = patch_compute(world, &patch, world->names, &patched, &partial_errors);
    struct change full;

    world->ids = ids;
    full = patch_compute(world, &patch, NULL, &whole, &full_errors);
    same_faults(&full_errors, &partial_errors);
    if (full_errors.errors > 0) {
        return false;
    }
    same_change(&full, &partial);
    *left_out += patched.known.others != NULL;
    if (full.op_count > 0) {
        write_change(world, &partial);
    }
    return true;
}

/* ---- what holds at any time ---- */

static void keys_check(struct world *world)
{
    const struct cache_object *cluster =
        objects_find(world->cache, TEXT("default"), objects_kind("Cluster"), TEXT("shop"));
    struct stored_object stored_cluster;
    struct text prefix = TEXT("/default/NodeGroup/");
    const struct cache_object *group;
    uint64_t nodes = 0;
    size_t groups = 0;
    struct err_list errors;
    struct change change;
    struct doc flat;
    struct err err;

    if (cluster == NULL) {
        assert_null(cache_first(world->cache, TEXT("/default/")));
        return;
    }
    assert_true(objects_read(world->arena, world->cache, objects_kind("Cluster"), cluster,
                             &stored_cluster, &err));
    for (group = cache_first(world->cache, prefix); group != NULL;
         group = cache_next(world->cache, prefix, group)) {
        struct stored_group *found = stored_group_find(&stored_cluster, objects_group_path(group));

        assert_non_null(found);
        nodes += (uint64_t)(doc_child(&found->part.spec, "size")->text.data[0] - '0');
        groups++;
    }
    assert_int_equal(groups, stored_cluster.group_count);
    flat = flat_export(world->arena, &stored_cluster, cache_id(cluster));
    change = compute(world, CHANGE_APPLY, &flat, world->names, NULL, &errors);
    assert_int_equal(errors.errors, 0);
    assert_int_equal(change.summary.creates + change.summary.destroys + change.summary.changes, 0);
    assert_int_equal(stored_cluster.part.meta.groups, groups);
    assert_int_equal(stored_cluster.part.meta.nodes, nodes);
}

static void random_requests_keep_the_laws(void **state)
{
    unsigned made = 0;
    unsigned patched = 0;
    unsigned left_out = 0;

    for (uint64_t seed = 1; seed <= 5; seed++) {
        AUTO(arena) memory = arena_new(LIMIT_WORK_ARENA_BYTES);
        struct world world = { .luck = seed * 0x9e3779b97f4a7c15 };
        struct file file = { 0 };

        world.store = memory_open((const unsigned char *)"0123456789abcdef");
        world.cache = cache_new(world.store, RING);
        world.names = names_new(world.cache);
        while (cache_state(world.cache) != CACHE_READY) {
            turn(&world);
        }
        for (unsigned round = 0; round < ROUNDS; round++) {
            struct doc document;

            world.arena = arena_new(LIMIT_WORK_ARENA_BYTES);
            if (draw(&world, 3) == 0) {
                bool is_merge = draw(&world, 3) > 0;

                document = is_merge ? merge_patch(&world) : json_patch(&world);
                patched += patch_run(&world, is_merge ? CHANGE_PATCH_MERGE : CHANGE_PATCH_JSON,
                                     &document, &left_out);
            } else if (draw(&world, 3) > 0) {
                struct file next = file;

                file_shuffle(&world, memory, &next);
                document = file_doc(&world, &next);
                if (round_run(&world, draw(&world, 6) == 0 ? CHANGE_REPLACE : CHANGE_APPLY,
                              &document)) {
                    file = next;
                    made++;
                }
            } else {
                static const enum change_mode modes[] = { CHANGE_APPLY, CHANGE_CREATE,
                                                          CHANGE_REPLACE, CHANGE_DELETE };

                document = group_doc(&world);
                made += round_run(&world, modes[draw(&world, 4)], &document);
            }
            keys_check(&world);
            arena_free(world.arena);
        }
        cache_free(world.cache);
        store_close(world.store);
        names_free(world.names);
    }
    (void)state;
    assert_true(made > 500);
    assert_true(patched > 100 && left_out > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_requests_keep_the_laws) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
