#ifndef REEVE_CLI_SIMULATE_H
#define REEVE_CLI_SIMULATE_H

#include "cli/args/command.h"
#include "simulation/simulation.h"

/* Output of a simulation's result. */
struct simulate {
    const struct simulation_options *options;
    const struct simulation_result *result;
    bool is_full;
};

/* Write the result as text: a timeline, of at most SIMULATE_LINES lines unless is_full, and the
 * final state. */
enum { SIMULATE_LINES = 40, SIMULATE_GROUPS = 20 };
void simulate_text_write(struct command *command, const struct simulate *simulate);

/* Return the result as documents for -o: simulate_doc returns the result without events,
 * simulate_events_doc the events. */
struct doc simulate_doc(struct arena *arena, const struct simulate *simulate);
struct doc simulate_events_doc(struct arena *arena, const struct simulate *simulate);

/* Format a duration as users write it: 1h30m, 0s. */
struct text simulate_time(struct arena *arena, uint64_t time_ms);

#endif
