#ifndef REEVE_CLI_MANAGER_BATCHING_H
#define REEVE_CLI_MANAGER_BATCHING_H

#include "cli/manager/selected.h"
#include "codec/doc.h"

/* names: batching_ */

/* The flags of batches (UX.md 3.3), which are the same on all verbs that have them, on their way to
 * the manager. */

/* A flag that does not apply to a verb: why, and what to use instead. */
struct batching_refusal {
    const char *flag;
    const char *said;
    const char *hint;
};

struct batching {
    uint64_t deadline_ms; /* by the monotonic clock; 0: none */
    uint64_t seed; /* of a random order: as given, or from the first answer; 0: not known yet */
    bool is_dry;
};

/* False: an error was added, also of flags that mean nothing for this verb, or without one that is
 * not there. */
bool batching_read(struct command *command, const struct batching_refusal *refusals, size_t count,
                   struct batching *out);

/* Is it too late to begin anything? */
bool batching_is_late(const struct batching *batching);

/* An answer has drawn a seed for a random order: it is printed once and used by all later requests.
 * */
void batching_seed(struct command *command, struct batching *batching, int64_t seed);

/* No more machines of this cluster and of the following ones are begun. */
void batching_unbegun(struct command *command, const struct selected *selected, size_t from);

/* The body of a request. Members that are empty are left out. */
struct batching_body {
    struct command *command;
    struct doc_builder builder;
};

void batching_body_init(struct batching_body *body, struct command *command);
void batching_text(struct batching_body *body, const char *name, struct text value);

/* A number as given; the manager validates it. NULL: not given. */
void batching_word(struct batching_body *body, const char *name, const char *value);

/* The time in a flag. False: it is not a time, and an error was added. */
bool batching_duration(struct batching_body *body, const char *flag, const char *name);

/* All flags of batches, and which machines of this place are meant. False: an error was added. */
bool batching_put(struct batching_body *body, const struct batching *batching,
                  const struct selected *selected, const struct selected_place *place);

/* It, as it is sent. */
struct text batching_body_format(struct batching_body *body);

/* "/v1/clusters/shop/exec": the path of an action on an object. */
struct text batching_path(struct command *command, const struct selected_place *place,
                          const char *what);

/* Is the value of this flag, where it is given, within these bounds? False: R0004 was added. */
bool batching_number(struct command *command, const char *flag, int64_t least, int64_t most);

#endif
