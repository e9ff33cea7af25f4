#ifndef REEVE_TESTS_SSH_ENV_H
#define REEVE_TESTS_SSH_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"

/* public names start with: ssh_env_ */

/* Real sshd processes on loopback, one an address, with keys of their own: for tests. They let in
 * whoever runs the test, and end with it. */
struct ssh_env {
    struct arena *arena;
    char folder[64];
    uint16_t port;
    size_t count;
    pid_t *listeners;
    struct text user;
    struct text key;         /* lets in */
    struct text other_key;   /* does not */
    struct text certificate; /* of other_key, by an authority that lets in: with it, it does */
    struct text authority;   /* that signed the hosts' certificates, for the name "node" */
    struct text *host_keys;  /* of each host */
};

/* The folder "disk" of this host has so little room. */
enum { SSH_ENV_SMALL = 1, SSH_ENV_DISK_BYTES = 512 * 1024 };

/* Start so many. Fails the test where it
 * cannot. */
struct ssh_env *ssh_env_open(size_t count);

/* The address of host i. */
struct text ssh_env_address(struct ssh_env *env, size_t i);

/* Kill the listener of a host, with all of its sessions; or start it again. */
void ssh_env_kill(struct ssh_env *env, size_t i);
void ssh_env_start(struct ssh_env *env, size_t i);

/* A file on the disk of a node, in the folder of this environment: its path. */
struct text ssh_env_path(struct ssh_env *env, const char *name);

/* A listener that is no sshd: says nothing, or floods with lines or with one endless line. It ends
 * with the test. Its port. */
enum ssh_env_mock { SSH_ENV_SILENT, SSH_ENV_LINES, SSH_ENV_LINE };
uint16_t ssh_env_mock(struct ssh_env *env, enum ssh_env_mock mock);

/* End all, remove the folder. NULL is allowed. */
void ssh_env_close(struct ssh_env *env);

#endif
