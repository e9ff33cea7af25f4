/* reeve reboot: reboots nodes, and at most as many at the same time as the rollout of their group
 * permits (docs/decisions/0120). */
#include "cli/change/members.h"

enum exit_code verb_reboot(struct command *command)
{
    return members_request(command, MEMBERS_REBOOT, "reeve reboot shop/web-2");
}
