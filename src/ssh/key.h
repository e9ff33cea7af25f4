#ifndef REEVE_SSH_KEY_H
#define REEVE_SSH_KEY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/mem.h"
#include "base/text.h"

/* public names start with: ssh_ */

/* Keys of the kind ed25519, the only kind that reeve generates and accepts. */

#define SSH_KEY_KIND "ssh-ed25519"

enum {
    SSH_KEY_BYTES = 32,
    SSH_SEED_BYTES = 32,
    SSH_SECRET_BYTES = 64, /* the seed, followed by the public key */
    SSH_SIGNATURE_BYTES = 64,
    SSH_FINGERPRINT_BYTES = 51, /* SHA256: and 43 characters, with the NUL */
};

/* The public key. */
struct ssh_key {
    unsigned char bytes[SSH_KEY_BYTES];
};

/* ssh_key_make derives a key pair from a seed, which must be secret and unpredictable. The caller
 * wipes the seed and the secret. ssh_key_is_equal compares two public keys. */
void ssh_key_make(const unsigned char seed[static SSH_SEED_BYTES], struct ssh_key *out,
                  unsigned char out_secret[static SSH_SECRET_BYTES]);

bool ssh_key_is_equal(const struct ssh_key *a, const struct ssh_key *b);

/* True if only the owner of the secret can create valid signatures for this key. */
bool ssh_key_is_sound(const struct ssh_key *key);

/* Append the key as in the protocol: its kind, and its bytes. */
void ssh_key_add(struct buf *buf, const struct ssh_key *key);

/* Reads a public key as in the protocol, and removes it from `rest`. Returns false if the key is
 * invalid, of another kind, or weak (ssh_key_is_sound). */
MUST_CHECK bool ssh_key_take(struct text *rest, struct ssh_key *out);

/* Return the line of a public key, without its line end: `ssh-ed25519 AAAA... comment`. The comment
 * may be empty, and must not have control characters. The text lives in the arena. */
struct text ssh_key_format(struct arena *arena, const struct ssh_key *key, struct text comment);

/* Reads the line of a public key from an untrusted source. A line end after it is ignored. The
 * comment is borrowed. Fails with R0740 and the position in the line if the line is too long or
 * damaged, has another kind of key, has options before the key, or has text after its line end. */
MUST_CHECK bool ssh_key_parse(struct text line, struct ssh_key *out, struct text *out_comment,
                              struct err *err);

/* Write the fingerprint for display: SHA256:... as `ssh-keygen -l` prints it. */
void ssh_key_fingerprint(const struct ssh_key *key, char out[static SSH_FINGERPRINT_BYTES]);

/* Like ssh_key_fingerprint, for the bytes of a key of any kind. */
void ssh_blob_fingerprint(struct text blob, char out[static SSH_FINGERPRINT_BYTES]);

/* Writes the file of a private key in OpenSSH's format, without encryption. It is meant for memory,
 * or for a short-lived file of mode 0600. The caller owns `out` and wipes it. Returns the length.
 * `check` is any number that differs in each call. */
enum { SSH_PRIVATE_BYTES = 1024, SSH_COMMENT_MAX = 255 };
size_t ssh_key_format_private(const unsigned char secret[static SSH_SECRET_BYTES], uint32_t check,
                              struct text comment, char out[static SSH_PRIVATE_BYTES]);

#endif
