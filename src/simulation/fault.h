#ifndef REEVE_SIMULATION_FAULT_H
#define REEVE_SIMULATION_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/set.h"

/* public names start with: simulation_ */

/* Faults that can be requested: FAULT(id, word, argument, default number, default span in ms,
 * help). A span of 0 means a single moment. Help, errors and the parser are generated from these
 * rows. */
#define SIMULATION_FAULTS(FAULT)                                                                \
    FAULT(DEATH, "death", COUNT, 1, 0, "this many machines die")                                \
    FAULT(STOP, "stop", COUNT, 1, 0, "this many machines are switched off")                     \
    FAULT(MASS_DEATH, "mass-death", PERCENT, 60, 0, "this share of all machines dies")          \
    FAULT(ZONE_LOST, "zone-lost", ZONE, 0, 600000, "present and new machines of this zone die") \
    FAULT(OUTAGE, "outage", PLUGIN, 0, 300000, "the provider answers no call")                  \
    FAULT(CAPACITY, "capacity", PLUGIN, 0, 600000, "the provider has no more machines")         \
    FAULT(THROTTLED, "throttled", PLUGIN, 0, 300000, "the provider rejects every other call")   \
    FAULT(UNANSWERED, "unanswered", PLUGIN, 0, 300000, "calls take effect without an answer")   \
    FAULT(LIST_LIES, "list-lies", PERCENT, 100, 600000, "lists omit this share silently")       \
    FAULT(LIST_PARTIAL, "list-partial", PERCENT, 50, 600000,                                    \
          "lists omit this share and report it")                                                \
    FAULT(FOREIGN, "foreign", COUNT, 1, 0, "unknown machines with our tags appear")             \
    FAULT(MANAGER_KILLED, "manager-killed", NONE, 0, 10000,                                     \
          "the manager is killed, and started again")                                           \
    FAULT(APPROVE, "approve", NONE, 0, 0, "no fault: an operator approves every pending hold")

/* Syntax of the part after `=`, for help. */
#define SIMULATION_FORM_NONE    ""
#define SIMULATION_FORM_COUNT   "=N"
#define SIMULATION_FORM_PERCENT "=PERCENT"
#define SIMULATION_FORM_ZONE    "=ZONE"
#define SIMULATION_FORM_PLUGIN  "=PLUGIN"

/* A row of help. */
#define SIMULATION_FAULT_LINE(id, word, argument, standard, span_ms, text) \
    "\n  " word SIMULATION_FORM_##argument ": " text

enum simulation_fault_kind {
#define SIMULATION_FAULT_ID(id, ...) SIMULATION_FAULT_##id,
    SIMULATION_FAULTS(SIMULATION_FAULT_ID)
#undef SIMULATION_FAULT_ID
        SIMULATION_FAULT_COUNT
};

/* Type of the value after `=`. */
enum simulation_argument {
    SIMULATION_ARGUMENT_NONE,
    SIMULATION_ARGUMENT_COUNT,   /* number of machines, at least 1 */
    SIMULATION_ARGUMENT_PERCENT, /* percentage from 1 to 100 */
    SIMULATION_ARGUMENT_ZONE,    /* name of a zone, which must exist */
    SIMULATION_ARGUMENT_PLUGIN,  /* name of a plugin; omitted: all plugins */
};

/* A type of fault. */
struct simulation_fault_page {
    const char *word;
    enum simulation_argument argument;
    uint64_t standard; /* default number */
    uint64_t span_ms;  /* default duration; 0: a single moment */
    const char *text;
};

const struct simulation_fault_page *simulation_fault_page(enum simulation_fault_kind kind);

/* A requested fault: WORD[@AT][+SPAN][=ARGUMENT]. Its texts point into the parsed text. */
struct simulation_fault {
    enum simulation_fault_kind kind;
    struct text word; /* fault as the user wrote it */
    uint64_t at_ms;   /* time since the start */
    uint64_t span_ms;
    uint64_t number;  /* value of a COUNT or PERCENT */
    struct text name; /* name of a ZONE or PLUGIN; may be empty */
};

/* Parses a fault. The default time is a third of the duration. Fails with R0556 if there is no such
 * fault, and with R0557 if its parts are invalid. */
MUST_CHECK bool simulation_fault_parse(struct text word, uint64_t duration_ms,
                                       struct simulation_fault *out, struct err *err);

/* Checks that its zone or plugin is used by a cluster of the set. Fails with R0557, listing the
 * existing ones. */
MUST_CHECK bool simulation_fault_meets(struct arena *arena, const struct simulation_fault *fault,
                                       const struct model_set *set, struct err *err);

/* Returns whether a fault is active at this time. */
bool simulation_fault_is_on(const struct simulation_fault *fault, uint64_t now_ms);

#endif
