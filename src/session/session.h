#ifndef REEVE_SESSION_SESSION_H
#define REEVE_SESSION_SESSION_H

/* Runs the process that holds sessions with nodes (reeve-session). It reads frames from `socket`
 * (wire/session_ipc.h), executes them through one driver of the transport port and sends back
 * validated results. It ends, with all sessions, when the socket closes. Returns the exit code. */
int session_serve(int socket, const char *within);

#endif
