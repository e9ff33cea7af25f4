#ifndef REEVE_DAEMON_NOTIFY_H
#define REEVE_DAEMON_NOTIFY_H

/* Notify the service manager of the state of this process, as sd_notify(3) has it: "READY=1".
 * `socket_path` is the variable
 * NOTIFY_SOCKET; NULL: nobody wants to know. Nobody is waited for. */
void notify_send(const char *socket_path, const char *state);

#endif
