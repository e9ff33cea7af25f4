#ifndef REEVE_DAEMON_DAEMON_H
#define REEVE_DAEMON_DAEMON_H

#include "daemon/config/config.h"
#include "provider/plugins.h"

/* How long, and at which interval, opening is retried while another process has locked the store. A
 * child process of a manager that was killed can hold the lock a moment longer. */
enum { DAEMON_LOCK_PATIENCE_MS = 2000, DAEMON_LOCK_RETRY_MS = 10 };

/* One run of the manager. */
struct daemon;

/* The plugins that were built together with this program and may have more access to the host than
 * others. The build generates the list (plugins/trust.py). */

/* Options of a run. */
struct daemon_options {
    const struct config *config;
    const struct plugins_trusted *trusted; /* outlives the daemon */
    const char *config_path;               /* path of the configuration file; NULL: none */
    const char *notify_socket;             /* the variable NOTIFY_SOCKET; NULL: not set */
    const char *journal_stream;            /* the variable JOURNAL_STREAM */
    /* Reads the configuration again. If it has errors, prints them and returns false; the previous
     * configuration then stays in effect. */
    bool (*reload)(void *arg, struct config *out);
    void *arg;
};

/* Opens the store and listens. The caller frees the result with daemon_close. */
MUST_CHECK bool daemon_open(const struct daemon_options *options, struct daemon **out,
                            struct err *err);

/* Serves until SIGTERM or SIGINT, then answers the open requests. Returns false if some of them did
 * not end in time. Their data is still in use, so the process must exit without daemon_close. */
bool daemon_run(struct daemon *daemon);

/* Frees the result of daemon_open. NULL is allowed. */
void daemon_close(struct daemon *daemon);

#endif
