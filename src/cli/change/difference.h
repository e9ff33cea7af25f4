#ifndef REEVE_CLI_CHANGE_DIFFERENCE_H
#define REEVE_CLI_CHANGE_DIFFERENCE_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* public names start with: difference_ differences_ */

/* One field that differs between two documents. Lists are compared as a whole, maps key by key. */
struct difference {
    struct text path;            /* path of the field: groups.web.size */
    const struct doc *old_value; /* NULL: the field did not exist */
    const struct doc *new_value; /* NULL: the field no longer exists */
};

/* A growing list of differences in an arena. Its values point into the compared documents. */
struct differences {
    struct arena *arena;
    struct difference *items;
    size_t count;
    size_t room;
};

/* Initialize an empty list in the caller's memory. */
void differences_init(struct differences *list, struct arena *arena);

/* Add one difference. */
void differences_add(struct differences *list, struct text path, const struct doc *old_value,
                     const struct doc *new_value);

/* Add all differences between two maps, in order of path. */
void differences_find(struct differences *list, const struct doc *old_doc,
                      const struct doc *new_doc);

/* Write one side of a difference as a separate line: "- groups.web.size: 3". Writes nothing if this
 * side has no value. */
void difference_write_side(struct command *command, const char *mark, enum style_color color,
                           struct text path, const struct doc *value);

#endif
