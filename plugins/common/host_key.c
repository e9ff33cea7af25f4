#include "host_key.h"

#include <assert.h>

enum { HOST_KEY_BODY_BYTES = 68 };

/* The start of the base64 of an ed25519 key (51 bytes): length and name of the type, length of the
 * key. */
#define HOST_KEY_START "AAAAC3NzaC1lZDI1NTE5AAAAI"

static bool is_host_key(struct text key)
{
    struct text body = text_slice(key, strlen("ssh-ed25519 "), key.length);

    if (!text_has_prefix(key, TEXT("ssh-ed25519 ")) || body.length != HOST_KEY_BODY_BYTES ||
        !text_has_prefix(body, TEXT(HOST_KEY_START))) {
        return false;
    }
    for (size_t i = 0; i < body.length; i++) {
        char byte = body.data[i];

        if (!((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
              (byte >= '0' && byte <= '9') || byte == '+' || byte == '/')) {
            return false;
        }
    }
    return true;
}

/* Returns the key in a line. Empty: the first-start script did not write the line. */
static struct text host_key_of_line(struct text line, struct text token)
{
    struct text rest = text_trim(line);

    if (!text_has_prefix(rest, TEXT("reeve-hostkey "))) {
        return TEXT("");
    }
    rest = text_slice(rest, strlen("reeve-hostkey "), rest.length);
    if (!text_has_prefix(rest, token) || rest.length <= token.length ||
        rest.data[token.length] != ' ') {
        return TEXT("");
    }
    rest = text_slice(rest, token.length + 1, rest.length);
    return is_host_key(rest) ? rest : TEXT("");
}

bool host_key_find(struct text console, struct text token, struct text *out)
{
    struct text found = TEXT("");

    assert(token.length > 0);
    while (console.length > 0) {
        size_t end = text_find_byte(console, '\n');
        struct text key = host_key_of_line(text_slice(console, 0, end), token);

        if (key.length > 0 && found.length > 0 && !text_is_equal(key, found)) {
            return false;
        }
        found = key.length > 0 ? key : found;
        console = end == SIZE_MAX ? TEXT("") : text_slice(console, end + 1, console.length);
    }
    if (found.length == 0) {
        return false;
    }
    *out = found;
    return true;
}
