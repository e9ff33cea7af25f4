#ifndef REEVE_CLI_MANAGER_SELECTED_H
#define REEVE_CLI_MANAGER_SELECTED_H

#include "cli/manager/session.h"

/* NODES on the command line (UX.md 3.2): full names and ranges, `-` and @FILE, -c, -g, -l, --state,
 * --failed-of, --revision, --all. The manager finds the machines; here it is only sorted out which
 * clusters are asked. */

/* Machines of one cluster. */
struct selected_place {
    struct text cluster;
    struct text group; /* empty: of any */
    struct text names; /* patterns, parted by commas; empty: all that the rest fits */
};

struct selected {
    struct selected_place *items; /* by cluster */
    size_t count;
    struct text labels;
    struct text states;
    struct text failed_of;
    struct text revision;
    bool is_named; /* by names alone: each of them has to be there */
};

/* One machine that was found. */
struct selected_node {
    struct text cluster;
    struct text name;
};

/* Read words and flags; `use` is the command as it would be right. False: an error was added, also
 * where nothing says which machines are meant. */
bool selected_read(struct command *command, const struct session *session, const char *const *words,
                   size_t count, const char *use, struct selected *out);

/* Every cluster that the user may see, for what is selected by conditions alone. False: an error
 * was added. */
bool selected_everywhere(struct command *command, const struct session *session,
                         struct selected *out);

/* What the flags say besides: all but the places. */
struct selected selected_conditions(const struct args *args);

/* Has the manager only said that machines of this one of several clusters are not meant? Then
 * others may have them. `count` is how many errors there were before it was asked. */
bool selected_is_empty_part(const struct selected *selected, const struct err_list *errors,
                            size_t count);

/* Add one parameter to a path, after those that it has; an empty value is none. */
void selected_parameter(struct buf *path, const char *name, struct text value);

/* The same of all conditions, and of a place unless it is NULL. */
void selected_parameters(struct buf *path, const struct selected *selected,
                         const struct selected_place *place);

/* Have the manager find them: by cluster, then by name. False: an error was added, also where there
 * are none. */
bool selected_find(struct command *command, const struct session *session,
                   const struct selected *selected, struct selected_node **out, size_t *out_count);

#endif
