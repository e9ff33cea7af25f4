#ifndef REEVE_MODEL_SHAPE_VALUE_H
#define REEVE_MODEL_SHAPE_VALUE_H

#include "model/shape.h"

/* private to src/model */
/* public names start with: shape_ */

/* Hint for documents of other tools. */
#define SHAPE_HINT_API_VERSION "documents of reeve have no apiVersion; leave it out"

/* Internal parts of shape.h: values, objects and groups. The state of one reading of one
 * document. */
struct shape {
    struct arena *arena;
    struct err_list *errors;
    const struct origin *file;     /* origin of values at the top level */
    const struct origin *defaults; /* origin of values below defaults */
    const struct origin *group;    /* origin of values below groups */
    const struct origin *now;      /* origin of the values that are read now */
    const struct doc *current;     /* see shape_read(); may be NULL */
};

/* Make the origins of a document whose nodes come from `file` (NULL: made by the program). */
void shape_origins(struct shape *shape, const struct origin *file);

/* Add a fault at a position with the path of `step`. Hint and note can be added to the result. */
struct err *shape_fault(struct shape *shape, const struct shape_step *step, struct place place,
                        enum code code, struct text text);

/* Make the normal form of a map of fields. Anything but a map gives a fault and an empty map. */
struct doc shape_fields(struct shape *shape, enum schema_owner owner, const struct doc *doc,
                        const struct shape_step *step);

/* Make the normal form of a value of this type. Returns false after it reported a fault. */
MUST_CHECK bool shape_value(struct shape *shape, const struct schema_type *type,
                            const struct doc *doc, const struct shape_step *step, struct doc *out);

/* Make the normal form of one scalar of this type (shape_scalar.c). */
MUST_CHECK bool shape_scalar(struct shape *shape, const struct schema_type *type,
                             const struct doc *doc, const struct shape_step *step, struct doc *out);

/* Describe the last step of the path for messages: 'size', or item 2 of 'zones'. */
struct text shape_words(struct shape *shape, const struct shape_step *step);

/* True if the value is empty. Also reports the fault. */
bool shape_is_empty(struct shape *shape, const struct doc *doc, const struct shape_step *step);

/* Make the normal form of one group, and of the value of `groups` (shape_group.c). */
struct doc shape_group(struct shape *shape, const struct doc *doc, const struct shape_step *step);
MUST_CHECK bool shape_groups(struct shape *shape, const struct doc *doc,
                             const struct shape_step *step, struct doc *out);

/* Report an unknown field of an owner, with the best available hint. */
void shape_unknown_field(struct shape *shape, enum schema_owner owner,
                         const struct doc_entry *entry, const struct shape_step *step);

/* Read one entry as a field of the owner into `builder`, unless it was seen before. `seen` has an
 * item for each row of schema_fields(). Returns false if the owner has no such field. */
MUST_CHECK bool shape_field(struct shape *shape, enum schema_owner owner,
                            const struct doc_entry *entry, const struct shape_step *step,
                            const struct doc_entry **seen, struct doc_builder *builder);

#endif
