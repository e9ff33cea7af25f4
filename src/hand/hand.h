#ifndef REEVE_HAND_HAND_H
#define REEVE_HAND_HAND_H

/* The process that holds sessions with nodes (reeve-hand): it reads frames from a socket (wire/hand.h), does what they
 * ask for through one driver of the transport port, and sends back what came of it, checked and made plain. It ends
 * with its socket, and all sessions with it. Returns the exit code. */
int hand_serve(int socket, const char *within);

#endif
