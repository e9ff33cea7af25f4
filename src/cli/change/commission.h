#ifndef REEVE_CLI_CHANGE_COMMISSION_H
#define REEVE_CLI_CHANGE_COMMISSION_H

#include "cli/change/change.h"

/* public names start with: commission_ */

/* Makes the request that takes machines of the inventory into a group. It has a larger size of the
 * group, the machines, and the fingerprints of their host keys. The user's consent to the plan
 * approves these host keys. */
struct commission {
    struct command *command;
    const struct session *session;
    struct target group; /* the group: CLUSTER/GROUP */
    const struct text *names;
    size_t count;
    struct text vars;       /* variables of the members that get the machines, as JSON; empty:
                             * none */
    struct text batching;   /* batches in which their stages run: JSON; empty: all at once */
    bool is_adoption;       /* The machines are already in service. */
    bool is_move;           /* The machines may be members of other groups. */
    const struct doc *rows; /* rows of the inventory: /v1/nodes?discovered=1 */
};

/* Find up to `most` waiting machines that a selector selects, sorted by name. Machines that cannot
 * be commissioned are reported. False: an error was added, also if no machine was found. */
bool commission_select(struct command *command, const struct session *session, const char *selector,
                       size_t most, struct text **out_names, size_t *out_count);

/* Make the request, and show the machines with their host keys. False: an error was added. */
bool commission_call_make(const struct commission *commission, struct change_call *out);

/* Make the requests that take machines out of their current groups: one request for each group,
 * with a smaller size and the names of its machines. `out` has room for as many requests as
 * machines. False: an error was added. */
bool commission_leaves_make(const struct commission *commission, struct change_call *out_calls,
                            size_t *out_count);

/* Make the requests that commission again the machines that a failed job has returned to the
 * inventory, one request for each group. *out_count is 0 if there are none. False: an error was
 * added. */
bool commission_again_make(struct command *command, const struct session *session,
                           const struct doc *jobs, struct change_call **out_calls,
                           size_t *out_count);

#endif
