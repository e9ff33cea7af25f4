#ifndef REEVE_SSH_KEY_H
#define REEVE_SSH_KEY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* names: ssh_ */

/* Keys of ed25519, the only kind that reeve makes and takes. */

#define SSH_KEY_KIND "ssh-ed25519"

enum {
    SSH_KEY_BYTES = 32,
    SSH_SEED_BYTES = 32,
    SSH_SECRET_BYTES = 64, /* the seed, and the public key behind it */
    SSH_SIGNATURE_BYTES = 64,
    SSH_FINGERPRINT_BYTES = 51, /* SHA256: and 43 signs, with their NUL */
};

/* The public half. */
struct ssh_key {
    unsigned char bytes[SSH_KEY_BYTES];
};

/* Make the pair of a seed, which nobody else may know or guess. The caller wipes the seed and the secret. */
void ssh_key_make(const unsigned char seed[static SSH_SEED_BYTES], struct ssh_key *out,
                  unsigned char out_secret[static SSH_SECRET_BYTES]);

bool ssh_key_is_equal(const struct ssh_key *a, const struct ssh_key *b);

/* Is it one that only its owner can sign with? */
bool ssh_key_is_sound(const struct ssh_key *key);

/* Append the key as the protocol has it: its kind, and its bytes. */
void ssh_key_add(struct buf *buf, const struct ssh_key *key);

/* Take such a key. False: it is none, is of another kind, or everybody could sign with it. */
MUST_CHECK bool ssh_key_take(struct text *rest, struct ssh_key *out);

/* The line of a public key, without its end: `ssh-ed25519 AAAA... comment`. The comment, which may be empty, is text
 * without control characters. */
struct text ssh_key_format(struct arena *arena, const struct ssh_key *key, struct text comment);

/* Read such a line, which somebody else wrote; an end of line behind it is passed over. The comment is borrowed. R0740,
 * with the place in the line: it is too long, of another kind, has options in front, is damaged, or goes on. */
MUST_CHECK bool ssh_key_parse(struct text line, struct ssh_key *out, struct text *out_comment,
                              struct err *err);

/* How people compare keys: SHA256:... as `ssh-keygen -l` prints it. */
void ssh_key_fingerprint(const struct ssh_key *key, char out[static SSH_FINGERPRINT_BYTES]);

/* The same of the bytes of any key. */
void ssh_blob_fingerprint(struct text blob, char out[static SSH_FINGERPRINT_BYTES]);

/* The file of a private key as OpenSSH has it, not encrypted: for memory, or a file of mode 0600 that is gone soon. It stands
 * in `out` of the caller, who wipes it; returns its length. `check` is any number, other than the last one. */
enum { SSH_PRIVATE_BYTES = 1024, SSH_COMMENT_MAX = 255 };
size_t ssh_key_format_private(const unsigned char secret[static SSH_SECRET_BYTES], uint32_t check,
                              struct text comment, char out[static SSH_PRIVATE_BYTES]);

#endif
