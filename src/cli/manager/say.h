#ifndef REEVE_CLI_MANAGER_SAY_H
#define REEVE_CLI_MANAGER_SAY_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* public names start with: say_ */

/* Parse the name of a subject: shop is a cluster, shop/web is a group of that cluster. */
struct target say_subject(struct text name);

/* An operator command with its optional parts. Empty or NULL: the part is not sent. */
struct say {
    const char *word;
    struct text rule;     /* rule of a hold */
    struct text node;     /* name of a node of the cluster */
    struct text job;      /* number of a batch job of the cluster */
    const char *for_time; /* a duration */
    const char *key;      /* a host key, or its fingerprint */
    bool is_again;        /* also runs stages that are not idempotent */
    const char *why;
};

/* Send an operator command: POST .../say. *out is the manager's answer; `out` may be NULL. False:
 * an error was added. */
bool say_it(struct command *command, const struct session *session, const struct target *target,
            const struct say *say, struct doc *out);

/* Send a command without optional parts: POST .../say. `rule` (of a hold) may be empty, `why` NULL.
 * say_of_node sends it for one node of a cluster. False: an error was added. */
bool say_word(struct command *command, const struct session *session, const struct target *target,
              const char *word, struct text rule, const char *why);
bool say_of_node(struct command *command, const struct session *session, struct text cluster,
                 struct text node, const char *word, const char *why);

#endif
