#ifndef REEVE_TRIAL_FAULT_H
#define REEVE_TRIAL_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/set.h"

/* names: trial_ */

/* Faults that can be requested: FAULT(id, word, argument, default number, default span in ms,
 * help). A span of 0 means a single moment. Help, errors and the parser are generated from these
 * rows. */
#define TRIAL_FAULTS(FAULT)                                                                      \
    FAULT(DEATH, "death", COUNT, 1, 0, "so many machines end by themselves")                     \
    FAULT(STOP, "stop", COUNT, 1, 0, "so many machines are switched off")                        \
    FAULT(MASS_DEATH, "mass-death", PERCENT, 60, 0, "this share of all machines ends")           \
    FAULT(ZONE_LOST, "zone-lost", ZONE, 0, 600000, "what is in this zone ends, and what comes")  \
    FAULT(OUTAGE, "outage", PLUGIN, 0, 300000, "the provider answers nothing")                   \
    FAULT(CAPACITY, "capacity", PLUGIN, 0, 600000, "the provider has no more machines")          \
    FAULT(THROTTLED, "throttled", PLUGIN, 0, 300000, "the provider refuses every other call")    \
    FAULT(UNANSWERED, "unanswered", PLUGIN, 0, 300000, "calls have their effect, and no answer") \
    FAULT(LIST_LIES, "list-lies", PERCENT, 100, 600000, "lists lack so many, and do not say so") \
    FAULT(LIST_PARTIAL, "list-partial", PERCENT, 50, 600000, "lists lack so many, and say so")   \
    FAULT(FOREIGN, "foreign", COUNT, 1, 0, "machines with our tags that are not ours")           \
    FAULT(MANAGER_KILLED, "manager-killed", NONE, 0, 10000,                                      \
          "the manager dies, and is started anew")                                               \
    FAULT(APPROVE, "approve", NONE, 0, 0, "no fault: somebody approves every hold that asks")

/* Syntax of the part behind `=`, for help. */
#define TRIAL_FORM_NONE    ""
#define TRIAL_FORM_COUNT   "=N"
#define TRIAL_FORM_PERCENT "=PERCENT"
#define TRIAL_FORM_ZONE    "=ZONE"
#define TRIAL_FORM_PLUGIN  "=PLUGIN"

/* A row of help. */
#define TRIAL_FAULT_LINE(id, word, argument, standard, span_ms, text) \
    "\n  " word TRIAL_FORM_##argument ": " text

enum trial_fault_kind {
#define TRIAL_FAULT_ID(id, ...) TRIAL_FAULT_##id,
    TRIAL_FAULTS(TRIAL_FAULT_ID)
#undef TRIAL_FAULT_ID
        TRIAL_FAULT_COUNT
};

/* Type of the value behind `=`. */
enum trial_argument {
    TRIAL_ARGUMENT_NONE,
    TRIAL_ARGUMENT_COUNT,   /* number of machines, at least 1 */
    TRIAL_ARGUMENT_PERCENT, /* 1 to 100 */
    TRIAL_ARGUMENT_ZONE,    /* must exist */
    TRIAL_ARGUMENT_PLUGIN,  /* omitted: all of them */
};

/* A type of fault. */
struct trial_fault_page {
    const char *word;
    enum trial_argument argument;
    uint64_t standard; /* default number */
    uint64_t span_ms;  /* default duration; 0: a single moment */
    const char *text;
};

const struct trial_fault_page *trial_fault_page(enum trial_fault_kind kind);

/* A requested fault: WORD[@AT][+SPAN][=ARGUMENT]. Borrows from the text. */
struct trial_fault {
    enum trial_fault_kind kind;
    struct text word; /* as written */
    uint64_t at_ms;   /* since the start */
    uint64_t span_ms;
    uint64_t number;  /* of COUNT, PERCENT */
    struct text name; /* of ZONE, PLUGIN; may be empty */
};

/* Parses a fault. The default time is a third of the duration. Fails with R0556 if there is no such
 * fault, and with R0557 if its parts are invalid. */
MUST_CHECK bool trial_fault_parse(struct text word, uint64_t duration_ms, struct trial_fault *out,
                                  struct err *err);

/* Checks that its zone or plugin is used by a cluster of the set. Fails with R0557, listing the
 * existing ones. */
MUST_CHECK bool trial_fault_meets(struct arena *arena, const struct trial_fault *fault,
                                  const struct model_set *set, struct err *err);

/* Returns whether it is active at this time. */
bool trial_fault_is_on(const struct trial_fault *fault, uint64_t now_ms);

#endif
