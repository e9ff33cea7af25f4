#ifndef REEVE_SYS_PUMP_H
#define REEVE_SYS_PUMP_H

#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Runs two programs with a pipe between them, `from | to`, on this command's terminal, and counts
 * the bytes. Both use this command's standard error. Signals of the terminal (Ctrl-C) reach both
 * programs; pump_run() returns after both have ended. */
struct pump {
    const char *const *from; /* argv of the first program, ends with NULL; the program is searched
                              * for in PATH */
    const char *const *to;
    void (*tick)(void *arg, uint64_t bytes); /* called every PUMP_TICK_MS with the number of bytes
                                              * so far; may be NULL */
    void *arg;
};

enum { PUMP_TICK_MS = 200, PUMP_SAID_BYTES = 4096 };

/* The exit codes of both programs. 128 plus N means that signal N ended the program. */
struct pump_end {
    int from_code;
    int to_code;
    bool is_interrupted; /* Ctrl-C was pressed while they ran, even if the programs ignored it */
    uint64_t bytes;
};

/* Run both programs. Fails with R0714 if one of them cannot be started. */
MUST_CHECK bool pump_run(const struct pump *pump, struct pump_end *out, struct err *err);

/* Several pumps at the same time. The standard error of each pump is captured, because mixed output
 * could not be attributed. While a set exists, Ctrl-C affects only the programs. */
struct pump_set;

/* Create a set. `tick` gets the sum of all bytes; it may be NULL. Free the set with
 * pump_set_free(). */
struct pump_set *pump_set_new(void (*tick)(void *arg, uint64_t bytes), void *arg);

/* Start one more pump. `number` identifies it in struct pump_set_end. argv need not outlive the
 * call; the pump's own tick is not called. Fails with R0714. */
MUST_CHECK bool pump_set_add(struct pump_set *set, const struct pump *pump, size_t number,
                             struct err *err);

/* The end of one pump, with the first PUMP_SAID_BYTES of its standard error. These bytes may not be
 * valid text. */
struct pump_set_end {
    size_t number;
    struct pump_end end; /* is_interrupted is set only by pump_set_free() */
    struct text said;    /* valid until the next call on the set */
};

/* Wait until a pump ends. Returns false if none is running. */
bool pump_set_next(struct pump_set *set, struct pump_set_end *out);

/* Free the set; no pump may be running. Returns true if Ctrl-C was pressed in the meantime. */
bool pump_set_free(struct pump_set *set);

#endif
