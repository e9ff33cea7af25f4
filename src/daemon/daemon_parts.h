#ifndef REEVE_DAEMON_DAEMON_PARTS_H
#define REEVE_DAEMON_DAEMON_PARTS_H

#include "base/err.h"
#include "base/macros.h"
#include "daemon/config.h"
#include "host/sandbox.h"
#include "state/store.h"
#include "sys/account.h"
#include "sys/clock.h"
#include "sys/launcher.h"
#include "sys/log.h"

#include <sys/types.h>

/* private to src/daemon */

/* The parts of daemon.c: its listeners, its rights, and what it reports while it runs. */

/* Listening sockets. What comes out is the caller's; R0551 where it cannot be. */

/* A unix socket at a path, for its owner and the members of a group ((gid_t)-1: none), bound but
 * not listening. What an earlier life left there is replaced; what somebody still listens at is
 * not. */
MUST_CHECK bool listen_local(const char *path, gid_t group, int *out, struct err *err);

/* Does a process listen there? */
bool listen_is_taken(const char *path);

/* Listen at it. */
MUST_CHECK bool listen_begin(int fd, const char *path, struct err *err);

/* A socket of TCP. */
MUST_CHECK bool listen_tcp(const struct config_listener *listener, int *out, struct err *err);

/* Notifies the service manager of the state of this process, as sd_notify(3) does: "READY=1".
 * `socket_path` is the variable NOTIFY_SOCKET; NULL: no notification. Does not block. */
void notify_send(const char *socket_path, const char *state);

/* Where browsers reach the web page: what the configuration says (publicUrl), else the first
 * listener, as a browser on this machine, or one that knows its name, sees it. Without a slash at
 * its end; empty where there is none. */
struct text page_address(struct arena *arena, const struct config *config);

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

/* A store that takes no changes: a full disk, above all. It is logged when that begins and when it
 * ends, not once a request: where a disk is all but full small changes are taken while large ones
 * are not, and that is one problem, which ends when nothing was refused for a while. The end says
 * what it was, for the log may be on the same disk. And while it lasts something small is written
 * now and then, so that its end is seen where nobody else writes, because the manager reports
 * itself as not ready. */
struct store_monitor {
    struct log *log;
    struct store *store;
    struct clock clock;
    uint64_t tried_ms;
    uint64_t refusals;   /* those that were seen */
    uint64_t refused_ms; /* when it took nothing last, as far as was seen */
    uint64_t began_ms;
    struct err why; /* it began */
    bool is_reported;
    bool is_trying;
};

/* Check the state of the store; to be called about once a second. */
void store_monitor_check(struct store_monitor *store_monitor);

#endif
