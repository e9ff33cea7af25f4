#ifndef REEVE_CLI_HOSTS_SSH_HOST_H
#define REEVE_CLI_HOSTS_SSH_HOST_H

#include "cli/hosts/program.h"

/* public names start with: ssh_host_ */

/* A host that is not a member of a cluster yet, reached by the operator's own ssh. ssh has to work
 * without questions, and the host key has to be known. */
struct ssh_host {
    struct command *command;
    const char *name; /* as given to ssh, without a user */
    const char *user; /* NULL: as the operator's ssh says; likewise key and port */
    const char *key;
    const char *port;
    const char *ssh; /* path of ssh */
};

/* Find ssh. False: it is not installed, and an error was added. */
MUST_CHECK bool ssh_host_open(struct ssh_host *host);

/* Run a command line of the host's shell. */
MUST_CHECK bool ssh_host_run(const struct ssh_host *host, const char *line, struct text input,
                             uint64_t deadline_ms, struct program_answer *out, struct err *err);

/* Return the line that runs a script as root: directly, or by sudo without a password. */
const char *ssh_host_root_line(struct arena *arena, struct text script);

/* Returns whether the step has succeeded. R0852: it has not. */
MUST_CHECK bool ssh_host_judge(const struct ssh_host *host, const char *step,
                               const struct program_answer *answer, struct err *err);

#endif
