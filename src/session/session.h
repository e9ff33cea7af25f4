#ifndef REEVE_SESSION_SESSION_H
#define REEVE_SESSION_SESSION_H

/* Runs the process that holds sessions with nodes (reeve-session). It reads requests as frames from
 * `socket` (wire/session_ipc.h), executes them through one driver of the transport port, and sends
 * back validated results. When the socket is closed, all sessions end, and the function returns the
 * exit code. */
int session_serve(int socket, const char *within);

#endif
