#include "http/target.h"

#include <assert.h>

static int target_hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static bool has_target_control(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7F) {
            return true;
        }
    }
    return false;
}

/* Decodes %XX escapes. In a parameter, + means a space. */
MUST_CHECK static bool part_decode(struct arena *arena, struct text raw, bool is_parameter,
                                   struct text *out, struct err *err)
{
    char *data = arena_alloc(arena, raw.length + 1);
    struct text text = { data, 0 };

    for (size_t i = 0; i < raw.length; i++) {
        int byte = (unsigned char)raw.data[i];

        if (byte == '%') {
            if (raw.length - i < 3 || target_hex_value(raw.data[i + 1]) < 0 ||
                target_hex_value(raw.data[i + 2]) < 0) {
                return err_set(err, CODE_R0420,
                               "the target has a %% that is not followed by two hexadecimal "
                               "digits");
            }
            byte = target_hex_value(raw.data[i + 1]) * 16 + target_hex_value(raw.data[i + 2]);
            i += 2;
        } else if (byte == '+' && is_parameter) {
            byte = ' ';
        }
        data[text.length++] = (char)byte;
    }
    if (text_find_bad_utf8(text) != SIZE_MAX || has_target_control(text)) {
        return err_set(err, CODE_R0420,
                       "the target is not text: control characters or broken UTF-8");
    }
    *out = text;
    return true;
}

/* Returns whether a part of the path is `.` or `..`. Such a path is ambiguous, because some proxies
 * resolve these parts before the manager receives it, and others do not. */
static bool has_dots(struct text path)
{
    for (size_t start = 1; start <= path.length;) {
        struct text rest = text_slice(path, start, path.length);
        struct text part = text_slice(rest, 0, text_find_byte(rest, '/'));

        if (text_is(part, ".") || text_is(part, "..")) {
            return true;
        }
        start += part.length + 1;
    }
    return false;
}

MUST_CHECK static bool parameter_take(struct arena *arena, struct text raw, struct target *target,
                                      struct err *err)
{
    size_t equals = text_find_byte(raw, '=');
    struct target_parameter *parameter = &target->parameters[target->parameter_count];
    struct text value = equals == SIZE_MAX ? TEXT("") : text_slice(raw, equals + 1, raw.length);

    if (raw.length == 0) {
        return true;
    }
    if (target->parameter_count == LIMIT_HTTP_PARAMETERS) {
        return err_set(err, CODE_R0420, "the target has more than %d parameters",
                       LIMIT_HTTP_PARAMETERS);
    }
    if (!part_decode(arena, text_slice(raw, 0, equals), true, &parameter->name, err) ||
        !part_decode(arena, value, true, &parameter->value, err)) {
        return false;
    }
    for (size_t i = 0; i < target->parameter_count; i++) {
        if (text_is_equal(target->parameters[i].name, parameter->name)) {
            return err_set(err, CODE_R0420, "the parameter '%.*s' appears twice",
                           TEXT_ARG(parameter->name));
        }
    }
    target->parameter_count++;
    return true;
}

bool target_parse(struct arena *arena, struct text raw, struct target *out, struct err *err)
{
    size_t question = text_find_byte(raw, '?');
    struct text query = question == SIZE_MAX ? TEXT("") : text_slice(raw, question + 1, raw.length);

    out->parameter_count = 0;
    if (raw.length > LIMIT_HTTP_TARGET_BYTES) {
        return err_set(err, CODE_R0420, "the target is longer than %d bytes",
                       LIMIT_HTTP_TARGET_BYTES);
    }
    if (!part_decode(arena, text_slice(raw, 0, question), false, &out->path, err)) {
        return false;
    }
    if (!text_has_prefix(out->path, TEXT("/")) || has_dots(out->path)) {
        return err_set(err, CODE_R0420,
                       "the target must be a path that begins with / and has no part . or ..");
    }
    for (size_t start = 0; start < query.length;) {
        struct text rest = text_slice(query, start, query.length);
        struct text part = text_slice(rest, 0, text_find_byte(rest, '&'));

        if (!parameter_take(arena, part, out, err)) {
            return false;
        }
        start += part.length + 1;
    }
    assert(out->parameter_count <= LIMIT_HTTP_PARAMETERS);
    return true;
}

const struct text *target_parameter_find(const struct target *target, const char *name)
{
    for (size_t i = 0; i < target->parameter_count; i++) {
        if (text_is(target->parameters[i].name, name)) {
            return &target->parameters[i].value;
        }
    }
    return NULL;
}
