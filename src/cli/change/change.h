#ifndef REEVE_CLI_CHANGE_CHANGE_H
#define REEVE_CLI_CHANGE_CHANGE_H

#include "cli/args/consent.h"
#include "cli/args/sent.h"
#include "cli/manager/session.h"
#include "cli/args/target.h"

/* The steps of every change from the command line: the manager computes its effect, the effect is
 * shown, and the user consents. Then either exactly this effect is carried out, or nothing (UX.md
 * 3.3). */

/* One request of a change. */
struct change_call {
    const char *method;
    struct text path;         /* path of the route, without a query */
    const char *content_type; /* NULL: no body */
    struct text body;
    /* Members to destroy when a group shrinks: names and ranges; empty: none. */
    struct text victims;
    /* Nodes that are replaced although their group is unchanged: names and ranges, or "*" for the
     * whole group; empty: none. */
    struct text replaces;
    /* Nodes that are rebooted: names and ranges, or "-" to drop requested reboots that have not
     * begun; empty: none. */
    struct text reboots;
    /* Machines of the inventory to commission in the group: NAME or NAME=FINGERPRINT, separated by
     * commas; empty: none. */
    struct text commissions;
    struct text batching; /* batches in which these machines run their stages: JSON; empty: none */
    struct text vars;     /* variables of the members that get the machines, as JSON; empty: none */
    /* The commissioned machines are already in service, so no stages run on them. */
    bool is_adoption;
    /* The commissioned machines may be members of other groups; they leave those groups first. */
    bool is_move;
    bool is_release; /* The victims are returned to their owners. */
    bool is_absent;  /* The victims have disappeared and cannot be cleaned up. */
    /* the revision on which the change is based; empty: the change creates an object */
    struct text if_match;
    bool is_plan;      /* POST /v1/plans: the manager stores the computed plan under an id */
    struct doc answer; /* out: the planned effect, and after the change its actual effect */
};

struct change_set {
    struct change_call *calls;
    size_t count;
    const struct sent *sent; /* maps the errors of its answers to places in files; may be NULL */
    /* Called after the change is made and before its jobs are followed; may be NULL. False: an
     * error was added. */
    bool (*then)(struct command *command, const struct session *session, void *arg);
    void *arg;
    /* Consent that was given earlier, for at most this effect; NULL: ask the user. */
    const struct consent_needs *agreed;
};

/* Show the effect, ask for consent, make the change. Returns the exit code; errors are added to the
 * command. */
enum exit_code change_run(struct command *command, const struct session *session,
                          struct change_set *set);

/* Only show the effect, for --dry-run and `plan`. *out_differs is true if anything would change, or
 * if a kept value differs from the files. False: an error was added. */
bool change_show(struct command *command, const struct session *session, struct change_set *set,
                 bool *out_differs);

/* Warn if applying the change will need --supersede. True: it will. */
bool change_rollouts_report(struct command *command, const struct change_set *set);

/* Get the effect of one call into call->answer, without showing it. False: the manager refused, and
 * an error was added. */
bool change_dry(struct command *command, const struct session *session, struct change_call *call);

/* Get the present revision of an object, as If-Match needs it. False: an error was added. */
bool change_pin_get(struct command *command, const struct session *session,
                    const struct target *target, struct text *out);

/* Carry out a saved plan. */
enum exit_code change_apply_saved(struct command *command, const struct session *session,
                                  struct text id);

/* Format a document as the JSON body of a request. */
struct text change_body(struct command *command, const struct doc *doc);

#endif
