#ifndef REEVE_CLI_CONFIG_PARTS_H
#define REEVE_CLI_CONFIG_PARTS_H

#include "cli/term/output.h"

/* private to src/cli */
/* names: config_ */

/* Internals of reeve config. */

/* The files of a Git commit, a tag or a branch of the repository in a folder, as a tar archive
 * (config_git.c). R0011: Git is not installed, or the commit does not exist. */
MUST_CHECK bool config_git_archive(struct arena *arena, const char *folder, const char *ref,
                                   struct text *out, struct err *err);

/* The first names of a list: "shop/web, shop/db and 3 more". */
struct text config_names_join(struct arena *arena, const struct doc *names);

/* A time of an answer as the minute in which it was. */
struct text config_minute(struct arena *arena, struct text at);

#endif
