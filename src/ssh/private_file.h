#ifndef REEVE_SSH_PRIVATE_FILE_H
#define REEVE_SSH_PRIVATE_FILE_H

#include "base/text.h"

/* public names start with: ssh_ */

/* Private key files of other programs: OpenSSH's own format and PEM. Only the properties that
 * decide whether reeve can log in with the key are read; the key itself is not decoded. */
enum ssh_private {
    SSH_PRIVATE_USABLE,
    SSH_PRIVATE_ENCRYPTED, /* encrypted with a passphrase, which the manager does not have */
    SSH_PRIVATE_PUBLIC,    /* a public key */
    SSH_PRIVATE_PUTTY,     /* PuTTY's format */
    SSH_PRIVATE_TOKEN,     /* the key is in a hardware token, and the file only refers to it */
    SSH_PRIVATE_NONE,      /* not a private key, or damaged */
    SSH_PRIVATE_COUNT,
};

/* Returns the kind of a file with these bytes. */
enum ssh_private ssh_private_kind(struct text bytes);

/* Returns why a file of this kind cannot be used, as the end of a sentence that begins with the
 * name of the file: "is a public key". Not for SSH_PRIVATE_USABLE. */
const char *ssh_private_why(enum ssh_private kind);

/* Returns the hint of the error for a file of this kind. */
const char *ssh_private_hint(enum ssh_private kind);

#endif
