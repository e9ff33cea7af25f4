#ifndef REEVE_TESTS_SSH_ENV_H
#define REEVE_TESTS_SSH_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"

/* public names start with: ssh_env_ */

/* Real sshd processes on loopback addresses, one per address, with separate keys, for tests. They
 * accept the user that runs the test, and end with the test. */
struct ssh_env {
    struct arena *arena;
    char folder[64];
    uint16_t port;
    size_t count;
    pid_t *listeners;
    struct text user;
    struct text key;         /* key that the hosts accept */
    struct text other_key;   /* key that the hosts do not accept */
    struct text certificate; /* certificate of other_key, by an authority that the hosts accept */
    /* authority that signed the hosts' certificates, for the name "node" */
    struct text authority;
    struct text *host_keys; /* host key of each host */
};

/* The host whose folder "disk" is small, and the size of that folder. */
enum { SSH_ENV_SMALL = 1, SSH_ENV_DISK_BYTES = 512 * 1024 };

/* Starts `count` hosts. Fails the test on an error. */
struct ssh_env *ssh_env_open(size_t count);

/* Returns the address of host i. */
struct text ssh_env_address(struct ssh_env *env, size_t i);

/* Kill the listener of a host with all its sessions, or start it again. */
void ssh_env_kill(struct ssh_env *env, size_t i);
void ssh_env_start(struct ssh_env *env, size_t i);

/* Returns the path of a file in the folder of this environment, for use on a node. */
struct text ssh_env_path(struct ssh_env *env, const char *name);

/* Starts a listener that is not an sshd: it sends nothing, lines without end, or one endless line.
 * It ends with the test. Returns its port. */
enum ssh_env_mock { SSH_ENV_SILENT, SSH_ENV_LINES, SSH_ENV_LINE };
uint16_t ssh_env_mock(struct ssh_env *env, enum ssh_env_mock mock);

/* Ends all hosts and removes the folder. NULL is allowed. */
void ssh_env_close(struct ssh_env *env);

#endif
