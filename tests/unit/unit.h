#ifndef REEVE_TESTS_UNIT_UNIT_H
#define REEVE_TESTS_UNIT_UNIT_H

/* Included by every unit test: cmocka, with the headers that it needs before its header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNIT_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNIT_HAS_ASAN 1
#endif
#endif

/* Asserts that the text has these bytes. */
#define assert_text(actual, expected)                                     \
    do {                                                                  \
        struct text unit_text_ = (actual);                                \
        assert_int_equal(unit_text_.length, strlen(expected));            \
        assert_memory_equal(unit_text_.data, expected, strlen(expected)); \
    } while (0)

/* Returns whether the function aborts the process by an assertion. It runs in a child without
 * output. */
static inline bool unit_aborts(void (*function)(void))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) != NULL) {
            function();
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
}

/* Returns the next number of a sequence that is the same in every run (xorshift). */
static inline uint32_t unit_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
