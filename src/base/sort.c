#include "base/sort.h"

#include <assert.h>
#include <string.h>

/* Bottom-up merge sort: runs of RUN_ITEMS are sorted by insertion, then merged pairwise from one
 * buffer into the other and back. A pair of runs that is already in order is copied without
 * comparisons. */

#define RUN_ITEMS ((size_t)8)

struct sorting {
    size_t item_bytes;
    sort_compare *compare;
    void *arg;
};

static bool items_are_ordered(const struct sorting *sorting, const char *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const char *item = items + i * sorting->item_bytes;

        if (sorting->compare(item - sorting->item_bytes, item, sorting->arg) > 0) {
            return false;
        }
    }
    return true;
}

static void run_sort(const struct sorting *sorting, char *items, size_t count, char *spare)
{
    size_t bytes = sorting->item_bytes;

    for (size_t i = 1; i < count; i++) {
        size_t to = i;

        while (to > 0 &&
               sorting->compare(items + (to - 1) * bytes, items + i * bytes, sorting->arg) > 0) {
            to--;
        }
        if (to < i) {
            memcpy(spare, items + i * bytes, bytes);
            memmove(items + (to + 1) * bytes, items + to * bytes, (i - to) * bytes);
            memcpy(items + to * bytes, spare, bytes);
        }
    }
}

/* Merge from[start, middle) and from[middle, end) into the same range of `to`. */
static void runs_merge(const struct sorting *sorting, const char *from, char *to, size_t start,
                       size_t middle, size_t end)
{
    size_t bytes = sorting->item_bytes;
    size_t left = start;
    size_t right = middle;

    assert(start <= middle && middle <= end);
    for (size_t at = start; at < end; at++) {
        bool is_left_taken =
            left < middle &&
            (right == end ||
             sorting->compare(from + left * bytes, from + right * bytes, sorting->arg) <= 0);

        memcpy(to + at * bytes, from + (is_left_taken ? left++ : right++) * bytes, bytes);
    }
}

void sort_stable(struct arena *scratch, void *items, size_t count, size_t item_bytes,
                 sort_compare *compare, void *arg)
{
    struct sorting sorting = { .item_bytes = item_bytes, .compare = compare, .arg = arg };
    struct arena_mark mark = arena_mark(scratch);
    char *from = items;
    char *to;

    assert(item_bytes > 0);
    if (count < 2 || items_are_ordered(&sorting, items, count)) {
        return;
    }
    to = arena_alloc_array(scratch, count < RUN_ITEMS ? 1 : count, item_bytes);
    for (size_t start = 0; start < count; start += RUN_ITEMS) {
        size_t run = count - start < RUN_ITEMS ? count - start : RUN_ITEMS;

        run_sort(&sorting, from + start * item_bytes, run, to);
    }
    for (size_t run = RUN_ITEMS; run < count; run *= 2) {
        char *swap = from;

        for (size_t start = 0; start < count; start += 2 * run) {
            size_t middle = start + run < count ? start + run : count;
            size_t end = start + 2 * run < count ? start + 2 * run : count;

            runs_merge(&sorting, from, to, start, middle, end);
        }
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, count * item_bytes);
    }
    arena_rewind(scratch, mark);
}

int sort_compare_text(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(*(const struct text *)a, *(const struct text *)b);
}
