#ifndef REEVE_CLI_CHANGE_MEMBERS_H
#define REEVE_CLI_CHANGE_MEMBERS_H

#include "cli/change/change.h"
#include "cli/manager/nodes.h"

/* names: members_ */

/* Machines that a command line names, and requests about those of one group: reeve release, reeve
 * replace. */
struct member {
    struct text cluster; /* empty: a request has taken it */
    const struct doc *node;
};

struct members {
    struct command *command;
    const struct session *session;
    const char *use; /* an example, for the hint when a name is missing */
    const char *
        verb_past; /* "released": what may have happened to an absent member; NULL: not mentioned */
    struct member *items;
    size_t count;
    size_t room;
};

/* Its name in its cluster. */
struct text members_name(const struct member *one);

/* Add what the words of the command line name: machines by name, id or token, or ranges of them.
 * One that is named twice is meant once. False: an error was added. */
bool members_read(struct members *members);

/* Take the group of items[first] and all others of it that are not taken yet: an empty patch of
 * that group, and the names. The patch still needs its body. Returns how many; 0: an error was
 * added. */
size_t members_group_take(struct members *members, size_t first, struct change_call *out_call,
                          struct text *out_names);

/* What members are asked for that stay members. */
enum members_request_kind { MEMBERS_REPLACE, MEMBERS_REBOOT };

/* Send one request of this kind for each group of the members that the words of the command line
 * name: planned, consented to and sent as every change. `use` is an example. */
enum exit_code members_request(struct command *command, enum members_request_kind kind,
                               const char *use);

#endif
