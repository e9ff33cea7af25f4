#ifndef REEVE_DAEMON_NOTIFY_H
#define REEVE_DAEMON_NOTIFY_H

/* Notifies the service manager of the state of this process, as sd_notify(3) does: "READY=1".
 * `socket_path` is the variable NOTIFY_SOCKET; NULL: no notification. Does not block. */
void notify_send(const char *socket_path, const char *state);

#endif
