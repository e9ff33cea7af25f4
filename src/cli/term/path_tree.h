#ifndef REEVE_CLI_TERM_PATH_TREE_H
#define REEVE_CLI_TERM_PATH_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "codec/doc.h"

/* public names start with: path_ */

/* The syntax tree of an expression: path_parse.c builds it, path.c evaluates it. */

/* Kinds of selectors: 'name', *, 3, 1:3, ?... */
enum path_selector_kind { PATH_NAME, PATH_WILDCARD, PATH_INDEX, PATH_SLICE, PATH_FILTER };

/* A selector of children of a value. */
struct path_selector {
    enum path_selector_kind kind;
    struct text name; /* used by PATH_NAME */
    int64_t index;    /* used by PATH_INDEX; first index of PATH_SLICE */
    int64_t end;      /* used by PATH_SLICE */
    int64_t step;     /* used by PATH_SLICE */
    bool has_index;   /* used by PATH_SLICE */
    bool has_end;     /* used by PATH_SLICE */
    struct path_logic *filter;
    struct path_selector *next; /* next selector in the same bracket */
};

/* One step, a bracket or .name: the results of all its selectors, in their order. */
struct path_segment {
    struct path_selector *selectors;
    struct path_segment *next;
};

/* A path that starts at $ or @. */
struct path {
    bool is_relative; /* begins at @, within a filter */
    struct path_segment *segments;
};

/* One side of a comparison. */
struct path_operand {
    struct path *path; /* NULL: the literal */
    struct doc literal;
};

/* Kinds of conditions. */
enum path_logic_kind { PATH_OR, PATH_AND, PATH_NOT, PATH_EXISTS, PATH_COMPARE };
/* == != < <= > >= */
enum path_operator {
    PATH_EQUAL,
    PATH_UNEQUAL,
    PATH_LESS,
    PATH_LESS_EQUAL,
    PATH_MORE,
    PATH_MORE_EQUAL
};

/* A condition of a filter, as a tree. */
struct path_logic {
    enum path_logic_kind kind;
    struct path_logic *left;  /* used by PATH_OR, PATH_AND, PATH_NOT */
    struct path_logic *right; /* used by PATH_OR, PATH_AND */
    enum path_operator operator;
    struct path_operand a; /* used by PATH_COMPARE, PATH_EXISTS */
    struct path_operand b; /* used by PATH_COMPARE */
};

#endif
