#ifndef REEVE_RECORDS_FLEET_INDEX_H
#define REEVE_RECORDS_FLEET_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Inside of the fleet: which row of a cluster has this token? Four bytes a place, at most half of them taken, where a
 * tree of keys would need fifty, and look at a dozen of them.
 *
 * Tokens are drawn by us, or stamped by us; none is chosen by a stranger so that many fall on one place. */
struct fleet_index {
    uint32_t *places; /* 0: free; else the row and 1 */
    size_t room;      /* a power of two, or 0 */
    size_t count;
};

/* The token of a row; it stays what it is while the row is in the index. */
typedef struct text fleet_token(const void *rows, size_t row);

/* The row with a token; SIZE_MAX: none has it. */
size_t fleet_index_find(const struct fleet_index *index, const void *rows, fleet_token *token_of,
                        struct text token);

/* Take a row in, whose token no other has. */
void fleet_index_put(struct fleet_index *index, const void *rows, fleet_token *token_of,
                     size_t row);

/* Take the row with this token out; it is there. */
void fleet_index_remove(struct fleet_index *index, const void *rows, fleet_token *token_of,
                        struct text token);

/* The row with this token, which is there, is another one from now on. */
void fleet_index_move(struct fleet_index *index, const void *rows, fleet_token *token_of,
                      struct text token, size_t row);

/* Free its memory. It is empty then. */
void fleet_index_fini(struct fleet_index *index);

#endif
