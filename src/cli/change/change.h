#ifndef REEVE_CLI_CHANGE_CHANGE_H
#define REEVE_CLI_CHANGE_CHANGE_H

#include "cli/args/sent.h"
#include "cli/manager/session.h"
#include "cli/args/target.h"

/* Every change of the command line goes this way: what it would do is computed by the manager and
 * shown, consent is got, and then exactly that is done, or nothing (UX.md 3.3). */

/* One request. */
struct change_call {
    const char *method;
    struct text path;         /* without a query */
    const char *content_type; /* NULL: no body */
    struct text body;
    /* Members to destroy when a group shrinks: names and ranges; empty: none is named. */
    struct text victims;
    /* Nodes that are replaced though nothing changes: names and ranges, or "*" for all of the
     * group; empty: none. */
    struct text replaces;
    /* Nodes that are rebooted: names and ranges, or "-": requested reboots that have not begun are
     * dropped; empty: none. */
    struct text reboots;
    struct text if_match; /* the revision it is about; empty: it makes something new */
    bool is_plan;         /* POST /v1/plans: the manager keeps what it computes under an id */
    struct doc answer;    /* out: what the manager would do, then what it did */
};

struct change_set {
    struct change_call *calls;
    size_t count;
    const struct sent *sent; /* where the errors of its answers have their places; may be NULL */
    /* When all is done, before its jobs are followed; may be NULL. False: an error was added. */
    bool (*then)(struct command *command, const struct session *session, void *arg);
    void *arg;
};

/* Show, ask, do. Returns the exit code; errors are added to the command. */
enum exit_code change_run(struct command *command, const struct session *session,
                          struct change_set *set);

/* Only show: what --dry-run and `plan` do. *out_differs: something would change, or differs from
 * the files and is kept. False: an error was added. */
bool change_show(struct command *command, const struct session *session, struct change_set *set,
                 bool *out_differs);

/* Say beforehand that applying it will need --supersede, if it will. True: it will. */
bool change_rollouts_report(struct command *command, const struct change_set *set);

/* Ask what one call would do, and show nothing: call->answer. False: refused, an error was
 * added. */
bool change_dry(struct command *command, const struct session *session, struct change_call *call);

/* The revision an object has now, as If-Match wants it. False: an error was added. */
bool change_pin_get(struct command *command, const struct session *session,
                    const struct target *target, struct text *out);

/* A saved plan that is to be carried out. */
enum exit_code change_apply_saved(struct command *command, const struct session *session,
                                  struct text id);

/* A JSON document as a body. */
struct text change_body(struct command *command, const struct doc *doc);

#endif
