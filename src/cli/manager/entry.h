#ifndef REEVE_CLI_MANAGER_ENTRY_H
#define REEVE_CLI_MANAGER_ENTRY_H

#include "cli/manager/session.h"
#include "ssh/files.h"

/* Access to a machine with the OpenSSH programs: a key that exists only while this command runs, a
 * certificate that is valid for minutes, and a configuration file that refers to both
 * (docs/decisions/0051). */

/* The files that ssh reads. They are removed when ssh has ended. ssh neither reads nor writes
 * ~/.ssh, and never prompts. */
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
    char key[SSH_PRIVATE_BYTES]; /* wiped after it is written to its file */
    size_t key_bytes;
    struct text line;    /* the public key line */
    struct doc reported; /* the manager's answer */
    const char *paths[ENTRY_FILE_COUNT];
};

/* Create a key, request a certificate for it from the manager, and write the files. False: an error
 * was added, and no file remains. */
bool entry_open(struct command *command, struct text cluster, struct text node, struct entry *out);

/* entry_config returns the path of the configuration file for `ssh -F`, entry_host the host name
 * that this file gives the machine. */
const char *entry_config(const struct entry *entry);
const char *entry_host(const struct entry *entry);

/* Remove the files. */
void entry_close(const struct entry *entry);

#endif
