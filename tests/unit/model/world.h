#ifndef REEVE_TESTS_UNIT_MODEL_WORLD_H
#define REEVE_TESTS_UNIT_MODEL_WORLD_H

/* cmocka needs these four headers before its header */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/set.h"

/* A set of documents that was parsed from YAML and resolved, for tests of the resulting values. */
struct world {
    struct arena *arena;
    struct err_list errors; /* sorted by place */
    struct model_set set;
};

/* Parses all documents of the text, which must be valid YAML, and resolves them. The caller frees
 * the result. */
struct world *world_read(const char *yaml);

/* Same as world_read, with the documents in reverse order. */
struct world *world_read_backwards(const char *yaml);

/* Parses a copy of a text of this length. Syntax faults are among the errors. */
struct world *world_read_bytes(struct text bytes, bool is_backwards);

/* Same as world_read, with known plugins (NULL: none) and known unchanged groups of each cluster
 * (NULL: none). */
struct world *world_read_known(const char *yaml, const struct model_plugins *plugins,
                               const struct model_others *others);

void world_free(struct world *world);

/* Fails the test and shows all faults if there are any. */
void world_assert_clean(const struct world *world);

/* Returns the fault with this code at this place. Fails the test and shows all faults if there is
 * none. */
const struct err *world_fault(const struct world *world, const char *code, uint32_t line,
                              uint32_t column);

/* Fails the test unless there are exactly `count` faults. */
void world_assert_faults(const struct world *world, size_t count);

/* Returns a leaf by its path. Fails the test if there is none. */
const struct model_leaf *world_leaf(const struct world *world, const char *kind, const char *name,
                                    const char *path);

/* Returns the effective values of a leaf as canonical bytes, NUL-terminated. */
const char *world_leaf_json(const struct world *world, const char *name, const char *path);

/* Returns the merged document of an object as canonical bytes, without nulls. */
const char *world_object_json(const struct world *world, const char *kind, const char *name);

/* Returns the canonical bytes of a document. */
const char *world_json(const struct world *world, const struct doc *doc);

/* Fails the test unless the value at a JSON pointer in a leaf has this origin as text ("template
 * ct/t") and is in this line. */
void world_assert_origin(const struct world *world, const char *name, const char *path,
                         const char *pointer, const char *origin, uint32_t line);

/* One row of a table of faults: a text, and the only fault that it has. */
struct fault_case {
    const char *name; /* name of the test: a sentence with underscores */
    const char *yaml;
    const char *code; /* expected code; NULL: no fault */
    uint32_t line;
    uint32_t column;
    const char *text;    /* part of the message */
    const char *hint;    /* part of the hint; NULL: not checked */
    const char *pointer; /* expected pointer; NULL: not checked */
};

/* Runs a table, with one test for each row. Each row must give exactly its fault, or none. Returns
 * cmocka's count. */
int fault_cases_run(const char *group, const struct fault_case *cases, size_t count);

#endif
