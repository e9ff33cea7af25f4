#include "records/fleet_index.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

/* Open addressing: a row is put at the first free place at or after the place given by its hash. A
 * removal closes the gap, so that a free place always ends a search. */

enum { ROOM_START = 8 };

static size_t fleet_index_memory_of(const struct fleet_index *index, struct text token)
{
    return (size_t)text_hash(token, 0) & (index->room - 1);
}

static size_t fleet_index_next_of(const struct fleet_index *index, size_t place)
{
    return (place + 1) & (index->room - 1);
}

/* Return the place of the row with this token, or else the free place at which the search ends. */
static size_t fleet_index_place_of(const struct fleet_index *index, const void *rows,
                                   fleet_token *token_of, struct text token)
{
    size_t place = fleet_index_memory_of(index, token);

    assert(index->count < index->room);
    while (index->places[place] != 0 &&
           !text_is_equal(token_of(rows, index->places[place] - 1), token)) {
        place = fleet_index_next_of(index, place);
    }
    return place;
}

size_t fleet_index_find(const struct fleet_index *index, const void *rows, fleet_token *token_of,
                        struct text token)
{
    uint32_t found =
        index->room == 0 ? 0 : index->places[fleet_index_place_of(index, rows, token_of, token)];

    return found == 0 ? SIZE_MAX : found - 1;
}

static void fleet_index_room_make(struct fleet_index *index, const void *rows,
                                  fleet_token *token_of)
{
    struct fleet_index wide = { .room = index->room == 0 ? ROOM_START : index->room * 2 };

    if (index->count < index->room / 2) {
        return;
    }
    wide.places = rows_resize(NULL, wide.room * sizeof(wide.places[0]));
    memset(wide.places, 0, wide.room * sizeof(wide.places[0]));
    for (size_t i = 0; i < index->room; i++) {
        if (index->places[i] != 0) {
            struct text token = token_of(rows, index->places[i] - 1);

            wide.places[fleet_index_place_of(&wide, rows, token_of, token)] = index->places[i];
            wide.count++;
        }
    }
    assert(wide.count == index->count);
    rows_free(index->places);
    *index = wide;
}

void fleet_index_put(struct fleet_index *index, const void *rows, fleet_token *token_of, size_t row)
{
    size_t place;

    assert(row < UINT32_MAX);
    fleet_index_room_make(index, rows, token_of);
    place = fleet_index_place_of(index, rows, token_of, token_of(rows, row));
    assert(index->places[place] == 0 && "its token was not there");
    index->places[place] = (uint32_t)row + 1;
    index->count++;
}

/* True if the entry at `place` may move to the gap: the gap is not before the place given by the
 * entry's hash. */
static bool may_fill(const struct fleet_index *index, size_t gap, size_t place, size_t memory)
{
    size_t mask = index->room - 1;

    return ((place - memory) & mask) >= ((place - gap) & mask);
}

void fleet_index_remove(struct fleet_index *index, const void *rows, fleet_token *token_of,
                        struct text token)
{
    size_t gap = fleet_index_place_of(index, rows, token_of, token);

    assert(index->places[gap] != 0);
    for (size_t place = fleet_index_next_of(index, gap); index->places[place] != 0;
         place = fleet_index_next_of(index, place)) {
        size_t memory = fleet_index_memory_of(index, token_of(rows, index->places[place] - 1));

        if (may_fill(index, gap, place, memory)) {
            index->places[gap] = index->places[place];
            gap = place;
        }
    }
    index->places[gap] = 0;
    index->count--;
}

void fleet_index_move(struct fleet_index *index, const void *rows, fleet_token *token_of,
                      struct text token, size_t row)
{
    size_t place = fleet_index_place_of(index, rows, token_of, token);

    assert(index->places[place] != 0);
    assert(row < UINT32_MAX);
    index->places[place] = (uint32_t)row + 1;
}

void fleet_index_fini(struct fleet_index *index)
{
    rows_free(index->places);
    *index = (struct fleet_index){ 0 };
}
