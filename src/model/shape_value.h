#ifndef REEVE_MODEL_SHAPE_VALUE_H
#define REEVE_MODEL_SHAPE_VALUE_H

#include "model/shape.h"

/* names: shape_ */

/* To somebody who brings it from elsewhere. */
#define SHAPE_HINT_API_VERSION "documents of reeve have no apiVersion; leave it out"

/* Inside of shape.h: values, objects and groups. One reading of one document. */
struct shape {
    struct arena *arena;
    struct err_list *errors;
    const struct origin *file;     /* of values at the top */
    const struct origin *defaults; /* of values below defaults */
    const struct origin *group;    /* of values below groups */
    const struct origin *now;      /* of values that are made now */
    const struct doc *current;     /* see shape_read; may be NULL */
};

/* Make the origins of a document whose nodes come from `file` (NULL: made by the program). */
void shape_origins(struct shape *shape, const struct origin *file);

/* Add a fault at a place with the path of `step`. The result takes a hint or note. */
struct err *shape_fault(struct shape *shape, const struct shape_step *step, struct place place,
                        enum code code, struct text text);

/* The normal form of a map of fields. Not a map: a fault and an empty map. */
struct doc shape_fields(struct shape *shape, enum schema_owner owner, const struct doc *doc,
                        const struct shape_step *step);

/* The normal form of a value of this type. False: a fault was told and there is none. */
MUST_CHECK bool shape_value(struct shape *shape, const struct schema_type *type,
                            const struct doc *doc, const struct shape_step *step, struct doc *out);

/* One scalar of this type (shape_scalar.c). */
MUST_CHECK bool shape_scalar(struct shape *shape, const struct schema_type *type,
                             const struct doc *doc, const struct shape_step *step, struct doc *out);

/* The last step of the path, as people call the value: 'size', or item 2 of 'zones'. */
struct text shape_words(struct shape *shape, const struct shape_step *step);

/* Is nothing written here at all? Then a fault is told. */
bool shape_is_empty(struct shape *shape, const struct doc *doc, const struct shape_step *step);

/* The normal form of one group, and of the value of `groups` (shape_group.c). */
struct doc shape_group(struct shape *shape, const struct doc *doc, const struct shape_step *step);
MUST_CHECK bool shape_groups(struct shape *shape, const struct doc *doc,
                             const struct shape_step *step, struct doc *out);

/* Tell that an owner has no such field, with the best hint there is. */
void shape_unknown_field(struct shape *shape, enum schema_owner owner,
                         const struct doc_entry *entry, const struct shape_step *step);

/* Read one entry as a field of the owner into `builder`, unless it was seen before. `seen` has a
 * place for each row of schema_fields. False: the owner has no such field. */
MUST_CHECK bool shape_field(struct shape *shape, enum schema_owner owner,
                            const struct doc_entry *entry, const struct shape_step *step,
                            const struct doc_entry **seen, struct doc_builder *builder);

#endif
