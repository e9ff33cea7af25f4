#ifndef REEVE_SYS_PUMP_H
#define REEVE_SYS_PUMP_H

#include <stdint.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Two programs of this command's terminal, of which one writes what the other one reads: `from | to`, with a count of the bytes
 * that have passed. Both have this command's standard error; what the terminal sends (Ctrl-C) reaches both, and this waits for
 * their ends. */
struct pump {
    const char *const *from; /* words, NULL behind them; the first one is looked for in PATH */
    const char *const *to;
    void (*tick)(void *arg, uint64_t bytes); /* every PUMP_TICK_MS while it goes on; may be NULL */
    void *arg;
};

enum { PUMP_TICK_MS = 200, PUMP_SAID_BYTES = 4096 };

/* How they ended: an exit code, or 128 and the number of a signal. */
struct pump_end {
    int from_code;
    int to_code;
    bool is_interrupted; /* Ctrl-C was pressed meanwhile, whatever they made of it */
    uint64_t bytes;
};

/* Run both. R0714: one of them cannot be started. */
MUST_CHECK bool pump_run(const struct pump *pump, struct pump_end *out, struct err *err);

/* Several at once. What their programs write to standard error is kept, for nobody could tell whose it is. While there is a set
 * Ctrl-C goes to the programs alone. */
struct pump_set;

/* Tick is called with all bytes of all of them; may be NULL. */
struct pump_set *pump_set_new(void (*tick)(void *arg, uint64_t bytes), void *arg);

/* Begin one more, with a number that its end has. Words need not outlive this; its own tick is not called. R0714. */
MUST_CHECK bool pump_set_add(struct pump_set *set, const struct pump *pump, size_t number,
                             struct err *err);

/* How one of them ended, and the first PUMP_SAID_BYTES of what it wrote to standard error, any bytes. */
struct pump_set_end {
    size_t number;
    struct pump_end end; /* is_interrupted is not known before pump_set_free */
    struct text said;    /* until the set is asked for the next one, or freed */
};

/* Wait for the next one that ends. False: none is under way. */
bool pump_set_next(struct pump_set *set, struct pump_set_end *out);

/* None may be under way. Was Ctrl-C pressed meanwhile? */
bool pump_set_free(struct pump_set *set);

#endif
