#include "cli/change/overlay.h"

#include "model/merge.h"
#include "model/nest.h"

#include <assert.h>

static bool is_with_groups(const struct schema_kind *kind)
{
    return kind->owner == OWNER_CLUSTER || kind->owner == OWNER_CLUSTER_TEMPLATE;
}

/* Return the object that an overlay applies to. NULL: there is no such object, or more than one. */
static struct model_object *overlay_base_find(struct model_object *base, size_t base_count,
                                              const struct model_object *over)
{
    struct model_object *found = NULL;
    size_t count = 0;

    for (size_t i = 0; i < base_count; i++) {
        if (base[i].kind == over->kind &&
            (over->name.length == 0 || text_is_equal(base[i].name, over->name))) {
            found = &base[i];
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

static void base_missing(struct model_set *out, const struct model_object *over)
{
    struct err *err;

    if (over->name.length == 0) {
        err = err_list_set(out->errors, over->place, CODE_R0030,
                           "this overlay has no name, and the files do not contain exactly one %s",
                           over->kind->singular);
        err_hint(err, "write the name of the object that the overlay changes: name: ...");
        return;
    }
    err = err_list_set(out->errors, over->place, CODE_R0030,
                       "this overlay is for %s '%.*s', which is in none of the files",
                       over->kind->singular, TEXT_ARG(over->name));
    err_hint(err, "an overlay changes objects from -f; put a new object into a separate file");
}

/* Return the merged document. An envelope keeps its metadata, because the revision there is a
 * precondition. */
static const struct doc *merged_document(struct arena *arena, const struct model_object *base)
{
    struct doc *document = arena_one(arena, struct doc);
    struct doc kind = doc_text(text_from(base->kind->name), NULL);
    struct doc_builder builder;
    struct doc spec;

    if (base->revision == 0) {
        *document = nest_put(arena, &base->own, "kind", kind);
        return document;
    }
    spec = nest_put(arena, &base->own, "name", (struct doc){ 0 });
    spec = nest_put(arena, &spec, "id", (struct doc){ 0 });
    doc_builder_init(&builder, arena);
    doc_builder_put(&builder, "kind", kind);
    doc_builder_put(&builder, "metadata", *doc_child(base->document, "metadata"));
    doc_builder_put(&builder, "spec", spec);
    *document = doc_builder_map(&builder, base->document);
    return document;
}

void overlay_lay(struct model_set *out, const struct model_set *base, const struct model_set *over)
{
    struct model_object *laid = arena_array(out->arena, struct model_object, base->count + 1);

    assert(out->count == 0);
    for (size_t i = 0; i < base->count; i++) {
        laid[i] = base->objects[i];
    }
    for (size_t i = 0; i < over->count; i++) {
        const struct model_object *one = &over->objects[i];
        struct model_object *under = overlay_base_find(laid, base->count, one);

        if (under == NULL) {
            base_missing(out, one);
            continue;
        }
        under->own =
            merge_layers(out->arena, is_with_groups(one->kind) ? MERGE_CLUSTER : MERGE_LEAF,
                         &under->own, &one->own);
        under->document = NULL; /* the merged layers differ from the original document */
    }
    for (size_t i = 0; i < base->count; i++) {
        if (laid[i].document == NULL) {
            laid[i].document = base->objects[i].document;
            laid[i].document = merged_document(out->arena, &laid[i]);
        }
        model_set_add(out, laid[i].document);
    }
}
