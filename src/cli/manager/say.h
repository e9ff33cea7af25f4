#ifndef REEVE_CLI_MANAGER_SAY_H
#define REEVE_CLI_MANAGER_SAY_H

#include "cli/manager/session.h"
#include "cli/args/target.h"

/* names: say_ */

/* shop is a cluster, shop/web a group of it. */
struct target say_subject(struct text name);

/* What is said, with all that may belong to it; empty and NULL: it does not. */
struct say {
    const char *word;
    struct text rule;     /* of a hold */
    struct text node;     /* of a cluster */
    struct text job;      /* the same: a job of batches, by its number */
    const char *for_time; /* so long */
    const char *key;      /* a host key, or its fingerprint */
    bool is_again;        /* also stages that are not idempotent */
    const char *why;
};

/* Say it: POST .../say. *out is what the manager says to it; NULL: nobody asks. False: an error was
 * added. */
bool say_it(struct command *command, const struct session *session, const struct target *target,
            const struct say *say, struct doc *out);

/* Say a word to what is kept: POST .../say. `rule` (of a hold) may be empty, `why` NULL. False: an
 * error was added. Of a node of a cluster: the same, with its name. */
bool say_word(struct command *command, const struct session *session, const struct target *target,
              const char *word, struct text rule, const char *why);
bool say_of_node(struct command *command, const struct session *session, struct text cluster,
                 struct text node, const char *word, const char *why);

#endif
