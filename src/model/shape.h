#ifndef REEVE_MODEL_SHAPE_H
#define REEVE_MODEL_SHAPE_H

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"
#include "model/schema.h"

/* The first of two checks of a document: one document by itself, against the schema table. The
 * second check (complete.c) follows after merging and needs the whole object.
 *
 * The result is the normal form, on which merging, diffing and storing work:
 *
 * - Own spellings only: aliases are replaced; a field in two spellings is an error.
 * - Groups are a mapping; sub-groups are below `groups`.
 * - A scalar is typed by the schema: text is quoted, integers and booleans are plain.
 * - `null` is kept, because it drops a value of a lower layer.
 * - Every value has an origin: ORIGIN_FILE, below `defaults` ORIGIN_DEFAULTS, below `groups`
 *   ORIGIN_GROUP.
 *
 * An invalid value is omitted, and has_faults is set in the surrounding map, so that an error is
 * reported once. */

struct shape_object {
    const struct schema_kind *kind; /* NULL: the document is not usable at all */
    struct doc doc;                 /* normal form; a map */
    struct place place;             /* position of the start of the document */
    uint64_t revision;              /* metadata.revision of the envelope; 0: none */
};

/* Read one document. All errors go to `errors`; the valid parts of the object can be used. The
 * result lives in the arena and borrows from the document.
 *
 * `current` (NULL: none) is the document, in normal form, from which a patch made this one. Lists
 * and maps that both documents share at the same path are not checked again: they were checked when
 * they were written. */
struct shape_object shape_read(struct arena *arena, const struct doc *document,
                               const struct doc *current, struct err_list *errors);

/* Read the manifest of a configuration repository, whose fields are those of OWNER_CONFIG. */
struct doc shape_read_manifest(struct arena *arena, const struct doc *document,
                               struct err_list *errors);

/* Prepend the path of a value to that of an error. */
struct shape_step {
    const struct shape_step *outer; /* NULL at the document */
    struct text key;                /* key in a map */
    size_t index;                   /* index in a list, if key.data is NULL */
};
void shape_path(struct err *err, const struct shape_step *step);

#endif
