#ifndef REEVE_SYS_PUMP_H
#define REEVE_SYS_PUMP_H

#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"

/* Two programs of this command's terminal, of which one writes what the other one reads: `from | to`, with a count of the bytes
 * that have passed. Both have this command's standard error; what the terminal sends (Ctrl-C) reaches both, and this waits for
 * their ends. */
struct pump {
    const char *const *from; /* words, NULL behind them; the first one is looked for in PATH */
    const char *const *to;
    void (*tick)(void *arg, uint64_t bytes); /* every PUMP_TICK_MS while it goes on; may be NULL */
    void *arg;
};

enum { PUMP_TICK_MS = 200 };

/* How they ended: an exit code, or 128 and the number of a signal. */
struct pump_end {
    int from_code;
    int to_code;
    bool is_interrupted; /* Ctrl-C was pressed meanwhile, whatever they made of it */
    uint64_t bytes;
};

/* Run both. R0714: one of them cannot be started. */
MUST_CHECK bool pump_run(const struct pump *pump, struct pump_end *out, struct err *err);

#endif
