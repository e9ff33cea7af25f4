#ifndef REEVE_CLI_CONFIG_PARTS_H
#define REEVE_CLI_CONFIG_PARTS_H

#include "cli/term/output.h"

/* private to src/cli */
/* public names start with: config_ */

/* Internals of reeve config. */

/* Get the files of a Git commit, tag or branch of the repository in a folder, as a tar archive
 * (config_git.c). Fails with R0011 if Git is not installed or the commit does not exist. */
MUST_CHECK bool config_git_archive(struct arena *arena, const char *folder, const char *ref,
                                   struct text *out, struct err *err);

/* Checks the playbooks of an archive with ansible-playbook --syntax-check. `hooks` is a map from
 * the name of a hook to its playbook; absent: no hooks. Returns true if there is no error, or if
 * ansible-playbook is not installed on this computer. Errors are R0828. */
MUST_CHECK bool config_syntax_check(struct arena *arena, struct text archive,
                                    const struct doc *hooks, struct err_list *errors);

#endif
