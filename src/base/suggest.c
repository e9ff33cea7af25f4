#include "base/suggest.h"

#include "base/limits.h"

#include <assert.h>
#include <limits.h>

/* Costs are in tenths, so that a difference only in case or a hyphen costs less than any real
 * edit. */
#define COST_EDIT  10u
#define COST_SPELL 2u

static char letter_fold(char letter)
{
    if (letter >= 'A' && letter <= 'Z') {
        return (char)(letter - 'A' + 'a');
    }
    return letter == '-' ? '_' : letter;
}

static unsigned cost_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Measure the optimal string alignment distance: insertion, deletion, change, and swap of two
 * neighbours. */
static unsigned distance_measure(struct text a, struct text b)
{
    unsigned rows[3][LIMIT_SUGGEST_BYTES + 1];

    assert(a.length <= LIMIT_SUGGEST_BYTES && b.length <= LIMIT_SUGGEST_BYTES);
    for (size_t j = 0; j <= b.length; j++) {
        rows[0][j] = (unsigned)j * COST_EDIT;
    }
    for (size_t i = 1; i <= a.length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];
        const unsigned *above2 = rows[(i + 1) % 3];

        row[0] = (unsigned)i * COST_EDIT;
        for (size_t j = 1; j <= b.length; j++) {
            unsigned change = COST_EDIT;

            if (a.data[i - 1] == b.data[j - 1]) {
                change = 0;
            } else if (letter_fold(a.data[i - 1]) == letter_fold(b.data[j - 1])) {
                change = COST_SPELL;
            }
            row[j] =
                cost_least(above[j - 1] + change, cost_least(above[j], row[j - 1]) + COST_EDIT);
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                a.data[i - 2] == b.data[j - 1]) {
                row[j] = cost_least(row[j], above2[j - 2] + COST_EDIT);
            }
        }
    }
    return rows[a.length % 3][b.length];
}

struct suggest suggest_start(struct text wrong)
{
    return (struct suggest){ .wrong = wrong, .best_distance = UINT_MAX, .next_distance = UINT_MAX };
}

void suggest_offer(struct suggest *suggest, struct text candidate)
{
    unsigned distance;

    if (suggest->wrong.length > LIMIT_SUGGEST_BYTES || candidate.length > LIMIT_SUGGEST_BYTES ||
        candidate.length == 0) {
        return;
    }
    distance = distance_measure(suggest->wrong, candidate);
    if (distance < suggest->best_distance) {
        suggest->next_distance = suggest->best_distance;
        suggest->best_distance = distance;
        suggest->best = candidate;
    } else if (distance < suggest->next_distance && !text_is_equal(candidate, suggest->best)) {
        suggest->next_distance = distance;
    }
    assert(suggest->best_distance <= suggest->next_distance);
}

struct text suggest_best(const struct suggest *suggest)
{
    size_t longest =
        suggest->wrong.length > suggest->best.length ? suggest->wrong.length : suggest->best.length;
    unsigned allowed = longest / 3 < 1 ? 1 : (unsigned)(longest / 3);
    bool is_near = suggest->best_distance <= allowed * COST_EDIT;
    bool is_clear = suggest->best_distance < suggest->next_distance;

    return is_near && is_clear ? suggest->best : TEXT("");
}
