#include "ssh/private_file.h"

#include "base/limits.h"
#include "base/secret.h"
#include "ssh/bytes.h"

#include <assert.h>
#include <string.h>

/* public names start with: ssh_ */

#define BEGIN "-----BEGIN "
#define END   "-----END "
#define MAGIC "openssh-key-v1"

static const struct {
    const char *why;
    const char *hint;
} kinds[SSH_PRIVATE_COUNT] = {
    [SSH_PRIVATE_ENCRYPTED] = { "is encrypted with a passphrase, which the manager does not have",
                                "ssh-keygen -p -N '' -f COPY removes the passphrase of a copy; or "
                                "use your own agent with ssh: {transport: openssh}" },
    [SSH_PRIVATE_PUBLIC] = { "is a public key", "name the private key, the file without .pub" },
    [SSH_PRIVATE_PUTTY] = { "is in the format of PuTTY",
                            "puttygen FILE -O private-openssh -o KEY converts it" },
    [SSH_PRIVATE_TOKEN] = { "belongs to a security key, which the manager does not have",
                            "ssh-keygen -t ed25519 -N '' -f KEY makes a key that needs no device" },
    [SSH_PRIVATE_NONE] = { "is not a private key, or is damaged",
                           "ssh-keygen -y -f FILE shows whether OpenSSH can read it" },
};

static bool contains(struct text bytes, const char *word)
{
    return bytes.length > 0 && memmem(bytes.data, bytes.length, word, strlen(word)) != NULL;
}

/* Removes the first line from `rest`, and returns it without its line end. */
static struct text private_file_line_take(struct text *rest)
{
    size_t end = text_find_byte(*rest, '\n');
    struct text line = text_trim(text_slice(*rest, 0, end));

    *rest = end == SIZE_MAX ? TEXT("") : text_slice(*rest, end + 1, rest->length);
    return line;
}

/* Joins the base64 lines up to the last line of the file. Returns false if that line is missing. */
static bool private_file_body_take(struct arena *arena, struct text rest, struct text *out)
{
    struct buf buf;

    buf_init(&buf, arena);
    /* reserved at once, because growing the buffer would leave copies of the key in memory */
    (void)buf_reserve(&buf, rest.length + 1);
    while (rest.length > 0) {
        struct text line = private_file_line_take(&rest);

        if (text_has_prefix(line, TEXT(END))) {
            *out = buf_text(&buf);
            return true;
        }
        buf_add(&buf, line);
    }
    *out = buf_text(&buf);
    return false;
}

/* Determines the kind of a file in OpenSSH's own format, from the part that is never encrypted. */
static enum ssh_private open_kind(struct text blob)
{
    struct text magic = { MAGIC, sizeof(MAGIC) }; /* with its NUL */
    struct text cipher;
    struct text kdf;
    struct text kdf_options;
    struct text public_half;
    struct text private_half;
    struct text type;
    uint32_t keys = 0;

    if (!text_has_prefix(blob, magic)) {
        return SSH_PRIVATE_NONE;
    }
    blob = text_slice(blob, magic.length, blob.length);
    if (!ssh_take_string(&blob, &cipher) || !ssh_take_string(&blob, &kdf) ||
        !ssh_take_string(&blob, &kdf_options) || !ssh_take_u32(&blob, &keys) || keys != 1 ||
        !ssh_take_string(&blob, &public_half) || !ssh_take_string(&blob, &private_half) ||
        !ssh_take_string(&public_half, &type)) {
        return SSH_PRIVATE_NONE;
    }
    return !text_is(cipher, "none")             ? SSH_PRIVATE_ENCRYPTED
           : text_has_prefix(type, TEXT("sk-")) ? SSH_PRIVATE_TOKEN
                                                : SSH_PRIVATE_USABLE;
}

static enum ssh_private openssh_kind(struct text rest)
{
    struct arena *arena = arena_new_small(LIMIT_WORK_ARENA_BYTES);
    enum ssh_private kind = SSH_PRIVATE_NONE;
    struct text base64;
    struct text blob;

    if (private_file_body_take(arena, rest, &base64)) {
        if (ssh_base64_parse(arena, base64, &blob)) {
            kind = open_kind(blob);
            secret_wipe((char *)(uintptr_t)blob.data, blob.length);
        }
    }
    secret_wipe((char *)(uintptr_t)base64.data, base64.length);
    arena_free(arena);
    return kind;
}

/* Determines the kind of a file in a format of OpenSSL. Its first line has the kind; in an older
 * form, a header shows that the key is encrypted. */
static enum ssh_private pem_kind(struct text label, struct text rest)
{
    if (contains(label, "PUBLIC KEY")) {
        return SSH_PRIVATE_PUBLIC;
    }
    if (text_has_prefix(label, TEXT("ENCRYPTED ")) ||
        contains(text_slice(rest, 0, text_find_byte(rest, '\n')), "ENCRYPTED")) {
        return SSH_PRIVATE_ENCRYPTED;
    }
    return contains(label, "PRIVATE KEY-----") && contains(rest, END) ? SSH_PRIVATE_USABLE
                                                                      : SSH_PRIVATE_NONE;
}

static bool is_private_file_public(struct text line)
{
    return text_has_prefix(line, TEXT("ssh-")) || text_has_prefix(line, TEXT("ecdsa-")) ||
           text_has_prefix(line, TEXT("sk-"));
}

enum ssh_private ssh_private_kind(struct text bytes)
{
    struct text rest = bytes;
    struct text line = private_file_line_take(&rest);

    if (text_has_prefix(line, TEXT("PuTTY-User-Key-File"))) {
        return SSH_PRIVATE_PUTTY;
    }
    if (is_private_file_public(line) || text_has_prefix(line, TEXT("---- BEGIN SSH2 PUBLIC"))) {
        return SSH_PRIVATE_PUBLIC;
    }
    /* the SSH library does not skip text before the first line */
    if (!text_has_prefix(bytes, TEXT(BEGIN))) {
        return SSH_PRIVATE_NONE;
    }
    line = text_slice(line, sizeof(BEGIN) - 1, line.length);
    return text_is(line, "OPENSSH PRIVATE KEY-----") ? openssh_kind(rest) : pem_kind(line, rest);
}

const char *ssh_private_why(enum ssh_private kind)
{
    assert(kind > SSH_PRIVATE_USABLE && kind < SSH_PRIVATE_COUNT);
    return kinds[kind].why;
}

const char *ssh_private_hint(enum ssh_private kind)
{
    assert(kind > SSH_PRIVATE_USABLE && kind < SSH_PRIVATE_COUNT);
    return kinds[kind].hint;
}
