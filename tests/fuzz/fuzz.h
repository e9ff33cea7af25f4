#ifndef REEVE_TESTS_FUZZ_FUZZ_H
#define REEVE_TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* End with a message, and so keep the input, unless the condition holds. */
#define FUZZ_CHECK(condition)                                                       \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

/* What libFuzzer calls with each input. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An error is complete: code, text, a place that lies in the text. */
void fuzz_check_error(const struct err *err, struct text bytes);

/* Places lie in the text, and maps are in order. */
void fuzz_check_tree(const struct doc *doc, struct text bytes);

/* The canonical form reads back as the same tree and the same bytes, and is as long as counted; so
 * does the form for people. */
void fuzz_check_canonical(struct arena *arena, const struct doc *doc);

#endif
