#ifndef REEVE_CLI_SIMULATE_H
#define REEVE_CLI_SIMULATE_H

#include "cli/args/command.h"
#include "simulation/simulation.h"

/* What a trial brought, shown. */
struct simulate {
    const struct simulation_options *options;
    const struct simulation_result *result;
    bool is_full;
};

/* For people: a timeline of at most SIMULATE_LINES lines unless it is_full, then how it ends. */
enum { SIMULATE_LINES = 40, SIMULATE_GROUPS = 20 };
void simulate_text_write(struct command *command, const struct simulate *simulate);

/* For programs: all of it, but for events; and the events. */
struct doc simulate_doc(struct arena *arena, const struct simulate *simulate);
struct doc simulate_events_doc(struct arena *arena, const struct simulate *simulate);

/* A length of time as people write it: 1h30m, 0s. */
struct text simulate_time(struct arena *arena, uint64_t time_ms);

#endif
