#ifndef REEVE_CLI_MANAGER_ENTRY_H
#define REEVE_CLI_MANAGER_ENTRY_H

#include "cli/manager/session.h"
#include "ssh/files.h"

/* A way into a machine by OpenSSH's own programs: a key that lives as long as this command, a
 * certificate of minutes, and a file of settings that names both (docs/decisions/0051). */

/* Files that ssh reads; gone when it has ended. Nothing of ~/.ssh is read or written, and nothing
 * is asked. */
enum {
    ENTRY_FILE_KEY,
    ENTRY_FILE_CERTIFICATE,
    ENTRY_FILE_KNOWN,
    ENTRY_FILE_CONFIG,
    ENTRY_FILE_COUNT
};

struct entry {
    struct command *command;
    struct text cluster;
    struct text node;
    char key[SSH_PRIVATE_BYTES]; /* wiped when it is in its file */
    size_t key_bytes;
    struct text line;    /* of its public half */
    struct doc reported; /* what the manager says */
    const char *paths[ENTRY_FILE_COUNT];
};

/* Let it make one. False: an error was added, and nothing is left. */
bool entry_open(struct command *command, struct text cluster, struct text node, struct entry *out);

/* What `ssh -F` reads, and what the machine is called in it. */
const char *entry_config(const struct entry *entry);
const char *entry_host(const struct entry *entry);

/* Remove its files. */
void entry_close(const struct entry *entry);

#endif
