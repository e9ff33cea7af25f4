#ifndef REEVE_SESSION_OPENSSH_CONFIG_H
#define REEVE_SESSION_OPENSSH_CONFIG_H

#include "base/mem.h"
#include "session/transport.h"

/* What the OpenSSH client is told, and how its words are read. Pure. */

/* Where the files of one session lie, all beneath the driver's folder. */
struct openssh_paths {
    const char *config;
    const char *key;
    const char *certificate;
    const char *known_hosts;
    const char *socket;
};

/* Its own configuration: of nobody's settings but these. For a target that is not the operator's. */
struct text openssh_config(struct arena *arena, const struct transport_target *target,
                           const struct openssh_paths *paths);

/* The known hosts that it is judged by; empty where the first key is taken. */
struct text openssh_known_hosts(struct arena *arena, const struct transport_target *target);

/* The key that it has written there: "TYPE BASE64"; empty: none. */
struct text openssh_first_key(struct text known_hosts);

/* What went wrong, by what the client wrote to its standard error. */
enum transport_fault openssh_fault(struct text words);

/* The command that the shell of the node gets: it runs `command` and then writes its exit code, with the mark, behind all
 * that it wrote to its standard error. The client's own code cannot be told from its failures. */
struct text openssh_command(struct arena *arena, struct text command, struct text mark);

/* At most so many bytes are behind the last of the command's own. */
enum { OPENSSH_MARK_BYTES = 16, OPENSSH_END_BYTES = OPENSSH_MARK_BYTES + 6 };

/* Is this the end of its standard error? Then *code is the exit code, and the result how many bytes are before it;
 * else SIZE_MAX. */
size_t openssh_end(struct text bytes, struct text mark, int *code);

#endif
