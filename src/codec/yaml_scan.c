#include "codec/yaml_scan.h"

#include "codec/source.h"

#include <assert.h>
#include <string.h>

/* True if [at, end) can be the header of a block scalar: | or >, then a digit, a sign and a
 * comment, each optional. */
static bool is_block_header(struct text bytes, size_t at, size_t end)
{
    assert(at < end && end <= bytes.length);
    if (bytes.data[at] != '|' && bytes.data[at] != '>') {
        return false;
    }
    at++;
    while (at < end && bytes.data[at] != '\0' && strchr("0123456789+-", bytes.data[at]) != NULL) {
        at++;
    }
    if (at < end && bytes.data[at] != ' ' && bytes.data[at] != '\t' && bytes.data[at] != '\r') {
        return false;
    }
    while (at < end &&
           (bytes.data[at] == ' ' || bytes.data[at] == '\t' || bytes.data[at] == '\r')) {
        at++;
    }
    return at == end || bytes.data[at] == '#';
}

size_t yaml_find_block_header(struct text bytes, size_t after, size_t start)
{
    size_t end = start;
    size_t at;

    assert(after <= bytes.length);
    assert(start <= bytes.length);
    while (end > 0 && bytes.data[end - 1] == ' ') {
        end--; /* skip the indentation of the text */
    }
    if (end > 0 && bytes.data[end - 1] == '\n') {
        end--;
    } else {
        /* The block has no text: its header ends the document. */
        end = start;
    }
    at = end;
    while (at > 0 && bytes.data[at - 1] != '\n') {
        at--;
    }
    for (at = at < after ? after : at; at < end; at++) {
        if (is_block_header(bytes, at, end)) {
            return at;
        }
    }
    return SIZE_MAX;
}

size_t yaml_find_indicator(struct text bytes, size_t after, const char *any)
{
    bool is_comment = false;

    assert(any != NULL && any[0] != '\0');
    assert(after <= bytes.length);
    for (size_t at = after; at < bytes.length; at++) {
        char c = bytes.data[at];

        if (c == '\n') {
            is_comment = false;
        } else if (is_comment || c == ' ' || c == '\t' || c == '\r') {
            continue;
        } else if (c == '#') {
            is_comment = true;
        } else {
            return strchr(any, c) == NULL ? SIZE_MAX : at;
        }
    }
    return SIZE_MAX;
}

size_t yaml_find_tag(struct text bytes, size_t start)
{
    size_t at = start < bytes.length ? start : bytes.length;

    while (at > 0 && (at == bytes.length || bytes.data[at] != '!') && bytes.data[at - 1] != '\n') {
        at--;
    }
    assert(at <= start);
    return at;
}
