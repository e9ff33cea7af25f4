#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- writing ---- */

struct out {
    char *bytes;
    size_t length;
    size_t room;
};

/* Appends bytes. If they do not fit, the length still grows beyond the room, by which the caller
 * detects that. */
static void put(struct out *out, const char *bytes, size_t length)
{
    if (out->length + length < out->room) {
        memcpy(out->bytes + out->length, bytes, length);
    }
    out->length += length;
}

static void put_string(struct out *out, const char *string)
{
    put(out, string, strlen(string));
}

static void put_quoted(struct out *out, struct reeve_text text)
{
    char code[8];

    put(out, "\"", 1);
    for (uint64_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];

        if (byte == '"' || byte == '\\') {
            put(out, "\\", 1);
        }
        if ((unsigned char)byte < ' ') {
            put(out, code, (size_t)snprintf(code, sizeof(code), "\\u%04x", (unsigned)byte));
        } else {
            put(out, &byte, 1);
        }
    }
    put(out, "\"", 1);
}

static void put_text(struct out *out, const char *member, struct reeve_text value)
{
    if (value.length > 0) {
        put_string(out, ",\n  \"");
        put_string(out, member);
        put_string(out, "\": ");
        put_quoted(out, value);
    }
}

static void put_json(struct out *out, const char *member, struct reeve_text value)
{
    if (value.length > 0) {
        put_string(out, ",\n  \"");
        put_string(out, member);
        put_string(out, "\": ");
        put(out, value.bytes, value.length);
    }
}

size_t machine_format(const struct machine *machine, char *bytes, size_t room)
{
    struct out out = { bytes, 0, room };

    put_string(&out, "{\n  \"state\": \"running\"");
    put_text(&out, "name", machine->name);
    put_text(&out, "zone", machine->zone);
    put_text(&out, "address", machine->address);
    put_string(&out, ",\n  \"tags\": {");
    for (uint32_t i = 0; i < machine->tag_count; i++) {
        put_string(&out, i == 0 ? "\n    " : ",\n    ");
        put_quoted(&out, machine->tags[i].name);
        put_string(&out, ": ");
        put_quoted(&out, machine->tags[i].value);
    }
    put_string(&out, "\n  }");
    put_json(&out, "labels", machine->labels);
    put_json(&out, "properties", machine->properties);
    put_json(&out, "reach", machine->reach);
    put_string(&out, "\n}\n");
    return out.length < room ? out.length : 0;
}

/* ---- reading ---- */

static char *blank_skip(char *at)
{
    return at + strspn(at, " \t\r\n");
}

static char *string_end(char *at)
{
    for (at++; *at != '"' && *at != '\0'; at++) {
        at += *at == '\\' && at[1] != '\0';
    }
    return at + (*at == '"');
}

/* Returns the end of the value that begins here. In a broken file, the value ends at the
 * terminating NUL. */
static char *value_end(char *at)
{
    unsigned depth = 0;

    do {
        if (*at == '"') {
            at = string_end(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= depth > 0 && (*at == '}' || *at == ']');
        at += *at != '\0';
    } while (*at != '\0' && (depth > 0 || strchr(",}] \t\r\n", *at) == NULL));
    return at;
}

struct member {
    char *name;
    char *value;
    char *end;
};

/* Takes the next member of the current map. Returns false if there is none. */
static bool member_next(char **at, struct member *out)
{
    out->name = blank_skip(*at);
    out->name = blank_skip(out->name + strspn(out->name, "{,"));
    if (*out->name != '"') {
        return false;
    }
    out->value = blank_skip(string_end(out->name));
    out->value = blank_skip(out->value + (*out->value == ':'));
    out->end = value_end(out->value);
    *at = blank_skip(out->end);
    return out->end > out->value;
}

/* Removes the escapes of the string that begins here, in place. Returns an empty text if it is not
 * a string. */
static struct reeve_text string_read(char *at)
{
    struct reeve_text text = { at + 1, 0 };
    const char *end = string_end(at) - 1;
    unsigned code;
    char *out = at + 1;

    if (*at != '"') {
        return (struct reeve_text){ 0 };
    }
    for (at++; at < end; at++) {
        if (*at == '\\' && at[1] == 'u' && sscanf(at + 2, "%4x", &code) == 1) {
            *out++ = (char)code; /* only control characters are written in this form */
            at += 5;
        } else {
            at += *at == '\\';
            *out++ = *at;
        }
    }
    text.length = (uint64_t)(out - text.bytes);
    return text;
}

static bool is_named(const char *member, const char *name)
{
    size_t length = strlen(name);

    return strncmp(member + 1, name, length) == 0 && member[length + 1] == '"';
}

static void tags_parse(char *at, struct reeve_row_v1 *row, struct reeve_tag *tags)
{
    struct member member;

    while (row->tag_count < MACHINE_TAGS && member_next(&at, &member)) {
        tags[row->tag_count++] =
            (struct reeve_tag){ string_read(member.name), string_read(member.value) };
    }
    row->tags = tags;
}

void machine_parse(char *bytes, struct reeve_row_v1 *row, struct reeve_tag *tags)
{
    struct member member;

    while (member_next(&bytes, &member)) {
        if (is_named(member.name, "state")) {
            row->state = is_named(member.value, "stopped") ? REEVE_STOPPED : REEVE_RUNNING;
        } else if (is_named(member.name, "zone")) {
            row->zone = string_read(member.value);
        } else if (is_named(member.name, "address")) {
            row->address = string_read(member.value);
        } else if (is_named(member.name, "reach")) {
            row->properties =
                (struct reeve_text){ member.value, (uint64_t)(member.end - member.value) };
        } else if (is_named(member.name, "tags")) {
            tags_parse(member.value, row, tags);
        }
    }
}

/* ---- changing ---- */

size_t machine_change(char *bytes, const char *name, struct reeve_text value, char *to, size_t room)
{
    struct out out = { to, 0, room };
    char *at = bytes;
    char *last = bytes + (*bytes == '{');
    struct member member;

    while (member_next(&at, &member) && !is_named(member.name, name)) {
        last = member.end;
    }
    if (*member.name == '"') {
        put(&out, bytes, (size_t)(member.value - bytes));
        put(&out, value.bytes, value.length);
        put_string(&out, member.end);
    } else {
        put(&out, bytes, (size_t)(last - bytes));
        put_json(&out, name, value);
        put_string(&out, last);
    }
    return out.length < room ? out.length : 0;
}

/* ---- the file ---- */

char *machine_read(const struct reeve_host_v1 *host, struct reeve_call *call, const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status = { 0 };
    ssize_t length = 0;
    char *bytes;

    if (file < 0 && errno == ENOENT) {
        return NULL;
    }
    if (file >= 0 && (fstat(file, &status) != 0 || status.st_size > MACHINE_BYTES)) {
        status.st_size = 0;
    }
    bytes = host->allocate(call, (uint64_t)status.st_size + 1);
    if (file >= 0) {
        length = read(file, bytes, (size_t)status.st_size);
        close(file);
    }
    bytes[length < 0 ? 0 : length] = '\0';
    return bytes;
}
