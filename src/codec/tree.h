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

/* A document while it is being read. A reader says what it meets (open, key, add, close); the tree
 * keeps the limits on depth and nodes, sorts maps and finds duplicate keys, the same for YAML and
 * JSON.
 *
 * Children wait on one stack, which has its own memory, until their container ends; then they are
 * copied, exactly as many as there are, into the arena of the result. So a document costs its own
 * size and nothing stays behind. */
struct tree_frame {
    struct doc doc;     /* the container: kind and place */
    size_t first;       /* its children on the stack start here */
    size_t nodes_start; /* nodes counted before it */
    size_t height;      /* of the highest child so far */
    bool has_key;       /* a key waits for its value */
};

/* A finished value and what it costs to use it once more. */
struct tree_branch {
    struct doc doc;
    size_t nodes;  /* scalars, lists and maps in it, itself included */
    size_t height; /* lists and maps inside each other: 0 for a scalar, 1 for [a] */
};

/* So many children wait without memory of their own: most texts are records, and have fewer. */
enum { TREE_PENDING_OWN = 48 };

/* It points into itself, so it stays where it was begun. What lies behind the counts of its arrays is anything. */
struct tree {
    struct arena *arena;         /* of the result */
    struct arena *pending_arena; /* of the stack; NULL while it is `own` */
    struct doc_entry *pending;
    size_t pending_count;
    size_t pending_room;
    const struct origin *origin;
    struct err_list *tolerated; /* takes faults that reading can go on after; NULL = none can */
    struct tree_frame frames[LIMIT_DOCUMENT_DEPTH];
    size_t depth;
    size_t nodes;
    /* LIMIT_DOCUMENT_NODES, unless the reader has set another bound. */
    size_t nodes_max;
    struct doc root; /* DOC_KIND_NONE until the outermost value has ended */
    struct doc_entry own[TREE_PENDING_OWN];
};

/* Start an empty tree in memory of the caller; what is built lives in the arena. The caller ends it
 * with tree_fini. */
void tree_init(struct tree *tree, struct arena *arena, const struct origin *origin);

/* Free what was needed while building. The documents stay. */
void tree_fini(struct tree *tree);

/* Forget the finished document and begin the next one of the same text. Nodes go on counting. */
void tree_reset(struct tree *tree);

/* The innermost open container, or NULL outside of all. */
static inline const struct tree_frame *tree_top(const struct tree *tree)
{
    assert(tree->depth <= LIMIT_DOCUMENT_DEPTH);
    return tree->depth == 0 ? NULL : &tree->frames[tree->depth - 1];
}

/* Is a key the next thing to come (a map is open and its last key has its value)? */
static inline bool tree_wants_key(const struct tree *tree)
{
    const struct tree_frame *top = tree_top(tree);

    return top != NULL && top->doc.kind == DOC_KIND_MAP && !top->has_key;
}

/* The entry whose value comes next, or NULL in a list and outside. */
const struct doc_entry *tree_key_now(const struct tree *tree);

/* A list or map begins; its place is `place`, or where that has length 0 the place of its first key.
 * Fails at the limits on depth and nodes. */
MUST_CHECK bool tree_open(struct tree *tree, enum doc_kind kind, struct place place,
                          struct err *err);

/* The innermost container, which began at its bracket, ends before this column of this line: where
 * both brackets stand in one line, its place covers all of it. */
void tree_stretch(struct tree *tree, uint32_t line, uint32_t end_column);

/* A key of the innermost map, with its place. Text is borrowed. */
void tree_key(struct tree *tree, struct text key, struct place place);

/* A scalar. Fails at the limit on nodes. */
MUST_CHECK bool tree_add(struct tree *tree, const struct doc *scalar, struct err *err);

/* A branch of this text once more, at `place`. It is shared, but its nodes and levels count anew.
 * Fails at the limits on depth and nodes. */
MUST_CHECK bool tree_add_again(struct tree *tree, const struct tree_branch *branch,
                               struct place place, struct err *err);

/* The innermost container ends; out is what it became. Fails at a duplicate key. */
MUST_CHECK bool tree_close(struct tree *tree, struct tree_branch *out, struct err *err);

/* Put the path of the value that is being read into an error. Always returns false. */
MUST_CHECK bool tree_locate(const struct tree *tree, struct err *err);

/* A fault was met that reading can go on after. True: it was put on the list of such faults, go on.
 * False: there is no such list, or it is
 * full: the fault ends the reading. */
MUST_CHECK bool tree_tolerate(struct tree *tree, struct err *err);

#endif
