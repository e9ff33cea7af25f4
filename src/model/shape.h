#ifndef REEVE_MODEL_SHAPE_H
#define REEVE_MODEL_SHAPE_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "model/schema.h"

/* The first of the two readings of a document: one document by itself, against the schema table.
 * The second (complete.h) comes after merging and judges what only the whole can tell.
 *
 * Out comes the normal form, which merging, diffing and storing work on:
 * - own spellings only; aliases are gone, a field in two spellings was an error
 * - groups are a mapping, sub-groups stand below `groups`
 * - a scalar is typed by the schema: text is quoted, integers and booleans are plain
 * - `null` stays: it drops what a lower layer gives
 * - every value has an origin: ORIGIN_FILE, below `defaults` ORIGIN_DEFAULTS, below `groups`
 *   ORIGIN_GROUP
 * What was wrong is left out and the map it stood in has has_faults, so that one fault is told once. */

struct shape_object {
    const struct schema_kind *kind; /* NULL: the document cannot be used at all */
    struct doc doc;                 /* normal form; a map */
    struct place place;             /* where the document begins */
    uint64_t revision;              /* metadata.revision of the envelope; 0 = none */
};

/* Read one document. All faults go to `errors`; the object is usable as far as it could be read.
 * The result lives in the arena and borrows from the document.
 *
 * `standing` (NULL: none) is what the document was made from by a patch, in normal form. Lists and maps that the document
 * shares with it at the same place are taken as they are: they were read when they were written. */
struct shape_object shape_read(struct arena *arena, const struct doc *document,
                               const struct doc *current, struct err_list *errors);

/* Put the path of a value, innermost step last, in front of an error. */
struct shape_step {
    const struct shape_step *outer; /* NULL at the document */
    struct text key;                /* of a map */
    size_t index;                   /* of a list, where key.data is NULL */
};
void shape_path(struct err *err, const struct shape_step *step);

#endif
