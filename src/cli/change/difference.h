#ifndef REEVE_CLI_CHANGE_DIFFERENCE_H
#define REEVE_CLI_CHANGE_DIFFERENCE_H

#include "cli/args/command.h"
#include "codec/doc.h"

/* names: difference_ differences_ */

/* One field that two documents say otherwise. Lists differ as wholes, maps key by key. */
struct difference {
    struct text path;            /* groups.web.size */
    const struct doc *old_value; /* NULL = was not there */
    const struct doc *new_value; /* NULL = is no longer there */
};

/* A list of them that grows at its end, in an arena. Values are borrowed. */
struct differences {
    struct arena *arena;
    struct difference *items;
    size_t count;
    size_t room;
};

/* An empty list in memory of the caller. */
void differences_init(struct differences *list, struct arena *arena);

/* Add one. */
void differences_add(struct differences *list, struct text path, const struct doc *old_value,
                     const struct doc *new_value);

/* Add all that two maps differ in, in order of path. */
void differences_find(struct differences *list, const struct doc *old_doc,
                      const struct doc *new_doc);

/* One side of a difference as a line of its own: "- groups.web.size: 3". Nothing where the value is
 * not there. */
void difference_write_side(struct command *command, const char *mark, enum style_color color,
                           struct text path, const struct doc *value);

#endif
