/* reeve replace: puts new machines in the slots of some nodes, although nothing in their group
 * changes. The manager marks the nodes as outdated, and the rollout of their group replaces them.
 * For a whole group see rollout_restart (change/job_reboots.c). */
#include "cli/change/members.h"

enum exit_code verb_replace(struct command *command)
{
    return members_request(command, MEMBERS_REPLACE, "reeve replace shop/web-2");
}
