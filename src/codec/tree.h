#ifndef REEVE_CODEC_TREE_H
#define REEVE_CODEC_TREE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/mem.h"
#include "codec/doc.h"

/* A document while it is being read. A reader reports each token (open, key, add, close). The tree
 * enforces the limits on depth and nodes, sorts maps and finds duplicate keys, the same for YAML
 * and JSON.
 *
 * Children are on one stack, which has its own memory, until their container ends. Then they are
 * copied into the arena of the result, so that a document takes only its own size. */
struct tree_frame {
    struct doc doc;     /* the container: kind and position */
    size_t first;       /* index of the first child of the container on the stack */
    size_t nodes_start; /* number of nodes counted before the container */
    size_t height;      /* height of the highest child so far */
    bool has_key;       /* a key was read, and its value was not read yet */
};

/* A finished value, with the counts that are added again each time an alias repeats the value. */
struct tree_branch {
    struct doc doc;
    size_t nodes;  /* scalars, lists and maps in it, with itself */
    size_t height; /* nested lists and maps: 0 for a scalar, 1 for [a] */
};

/* Capacity of the stack inside struct tree, which needs no allocation. Most texts are records, and
 * their containers have fewer children. */
enum { TREE_PENDING_OWN = 48 };

/* State of one parse. It contains pointers to its own fields, so it must not be moved. Array items
 * at or beyond the counts are uninitialized. */
struct tree {
    struct arena *arena;         /* arena of the result */
    struct arena *pending_arena; /* arena of the stack; NULL while the stack is `own` */
    struct doc_entry *pending;
    size_t pending_count;
    size_t pending_room;
    const struct origin *origin;
    struct err_list *tolerated; /* collects faults after which reading can continue; NULL: none */
    struct tree_frame frames[LIMIT_DOCUMENT_DEPTH];
    size_t depth;
    size_t nodes;
    /* LIMIT_DOCUMENT_NODES, unless the reader sets another limit. */
    size_t nodes_max;
    struct doc root; /* DOC_KIND_NONE until the outermost value has ended */
    struct doc_entry own[TREE_PENDING_OWN];
};

/* Initialize an empty tree in memory of the caller. Results live in the arena. The caller ends it
 * with tree_fini(). */
void tree_init(struct tree *tree, struct arena *arena, const struct origin *origin);

/* Free the working memory. The documents remain valid. */
void tree_fini(struct tree *tree);

/* Drop the finished document and begin the next one of the same text. The count of nodes
 * continues. */
void tree_reset(struct tree *tree);

/* Return the innermost open container, NULL at the top level. */
static inline const struct tree_frame *tree_top(const struct tree *tree)
{
    assert(tree->depth <= LIMIT_DOCUMENT_DEPTH);
    return tree->depth == 0 ? NULL : &tree->frames[tree->depth - 1];
}

/* True if a key must come next: a map is open and its last key has its value. */
static inline bool tree_wants_key(const struct tree *tree)
{
    const struct tree_frame *top = tree_top(tree);

    return top != NULL && top->doc.kind == DOC_KIND_MAP && !top->has_key;
}

/* Return the entry whose value comes next, NULL in a list and at the top level. */
const struct doc_entry *tree_key_now(const struct tree *tree);

/* Open a list or map. Its position is `place`, or that of its first key if `place` has length 0.
 * Fails at the limits on depth and nodes. */
MUST_CHECK bool tree_open(struct tree *tree, enum doc_kind kind, struct place place,
                          struct err *err);

/* Set the end of the innermost container, which began with a bracket: this column of this line. If
 * both brackets are on one line, the position of the container covers all of it. */
void tree_stretch(struct tree *tree, uint32_t line, uint32_t end_column);

/* Add a key to the innermost map, with its position. Text is borrowed. */
void tree_key(struct tree *tree, struct text key, struct place place);

/* Add a scalar. Fails at the limit on nodes. */
MUST_CHECK bool tree_add(struct tree *tree, const struct doc *scalar, struct err *err);

/* Add a branch of this text again, at `place`. It is shared, but its nodes and levels count again.
 * Fails at the limits on depth and nodes. */
MUST_CHECK bool tree_add_again(struct tree *tree, const struct tree_branch *branch,
                               struct place place, struct err *err);

/* Close the innermost container; *out is its value. Fails at a duplicate key. */
MUST_CHECK bool tree_close(struct tree *tree, struct tree_branch *out, struct err *err);

/* Set the path of an error to the value that is being read. Always returns false. */
MUST_CHECK bool tree_locate(const struct tree *tree, struct err *err);

/* Report an error after which reading can continue. Returns true if it was added to the list of
 * tolerated errors. Returns false if there is no such list or it is full: the error then ends the
 * reading. */
MUST_CHECK bool tree_tolerate(struct tree *tree, struct err *err);

#endif
