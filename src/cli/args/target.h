#ifndef REEVE_CLI_ARGS_TARGET_H
#define REEVE_CLI_ARGS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/args/command.h"
#include "model/schema.h"

/* public names start with: target_ targets_ */

/* An object on the command line. */
struct target {
    const struct schema_kind *kind;
    struct text name;
};

/* The objects that the arguments after a verb refer to: KIND NAME NAME..., KIND/NAME...,
 * CLUSTER..., CLUSTER/GROUP..., or KIND alone. For KIND alone, count is 0 and `kind` is set. `kind`
 * is NULL if each argument states its kind. A cluster cannot have the name of a kind, so arguments
 * are unambiguous. */
struct targets {
    const struct schema_kind *kind;
    struct target *items;
    size_t count;
};

/* Read the arguments. False: an error was added: R0005, R0006 with a suggestion, or R0010 for a
 * kind without objects in this version. */
bool targets_read(struct command *command, const char *const *words, size_t count,
                  struct targets *out);

/* Read arguments that refer to exactly one object. False: an error was added. */
bool target_read(struct command *command, const char *const *words, size_t count,
                 struct target *out);

/* Read one argument: KIND/NAME, CLUSTER or CLUSTER/GROUP. False: an error was added. */
bool target_parse(struct command *command, const char *word, struct target *out);

/* After an object was not found: add a hint if the first part of its name is nearly a kind
 * (clster/shop). */
void target_hint_kind(struct command *command);

/* Return the kind that an argument of the command line refers to. NULL: an error was added, also if
 * this version has no objects of the kind. */
const struct schema_kind *target_kind(struct command *command, struct text word);

/* True if this version has objects of this kind. */
bool target_is_served(const struct schema_kind *kind);

/* Format a target as -o name prints it: "cluster/shop". */
struct text target_format(struct arena *arena, const struct target *target);

/* True for a cluster or a group of a cluster; only they have events. */
bool target_has_cluster(const struct target *target);

/* Return the name of the cluster that the target is or belongs to. */
struct text target_cluster(const struct target *target);

#endif
