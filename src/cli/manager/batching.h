#ifndef REEVE_CLI_MANAGER_BATCHING_H
#define REEVE_CLI_MANAGER_BATCHING_H

#include "cli/manager/selected.h"
#include "codec/doc.h"

/* public names start with: batching_ */

/* The batch flags (UX.md 3.3), which all verbs with batches share, and the request body that
 * carries them to the manager. */

/* A flag that does not apply to a verb: the reason, and the flag to use instead. */
struct batching_refusal {
    const char *flag;
    const char *said;
    const char *hint;
};

struct batching {
    uint64_t deadline_ms; /* deadline by the monotonic clock; 0: none */
    /* seed of a random order, from the flag or from the first answer; 0: not known yet */
    uint64_t seed;
    bool is_dry;
};

/* Read the batch flags of the command. False: an error was added: a value is invalid, a flag does
 * not apply to this verb, or a flag that it needs is missing. */
bool batching_read(struct command *command, const struct batching_refusal *refusals, size_t count,
                   struct batching *out);

/* True if the deadline has passed: no further machine may be started. */
bool batching_is_late(const struct batching *batching);

/* Take the seed that the manager chose for a random order. The seed is printed once and sent with
 * all later requests. */
void batching_seed(struct command *command, struct batching *batching, int64_t seed);

/* Report that no more machines of items[from] and of the clusters after it are started. */
void batching_unbegun(struct command *command, const struct selected *selected, size_t from);

/* The body of a request. Members that are empty are left out. */
struct batching_body {
    struct command *command;
    struct doc_builder builder;
};

void batching_body_init(struct batching_body *body, struct command *command);
void batching_text(struct batching_body *body, const char *name, struct text value);

/* Put a number into the body as the user typed it; the manager validates it. NULL: not given. */
void batching_word(struct batching_body *body, const char *name, const char *value);

/* Put the duration of a flag into the body. False: it is not a duration, and an error was added. */
bool batching_duration(struct batching_body *body, const char *flag, const char *name);

/* True if the command has any batch flag that sets how machines begin. */
bool batching_is_given(const struct command *command);

/* Add the batch flags for sizes and times to the body, without the flags for the order. False: an
 * error was added. */
bool batching_sizes_put(struct batching_body *body, const struct batching *batching);

/* Add all batch flags, and the machines selected in `place`, to the body. False: an error was
 * added. */
bool batching_put(struct batching_body *body, const struct batching *batching,
                  const struct selected *selected, const struct selected_place *place);

/* Format the body as the JSON to send. */
struct text batching_body_format(struct batching_body *body);

/* Return the path of an action on an object: "/v1/clusters/shop/exec". */
struct text batching_path(struct command *command, const struct selected_place *place,
                          const char *what);

/* Check that the value of a flag, if given, is within these bounds. False: R0004 was added. */
bool batching_number(struct command *command, const char *flag, int64_t least, int64_t most);

#endif
