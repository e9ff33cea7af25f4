#ifndef REEVE_CLI_ARGS_SUBJECT_H
#define REEVE_CLI_ARGS_SUBJECT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "model/schema.h"

/* What `reeve explain` is asked about: a kind, or a field somewhere below one. */
struct subject {
    const struct schema_kind *kind;
    const struct schema_field *field; /* NULL: the kind itself */
    enum schema_owner owner;          /* whose fields are below; OWNER_COUNT = none */
    struct text path;                 /* own spelling: "nodegroup.rollout.surge" */
};

/* Follow KIND or KIND.FIELD.FIELD: fields by own name or alias; list indexes, and the names of
 * groups and members, may be in it, as in the paths of errors. R0006 for an unknown kind, R0301 for
 * an unknown field, each with a suggestion. The path lives in the arena. */
MUST_CHECK bool subject_find(struct arena *arena, struct text path, struct subject *out,
                             struct err *err);

/* The kind that was most likely meant, in the words people type: cluster, or clusters; an empty
 * text where none is clearly nearest. */
struct text subject_suggest_kind(struct text wrong);

#endif
