#ifndef REEVE_CODEC_YAML_BLOCK_H
#define REEVE_CODEC_YAML_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/text.h"

/* names: yaml_ */

/* What stands behind | or >. */
struct yaml_block_header {
    bool is_folded;  /* > */
    char chomp;      /* '-', '+', or '\0' */
    unsigned indent; /* 1 to 9; 0 = that of the first line */
};

/* Read the header at `offset`, which yaml_find_block_header has found. */
struct yaml_block_header yaml_block_header(struct text bytes, size_t offset);

/* How far the map or list is indented whose first token stands at `start`: anchors and tags before it
 * in its line belong to it. */
size_t yaml_find_indent(struct text bytes, size_t start);

/* The first line that is not empty, where it is not deeper than the map or list around it, which is
 * indented by `parent`: then it is no part of the text. SIZE_MAX where all is well. */
size_t yaml_block_find_shallow(struct text lines, size_t parent);

/* The text of a block scalar, made in the arena. `lines` are all lines below the header, with their
 * indentation and line ends; `parent` is the indentation of the map or list around it. */
struct text yaml_block_text(struct arena *arena, struct text lines, struct yaml_block_header header,
                            size_t parent);

#endif
