#ifndef REEVE_SSH_HOST_KEY_H
#define REEVE_SSH_HOST_KEY_H

#include "ssh/key.h"

/* names: ssh_ */

/* Public keys of hosts, of any kind that an sshd may have: they are compared and shown, and nothing is done with them. */

/* Read a line of /etc/ssh/ssh_host_*_key.pub: "TYPE BASE64" of it, without the comment, lives in the arena. R0715: it is none. */
MUST_CHECK bool ssh_host_key_parse(struct arena *arena, struct text line, struct text *out,
                                   struct err *err);

/* SHA256:... of such a line, as `ssh-keygen -l` prints it. False: it is none. */
MUST_CHECK bool ssh_host_key_fingerprint(struct text line, char out[static SSH_FINGERPRINT_BYTES]);

#endif
