#ifndef REEVE_TESTS_FUZZ_FUZZ_H
#define REEVE_TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "codec/doc.h"

/* Aborts with a message unless the condition holds, so that the fuzzer stores the input. */
#define FUZZ_CHECK(condition)                                                       \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

/* libFuzzer calls this function with each input. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks that an error is complete: it has a code, a text, and a place within the text. */
void fuzz_check_error(const struct err *err, struct text bytes);

/* Checks that places are within the text, and that maps are sorted. */
void fuzz_check_tree(const struct doc *doc, struct text bytes);

/* Checks that parsing the canonical form gives the same tree and the same bytes, and that its
 * length is as computed. Checks the same for the readable form. */
void fuzz_check_canonical(struct arena *arena, const struct doc *doc);

#endif
