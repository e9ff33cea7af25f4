#ifndef REEVE_CLI_CHANGE_MEMBERS_H
#define REEVE_CLI_CHANGE_MEMBERS_H

#include "cli/change/change.h"
#include "cli/manager/nodes.h"

/* public names start with: members_ */

/* Machines given on the command line, and requests about the machines of one group: reeve release,
 * reeve replace. */
struct member {
    struct text cluster; /* empty: a request already includes this member */
    const struct doc *node;
};

struct members {
    struct command *command;
    const struct session *session;
    const char *use; /* an example, for the hint when a name is missing */
    const char *
        /* the verb's past form, such as "released", for the hint why a member may be absent; NULL:
         * no hint */
        verb_past;
    struct member *items;
    size_t count;
    size_t room;
};

/* Return the name of the machine in its cluster. */
struct text members_name(const struct member *one);

/* Add the machines from the arguments of the command line, given by name, id or token, or as
 * ranges. A machine that is given twice is added once. False: an error was added. */
bool members_read(struct members *members);

/* Same as members_read. With the flags -c, -g, -l, --state, --failed-of, --revision or --all, adds
 * the machines that the flags select instead. False: an error was added, also if no machine is
 * selected. */
bool members_select(struct members *members);

/* Add the machines from one argument. False: an error was added. */
bool members_word_read(struct members *members, const char *word);

/* Make one request for items[first] and all other machines of its group that no request includes
 * yet. *out_call is a patch of that group without its body; *out_names has the names. Returns the
 * number of machines. 0: an error was added. */
size_t members_group_take(struct members *members, size_t first, struct change_call *out_call,
                          struct text *out_names);

/* Requests for members that remain in their groups. */
enum members_request_kind { MEMBERS_REPLACE, MEMBERS_REBOOT };

/* Send one request of this kind for each group of the members on the command line. Each request is
 * planned, shown for consent and sent like every change. `use` is an example. */
enum exit_code members_request(struct command *command, enum members_request_kind kind,
                               const char *use);

#endif
