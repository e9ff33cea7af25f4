#include "ssh/host_key.h"

#include "base/limits.h"
#include "ssh/bytes.h"

/* public names start with: ssh_ */

/* True for the kinds of host keys of sshd. Certificates are excluded, and DSA too, because current
 * versions of ssh reject it. */
static bool is_host_key_kind(struct text kind)
{
    static const char *const kinds[] = { "ssh-ed25519",
                                         "ecdsa-sha2-nistp256",
                                         "ecdsa-sha2-nistp384",
                                         "ecdsa-sha2-nistp521",
                                         "ssh-rsa",
                                         "sk-ssh-ed25519@openssh.com",
                                         "sk-ecdsa-sha2-nistp256@openssh.com" };

    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (text_is(kind, kinds[i])) {
            return true;
        }
    }
    return false;
}

/* Decodes the base64 part of a public key. Returns false if the decoded bytes do not begin with the
 * kind of key in the line. */
static bool blob_read(struct arena *arena, struct text kind, struct text base64, struct text *out)
{
    struct text rest;
    struct text inner;

    if (!is_host_key_kind(kind) || kind.length + 1 + base64.length > LIMIT_RECORD_TEXT_BYTES ||
        !ssh_base64_parse(arena, base64, out)) {
        return false;
    }
    rest = *out;
    return ssh_take_string(&rest, &inner) && text_is_equal(inner, kind) && rest.length > 0;
}

bool ssh_host_key_parse(struct arena *arena, struct text line, struct text *out, struct err *err)
{
    struct text rest = text_trim(line);
    struct text kind = ssh_take_word(&rest);
    struct text base64 = ssh_take_word(&rest);
    struct text blob;

    if (!blob_read(arena, kind, base64, &blob)) {
        err_set(err, CODE_R0715, "the text is not a public key of a host");
        return err_hint(err,
                        "copy a line of /etc/ssh/ssh_host_ed25519_key.pub: ssh-ed25519 AAAA...");
    }
    *out = arena_printf(arena, "%.*s %.*s", TEXT_ARG(kind), TEXT_ARG(base64));
    return true;
}

bool ssh_host_key_fingerprint(struct text line, char out[static SSH_FINGERPRINT_BYTES])
{
    AUTO(arena) arena = arena_new_small(LIMIT_SSH_LINE_BYTES);
    struct text rest = text_trim(line);
    struct text kind = ssh_take_word(&rest);
    struct text blob;

    if (!blob_read(arena, kind, ssh_take_word(&rest), &blob)) {
        return false;
    }
    ssh_blob_fingerprint(blob, out);
    return true;
}
