#include "property.h"

#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PLAIN_MESSAGE_BYTES = 1024, PROPERTY_USER_BYTES = 32 };

void plain_fault(const struct reeve_host_v1 *host, struct reeve_call *call, const char *pointer,
                 const char *format, va_list args)
{
    char message[PLAIN_MESSAGE_BYTES];

    (void)vsnprintf(message, sizeof(message), format, args);
    host->fault(call, plain_answer(text_from(pointer)), plain_answer(text_from(message)));
}

void plain_log(const struct reeve_host_v1 *host, int32_t level, const char *format, va_list args)
{
    char message[PLAIN_MESSAGE_BYTES];

    (void)vsnprintf(message, sizeof(message), format, args);
    host->log(host, level, plain_answer(text_from(message)));
}

struct text plain_url(struct arena *arena, struct text text, const char *plain)
{
    struct buf out;

    buf_init(&out, arena);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if ((byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z') ||
            (byte != '\0' && strchr(plain, byte) != NULL)) {
            buf_add_byte(&out, (char)byte);
        } else {
            buf_printf(&out, "%%%02X", byte);
        }
    }
    return buf_text(&out);
}

void property_fault(struct property *property, const char *pointer, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    plain_fault(property->host, property->call, pointer, format, args);
    va_end(args);
    property->is_wrong = true;
}

static struct reeve_value_v1 property_value(struct property *property, const char *pointer)
{
    return property->host->value(property->call, plain_answer(text_from(pointer)));
}

bool property_is_given(struct property *property, const char *pointer)
{
    struct reeve_value_v1 value = property_value(property, pointer);

    return value.type != REEVE_TYPE_ANY ||
           (value.text.length > 0 && !text_is(plain_text(value.text), "null"));
}

/* Returns the name in a pointer, for messages: rootSize for "/rootSize". */
static const char *property_name(const char *pointer)
{
    return pointer[0] == '/' ? pointer + 1 : pointer;
}

struct text property_text(struct property *property, const char *pointer, const char *initial)
{
    struct reeve_value_v1 value = property_value(property, pointer);

    if (!property_is_given(property, pointer)) {
        return text_from(initial);
    }
    if (value.type != REEVE_TYPE_TEXT || value.text.length == 0) {
        property_fault(property, pointer, "%s must be a text", property_name(pointer));
        return text_from(initial);
    }
    return plain_text(value.text);
}

bool property_flag(struct property *property, const char *pointer, bool initial)
{
    struct reeve_value_v1 value = property_value(property, pointer);

    if (!property_is_given(property, pointer)) {
        return initial;
    }
    if (value.type != REEVE_TYPE_BOOLEAN) {
        property_fault(property, pointer, "%s must be true or false", property_name(pointer));
        return initial;
    }
    return value.integer != 0;
}

int64_t property_integer(struct property *property, const char *pointer, int64_t initial,
                         int64_t least, int64_t most)
{
    struct reeve_value_v1 value = property_value(property, pointer);

    if (!property_is_given(property, pointer)) {
        return initial;
    }
    if (value.type != REEVE_TYPE_INTEGER || value.integer < least || value.integer > most) {
        property_fault(property, pointer, "%s must be an integer from %lld to %lld",
                       property_name(pointer), (long long)least, (long long)most);
        return initial;
    }
    return value.integer;
}

/* Reads digits with at most three decimals. */
static bool property_parse_milli(struct text text, int64_t *out)
{
    size_t point = text_find_byte(text, '.');
    struct text whole = text_slice(text, 0, point);
    struct text part = point == SIZE_MAX ? TEXT("") : text_slice(text, point + 1, text.length);
    int64_t units;
    int64_t rest = 0;

    if (whole.length > 9 || part.length > 3 || (point != SIZE_MAX && part.length == 0) ||
        !text_parse_int64(whole, &units) || units < 0 ||
        (part.length > 0 && (!text_parse_int64(part, &rest) || rest < 0))) {
        return false;
    }
    for (size_t i = part.length; i < 3; i++) {
        rest *= 10;
    }
    *out = units * 1000 + rest;
    return true;
}

int64_t property_milli(struct property *property, const char *pointer, int64_t most)
{
    struct reeve_value_v1 value = property_value(property, pointer);
    int64_t milli = 0;

    if (!property_is_given(property, pointer)) {
        return 0;
    }
    if (!property_parse_milli(plain_text(value.text), &milli) || milli < 1 || milli > most * 1000) {
        property_fault(property, pointer,
                       "%s must be a number above 0 and up to %lld, with at most three decimals",
                       property_name(pointer), (long long)most);
        return 0;
    }
    return milli;
}

size_t property_texts(struct property *property, const char *pointer, struct text *out, size_t most)
{
    struct reeve_value_v1 list = property_value(property, pointer);
    size_t count = 0;

    if (!property_is_given(property, pointer)) {
        return 0;
    }
    if (list.type != REEVE_TYPE_LIST || list.integer < 0 || (uint64_t)list.integer > most) {
        property_fault(property, pointer, "%s must be a list of at most %zu texts",
                       property_name(pointer), most);
        return 0;
    }
    for (uint64_t i = 0; i < (uint64_t)list.integer; i++) {
        struct reeve_text name;
        struct reeve_value_v1 item =
            property->host->member(property->call, plain_answer(text_from(pointer)), i, &name);

        if (item.type != REEVE_TYPE_TEXT || item.text.length == 0) {
            property_fault(
                property,
                arena_printf(property->arena, "%s/%llu", pointer, (unsigned long long)i).data,
                "%s must be a list of texts", property_name(pointer));
            continue;
        }
        out[count++] = plain_text(item.text);
    }
    return count;
}

/* True if useradd accepts the name. */
static bool is_property_user(struct text name)
{
    if (name.length == 0 || name.length > PROPERTY_USER_BYTES || name.data[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < name.length; i++) {
        char byte = name.data[i];

        if (!((byte >= 'a' && byte <= 'z') || byte == '_' ||
              (i > 0 && ((byte >= '0' && byte <= '9') || byte == '-')))) {
            return false;
        }
    }
    return true;
}

struct text property_user(struct property *property, const char *initial)
{
    struct text user = property_text(property, "/user", initial);

    if (user.length > 0 && !is_property_user(user)) {
        property_fault(
            property, "/user",
            "user must be a login name: lower-case letters, digits, '-' and '_', at most "
            "%d, not beginning with a digit",
            PROPERTY_USER_BYTES);
    }
    return user;
}

struct text property_dns_name(struct arena *arena, struct text name, size_t most)
{
    char *out = arena_alloc(arena, most + 1);
    size_t length = 0;

    assert(most >= 2);
    for (size_t i = 0; i < name.length && length < most; i++) {
        char byte = name.data[i];

        byte = byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
        if (byte >= '0' && byte <= '9' && length == 0) {
            out[length++] = 'n';
        }
        if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')) {
            out[length++] = byte;
        } else if (length > 0 && out[length - 1] != '-') {
            out[length++] = '-';
        }
    }
    while (length > 0 && out[length - 1] == '-') {
        length--;
    }
    return length == 0 ? TEXT("n") : (struct text){ out, length };
}

struct text property_token_part(struct text token, size_t count)
{
    return token.length <= count ? token : text_slice(token, token.length - count, count);
}
