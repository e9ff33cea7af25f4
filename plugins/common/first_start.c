#include "first_start.h"

#include "base/buf.h"

#include <assert.h>

/* The script without its variables. */
static const char first_start_body[] = {
#include "first-start.inc"
};

/* Appends a text as one argument for a shell. */
static void first_start_quote(struct buf *out, struct text text)
{
    buf_add_byte(out, '\'');
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '\'') {
            buf_add_string(out, "'\\''");
        } else {
            buf_add_byte(out, text.data[i]);
        }
    }
    buf_add_byte(out, '\'');
}

static void first_start_set(struct buf *out, const char *name, struct text value)
{
    buf_printf(out, "%s=", name);
    first_start_quote(out, value);
    buf_add_byte(out, '\n');
}

/* True if one of the lines equals `line`. */
static bool has_start_line(struct text lines, struct text line)
{
    while (lines.length > 0) {
        size_t end = text_find_byte(lines, '\n');

        if (text_is_equal(text_slice(lines, 0, end), line)) {
            return true;
        }
        lines = end == SIZE_MAX ? TEXT("") : text_slice(lines, end + 1, lines.length);
    }
    return false;
}

/* Appends a shell function that writes the text. The text is in a here-document, which preserves
 * its bytes and needs no quotes. */
static void first_start_add_text(struct arena *arena, struct buf *out, const char *name,
                                 struct text token, struct text text)
{
    struct text end = arena_printf(arena, "reeve-end-%.*s", TEXT_ARG(token));

    if (text.length == 0) {
        buf_printf(out, "%s() { :; }\n", name);
        return;
    }
    while (has_start_line(text, end)) {
        end = arena_printf(arena, "%.*s-", TEXT_ARG(end));
    }
    buf_printf(out, "%s() {\ncat <<'%.*s'\n", name, TEXT_ARG(end));
    buf_add(out, text);
    if (text.data[text.length - 1] != '\n') {
        buf_add_byte(out, '\n');
    }
    buf_printf(out, "%.*s\n}\n", TEXT_ARG(end));
}

/* Appends the body of the script without comments, because they would use a third of the size that
 * EC2 accepts. */
static void first_start_add_body(struct buf *out)
{
    struct text rest = { first_start_body, sizeof(first_start_body) };

    while (rest.length > 0) {
        size_t end = text_find_byte(rest, '\n');
        struct text line = text_slice(rest, 0, end == SIZE_MAX ? end : end + 1);
        struct text trimmed = text_trim(line);

        if (trimmed.length > 0 && trimmed.data[0] != '#') {
            buf_add(out, line);
        }
        rest = text_slice(rest, line.length, rest.length);
    }
}

struct text first_start_format(struct arena *arena, const struct first_start *start)
{
    struct buf out;

    assert(start->token.length > 0);
    buf_init(&out, arena);
    buf_add_string(&out, "#!/bin/sh\n");
    first_start_set(&out, "token", start->token);
    first_start_set(&out, "host_name", start->host_name);
    first_start_set(&out, "user", start->user);
    first_start_set(&out, "guest_attribute", start->guest_attribute);
    first_start_add_text(arena, &out, "keys", start->token, start->keys);
    first_start_add_text(arena, &out, "init", start->token, start->init);
    buf_add_string(&out, "volumes() {\n:\n");
    for (size_t i = 0; i < start->volume_count; i++) {
        buf_add_string(&out, "volume ");
        first_start_quote(&out, start->volumes[i].device);
        buf_add_byte(&out, ' ');
        first_start_quote(&out, start->volumes[i].mount);
        buf_add_byte(&out, '\n');
    }
    buf_add_string(&out, "}\n");
    first_start_add_body(&out);
    return buf_text(&out);
}
