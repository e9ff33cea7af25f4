#ifndef REEVE_CODEC_YAML_BLOCK_H
#define REEVE_CODEC_YAML_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/text.h"

/* public names start with: yaml_ */

/* The header of a block scalar: the characters after | or >. */
struct yaml_block_header {
    bool is_folded;  /* the header begins with > */
    char chomp;      /* '-', '+', or '\0' */
    unsigned indent; /* 1 to 9; 0: the indentation of the first line */
};

/* Read the header at `offset`, which yaml_find_block_header() returned. */
struct yaml_block_header yaml_block_header(struct text bytes, size_t offset);

/* Return the indentation of the map or list whose first token is at `start`. Anchors and tags
 * before it on its line belong to it. */
size_t yaml_find_indent(struct text bytes, size_t start);

/* Return the offset of the first line that is not empty, if it is not indented deeper than the
 * surrounding map or list (`parent`). That line is then not part of the text. Return SIZE_MAX if
 * the line is indented deeper. */
size_t yaml_block_find_shallow(struct text lines, size_t parent);

/* Return the text of a block scalar, in the arena. `lines` are all lines below the header, with
 * their indentation and line ends; `parent` is the indentation of the surrounding map or list. */
struct text yaml_block_text(struct arena *arena, struct text lines, struct yaml_block_header header,
                            size_t parent);

#endif
