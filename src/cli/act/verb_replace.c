/* reeve replace: other machines in the slots of some nodes, though nothing of their group changes.
 * The manager marks the nodes as outdated, and the rollout of their group replaces them. Of a whole
 * group: rollout_restart.c. */
#include "cli/change/members.h"

enum exit_code verb_replace(struct command *command)
{
    return members_request(command, MEMBERS_REPLACE, "reeve replace shop/web-2");
}
