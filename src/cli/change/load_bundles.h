#ifndef REEVE_CLI_CHANGE_LOAD_BUNDLES_H
#define REEVE_CLI_CHANGE_LOAD_BUNDLES_H

#include "cli/args/command.h"
#include "model/set.h"

/* names: load_ */

/* A bundle that files name by `tar`. */
struct load_bundle {
    struct load_bundle *next;
    const char *path;
    struct err err; /* code 0: it is good */
    bool is_missing;
    char digest[65];
};

/* Look at every bundle that the files name by `tar` (FILE.md 3): a relative path counts from the
 * folder of the file that it is in; one on standard input is not looked at. What is wrong goes to
 * command->errors, with its place. Each bundle is read once. Where all is good the documents name
 * it by its digest from here on: NAME@sha256:DIGEST. */
void load_bundles(struct command *command, const struct model_set *set, struct load_bundle **out);

/* The same for read-only commands: a missing bundle is not an error, because it may still be made.
 * Returns the number of missing ones. */
size_t load_bundles_look(struct command *command, const struct model_set *set);

#endif
