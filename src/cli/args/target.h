#ifndef REEVE_CLI_ARGS_TARGET_H
#define REEVE_CLI_ARGS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/args/command.h"
#include "model/schema.h"

/* names: target_ targets_ */

/* An object that the command line names. */
struct target {
    const struct schema_kind *kind;
    struct text name;
};

/* What the words behind a verb name: KIND NAME NAME..., KIND/NAME..., CLUSTER..., CLUSTER/GROUP...,
 * or KIND alone (then count is 0 and `kind` says which; NULL where each word brings its own). No
 * cluster has the name of a kind. */
struct targets {
    const struct schema_kind *kind;
    struct target *items;
    size_t count;
};

/* Read words. R0005, R0006 with a suggestion; R0010 for a kind of which this version has no
 * objects. False: an error was added. */
bool targets_read(struct command *command, const char *const *words, size_t count,
                  struct targets *out);

/* Exactly one object. */
bool target_read(struct command *command, const char *const *words, size_t count,
                 struct target *out);

/* One word: KIND/NAME, CLUSTER or CLUSTER/GROUP. */
bool target_parse(struct command *command, const char *word, struct target *out);

/* Where something was not found and its first part is nearly a kind (clster/shop), say which. */
void target_hint_kind(struct command *command);

/* A kind by a word of the command line, with objects in this version. NULL: an error was added. */
const struct schema_kind *target_kind(struct command *command, struct text word);

/* Are there objects of this kind in this version? */
bool target_is_served(const struct schema_kind *kind);

/* "cluster/shop", as -o name prints it. */
struct text target_format(struct arena *arena, const struct target *target);

/* Is it a cluster or a group of one? Only they have events. */
bool target_has_cluster(const struct target *target);

/* The cluster it is, or belongs to. */
struct text target_cluster(const struct target *target);

#endif
