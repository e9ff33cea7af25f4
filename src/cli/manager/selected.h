#ifndef REEVE_CLI_MANAGER_SELECTED_H
#define REEVE_CLI_MANAGER_SELECTED_H

#include "cli/manager/session.h"

/* NODES on the command line (UX.md 3.2): full names and ranges, `-` and @FILE, -c, -g, -l, --state,
 * --failed-of, --revision, --all. The manager finds the machines; this code only determines which
 * clusters to ask. */

/* Machines of one cluster. */
struct selected_place {
    struct text cluster;
    struct text group; /* empty: any group */
    /* patterns, separated by commas; empty: every machine that meets the conditions */
    struct text names;
};

struct selected {
    struct selected_place *items; /* selected machines, ordered by cluster */
    size_t count;
    struct text labels;
    struct text states;
    struct text failed_of;
    struct text revision;
    bool is_named; /* the machines are selected only by names, so each name must exist */
};

/* One machine that was found. */
struct selected_node {
    struct text cluster;
    struct text name;
};

/* Read words and flags. `use` is the correct form of the command, for hints. False: an error was
 * added, also if nothing selects any machine. */
bool selected_read(struct command *command, const struct session *session, const char *const *words,
                   size_t count, const char *use, struct selected *out);

/* Add every cluster that the user may see, for a selection without names. False: an error was
 * added. */
bool selected_everywhere(struct command *command, const struct session *session,
                         struct selected *out);

/* Return the conditions of the flags; the list of clusters is empty. */
struct selected selected_conditions(const struct args *args);

/* True if the only new error is that one of several clusters has no selected machine, because other
 * clusters may have some. `count` is the number of errors before the request. */
bool selected_is_empty_part(const struct selected *selected, const struct err_list *errors,
                            size_t count);

/* Append one query parameter to a path. An empty value is left out. */
void selected_parameter(struct buf *path, const char *name, struct text value);

/* Append all conditions as parameters. Append those of `place` too, unless it is NULL. */
void selected_parameters(struct buf *path, const struct selected *selected,
                         const struct selected_place *place);

/* Get the selected machines from the manager, sorted by cluster and name. False: an error was
 * added, also if there are none. */
bool selected_find(struct command *command, const struct session *session,
                   const struct selected *selected, struct selected_node **out, size_t *out_count);

#endif
