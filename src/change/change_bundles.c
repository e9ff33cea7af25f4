#include "change/change_work.h"

/* Reports bundles that a group newly names and that are not stored: machines of the group would be
 * created, and wait for the bundle forever. */

struct search {
    struct change_work *work;
    struct map reported;
};

static struct text bundle_of(const struct doc *stage)
{
    const struct doc *bundle = doc_child(stage, "bundle");

    return doc_is_scalar(bundle) && !doc_is_null(bundle) ? bundle->text : TEXT("");
}

/* Return the digest of NAME@sha256:DIGEST. Empty: the text is invalid. */
static struct text change_bundles_digest_of(struct text bundle)
{
    size_t at = text_find_byte(bundle, '@');
    struct text rest = at == SIZE_MAX ? TEXT("") : text_slice(bundle, at + 1, SIZE_MAX);

    return text_has_prefix(rest, TEXT("sha256:"))
               ? text_slice(rest, TEXT("sha256:").length, SIZE_MAX)
               : TEXT("");
}

static bool is_coming(const struct change_request *request, struct text digest)
{
    for (size_t i = 0; i < request->bundle_count; i++) {
        if (text_is_equal(request->bundles[i], digest)) {
            return true;
        }
    }
    return false;
}

static bool is_change_bundles_here(const struct search *search, struct text bundle)
{
    const struct change_request *request = search->work->request;
    struct text digest = change_bundles_digest_of(bundle);

    return digest.length > 0 &&
           (is_coming(request, digest) || request->bundle_has(request->bundle_arg, digest));
}

static bool leaf_has(const struct model_leaf *leaf, struct text bundle)
{
    const struct doc *stages = doc_child(&leaf->doc, "bootstrap");

    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        if (text_is_equal(bundle_of(&stages->items[i]), bundle)) {
            return true;
        }
    }
    return false;
}

static void stage_check(struct search *search, const struct model_object *object,
                        const struct model_leaf *leaf, const struct doc *stage)
{
    struct text bundle = bundle_of(stage);
    struct err *err;

    if (bundle.length == 0 || map_find(&search->reported, bundle) != NULL ||
        is_change_bundles_here(search, bundle) ||
        change_was_named(search->work, object, leaf_has, bundle)) {
        return;
    }
    map_put(&search->reported, bundle, search);
    err = err_list_set(search->work->errors, (struct place){ 0 }, CODE_R0732,
                       "there is no bundle '%.*s' here", TEXT_ARG(bundle));
    err_hint(err, change_bundles_digest_of(bundle).length > 0
                      ? "write the folder as tar: FOLDER; reeve apply uploads it"
                      : "write a folder as tar: FOLDER, or an uploaded bundle as bundle: "
                        "NAME@sha256:DIGEST");
    model_blame(err, doc_child(stage, "bundle"));
    err_place(err, leaf->place);
}

static void change_bundles_leaf_check(void *arg, const struct model_object *object,
                                      const struct model_leaf *leaf)
{
    const struct doc *stages = doc_child(&leaf->doc, "bootstrap");

    for (size_t i = 0; doc_is_list(stages) && i < stages->item_count; i++) {
        stage_check(arg, object, leaf, &stages->items[i]);
    }
}

void change_bundles_check(struct change_work *work)
{
    struct search search = { .work = work };

    if (work->request->bundle_has == NULL || work->request->mode == CHANGE_DELETE) {
        return;
    }
    map_init(&search.reported, work->arena);
    change_leaves_visit(work, change_bundles_leaf_check, &search);
}
