#ifndef REEVE_RECORDS_FLEET_INDEX_H
#define REEVE_RECORDS_FLEET_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Internal index of the record cache: finds the row of a cluster by token. It takes four bytes for
 * each place, and at most half of the places are used. A tree of keys would take fifty bytes for
 * each row and about a dozen comparisons for each search.
 *
 * The hash needs no secret: this installation generates or signs all tokens, so no user can choose
 * many tokens that collide. */
struct fleet_index {
    uint32_t *places; /* 0: the place is free; else the index of the row + 1 */
    size_t room;      /* number of places: a power of two, or 0 */
    size_t count;
};

/* The token of a row. It must not change while the row is in the index. */
typedef struct text fleet_token(const void *rows, size_t row);

/* Find the row with this token; SIZE_MAX if there is none. */
size_t fleet_index_find(const struct fleet_index *index, const void *rows, fleet_token *token_of,
                        struct text token);

/* Add a row. Its token must not be in the index yet. */
void fleet_index_put(struct fleet_index *index, const void *rows, fleet_token *token_of,
                     size_t row);

/* Remove the row with this token, which must exist. */
void fleet_index_remove(struct fleet_index *index, const void *rows, fleet_token *token_of,
                        struct text token);

/* Change the row number of this token, which must exist. */
void fleet_index_move(struct fleet_index *index, const void *rows, fleet_token *token_of,
                      struct text token, size_t row);

/* Frees the memory of the index, which is empty afterwards. */
void fleet_index_fini(struct fleet_index *index);

#endif
