#include "sign_aws.h"

#include "base/buf.h"
#include "base/sort.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <string.h>
#include <time.h>

enum { DIGEST_BYTES = 32, DATE_BYTES = 8, MOMENT_BYTES = 16, SECRET_MAX = 256 };

static void sign_mac(const void *key, size_t key_bytes, struct text text,
                     unsigned char out[static DIGEST_BYTES])
{
    int code = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_bytes,
                                text.length == 0 ? "" : text.data, text.length, out);

    assert(code == 0);
    (void)code;
}

static struct text sign_digest(struct arena *arena, struct text text)
{
    unsigned char digest[DIGEST_BYTES];
    char *hex = arena_alloc(arena, DIGEST_BYTES * 2 + 1);
    int code =
        gnutls_hash_fast(GNUTLS_DIG_SHA256, text.length == 0 ? "" : text.data, text.length, digest);

    assert(code == 0);
    (void)code;
    text_format_hex(digest, DIGEST_BYTES, hex);
    return (struct text){ hex, DIGEST_BYTES * 2 };
}

/* Computes the hexadecimal signature. All keys that are derived from the secret are wiped. */
static struct text sign_final(struct arena *arena, const struct sign_aws_keys *keys,
                              const struct sign_aws_request *request, struct text date,
                              struct text text)
{
    unsigned char key[DIGEST_BYTES];
    char first[4 + SECRET_MAX] = "AWS4";
    char *hex = arena_alloc(arena, DIGEST_BYTES * 2 + 1);

    assert(keys->secret.length <= SECRET_MAX);
    memcpy(first + 4, keys->secret.data, keys->secret.length);
    sign_mac(first, 4 + keys->secret.length, date, key);
    sign_mac(key, sizeof(key), request->region, key);
    sign_mac(key, sizeof(key), request->service, key);
    sign_mac(key, sizeof(key), TEXT("aws4_request"), key);
    sign_mac(key, sizeof(key), text, key);
    text_format_hex(key, DIGEST_BYTES, hex);
    explicit_bzero(first, sizeof(first));
    explicit_bzero(key, sizeof(key));
    return (struct text){ hex, DIGEST_BYTES * 2 };
}

static int sign_compare(const void *a, const void *b, void *arg)
{
    (void)arg;
    return text_compare(((const struct http_header *)a)->name,
                        ((const struct http_header *)b)->name);
}

/* Writes the part of the canonical request with the headers. *out_names is "host;x-amz-date". */
static struct text sign_canonical_headers(struct arena *arena, const struct http_header *headers,
                                          size_t count, struct text host, struct text *out_names)
{
    struct http_header *sorted = arena_array(arena, struct http_header, count + 1);
    struct buf lines;
    struct buf names;

    buf_init(&lines, arena);
    buf_init(&names, arena);
    memcpy(sorted, headers, count * sizeof(*headers));
    sorted[count] = (struct http_header){ TEXT("host"), host };
    sort_stable(arena, sorted, count + 1, sizeof(*sorted), sign_compare, NULL);
    for (size_t i = 0; i <= count; i++) {
        buf_printf(&lines, "%.*s:%.*s\n", TEXT_ARG(sorted[i].name), TEXT_ARG(sorted[i].value));
        buf_printf(&names, "%s%.*s", i == 0 ? "" : ";", TEXT_ARG(sorted[i].name));
    }
    *out_names = buf_text(&names);
    return buf_text(&lines);
}

static struct text sign_moment(struct arena *arena, int64_t at_s)
{
    time_t at = (time_t)at_s;
    struct tm tm;
    char *out = arena_alloc(arena, MOMENT_BYTES + 1);

    if (gmtime_r(&at, &tm) == NULL || strftime(out, MOMENT_BYTES + 1, "%Y%m%dT%H%M%SZ", &tm) == 0) {
        return TEXT("19700101T000000Z");
    }
    return text_from(out);
}

size_t sign_aws(struct arena *arena, const struct sign_aws_keys *keys,
                const struct sign_aws_request *request,
                struct http_header out[static SIGN_AWS_HEADERS_MAX])
{
    struct text moment = sign_moment(arena, request->at_s);
    struct text date = text_slice(moment, 0, DATE_BYTES);
    size_t count = request->header_count;
    struct text names;
    struct text canonical;
    struct text scope;
    struct text signature;

    assert(count + 3 <= SIGN_AWS_HEADERS_MAX);
    memcpy(out, request->headers, count * sizeof(*out));
    out[count++] = (struct http_header){ TEXT("x-amz-date"), moment };
    if (keys->session.length > 0) {
        out[count++] = (struct http_header){ TEXT("x-amz-security-token"), keys->session };
    }
    canonical = sign_canonical_headers(arena, out, count, request->host, &names);
    canonical = arena_printf(arena, "%.*s\n%.*s\n%.*s\n%.*s\n%.*s\n%.*s", TEXT_ARG(request->method),
                             TEXT_ARG(request->path), TEXT_ARG(request->query), TEXT_ARG(canonical),
                             TEXT_ARG(names), TEXT_ARG(sign_digest(arena, request->body)));
    scope = arena_printf(arena, "%.*s/%.*s/%.*s/aws4_request", TEXT_ARG(date),
                         TEXT_ARG(request->region), TEXT_ARG(request->service));
    signature =
        sign_final(arena, keys, request, date,
                   arena_printf(arena, "AWS4-HMAC-SHA256\n%.*s\n%.*s\n%.*s", TEXT_ARG(moment),
                                TEXT_ARG(scope), TEXT_ARG(sign_digest(arena, canonical))));
    out[count++] = (struct http_header){
        TEXT("authorization"),
        arena_printf(arena,
                     "AWS4-HMAC-SHA256 Credential=%.*s/%.*s, SignedHeaders=%.*s, "
                     "Signature=%.*s",
                     TEXT_ARG(keys->id), TEXT_ARG(scope), TEXT_ARG(names), TEXT_ARG(signature)),
    };
    return count;
}
