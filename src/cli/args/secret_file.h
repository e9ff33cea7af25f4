#ifndef REEVE_CLI_ARGS_SECRET_FILE_H
#define REEVE_CLI_ARGS_SECRET_FILE_H

#include "cli/args/command.h"
#include "cli/args/target.h"
#include "codec/doc.h"

/* names: secret_file_ */

/* Read the value of a secret from a file, or (-) from standard input, as it is: a file of two lines
 * stays two lines. Who else may read the file is warned of. False: an error was added. */
bool secret_file_read(struct command *command, const char *path, struct doc *out);

/* A value as the command line names it: @FILE, or -. Anything else would be in the list of
 * processes, and is refused. */
bool secret_file_word(struct command *command, struct text word, struct doc *out);

/* In documents of secrets that are about to be sent, `file: PATH` becomes the value. Others stay as
 * they are. */
bool secret_file_lay(struct command *command, struct doc *documents, size_t count);

/* In documents of clusters, groups and templates that are about to be sent, each privateKeyFile
 * becomes sshKeySecret: the name of a secret with what is in that file. Documents of these secrets
 * are added behind the `*count` documents, which have room for SECRET_FILE_KEYS of them. Their
 * names begin with that of their object, or with that of `as` (may be NULL), which a single
 * document becomes: CLUSTER-ssh-key, CLUSTER-ssh-key-2 and so on. */
enum { SECRET_FILE_KEYS = 63 };
bool secret_file_keys_take(struct command *command, struct doc *documents, size_t *count,
                           const struct target *as);

#endif
