#ifndef REEVE_DAEMON_DAEMON_H
#define REEVE_DAEMON_DAEMON_H

#include "daemon/config.h"
#include "provider/plugins.h"

/* A store that another owns is tried again for so long, this often: the owner may have been killed,
 * and a child that it was just starting has its lock for a moment longer. */
enum { DAEMON_LOCK_PATIENCE_MS = 2000, DAEMON_LOCK_RETRY_MS = 10 };

/* One life of the manager. */
struct daemon;

/* The plugins that were built with this program and need more of the machine than others may have;
 * written when they are built (plugins/trust.py). */

/* What it is started with. */
struct daemon_options {
    const struct config *config;
    const struct plugins_trusted *trusted; /* outlives the daemon */
    const char *config_path;               /* of the configuration file; NULL: there is none */
    const char *notify_socket;             /* the variable NOTIFY_SOCKET; NULL = none */
    const char *journal_stream;            /* the variable JOURNAL_STREAM */
    /* Read the configuration again; false: it has faults, which were shown, and the old one
     * stays. */
    bool (*reload)(void *arg, struct config *out);
    void *arg;
};

/* Open the store and listen. The caller ends it with daemon_close. */
MUST_CHECK bool daemon_open(const struct daemon_options *options, struct daemon **out,
                            struct err *err);

/* Serve until SIGTERM or SIGINT, then answer the open requests. False: not all of them ended in
 * time. Their data must not be freed, so the process ends without daemon_close. */
bool daemon_run(struct daemon *daemon);

/* Free what daemon_open made. NULL is allowed. */
void daemon_close(struct daemon *daemon);

#endif
