#include "sys/digest.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>

void digest_sha256(struct text bytes, char out[static DIGEST_TEXT_BYTES])
{
    unsigned char digest[32];
    int failed = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes.data, bytes.length, digest);

    assert(failed == 0);
    for (size_t i = 0; i < sizeof(digest); i++) {
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    }
}

void digest_stamp(struct text key, struct text bytes, char out[static DIGEST_STAMP_BYTES])
{
    unsigned char digest[32];
    int failed =
        gnutls_hmac_fast(GNUTLS_MAC_SHA256, key.data, key.length, bytes.data, bytes.length, digest);

    assert(failed == 0);
    for (size_t i = 0; i < sizeof(digest) / 2; i++) {
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    }
}
