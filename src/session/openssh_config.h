#ifndef REEVE_SESSION_OPENSSH_CONFIG_H
#define REEVE_SESSION_OPENSSH_CONFIG_H

#include "base/mem.h"
#include "session/transport.h"

/* Configuration and arguments for the OpenSSH client, and parsing of its output. Pure. */

/* Paths of the files of one session, all below the driver's folder. */
struct openssh_paths {
    const char *config;
    const char *key;
    const char *certificate;
    const char *known_hosts;
    const char *socket;
};

/* Returns a complete ssh_config. The client reads no other settings. For targets that do not use
 * the operator's settings. */
struct text openssh_config(struct arena *arena, const struct transport_target *target,
                           const struct openssh_paths *paths);

/* Returns the known hosts file to verify the host with. Empty if the first key is accepted. */
struct text openssh_known_hosts(struct arena *arena, const struct transport_target *target);

/* Returns the key that the client has added to the known hosts: "TYPE BASE64". Empty: none. */
struct text openssh_first_key(struct text known_hosts);

/* Classifies a failure by the client's output on standard error. */
enum transport_fault openssh_fault(struct text words);

/* Returns the command for the node's shell. It runs `command` and then writes its exit code with an
 * end marker to standard error. The client's own exit code is ambiguous: it also reports failures
 * of the client. */
struct text openssh_command(struct arena *arena, struct text command, struct text mark);

/* The driver's own command adds at most OPENSSH_END_BYTES after the standard error of the
 * command. */
enum { OPENSSH_MARK_BYTES = 16, OPENSSH_END_BYTES = OPENSSH_MARK_BYTES + 6 };

/* Parses the end of standard error. If `bytes` ends with the mark, *code is the exit code and the
 * result is the number of bytes before the mark. Otherwise returns SIZE_MAX. */
size_t openssh_end(struct text bytes, struct text mark, int *code);

#endif
