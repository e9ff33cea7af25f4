#ifndef REEVE_NODES_HOST_KEY_RUNS_H
#define REEVE_NODES_HOST_KEY_RUNS_H

#include "access/reach.h"

/* Reads the host keys of machines by a key exchange without a login. Before the key is known, reeve
 * sends no user name and no signature to the machine. */
struct host_key_runs;

struct host_key_runs *host_key_runs_new(struct reach *reach, struct random random);

/* `host_key` is "TYPE BASE64". Empty: the machine presented no key, for the reason in `why`. */
typedef void host_key_done(void *arg, struct text host_key, struct text why);

/* Begins to read the key of the sshd at a numeric address. `done` is called once, possibly
 * immediately. */
void host_key_runs_start(struct host_key_runs *runs, struct text address, uint16_t port,
                         host_key_done *done, void *arg);

/* Ends the runs. Active calls end together with their sessions, before the pool of `reach` is
 * closed. */
void host_key_runs_free(struct host_key_runs *runs);

#endif
