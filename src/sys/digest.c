#include "sys/digest.h"

#include "base/mem.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

void digest_sha256(struct text bytes, char out[static DIGEST_TEXT_BYTES])
{
    unsigned char digest[32];
    int failed = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes.data, bytes.length, digest);

    assert(failed == 0);
    text_format_hex(digest, sizeof(digest), out);
}

void digest_stamp(struct text key, struct text bytes, char out[static DIGEST_STAMP_BYTES])
{
    unsigned char digest[32];
    int failed =
        gnutls_hmac_fast(GNUTLS_MAC_SHA256, key.data, key.length, bytes.data, bytes.length, digest);

    assert(failed == 0);
    text_format_hex(digest, sizeof(digest) / 2, out);
}

/* ---- piece by piece ---- */

struct digest_stream {
    gnutls_hash_hd_t hash;
};

struct digest_stream *digest_stream_new(void)
{
    struct digest_stream *stream = rows_resize(NULL, sizeof(*stream));
    int failed = gnutls_hash_init(&stream->hash, GNUTLS_DIG_SHA256);

    assert(failed == 0);
    (void)failed;
    return stream;
}

void digest_stream_add(struct digest_stream *stream, struct text bytes)
{
    int failed = gnutls_hash(stream->hash, bytes.data, bytes.length);

    assert(failed == 0);
    (void)failed;
}

void digest_stream_end_raw(struct digest_stream *stream, unsigned char out[static DIGEST_BYTES])
{
    gnutls_hash_deinit(stream->hash, out);
    rows_free(stream);
}

void digest_stream_end(struct digest_stream *stream, char out[static DIGEST_TEXT_BYTES])
{
    unsigned char digest[DIGEST_BYTES];

    digest_stream_end_raw(stream, digest);
    text_format_hex(digest, sizeof(digest), out);
}
