#ifndef REEVE_SESSION_SESSION_H
#define REEVE_SESSION_SESSION_H

/* The process that holds sessions with nodes (reeve-session): it reads frames from a socket (wire/session_ipc.h), does what they
 * ask for through one driver of the transport port, and sends back what came of it, checked and made plain. It ends
 * with its socket, and all sessions with it. Returns the exit code. */
int session_serve(int socket, const char *within);

#endif
