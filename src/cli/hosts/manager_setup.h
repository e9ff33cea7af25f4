#ifndef REEVE_CLI_HOSTS_MANAGER_SETUP_H
#define REEVE_CLI_HOSTS_MANAGER_SETUP_H

#include "cli/hosts/ssh_host.h"

/* private to src/cli/hosts */
/* public names start with: manager_ */

/* Parts of reeve bootstrap manager (bootstrap_manager.c). */

/* Report a completed step immediately, because the next one may take minutes. */
void manager_say(const struct ssh_host *host, const char *step, struct text result);

/* Run one step of the program programs/manager.sh on the host. `words` ends with NULL. False: an
 * error was added. */
MUST_CHECK bool manager_step(const struct ssh_host *host, const char *const *words,
                             uint64_t deadline_ms, struct program_answer *out);

/* Write a file on the host, which only root can read. False: an error was added. */
MUST_CHECK bool manager_put(const struct ssh_host *host, const char *step, const char *path,
                            struct text bytes);

/* The value of a line "NAME VALUE" of an answer; empty: there is none. */
struct text manager_value(const struct program_answer *answer, const char *name);

/* Run this program with other arguments, against the new manager. False: an error was added. */
MUST_CHECK bool manager_self_run(struct command *command, const char *const *words,
                                 struct text input, const char *step);

/* The etcd that is to have the store (--store). */
struct manager_store {
    const char *endpoints; /* separated by commas; NULL: the embedded store */
    const char *prefix;
    struct text ca; /* contents of the files */
    struct text certificate;
    struct text key;
};

/* Read the flags and the files. False: an error was added. */
MUST_CHECK bool manager_store_read(struct command *command, struct manager_store *out);

/* Before the packages are installed: make sure that they start no manager, which would make an
 * embedded store. `look` is the answer of the step look. False: an error was added. */
MUST_CHECK bool manager_store_hold(const struct ssh_host *host, const struct manager_store *store,
                                   const struct program_answer *look);

/* Send the files, and write the store into the configuration. False: an error was added. */
MUST_CHECK bool manager_store_send(const struct ssh_host *host, const struct manager_store *store);

/* The group that the host joins (--as). */
struct manager_member {
    const char *group;   /* CLUSTER/GROUP; NULL: none */
    struct text cluster; /* the parts of `group` */
    struct text path;
    const char *address; /* the host's numeric address, with its port */
};

/* Read the flag, and find the address of the host. False: an error was added. */
MUST_CHECK bool manager_member_read(const struct ssh_host *host, struct manager_member *out);

/* Adopt the host into the group, which is made if its cluster does not exist. False: an error was
 * added. */
MUST_CHECK bool manager_member_adopt(const struct ssh_host *host,
                                     const struct manager_member *member, const char *context,
                                     const struct program_answer *look);

#endif
