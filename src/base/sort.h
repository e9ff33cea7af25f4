#ifndef REEVE_BASE_SORT_H
#define REEVE_BASE_SORT_H

#include <stddef.h>

#include "base/mem.h"

/* Order of two items: below 0, 0, above 0. `arg` is that of sort_stable(). */
typedef int sort_compare(const void *a, const void *b, void *arg);

/* Merge sort: equal items keep their order. The cost is n log n at worst, and n for sorted items.
 * Working memory comes from `scratch` and is returned before the call returns. */
void sort_stable(struct arena *scratch, void *items, size_t count, size_t item_bytes,
                 sort_compare *compare, void *arg);

/* Compares items of type struct text. */
int sort_compare_text(const void *a, const void *b, void *arg);

#endif
