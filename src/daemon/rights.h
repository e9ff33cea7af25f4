#ifndef REEVE_DAEMON_RIGHTS_H
#define REEVE_DAEMON_RIGHTS_H

#include "daemon/config.h"
#include "host/sandbox.h"
#include "sys/account.h"
#include "sys/launcher.h"

/* The rights of the manager: what it does with them at its start, and that it gives them up before
 * it serves anybody (host/confine.h). A launcher that keeps them starts its programs
 * (sys/launcher.h). Decision 0117. */

struct rights {
    struct launcher_options launcher;
    struct sandbox_report report;
    char user[ACCOUNT_NAME_BYTES]; /* that the manager is from then on */
    const char *stays_root;        /* why it stays user 0; NULL: it does not, or never was */
};

struct rights_options {
    const struct config *config;
    struct arena *arena;     /* lives as long as the manager */
    const char *config_path; /* of the configuration file; NULL: none */
    gid_t admins;            /* the group whose members are admins at the socket; (gid_t)-1: none */
};

/* Make the folder of the store and give it to the manager's user, start the launcher, and give up
 * all rights. To be called by a process with one thread, after the socket has been bound. R0553,
 * R0533, R0567. */
MUST_CHECK bool rights_give_up(const struct rights_options *options, struct rights *out,
                               struct err *err);

/* How it came out, for people: a map of the user and of the parts. */
struct doc rights_doc(const struct rights *rights, struct arena *arena);

#endif
