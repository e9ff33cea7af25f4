#include "signer/x509.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/time.h"

#include <arpa/inet.h>
#include <assert.h>
#include <sodium.h>
#include <string.h>

/* public names start with: x509_ */

/* Tags of DER. */
enum {
    X509_BOOLEAN = 0x01,
    X509_INTEGER = 0x02,
    X509_BITS = 0x03,
    X509_OCTETS = 0x04,
    X509_OID = 0x06,
    X509_UTF8 = 0x0c,
    X509_UTC_TIME = 0x17,
    X509_TIME = 0x18,
    X509_SEQUENCE = 0x30,
    X509_SET = 0x31,
    X509_NAME_DNS = 0x82,
    X509_NAME_ADDRESS = 0x87,
    X509_KEY_ID = 0x80,
    X509_EXPLICIT = 0xa0, /* combined with the number of the field */
};

enum { X509_KEY_ID_BYTES = 20, X509_SERIAL_BYTES = 16, X509_PEM_COLUMNS = 64 };

/* Object identifiers as DER. */
#define X509_ED25519          "\x06\x03\x2b\x65\x70"
#define X509_COMMON_NAME      "\x06\x03\x55\x04\x03"
#define X509_SUBJECT_KEY_ID   "\x06\x03\x55\x1d\x0e"
#define X509_KEY_USAGE        "\x06\x03\x55\x1d\x0f"
#define X509_SUBJECT_NAMES    "\x06\x03\x55\x1d\x11"
#define X509_CONSTRAINTS      "\x06\x03\x55\x1d\x13"
#define X509_AUTHORITY_KEY_ID "\x06\x03\x55\x1d\x23"
#define X509_EXTENDED_USAGE   "\x06\x03\x55\x1d\x25"
#define X509_SERVER           "\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x01"
#define X509_CLIENT           "\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x02"

/* ---- DER ---- */

/* Returns a DER element: the tag, the length, and the parts in sequence. */
static struct text x509_element(struct arena *arena, int tag, const struct text *parts,
                                size_t count)
{
    size_t length = 0;
    struct buf buf;

    for (size_t i = 0; i < count; i++) {
        length += parts[i].length;
    }
    assert(length <= UINT16_MAX);
    buf_init(&buf, arena);
    buf_add_byte(&buf, (char)tag);
    if (length >= 0x100) {
        buf_add_byte(&buf, (char)0x82);
        buf_add_byte(&buf, (char)(length >> 8));
    } else if (length >= 0x80) {
        buf_add_byte(&buf, (char)0x81);
    }
    buf_add_byte(&buf, (char)(length & 0xff));
    for (size_t i = 0; i < count; i++) {
        buf_add(&buf, parts[i]);
    }
    return buf_text(&buf);
}

#define X509_OF(arena, tag, ...)                                   \
    x509_element(arena, tag, (const struct text[]){ __VA_ARGS__ }, \
                 sizeof((const struct text[]){ __VA_ARGS__ }) / sizeof(struct text))

static struct text x509_bytes(const void *bytes, size_t count)
{
    return (struct text){ bytes, count };
}

/* Returns a bit string whose last `unused` bits are not used. */
static struct text x509_bit_string(struct arena *arena, char unused, struct text bytes)
{
    return X509_OF(arena, X509_BITS, x509_bytes(&unused, 1), bytes);
}

static struct text x509_serial(struct arena *arena, const unsigned char *serial)
{
    unsigned char bytes[X509_SERIAL_BYTES];

    memcpy(bytes, serial, sizeof(bytes));
    /* makes the number positive, without leading zeros */
    bytes[0] = (unsigned char)((bytes[0] & 0x7fU) | 0x40U);
    return X509_OF(arena, X509_INTEGER, x509_bytes(bytes, sizeof(bytes)));
}

static struct text x509_algorithm(struct arena *arena)
{
    return X509_OF(arena, X509_SEQUENCE, TEXT(X509_ED25519));
}

static struct text x509_subject(struct arena *arena, struct text name)
{
    struct text common =
        X509_OF(arena, X509_SEQUENCE, TEXT(X509_COMMON_NAME), X509_OF(arena, X509_UTF8, name));

    return X509_OF(arena, X509_SEQUENCE, X509_OF(arena, X509_SET, common));
}

/* Returns a time. Before 2050 it has a year of two digits, as RFC 5280 requires. */
static struct text x509_time(struct arena *arena, int64_t time_s)
{
    char text[TIME_TEXT_BYTES];
    char digits[sizeof("YYYYMMDDHHMMSSZ")];
    size_t count = 0;
    size_t from;

    time_format(time_s * 1000, text);
    for (const char *at = text; *at != '\0' && count < sizeof(digits) - 2; at++) {
        if (*at >= '0' && *at <= '9') {
            digits[count++] = *at;
        }
    }
    digits[count++] = 'Z';
    from = memcmp(digits, "2050", 4) < 0 ? 2 : 0;
    return X509_OF(arena, from == 0 ? X509_TIME : X509_UTC_TIME,
                   x509_bytes(digits + from, count - from));
}

static struct text x509_public(struct arena *arena, const unsigned char *key)
{
    return X509_OF(arena, X509_SEQUENCE, x509_algorithm(arena),
                   x509_bit_string(arena, 0, x509_bytes(key, SSH_KEY_BYTES)));
}

/* ---- extensions ---- */

static struct text x509_extension(struct arena *arena, struct text oid, bool is_critical,
                                  struct text value)
{
    return X509_OF(arena, X509_SEQUENCE, oid, is_critical ? TEXT("\x01\x01\xff") : TEXT(""),
                   X509_OF(arena, X509_OCTETS, value));
}

static void x509_key_id(const unsigned char *key, unsigned char out[static X509_KEY_ID_BYTES])
{
    crypto_generichash(out, X509_KEY_ID_BYTES, key, SSH_KEY_BYTES, NULL, 0);
}

static struct text x509_names(struct arena *arena, const struct x509_leaf *leaf)
{
    struct text *names = arena_array(arena, struct text, leaf->other_count + 1);

    names[0] = X509_OF(arena, X509_NAME_DNS, leaf->name);
    for (size_t i = 0; i < leaf->other_count; i++) {
        const char *name = arena_string(arena, leaf->others[i]);
        unsigned char address[sizeof(struct in6_addr)];
        size_t bytes = inet_pton(AF_INET, name, address) == 1    ? sizeof(struct in_addr)
                       : inet_pton(AF_INET6, name, address) == 1 ? sizeof(struct in6_addr)
                                                                 : 0;

        names[i + 1] = bytes > 0 ? X509_OF(arena, X509_NAME_ADDRESS, x509_bytes(address, bytes))
                                 : X509_OF(arena, X509_NAME_DNS, leaf->others[i]);
    }
    return x509_element(arena, X509_SEQUENCE, names, leaf->other_count + 1);
}

static struct text x509_leaf_extensions(struct arena *arena, const struct x509_leaf *leaf,
                                        const unsigned char *issuer)
{
    unsigned char id[X509_KEY_ID_BYTES];
    struct text usage = X509_OF(arena, X509_SEQUENCE, TEXT(X509_SERVER), TEXT(X509_CLIENT));
    struct text signer;

    x509_key_id(issuer, id);
    signer = X509_OF(arena, X509_SEQUENCE, X509_OF(arena, X509_KEY_ID, x509_bytes(id, sizeof(id))));
    return X509_OF(
        arena, X509_SEQUENCE,
        x509_extension(arena, TEXT(X509_CONSTRAINTS), true, x509_bytes("\x30\x00", 2)),
        x509_extension(arena, TEXT(X509_KEY_USAGE), true, x509_bit_string(arena, 7, TEXT("\x80"))),
        x509_extension(arena, TEXT(X509_EXTENDED_USAGE), false, usage),
        leaf->has_no_names
            ? TEXT("")
            : x509_extension(arena, TEXT(X509_SUBJECT_NAMES), false, x509_names(arena, leaf)),
        x509_extension(arena, TEXT(X509_AUTHORITY_KEY_ID), false, signer));
}

/* Returns the extensions of an authority's certificate. The authority may sign certificates of
 * managers, but not of other authorities. */
static struct text x509_authority_extensions(struct arena *arena, const unsigned char *key)
{
    unsigned char id[X509_KEY_ID_BYTES];
    struct text constraints =
        X509_OF(arena, X509_SEQUENCE, TEXT("\x01\x01\xff"), x509_bytes("\x02\x01\x00", 3));

    x509_key_id(key, id);
    return X509_OF(
        arena, X509_SEQUENCE, x509_extension(arena, TEXT(X509_CONSTRAINTS), true, constraints),
        x509_extension(arena, TEXT(X509_KEY_USAGE), true, x509_bit_string(arena, 2, TEXT("\x04"))),
        x509_extension(arena, TEXT(X509_SUBJECT_KEY_ID), false,
                       X509_OF(arena, X509_OCTETS, x509_bytes(id, sizeof(id)))));
}

/* ---- certificates ---- */

static struct text x509_pem(struct arena *arena, const char *what, struct text der)
{
    size_t room = sodium_base64_ENCODED_LEN(der.length, sodium_base64_VARIANT_ORIGINAL);
    char *base64 = arena_alloc(arena, room);
    struct buf buf;

    sodium_bin2base64(base64, room, (const unsigned char *)der.data, der.length,
                      sodium_base64_VARIANT_ORIGINAL);
    buf_init(&buf, arena);
    buf_printf(&buf, "-----BEGIN %s-----\n", what);
    for (size_t at = 0; at < room - 1; at += X509_PEM_COLUMNS) {
        buf_printf(&buf, "%.*s\n", X509_PEM_COLUMNS, base64 + at);
    }
    buf_printf(&buf, "-----END %s-----\n", what);
    return buf_text(&buf);
}

/* The content of a certificate. Its names and extensions are DER. */
struct x509_content {
    const unsigned char *serial;
    struct text issuer;
    struct text validity;
    struct text subject;
    const unsigned char *key;
    struct text extensions;
};

static struct text x509_signed(struct arena *arena, const struct x509_content *content,
                               const unsigned char *secret)
{
    struct text version =
        X509_OF(arena, X509_EXPLICIT, x509_bytes("\x02\x01\x02", 3)); /* version: X.509 v3 */
    struct text body = X509_OF(arena, X509_SEQUENCE, version, x509_serial(arena, content->serial),
                               x509_algorithm(arena), content->issuer, content->validity,
                               content->subject, x509_public(arena, content->key),
                               X509_OF(arena, X509_EXPLICIT + 3, content->extensions));
    unsigned char signature[crypto_sign_BYTES];

    crypto_sign_detached(signature, NULL, (const unsigned char *)body.data, body.length, secret);
    return x509_pem(arena, "CERTIFICATE",
                    X509_OF(arena, X509_SEQUENCE, body, x509_algorithm(arena),
                            x509_bit_string(arena, 0, x509_bytes(signature, sizeof(signature)))));
}

/* Returns the name of an authority. It depends on the key, so authorities with different keys have
 * different names. */
static struct text x509_authority_name(struct arena *arena, const unsigned char *key)
{
    unsigned char id[X509_KEY_ID_BYTES];

    x509_key_id(key, id);
    return x509_subject(
        arena, arena_printf(arena, "reeve managers %02x%02x%02x%02x", id[0], id[1], id[2], id[3]));
}

struct text x509_authority(struct arena *arena, const unsigned char secret[static SSH_SECRET_BYTES])
{
    const unsigned char *key = secret + SSH_SEED_BYTES;
    unsigned char id[X509_KEY_ID_BYTES];
    struct text name = x509_authority_name(arena, key);

    x509_key_id(key, id);
    return x509_signed(
        arena,
        &(const struct x509_content){
            .serial = id,
            .issuer = name,
            /* No end of validity, in the form of RFC 5280: managers trust the authority as long as
             * the store has its key. */
            .validity = X509_OF(arena, X509_SEQUENCE, x509_time(arena, 0),
                                X509_OF(arena, X509_TIME, TEXT("99991231235959Z"))),
            .subject = name,
            .key = key,
            .extensions = x509_authority_extensions(arena, key),
        },
        secret);
}

struct text x509_sign(struct arena *arena, const struct x509_leaf *leaf,
                      const unsigned char secret[static SSH_SECRET_BYTES])
{
    const unsigned char *issuer = secret + SSH_SEED_BYTES;

    return x509_signed(
        arena,
        &(const struct x509_content){
            .serial = leaf->serial,
            .issuer = x509_authority_name(arena, issuer),
            .validity = X509_OF(arena, X509_SEQUENCE, x509_time(arena, leaf->after_s),
                                x509_time(arena, leaf->before_s)),
            .subject = x509_subject(arena, leaf->name),
            .key = leaf->key.bytes,
            .extensions = x509_leaf_extensions(arena, leaf, issuer),
        },
        secret);
}

struct text x509_private(struct arena *arena, const unsigned char secret[static SSH_SECRET_BYTES])
{
    struct text seed = X509_OF(arena, X509_OCTETS, x509_bytes(secret, SSH_SEED_BYTES));

    return x509_pem(arena, "PRIVATE KEY",
                    X509_OF(arena, X509_SEQUENCE, x509_bytes("\x02\x01\x00", 3),
                            x509_algorithm(arena), X509_OF(arena, X509_OCTETS, seed)));
}
