#include "base/limits.h"
#include "change/change_work.h"
#include "codec/json.h"
#include "model/merge.h"

/* Reports bundles that a group refers to for the first time and that are not stored. Otherwise
 * machines of the group would be created and would wait for the bundle forever. */

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

/* The number of lists of stages of a group: its own list, and that of its configuration. Either may
 * be NULL. */
enum { STAGE_LISTS = 2 };

static void lists_of(const struct model_leaf *leaf, const struct doc *out[static STAGE_LISTS])
{
    out[0] = doc_child(&leaf->doc, "bootstrap");
    out[1] = doc_child(doc_child(&leaf->doc, "configured"), "bundles");
}

static bool leaf_has(const struct model_leaf *leaf, struct text bundle)
{
    const struct doc *lists[STAGE_LISTS];

    lists_of(leaf, lists);
    for (size_t n = 0; n < STAGE_LISTS; n++) {
        for (size_t i = 0; doc_is_list(lists[n]) && i < lists[n]->item_count; i++) {
            if (text_is_equal(bundle_of(&lists[n]->items[i]), bundle)) {
                return true;
            }
        }
    }
    return false;
}

static void stage_check(struct search *search, const struct model_object *object,
                        const struct model_leaf *leaf, bool is_configured, const struct doc *stage)
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
    err_hint(err, is_configured ? "push the configuration again: reeve config push DIR --name NAME"
                  : change_bundles_digest_of(bundle).length > 0
                      ? "write the folder as 'tar: FOLDER'; reeve apply uploads it"
                      : "write a folder as 'tar: FOLDER', or an uploaded bundle as 'bundle: "
                        "NAME@sha256:DIGEST'");
    model_blame(err, doc_child(stage, "bundle"));
    err_place(err, leaf->place);
}

/* Check the size of the variables. Each node receives them with every stage of the
 * configuration. */
static void variables_check(struct search *search, const struct model_leaf *leaf)
{
    struct arena *arena = search->work->arena;
    const struct doc *lowest = doc_child(doc_child(&leaf->doc, "configured"), "vars");
    const struct doc *own = doc_child(&leaf->doc, "vars");
    struct doc none = doc_map(NULL, 0, NULL);
    struct doc merged = merge_layers(arena, MERGE_PLAIN, doc_is_map(lowest) ? lowest : &none,
                                     doc_is_map(own) ? own : &none);
    struct buf buf;

    buf_init(&buf, arena);
    json_format(&buf, &merged);
    if (buf.length > LIMIT_VARIABLES_BYTES) {
        struct err *err = err_list_set(search->work->errors, leaf->place, CODE_R0720,
                                       "the variables of the group have %zu bytes, at most %d are "
                                       "allowed",
                                       buf.length, LIMIT_VARIABLES_BYTES);

        err_hint(err, "put long data into files of the configuration");
        model_blame(err, doc_is_map(own) ? own : doc_child(&leaf->doc, "configuration"));
    }
}

static void change_bundles_leaf_check(void *arg, const struct model_object *object,
                                      const struct model_leaf *leaf)
{
    struct search *search = arg;
    const struct doc *lists[STAGE_LISTS];
    size_t count = 0;

    lists_of(leaf, lists);
    if (doc_is_list(lists[1])) {
        variables_check(search, leaf);
    }
    for (size_t n = 0; n < STAGE_LISTS; n++) {
        for (size_t i = 0; doc_is_list(lists[n]) && i < lists[n]->item_count; i++) {
            if (search->work->request->bundle_has != NULL) {
                stage_check(search, object, leaf, n == 1, &lists[n]->items[i]);
            }
            count++;
        }
    }
    if (count > LIMIT_GROUP_ITEMS) {
        struct err *err = err_list_set(search->work->errors, leaf->place, CODE_R0720,
                                       "the group has %zu stages, at most %d are allowed", count,
                                       LIMIT_GROUP_ITEMS);

        if (doc_is_list(lists[1])) {
            err_note(err, "%zu are those of its configuration", lists[1]->item_count);
            model_blame(err, doc_child(&leaf->doc, "configuration"));
        }
    }
}

void change_bundles_check(struct change_work *work)
{
    struct search search = { .work = work };

    if (work->request->mode == CHANGE_DELETE) {
        return;
    }
    map_init(&search.reported, work->arena);
    change_leaves_visit(work, change_bundles_leaf_check, &search);
}
