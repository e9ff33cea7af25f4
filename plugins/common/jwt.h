#ifndef COMMON_JWT_H
#define COMMON_JWT_H

#include "base/mem.h"
#include "base/text.h"

#include <stdbool.h>

/* Makes a JSON Web Token with the signature RS256, by GnuTLS, with which a service account proves
 * its identity. `claims` is the JSON of the claims, `key_pem` the private key in PEM. Returns false
 * if the key cannot be used; *out_why is a static text. */
bool jwt_sign(struct arena *arena, struct text key_pem, struct text key_id, struct text claims,
              struct text *out, const char **out_why);

/* Returns base64 without padding, in the alphabet for URLs. */
struct text jwt_base64(struct arena *arena, struct text bytes);

#endif
