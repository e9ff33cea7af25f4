#ifndef REEVE_CLI_ARGS_SUBJECT_H
#define REEVE_CLI_ARGS_SUBJECT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "model/schema.h"

/* The subject of `reeve explain`: a kind, or a field of a kind at any depth. */
struct subject {
    const struct schema_kind *kind;
    const struct schema_field *field; /* NULL: the kind itself */
    enum schema_owner owner;          /* owner of the fields below this field; OWNER_COUNT = none */
    /* path in the canonical spelling: "nodegroup.rollout.surge" */
    struct text path;
};

/* Resolve KIND or KIND.FIELD.FIELD. Fields are given by their own name or an alias. The path may
 * contain list indexes and the names of groups and members, as the paths in errors do. Sets R0006
 * for an unknown kind and R0301 for an unknown field, each with a suggestion. The path lives in the
 * arena. */
MUST_CHECK bool subject_find(struct arena *arena, struct text path, struct subject *out,
                             struct err *err);

/* Return the most similar kind, in the form that the user typed, singular or plural. Empty if no
 * kind is clearly the most similar. */
struct text subject_suggest_kind(struct text wrong);

#endif
