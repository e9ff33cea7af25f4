#ifndef REEVE_DAEMON_DAEMON_PARTS_H
#define REEVE_DAEMON_DAEMON_PARTS_H

#include "base/err.h"
#include "base/macros.h"
#include "daemon/config/config.h"
#include "host/sandbox.h"
#include "state/store.h"
#include "sys/account.h"
#include "sys/clock.h"
#include "sys/launcher.h"
#include "sys/log.h"

#include <sys/types.h>

/* private to src/daemon */

/* The parts of daemon.c: listeners, privileges, and reports to the service manager. */

/* Sockets that listen. The functions fail with R0551. The caller closes the result. */

/* Creates a unix socket at a path, accessible to its owner and to the members of a group
 * ((gid_t)-1: none). The socket is bound but does not listen. The socket file of an earlier process
 * is replaced, unless a process listens there. */
MUST_CHECK bool listen_local(const char *path, gid_t group, int *out, struct err *err);

/* Returns true if a process listens at this path. */
bool listen_is_taken(const char *path);

/* Starts to listen at the socket. */
MUST_CHECK bool listen_begin(int fd, const char *path, struct err *err);

/* Opens a TCP socket and listens. */
MUST_CHECK bool listen_tcp(const struct config_listener *listener, int *out, struct err *err);

/* Connects to the service manager; `socket_path` is the variable NOTIFY_SOCKET. Call it before the
 * process gives up its privileges, because the folder of the socket may be accessible only to root
 * (as with start-stop-daemon). Returns FD_NONE if there is none. The caller closes the result. */
int notify_open(const char *socket_path);

/* Sends the state of this process, such as "READY=1", to the service manager (sd_notify(3)). With
 * FD_NONE it does nothing. Does not block. */
void notify_send(int socket, const char *state);

/* The privileges of the manager. It uses them at its start and gives them up before it serves
 * requests (host/confine.h). The launcher is a process that keeps the privileges needed to start
 * programs (sys/launcher.h). Decision 0117. */

struct rights {
    struct launcher_options launcher;
    struct sandbox_report report;
    char user[ACCOUNT_NAME_BYTES]; /* user of the manager after the switch */
    /* why the manager keeps running as root; NULL: it does not, or did not start as root */
    const char *stays_root;
};

struct rights_options {
    const struct config *config;
    struct arena *arena;     /* lives as long as the manager */
    const char *config_path; /* path of the configuration file; NULL: none */
    gid_t admins;            /* members of this group are admins on the socket; (gid_t)-1: none */
};

/* Creates the folder of the store, gives it to the manager's user, starts the launcher, and gives
 * up all privileges. Call it while the process has one thread, after the socket has been bound.
 * Fails with R0553, R0533 or R0567. */
MUST_CHECK bool rights_give_up(const struct rights_options *options, struct rights *out,
                               struct err *err);

/* Returns the remaining privileges for display: a map of the user and the parts. */
struct doc rights_doc(const struct rights *rights, struct arena *arena);

/* Monitors a store that rejects changes, usually because of a full disk. It logs the start and the
 * end of this state, not each rejected request. On a nearly full disk, small changes succeed while
 * large ones fail. That is one problem, which ends when nothing was rejected for a while. The log
 * entry for the end repeats the reason, because the log may be on the same disk. While the problem
 * lasts, the manager reports itself as not ready, and writes a small probe from time to time.
 * Without other writes, only the probe shows that the problem has ended. */
struct store_monitor {
    struct log *log;
    struct store *store;
    struct clock clock;
    uint64_t tried_ms;
    uint64_t refusals;   /* number of rejections seen */
    uint64_t refused_ms; /* time of the last rejection seen */
    uint64_t began_ms;
    struct err why; /* error of the first rejection */
    bool is_reported;
    bool is_trying;
};

/* Checks the state of the store. Call it about once a second. */
void store_monitor_check(struct store_monitor *store_monitor);

#endif
