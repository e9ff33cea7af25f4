#ifndef REEVE_CLI_ARGS_SECRET_FILE_H
#define REEVE_CLI_ARGS_SECRET_FILE_H

#include "cli/args/command.h"
#include "cli/args/target.h"
#include "codec/doc.h"

/* public names start with: secret_file_ */

/* Read the value of a secret from a file, or from standard input if the path is "-". The bytes,
 * including line ends, are not changed. Adds a warning if other users can read the file. False: an
 * error was added. */
bool secret_file_read(struct command *command, const char *path, struct doc *out);

/* Read a value that the command line gives as @FILE or -. Any other value is refused, because it
 * would be visible in the process list. False: an error was added. */
bool secret_file_word(struct command *command, struct text word, struct doc *out);

/* In documents of secrets that are about to be sent, replace `file: PATH` by the content of the
 * file. Other documents are not changed. False: an error was added. */
bool secret_file_lay(struct command *command, struct doc *documents, size_t count);

/* In documents of clusters, groups and templates that are about to be sent, replace each
 * privateKeyFile by sshKeySecret, the name of a secret with the content of that file. The documents
 * of these secrets are appended after the `*count` documents; the array has room for
 * SECRET_FILE_KEYS more. The secrets are named CLUSTER-ssh-key, CLUSTER-ssh-key-2 and so on, after
 * their object. `as` is the name under which a single document is created, or NULL to use the name
 * in the document. False: an error was added. */
enum { SECRET_FILE_KEYS = 63 };
bool secret_file_keys_take(struct command *command, struct doc *documents, size_t *count,
                           const struct target *as);

#endif
