#ifndef REEVE_SSH_HOST_KEY_H
#define REEVE_SSH_HOST_KEY_H

#include "ssh/key.h"

/* public names start with: ssh_ */

/* Public keys of hosts, of every kind that sshd supports. They are only compared and displayed. */

/* Read a line of /etc/ssh/ssh_host_*_key.pub. *out is "TYPE BASE64", without the comment, in the
 * arena. Fails with R0715 if the line is invalid. */
MUST_CHECK bool ssh_host_key_parse(struct arena *arena, struct text line, struct text *out,
                                   struct err *err);

/* Write the fingerprint SHA256:... of a public key line, as `ssh-keygen -l` prints it. Returns
 * false if the text is not a public key line. */
MUST_CHECK bool ssh_host_key_fingerprint(struct text line, char out[static SSH_FINGERPRINT_BYTES]);

#endif
