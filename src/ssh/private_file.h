#ifndef REEVE_SSH_PRIVATE_FILE_H
#define REEVE_SSH_PRIVATE_FILE_H

#include "base/text.h"

/* names: ssh_ */

/* Files of private keys that other programs wrote: OpenSSH's own format and PEM. Only what decides whether reeve can log in
 * with one is read; the key itself is not taken apart. */
enum ssh_private {
    SSH_PRIVATE_USABLE,
    SSH_PRIVATE_ENCRYPTED, /* with a passphrase, which the manager does not have */
    SSH_PRIVATE_PUBLIC,    /* the other half of a key */
    SSH_PRIVATE_PUTTY,     /* PuTTY's format */
    SSH_PRIVATE_TOKEN,     /* the key is in a security key, and the file only names it */
    SSH_PRIVATE_NONE,      /* something else, or damaged */
    SSH_PRIVATE_COUNT,
};

/* Which of them the bytes of a file are. */
enum ssh_private ssh_private_kind(struct text bytes);

/* Why a file of this kind cannot be used, to follow the name of the file: "is a public key". Not of SSH_PRIVATE_USABLE. */
const char *ssh_private_why(enum ssh_private kind);

/* What to do then. */
const char *ssh_private_hint(enum ssh_private kind);

#endif
