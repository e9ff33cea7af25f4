#include "base/suggest.h"
#include "change/change_work.h"

/* public names start with: takes_ */

/* Checks the paths at which the file takes precedence (`take`). A path below which no kept value
 * exists has no effect. This is not an error, because an earlier request may already have taken the
 * value. A path at which no document has a value is reported as a typing error. */

/* True if a document has a value at this path. Keys of labels may contain dots. A short form may
 * end before the path does: `web: 3` means groups.web.size. */
static bool takes_has_path(const struct doc *doc, struct text path)
{
    if (path.length == 0 || !doc_is_map(doc)) {
        return true;
    }
    for (size_t i = 0; i < doc->entry_count; i++) {
        struct text key = doc->entries[i].key;

        if (text_has_prefix(path, key) &&
            (path.length == key.length ||
             (path.data[key.length] == '.' &&
              takes_has_path(&doc->entries[i].value,
                             text_slice(path, key.length + 1, path.length))))) {
            return true;
        }
    }
    return false;
}

static bool takes_is_known(const struct change_work *work, size_t take)
{
    for (size_t i = 0; i < work->count; i++) {
        const struct apply *apply = &work->order[i]->out->apply;

        if (apply->is_used != NULL && apply->is_used[take]) {
            return true;
        }
    }
    for (size_t i = 0; i < work->request->document_count; i++) {
        if (takes_has_path(&work->request->documents[i], work->request->takes[take])) {
            return true;
        }
    }
    return false;
}

static void takes_report(struct change_work *work, struct text path)
{
    struct suggest suggest = suggest_start(path);
    struct err *err = err_list_set(work->errors, (struct place){ 0 }, CODE_R0333,
                                   "--take %.*s: nothing in the file or its objects has this path",
                                   TEXT_ARG(path));

    for (size_t i = 0; i < work->count; i++) {
        const struct apply *apply = &work->order[i]->out->apply;

        for (size_t j = 0; j < apply->kept_count; j++) {
            suggest_offer(&suggest, apply->kept[j].path);
        }
    }
    if (suggest_best(&suggest).length > 0) {
        err_hint(err, "did you mean '%.*s'?", TEXT_ARG(suggest_best(&suggest)));
    } else {
        err_hint(err, "reeve plan -f FILE lists the values that are kept, with their paths");
    }
}

void change_takes_check(struct change_work *work)
{
    for (size_t i = 0; i < work->request->take_count; i++) {
        if (!takes_is_known(work, i)) {
            takes_report(work, work->request->takes[i]);
        }
    }
}
