#include "codec/json_member.h"

#include <assert.h>
#include <string.h>

/* Return the position after the string that begins at `at`, or SIZE_MAX. */
static size_t string_end(struct text text, size_t at)
{
    assert(at < text.length && text.data[at] == '"');
    for (at++; at < text.length; at++) {
        const char *quote = memchr(text.data + at, '"', text.length - at);
        const char *escape;

        if (quote == NULL) {
            return SIZE_MAX;
        }
        escape = memchr(text.data + at, '\\', (size_t)(quote - (text.data + at)));
        if (escape == NULL) {
            return (size_t)(quote - text.data) + 1;
        }
        at = (size_t)(escape - text.data) + 1; /* the loop skips the escaped character */
    }
    return SIZE_MAX;
}

/* Return the position after the value that begins at `at`, or SIZE_MAX. */
static size_t value_end(struct text text, size_t at)
{
    size_t depth = 0;

    while (at < text.length) {
        char letter = text.data[at];

        if (letter == '"') {
            at = string_end(text, at);
            if (at == SIZE_MAX || depth == 0) {
                return at;
            }
            continue;
        }
        if (letter == '{' || letter == '[') {
            depth++;
        } else if (letter == '}' || letter == ']') {
            if (depth == 0) {
                /* A number or a word (true, false, null) ends at a comma or at the end of its
                 * container. */
                return at;
            }
            if (--depth == 0) {
                return at + 1;
            }
        } else if (letter == ',' && depth == 0) {
            return at;
        }
        at++;
    }
    return SIZE_MAX;
}

bool json_member_find(struct text object, struct text key, struct text *out)
{
    size_t at = 1;

    if (object.length < 2 || object.data[0] != '{') {
        return false;
    }
    while (at < object.length && object.data[at] == '"') {
        size_t key_end = string_end(object, at);
        size_t end;

        if (key_end == SIZE_MAX || key_end >= object.length || object.data[key_end] != ':') {
            return false;
        }
        end = value_end(object, key_end + 1);
        if (end == SIZE_MAX || end == key_end + 1) {
            return false;
        }
        if (text_is_equal(text_slice(object, at + 1, key_end - at - 2), key)) {
            *out = text_slice(object, key_end + 1, end - key_end - 1);
            return true;
        }
        at = end + (end < object.length && object.data[end] == ',' ? 1 : 0);
    }
    return false;
}
