#ifndef REEVE_TRIAL_FAULT_H
#define REEVE_TRIAL_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/set.h"

/* names: trial_ */

/* Bad luck that can be asked for: FAULT(id, word, argument, standard, span in ms, what happens).
 * A span of 0: it happens at one moment. Help, errors and the parser are made from these rows. */
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

/* What may stand behind `=`, as help shows it. */
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

/* What may stand behind `=`. */
enum trial_argument {
    TRIAL_ARGUMENT_NONE,
    TRIAL_ARGUMENT_COUNT,   /* of machines, at least 1 */
    TRIAL_ARGUMENT_PERCENT, /* 1 to 100 */
    TRIAL_ARGUMENT_ZONE,    /* must be there */
    TRIAL_ARGUMENT_PLUGIN,  /* left out: all of them */
};

/* A sort of fault. */
struct trial_fault_page {
    const char *word;
    enum trial_argument argument;
    uint64_t standard; /* the number where none is written */
    uint64_t span_ms;  /* its length where none is written; 0: it has none */
    const char *text;
};

const struct trial_fault_page *trial_fault_page(enum trial_fault_kind kind);

/* One that was asked for: WORD[@AT][+SPAN][=ARGUMENT]. Borrows from the word it was read from. */
struct trial_fault {
    enum trial_fault_kind kind;
    struct text word; /* as it was written */
    uint64_t at_ms;   /* since the beginning */
    uint64_t span_ms;
    uint64_t number;  /* COUNT, PERCENT */
    struct text name; /* ZONE, PLUGIN; may be empty */
};

/* Read one. Without a time it comes when a third of the duration is over. R0556: there is no such fault; R0557: it
 * cannot be like this. */
MUST_CHECK bool trial_fault_parse(struct text word, uint64_t duration_ms, struct trial_fault *out,
                                  struct err *err);

/* Is the zone or the plugin that it names one of a cluster in the set? R0557, with those that there are. */
MUST_CHECK bool trial_fault_meets(struct arena *arena, const struct trial_fault *fault,
                                  const struct model_set *set, struct err *err);

/* Does it go on now? */
bool trial_fault_is_on(const struct trial_fault *fault, uint64_t now_ms);

#endif
