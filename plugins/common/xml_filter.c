#include "xml_filter.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { HELD_BYTES_MAX = 64 * 1024 };

void xml_filter_init(struct xml_filter *filter, struct arena *arena, struct text rows,
                     const char *const *names, bool (*pass)(void *arg, struct text part), void *arg)
{
    assert(rows.length > 0 && names != NULL);
    *filter = (struct xml_filter){ .rows = rows, .names = names, .pass = pass, .arg = arg };
    filter->row_depth = 2;
    for (size_t i = 0; i < rows.length; i++) {
        filter->row_depth += rows.data[i] == '/';
    }
    buf_init(&filter->held, arena);
}

/* ---- tags ---- */

/* Returns the position after the bytes that end a markup, or SIZE_MAX if they are not in the
 * text. */
static size_t filter_after(struct text text, const char *end)
{
    const char *found = memmem(text.data, text.length, end, strlen(end));

    return found == NULL ? SIZE_MAX : (size_t)(found - text.data) + strlen(end);
}

/* Returns the end of a tag. A quoted attribute value may contain '>'. */
static size_t filter_tag_end(struct text text)
{
    char quote = 0;

    for (size_t i = 1; i < text.length; i++) {
        char byte = text.data[i];

        if (quote != 0) {
            quote = byte == quote ? 0 : quote;
        } else if (byte == '"' || byte == '\'') {
            quote = byte;
        } else if (byte == '>') {
            return i + 1;
        }
    }
    return SIZE_MAX;
}

/* Returns the length of the markup at the start of the text, which begins with '<'. SIZE_MAX: the
 * end of the markup is not in the text. */
static size_t filter_markup(struct text text)
{
    if (text.length < 2) {
        return SIZE_MAX;
    }
    if (text.data[1] == '?') {
        return filter_after(text, "?>");
    }
    if (text.data[1] != '!') {
        return filter_tag_end(text);
    }
    if (text_has_prefix(text, TEXT("<!--"))) {
        /* "<!-->" is not a complete comment */
        size_t end = filter_after(text_slice(text, 4, text.length), "-->");

        return end == SIZE_MAX ? SIZE_MAX : end + 4;
    }
    if (text_has_prefix(text, TEXT("<![CDATA["))) {
        return filter_after(text, "]]>");
    }
    return text_has_prefix(TEXT("<!--"), text) || text_has_prefix(TEXT("<![CDATA["), text)
               ? SIZE_MAX
               : filter_tag_end(text);
}

static struct text filter_name(struct text tag)
{
    size_t begin = tag.data[1] == '/' ? 2 : 1;
    size_t end = begin;

    while (end < tag.length && memchr(" \t\r\n/>", tag.data[end], 6) == NULL) {
        end++;
    }
    return text_slice(tag, begin, end - begin);
}

/* True if the path of rows has this name at index `place`, counted from 0. */
static bool is_filter_path(struct text path, size_t place, struct text name)
{
    for (size_t i = 0; i < place; i++) {
        path = text_slice(path, text_find_byte(path, '/') + 1, SIZE_MAX);
    }
    return text_is_equal(text_slice(path, 0, text_find_byte(path, '/')), name);
}

static bool is_filter_kept(const struct xml_filter *filter, struct text name)
{
    for (size_t i = 0; filter->names[i] != NULL; i++) {
        if (text_is(name, filter->names[i])) {
            return true;
        }
    }
    return false;
}

/* Handles the start of an element. Returns whether this element must be removed. */
static bool filter_open(struct xml_filter *filter, struct text name)
{
    filter->depth++;
    if (filter->skip_depth > 0) {
        return false;
    }
    if (filter->matched + 2 == filter->row_depth + 1 && filter->depth == filter->row_depth + 1) {
        return !is_filter_kept(filter, name);
    }
    if (filter->depth > 1 && filter->depth <= filter->row_depth &&
        filter->matched + 2 == filter->depth &&
        is_filter_path(filter->rows, filter->depth - 2, name)) {
        filter->matched++;
    }
    return false;
}

/* Handles the end of an element. Returns whether it was the element being removed. */
static bool filter_close(struct xml_filter *filter)
{
    bool is_end = filter->skip_depth > 0 && filter->skip_depth == filter->depth;

    if (filter->depth > 1 && filter->matched + 1 == filter->depth) {
        filter->matched--;
    }
    filter->depth -= filter->depth > 0;
    return is_end;
}

/* ---- parts ---- */

static bool filter_pass(struct xml_filter *filter, struct text part)
{
    return part.length == 0 || filter->pass(filter->arg, part);
}

/* Filters a text in which only the last markup may be incomplete. Returns the number of bytes
 * before that markup. */
static size_t filter_text(struct xml_filter *filter, struct text text, bool *out_goes_on)
{
    size_t kept = 0; /* start of the bytes that were not passed on yet */
    size_t at = 0;

    *out_goes_on = true;
    while (*out_goes_on) {
        const char *next = memchr(text.data + at, '<', text.length - at);
        size_t length;
        struct text tag;

        if (next == NULL) {
            at = text.length;
            break;
        }
        at = (size_t)(next - text.data);
        length = filter_markup(text_slice(text, at, SIZE_MAX));
        if (length == SIZE_MAX) {
            break;
        }
        tag = text_slice(text, at, length);
        if (tag.data[1] == '?' || tag.data[1] == '!') {
            at += length;
            continue;
        }
        if (tag.data[1] != '/' && filter_open(filter, filter_name(tag))) {
            *out_goes_on = filter_pass(filter, text_slice(text, kept, at - kept));
            filter->skip_depth = filter->depth;
        }
        at += length;
        if ((tag.data[1] == '/' || tag.data[length - 2] == '/') && filter_close(filter)) {
            filter->skip_depth = 0;
            kept = at;
        }
    }
    if (*out_goes_on && filter->skip_depth == 0) {
        *out_goes_on = filter_pass(filter, text_slice(text, kept, at - kept));
    }
    return at;
}

bool xml_filter_add(struct xml_filter *filter, struct text part)
{
    bool goes_on = true;
    size_t used;

    /* complete the markup that the last part cut, with as few bytes as possible */
    while (filter->held.length > 0 && part.length > 0) {
        size_t count = text_find_byte(part, '>');

        count = count == SIZE_MAX ? part.length : count + 1;
        buf_add(&filter->held, text_slice(part, 0, count));
        part = text_slice(part, count, part.length);
        used = filter_text(filter, buf_text(&filter->held), &goes_on);
        if (used > 0 || !goes_on) {
            assert(used == filter->held.length || !goes_on);
            filter->held.length = 0;
        }
        if (!goes_on || filter->held.length > HELD_BYTES_MAX) {
            return false;
        }
    }
    if (part.length == 0) {
        return true;
    }
    used = filter_text(filter, part, &goes_on);
    if (used < part.length) {
        buf_add(&filter->held, text_slice(part, used, part.length));
    }
    return goes_on && filter->held.length <= HELD_BYTES_MAX;
}

bool xml_filter_end(struct xml_filter *filter)
{
    return filter->skip_depth > 0 || filter_pass(filter, buf_text(&filter->held));
}
