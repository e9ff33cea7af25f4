#ifndef REEVE_CLI_CHANGE_LOAD_BUNDLES_H
#define REEVE_CLI_CHANGE_LOAD_BUNDLES_H

#include "cli/args/command.h"
#include "model/set.h"

/* public names start with: load_ */

/* A bundle to which files refer by `tar`. */
struct load_bundle {
    struct load_bundle *next;
    const char *path;
    struct err err; /* code 0: the bundle is good */
    bool is_missing;
    char digest[65];
};

/* Check every bundle that the files refer to by `tar` (FILE.md 3). A relative path starts at the
 * folder of the file that contains it; a bundle on standard input is not checked. Errors go to
 * command->errors, with their positions. Each bundle is read once. If all bundles are valid, the
 * documents are changed to refer to them by digest: NAME@sha256:DIGEST. */
void load_bundles(struct command *command, const struct model_set *set, struct load_bundle **out);

/* Check the bundles for read-only commands. A missing bundle is not an error, because the user may
 * still create it. Returns the number of missing bundles. */
size_t load_bundles_look(struct command *command, const struct model_set *set);

#endif
