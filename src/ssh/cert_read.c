#include "base/limits.h"
#include "ssh/bytes.h"
#include "ssh/cert.h"

#include <assert.h>
#include <sodium.h>

/* public names start with: ssh_ */

MUST_CHECK static bool cert_refuse(const char *why, struct err *err)
{
    err_set(err, CODE_R0741, "the certificate cannot be read: %s", why);
    return err_hint(err, "ssh-keygen -L -f FILE shows how OpenSSH reads it");
}

/* ---- parts; each returns false if damaged ---- */

static bool is_cert_read_kind(uint32_t kind)
{
    return kind == SSH_CERT_USER || kind == SSH_CERT_HOST;
}

/* Reads strings up to the end of the text. The format has no count, so they are counted first, to
 * allocate memory once. */
static bool principals_take(struct arena *arena, struct text packed, struct ssh_cert *out)
{
    struct text rest = packed;
    struct text *principals;
    struct text one;
    size_t count = 0;

    while (rest.length > 0) {
        if (count == LIMIT_SSH_PRINCIPALS || !ssh_take_string(&rest, &one) ||
            text_find_bad_utf8(one) != SIZE_MAX) {
            return false;
        }
        count++;
    }
    principals = arena_array(arena, struct text, count);
    for (size_t i = 0; i < count && ssh_take_string(&packed, &principals[i]); i++) {
    }
    out->principals = principals;
    out->principal_count = count;
    return true;
}

/* Reads options, which must be sorted by name and unique. Otherwise two readers could interpret the
 * list differently. */
static bool options_take(struct arena *arena, struct text packed, const struct ssh_option **out,
                         size_t *out_count)
{
    struct ssh_option *options = arena_array(arena, struct ssh_option, LIMIT_SSH_OPTIONS);
    size_t count = 0;

    while (packed.length > 0) {
        if (count == LIMIT_SSH_OPTIONS || !ssh_take_string(&packed, &options[count].name) ||
            !ssh_take_string(&packed, &options[count].value) ||
            text_find_bad_utf8(options[count].name) != SIZE_MAX ||
            (count > 0 && text_compare(options[count - 1].name, options[count].name) >= 0)) {
            return false;
        }
        count++;
    }
    *out = options;
    *out_count = count;
    return true;
}

static bool authority_take(struct text *rest, struct ssh_key *out)
{
    struct text packed;

    return ssh_take_string(rest, &packed) && ssh_key_take(&packed, out) && packed.length == 0;
}

static bool signature_take(struct text *rest, unsigned char *out)
{
    struct text packed;
    struct text kind;

    return ssh_take_string(rest, &packed) && ssh_take_string(&packed, &kind) &&
           text_is(kind, SSH_KEY_KIND) && ssh_take_fixed(&packed, out, SSH_SIGNATURE_BYTES) &&
           packed.length == 0;
}

/* Reads the certified key, which is stored without its kind. */
static bool subject_take(struct text *rest, struct ssh_key *out)
{
    return ssh_take_fixed(rest, out->bytes, SSH_KEY_BYTES) && ssh_key_is_sound(out);
}

static bool cert_read_head_take(struct arena *arena, struct text *rest, struct ssh_cert *out)
{
    struct text principals;
    uint32_t kind;

    if (!ssh_take_fixed(rest, out->nonce, SSH_NONCE_BYTES) || !subject_take(rest, &out->key) ||
        !ssh_take_u64(rest, &out->serial) || !ssh_take_u32(rest, &kind) ||
        !is_cert_read_kind(kind) || !ssh_take_string(rest, &out->id) ||
        text_find_bad_utf8(out->id) != SIZE_MAX || !ssh_take_string(rest, &principals)) {
        return false;
    }
    out->kind = (enum ssh_cert_kind)kind;
    return principals_take(arena, principals, out);
}

static bool tail_take(struct arena *arena, struct text *rest, struct ssh_cert *out)
{
    struct text reserved;
    struct text must;
    struct text may;

    return ssh_take_u64(rest, &out->after_s) && ssh_take_u64(rest, &out->before_s) &&
           ssh_take_string(rest, &must) && ssh_take_string(rest, &may) &&
           ssh_take_string(rest, &reserved) && reserved.length == 0 &&
           authority_take(rest, &out->authority) && signature_take(rest, out->signature) &&
           rest->length == 0 && options_take(arena, must, &out->must, &out->must_count) &&
           options_take(arena, may, &out->may, &out->may_count);
}

/* ---- the whole ---- */

/* Returns the base64 part of a line that begins with the name of this format. */
static struct text base64_of(struct text line)
{
    struct text rest = text_slice(line, sizeof(SSH_CERT_FORMAT " ") - 1, line.length);
    size_t end = 0;

    while (end < rest.length && rest.data[end] != ' ' && rest.data[end] != '\n' &&
           rest.data[end] != '\r') {
        end++;
    }
    return text_slice(rest, 0, end);
}

bool ssh_cert_parse(struct arena *arena, struct text line, struct ssh_cert *out, struct err *err)
{
    struct ssh_cert cert = { 0 };
    struct text format;
    struct text rest;

    if (line.length > LIMIT_SSH_LINE_BYTES) {
        return cert_refuse("the line is too long", err);
    }
    if (!text_has_prefix(line, TEXT(SSH_CERT_FORMAT " "))) {
        return cert_refuse("only " SSH_CERT_FORMAT " is accepted", err);
    }
    if (!ssh_base64_parse(arena, base64_of(line), &rest)) {
        return cert_refuse("the text is not base64, or is truncated", err);
    }
    if (!ssh_take_string(&rest, &format) || !text_is(format, SSH_CERT_FORMAT)) {
        return cert_refuse("the format that the line names differs from that of the certificate",
                           err);
    }
    if (!cert_read_head_take(arena, &rest, &cert) || !tail_take(arena, &rest, &cert)) {
        return cert_refuse(
            "the certificate is damaged, or signed by an authority with a different kind of key",
            err);
    }
    *out = cert;
    return true;
}

/* ---- verification ---- */

static bool is_signed(const struct ssh_cert *cert)
{
    AUTO(arena) arena = arena_new_small(LIMIT_SSH_ARENA_BYTES);
    struct buf body;

    buf_init(&body, arena);
    ssh_cert_add_body(&body, cert);
    return crypto_sign_verify_detached(cert->signature, (const unsigned char *)body.data,
                                       body.length, cert->authority.bytes) == 0;
}

static bool has_authority(const struct ssh_cert *cert, const struct ssh_claim *claim)
{
    for (size_t i = 0; i < claim->authority_count; i++) {
        if (ssh_key_is_equal(&cert->authority, &claim->authorities[i])) {
            return true;
        }
    }
    return false;
}

/* Returns whether the certificate names the principal. A certificate without principals is valid
 * for every name, but is not accepted here. */
static bool has_principal(const struct ssh_cert *cert, struct text principal)
{
    for (size_t i = 0; i < cert->principal_count; i++) {
        if (text_is_equal(cert->principals[i], principal)) {
            return true;
        }
    }
    return false;
}

MUST_CHECK static bool holds_not(const struct ssh_cert *cert, const char *why, struct err *err)
{
    return err_set(err, CODE_R0742, "certificate %llu of '%.*s' is not valid: %s",
                   (unsigned long long)cert->serial, TEXT_ARG(text_slice(cert->id, 0, 128)), why);
}

bool ssh_cert_check(const struct ssh_cert *cert, const struct ssh_claim *claim, struct err *err)
{
    assert(claim->kind == SSH_CERT_USER || claim->kind == SSH_CERT_HOST);
    if (cert->kind != claim->kind) {
        return holds_not(cert,
                         claim->kind == SSH_CERT_HOST ? "it is not a certificate of a host"
                                                      : "it is a certificate of a host",
                         err);
    }
    if (!has_authority(cert, claim)) {
        return holds_not(cert, "the authority that signed it is not trusted", err);
    }
    if (!is_signed(cert)) {
        return holds_not(cert, "the signature is wrong", err);
    }
    if (cert->must_count > 0) {
        return holds_not(cert, "it has a critical option that reeve does not support", err);
    }
    if (!has_principal(cert, claim->principal)) {
        return holds_not(cert, "the certificate does not name the requested principal", err);
    }
    if (claim->now_s < cert->after_s) {
        return holds_not(cert, "it is not valid yet; check the clock", err);
    }
    return claim->now_s < cert->before_s || holds_not(cert, "the certificate has expired", err);
}
