#ifndef REEVE_SESSION_OPENSSH_CONFIG_H
#define REEVE_SESSION_OPENSSH_CONFIG_H

#include "base/mem.h"
#include "session/transport.h"

/* Configuration and arguments for the OpenSSH client, and parsing of its output. Pure. */

/* Paths of the files of one session. All are below the driver's folder. */
struct openssh_paths {
    const char *config;
    const char *key;
    const char *certificate;
    const char *known_hosts;
    const char *socket;
};

/* Returns a complete ssh_config, for targets that do not use the operator's settings. The client
 * reads no other settings. */
struct text openssh_config(struct arena *arena, const struct transport_target *target,
                           const struct openssh_paths *paths);

/* Returns the content of the known hosts file for the verification of the host. Empty if the first
 * key is accepted. */
struct text openssh_known_hosts(struct arena *arena, const struct transport_target *target);

/* Returns the key that the client has added to the known hosts file: "TYPE BASE64". Empty: none. */
struct text openssh_first_key(struct text known_hosts);

/* Returns the fault that the client's messages on standard error describe. */
enum transport_fault openssh_fault(struct text words);

/* Returns the command for the node's shell. It runs `command` and then writes its exit code with an
 * end marker to standard error. The exit code of the client itself is ambiguous, because it also
 * reports failures of the client. */
struct text openssh_command(struct arena *arena, struct text command, struct text mark);

/* Sizes in bytes of the mark, and of the end marker, which contains the mark and follows the
 * command's standard error. */
enum { OPENSSH_MARK_BYTES = 16, OPENSSH_END_BYTES = OPENSSH_MARK_BYTES + 6 };

/* Parses the end of standard error. If `bytes` ends with the end marker, *code is the exit code,
 * and the result is the number of bytes before the marker. Otherwise returns SIZE_MAX. */
size_t openssh_end(struct text bytes, struct text mark, int *code);

#endif
