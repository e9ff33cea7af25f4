/* Documents: no set of documents breaks parsing, resolving or planning; every fault has a place in
 * the text; the effective values of leaves equal the written values, state their origin, and do not
 * depend on the order of the documents. */
#include <string.h>

#include "base/buf.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "fuzz.h"
#include "model/diff.h"
#include "plan/file_plan.h"

struct reading {
    struct err_list errors;
    struct model_set set;
};

static void set_read(struct arena *arena, const struct yaml_docs *docs, bool is_backwards,
                     struct reading *out)
{
    err_list_init(&out->errors, arena);
    model_set_init(&out->set, arena, &out->errors);
    for (size_t i = 0; i < docs->count; i++) {
        model_set_add(&out->set, &docs->items[is_backwards ? docs->count - 1 - i : i]);
    }
    model_set_resolve(&out->set);
}

static struct text json_of(struct arena *arena, const struct doc *doc)
{
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, doc);
    return buf_text(&buf);
}

/* Checks that every scalar has its origin. */
static void check_origins(const struct doc *doc)
{
    FUZZ_CHECK(!doc_is_scalar(doc) || doc->origin != NULL);
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        check_origins(&doc->items[i]);
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        FUZZ_CHECK(doc_is_present(&doc->entries[i].value));
        check_origins(&doc->entries[i].value);
    }
}

static void check_leaves(struct arena *arena, const struct model_set *set,
                         const struct model_set *backwards)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct model_object *object = &set->objects[i];
        const struct model_object *other =
            model_set_find(backwards, object->kind->name, object->name);

        FUZZ_CHECK(object->name.length == 0 || other != NULL);
        FUZZ_CHECK(other == NULL || other->leaf_count == object->leaf_count);
        for (size_t j = 0; j < object->leaf_count; j++) {
            const struct model_leaf *leaf = &object->leaves[j];
            struct diff diff = diff_find(arena, OWNER_GROUP, &leaf->doc, &leaf->doc);

            FUZZ_CHECK(diff.count == 0);
            check_origins(&leaf->doc);
            fuzz_check_canonical(arena, &leaf->doc);
            if (other != NULL) {
                FUZZ_CHECK(text_is_equal(json_of(arena, &leaf->doc),
                                         json_of(arena, &other->leaves[j].doc)));
            }
        }
    }
}

static void check_plan(struct arena *arena, const struct model_set *set)
{
    struct file_plan_options options = { .with_values = true, .with_defaults = true };
    struct file_plan_summary summary;
    struct doc alone = file_plan_make(arena, set, NULL, options, &summary);
    struct doc against = file_plan_make(arena, set, set, options, &summary);

    FUZZ_CHECK(doc_is_list(&alone));
    FUZZ_CHECK(doc_is_list(&against) && against.item_count == alone.item_count);
    FUZZ_CHECK(!summary.has_differences);
    FUZZ_CHECK(summary.creates == 0 && summary.destroys == 0 && summary.changes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = arena_new(LIMIT_WORK_ARENA_BYTES);
    struct origin origin = { .kind = ORIGIN_FILE, .source = 1 };
    struct text bytes = { (const char *)data, size };
    struct yaml_docs docs = { 0 };
    struct reading forward;
    struct reading backward;
    struct err err = { 0 };

    if (!yaml_parse(arena, bytes, &origin, &docs, &err)) {
        return 0;
    }
    set_read(arena, &docs, false, &forward);
    set_read(arena, &docs, true, &backward);
    FUZZ_CHECK((forward.errors.errors == 0) == (backward.errors.errors == 0));
    for (size_t i = 0; i < forward.errors.count; i++) {
        fuzz_check_error(&forward.errors.items[i], bytes);
    }
    if (forward.errors.errors == 0) {
        check_leaves(arena, &forward.set, &backward.set);
        check_plan(arena, &forward.set);
    }
    return 0;
}
