#include "api/request/form.h"

/* public names start with: form_ */

static int form_hex(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

/* Decode a name or a value of a form. False: an escape is not %XX, or the result is not UTF-8. */
static bool form_decode(struct arena *arena, struct text raw, struct text *out)
{
    char *bytes = arena_array(arena, char, raw.length + 1);
    size_t length = 0;

    for (size_t i = 0; i < raw.length; i++) {
        char byte = raw.data[i] == '+' ? ' ' : raw.data[i];

        if (byte == '%') {
            int high = raw.length - i > 2 ? form_hex(raw.data[i + 1]) : -1;
            int low = raw.length - i > 2 ? form_hex(raw.data[i + 2]) : -1;

            if (high < 0 || low < 0) {
                return false;
            }
            byte = (char)(high * 16 + low);
            i += 2;
        }
        bytes[length++] = byte;
    }
    *out = (struct text){ bytes, length };
    return text_find_bad_utf8(*out) == SIZE_MAX;
}

bool form_read(struct arena *arena, struct text body, const char *const *names, size_t count,
               struct text *values, struct err *err)
{
    for (size_t pairs = 0; body.length > 0; pairs++) {
        size_t end = text_find_byte(body, '&');
        struct text pair = text_slice(body, 0, end);
        size_t equals = text_find_byte(pair, '=');
        struct text value;
        struct text name;

        if (pairs == FORM_VALUES_MAX || equals == SIZE_MAX ||
            !form_decode(arena, text_slice(pair, 0, equals), &name) ||
            !form_decode(arena, text_slice(pair, equals + 1, SIZE_MAX), &value)) {
            return err_set(err, CODE_R0429, "the body is not a form of at most %d values",
                           FORM_VALUES_MAX);
        }
        for (size_t i = 0; i < count; i++) {
            if (text_is(name, names[i])) {
                if (values[i].data != NULL) {
                    return err_set(err, CODE_R0429, "the form has %.*s twice", TEXT_ARG(name));
                }
                values[i] = value;
            }
        }
        body = end == SIZE_MAX ? TEXT("") : text_slice(body, end + 1, SIZE_MAX);
    }
    return true;
}
