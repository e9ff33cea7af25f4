#ifndef REEVE_TESTS_UNIT_MODEL_WORLD_H
#define REEVE_TESTS_UNIT_MODEL_WORLD_H

/* cmocka wants these four before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/set.h"

/* A set of documents read from YAML and resolved, for tests of what they mean. */
struct world {
    struct arena *arena;
    struct err_list errors; /* in order of place */
    struct model_set set;
};

/* Read all documents of the text (which must be well-formed) and resolve them. The caller frees. */
struct world *world_read(const char *yaml);

/* The same with the documents of the text in reverse order. */
struct world *world_read_backwards(const char *yaml);

/* Read a copy of a text of this length. Faults of syntax are among the errors. */
struct world *world_read_bytes(struct text bytes, bool is_backwards);

/* The same where plugins (NULL: none) and the unchanged groups of each cluster (NULL: none) are
 * known. */
struct world *world_read_known(const char *yaml, const struct model_plugins *plugins,
                               const struct model_others *others);

void world_free(struct world *world);

/* Fail, and show every fault, unless there is none. */
void world_assert_clean(const struct world *world);

/* The fault with this code at this place; fails, and shows all faults, where there is none. */
const struct err *world_fault(const struct world *world, const char *code, uint32_t line,
                              uint32_t column);

/* Fail unless there are exactly so many faults. */
void world_assert_faults(const struct world *world, size_t count);

/* A leaf by its path; fails where there is none. */
const struct model_leaf *world_leaf(const struct world *world, const char *kind, const char *name,
                                    const char *path);

/* Its effective values as canonical bytes, NUL-terminated. */
const char *world_leaf_json(const struct world *world, const char *name, const char *path);

/* The merged document of an object as canonical bytes, nulls gone. */
const char *world_object_json(const struct world *world, const char *kind, const char *name);

/* Canonical bytes of a document. */
const char *world_json(const struct world *world, const struct doc *doc);

/* Fail unless the value behind a JSON Pointer in a leaf has this origin in words ("template ct/t")
 * and stands in this line. */
void world_assert_origin(const struct world *world, const char *name, const char *path,
                         const char *pointer, const char *origin, uint32_t line);

/* One row of a table of faults: a text, and the one fault it has. */
struct fault_case {
    const char *name; /* of the test: a sentence with underscores */
    const char *yaml;
    const char *code; /* NULL: it has no fault */
    uint32_t line;
    uint32_t column;
    const char *text;    /* part of the message */
    const char *hint;    /* part of the hint; NULL = not looked at */
    const char *pointer; /* NULL = not looked at */
};

/* Run a table, a test a row. Each row must give its fault and no other, or none. Returns cmocka's
 * count. */
int fault_cases_run(const char *group, const struct fault_case *cases, size_t count);

#endif
