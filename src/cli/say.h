#ifndef REEVE_CLI_SAY_H
#define REEVE_CLI_SAY_H

#include "cli/session.h"
#include "cli/target.h"

/* names: say_ */

/* shop is a cluster, shop/web a group of it. */
struct target say_subject(struct text name);

/* Say a word to what is kept: POST .../say. `rule` (of a hold) may be empty, `why` NULL. False: an error was
 * added. Of a node of a cluster: the same, with its name, and the stage `from` which on all is run again; NULL: none. */
bool say_word(struct command *command, const struct session *session, const struct target *target,
              const char *word, struct text rule, const char *why);
bool say_of_node(struct command *command, const struct session *session, struct text cluster,
                 struct text node, const char *word, const char *from, const char *why);

#endif
