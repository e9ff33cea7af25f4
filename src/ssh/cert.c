#include "ssh/cert.h"

#include "base/limits.h"
#include "ssh/bytes.h"

#include <assert.h>
#include <sodium.h>

/* public names start with: ssh_ */

/* Adds a list of options. The format requires that the caller has sorted it. */
static void options_add(struct buf *buf, const struct ssh_option *options, size_t count)
{
    size_t at = ssh_string_begin(buf);

    for (size_t i = 0; i < count; i++) {
        assert(i == 0 || text_compare(options[i - 1].name, options[i].name) < 0);
        ssh_add_string(buf, options[i].name);
        ssh_add_string(buf, options[i].value);
    }
    ssh_string_end(buf, at);
}

static void principals_add(struct buf *buf, const struct ssh_cert *cert)
{
    size_t at = ssh_string_begin(buf);

    for (size_t i = 0; i < cert->principal_count; i++) {
        ssh_add_string(buf, cert->principals[i]);
    }
    ssh_string_end(buf, at);
}

void ssh_cert_add_body(struct buf *buf, const struct ssh_cert *cert)
{
    size_t at;

    assert(cert->kind == SSH_CERT_USER || cert->kind == SSH_CERT_HOST);
    assert(cert->principal_count <= LIMIT_SSH_PRINCIPALS);
    assert(cert->must_count <= LIMIT_SSH_OPTIONS && cert->may_count <= LIMIT_SSH_OPTIONS);
    ssh_add_string(buf, TEXT(SSH_CERT_FORMAT));
    ssh_add_string(buf, (struct text){ (const char *)cert->nonce, SSH_NONCE_BYTES });
    ssh_add_string(buf, (struct text){ (const char *)cert->key.bytes, SSH_KEY_BYTES });
    ssh_add_u64(buf, cert->serial);
    ssh_add_u32(buf, (uint32_t)cert->kind);
    ssh_add_string(buf, cert->id);
    principals_add(buf, cert);
    ssh_add_u64(buf, cert->after_s);
    ssh_add_u64(buf, cert->before_s);
    options_add(buf, cert->must, cert->must_count);
    options_add(buf, cert->may, cert->may_count);
    ssh_add_string(buf, TEXT("")); /* reserved */
    at = ssh_string_begin(buf);
    ssh_key_add(buf, &cert->authority);
    ssh_string_end(buf, at);
}

void ssh_cert_sign(struct ssh_cert *cert, const unsigned char secret[static SSH_SECRET_BYTES])
{
    AUTO(arena) arena = arena_new_small(LIMIT_SSH_ARENA_BYTES);
    struct buf body;

    memcpy(cert->authority.bytes, secret + SSH_SEED_BYTES, SSH_KEY_BYTES);
    buf_init(&body, arena);
    ssh_cert_add_body(&body, cert);
    crypto_sign_detached(cert->signature, NULL, (const unsigned char *)body.data, body.length,
                         secret);
}

struct text ssh_cert_format(struct arena *arena, const struct ssh_cert *cert, struct text comment)
{
    AUTO(arena) scratch = arena_new_small(LIMIT_SSH_ARENA_BYTES);
    struct buf blob;
    struct buf line;
    size_t at;

    assert(text_find_byte(comment, '\n') == SIZE_MAX);
    buf_init(&blob, scratch);
    ssh_cert_add_body(&blob, cert);
    at = ssh_string_begin(&blob);
    ssh_add_string(&blob, TEXT(SSH_KEY_KIND));
    ssh_add_string(&blob, (struct text){ (const char *)cert->signature, SSH_SIGNATURE_BYTES });
    ssh_string_end(&blob, at);
    buf_init(&line, arena);
    buf_add_string(&line, SSH_CERT_FORMAT " ");
    ssh_add_base64(&line, buf_text(&blob));
    if (comment.length > 0) {
        buf_add_string(&line, " ");
        buf_add(&line, comment);
    }
    return buf_text(&line);
}
