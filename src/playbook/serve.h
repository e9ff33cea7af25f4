#ifndef REEVE_PLAYBOOK_SERVE_H
#define REEVE_PLAYBOOK_SERVE_H

/* Runs one playbook for the manager at the other end of this socket (wire/playbook_ipc.h). Returns
 * the exit code of the process. */
int playbook_serve(int socket);

#endif
