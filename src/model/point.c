#include "model/resolve.h"
#include "model/shape.h"

#include <assert.h>

/* Faults that are found in merged trees know only their position. Here one walk over the documents
 * finds the JSON Pointer into the original document for each position. */

struct pointing {
    struct err_list *errors;
    size_t open; /* faults without a pointer */
};

static bool is_point_wanted(const struct err *err)
{
    return err->path[0] == '\0' && place_is_known(err->place);
}

/* Give the faults at this position the path of `step`. */
static void place_match(struct pointing *pointing, struct place place,
                        const struct shape_step *step)
{
    for (size_t i = 0; place_is_known(place) && i < pointing->errors->count; i++) {
        struct err *err = &pointing->errors->items[i];

        if (err->place.line == place.line && is_point_wanted(err) &&
            place_compare(err->place, place) == 0) {
            shape_path(err, step);
            pointing->open--;
        }
    }
}

static void doc_walk(struct pointing *pointing, const struct doc *doc,
                     const struct shape_step *step)
{
    assert(doc != NULL);
    if (pointing->open == 0) {
        return;
    }
    if (step != NULL) {
        place_match(pointing, doc_place(doc), step);
    }
    for (size_t i = 0; doc_is_list(doc) && i < doc->item_count; i++) {
        doc_walk(pointing, &doc->items[i], &(struct shape_step){ .outer = step, .index = i });
    }
    for (size_t i = 0; doc_is_map(doc) && i < doc->entry_count; i++) {
        struct shape_step below = { .outer = step, .key = doc->entries[i].key };

        place_match(pointing, doc_key_place(&doc->entries[i]), &below);
        doc_walk(pointing, &doc->entries[i].value, &below);
    }
}

void model_point(struct err_list *errors, const struct doc *document)
{
    struct pointing pointing = { .errors = errors };

    for (size_t i = 0; i < errors->count; i++) {
        pointing.open += is_point_wanted(&errors->items[i]);
    }
    doc_walk(&pointing, document, NULL);
}

void point_errors(struct model_set *set)
{
    for (size_t i = 0; set->errors->count > 0 && i < set->count; i++) {
        if (set->objects[i].document != NULL) {
            model_point(set->errors, set->objects[i].document);
        }
    }
}
