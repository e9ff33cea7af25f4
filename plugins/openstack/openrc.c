#include "openrc.h"

#include "base/buf.h"
#include "base/err.h"
#include "codec/doc.h"
#include "codec/json.h"

#include <stddef.h>

#define OPENRC_NAME(name, member)             \
    {                                         \
        name, offsetof(struct openrc, member) \
    }

static const struct {
    const char *name;
    size_t offset;
} openrc_names[] = {
    OPENRC_NAME("OS_AUTH_URL", auth_url),
    OPENRC_NAME("OS_REGION_NAME", region),
    OPENRC_NAME("OS_INTERFACE", interface),
    OPENRC_NAME("OS_APPLICATION_CREDENTIAL_ID", credential_id),
    OPENRC_NAME("OS_APPLICATION_CREDENTIAL_NAME", credential_name),
    OPENRC_NAME("OS_APPLICATION_CREDENTIAL_SECRET", credential_secret),
    OPENRC_NAME("OS_USERNAME", user_name),
    OPENRC_NAME("OS_USER_ID", user_id),
    OPENRC_NAME("OS_PASSWORD", password),
    OPENRC_NAME("OS_PROJECT_NAME", project_name),
    OPENRC_NAME("OS_PROJECT_ID", project_id),
    OPENRC_NAME("OS_USER_DOMAIN_NAME", user_domain_name),
    OPENRC_NAME("OS_USER_DOMAIN_ID", user_domain_id),
    OPENRC_NAME("OS_PROJECT_DOMAIN_NAME", project_domain_name),
    OPENRC_NAME("OS_PROJECT_DOMAIN_ID", project_domain_id),
};

/* Returns the member for a name. NULL: reeve does not use the name. */
static struct text *openrc_member(struct openrc *account, struct text name)
{
    for (size_t i = 0; i < ARRAY_COUNT(openrc_names); i++) {
        if (text_is(name, openrc_names[i].name)) {
            return (struct text *)(void *)((char *)account + openrc_names[i].offset);
        }
    }
    return NULL;
}

/* Reads a value like a shell without expansions: quoted and unquoted parts, up to a blank. Returns
 * false if the value needs a shell to evaluate it, or has an unterminated quote. */
static bool openrc_value(struct arena *arena, struct text text, struct text *out)
{
    struct buf value;
    char quote = '\0';

    buf_init(&value, arena);
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];

        if (byte == quote && quote != '\0') {
            quote = '\0';
        } else if (quote == '\0' && (byte == '"' || byte == '\'')) {
            quote = byte;
        } else if (quote == '\0' && (byte == ' ' || byte == '\t' || byte == ';')) {
            break;
        } else if (quote != '\'' && (byte == '$' || byte == '`')) {
            return false;
        } else if (quote != '\'' && byte == '\\') {
            i++;
            if (i == text.length) {
                return false;
            }
            buf_add_byte(&value, text.data[i]);
        } else {
            buf_add_byte(&value, byte);
        }
    }
    *out = buf_text(&value);
    return quote == '\0';
}

/* True if a value can be part of a request: one line of UTF-8. */
static bool is_openrc_value(struct text text)
{
    for (size_t i = 0; i < text.length; i++) {
        if ((unsigned char)text.data[i] < ' ') {
            return false;
        }
    }
    return text_find_bad_utf8(text) == SIZE_MAX;
}

static bool openrc_line(struct arena *arena, struct text line, struct openrc *out,
                        const char **out_why)
{
    size_t equals;
    struct text *member;

    line = text_trim(line);
    if (text_has_prefix(line, TEXT("export ")) || text_has_prefix(line, TEXT("export\t"))) {
        line = text_trim(text_slice(line, 7, line.length));
    }
    equals = text_find_byte(line, '=');
    if (equals == SIZE_MAX) {
        return true;
    }
    member = openrc_member(out, text_slice(line, 0, equals));
    if (member == NULL) {
        return true;
    }
    if (!openrc_value(arena, text_slice(line, equals + 1, line.length), member) ||
        !is_openrc_value(*member)) {
        *out_why = arena_printf(arena,
                                "%.*s has no plain value: write the value itself, not a variable "
                                "or a question",
                                TEXT_ARG(text_slice(line, 0, equals)))
                       .data;
        return false;
    }
    return true;
}

static bool openrc_json(struct arena *arena, struct text secret, struct openrc *out,
                        const char **out_why)
{
    struct doc doc;
    struct err err;

    if (!json_parse(arena, secret, NULL, &doc, &err) || !doc_is_map(&doc)) {
        *out_why = "it begins like JSON and is no map of OS_ names";
        return false;
    }
    for (size_t i = 0; i < doc.entry_count; i++) {
        struct text *member = openrc_member(out, doc.entries[i].key);

        if (member != NULL && (!doc_is_scalar(&doc.entries[i].value) ||
                               !is_openrc_value(doc.entries[i].value.text))) {
            *out_why = arena_printf(arena, "%.*s is not a text", TEXT_ARG(doc.entries[i].key)).data;
            return false;
        }
        if (member != NULL) {
            *member = doc.entries[i].value.text;
        }
    }
    return true;
}

/* True if a token can be obtained with the account. */
static bool openrc_check(const struct openrc *account, const char **out_why)
{
    bool has_user = account->user_name.length > 0 || account->user_id.length > 0;

    if (account->auth_url.length == 0) {
        *out_why = "OS_AUTH_URL is missing";
    } else if (account->credential_secret.length > 0) {
        *out_why =
            account->credential_id.length > 0 || (account->credential_name.length > 0 && has_user)
                ? NULL
                : "OS_APPLICATION_CREDENTIAL_ID is missing";
    } else if (account->password.length > 0 && has_user) {
        *out_why = account->project_id.length > 0 || account->project_name.length > 0
                       ? NULL
                       : "OS_PROJECT_NAME or OS_PROJECT_ID is missing";
    } else {
        *out_why = "it has neither OS_APPLICATION_CREDENTIAL_ID and "
                   "OS_APPLICATION_CREDENTIAL_SECRET nor OS_USERNAME and OS_PASSWORD";
    }
    return *out_why == NULL;
}

bool openrc_read(struct arena *arena, struct text secret, struct openrc *out, const char **out_why)
{
    struct text rest = text_trim(secret);

    *out = (struct openrc){ 0 };
    if (rest.length == 0 || rest.length > OPENRC_BYTES) {
        *out_why = rest.length == 0 ? "it is empty" : "it is too long";
        return false;
    }
    if (rest.data[0] == '{') {
        return openrc_json(arena, rest, out, out_why) && openrc_check(out, out_why);
    }
    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');

        if (!openrc_line(arena, text_slice(rest, 0, end), out, out_why)) {
            return false;
        }
        rest = end == SIZE_MAX ? TEXT("") : text_slice(rest, end + 1, rest.length);
    }
    return openrc_check(out, out_why);
}
